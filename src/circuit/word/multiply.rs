//! Multiplication, truncated to the operands' width.
//!
//! By a constant: one addition or subtraction per digit of the constant's non-adjacent form (Reitwiesner
//! 1960), which has the fewest non-zero digits of all signed binary forms. Of two variables: the
//! partial products, reduced column by column (Dadda 1965).

use std::collections::VecDeque;

use super::add::full_adder;
use super::{Aig, Signal, Word, add, as_constant, neg, shl_by, sign_extend, significant, sub};

pub fn mul(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    assert_eq!(a.len(), b.len(), "operands have the same width");
    let width = (significant(a) + significant(b)).min(a.len());
    let (short_a, short_b) = (&a[..width], &b[..width]);
    let product = if let Some(factor) = as_constant(short_a) {
        mul_by_constant(gates, short_b, factor)
    } else if let Some(factor) = as_constant(short_b) {
        mul_by_constant(gates, short_a, factor)
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
        product = if negative {
            sub(gates, &product, &term)
        } else {
            add(gates, &product, &term)
        };
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
            rest = if negative {
                rest.wrapping_add(1)
            } else {
                rest - 1
            };
        }
        rest >>= 1;
    }
    digits
}

/// Signed operands of few significant bits, without sign-extending them (Baugh and Wooley 1973): a
/// sign bit has negative weight, and `-x * 2^k` is `!x * 2^k - 2^k`; the constants are added up apart.
fn mul_variables(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    let width = a.len();
    let (a, b) = (&a[..significant(a)], &b[..significant(b)]);
    let mut columns = vec![VecDeque::new(); width];
    let mut correction = vec![Signal::FALSE; width];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate().take(width - i) {
            let product = gates.and(x, y);
            if product == Signal::FALSE {
                continue;
            }
            let weight = i + j;
            // In the top column the sign is lost in the wrap.
            let negative = (i + 1 == a.len()) != (j + 1 == b.len()) && weight + 1 < width;
            columns[weight].push_back(product.complement_if(negative));
            if negative {
                let mut unit = vec![Signal::FALSE; width];
                unit[weight] = Signal::TRUE;
                correction = sub(gates, &correction, &unit);
            }
        }
    }
    for (column, &bit) in columns.iter_mut().zip(&correction) {
        column.push_back(bit);
    }
    sum_columns(gates, columns)
}

/// The sum of bits that are sorted by weight; carries out of the last column are dropped.
pub(super) fn sum_columns(gates: &mut Aig, mut columns: Vec<VecDeque<Signal>>) -> Word {
    let mut sum = Word::with_capacity(columns.len());
    for index in 0..columns.len() {
        let mut column = std::mem::take(&mut columns[index]);
        column.retain(|&bit| bit != Signal::FALSE);
        while column.len() > 1 {
            let mut take = || column.pop_front().unwrap_or(Signal::FALSE);
            let (a, b, c) = (take(), take(), take());
            match columns.get_mut(index + 1) {
                Some(next) => {
                    let (low, high) = full_adder(gates, a, b, c);
                    column.push_back(low);
                    next.push_back(high);
                }
                None => {
                    let half = gates.xor(a, b);
                    column.push_back(gates.xor(half, c));
                }
            }
        }
        sum.push(column.pop_front().unwrap_or(Signal::FALSE));
    }
    sum
}
