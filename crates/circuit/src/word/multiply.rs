//! Multiplication, truncated to the operands' width.
//!
//! By a constant: one addition or subtraction per digit of the constant's non-adjacent form (Reitwiesner
//! 1960), which has the fewest non-zero digits of all signed binary forms. Of two variables: the
//! partial products, added up column by column.

use super::columns::Columns;
use super::{Aig, Signal, Word, add, as_constant, neg, shl_by, sign_extend, significant, sub};

pub fn mul(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    assert_eq!(a.len(), b.len(), "operands have the same width");
    let width = (significant(a) + significant(b)).min(a.len());
    let (short_a, short_b) = (&a[..width], &b[..width]);
    let product = if let Some(factor) = as_constant(short_a) {
        mul_by_constant(gates, short_b, factor)
    } else if let Some(factor) = as_constant(short_b) {
        mul_by_constant(gates, short_a, factor)
    } else if short_a == short_b {
        square(gates, short_a)
    } else {
        mul_variables(gates, short_a, short_b)
    };
    sign_extend(&product, a.len())
}

fn mul_by_constant(gates: &mut Aig, word: &[Signal], factor: i64) -> Word {
    // From the lowest digit up, so that each addition leaves the bits below its digit alone.
    let mut digits = non_adjacent_form(factor, word.len()).into_iter();
    let Some((shift, negative)) = digits.next() else {
        return vec![Signal::FALSE; word.len()];
    };
    let mut product = shl_by(word, shift);
    if negative {
        // A positive digit to start from saves the negation.
        let Some((other, false)) = digits.next() else {
            return mul_negative(gates, word, factor);
        };
        product = sub(gates, &shl_by(word, other), &product);
    }
    for (shift, negative) in digits {
        let term = shl_by(word, shift);
        product = if negative { sub(gates, &product, &term) } else { add(gates, &product, &term) };
    }
    product
}

fn mul_negative(gates: &mut Aig, word: &[Signal], factor: i64) -> Word {
    let positive = mul_by_constant(gates, word, factor.wrapping_neg());
    neg(gates, &positive)
}

/// The digits `±2^k` of a factor modulo `2^width`, by rising `k`; true for negative ones.
pub(super) fn non_adjacent_form(factor: i64, width: usize) -> Vec<(usize, bool)> {
    let mut rest = factor;
    let mut digits = Vec::new();
    for shift in 0..width {
        if rest & 1 == 1 {
            // The top digit's sign is lost in the wrap; positive is cheaper.
            let negative = rest & 3 == 3 && shift + 1 < width;
            digits.push((shift, negative));
            rest = if negative { rest.wrapping_add(1) } else { rest - 1 };
        }
        rest >>= 1;
    }
    digits
}

/// The sum of all products of a bit of `a` and a bit of `b`. Operands are not sign-extended for it: a sign bit
/// has negative weight (Baugh and Wooley 1973).
fn mul_variables(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    let width = a.len();
    let mut columns = Columns::new(width);
    let (a, b) = (&a[..significant(a)], &b[..significant(b)]);
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate().take(width - i) {
            let product = gates.and(x, y);
            if (i + 1 == a.len()) != (j + 1 == b.len()) {
                columns.subtract(product, i + j);
            } else {
                columns.add(product, i + j);
            }
        }
    }
    columns.sum(gates)
}

/// A product of equal operands has each mixed product of bits twice: once, with twice the weight.
fn square(gates: &mut Aig, a: &[Signal]) -> Word {
    let width = a.len();
    let mut columns = Columns::new(width);
    let a = &a[..significant(a)];
    for (i, &x) in a.iter().enumerate() {
        // Products above the width are unused.
        for (j, &y) in a[..i].iter().enumerate().take(width - i - 1) {
            let product = gates.and(x, y);
            if i + 1 == a.len() {
                columns.subtract(product, i + j + 1);
            } else {
                columns.add(product, i + j + 1);
            }
        }
        columns.add(x, 2 * i);
    }
    columns.sum(gates)
}
