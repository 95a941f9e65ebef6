//! Division and remainder of signed words, truncating toward zero as C does.
//!
//! Total meanings where C has none: `MIN / -1 = MIN` and `MIN % -1 = 0` (the wrap), `x / 0 = 0` and
//! `x % 0 = x`, which keeps `x = (x / y) * y + x % y` true for all operands.

use super::add::{full_adder, negate_if};
use super::divide_by_constant::{divrem_by_constant, rem_by_constant};
use super::{Aig, Signal, Word, as_constant, is_nonzero, masked, mux, resize, sign_extend, significant};

/// Quotient and remainder, which share all but their signs: a caller that needs both asks once.
pub fn divrem(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> (Word, Word) {
    assert_eq!(a.len(), b.len(), "operands have the same width");
    // One bit more than the operands need, for -(-2^k) = 2^k.
    let width = (significant(a).max(significant(b)) + 1).min(a.len());
    let (short_a, short_b) = (&a[..width], &b[..width]);
    let (quotient, remainder) = match as_constant(short_b) {
        Some(divisor) => divrem_by_constant(gates, short_a, divisor),
        None => divrem_variables(gates, short_a, short_b),
    };
    (sign_extend(&quotient, a.len()), sign_extend(&remainder, a.len()))
}

pub fn div(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    divrem(gates, a, b).0
}

/// The remainder alone, which for a constant divisor can be much smaller than a division.
pub fn rem(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    assert_eq!(a.len(), b.len(), "operands have the same width");
    let width = significant(a).max(significant(b));
    match as_constant(&b[..width]) {
        Some(divisor) => resize(&rem_by_constant(gates, &a[..width], divisor), a.len()),
        None => divrem(gates, a, b).1,
    }
}

fn divrem_variables(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> (Word, Word) {
    let sign = |word: &[Signal]| word.last().copied().unwrap_or(Signal::FALSE);
    let (sign_a, sign_b) = (sign(a), sign(b));
    let dividend = negate_if(gates, sign_a, a);
    let divisor = negate_if(gates, sign_b, b);
    let (quotient, remainder) = unsigned_divrem(gates, &dividend, &divisor);
    let defined = is_nonzero(gates, b);
    let quotient = masked(gates, &quotient, defined);
    let opposite = gates.xor(sign_a, sign_b);
    let quotient = negate_if(gates, opposite, &quotient);
    (quotient, negate_if(gates, sign_a, &remainder))
}

/// Restoring division: the remainder takes in the dividend's bits from the top; whenever it has
/// reached the divisor, it loses it and the quotient gets a one.
///
/// After `k` bits the remainder is below `2^k`, so it is compared with the divisor's low `k` bits
/// only, and a divisor with a one above those is too large: half the subtractor of the textbook array.
fn unsigned_divrem(gates: &mut Aig, dividend: &[Signal], divisor: &[Signal]) -> (Word, Word) {
    let width = dividend.len();
    let mut quotient = vec![Signal::FALSE; width];
    let mut remainder = Word::new();
    // small[k]: the divisor is below 2^k.
    let mut small = vec![Signal::TRUE; width + 1];
    for bit in (0..width).rev() {
        small[bit] = gates.and(small[bit + 1], !divisor[bit]);
    }
    for bit in (0..width).rev() {
        remainder.insert(0, dividend[bit]);
        let taken = remainder.len();
        let mut difference = Word::with_capacity(taken);
        let mut no_borrow = Signal::TRUE;
        for (&x, &y) in remainder.iter().zip(divisor) {
            let (low, carry) = full_adder(gates, x, !y, no_borrow);
            difference.push(low);
            no_borrow = carry;
        }
        quotient[bit] = gates.and(small[taken], no_borrow);
        remainder = mux(gates, quotient[bit], &difference, &remainder);
    }
    (quotient, remainder)
}
