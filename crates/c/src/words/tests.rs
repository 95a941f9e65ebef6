//! Words and pairs of them against constants, which are computed in 128 bits and wrapped, as the standard says.

use super::*;
use redoubt_program::expr::{Expr, Fold, InputId, Type};

const TYPES: [Integer; 7] =
    [Integer::BOOL, Integer::CHAR, Integer::UCHAR, Integer::SHORT, Integer::USHORT, Integer::INT, Integer::UINT];

const WIDE: [Integer; 2] = [Integer::LONG_LONG, Integer::ULONG_LONG];

const OPERATORS: [BinaryOperator; 16] = [
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Remainder,
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::ShiftLeft,
    BinaryOperator::ShiftRight,
    BinaryOperator::Less,
    BinaryOperator::LessEqual,
    BinaryOperator::Greater,
    BinaryOperator::GreaterEqual,
    BinaryOperator::Equal,
    BinaryOperator::NotEqual,
    BinaryOperator::BitAnd,
    BinaryOperator::BitXor,
    BinaryOperator::BitOr,
];

/// Values at the edges of a type, and some between.
fn values(ty: Integer) -> Vec<i128> {
    let near = |value: i128| [value - 1, value, value + 1];
    let wanted = [0, 3, 7, 10, 100, 127, 128, 255, 256, 32767, 65535, 1 << 31, (1 << 31) - 7, ty.low(), ty.high()];
    let mut list: Vec<i128> = wanted.into_iter().flat_map(near).map(|value| ty.wrap(value)).collect();
    list.sort_unstable();
    list.dedup();
    list
}

fn evaluate(exprs: &Exprs, root: ExprId, inputs: [i128; 2]) -> i32 {
    let input = |id: InputId| Integer::INT.wrap(inputs[id.index()]) as i32;
    *Fold::default().all(exprs, root, |_, expr, done| match expr {
        Expr::Bool(value) => i32::from(value),
        Expr::Int(value) => value,
        Expr::Input(id) => input(id),
        Expr::Unary(op, a) => op.apply(done[a]),
        Expr::Binary(op, a, b) => op.apply(done[a], done[b]),
        Expr::Ite(condition, then, otherwise) => done[if done[condition] != 0 { then } else { otherwise }],
        other => unreachable!("{other:?}"),
    })
}

/// Constants are computed in 128 bits and wrapped, as the standard has it; words must agree.
#[test]
fn operators_on_words_are_those_on_numbers() {
    for (op, a_ty, b_ty) in OPERATORS
        .into_iter()
        .flat_map(|op| TYPES.into_iter().flat_map(move |a| TYPES.into_iter().map(move |b| (op, a, b))))
    {
        let mut exprs = Exprs::default();
        let a = Number::word(exprs.input(InputId::new(0), Type::Int), a_ty);
        let b = Number::word(exprs.input(InputId::new(1), Type::Int), b_ty);
        let result = binary(op, a, b, &mut exprs).expect("narrow enough");
        let word = result.to_word(&mut exprs).expect("narrow enough");
        let is_division = matches!(op, BinaryOperator::Divide | BinaryOperator::Remainder);
        let is_shift = matches!(op, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
        for (x, y) in values(a_ty).into_iter().flat_map(|x| values(b_ty).into_iter().map(move |y| (x, y))) {
            if (is_division && y == 0) || (is_shift && !(0..32).contains(&y)) {
                continue;
            }
            let expected = binary(op, Number::known(x, a_ty), Number::known(y, b_ty), &mut exprs).expect("known");
            let expected = expected.as_known().expect("known");
            let found = evaluate(&exprs, word, [x, y]);
            assert_eq!(found, Integer::INT.wrap(expected) as i32, "{x} {op:?} {y} ({a_ty:?}, {b_ty:?})");
        }
        // A constant on the right may be treated in another way.
        for y in values(b_ty) {
            if (is_division && y == 0) || (is_shift && !(0..32).contains(&y)) {
                continue;
            }
            let result = binary(op, a, Number::known(y, b_ty), &mut exprs).expect("narrow enough");
            let word = result.to_word(&mut exprs).expect("narrow enough");
            for x in values(a_ty) {
                let known = binary(op, Number::known(x, a_ty), Number::known(y, b_ty), &mut exprs).expect("known");
                let expected = Integer::INT.wrap(known.as_known().expect("known")) as i32;
                assert_eq!(evaluate(&exprs, word, [x, 0]), expected, "{x} {op:?} {y} ({a_ty:?}, {b_ty:?})");
            }
        }
    }
}

#[test]
fn conversions_wrap() {
    for (from, to) in TYPES.into_iter().flat_map(|from| TYPES.into_iter().map(move |to| (from, to))) {
        let mut exprs = Exprs::default();
        let a = Number::word(exprs.input(InputId::new(0), Type::Int), from);
        let converted = a.convert(to, &mut exprs);
        let word = converted.to_word(&mut exprs).expect("narrow enough");
        for x in values(from) {
            let expected = Integer::INT.wrap(to.wrap(x)) as i32;
            assert_eq!(evaluate(&exprs, word, [x, 0]), expected, "{x}: {from:?} to {to:?}");
        }
    }
}

/// A number of any type that is given by inputs from a position on.
fn given(at: usize, ty: Integer, exprs: &mut Exprs) -> Number {
    let low = exprs.input(InputId::new(at), Type::Int);
    match ty.bits {
        64 => Number::pair(Pair { low, high: exprs.input(InputId::new(at + 1), Type::Int) }, ty),
        _ => Number::word(low, ty),
    }
}

fn number(number: Number, exprs: &mut Exprs, inputs: [i128; 2]) -> i128 {
    let words = inputs.map(|value| [value as i32, (value >> 32) as i32]).concat();
    let pair = number.to_pair(exprs);
    let [low, high] = [pair.low, pair.high].map(|root| {
        *Fold::default().all(exprs, root, |_, expr, done| match expr {
            Expr::Bool(value) => i32::from(value),
            Expr::Int(value) => value,
            Expr::Input(id) => words[id.index()],
            Expr::Unary(op, a) => op.apply(done[a]),
            Expr::Binary(op, a, b) => op.apply(done[a], done[b]),
            Expr::Ite(condition, then, otherwise) => done[if done[condition] != 0 { then } else { otherwise }],
            other => unreachable!("{other:?}"),
        })
    });
    number.ty.wrap(i128::from(high) << 32 | i128::from(low as u32))
}

fn wide_values(ty: Integer) -> Vec<i128> {
    let wide = [-7, 0, 3, 1 << 31, (1 << 32) - 1, 1 << 40, 0x1234_5678_9abc_def0, ty.low(), ty.high()];
    let mut list: Vec<i128> = wide.into_iter().map(|value| ty.wrap(value)).collect();
    list.sort_unstable();
    list.dedup();
    list
}

#[test]
fn operators_on_pairs_are_those_on_numbers() {
    let types: Vec<(Integer, Integer)> = WIDE
        .into_iter()
        .flat_map(|wide| TYPES.into_iter().chain(WIDE).flat_map(move |other| [(wide, other), (other, wide)]))
        .collect();
    for (op, (a_ty, b_ty)) in OPERATORS.into_iter().flat_map(|op| types.iter().map(move |&types| (op, types))) {
        let mut exprs = Exprs::default();
        let (a, b) = (given(0, a_ty, &mut exprs), given(2, b_ty, &mut exprs));
        let is_division = matches!(op, BinaryOperator::Divide | BinaryOperator::Remainder);
        let is_shift = matches!(op, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
        let bits = i128::from(a_ty.promoted().bits);
        let result = binary(op, a, b, &mut exprs).expect("it can be computed");
        for y in wide_values(b_ty) {
            let y = if is_shift { y.rem_euclid(bits).min(b_ty.high()) } else { y };
            if is_division && y == 0 {
                continue;
            }
            let with_constant = binary(op, a, Number::known(y, b_ty), &mut exprs).expect("it can be computed");
            for x in wide_values(a_ty) {
                let expected = binary(op, Number::known(x, a_ty), Number::known(y, b_ty), &mut exprs).expect("known");
                for found in [result, with_constant] {
                    assert_eq!(found.ty, expected.ty);
                    let found = number(found, &mut exprs, [x, y]);
                    assert_eq!(Some(found), expected.as_known(), "{x} {op:?} {y} ({a_ty:?}, {b_ty:?})");
                }
            }
        }
    }
}

#[test]
fn conversions_of_pairs_wrap() {
    for (from, to) in TYPES.into_iter().chain(WIDE).flat_map(|a| WIDE.into_iter().flat_map(move |b| [(a, b), (b, a)])) {
        let mut exprs = Exprs::default();
        let converted = given(0, from, &mut exprs).convert(to, &mut exprs);
        for x in wide_values(from) {
            assert_eq!(number(converted, &mut exprs, [x, 0]), to.wrap(x), "{x}: {from:?} to {to:?}");
        }
    }
}

#[test]
fn a_pair_is_no_word() {
    let mut exprs = Exprs::default();
    let large = Number::known(u64::MAX.into(), Integer::ULONG_LONG);
    let one = Number::known(1, Integer::INT);
    let sum = binary(BinaryOperator::Add, large, one, &mut exprs).expect("constants");
    assert_eq!((sum.as_known(), sum.ty), (Some(0), Integer::ULONG_LONG));
    assert!(large.to_word(&mut exprs).is_err());
    assert!(given(0, Integer::LONG_LONG, &mut exprs).to_word(&mut exprs).is_err());
}

#[test]
fn words_are_compared_with_wide_constants() {
    let wide = [-1, 0, 1, 1 << 31, (1 << 32) - 1, 1 << 32, -(1 << 31), -(1i128 << 40), 1 << 40];
    for (ty, known) in TYPES.into_iter().flat_map(|ty| wide.into_iter().map(move |known| (ty, known))) {
        let shifts = [BinaryOperator::ShiftLeft, BinaryOperator::ShiftRight];
        for op in OPERATORS.into_iter().filter(|op| !shifts.contains(op)) {
            let mut exprs = Exprs::default();
            let a = Number::word(exprs.input(InputId::new(0), Type::Int), ty);
            let constant = Number::known(known, Integer::LONG_LONG);
            for (left, right) in [(a, constant), (constant, a)] {
                let result = binary(op, left, right, &mut exprs).expect("it can be computed");
                let Ok(word) = result.to_word(&mut exprs) else { continue };
                for x in values(ty) {
                    let (x_left, x_right) = if left.as_known().is_none() { (x, known) } else { (known, x) };
                    let expected = fold(op, x_left, x_right, Integer::LONG_LONG).as_known().expect("known");
                    assert_eq!(i128::from(evaluate(&exprs, word, [x, 0])), expected, "{x_left} {op:?} {x_right}");
                }
            }
        }
    }
}
