//! The program's operators on sets of numbers.
//!
//! Few numbers are taken one by one, so there the result is exact. Of runs with many numbers the ends decide: each
//! operator says between which bounds its results lie, and what their distances are a multiple of.

use redoubt_program::expr::{BinaryOp, UnaryOp};

use super::progression::{Progression, gcd};
use super::set::NumberSet;

/// An operator is applied to the numbers themselves where neither set has more than this many.
const FEW: u64 = 64;

/// Otherwise it is applied to at most this many pairs of runs.
const MOST_PAIRS: usize = 4096;

/// All that a unary operator can give on the numbers of a set.
pub fn unary(op: UnaryOp, a: &NumberSet) -> NumberSet {
    if a.count() <= FEW {
        return NumberSet::covering(a.iter().map(|number| Progression::single(op.apply(number))).collect());
    }
    let on_run = |run: &Progression| {
        let (low, high, step) = (i64::from(run.low), i64::from(run.high), run.stride());
        match op {
            UnaryOp::Negate => Progression::wrapped(-high, -low, step),
            UnaryOp::BitNot => Progression::wrapped(!high, !low, step),
            UnaryOp::Not => match (run.contains(0), run.is_single()) {
                (true, false) => Progression::TRUTH,
                (is_zero, _) => Progression::single(i32::from(is_zero)),
            },
            UnaryOp::ToInt => *run,
        }
    };
    NumberSet::covering(a.runs().iter().map(on_run).collect())
}

/// All that a binary operator can give on the numbers of two sets.
pub fn binary(op: BinaryOp, a: &NumberSet, b: &NumberSet) -> NumberSet {
    if a.is_empty() || b.is_empty() {
        return NumberSet::NONE;
    }
    if let BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq = op {
        return compared(op, a, b);
    }
    if a.runs().len() * b.runs().len() > MOST_PAIRS {
        return binary(op, &one_run(a), &one_run(b));
    }
    let are_few = a.count() <= FEW && b.count() <= FEW;
    let is_alone = a.runs().len() * b.runs().len() == 1;
    let mut pieces = vec![];
    for (x, y) in a.runs().iter().flat_map(|x| b.runs().iter().map(move |y| (x, y))) {
        let around = on_runs(op, x, y);
        let least = match op {
            // Sums of different numbers with the lowest, and of the highest with the others.
            BinaryOp::Add | BinaryOp::Sub => x.count() + y.count() - 1,
            BinaryOp::Mul if x.is_single() || y.is_single() => x.count().max(y.count()),
            _ => 1,
        };
        // Results that can be no fewer need not be listed, unless they may overlap with others.
        if is_alone && around.count() <= least || !are_few {
            pieces.push(around);
        } else {
            pieces.extend(x.iter().flat_map(|x| y.iter().map(move |y| Progression::single(op.apply(x, y)))));
        }
    }
    NumberSet::covering(pieces)
}

/// The results of an operator on each number of a set together with that same number.
pub fn doubled(op: BinaryOp, set: &NumberSet) -> NumberSet {
    if set.count() <= FEW * FEW {
        return NumberSet::covering(set.iter().map(|number| Progression::single(op.apply(number, number))).collect());
    }
    let quotient_and_rest = |usual: i32| match set.contains(0) {
        true => NumberSet::one(usual).join(&NumberSet::one(op.apply(0, 0))),
        false => NumberSet::one(usual),
    };
    match op {
        BinaryOp::Sub | BinaryOp::BitXor | BinaryOp::Less => NumberSet::one(0),
        BinaryOp::Eq | BinaryOp::LessEq => NumberSet::one(1),
        BinaryOp::BitAnd | BinaryOp::BitOr => set.clone(),
        BinaryOp::Mul => NumberSet::covering(set.runs().iter().map(squares).collect()),
        BinaryOp::Div => quotient_and_rest(1),
        BinaryOp::Rem => quotient_and_rest(0),
        _ => binary(op, set, set),
    }
}

/// A run that has the squares of the numbers of a run.
fn squares(run: &Progression) -> Progression {
    let (low, high) = (i64::from(run.low), i64::from(run.high));
    let least = if low <= 0 && high >= 0 { 0 } else { (low * low).min(high * high) };
    let most = (low * low).max(high * high);
    // What wraps around may be negative.
    if most > i64::from(i32::MAX) { on_runs(BinaryOp::Mul, run, run) } else { Progression::wrapped(least, most, 1) }
}

fn one_run(set: &NumberSet) -> NumberSet {
    NumberSet::covering(set.runs().iter().copied().reduce(|all, next| all.around(&next)).into_iter().collect())
}

/// The truth values that a comparison can have. Those of order are decided by the ends.
fn compared(op: BinaryOp, a: &NumberSet, b: &NumberSet) -> NumberSet {
    let (Some((al, ah)), Some((bl, bh))) = (a.bounds(), b.bounds()) else { return NumberSet::NONE };
    let (may_fail, may_hold) = match op {
        BinaryOp::Less => (ah >= bl, al < bh),
        BinaryOp::LessEq => (ah > bl, al <= bh),
        _ => (a.single().is_none() || a.single() != b.single(), !a.meet(b).is_empty()),
    };
    match (may_fail, may_hold) {
        (true, true) => NumberSet::truth(),
        (_, holds) => NumberSet::one(i32::from(holds)),
    }
}

/// A run that has all that an operator can give on the numbers of two runs.
pub(super) fn on_runs(op: BinaryOp, a: &Progression, b: &Progression) -> Progression {
    let (al, ah, bl, bh) = (i64::from(a.low), i64::from(a.high), i64::from(b.low), i64::from(b.high));
    let (s, t) = (a.stride(), b.stride());
    match op {
        BinaryOp::Add => Progression::wrapped(al + bl, ah + bh, gcd(s, t)),
        BinaryOp::Sub => Progression::wrapped(al - bh, ah - bl, gcd(s, t)),
        BinaryOp::Mul => {
            let (low, high) = ends([al * bl, al * bh, ah * bl, ah * bh]);
            // (al + i*s) * (bl + j*t) differs from al*bl by multiples of s*bl, t*al and s*t.
            Progression::wrapped(low, high, gcd(gcd(s * bl.unsigned_abs(), t * al.unsigned_abs()), s * t))
        }
        BinaryOp::Div => quotients((al, ah), (bl, bh)),
        BinaryOp::Rem => remainders(a, b),
        // Only the low five bits of an amount count.
        BinaryOp::ShiftLeft if b.is_single() => {
            on_runs(BinaryOp::Mul, a, &Progression::single(1i32.wrapping_shl(b.low as u32)))
        }
        BinaryOp::ShiftRight if b.is_single() => {
            let amount = b.low as u32 & 31;
            Progression::wrapped(al >> amount, ah >> amount, 1)
        }
        // A number that is not negative keeps only bits that it has.
        BinaryOp::BitAnd | BinaryOp::And if al >= 0 && bl >= 0 => Progression::wrapped(0, ah.min(bh), 1),
        BinaryOp::BitAnd | BinaryOp::And if al >= 0 => Progression::wrapped(0, ah, 1),
        BinaryOp::BitAnd | BinaryOp::And if bl >= 0 => Progression::wrapped(0, bh, 1),
        // There is no bit above the highest of both.
        BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Or if al >= 0 && bl >= 0 => {
            Progression::wrapped(0, (ah.max(bh) as u64 + 1).next_power_of_two() as i64 - 1, 1)
        }
        BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq => Progression::TRUTH,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Progression::ALL,
        BinaryOp::BitAnd | BinaryOp::And | BinaryOp::BitOr | BinaryOp::Or | BinaryOp::BitXor => Progression::ALL,
    }
}

fn ends<const N: usize>(numbers: [i64; N]) -> (i64, i64) {
    numbers.iter().fold((i64::MAX, i64::MIN), |(low, high), &number| (low.min(number), high.max(number)))
}

/// Between divisors of one sign a quotient is largest and smallest at the corners; by 0 it is 0.
fn quotients((al, ah): (i64, i64), (bl, bh): (i64, i64)) -> Progression {
    let (mut low, mut high) = (i64::MAX, i64::MIN);
    if bl <= 0 && 0 <= bh {
        (low, high) = (0, 0);
    }
    for (from, to) in [(bl, bh.min(-1)), (bl.max(1), bh)] {
        if from <= to {
            let (least, most) = ends([al / from, al / to, ah / from, ah / to]);
            (low, high) = (low.min(least), high.max(most));
        }
    }
    Progression::wrapped(low, high, 1)
}

/// A remainder has the sign of the dividend, is no larger, and smaller than the divisor; by 0 it is the dividend.
fn remainders(a: &Progression, b: &Progression) -> Progression {
    let (al, ah, bl, bh) = (i64::from(a.low), i64::from(a.high), i64::from(b.low), i64::from(b.high));
    if b.is_single() && bl != 0 && al / bl == ah / bl {
        // One quotient q, so `a - q * b` only moves the run.
        return Progression::wrapped(al % bl, ah % bl, a.stride());
    }
    if b.is_single() && bl == 0 {
        return *a;
    }
    let has_zero = bl <= 0 && 0 <= bh;
    let (mut low, mut high) = (al.min(0), ah.max(0));
    if !has_zero {
        let (smallest, largest) = (bl.abs().min(bh.abs()), bl.abs().max(bh.abs()));
        if al.abs().max(ah.abs()) < smallest {
            return *a;
        }
        (low, high) = (low.max(1 - largest), high.min(largest - 1));
    }
    // `a - q * b` leaves the remainder of `al` by whatever divides the step of `a` and all divisors.
    let step = gcd(gcd(a.stride(), bl.unsigned_abs()), b.stride()).max(1);
    let low = low + (al - low).rem_euclid(step as i64);
    Progression::wrapped(low, high, step)
}
