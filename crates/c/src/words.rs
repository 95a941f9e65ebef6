//! C's operators on integers of all types, written with the operators that programs have: those on signed words of 32
//! bits.
//!
//! A value of a smaller type is held as the number that it is, in a word; a value of an unsigned word as the signed
//! word with the same bits. So a conversion to a wider type does nothing, one to a smaller type is a pair of shifts or a
//! mask, and unsigned comparisons are signed ones behind an offset. Numbers of 64 bits are pairs of words (`wide`).

use super::ast::BinaryOperator;
use super::types::Integer;
use super::wide::{self, Outcome, Pair};
use redoubt_program::expr::{BinaryOp, ExprId, Exprs, UnaryOp};

/// An integer.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub value: Repr,
    pub ty: Integer,
}

#[derive(Clone, Copy, Debug)]
pub enum Repr {
    /// A constant, in the range of its type.
    Known(i128),
    Word(ExprId),
    /// A truth value that stands for 0 or 1.
    Truth(ExprId),
    /// All that has 64 bits and is no constant.
    Pair(Pair),
}

/// An operation on one word takes two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooWide;

pub type Computed = Result<Number, TooWide>;

/// The builder of an operator's expressions.
///
/// Many evaluators walk over an expression as if it were a tree. A large operand that is read several times is handed
/// to [`Scratch::keep`], which may put it into a variable of its own.
pub trait Scratch {
    fn exprs(&mut self) -> &mut Exprs;

    /// A word with the same value, which is read as often as one likes.
    fn keep(&mut self, word: ExprId) -> ExprId;

    fn keep_pair(&mut self, pair: Pair) -> Pair {
        Pair { low: self.keep(pair.low), high: self.keep(pair.high) }
    }
}

/// Expressions on their own have no variables to keep anything in.
impl Scratch for Exprs {
    fn exprs(&mut self) -> &mut Exprs {
        self
    }

    fn keep(&mut self, word: ExprId) -> ExprId {
        word
    }
}

impl Number {
    pub fn known(value: i128, ty: Integer) -> Number {
        Number { value: Repr::Known(ty.wrap(value)), ty }
    }

    pub fn word(word: ExprId, ty: Integer) -> Number {
        Number { value: Repr::Word(word), ty }
    }

    pub fn pair(pair: Pair, ty: Integer) -> Number {
        Number { value: Repr::Pair(pair), ty }
    }

    pub fn truth(truth: ExprId, exprs: &Exprs) -> Number {
        match exprs.as_bool(truth) {
            Some(value) => Number::known(i128::from(value), Integer::INT),
            None => Number { value: Repr::Truth(truth), ty: Integer::INT },
        }
    }

    pub fn as_known(self) -> Option<i128> {
        match self.value {
            Repr::Known(value) => Some(value),
            Repr::Word(_) | Repr::Truth(_) | Repr::Pair(_) => None,
        }
    }

    /// The words that hold it in a type of 64 bits.
    pub fn to_pair(self, exprs: &mut Exprs) -> Pair {
        match self.value {
            Repr::Known(value) => Pair::known(value, exprs),
            Repr::Pair(pair) => pair,
            Repr::Word(word) => Pair::extended(word, self.ty, exprs),
            Repr::Truth(truth) => {
                let word = exprs.unary(UnaryOp::ToInt, truth);
                Pair::extended(word, Integer::BOOL, exprs)
            }
        }
    }

    /// The word that holds it.
    pub fn to_word(self, exprs: &mut Exprs) -> Result<ExprId, TooWide> {
        match self.value {
            _ if self.ty.bits > 32 => Err(TooWide),
            Repr::Known(value) => Ok(exprs.int(Integer::INT.wrap(value) as i32)),
            Repr::Word(word) => Ok(word),
            Repr::Truth(truth) => Ok(exprs.unary(UnaryOp::ToInt, truth)),
            Repr::Pair(_) => Err(TooWide),
        }
    }

    /// Whether it is not 0.
    pub fn to_truth(self, exprs: &mut Exprs) -> ExprId {
        match self.value {
            Repr::Known(value) => exprs.bool(value != 0),
            Repr::Truth(truth) => truth,
            Repr::Pair(pair) => pair.to_truth(exprs),
            Repr::Word(word) => {
                let zero = exprs.int(0);
                let is_zero = exprs.eq(word, zero);
                exprs.not(is_zero)
            }
        }
    }

    pub fn convert(self, ty: Integer, exprs: &mut Exprs) -> Number {
        let value = match self.value {
            Repr::Known(value) => return Number::known(value, ty),
            _ if ty == Integer::BOOL => Repr::Truth(self.to_truth(exprs)),
            _ if ty.bits > 32 => Repr::Pair(self.to_pair(exprs)),
            Repr::Truth(truth) if ty.includes(Integer::BOOL) => Repr::Truth(truth),
            Repr::Truth(truth) => {
                let word = exprs.unary(UnaryOp::ToInt, truth);
                Repr::Word(narrowed(word, ty, exprs))
            }
            Repr::Word(word) if ty.bits == 32 || ty.includes(self.ty) => Repr::Word(word),
            Repr::Pair(pair) if ty.bits == 32 => Repr::Word(pair.low),
            Repr::Word(word) | Repr::Pair(Pair { low: word, .. }) => Repr::Word(narrowed(word, ty, exprs)),
        };
        Number { value, ty }
    }

    pub fn negate(self, exprs: &mut Exprs) -> Computed {
        let ty = self.ty.promoted();
        Ok(match self.value {
            Repr::Known(value) => Number::known(-value, ty),
            Repr::Pair(pair) => Number::pair(pair.negate(exprs), ty),
            Repr::Word(_) | Repr::Truth(_) => Number::word(unary_word(UnaryOp::Negate, self, exprs)?, ty),
        })
    }

    pub fn complement(self, exprs: &mut Exprs) -> Computed {
        let ty = self.ty.promoted();
        Ok(match self.value {
            Repr::Known(value) => Number::known(!value, ty),
            Repr::Pair(pair) => Number::pair(pair.complement(exprs), ty),
            Repr::Word(_) | Repr::Truth(_) => Number::word(unary_word(UnaryOp::BitNot, self, exprs)?, ty),
        })
    }
}

fn unary_word(op: UnaryOp, number: Number, exprs: &mut Exprs) -> Result<ExprId, TooWide> {
    let word = number.to_word(exprs)?;
    Ok(exprs.unary(op, word))
}

/// The low bits of a word as a number of a smaller type.
fn narrowed(word: ExprId, ty: Integer, exprs: &mut Exprs) -> ExprId {
    if !ty.signed {
        let mask = exprs.int(ty.high() as i32);
        return exprs.binary(BinaryOp::BitAnd, word, mask);
    }
    let amount = exprs.int(32 - ty.bits as i32);
    let high = exprs.binary(BinaryOp::ShiftLeft, word, amount);
    exprs.binary(BinaryOp::ShiftRight, high, amount)
}

/// An operator on two integers of any types. Divisors and amounts have been looked at before.
pub fn binary(op: BinaryOperator, a: Number, b: Number, scratch: &mut impl Scratch) -> Computed {
    use BinaryOperator as Op;
    let exprs = scratch.exprs();
    let is_shift = matches!(op, Op::ShiftLeft | Op::ShiftRight);
    let ty = if is_shift { a.ty.promoted() } else { a.ty.common(b.ty) };
    let (a, b) = match (a.as_known(), b.as_known()) {
        (Some(a), Some(b)) => {
            let b = if is_shift { b } else { ty.wrap(b) };
            return Ok(fold(op, ty.wrap(a), b, ty));
        }
        (_, known) if ty.bits > 32 && is_shift => {
            // The amount's own type does not matter.
            let amount = match known {
                Some(known) => exprs.int(known as i32),
                None => b.convert(Integer::INT, exprs).to_word(exprs)?,
            };
            let pair = a.convert(ty, exprs).to_pair(exprs);
            let (pair, amount) = (scratch.keep_pair(pair), scratch.keep(amount));
            return Ok(Number::pair(wide::shift(op, pair, amount, ty, scratch.exprs()), ty));
        }
        (a_known, b_known) if ty.bits > 32 => {
            let with_word = match (a_known, b_known) {
                (None, Some(known)) => with_wide(op, a, known, ty, exprs),
                (Some(known), None) => with_wide(mirrored(op), b, known, ty, exprs),
                _ => None,
            };
            return match with_word {
                Some(number) => Ok(number),
                None => pairs(op, a, b, ty, scratch).ok_or(TooWide),
            };
        }
        _ if is_shift => (a.convert(ty, exprs), b.convert(Integer::INT, exprs)),
        _ => (a.convert(ty, exprs), b.convert(ty, exprs)),
    };
    let known = b.as_known();
    let (a, b) = (a.to_word(exprs)?, b.to_word(exprs)?);
    let word = match op {
        Op::Add => exprs.binary(BinaryOp::Add, a, b),
        Op::Subtract => exprs.binary(BinaryOp::Sub, a, b),
        Op::Multiply => exprs.binary(BinaryOp::Mul, a, b),
        Op::BitAnd => exprs.binary(BinaryOp::BitAnd, a, b),
        Op::BitOr => exprs.binary(BinaryOp::BitOr, a, b),
        Op::BitXor => exprs.binary(BinaryOp::BitXor, a, b),
        Op::ShiftLeft => exprs.binary(BinaryOp::ShiftLeft, a, b),
        Op::ShiftRight if ty.signed => exprs.binary(BinaryOp::ShiftRight, a, b),
        Op::ShiftRight => logical_shift(a, b, exprs),
        Op::Divide if ty.signed => exprs.binary(BinaryOp::Div, a, b),
        Op::Remainder if ty.signed => exprs.binary(BinaryOp::Rem, a, b),
        Op::Divide => divide(a, b, known, scratch).0,
        Op::Remainder => divide(a, b, known, scratch).1,
        Op::Equal => return Ok(Number::truth(exprs.eq(a, b), exprs)),
        Op::NotEqual => {
            let equal = exprs.eq(a, b);
            return Ok(Number::truth(exprs.not(equal), exprs));
        }
        Op::Less => return Ok(Number::truth(compare(BinaryOp::Less, a, b, ty, exprs), exprs)),
        Op::LessEqual => return Ok(Number::truth(compare(BinaryOp::LessEq, a, b, ty, exprs), exprs)),
        Op::Greater => return Ok(Number::truth(compare(BinaryOp::Less, b, a, ty, exprs), exprs)),
        Op::GreaterEqual => return Ok(Number::truth(compare(BinaryOp::LessEq, b, a, ty, exprs), exprs)),
    };
    Ok(Number::word(word, ty))
}

fn pairs(op: BinaryOperator, a: Number, b: Number, ty: Integer, scratch: &mut impl Scratch) -> Option<Number> {
    let exprs = scratch.exprs();
    let (a, b) = (a.convert(ty, exprs), b.convert(ty, exprs));
    let known = b.as_known();
    let (a, b) = (a.to_pair(exprs), b.to_pair(exprs));
    // An operator of 64 bits reads its operands many times.
    let (a, b) = (scratch.keep_pair(a), scratch.keep_pair(b));
    Some(match wide::binary(op, a, b, known, ty, scratch)? {
        Outcome::Pair(pair) => Number::pair(pair, ty),
        Outcome::Truth(truth) => Number::truth(truth, scratch.exprs()),
    })
}

/// A comparison of a word with a constant that is too wide for one, if the word keeps its number in the wide type.
fn with_wide(op: BinaryOperator, a: Number, known: i128, ty: Integer, exprs: &mut Exprs) -> Option<Number> {
    use BinaryOperator as Op;
    let is_comparison =
        matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual);
    let narrow = a.ty.promoted();
    if !is_comparison || narrow.bits > 32 || !ty.includes(narrow) {
        return None;
    }
    let known = ty.wrap(known);
    if narrow.low() <= known && known <= narrow.high() {
        return binary(op, a, Number::known(known, narrow), exprs).ok();
    }
    // All numbers of the word lie on one side of it.
    Some(fold(op, 0, if known < 0 { -1 } else { 1 }, Integer::INT))
}

/// The comparison with its sides exchanged; other operators become one that is none.
fn mirrored(op: BinaryOperator) -> BinaryOperator {
    use BinaryOperator as Op;
    match op {
        Op::Less => Op::Greater,
        Op::LessEqual => Op::GreaterEqual,
        Op::Greater => Op::Less,
        Op::GreaterEqual => Op::LessEqual,
        Op::Equal | Op::NotEqual => op,
        _ => Op::Add,
    }
}

/// The same on constants of a type, which the result has unless it is a truth value.
fn fold(op: BinaryOperator, a: i128, b: i128, ty: Integer) -> Number {
    use BinaryOperator as Op;
    let truth = |value| Number::known(i128::from(value), Integer::INT);
    let amount = b.clamp(0, i128::from(ty.bits) - 1) as u32;
    let value = match op {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => ((a as u128).wrapping_mul(b as u128)) as i128,
        Op::Divide if b == 0 => 0,
        Op::Divide => a / b,
        Op::Remainder if b == 0 => a,
        Op::Remainder => a % b,
        Op::ShiftLeft => a << amount,
        Op::ShiftRight => a >> amount,
        Op::BitAnd => a & b,
        Op::BitOr => a | b,
        Op::BitXor => a ^ b,
        Op::Equal => return truth(a == b),
        Op::NotEqual => return truth(a != b),
        Op::Less => return truth(a < b),
        Op::LessEqual => return truth(a <= b),
        Op::Greater => return truth(a > b),
        Op::GreaterEqual => return truth(a >= b),
    };
    Number::known(value, ty)
}

fn compare(op: BinaryOp, a: ExprId, b: ExprId, ty: Integer, exprs: &mut Exprs) -> ExprId {
    if ty.signed { exprs.binary(op, a, b) } else { unsigned(op, a, b, exprs) }
}

/// An unsigned comparison: adding the lowest number turns the unsigned order into the signed one.
pub fn unsigned(op: BinaryOp, a: ExprId, b: ExprId, exprs: &mut Exprs) -> ExprId {
    let lowest = exprs.int(i32::MIN);
    let (a, b) = (exprs.binary(BinaryOp::Add, a, lowest), exprs.binary(BinaryOp::Add, b, lowest));
    exprs.binary(op, a, b)
}

/// A shift to the right that fills with zeros: the bits that an arithmetic shift fills in are masked out.
pub fn logical_shift(a: ExprId, amount: ExprId, exprs: &mut Exprs) -> ExprId {
    let (lowest, one) = (exprs.int(i32::MIN), exprs.int(1));
    let filled = exprs.binary(BinaryOp::ShiftRight, lowest, amount);
    let filled = exprs.binary(BinaryOp::ShiftLeft, filled, one);
    let mask = exprs.unary(UnaryOp::BitNot, filled);
    let shifted = exprs.binary(BinaryOp::ShiftRight, a, amount);
    exprs.binary(BinaryOp::BitAnd, shifted, mask)
}

/// Unsigned quotient and remainder by signed operators (Warren, Hacker's Delight, section 9-3).
pub fn divide(a: ExprId, b: ExprId, known: Option<i128>, scratch: &mut impl Scratch) -> (ExprId, ExprId) {
    let (a, b) = (scratch.keep(a), scratch.keep(b));
    let exprs = scratch.exprs();
    let (zero, one) = (exprs.int(0), exprs.int(1));
    if let Some(power) = known.filter(|&value| value > 0 && value & (value - 1) == 0) {
        let (amount, mask) = (exprs.int(power.trailing_zeros() as i32), exprs.int((power - 1) as i32));
        return (logical_shift(a, amount, exprs), exprs.binary(BinaryOp::BitAnd, a, mask));
    }
    let (a_is_small, b_is_small) = (exprs.binary(BinaryOp::LessEq, zero, a), exprs.binary(BinaryOp::LessEq, zero, b));
    // Both below 2^31.
    let (plain, plain_rest) = (exprs.binary(BinaryOp::Div, a, b), exprs.binary(BinaryOp::Rem, a, b));
    // Only the dividend is not: half of it first, then one more where that was too little.
    let half = logical_shift(a, one, exprs);
    let half = exprs.binary(BinaryOp::Div, half, b);
    let double = exprs.binary(BinaryOp::ShiftLeft, half, one);
    let product = exprs.binary(BinaryOp::Mul, double, b);
    let rest = exprs.binary(BinaryOp::Sub, a, product);
    let once_more = unsigned(BinaryOp::LessEq, b, rest, exprs);
    let (more, less) = (exprs.binary(BinaryOp::Add, double, one), exprs.binary(BinaryOp::Sub, rest, b));
    let (large, large_rest) = (exprs.ite(once_more, more, double), exprs.ite(once_more, less, rest));
    // The divisor is not: it goes in once or not at all.
    let goes_in = unsigned(BinaryOp::LessEq, b, a, exprs);
    let (once, once_rest) = (exprs.unary(UnaryOp::ToInt, goes_in), exprs.binary(BinaryOp::Sub, a, b));
    let once_rest = exprs.ite(goes_in, once_rest, a);
    let mut choose = |plain, large, once| {
        let small = exprs.ite(a_is_small, plain, large);
        exprs.ite(b_is_small, small, once)
    };
    (choose(plain, large, once), choose(plain_rest, large_rest, once_rest))
}

#[cfg(test)]
mod tests;
