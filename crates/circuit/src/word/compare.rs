//! Comparisons: words in, one signal out.
//!
//! Programs compare one variable with many constants. A constant's top bits are mostly a long run of copies
//! of its sign; the test for that run is a chain from the top bit down, so that all constants
//! share it, and each pays one gate per bit only for the rest.

use super::{Aig, Signal, trimmed};

pub fn eq(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Signal {
    let (a, b) = trimmed(a, b, 0);
    for (word, other) in [(a, b), (b, a)] {
        if other.iter().all(|bit| bit.is_constant()) {
            return eq_constant(gates, word, other);
        }
    }
    let same: Vec<Signal> = a.iter().zip(b).map(|(&x, &y)| gates.iff(x, y)).collect();
    gates.and_all(&same)
}

pub fn ne(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Signal {
    !eq(gates, a, b)
}

pub fn unsigned_lt(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Signal {
    // Sign extension keeps the unsigned order, so the trimmed words compare alike.
    let (a, b) = trimmed(a, b, 0);
    less(gates, a, b)
}

pub fn unsigned_le(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Signal {
    !unsigned_lt(gates, b, a)
}

pub fn signed_lt(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Signal {
    let (a, b) = trimmed(a, b, 0);
    // With its top bit flipped, a signed number has its unsigned place.
    let flip_sign = |word: &[Signal]| {
        let mut biased = word.to_vec();
        if let Some(sign) = biased.last_mut() {
            *sign = !*sign;
        }
        biased
    };
    less(gates, &flip_sign(a), &flip_sign(b))
}

pub fn signed_le(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Signal {
    !signed_lt(gates, b, a)
}

fn less(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Signal {
    if b.iter().all(|bit| bit.is_constant()) {
        return less_than_constant(gates, a, b);
    }
    if a.iter().all(|bit| bit.is_constant()) {
        // k < b says !b < !k.
        return less_than_constant(gates, &super::not(b), &super::not(a));
    }
    a.iter().zip(b).fold(Signal::FALSE, |below, (&x, &y)| less_step(gates, x, y, below))
}

/// Less on `x` and the lower bits, given less on the lower bits: four gates, two of which are an exclusive
/// or's.
fn less_step(gates: &mut Aig, x: Signal, y: Signal, below: Signal) -> Signal {
    let lt = gates.and(!x, y);
    let gt = gates.and(x, !y);
    let tied = gates.and(!gt, below);
    gates.or(lt, tied)
}

/// The number of bits below the run of equal bits at the top of a constant, whose very top bit may differ from the run
/// because it is a flipped sign.
fn below_run(constant: &[Signal]) -> usize {
    let unsigned_top = constant.len().saturating_sub(1);
    super::significant(&constant[..unsigned_top]).saturating_sub(1)
}

/// Whether the word's bits from `from` up equal the constant's, as a chain from the top.
fn top_equals(gates: &mut Aig, word: &[Signal], constant: &[Signal], from: usize) -> Signal {
    let bits = word[from..].iter().zip(&constant[from..]).rev();
    bits.fold(Signal::TRUE, |equal, (&bit, &value)| gates.and(equal, bit.complement_if(value == Signal::FALSE)))
}

fn eq_constant(gates: &mut Aig, word: &[Signal], constant: &[Signal]) -> Signal {
    let split = below_run(constant);
    let top = top_equals(gates, word, constant, split);
    let rest: Vec<Signal> = (0..split).map(|bit| word[bit].complement_if(constant[bit] == Signal::FALSE)).collect();
    let rest = gates.and_all(&rest);
    gates.and(top, rest)
}

fn less_than_constant(gates: &mut Aig, word: &[Signal], constant: &[Signal]) -> Signal {
    let split = below_run(constant);
    let mut low = Signal::FALSE;
    for (&bit, &value) in word[..split].iter().zip(constant) {
        low = if value == Signal::TRUE { gates.or(!bit, low) } else { gates.and(!bit, low) };
    }
    let (Some(&top), Some(&constant_top)) = (word.last(), constant.last()) else {
        return Signal::FALSE;
    };
    let equal = top_equals(gates, word, constant, split);
    // Above the split the constant is `t r r ... r`: its top bit and the run.
    if constant[split] == Signal::FALSE {
        let tied = gates.and(equal, low);
        if constant_top == Signal::TRUE { gates.or(!top, tied) } else { tied }
    } else {
        let not_above = gates.implies(equal, low);
        if constant_top == Signal::TRUE { not_above } else { gates.and(!top, not_above) }
    }
}
