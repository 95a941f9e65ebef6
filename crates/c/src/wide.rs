//! C's operators on integers of 64 bits, each held as two words of 32: the low one, and the high one with the sign.
//!
//! Everything is computed modulo `2^64` by the operators that words have; carries are unsigned comparisons. Division is
//! done digit by digit where the divisor is a small constant, and bit by bit elsewhere (Knuth, The Art of Computer
//! Programming, volume 2, section 4.3.1).

use super::ast::BinaryOperator;
use super::types::Integer;
use super::words::{self, Scratch, unsigned};
use redoubt_program::expr::{BinaryOp, ExprId, Exprs, UnaryOp};

/// The low word, and the high one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub low: ExprId,
    pub high: ExprId,
}

/// The result of an operator: a number again, or a truth value.
pub enum Outcome {
    Pair(Pair),
    Truth(ExprId),
}

impl Pair {
    pub fn known(value: i128, exprs: &mut Exprs) -> Pair {
        Pair { low: exprs.int(value as i32), high: exprs.int((value >> 32) as i32) }
    }

    /// A word of a smaller type, extended as its sign says.
    pub fn extended(word: ExprId, ty: Integer, exprs: &mut Exprs) -> Pair {
        let high = if ty.signed {
            let amount = exprs.int(31);
            exprs.binary(BinaryOp::ShiftRight, word, amount)
        } else {
            exprs.int(0)
        };
        Pair { low: word, high }
    }

    /// Whether it is not 0.
    pub fn to_truth(self, exprs: &mut Exprs) -> ExprId {
        let (all, zero) = (exprs.binary(BinaryOp::BitOr, self.low, self.high), exprs.int(0));
        let is_zero = exprs.eq(all, zero);
        exprs.not(is_zero)
    }

    pub fn complement(self, exprs: &mut Exprs) -> Pair {
        Pair { low: exprs.unary(UnaryOp::BitNot, self.low), high: exprs.unary(UnaryOp::BitNot, self.high) }
    }

    pub fn negate(self, exprs: &mut Exprs) -> Pair {
        let zero = Pair::known(0, exprs);
        subtract(zero, self, exprs)
    }

    pub fn choose(condition: ExprId, then: Pair, otherwise: Pair, exprs: &mut Exprs) -> Pair {
        let low = exprs.ite(condition, then.low, otherwise.low);
        Pair { low, high: exprs.ite(condition, then.high, otherwise.high) }
    }

    fn is_negative(self, exprs: &mut Exprs) -> ExprId {
        let zero = exprs.int(0);
        exprs.binary(BinaryOp::Less, self.high, zero)
    }

    fn each(op: BinaryOp, a: Pair, b: Pair, exprs: &mut Exprs) -> Pair {
        Pair { low: exprs.binary(op, a.low, b.low), high: exprs.binary(op, a.high, b.high) }
    }
}

/// An operator on two numbers of one type of 64 bits. A constant on the right is given as such, too; divisors have been
/// looked at before. Shifts are elsewhere.
pub fn binary(
    op: BinaryOperator,
    a: Pair,
    b: Pair,
    known: Option<i128>,
    ty: Integer,
    scratch: &mut impl Scratch,
) -> Option<Outcome> {
    use BinaryOperator as Op;
    if let Op::Divide | Op::Remainder = op {
        let (quotient, rest) = divide(a, b, known, ty, scratch);
        return Some(Outcome::Pair(if op == Op::Divide { quotient } else { rest }));
    }
    let exprs = scratch.exprs();
    Some(Outcome::Pair(match op {
        Op::Add => add(a, b, exprs),
        Op::Subtract => subtract(a, b, exprs),
        Op::Multiply => multiply(a, b, exprs),
        Op::BitAnd => Pair::each(BinaryOp::BitAnd, a, b, exprs),
        Op::BitOr => Pair::each(BinaryOp::BitOr, a, b, exprs),
        Op::BitXor => Pair::each(BinaryOp::BitXor, a, b, exprs),
        Op::Equal => return Some(Outcome::Truth(equal(a, b, exprs))),
        Op::NotEqual => {
            let equal = equal(a, b, exprs);
            return Some(Outcome::Truth(exprs.not(equal)));
        }
        Op::Less => return Some(Outcome::Truth(less(a, b, ty, exprs))),
        Op::Greater => return Some(Outcome::Truth(less(b, a, ty, exprs))),
        Op::LessEqual => {
            let less = less(b, a, ty, exprs);
            return Some(Outcome::Truth(exprs.not(less)));
        }
        Op::GreaterEqual => {
            let less = less(a, b, ty, exprs);
            return Some(Outcome::Truth(exprs.not(less)));
        }
        Op::Divide | Op::Remainder | Op::ShiftLeft | Op::ShiftRight => return None,
    }))
}

fn add(a: Pair, b: Pair, exprs: &mut Exprs) -> Pair {
    let low = exprs.binary(BinaryOp::Add, a.low, b.low);
    let carries = unsigned(BinaryOp::Less, low, a.low, exprs);
    let carry = exprs.unary(UnaryOp::ToInt, carries);
    let high = exprs.binary(BinaryOp::Add, a.high, b.high);
    Pair { low, high: exprs.binary(BinaryOp::Add, high, carry) }
}

fn subtract(a: Pair, b: Pair, exprs: &mut Exprs) -> Pair {
    let borrows = unsigned(BinaryOp::Less, a.low, b.low, exprs);
    let borrow = exprs.unary(UnaryOp::ToInt, borrows);
    let high = exprs.binary(BinaryOp::Sub, a.high, b.high);
    Pair { low: exprs.binary(BinaryOp::Sub, a.low, b.low), high: exprs.binary(BinaryOp::Sub, high, borrow) }
}

fn equal(a: Pair, b: Pair, exprs: &mut Exprs) -> ExprId {
    let (low, high) = (exprs.eq(a.low, b.low), exprs.eq(a.high, b.high));
    exprs.and(low, high)
}

fn less(a: Pair, b: Pair, ty: Integer, exprs: &mut Exprs) -> ExprId {
    let above = if ty.signed {
        exprs.binary(BinaryOp::Less, a.high, b.high)
    } else {
        unsigned(BinaryOp::Less, a.high, b.high, exprs)
    };
    let (same, below) = (exprs.eq(a.high, b.high), unsigned(BinaryOp::Less, a.low, b.low, exprs));
    let below = exprs.and(same, below);
    exprs.or(above, below)
}

/// The low halves are multiplied as numbers of 16 bits each; of the other products only the low words count.
fn multiply(a: Pair, b: Pair, exprs: &mut Exprs) -> Pair {
    let (mask, amount) = (exprs.int(0xffff), exprs.int(16));
    let mut halves = |word: ExprId| {
        let high = words::logical_shift(word, amount, exprs);
        (exprs.binary(BinaryOp::BitAnd, word, mask), high)
    };
    let ((a_low, a_high), (b_low, b_high)) = (halves(a.low), halves(b.low));
    let low_low = exprs.binary(BinaryOp::Mul, a_low, b_low);
    let high_low = exprs.binary(BinaryOp::Mul, a_high, b_low);
    let low_high = exprs.binary(BinaryOp::Mul, a_low, b_high);
    let high_high = exprs.binary(BinaryOp::Mul, a_high, b_high);
    // None of these sums exceeds a word.
    let carried = words::logical_shift(low_low, amount, exprs);
    let middle = exprs.binary(BinaryOp::Add, high_low, carried);
    let low_of_middle = exprs.binary(BinaryOp::BitAnd, middle, mask);
    let other = exprs.binary(BinaryOp::Add, low_high, low_of_middle);
    let (middle, other) = (words::logical_shift(middle, amount, exprs), words::logical_shift(other, amount, exprs));
    let mut high = exprs.binary(BinaryOp::Add, high_high, middle);
    high = exprs.binary(BinaryOp::Add, high, other);
    for (x, y) in [(a.low, b.high), (a.high, b.low)] {
        let product = exprs.binary(BinaryOp::Mul, x, y);
        high = exprs.binary(BinaryOp::Add, high, product);
    }
    Pair { low: exprs.binary(BinaryOp::Mul, a.low, b.low), high }
}

/// A shift by an amount from 0 to 63.
pub fn shift(op: BinaryOperator, a: Pair, amount: ExprId, ty: Integer, exprs: &mut Exprs) -> Pair {
    let (thirty_one, thirty_two, one) = (exprs.int(31), exprs.int(32), exprs.int(1));
    let few = exprs.binary(BinaryOp::BitAnd, amount, thirty_one);
    let rest = exprs.binary(BinaryOp::Sub, thirty_one, few);
    let is_far = exprs.binary(BinaryOp::LessEq, thirty_two, amount);
    if op == BinaryOperator::ShiftLeft {
        // The bits that cross over are shifted by one first, since 32 is too much for one shift.
        let half = words::logical_shift(a.low, one, exprs);
        let over = words::logical_shift(half, rest, exprs);
        let (low, high) =
            (exprs.binary(BinaryOp::ShiftLeft, a.low, few), exprs.binary(BinaryOp::ShiftLeft, a.high, few));
        let near = exprs.binary(BinaryOp::BitOr, high, over);
        let zero = exprs.int(0);
        return Pair { low: exprs.ite(is_far, zero, low), high: exprs.ite(is_far, low, near) };
    }
    let doubled = exprs.binary(BinaryOp::ShiftLeft, a.high, one);
    let over = exprs.binary(BinaryOp::ShiftLeft, doubled, rest);
    let low = words::logical_shift(a.low, few, exprs);
    let near = exprs.binary(BinaryOp::BitOr, low, over);
    let (high, fill) = if ty.signed {
        (exprs.binary(BinaryOp::ShiftRight, a.high, few), exprs.binary(BinaryOp::ShiftRight, a.high, thirty_one))
    } else {
        (words::logical_shift(a.high, few, exprs), exprs.int(0))
    };
    Pair { low: exprs.ite(is_far, high, near), high: exprs.ite(is_far, fill, high) }
}

/// Quotient and remainder; signed ones are those of the sizes, with the signs that C wants.
fn divide(a: Pair, b: Pair, known: Option<i128>, ty: Integer, scratch: &mut impl Scratch) -> (Pair, Pair) {
    if !ty.signed {
        return divide_unsigned(a, b, known, scratch);
    }
    let exprs = scratch.exprs();
    let (a_is_negative, b_is_negative) = (a.is_negative(exprs), b.is_negative(exprs));
    let mut size = |pair: Pair, is_negative: ExprId| {
        let exprs = scratch.exprs();
        let negated = pair.negate(exprs);
        let size = Pair::choose(is_negative, negated, pair, exprs);
        scratch.keep_pair(size)
    };
    let (a_size, b_size) = (size(a, a_is_negative), size(b, b_is_negative));
    let (quotient, rest) = divide_unsigned(a_size, b_size, known.map(i128::abs), scratch);
    let (quotient, rest) = (scratch.keep_pair(quotient), scratch.keep_pair(rest));
    let exprs = scratch.exprs();
    let same = exprs.eq(a_is_negative, b_is_negative);
    let (minus_quotient, minus_rest) = (quotient.negate(exprs), rest.negate(exprs));
    let quotient = Pair::choose(same, quotient, minus_quotient, exprs);
    (quotient, Pair::choose(a_is_negative, minus_rest, rest, exprs))
}

fn divide_unsigned(a: Pair, b: Pair, known: Option<i128>, scratch: &mut impl Scratch) -> (Pair, Pair) {
    match known {
        Some(power) if power > 0 && power & (power - 1) == 0 => {
            let exprs = scratch.exprs();
            let amount = exprs.int(power.trailing_zeros() as i32);
            let quotient = shift(BinaryOperator::ShiftRight, a, amount, Integer::ULONG_LONG, exprs);
            let mask = Pair::known(power - 1, exprs);
            (quotient, Pair::each(BinaryOp::BitAnd, a, mask, exprs))
        }
        Some(digit) if (1..1 << 16).contains(&digit) => divide_by_digit(a, digit, scratch),
        _ => divide_bitwise(a, b, scratch),
    }
}

/// Four digits of 16 bits, the highest first: each with the rest before it makes less than `2^32`.
fn divide_by_digit(a: Pair, divisor: i128, scratch: &mut impl Scratch) -> (Pair, Pair) {
    let exprs = scratch.exprs();
    let (mask, amount, by) = (exprs.int(0xffff), exprs.int(16), exprs.int(divisor as i32));
    let zero = exprs.int(0);
    let mut rest = zero;
    let mut divide_word = |word: ExprId| {
        let mut quotient = zero;
        for is_high in [true, false] {
            let exprs = scratch.exprs();
            let digit = if is_high {
                words::logical_shift(word, amount, exprs)
            } else {
                exprs.binary(BinaryOp::BitAnd, word, mask)
            };
            let above = exprs.binary(BinaryOp::ShiftLeft, rest, amount);
            let number = exprs.binary(BinaryOp::BitOr, above, digit);
            let (digit, left) = words::divide(number, by, Some(divisor), scratch);
            let exprs = scratch.exprs();
            let above = exprs.binary(BinaryOp::ShiftLeft, quotient, amount);
            quotient = exprs.binary(BinaryOp::BitOr, above, digit);
            rest = left;
        }
        quotient
    };
    let (high, low) = (divide_word(a.high), divide_word(a.low));
    (Pair { low, high }, Pair { low: rest, high: zero })
}

/// Long division in base 2. A divisor of 0 gives something, after the check that ends the run.
fn divide_bitwise(a: Pair, b: Pair, scratch: &mut impl Scratch) -> (Pair, Pair) {
    let mut rest = Pair::known(0, scratch.exprs());
    let mut divide_word = |word: ExprId| {
        let mut quotient = scratch.exprs().int(0);
        for bit in (0..32).rev() {
            let (digit, left) = next_digit(rest, word, bit, b, scratch);
            rest = left;
            let exprs = scratch.exprs();
            let amount = exprs.int(bit);
            let digit = exprs.binary(BinaryOp::ShiftLeft, digit, amount);
            quotient = exprs.binary(BinaryOp::BitOr, quotient, digit);
        }
        quotient
    };
    let (high, low) = (divide_word(a.high), divide_word(a.low));
    (Pair { low, high }, rest)
}

/// One digit of the quotient: the rest with one more bit of the dividend, and how often the divisor goes into that.
fn next_digit(rest: Pair, word: ExprId, bit: i32, divisor: Pair, scratch: &mut impl Scratch) -> (ExprId, Pair) {
    let exprs = scratch.exprs();
    let (zero, one, thirty_one) = (exprs.int(0), exprs.int(1), exprs.int(31));
    // The bit that doubling the rest loses makes it larger than any divisor.
    let overflows = rest.is_negative(exprs);
    let carry = words::logical_shift(rest.low, thirty_one, exprs);
    let (low, high) =
        (exprs.binary(BinaryOp::ShiftLeft, rest.low, one), exprs.binary(BinaryOp::ShiftLeft, rest.high, one));
    let amount = exprs.int(bit);
    let shifted = words::logical_shift(word, amount, exprs);
    let next = exprs.binary(BinaryOp::BitAnd, shifted, one);
    let doubled =
        Pair { low: exprs.binary(BinaryOp::BitOr, low, next), high: exprs.binary(BinaryOp::BitOr, high, carry) };
    let below = less(doubled, divisor, Integer::ULONG_LONG, exprs);
    let fits = exprs.not(below);
    let goes_in = exprs.or(overflows, fits);
    let digit = exprs.unary(UnaryOp::ToInt, goes_in);
    let digit = scratch.keep(digit);
    let exprs = scratch.exprs();
    let is_zero = exprs.eq(digit, zero);
    let less_it = subtract(doubled, divisor, exprs);
    let rest = Pair::choose(is_zero, doubled, less_it, exprs);
    (digit, scratch.keep_pair(rest))
}
