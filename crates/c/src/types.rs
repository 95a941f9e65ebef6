//! C's types, as far as values have them here: integers of all widths, under ILP32.

use std::rc::Rc;

use redoubt_reading::c_common::{escape, radix};

/// An integer type. `_Bool` has one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    pub bits: u32,
    pub signed: bool,
}

impl Integer {
    pub const BOOL: Integer = Integer { bits: 1, signed: false };
    pub const CHAR: Integer = Integer { bits: 8, signed: true };
    pub const UCHAR: Integer = Integer { bits: 8, signed: false };
    pub const SHORT: Integer = Integer { bits: 16, signed: true };
    pub const USHORT: Integer = Integer { bits: 16, signed: false };
    pub const INT: Integer = Integer { bits: 32, signed: true };
    pub const UINT: Integer = Integer { bits: 32, signed: false };
    pub const LONG_LONG: Integer = Integer { bits: 64, signed: true };
    pub const ULONG_LONG: Integer = Integer { bits: 64, signed: false };

    pub fn low(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    pub fn high(self) -> i128 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }

    /// Whether all values of another type are values of this one.
    pub fn includes(self, other: Integer) -> bool {
        self.low() <= other.low() && other.high() <= self.high()
    }

    /// A number as it is after a conversion to this type.
    pub fn wrap(self, value: i128) -> i128 {
        if self == Integer::BOOL {
            return i128::from(value != 0);
        }
        let size = 1i128 << self.bits;
        let rest = value.rem_euclid(size);
        if rest > self.high() { rest - size } else { rest }
    }

    /// Small types become `int` before anything is computed with them.
    pub fn promoted(self) -> Integer {
        if self.bits < 32 { Integer::INT } else { self }
    }

    /// The type in which two promoted operands meet.
    pub fn common(self, other: Integer) -> Integer {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => Integer { bits: a.bits, signed: a.signed && b.signed },
        }
    }

    pub fn bytes(self) -> u32 {
        self.bits.div_ceil(8)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Void,
    Integer(Integer),
    Pointer(Rc<Type>),
    /// The length, if it is given.
    Array(Rc<Type>, Option<u32>),
    Function(Rc<Type>),
    /// What is read but not understood, with its name for messages.
    Foreign(&'static str),
}

impl Type {
    /// `sizeof`, where it is known.
    pub fn bytes(&self) -> Option<u32> {
        match self {
            Type::Integer(integer) => Some(integer.bytes()),
            Type::Pointer(_) => Some(4),
            Type::Array(element, length) => element.bytes()?.checked_mul((*length)?),
            Type::Void => Some(1),
            Type::Function(_) | Type::Foreign(_) => None,
        }
    }
}

/// The number that is written, and its type by the rules of C99 under ILP32.
pub fn number(text: &str) -> Result<(i128, Integer), &'static str> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = radix(&lower);
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let value = i128::from_str_radix(digits, radix).map_err(|_| "this is no integer")?;
    let (unsigned, long) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return Err("numbers with fractions are not supported"),
    };
    let mut types = vec![];
    if long < 2 {
        types.push((Integer::INT, !unsigned));
        types.push((Integer::UINT, unsigned || radix != 10));
    }
    types.push((Integer::LONG_LONG, !unsigned));
    types.push((Integer::ULONG_LONG, unsigned || radix != 10));
    let fits = |&(ty, allowed): &(Integer, bool)| allowed && value <= ty.high();
    let found = types.into_iter().find(fits).map(|(ty, _)| (value, ty));
    found.ok_or("this number is too large for any type")
}

/// The values of the characters of texts in a row, each with its quotes, without the zero at the end.
pub fn characters(text: &str) -> Option<Vec<i128>> {
    let mut characters = vec![];
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        rest = rest.strip_prefix('"')?;
        loop {
            let mut end = rest.chars().next()?.len_utf8();
            if rest.starts_with('"') {
                break;
            }
            if let Some(code) = rest.strip_prefix('\\') {
                let digits = |most: usize, radix: u32, from: usize| {
                    code[from..].chars().take(most).take_while(|c| c.is_digit(radix)).count() + from
                };
                end += match code.chars().next()? {
                    'x' => digits(code.len(), 16, 1),
                    '0'..='7' => digits(3, 8, 0),
                    letter => letter.len_utf8(),
                };
            }
            characters.push(Integer::CHAR.wrap(plain_character(&rest[..end])?));
            rest = &rest[end..];
        }
        rest = rest[1..].trim_start();
    }
    Some(characters)
}

/// The value of a character with its quotes.
pub fn character(text: &str) -> Option<i128> {
    // A wide one is an `int`, and what is too large for any other is not for it.
    let ty = if text.starts_with('L') { Integer::INT } else { Integer::CHAR };
    let inner = text.trim_start_matches('L').strip_prefix('\'')?.strip_suffix('\'')?;
    plain_character(inner).map(|value| ty.wrap(value))
}

/// The number that is written, whatever type it is meant for.
fn plain_character(inner: &str) -> Option<i128> {
    Some(match inner.strip_prefix('\\') {
        None => inner.chars().next().filter(char::is_ascii)? as i128,
        Some(code) => match (code.strip_prefix('x'), code.as_bytes()) {
            (Some(hex), _) => i128::from_str_radix(hex, 16).ok()?,
            (None, [b'0'..=b'7', ..]) => i128::from_str_radix(code, 8).ok()?,
            (None, [letter]) => escape(char::from(*letter))? as i128,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_types_of_the_standard() {
        let cases = [
            ("0", 0, Integer::INT),
            ("0U", 0, Integer::UINT),
            ("2147483647", i128::from(i32::MAX), Integer::INT),
            ("2147483648", 1 << 31, Integer::LONG_LONG),
            ("4294967295", (1 << 32) - 1, Integer::LONG_LONG),
            ("0xffffffff", (1 << 32) - 1, Integer::UINT),
            ("0x80000000L", 1 << 31, Integer::UINT),
            ("037777777777", (1 << 32) - 1, Integer::UINT),
            ("1LL", 1, Integer::LONG_LONG),
            ("10ul", 10, Integer::UINT),
            ("18446744073709551615U", (1 << 64) - 1, Integer::ULONG_LONG),
        ];
        for (text, value, ty) in cases {
            assert_eq!(number(text), Ok((value, ty)), "{text}");
        }
        assert!(number("1.5").is_err() && number("1e3").is_err() && number("99999999999999999999").is_err());
    }

    #[test]
    fn characters_are_signed() {
        for (text, value) in
            [("'a'", 97), ("'\\n'", 10), ("'\\0'", 0), ("'\\xff'", -1), ("'\\''", 39), ("L'\\xff'", 255)]
        {
            assert_eq!(character(text), Some(value), "{text}");
        }
    }

    #[test]
    fn texts_are_their_characters() {
        assert_eq!(characters("\"ab\""), Some(vec![97, 98]));
        assert_eq!(characters("\"\\n\\x41\\101\\\"\"  \"\\0c\""), Some(vec![10, 65, 65, 34, 0, 99]));
        assert_eq!(characters("\"\""), Some(vec![]));
        assert_eq!(characters("L\"a\""), None);
        assert_eq!(characters("\"open"), None);
    }

    #[test]
    fn operands_meet_as_the_standard_says() {
        let cases = [
            (Integer::CHAR, Integer::CHAR, Integer::INT),
            (Integer::USHORT, Integer::SHORT, Integer::INT),
            (Integer::UINT, Integer::INT, Integer::UINT),
            (Integer::UINT, Integer::CHAR, Integer::UINT),
            (Integer::UINT, Integer::LONG_LONG, Integer::LONG_LONG),
            (Integer::ULONG_LONG, Integer::LONG_LONG, Integer::ULONG_LONG),
        ];
        for (a, b, expected) in cases {
            assert_eq!((a.common(b), b.common(a)), (expected, expected), "{a:?} {b:?}");
        }
    }
}
