//! Numbers with fractions, binary32 and binary64 of IEEE 754, computed by operators on words: rounded to the nearest, ties to even, with
//! subnormal numbers, infinities and what is no number, as SSE does it.
//!
//! A significand stands with its leading bit at a fixed place and three bits behind its last one, of which the lowest is set if
//! anything below it was: that is enough to round once, at the end.

use crate::ast::BinaryOperator as Op;
use crate::types::{Integer, Width};
use crate::words::{self, Number, Repr, Scratch};
use redoubt_program::expr::{ExprId, Exprs, UnaryOp};

/// How the bits of a number are divided.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Bits behind the leading one.
    pub mantissa: u32,
    /// The exponent of infinities.
    pub most: i128,
    pub bias: i128,
    /// The integer with the same bits.
    pub ty: Integer,
}

/// Where a number is rounded to that is no integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    Down,
    Up,
    Zero,
    /// To the nearest, and from the middle away from zero.
    Away,
    Even,
}

impl Format {
    pub const SINGLE: Format = Format { mantissa: 23, most: 255, bias: 127, ty: Integer::UINT };
    pub const DOUBLE: Format = Format { mantissa: 52, most: 2047, bias: 1023, ty: Integer::ULONG_LONG };

    pub fn of(width: Width) -> Format {
        match width {
            Width::Single => Format::SINGLE,
            Width::Double => Format::DOUBLE,
        }
    }

    fn hidden(self) -> i128 {
        1 << self.mantissa
    }

    fn sign(self) -> i128 {
        1 << (self.ty.bits - 1)
    }

    pub fn infinity(self) -> u64 {
        (self.most << self.mantissa) as u64
    }

    /// What x86 makes where there is no number.
    pub fn not_a_number(self) -> u64 {
        (self.sign() | (self.most << self.mantissa) | self.hidden() >> 1) as u64
    }
}

/// Whether a number is neither 0 nor -0.
pub fn is_not_zero(bits: Number, width: Width, exprs: &mut Exprs) -> ExprId {
    let format = Format::of(width);
    let mask = Number::known(format.sign() - 1, format.ty);
    let size = words::binary(Op::BitAnd, bits, mask, exprs).expect("both have as many bits");
    size.to_truth(exprs)
}

/// Parts of a number: whether it is negative, its exponent, which is 1 for the smallest as well, and the significand.
#[derive(Clone, Copy)]
struct Parts {
    negative: ExprId,
    exponent: Number,
    significand: Number,
}

/// Builds operators on numbers of one width.
pub struct Arithmetic<'a, S: Scratch> {
    pub scratch: &'a mut S,
    pub format: Format,
}

impl<S: Scratch> Arithmetic<'_, S> {
    fn exprs(&mut self) -> &mut Exprs {
        self.scratch.exprs()
    }

    fn op(&mut self, op: Op, a: Number, b: Number) -> Number {
        words::binary(op, a, b, self.scratch).expect("words are computed with words, and pairs with pairs")
    }

    fn known(&self, value: i128) -> Number {
        Number::known(value, self.format.ty)
    }

    fn int(value: i128) -> Number {
        Number::known(value, Integer::INT)
    }

    fn test(&mut self, op: Op, a: Number, b: Number) -> ExprId {
        let number = self.op(op, a, b);
        number.to_truth(self.exprs())
    }

    fn keep(&mut self, number: Number) -> Number {
        match number.value {
            Repr::Known(_) => number,
            Repr::Pair(pair) => Number::pair(self.scratch.keep_pair(pair), number.ty),
            Repr::Word(word) => Number::word(self.scratch.keep(word), number.ty),
            Repr::Truth(truth) => {
                let word = self.exprs().unary(UnaryOp::ToInt, truth);
                Number::word(self.scratch.keep(word), number.ty)
            }
        }
    }

    fn keep_truth(&mut self, truth: ExprId) -> ExprId {
        let number = Number::truth(truth, self.exprs());
        let kept = self.keep(number);
        kept.to_truth(self.exprs())
    }

    fn choose(&mut self, condition: ExprId, a: Number, b: Number) -> Number {
        match self.exprs().as_bool(condition) {
            Some(true) => return a,
            Some(false) => return b,
            None => {}
        }
        let ty = a.ty;
        let exprs = self.exprs();
        let (a, b) = (a.convert(ty, exprs), b.convert(ty, exprs));
        if ty.bits > 32 {
            let (a, b) = (a.to_pair(exprs), b.to_pair(exprs));
            return Number::pair(crate::wide::Pair::choose(condition, a, b, exprs), ty);
        }
        let a = a.to_word(exprs).expect("it has one word");
        let b = b.to_word(exprs).expect("it has one word");
        Number::word(exprs.ite(condition, a, b), ty)
    }

    fn magnitude(&mut self, bits: Number) -> Number {
        let mask = self.known(self.format.sign() - 1);
        self.op(Op::BitAnd, bits, mask)
    }

    pub fn is_negative(&mut self, bits: Number) -> ExprId {
        let sign = self.known(self.format.sign());
        let sign = self.op(Op::BitAnd, bits, sign);
        sign.to_truth(self.exprs())
    }

    pub fn is_nan(&mut self, bits: Number) -> ExprId {
        let (size, infinity) = (self.magnitude(bits), self.known(i128::from(self.format.infinity())));
        self.test(Op::Greater, size, infinity)
    }

    pub fn is_infinite(&mut self, bits: Number) -> ExprId {
        let (size, infinity) = (self.magnitude(bits), self.known(i128::from(self.format.infinity())));
        self.test(Op::Equal, size, infinity)
    }

    pub fn is_zero(&mut self, bits: Number) -> ExprId {
        let size = self.magnitude(bits);
        let truth = size.to_truth(self.exprs());
        self.exprs().not(truth)
    }

    /// Whether a number that is finite has an exponent of its own.
    pub fn is_normal(&mut self, bits: Number) -> ExprId {
        let size = self.magnitude(bits);
        let (least, infinity) = (self.known(self.format.hidden()), self.known(i128::from(self.format.infinity())));
        let (above, below) = (self.test(Op::GreaterEqual, size, least), self.test(Op::Less, size, infinity));
        self.exprs().and(above, below)
    }

    pub fn negate(&mut self, bits: Number) -> Number {
        let sign = self.known(self.format.sign());
        self.op(Op::BitXor, bits, sign)
    }

    pub fn absolute(&mut self, bits: Number) -> Number {
        self.magnitude(bits)
    }

    pub fn with_sign_of(&mut self, a: Number, b: Number) -> Number {
        let (size, sign) = (self.magnitude(a), self.known(self.format.sign()));
        let sign = self.op(Op::BitAnd, b, sign);
        self.op(Op::BitOr, size, sign)
    }

    /// A comparison; with what is no number only "differs" is true.
    pub fn compare(&mut self, op: Op, a: Number, b: Number) -> ExprId {
        let (op, a, b) = match op {
            Op::Greater => (Op::Less, b, a),
            Op::GreaterEqual => (Op::LessEqual, b, a),
            op => (op, a, b),
        };
        let (a, b) = (self.keep(a), self.keep(b));
        let (a_nan, b_nan) = (self.is_nan(a), self.is_nan(b));
        let no_number = self.exprs().or(a_nan, b_nan);
        let numbers = self.exprs().not(no_number);
        let (a, b) = (self.ordered(a), self.ordered(b));
        let plain = if op == Op::NotEqual { Op::Equal } else { op };
        let holds = self.test(plain, a, b);
        let both = self.exprs().and(numbers, holds);
        if op == Op::NotEqual { self.exprs().not(both) } else { both }
    }

    /// The bits as a number with a sign that is larger where the number is; 0 and -0 are one.
    fn ordered(&mut self, bits: Number) -> Number {
        let signed = Integer { signed: true, ..self.format.ty };
        let (negative, size) = (self.is_negative(bits), self.magnitude(bits));
        let size = size.convert(signed, self.exprs());
        let size = self.keep(size);
        let minus = size.negate(self.exprs()).expect("it is a word or a pair");
        self.choose(negative, minus, size)
    }

    fn parts(&mut self, bits: Number) -> Parts {
        let format = self.format;
        let negative = self.is_negative(bits);
        let size = self.magnitude(bits);
        let exponent = self.op(Op::ShiftRight, size, Self::int(format.mantissa.into()));
        let exponent = exponent.convert(Integer::INT, self.exprs());
        let exponent = self.keep(exponent);
        let fraction = self.known(format.hidden() - 1);
        let fraction = self.op(Op::BitAnd, bits, fraction);
        let is_small = self.test(Op::Equal, exponent, Self::int(0));
        let hidden = self.known(format.hidden());
        let whole = self.op(Op::BitOr, fraction, hidden);
        let significand = self.choose(is_small, fraction, whole);
        let exponent = self.choose(is_small, Self::int(1), exponent);
        let (exponent, significand) = (self.keep(exponent), self.keep(significand));
        let negative = self.keep_truth(negative);
        Parts { negative, exponent, significand }
    }

    /// A shift to the right, with the lowest bit set if anything was lost.
    fn jammed(&mut self, number: Number, amount: Number, most: u32) -> Number {
        let (number, amount) = (self.keep(number), self.keep(amount));
        let is_far = self.test(Op::Greater, amount, Self::int(most.into()));
        let amount = self.choose(is_far, Self::int(most.into()), amount);
        let amount = self.keep(amount);
        let shifted = self.op(Op::ShiftRight, number, amount);
        let shifted = self.keep(shifted);
        let back = self.op(Op::ShiftLeft, shifted, amount);
        let lost = self.test(Op::NotEqual, back, number);
        let lost = Number::truth(lost, self.exprs());
        let lost = lost.convert(number.ty, self.exprs());
        let result = self.op(Op::BitOr, shifted, lost);
        self.keep(result)
    }

    /// Shifts a significand to the left until its leading bit is at a place; its exponent falls with it, if it is limited, to 1 at
    /// least.
    fn normalized(
        &mut self,
        mut significand: Number,
        mut exponent: Number,
        top: u32,
        is_limited: bool,
    ) -> (Number, Number) {
        let mut step = 1u32 << top.ilog2();
        while step > 0 {
            let limit = Number::known(1 << (top + 1 - step), significand.ty);
            let mut fits = self.test(Op::Less, significand, limit);
            if is_limited {
                let is_large = self.test(Op::Greater, exponent, Self::int(step.into()));
                fits = self.exprs().and(fits, is_large);
            }
            let fits = self.keep_truth(fits);
            let shifted = self.op(Op::ShiftLeft, significand, Self::int(step.into()));
            significand = self.choose(fits, shifted, significand);
            let less = self.op(Op::Subtract, exponent, Self::int(step.into()));
            exponent = self.choose(fits, less, exponent);
            (significand, exponent) = (self.keep(significand), self.keep(exponent));
            step /= 2;
        }
        (significand, exponent)
    }

    /// The number with a significand that has three bits more than it will: normalized, rounded, put together.
    fn finished(&mut self, negative: ExprId, exponent: Number, significand: Number, is_normalized: bool) -> Number {
        let format = self.format;
        let (significand, exponent) = if is_normalized {
            (significand, exponent)
        } else {
            self.normalized(significand, exponent, format.mantissa + 3, true)
        };
        // Below the smallest exponent.
        let missing = self.op(Op::Subtract, Self::int(1), exponent);
        let is_below = self.test(Op::Greater, missing, Self::int(0));
        let missing = self.choose(is_below, missing, Self::int(0));
        let significand = self.jammed(significand, missing, format.mantissa + 5);
        let exponent = self.choose(is_below, Self::int(1), exponent);
        let exponent = self.keep(exponent);
        let seven = Number::known(7, significand.ty);
        let rest = self.op(Op::BitAnd, significand, seven);
        let rest = rest.convert(Integer::INT, self.exprs());
        let rest = self.keep(rest);
        let kept = self.op(Op::ShiftRight, significand, Self::int(3));
        let kept = self.keep(kept);
        let one = Number::known(1, kept.ty);
        let odd = self.op(Op::BitAnd, kept, one);
        let odd = odd.to_truth(self.exprs());
        let (above, middle) = (self.test(Op::Greater, rest, Self::int(4)), self.test(Op::Equal, rest, Self::int(4)));
        let exprs = self.exprs();
        let tie = exprs.and(middle, odd);
        let up = exprs.or(above, tie);
        let up = Number::truth(up, self.exprs());
        let up = up.convert(kept.ty, self.exprs());
        let kept = self.op(Op::Add, kept, up);
        let kept = kept.convert(format.ty, self.exprs());
        // The leading bit is one more for the exponent, and so is what rounding carries.
        let below = self.op(Op::Subtract, exponent, Self::int(1));
        let below = below.convert(format.ty, self.exprs());
        let below = self.op(Op::ShiftLeft, below, Self::int(format.mantissa.into()));
        let bits = self.op(Op::Add, below, kept);
        let is_above = self.test(Op::GreaterEqual, exponent, Self::int(format.most));
        let infinity = self.known(i128::from(format.infinity()));
        let bits = self.choose(is_above, infinity, bits);
        self.signed(negative, bits)
    }

    fn signed(&mut self, negative: ExprId, size: Number) -> Number {
        let sign = self.known(self.format.sign());
        let size = self.keep(size);
        let minus = self.op(Op::BitOr, size, sign);
        self.choose(negative, minus, size)
    }

    /// What is no number stays what it is, the first operand before the second; where a result is none, it is x86's.
    fn with_nan(&mut self, a: Number, b: Number, is_invalid: ExprId, result: Number) -> Number {
        let quiet = self.known(self.format.hidden() >> 1);
        let none = self.known(i128::from(self.format.not_a_number()));
        let result = self.choose(is_invalid, none, result);
        let (a_nan, b_nan) = (self.is_nan(a), self.is_nan(b));
        let (a_quiet, b_quiet) = (self.op(Op::BitOr, a, quiet), self.op(Op::BitOr, b, quiet));
        let result = self.choose(b_nan, b_quiet, result);
        let result = self.choose(a_nan, a_quiet, result);
        self.keep(result)
    }

    pub fn add(&mut self, a: Number, b: Number) -> Number {
        let format = self.format;
        let (a, b) = (self.keep(a), self.keep(b));
        let (a_size, b_size) = (self.magnitude(a), self.magnitude(b));
        let swap = self.test(Op::Less, a_size, b_size);
        let swap = self.keep_truth(swap);
        let (x, y) = (self.choose(swap, b, a), self.choose(swap, a, b));
        let (x, y) = (self.keep(x), self.keep(y));
        let (large, small) = (self.parts(x), self.parts(y));
        let three = Self::int(3);
        let (large_s, small_s) =
            (self.op(Op::ShiftLeft, large.significand, three), self.op(Op::ShiftLeft, small.significand, three));
        let apart = self.op(Op::Subtract, large.exponent, small.exponent);
        let small_s = self.jammed(small_s, apart, format.mantissa + 5);
        let exprs = self.exprs();
        let same = exprs.eq(large.negative, small.negative);
        let same = self.keep_truth(same);
        let (sum, difference) = (self.op(Op::Add, large_s, small_s), self.op(Op::Subtract, large_s, small_s));
        let total = self.choose(same, sum, difference);
        let total = self.keep(total);
        // One bit more than there was.
        let limit = self.known(1 << (format.mantissa + 4));
        let carries = self.test(Op::GreaterEqual, total, limit);
        let carries = self.keep_truth(carries);
        let half = self.jammed(total, Self::int(1), 1);
        let more = self.op(Op::Add, large.exponent, Self::int(1));
        let (total, exponent) = (self.choose(carries, half, total), self.choose(carries, more, large.exponent));
        let (total, exponent) = (self.keep(total), self.keep(exponent));
        let zero = self.known(0);
        let vanishes = self.test(Op::Equal, total, zero);
        let result = self.finished(large.negative, exponent, total, false);
        let exprs = self.exprs();
        let differ = exprs.not(same);
        let cancels = exprs.and(vanishes, differ);
        let result = self.choose(cancels, zero, result);
        let (x_infinite, y_infinite) = (self.is_infinite(x), self.is_infinite(y));
        let result = self.choose(x_infinite, x, result);
        let exprs = self.exprs();
        let both = exprs.and(x_infinite, y_infinite);
        let is_invalid = exprs.and(both, differ);
        self.with_nan(a, b, is_invalid, result)
    }

    /// The sum with the number of the other sign; what is no number keeps its sign.
    pub fn subtract(&mut self, a: Number, b: Number) -> Number {
        let b = self.keep(b);
        let (minus, is_nan) = (self.negate(b), self.is_nan(b));
        let other = self.choose(is_nan, b, minus);
        self.add(a, other)
    }

    pub fn multiply(&mut self, a: Number, b: Number) -> Number {
        for (one, other) in [(a, b), (b, a)] {
            if let Some(power) = other.as_known().and_then(|bits| self.power(bits)) {
                return self.scaled(one, other, power);
            }
        }
        let format = self.format;
        let (a, b) = (self.keep(a), self.keep(b));
        let (x, y) = (self.parts(a), self.parts(b));
        let (x_s, x_e) = self.normalized(x.significand, x.exponent, format.mantissa, false);
        let (y_s, y_e) = self.normalized(y.significand, y.exponent, format.mantissa, false);
        let significand = self.product(x_s, y_s);
        let exponent = self.op(Op::Add, x_e, y_e);
        let exponent = self.op(Op::Subtract, exponent, Self::int(format.bias - 1));
        let exponent = self.keep(exponent);
        let exprs = self.exprs();
        let same = exprs.eq(x.negative, y.negative);
        let negative = exprs.not(same);
        let negative = self.keep_truth(negative);
        let result = self.finished(negative, exponent, significand, false);
        self.with_extremes(a, b, negative, result)
    }

    /// What products with 0 and infinities are.
    fn with_extremes(&mut self, a: Number, b: Number, negative: ExprId, result: Number) -> Number {
        let (a_zero, b_zero) = (self.is_zero(a), self.is_zero(b));
        let (a_infinite, b_infinite) = (self.is_infinite(a), self.is_infinite(b));
        let exprs = self.exprs();
        let (any_zero, any_infinite) = (exprs.or(a_zero, b_zero), exprs.or(a_infinite, b_infinite));
        let is_invalid = exprs.and(any_zero, any_infinite);
        let (zero, infinity) = (self.known(0), self.known(i128::from(self.format.infinity())));
        let (zero, infinity) = (self.signed(negative, zero), self.signed(negative, infinity));
        let result = self.choose(any_zero, zero, result);
        let result = self.choose(any_infinite, infinity, result);
        self.with_nan(a, b, is_invalid, result)
    }

    /// The exponent of a power of two.
    fn power(&self, bits: i128) -> Option<i128> {
        let format = self.format;
        let size = bits & (format.sign() - 1);
        let exponent = size >> format.mantissa;
        (size & (format.hidden() - 1) == 0 && exponent > 0 && exponent < format.most).then_some(exponent - format.bias)
    }

    /// A product with a power of two: only the exponent changes, unless the number becomes too small or is it already.
    fn scaled(&mut self, a: Number, by: Number, power: i128) -> Number {
        let a = self.keep(a);
        let x = self.parts(a);
        let exponent = self.op(Op::Add, x.exponent, Self::int(power));
        let exponent = self.keep(exponent);
        let significand = self.op(Op::ShiftLeft, x.significand, Self::int(3));
        let by_negative = self.is_negative(by);
        let exprs = self.exprs();
        let same = exprs.eq(x.negative, by_negative);
        let negative = exprs.not(same);
        let negative = self.keep_truth(negative);
        let significand = self.keep(significand);
        let result = self.finished(negative, exponent, significand, power <= 0);
        self.with_extremes(a, by, negative, result)
    }

    /// The product of two significands, three bits more than it will have, with one bit of room above.
    fn product(&mut self, x: Number, y: Number) -> Number {
        let mantissa = self.format.mantissa;
        let wide = Integer::ULONG_LONG;
        if self.format.ty.bits == 32 {
            let (x, y) = (x.convert(wide, self.exprs()), y.convert(wide, self.exprs()));
            let product = self.op(Op::Multiply, x, y);
            let product = self.jammed(product, Self::int(i128::from(mantissa) - 2), 63);
            let word = product.convert(Integer::UINT, self.exprs());
            return self.keep(word);
        }
        // Four products of halves.
        let low = Number::known(0xffff_ffff, wide);
        let mut halves = |number: Number| {
            let under = self.op(Op::BitAnd, number, low);
            let over = self.op(Op::ShiftRight, number, Self::int(32));
            (self.keep(under), self.keep(over))
        };
        let ((x_low, x_high), (y_low, y_high)) = (halves(x), halves(y));
        let low_low = self.op(Op::Multiply, x_low, y_low);
        let low_low = self.keep(low_low);
        let (low_high, high_low) = (self.op(Op::Multiply, x_low, y_high), self.op(Op::Multiply, x_high, y_low));
        let high_high = self.op(Op::Multiply, x_high, y_high);
        // The middle ones have less than 54 bits each.
        let carried = self.op(Op::ShiftRight, low_low, Self::int(32));
        let middle = self.op(Op::Add, low_high, high_low);
        let middle = self.op(Op::Add, middle, carried);
        let middle = self.keep(middle);
        let over = self.op(Op::ShiftRight, middle, Self::int(32));
        let high = self.op(Op::Add, high_high, over);
        let high = self.keep(high);
        // The product is high * 2^64 + middle * 2^32 + low, of which what lies below bit 50 is only looked at.
        let rest_of_low = self.op(Op::BitAnd, low_low, low);
        let middle_low = self.op(Op::BitAnd, middle, low);
        let below = self.op(Op::ShiftLeft, middle_low, Self::int(32));
        let below = self.op(Op::BitOr, below, rest_of_low);
        let below = self.keep(below);
        let from_low = self.jammed(below, Self::int(i128::from(mantissa) - 2), 63);
        let from_high = self.op(Op::ShiftLeft, high, Self::int(64 - (i128::from(mantissa) - 2)));
        let result = self.op(Op::BitOr, from_high, from_low);
        self.keep(result)
    }

    pub fn divide(&mut self, a: Number, b: Number) -> Number {
        if let Some(power) = b.as_known().and_then(|bits| self.power(bits))
            && (2 - self.format.bias..self.format.bias).contains(&-power)
        {
            let bits =
                ((self.format.bias - power) << self.format.mantissa) | (b.as_known().unwrap_or(0) & self.format.sign());
            let inverse = self.known(bits);
            return self.scaled(a, inverse, -power);
        }
        let format = self.format;
        let (a, b) = (self.keep(a), self.keep(b));
        let (x, y) = (self.parts(a), self.parts(b));
        let (x_s, x_e) = self.normalized(x.significand, x.exponent, format.mantissa, false);
        let (y_s, y_e) = self.normalized(y.significand, y.exponent, format.mantissa, false);
        // Bit by bit: one before the point, and as many behind it as are kept, and three.
        let (mut rest, mut quotient) = (x_s, self.known(0));
        for _ in 0..format.mantissa + 4 {
            let fits = self.test(Op::GreaterEqual, rest, y_s);
            let fits = self.keep_truth(fits);
            let less = self.op(Op::Subtract, rest, y_s);
            rest = self.choose(fits, less, rest);
            rest = self.op(Op::ShiftLeft, rest, Self::int(1));
            let digit = Number::truth(fits, self.exprs());
            let digit = digit.convert(format.ty, self.exprs());
            let doubled = self.op(Op::ShiftLeft, quotient, Self::int(1));
            quotient = self.op(Op::BitOr, doubled, digit);
            (rest, quotient) = (self.keep(rest), self.keep(quotient));
        }
        let left = rest.to_truth(self.exprs());
        let left = Number::truth(left, self.exprs());
        let left = left.convert(format.ty, self.exprs());
        let quotient = self.op(Op::BitOr, quotient, left);
        let exponent = self.op(Op::Subtract, x_e, y_e);
        let exponent = self.op(Op::Add, exponent, Self::int(format.bias));
        let exprs = self.exprs();
        let same = exprs.eq(x.negative, y.negative);
        let negative = exprs.not(same);
        let negative = self.keep_truth(negative);
        let (quotient, exponent) = (self.keep(quotient), self.keep(exponent));
        let result = self.finished(negative, exponent, quotient, false);
        let (a_zero, b_zero) = (self.is_zero(a), self.is_zero(b));
        let (a_infinite, b_infinite) = (self.is_infinite(a), self.is_infinite(b));
        let exprs = self.exprs();
        let (no_zeros, no_infinities) = (exprs.and(a_zero, b_zero), exprs.and(a_infinite, b_infinite));
        let is_invalid = exprs.or(no_zeros, no_infinities);
        let (is_small, is_large) = (exprs.or(a_zero, b_infinite), exprs.or(b_zero, a_infinite));
        let (zero, infinity) = (self.known(0), self.known(i128::from(format.infinity())));
        let (zero, infinity) = (self.signed(negative, zero), self.signed(negative, infinity));
        let result = self.choose(is_large, infinity, result);
        let result = self.choose(is_small, zero, result);
        self.with_nan(a, b, is_invalid, result)
    }

    pub fn square_root(&mut self, a: Number) -> Number {
        let format = self.format;
        let a = self.keep(a);
        let x = self.parts(a);
        let (significand, exponent) = self.normalized(x.significand, x.exponent, format.mantissa, false);
        // With an even exponent, so that half of it is an integer.
        let unbiased = self.op(Op::Subtract, exponent, Self::int(format.bias));
        let odd = self.op(Op::BitAnd, unbiased, Self::int(1));
        let odd = odd.to_truth(self.exprs());
        let odd = self.keep_truth(odd);
        let doubled = self.op(Op::ShiftLeft, significand, Self::int(1));
        let significand = self.choose(odd, doubled, significand);
        let half = self.op(Op::ShiftRight, unbiased, Self::int(1));
        let exponent = self.op(Op::Add, half, Self::int(format.bias));
        let mut rest = self.keep(significand);
        let exponent = self.keep(exponent);
        // Digit by digit: (2 * root + digit) * digit is taken from the rest. The root has its leading bit at the place of the significand's.
        let mut root = self.known(0);
        let mut digit = format.hidden();
        let mut below = 0;
        // The rest is doubled instead of the digit halved, once for each.
        let mut bit = 0;
        while bit < format.mantissa + 4 {
            let twice = self.op(Op::ShiftLeft, root, Self::int(1));
            let trial = self.op(Op::BitOr, twice, Number::known(digit, format.ty));
            let fits = self.test(Op::GreaterEqual, rest, trial);
            let fits = self.keep_truth(fits);
            let less = self.op(Op::Subtract, rest, trial);
            rest = self.choose(fits, less, rest);
            let with = self.op(Op::BitOr, root, Number::known(digit, format.ty));
            root = self.choose(fits, with, root);
            rest = self.op(Op::ShiftLeft, rest, Self::int(1));
            (rest, root) = (self.keep(rest), self.keep(root));
            bit += 1;
            if digit > 1 {
                digit >>= 1;
            } else {
                // Further digits lie behind the point: everything is seen twice as large.
                root = self.op(Op::ShiftLeft, root, Self::int(1));
                rest = self.op(Op::ShiftLeft, rest, Self::int(1));
                (rest, root) = (self.keep(rest), self.keep(root));
                below += 1;
            }
        }
        let left = rest.to_truth(self.exprs());
        let left = Number::truth(left, self.exprs());
        let left = left.convert(format.ty, self.exprs());
        // Four digits behind the point were found, of which the last has been shifted once too often.
        debug_assert_eq!(below, 4, "one for each digit from the last one on");
        let root = self.jammed(root, Self::int(1), 1);
        let root = self.op(Op::BitOr, root, left);
        let root = self.keep(root);
        let no = self.exprs().bool(false);
        let result = self.finished(no, exponent, root, false);
        let (is_zero, is_infinite, negative) = (self.is_zero(a), self.is_infinite(a), x.negative);
        let exprs = self.exprs();
        let not_zero = exprs.not(is_zero);
        let is_invalid = exprs.and(negative, not_zero);
        let same = exprs.or(is_zero, is_infinite);
        let result = self.choose(same, a, result);
        self.with_nan(a, a, is_invalid, result)
    }

    /// An integer.
    pub fn of_integer(&mut self, number: Number) -> Number {
        let format = self.format;
        let number = self.keep(number);
        let ty = if number.ty.bits > 32 { Integer::ULONG_LONG } else { Integer::UINT };
        let zero = Number::known(0, number.ty);
        let negative = if number.ty.signed { self.test(Op::Less, number, zero) } else { self.exprs().bool(false) };
        let negative = self.keep_truth(negative);
        let wide = number.convert(ty, self.exprs());
        let minus = wide.negate(self.exprs()).expect("it is a word or a pair").convert(ty, self.scratch.exprs());
        let size = self.choose(negative, minus, wide);
        let size = self.keep(size);
        let is_zero = size.to_truth(self.exprs());
        let is_zero = self.exprs().not(is_zero);
        let top = ty.bits - 1;
        let (size, exponent) = self.normalized(size, Self::int(format.bias + i128::from(top)), top, false);
        let wanted = format.mantissa + 3;
        let significand = if top > wanted {
            let jammed = self.jammed(size, Self::int((top - wanted).into()), top);
            jammed.convert(format.ty, self.exprs())
        } else {
            let same = size.convert(format.ty, self.exprs());
            self.op(Op::ShiftLeft, same, Self::int((wanted - top).into()))
        };
        let significand = self.keep(significand);
        let result = self.finished(negative, exponent, significand, true);
        let nothing = self.known(0);
        let result = self.choose(is_zero, nothing, result);
        self.keep(result)
    }

    /// The integer that is left without the fraction, if it fits.
    pub fn integer(&mut self, bits: Number, ty: Integer) -> Number {
        let format = self.format;
        let bits = self.keep(bits);
        let x = self.parts(bits);
        let wide = if ty.bits > 32 || format.ty.bits > 32 { Integer::ULONG_LONG } else { Integer::UINT };
        let significand = x.significand.convert(wide, self.exprs());
        let whole = self.op(Op::Subtract, x.exponent, Self::int(format.bias));
        let whole = self.keep(whole);
        let is_small = self.test(Op::Less, whole, Self::int(0));
        let mantissa = Self::int(format.mantissa.into());
        let (left, right) = (self.op(Op::Subtract, whole, mantissa), self.op(Op::Subtract, mantissa, whole));
        let is_large = self.test(Op::Greater, left, Self::int(0));
        let limited = |this: &mut Self, amount: Number| {
            let (low, high) = (Self::int(0), Self::int(i128::from(wide.bits) - 1));
            let below = this.test(Op::Less, amount, low);
            let amount = this.choose(below, low, amount);
            let above = this.test(Op::Greater, amount, high);
            let amount = this.choose(above, high, amount);
            this.keep(amount)
        };
        let (left, right) = (limited(self, left), limited(self, right));
        let (up, down) = (self.op(Op::ShiftLeft, significand, left), self.op(Op::ShiftRight, significand, right));
        let size = self.choose(is_large, up, down);
        let zero = Number::known(0, wide);
        let size = self.choose(is_small, zero, size);
        let size = self.keep(size);
        let minus = size.negate(self.exprs()).expect("it is a word or a pair").convert(wide, self.scratch.exprs());
        let result = self.choose(x.negative, minus, size);
        result.convert(ty, self.exprs())
    }

    /// Whether a number without its fraction is one of an integer type.
    pub fn fits(&mut self, bits: Number, ty: Integer) -> ExprId {
        let ty = if ty == Integer::BOOL { Integer::UCHAR } else { ty };
        let bits = self.keep(bits);
        let above = self.known(self.constant(ty.high() + 1));
        let below = self.compare(Op::Less, bits, above);
        // The next one below the lowest, if there is one.
        let low = ty.low() - 1;
        let is_exact = low.unsigned_abs().ilog2() - low.unsigned_abs().trailing_zeros() <= self.format.mantissa;
        let not_below = if is_exact {
            let low = self.known(self.constant(low));
            self.compare(Op::Greater, bits, low)
        } else {
            let low = self.known(self.constant(ty.low()));
            self.compare(Op::GreaterEqual, bits, low)
        };
        self.exprs().and(below, not_below)
    }

    /// The bits of an integer that has them exactly.
    fn constant(&self, value: i128) -> i128 {
        if self.format.ty.bits == 32 {
            i128::from((value as f32).to_bits())
        } else {
            i128::from((value as f64).to_bits())
        }
    }

    /// A number of the other width as one of this width.
    pub fn of_other_width(&mut self, bits: Number, width: Width) -> Number {
        let (format, other) = (self.format, Format::of(width));
        let bits = self.keep(bits);
        let mut source = Arithmetic { scratch: &mut *self.scratch, format: other };
        let x = source.parts(bits);
        let (is_nan, is_infinite, is_zero) = (source.is_nan(bits), source.is_infinite(bits), source.is_zero(bits));
        let exponent = source.op(Op::Add, x.exponent, Self::int(format.bias - other.bias));
        let exponent = source.keep(exponent);
        let fraction = Number::known(other.hidden() - 1, other.ty);
        let payload = source.op(Op::BitAnd, bits, fraction);
        let (significand, payload) = if other.mantissa > format.mantissa {
            let distance = other.mantissa - format.mantissa;
            // Three bits stay behind the last.
            let jammed = source.jammed(x.significand, Self::int(i128::from(distance) - 3), 63);
            let payload = source.op(Op::ShiftRight, payload, Self::int(distance.into()));
            (jammed.convert(format.ty, source.exprs()), payload.convert(format.ty, source.exprs()))
        } else {
            let distance = format.mantissa - other.mantissa;
            let wide = x.significand.convert(format.ty, source.exprs());
            let payload = payload.convert(format.ty, source.exprs());
            (
                source.op(Op::ShiftLeft, wide, Self::int(i128::from(distance) + 3)),
                source.op(Op::ShiftLeft, payload, Self::int(distance.into())),
            )
        };
        let (significand, payload) = (self.keep(significand), self.keep(payload));
        let result = self.finished(x.negative, exponent, significand, false);
        let (zero, infinity) = (self.known(0), self.known(i128::from(format.infinity())));
        let quiet = self.known(i128::from(format.infinity()) | format.hidden() >> 1);
        let nan = self.op(Op::BitOr, payload, quiet);
        let (zero, infinity) = (self.signed(x.negative, zero), self.signed(x.negative, infinity));
        let nan = self.signed(x.negative, nan);
        let result = self.choose(is_zero, zero, result);
        let result = self.choose(is_infinite, infinity, result);
        let result = self.choose(is_nan, nan, result);
        self.keep(result)
    }

    /// The integer next to a number, as a number.
    pub fn rounded(&mut self, bits: Number, rounding: Rounding) -> Number {
        let format = self.format;
        let bits = self.keep(bits);
        let x = self.parts(bits);
        let whole = self.op(Op::Subtract, x.exponent, Self::int(format.bias));
        let whole = self.keep(whole);
        let is_small = self.test(Op::Less, whole, Self::int(0));
        let is_whole = self.test(Op::GreaterEqual, whole, Self::int(format.mantissa.into()));
        // The bits behind the point, for numbers from 1 on.
        let behind = self.op(Op::Subtract, Self::int(format.mantissa.into()), whole);
        let is_low = self.test(Op::Less, behind, Self::int(1));
        let behind = self.choose(is_low, Self::int(1), behind);
        let is_high = self.test(Op::Greater, behind, Self::int(format.mantissa.into()));
        let behind = self.choose(is_high, Self::int(format.mantissa.into()), behind);
        let behind = self.keep(behind);
        let one = self.known(1);
        let unit = self.op(Op::ShiftLeft, one, behind);
        let unit = self.keep(unit);
        let mask = self.op(Op::Subtract, unit, one);
        let mask = self.keep(mask);
        let rest = self.op(Op::BitAnd, bits, mask);
        let rest = self.keep(rest);
        let cut = self.op(Op::BitXor, bits, rest);
        let cut = self.keep(cut);
        let half = self.op(Op::ShiftRight, unit, Self::int(1));
        let zero = self.known(0);
        let is_fraction = self.test(Op::NotEqual, rest, zero);
        let (minus, plus) = (x.negative, self.scratch.exprs().not(x.negative));
        let (above, middle) = (self.test(Op::Greater, rest, half), self.test(Op::Equal, rest, half));
        let odd = self.op(Op::BitAnd, bits, unit);
        // The leading bit of numbers from 1 to 2 is the lowest of their exponent, which is odd as the bias is.
        let odd = odd.to_truth(self.exprs());
        // Below 1: between 0 and 1.
        let size = self.magnitude(bits);
        let a_half = self.known((format.bias - 1) << format.mantissa);
        let (small_above, small_middle) = (self.test(Op::Greater, size, a_half), self.test(Op::Equal, size, a_half));
        let not_zero = size.to_truth(self.exprs());
        let exprs = self.exprs();
        let (up, small_up) = match rounding {
            Rounding::Zero => (exprs.bool(false), exprs.bool(false)),
            Rounding::Down => (exprs.and(is_fraction, minus), exprs.and(not_zero, minus)),
            Rounding::Up => (exprs.and(is_fraction, plus), exprs.and(not_zero, plus)),
            Rounding::Away => (exprs.or(above, middle), exprs.or(small_above, small_middle)),
            Rounding::Even => {
                let tie = exprs.and(middle, odd);
                (exprs.or(above, tie), small_above)
            }
        };
        let more = self.op(Op::Add, cut, unit);
        let result = self.choose(up, more, cut);
        let unity = self.known(format.bias << format.mantissa);
        let small = self.choose(small_up, unity, zero);
        let small = self.signed(x.negative, small);
        let result = self.choose(is_small, small, result);
        let result = self.choose(is_whole, bits, result);
        let no = self.exprs().bool(false);
        self.with_nan(bits, bits, no, result)
    }
}

#[cfg(test)]
mod tests;
