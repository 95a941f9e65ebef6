//! Shifts, by a known amount for free and by a variable one through a logarithmic shifter.
//!
//! As in SMT-LIB, the amount is unsigned and may exceed the width: then everything is shifted out, and the result is
//! zeros, or copies of the sign for `ashr`.

use super::{Aig, Signal, Word, mux};

pub fn shl(gates: &mut Aig, word: &[Signal], amount: &[Signal]) -> Word {
    by_stages(gates, word, amount, Signal::FALSE, shl_by)
}

pub fn lshr(gates: &mut Aig, word: &[Signal], amount: &[Signal]) -> Word {
    by_stages(gates, word, amount, Signal::FALSE, lshr_by)
}

pub fn ashr(gates: &mut Aig, word: &[Signal], amount: &[Signal]) -> Word {
    let sign = word.last().copied().unwrap_or(Signal::FALSE);
    by_stages(gates, word, amount, sign, ashr_by)
}

pub fn shl_by(word: &[Signal], amount: usize) -> Word {
    let kept = word.len().saturating_sub(amount);
    let mut shifted = vec![Signal::FALSE; word.len() - kept];
    shifted.extend_from_slice(&word[..kept]);
    shifted
}

pub fn lshr_by(word: &[Signal], amount: usize) -> Word {
    shift_down(word, amount, Signal::FALSE)
}

pub fn ashr_by(word: &[Signal], amount: usize) -> Word {
    let sign = word.last().copied().unwrap_or(Signal::FALSE);
    shift_down(word, amount, sign)
}

fn shift_down(word: &[Signal], amount: usize, fill: Signal) -> Word {
    let mut shifted = word[amount.min(word.len())..].to_vec();
    shifted.resize(word.len(), fill);
    shifted
}

/// Stage `k` shifts by `2^k` if bit `k` of the amount says so; an amount bit of the width or more
/// shifts everything out.
fn by_stages(
    gates: &mut Aig,
    word: &[Signal],
    amount: &[Signal],
    fill: Signal,
    shift: fn(&[Signal], usize) -> Word,
) -> Word {
    let mut shifted = word.to_vec();
    let mut rest = amount;
    let mut distance = 1;
    while let Some((&bit, higher)) = rest.split_first()
        && distance < word.len()
    {
        let moved = shift(&shifted, distance);
        shifted = mux(gates, bit, &moved, &shifted);
        rest = higher;
        distance *= 2;
    }
    let beyond = gates.or_all(rest);
    let out = vec![fill; word.len()];
    mux(gates, beyond, &out, &shifted)
}
