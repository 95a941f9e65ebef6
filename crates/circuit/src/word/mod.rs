//! Bit-vector operators: words of signals in, words of signals out, gates in between.
//!
//! A word lists its bits from the least significant; its value is two's complement where an operator is
//! signed. Operands of a binary operator have the same width, which is that of the result, and
//! arithmetic wraps. All operators are total; where C leaves a meaning open, it is the one
//! documented at the operator.
//!
//! Two things keep circuits small. Every operator sees constant bits, and the ones that profit have a form of their own
//! for a constant operand. And every operator works only on the [`significant`] bits: a remainder by 65 that lives in a
//! 32-bit word is added, compared and multiplied as the 8-bit number it is. The tests of the encodings list, and
//! enforce, the number of gates of each operator at 32 bits.

mod add;
mod columns;
mod compare;
mod divide;
mod divide_by_constant;
mod multiply;
mod residue;
mod shift;
#[cfg(test)]
mod tests;

pub use add::{add, neg, sub};
pub use compare::{eq, ne, signed_le, signed_lt, unsigned_le, unsigned_lt};
pub use divide::{div, divrem, rem};
pub use multiply::mul;
pub use shift::{ashr, ashr_by, lshr, lshr_by, shl, shl_by};

use super::aig::{Aig, Signal};

/// Bits from the least significant.
pub type Word = Vec<Signal>;

/// The low `width` bits of a value, sign-extended beyond its own 64.
pub fn constant(value: i64, width: usize) -> Word {
    (0..width).map(|bit| Signal::constant(value >> bit.min(63) & 1 == 1)).collect()
}

/// The low `width` bits of a value, zero-extended beyond its own 64.
fn unsigned_constant(value: u64, width: usize) -> Word {
    (0..width).map(|bit| Signal::constant(bit < 64 && value >> bit & 1 == 1)).collect()
}

/// The signed value of a word of at most 64 bits, if all of them are constant.
pub fn as_constant(word: &[Signal]) -> Option<i64> {
    if word.len() > 64 {
        return None;
    }
    let sign = word.last()?.as_constant()?;
    let mut value = if sign { -1 } else { 0 };
    for bit in word.iter().rev() {
        value = value << 1 | i64::from(bit.as_constant()?);
    }
    Some(value)
}

/// A word of fresh leaves.
pub fn leaves(gates: &mut Aig, width: usize) -> Word {
    (0..width).map(|_| gates.leaf()).collect()
}

/// The number of low bits that determine the word by sign extension: at least 1, unless the word is empty.
pub fn significant(word: &[Signal]) -> usize {
    let Some(&sign) = word.last() else { return 0 };
    let copies = word.iter().rev().take_while(|&&bit| bit == sign).count();
    word.len() - copies + 1
}

/// Both operands cut to `extra` bits more than the wider one needs, but not widened.
fn trimmed<'a>(a: &'a [Signal], b: &'a [Signal], extra: usize) -> (&'a [Signal], &'a [Signal]) {
    assert_eq!(a.len(), b.len(), "operands have the same width");
    let width = (significant(a).max(significant(b)) + extra).min(a.len());
    (&a[..width], &b[..width])
}

pub fn sign_extend(word: &[Signal], width: usize) -> Word {
    let sign = word.last().copied().unwrap_or(Signal::FALSE);
    extend(word, width, sign)
}

pub fn zero_extend(word: &[Signal], width: usize) -> Word {
    extend(word, width, Signal::FALSE)
}

/// Cuts the word or sign-extends it: C's conversion between signed integers.
pub fn resize(word: &[Signal], width: usize) -> Word {
    sign_extend(&word[..word.len().min(width)], width)
}

fn extend(word: &[Signal], width: usize, fill: Signal) -> Word {
    assert!(word.len() <= width, "extension does not cut");
    let mut extended = word.to_vec();
    extended.resize(width, fill);
    extended
}

pub fn not(word: &[Signal]) -> Word {
    word.iter().map(|&bit| !bit).collect()
}

pub fn and(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    bitwise(a, b, |x, y| gates.and(x, y))
}

pub fn or(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    bitwise(a, b, |x, y| gates.or(x, y))
}

pub fn xor(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    bitwise(a, b, |x, y| gates.xor(x, y))
}

/// `condition ? then : otherwise`.
pub fn mux(gates: &mut Aig, condition: Signal, then: &[Signal], otherwise: &[Signal]) -> Word {
    bitwise(then, otherwise, |x, y| gates.mux(condition, x, y))
}

/// Whether the word is not zero: C's truth value.
pub fn is_nonzero(gates: &mut Aig, word: &[Signal]) -> Signal {
    gates.or_all(&word[..significant(word)])
}

fn bitwise(a: &[Signal], b: &[Signal], operator: impl FnMut(Signal, Signal) -> Signal) -> Word {
    assert_eq!(a.len(), b.len(), "operands have the same width");
    let mut operator = operator;
    a.iter().zip(b).map(|(&x, &y)| operator(x, y)).collect()
}

/// Every bit conjoined with `enable`: the word or zero.
fn masked(gates: &mut Aig, word: &[Signal], enable: Signal) -> Word {
    word.iter().map(|&bit| gates.and(bit, enable)).collect()
}
