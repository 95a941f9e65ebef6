//! The checker's arithmetic on sets of numbers and that of the analysis, which share no code: on the same operands both
//! include what the program's operator gives.

use redoubt_base::Random;
use redoubt_checker::interval::operators;
use redoubt_checker::{NumberSet, Progression};
use redoubt_facts::analysis::domain::{Values, binary, unary, with_itself};
use redoubt_facts::claims::numbers;
use redoubt_program::expr::{BinaryOp, UnaryOp};

/// A random number, as often small as large, and often at an edge.
fn number(random: &mut Random) -> i32 {
    match random.below(5) {
        0 => random.choose(&[i32::MIN, i32::MIN + 1, -1, 0, 1, 31, 32, i32::MAX - 1, i32::MAX]),
        _ => random.bits() as i32 >> random.below(32),
    }
}

/// Values in a form that both have.
fn values(random: &mut Random) -> Values {
    let (a, b) = (number(random), number(random));
    match random.below(4) {
        0 => Values::one(a),
        1 => Values::from_list((0..1 + random.below(20)).map(|_| number(random)).collect()),
        2 => Values::interval(a.min(b), a.max(b)),
        _ => {
            let step = 1 + random.below(9) as i32;
            Values::from_list((0..100).map(|index| a.saturating_add(index * step)).collect())
        }
    }
}

/// Some members: the ends, and random others.
fn members(set: &NumberSet, random: &mut Random) -> Vec<i32> {
    let nth = |run: &Progression, at: u64| (i64::from(run.low) + at as i64 * i64::from(run.step)) as i32;
    let some = |run: &Progression| {
        let chosen: Vec<i32> = (0..3).map(|_| nth(run, random.bits() % run.count())).collect();
        [vec![run.low, run.high], chosen].concat()
    };
    set.runs().iter().flat_map(some).collect()
}

#[test]
fn both_arithmetics_include_what_the_program_computes() {
    use BinaryOp::*;
    let mut narrower = [0; 2];
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let (a, b) = (values(&mut random), values(&mut random));
        let (own_a, own_b) = (numbers(&a), numbers(&b));
        let (xs, ys) = (members(&own_a, &mut random), members(&own_b, &mut random));
        for op in [Add, Sub, Mul, Div, Rem, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor, Eq, Less, LessEq] {
            let (theirs, own) = (binary(op, &a, &b), operators::binary(op, &own_a, &own_b));
            for (&x, &y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (x, y))) {
                let result = op.apply(x, y);
                assert!(own.contains(result), "seed {seed}: {op:?} of {x} and {y} in {own_a} and {own_b}: {own}");
                assert!(theirs.contains(result), "seed {seed}: {op:?} of {x} and {y} in {a:?} and {b:?}: {theirs:?}");
            }
            let (of_same, own_of_same) = (with_itself(op, &a), operators::doubled(op, &own_a));
            for &x in &xs {
                let result = op.apply(x, x);
                assert!(own_of_same.contains(result), "seed {seed}: {op:?} of {x} twice, in {own_a}: {own_of_same}");
                assert!(of_same.contains(result), "seed {seed}: {op:?} of {x} twice, in {a:?}: {of_same:?}");
            }
            narrower[0] += usize::from(own.count() < theirs.count());
            narrower[1] += usize::from(own.count() > theirs.count());
        }
        for op in [UnaryOp::Negate, UnaryOp::BitNot] {
            let (theirs, own) = (unary(op, &a), operators::unary(op, &own_a));
            let included = |&x: &i32| own.contains(op.apply(x)) && theirs.contains(op.apply(x));
            assert!(xs.iter().all(included), "seed {seed}: {op:?} of {own_a}: {own} and {theirs:?}");
        }
    }
    // Whatever a number is, its quotient by itself is known.
    let any = Values::interval(1, i32::MAX);
    assert_eq!(with_itself(Div, &any), Values::one(1));
    assert_eq!(operators::doubled(Div, &numbers(&any)), NumberSet::one(1));
    // Programs that one of them confirms should not be too much for the other.
    assert!(narrower[0] > 10 * narrower[1], "narrower {} times, wider {} times", narrower[0], narrower[1]);
}
