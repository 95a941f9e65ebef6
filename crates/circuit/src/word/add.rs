//! Addition, subtraction and negation by ripple carry.
//!
//! A full adder takes 7 gates, of which `a & b` and `(a ^ b) & carry` serve sum and carry both; a bit added
//! to a constant takes 3. Faster carries (lookahead, prefix) would take more gates, and depth
//! does not matter to a SAT solver.

use super::{Aig, Signal, Word, sign_extend, trimmed};

pub fn add(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    add_with_carry(gates, a, b, Signal::FALSE)
}

pub fn sub(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    add_with_carry(gates, a, &super::not(b), Signal::TRUE)
}

pub fn neg(gates: &mut Aig, a: &[Signal]) -> Word {
    sub(gates, &vec![Signal::FALSE; a.len()], a)
}

/// `a + b + carry`.
pub(super) fn add_with_carry(gates: &mut Aig, a: &[Signal], b: &[Signal], carry: Signal) -> Word {
    let (short_a, short_b) = trimmed(a, b, 1);
    let mut carry = carry;
    let mut sum = Word::with_capacity(a.len());
    for (bit, (&x, &y)) in short_a.iter().zip(short_b).enumerate() {
        // The carry out of the top is unused.
        if bit + 1 == short_a.len() {
            let half = gates.xor(x, y);
            sum.push(gates.xor(half, carry));
        } else {
            let (low, high) = full_adder(gates, x, y, carry);
            sum.push(low);
            carry = high;
        }
    }
    sign_extend(&sum, a.len())
}

/// `negate ? -a : a`.
pub(super) fn negate_if(gates: &mut Aig, negate: Signal, a: &[Signal]) -> Word {
    let flipped: Word = a.iter().map(|&bit| gates.xor(bit, negate)).collect();
    let zero = vec![Signal::FALSE; a.len()];
    add_with_carry(gates, &flipped, &zero, negate)
}

/// Sum and carry of three bits. Constants, equal and opposite operands cost what they should: nothing, or
/// a half adder.
pub(super) fn full_adder(gates: &mut Aig, a: Signal, b: Signal, c: Signal) -> (Signal, Signal) {
    for (x, y, z) in [(a, b, c), (b, c, a), (c, a, b)] {
        if x == y {
            return (z, x);
        }
        if x == !y {
            return (!z, z);
        }
        // The carry comes first: the exclusive or then takes the shape that uses its gate.
        if z == Signal::FALSE {
            let carry = gates.and(x, y);
            return (gates.xor(x, y), carry);
        }
        if z == Signal::TRUE {
            let carry = gates.or(x, y);
            return (gates.iff(x, y), carry);
        }
    }
    let both = gates.and(a, b);
    let half = gates.xor(a, b);
    let through = gates.and(half, c);
    let sum = gates.xor(half, c);
    (sum, gates.or(both, through))
}
