//! C's operators on integers of all types, written with the operators that programs have: those on signed words of 32
//! bits.
//!
//! A value of a smaller type is held as the number that it is, in a word; a value of an unsigned word as the signed
//! word with the same bits. So a conversion to a wider type does nothing, one to a smaller type is a pair of shifts or a
//! mask, and unsigned comparisons are signed ones behind an offset. Numbers of 64 bits exist as constants only.

use super::ast::BinaryOperator;
use super::types::Integer;
use crate::expr::{BinaryOp, ExprId, Exprs, UnaryOp};

/// An integer.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub value: Repr,
    pub ty: Integer,
}

#[derive(Clone, Copy, Debug)]
pub enum Repr {
    /// A constant, in the range of its type.
    Known(i128),
    Word(ExprId),
    /// A truth value that stands for 0 or 1.
    Truth(ExprId),
}

/// What is asked of words cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooWide;

pub type Computed = Result<Number, TooWide>;

impl Number {
    pub fn known(value: i128, ty: Integer) -> Number {
        Number { value: Repr::Known(ty.wrap(value)), ty }
    }

    pub fn word(word: ExprId, ty: Integer) -> Number {
        Number { value: Repr::Word(word), ty }
    }

    pub fn truth(truth: ExprId, exprs: &Exprs) -> Number {
        match exprs.as_bool(truth) {
            Some(value) => Number::known(i128::from(value), Integer::INT),
            None => Number { value: Repr::Truth(truth), ty: Integer::INT },
        }
    }

    pub fn as_known(self) -> Option<i128> {
        match self.value {
            Repr::Known(value) => Some(value),
            Repr::Word(_) | Repr::Truth(_) => None,
        }
    }

    /// The word that holds it.
    pub fn to_word(self, exprs: &mut Exprs) -> Result<ExprId, TooWide> {
        match self.value {
            _ if self.ty.bits > 32 => Err(TooWide),
            Repr::Known(value) => Ok(exprs.int(Integer::INT.wrap(value) as i32)),
            Repr::Word(word) => Ok(word),
            Repr::Truth(truth) => Ok(exprs.unary(UnaryOp::ToInt, truth)),
        }
    }

    /// Whether it is not 0.
    pub fn to_truth(self, exprs: &mut Exprs) -> ExprId {
        match self.value {
            Repr::Known(value) => exprs.bool(value != 0),
            Repr::Truth(truth) => truth,
            Repr::Word(word) => {
                let zero = exprs.int(0);
                let is_zero = exprs.eq(word, zero);
                exprs.not(is_zero)
            }
        }
    }

    pub fn convert(self, ty: Integer, exprs: &mut Exprs) -> Computed {
        let value = match self.value {
            Repr::Known(value) => return Ok(Number::known(value, ty)),
            _ if ty == Integer::BOOL => Repr::Truth(self.to_truth(exprs)),
            // Nothing but constants is that wide.
            _ if ty.bits > 32 => return Err(TooWide),
            Repr::Truth(truth) => Repr::Truth(truth),
            Repr::Word(word) if ty.bits == 32 || ty.includes(self.ty) => Repr::Word(word),
            Repr::Word(word) => Repr::Word(narrowed(word, ty, exprs)),
        };
        Ok(Number { value, ty })
    }

    pub fn negate(self, exprs: &mut Exprs) -> Computed {
        let ty = self.ty.promoted();
        match self.as_known() {
            Some(value) => Ok(Number::known(-value, ty)),
            None => Ok(Number::word(exprs.unary_word(UnaryOp::Negate, self)?, ty)),
        }
    }

    pub fn complement(self, exprs: &mut Exprs) -> Computed {
        let ty = self.ty.promoted();
        match self.as_known() {
            Some(value) => Ok(Number::known(!value, ty)),
            None => Ok(Number::word(exprs.unary_word(UnaryOp::BitNot, self)?, ty)),
        }
    }
}

impl Exprs {
    fn unary_word(&mut self, op: UnaryOp, number: Number) -> Result<ExprId, TooWide> {
        let word = number.to_word(self)?;
        Ok(self.unary(op, word))
    }
}

/// The low bits of a word as a number of a smaller type.
fn narrowed(word: ExprId, ty: Integer, exprs: &mut Exprs) -> ExprId {
    if !ty.signed {
        let mask = exprs.int(ty.high() as i32);
        return exprs.binary(BinaryOp::BitAnd, word, mask);
    }
    let amount = exprs.int(32 - ty.bits as i32);
    let high = exprs.binary(BinaryOp::ShiftLeft, word, amount);
    exprs.binary(BinaryOp::ShiftRight, high, amount)
}

/// An operator on two integers of any types. Divisors and amounts have been looked at before.
pub fn binary(op: BinaryOperator, a: Number, b: Number, exprs: &mut Exprs) -> Computed {
    use BinaryOperator as Op;
    let is_shift = matches!(op, Op::ShiftLeft | Op::ShiftRight);
    let ty = if is_shift { a.ty.promoted() } else { a.ty.common(b.ty) };
    let (a, b) = match (a.as_known(), b.as_known()) {
        (Some(a), Some(b)) => {
            let b = if is_shift { b } else { ty.wrap(b) };
            return Ok(fold(op, ty.wrap(a), b, ty));
        }
        (None, Some(known)) if ty.bits > 32 => return with_wide(op, a, known, ty, exprs).ok_or(TooWide),
        (Some(known), None) if ty.bits > 32 => return with_wide(mirrored(op), b, known, ty, exprs).ok_or(TooWide),
        // The amount's own type does not matter.
        _ if is_shift => (a.convert(ty, exprs)?, b),
        _ => (a.convert(ty, exprs)?, b.convert(ty, exprs)?),
    };
    let known = b.as_known();
    let (a, b) = (a.to_word(exprs)?, b.to_word(exprs)?);
    let word = match op {
        Op::Add => exprs.binary(BinaryOp::Add, a, b),
        Op::Subtract => exprs.binary(BinaryOp::Sub, a, b),
        Op::Multiply => exprs.binary(BinaryOp::Mul, a, b),
        Op::BitAnd => exprs.binary(BinaryOp::BitAnd, a, b),
        Op::BitOr => exprs.binary(BinaryOp::BitOr, a, b),
        Op::BitXor => exprs.binary(BinaryOp::BitXor, a, b),
        Op::ShiftLeft => exprs.binary(BinaryOp::ShiftLeft, a, b),
        Op::ShiftRight if ty.signed => exprs.binary(BinaryOp::ShiftRight, a, b),
        Op::ShiftRight => logical_shift(a, b, exprs),
        Op::Divide if ty.signed => exprs.binary(BinaryOp::Div, a, b),
        Op::Remainder if ty.signed => exprs.binary(BinaryOp::Rem, a, b),
        Op::Divide => divide(a, b, known, exprs).0,
        Op::Remainder => divide(a, b, known, exprs).1,
        Op::Equal => return Ok(Number::truth(exprs.eq(a, b), exprs)),
        Op::NotEqual => {
            let equal = exprs.eq(a, b);
            return Ok(Number::truth(exprs.not(equal), exprs));
        }
        Op::Less => return Ok(Number::truth(compare(BinaryOp::Less, a, b, ty, exprs), exprs)),
        Op::LessEqual => return Ok(Number::truth(compare(BinaryOp::LessEq, a, b, ty, exprs), exprs)),
        Op::Greater => return Ok(Number::truth(compare(BinaryOp::Less, b, a, ty, exprs), exprs)),
        Op::GreaterEqual => return Ok(Number::truth(compare(BinaryOp::LessEq, b, a, ty, exprs), exprs)),
    };
    Ok(Number::word(word, ty))
}

/// A comparison of a word with a constant that is too wide for one, if the word keeps its number in the wide type.
fn with_wide(op: BinaryOperator, a: Number, known: i128, ty: Integer, exprs: &mut Exprs) -> Option<Number> {
    use BinaryOperator as Op;
    let is_comparison =
        matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual);
    let narrow = a.ty.promoted();
    if !is_comparison || !ty.includes(narrow) {
        return None;
    }
    let known = ty.wrap(known);
    if narrow.low() <= known && known <= narrow.high() {
        return binary(op, a, Number::known(known, narrow), exprs).ok();
    }
    // All numbers of the word lie on one side of it.
    Some(fold(op, 0, if known < 0 { -1 } else { 1 }, Integer::INT))
}

/// The comparison with its sides exchanged; other operators become one that is none.
fn mirrored(op: BinaryOperator) -> BinaryOperator {
    use BinaryOperator as Op;
    match op {
        Op::Less => Op::Greater,
        Op::LessEqual => Op::GreaterEqual,
        Op::Greater => Op::Less,
        Op::GreaterEqual => Op::LessEqual,
        Op::Equal | Op::NotEqual => op,
        _ => Op::Add,
    }
}

/// The same on constants of a type, which the result has unless it is a truth value.
fn fold(op: BinaryOperator, a: i128, b: i128, ty: Integer) -> Number {
    use BinaryOperator as Op;
    let truth = |value| Number::known(i128::from(value), Integer::INT);
    let amount = b.clamp(0, i128::from(ty.bits) - 1) as u32;
    let value = match op {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => ((a as u128).wrapping_mul(b as u128)) as i128,
        Op::Divide if b == 0 => 0,
        Op::Divide => a / b,
        Op::Remainder if b == 0 => a,
        Op::Remainder => a % b,
        Op::ShiftLeft => a << amount,
        Op::ShiftRight => a >> amount,
        Op::BitAnd => a & b,
        Op::BitOr => a | b,
        Op::BitXor => a ^ b,
        Op::Equal => return truth(a == b),
        Op::NotEqual => return truth(a != b),
        Op::Less => return truth(a < b),
        Op::LessEqual => return truth(a <= b),
        Op::Greater => return truth(a > b),
        Op::GreaterEqual => return truth(a >= b),
    };
    Number::known(value, ty)
}

fn compare(op: BinaryOp, a: ExprId, b: ExprId, ty: Integer, exprs: &mut Exprs) -> ExprId {
    if ty.signed { exprs.binary(op, a, b) } else { unsigned(op, a, b, exprs) }
}

/// An unsigned comparison: adding the lowest number turns the unsigned order into the signed one.
fn unsigned(op: BinaryOp, a: ExprId, b: ExprId, exprs: &mut Exprs) -> ExprId {
    let lowest = exprs.int(i32::MIN);
    let (a, b) = (exprs.binary(BinaryOp::Add, a, lowest), exprs.binary(BinaryOp::Add, b, lowest));
    exprs.binary(op, a, b)
}

/// A shift to the right that fills with zeros: what an arithmetic one fills in is masked out.
fn logical_shift(a: ExprId, amount: ExprId, exprs: &mut Exprs) -> ExprId {
    let (lowest, one) = (exprs.int(i32::MIN), exprs.int(1));
    let filled = exprs.binary(BinaryOp::ShiftRight, lowest, amount);
    let filled = exprs.binary(BinaryOp::ShiftLeft, filled, one);
    let mask = exprs.unary(UnaryOp::BitNot, filled);
    let shifted = exprs.binary(BinaryOp::ShiftRight, a, amount);
    exprs.binary(BinaryOp::BitAnd, shifted, mask)
}

/// Unsigned quotient and remainder by signed operators (Warren, Hacker's Delight, section 9-3).
fn divide(a: ExprId, b: ExprId, known: Option<i128>, exprs: &mut Exprs) -> (ExprId, ExprId) {
    let (zero, one) = (exprs.int(0), exprs.int(1));
    if let Some(power) = known.filter(|&value| value > 0 && value & (value - 1) == 0) {
        let (amount, mask) = (exprs.int(power.trailing_zeros() as i32), exprs.int((power - 1) as i32));
        return (logical_shift(a, amount, exprs), exprs.binary(BinaryOp::BitAnd, a, mask));
    }
    let (a_is_small, b_is_small) = (exprs.binary(BinaryOp::LessEq, zero, a), exprs.binary(BinaryOp::LessEq, zero, b));
    // Both below 2^31.
    let (plain, plain_rest) = (exprs.binary(BinaryOp::Div, a, b), exprs.binary(BinaryOp::Rem, a, b));
    // Only the dividend is not: half of it first, then one more where that was too little.
    let half = logical_shift(a, one, exprs);
    let half = exprs.binary(BinaryOp::Div, half, b);
    let double = exprs.binary(BinaryOp::ShiftLeft, half, one);
    let product = exprs.binary(BinaryOp::Mul, double, b);
    let rest = exprs.binary(BinaryOp::Sub, a, product);
    let once_more = unsigned(BinaryOp::LessEq, b, rest, exprs);
    let (more, less) = (exprs.binary(BinaryOp::Add, double, one), exprs.binary(BinaryOp::Sub, rest, b));
    let (large, large_rest) = (exprs.ite(once_more, more, double), exprs.ite(once_more, less, rest));
    // The divisor is not: it goes in once or not at all.
    let goes_in = unsigned(BinaryOp::LessEq, b, a, exprs);
    let (once, once_rest) = (exprs.unary(UnaryOp::ToInt, goes_in), exprs.binary(BinaryOp::Sub, a, b));
    let once_rest = exprs.ite(goes_in, once_rest, a);
    let mut choose = |plain, large, once| {
        let small = exprs.ite(a_is_small, plain, large);
        exprs.ite(b_is_small, small, once)
    };
    (choose(plain, large, once), choose(plain_rest, large_rest, once_rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Expr, Fold, InputId, Type};

    const TYPES: [Integer; 7] =
        [Integer::BOOL, Integer::CHAR, Integer::UCHAR, Integer::SHORT, Integer::USHORT, Integer::INT, Integer::UINT];

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

    /// Constants are computed in 128 bits and wrapped, which is what the standard says; words must agree.
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
            let converted = a.convert(to, &mut exprs).expect("narrow enough");
            let word = converted.to_word(&mut exprs).expect("narrow enough");
            for x in values(from) {
                let expected = Integer::INT.wrap(to.wrap(x)) as i32;
                assert_eq!(evaluate(&exprs, word, [x, 0]), expected, "{x}: {from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn constants_of_64_bits_are_computed_and_others_refused() {
        let mut exprs = Exprs::default();
        let large = Number::known(u64::MAX.into(), Integer::ULONG_LONG);
        let one = Number::known(1, Integer::INT);
        let sum = binary(BinaryOperator::Add, large, one, &mut exprs).expect("constants");
        assert_eq!((sum.as_known(), sum.ty), (Some(0), Integer::ULONG_LONG));
        let word = Number::word(exprs.input(InputId::new(0), Type::Int), Integer::INT);
        assert!(binary(BinaryOperator::Add, large, word, &mut exprs).is_err());
        assert!(large.to_word(&mut exprs).is_err());
    }

    #[test]
    fn words_are_compared_with_wide_constants() {
        let wide = [-1, 0, 1, 1 << 31, (1 << 32) - 1, 1 << 32, -(1 << 31), -(1i128 << 40), 1 << 40];
        for (ty, known) in TYPES.into_iter().flat_map(|ty| wide.into_iter().map(move |known| (ty, known))) {
            for op in OPERATORS {
                let mut exprs = Exprs::default();
                let a = Number::word(exprs.input(InputId::new(0), Type::Int), ty);
                let constant = Number::known(known, Integer::LONG_LONG);
                for (left, right) in [(a, constant), (constant, a)] {
                    let Ok(result) = binary(op, left, right, &mut exprs) else { continue };
                    let word = result.to_word(&mut exprs).expect("a truth value");
                    for x in values(ty) {
                        let (x_left, x_right) = if left.as_known().is_none() { (x, known) } else { (known, x) };
                        let expected = fold(op, x_left, x_right, Integer::LONG_LONG).as_known().expect("known");
                        assert_eq!(i128::from(evaluate(&exprs, word, [x, 0])), expected, "{x_left} {op:?} {x_right}");
                    }
                }
            }
        }
    }
}
