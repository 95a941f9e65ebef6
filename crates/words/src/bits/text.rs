//! Bit-vectors out of text and into it.

use std::fmt;

use super::Bits;

/// Why a text is not a number of some width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// This character is none of its digits.
    Digit(char),
    TooLarge,
    Empty,
}

impl Bits {
    /// An unsigned number in base 2, 10 or 16; a decimal one may have a minus sign.
    pub fn parse(width: u32, text: &str, base: u32) -> Result<Bits, NotANumber> {
        let digits = text.strip_prefix('-').filter(|_| base == 10);
        let value = parse_unsigned(width, digits.unwrap_or(text), base)?;
        if digits.is_none() {
            return Ok(value);
        }
        // The least number is its own negation.
        match value.neg() {
            negated if negated.sign() || negated.is_zero() => Ok(negated),
            _ => Err(NotANumber::TooLarge),
        }
    }
}

fn parse_unsigned(width: u32, text: &str, base: u32) -> Result<Bits, NotANumber> {
    // A digit takes at most this many bits more.
    const ROOM: u32 = 5;
    if text.is_empty() {
        return Err(NotANumber::Empty);
    }
    let radix = Bits::from_u64(width + ROOM, u64::from(base));
    let mut value = Bits::zero(width + ROOM);
    for digit in text.chars() {
        let number = digit.to_digit(base).ok_or(NotANumber::Digit(digit))?;
        let more = Bits::from_u64(width + ROOM, u64::from(number));
        value = if base == 10 { value.mul(&radix) } else { value.shl(u64::from(base.ilog2())) }.add(&more);
        if !value.shr(u64::from(width)).is_zero() {
            return Err(NotANumber::TooLarge);
        }
    }
    Ok(value.resize(width))
}

/// From the most significant bit on, as witnesses have them.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.width).rev().try_for_each(|index| f.write_str(if self.bit(index) { "1" } else { "0" }))
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
