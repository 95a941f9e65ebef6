//! Division and remainder by a constant.
//!
//! The network computes the *floor* quotient, whose remainder lies in `0..d`, and corrects it at the end: a
//! negative dividend with a non-zero remainder has its quotient raised by one and its remainder lowered
//! by `d` to truncate toward zero. That is cheaper than to negate dividend, quotient and remainder.
//! A power of two in the divisor is a shift; the odd rest of `m` bits is divided out by a restoring array
//! of which each step takes about `4 m` gates.

use super::add::add_with_carry;
use super::residue::residue;
use super::{Aig, Signal, Word, add, masked, sign_extend, significant, zero_extend};

pub(super) fn divrem_by_constant(gates: &mut Aig, a: &[Signal], divisor: i64) -> (Word, Word) {
    let magnitude = divisor.unsigned_abs();
    if divisor == 0 || is_below(a, magnitude) {
        return (vec![Signal::FALSE; a.len()], a.to_vec());
    }
    let (floor, remainder) = floor_divrem(gates, a, magnitude);
    let adjust = needs_adjustment(gates, a, &remainder);
    let zero = vec![Signal::FALSE; a.len()];
    // -(floor + adjust) = !floor + !adjust: the sign of the divisor costs nothing.
    let quotient = if divisor < 0 {
        add_with_carry(gates, &super::not(&floor), &zero, !adjust)
    } else {
        add_with_carry(gates, &floor, &zero, adjust)
    };
    let remainder = subtract_if(gates, adjust, &remainder, magnitude);
    (quotient, sign_extend(&remainder, a.len()))
}

/// The remainder alone, in as few bits as it comes.
pub(super) fn rem_by_constant(gates: &mut Aig, a: &[Signal], divisor: i64) -> Word {
    let magnitude = divisor.unsigned_abs();
    if divisor == 0 || is_below(a, magnitude) {
        return a.to_vec();
    }
    let (low, high) = a.split_at(magnitude.trailing_zeros() as usize);
    let mut remainder = low.to_vec();
    let odd = magnitude >> magnitude.trailing_zeros();
    if odd > 1 {
        remainder.extend(residue(gates, high, odd));
    }
    let adjust = needs_adjustment(gates, a, &remainder);
    subtract_if(gates, adjust, &remainder, magnitude)
}

/// Whether the word has too few bits for any multiple of the divisor but zero.
fn is_below(a: &[Signal], divisor: u64) -> bool {
    let magnitude_bits = significant(a).saturating_sub(1);
    magnitude_bits < 64 && divisor > 1 << magnitude_bits
}

/// Floor quotient, as wide as the dividend, and remainder, as an unsigned word of the divisor's bits.
fn floor_divrem(gates: &mut Aig, a: &[Signal], divisor: u64) -> (Word, Word) {
    // A divisor of n bits with sign is at most 2^(n-1), so at least the sign is above the split.
    let (low, high) = a.split_at(divisor.trailing_zeros() as usize);
    let odd = divisor >> divisor.trailing_zeros();
    let mut remainder = low.to_vec();
    if odd == 1 {
        return (sign_extend(high, a.len()), remainder);
    }
    let (quotient, rest) = floor_divrem_odd(gates, high, odd);
    remainder.extend(rest);
    (sign_extend(&quotient, a.len()), remainder)
}

/// The restoring array for an odd divisor of at least 3.
pub(super) fn floor_divrem_odd(gates: &mut Aig, a: &[Signal], divisor: u64) -> (Word, Word) {
    let m = bits(divisor);
    let (&sign, digits) = a.split_last().expect("a dividend has a sign");
    // The sign and the k bits below it need no step: with 2^k < d their value l - s * 2^k has the floor
    // quotient -s and the remainder l + s * (d - 2^k).
    let k = digits.len().min(m - 1);
    let (rest, first) = digits.split_at(digits.len() - k);
    let wrap = super::unsigned_constant(divisor - (1 << k), m);
    let wrap = masked(gates, &wrap, sign);
    let mut remainder = add(gates, &zero_extend(first, m), &wrap);
    let mut quotient = vec![sign; a.len()];
    for (index, &digit) in rest.iter().enumerate().rev() {
        remainder.insert(0, digit);
        let borrows = borrows(gates, &remainder, divisor);
        quotient[index] = !borrows[m + 1];
        remainder = subtract_if_given(gates, quotient[index], &remainder, divisor, &borrows);
        remainder.truncate(m);
    }
    (quotient, remainder)
}

/// The borrow into each bit of `word - constant`, and at last the one out.
fn borrows(gates: &mut Aig, word: &[Signal], constant: u64) -> Vec<Signal> {
    let mut borrows = vec![Signal::FALSE];
    for (bit, &signal) in word.iter().enumerate() {
        let borrow = borrows[bit];
        borrows.push(if has_bit(constant, bit) { gates.or(!signal, borrow) } else { gates.and(!signal, borrow) });
    }
    borrows
}

/// `condition ? word - constant : word`, where a borrow out of the top, which becomes the sign bit
/// of the result, happens whenever the condition holds.
fn subtract_if(gates: &mut Aig, condition: Signal, word: &[Signal], constant: u64) -> Word {
    let borrows = borrows(gates, word, constant);
    let mut difference = subtract_if_given(gates, condition, word, constant, &borrows);
    difference.push(condition);
    difference
}

/// `condition ? word - constant : word`, with the borrows known.
///
/// Bit `i` of a difference is flipped where `d_i ^ borrow_i`. Through a run of equal bits of the constant the
/// next conditional flip is the last one and the word's bit (complemented below a zero): a gate that
/// the exclusive or of the last bit has anyway. So a bit takes 4 gates with its borrow, not the 6 of
/// a subtractor and a multiplexer.
fn subtract_if_given(gates: &mut Aig, condition: Signal, word: &[Signal], constant: u64, borrows: &[Signal]) -> Word {
    let mut flips = Word::with_capacity(word.len());
    for (bit, &borrow) in borrows[..word.len()].iter().enumerate() {
        let one = has_bit(constant, bit);
        let in_run = bit > 0 && one == has_bit(constant, bit - 1);
        flips.push(if in_run {
            gates.and(flips[bit - 1], word[bit - 1].complement_if(!one))
        } else {
            gates.and(condition, borrow.complement_if(one))
        });
    }
    super::xor(gates, word, &flips)
}

/// Whether floor and truncated quotient differ.
fn needs_adjustment(gates: &mut Aig, dividend: &[Signal], remainder: &[Signal]) -> Signal {
    let sign = dividend.last().copied().unwrap_or(Signal::FALSE);
    let inexact = gates.or_all(remainder);
    gates.and(sign, inexact)
}

pub(super) fn has_bit(constant: u64, bit: usize) -> bool {
    bit < 64 && constant >> bit & 1 == 1
}

/// The number of bits in the number.
pub(super) fn bits(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()) as usize
}
