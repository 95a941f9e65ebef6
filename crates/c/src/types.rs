//! C's types, as far as values have them here, under the data models ILP32 and LP64.

use std::fmt;
use std::rc::Rc;

use crate::record::Record;

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

/// How large some types are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    pub long_bits: u32,
    pub pointer_bytes: u32,
    /// How what has eight bytes is aligned in structures.
    pub wide_alignment: u32,
}

impl Model {
    pub const ILP32: Model = Model { long_bits: 32, pointer_bytes: 4, wide_alignment: 4 };
    pub const LP64: Model = Model { long_bits: 64, pointer_bytes: 8, wide_alignment: 8 };

    pub fn long(self) -> Integer {
        Integer { bits: self.long_bits, signed: true }
    }

    /// `size_t`, and addresses as numbers.
    pub fn size(self) -> Integer {
        Integer { bits: self.pointer_bytes * 8, signed: false }
    }

    /// What the difference of two pointers has.
    pub fn difference(self) -> Integer {
        Integer { signed: true, ..self.size() }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub enum Type {
    Void,
    Integer(Integer),
    /// `float`, or `double`.
    Float(Width),
    Pointer(Rc<Type>),
    /// The length, if it is given.
    Array(Rc<Type>, Option<u32>),
    /// A structure or a union.
    Record(Rc<Record>),
    /// What it returns.
    Function(Rc<Type>),
    /// A type that is read but not understood, with its name for messages.
    Foreign(&'static str),
}

/// How many bits a number with fractions has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Single,
    Double,
}

impl Width {
    pub fn bytes(self) -> u32 {
        match self {
            Width::Single => 4,
            Width::Double => 8,
        }
    }

    /// The integer with the same bits.
    pub fn bits(self) -> Integer {
        match self {
            Width::Single => Integer::UINT,
            Width::Double => Integer::ULONG_LONG,
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => write!(f, "void"),
            Type::Integer(integer) => write!(f, "{}{}", if integer.signed { "int" } else { "unsigned" }, integer.bits),
            Type::Float(Width::Single) => write!(f, "float"),
            Type::Float(Width::Double) => write!(f, "double"),
            Type::Pointer(to) => write!(f, "{to:?} *"),
            Type::Array(element, length) => write!(f, "{element:?} [{}]", length.unwrap_or(0)),
            Type::Record(record) => write!(f, "{}", record.name),
            Type::Function(_) => write!(f, "function"),
            Type::Foreign(what) => write!(f, "{what}"),
        }
    }
}

impl Type {
    pub fn pointer_to(self) -> Type {
        Type::Pointer(Rc::new(self))
    }

    /// `sizeof`, where it is known.
    pub fn bytes(&self, model: Model) -> Option<u32> {
        match self {
            Type::Integer(integer) => Some(integer.bytes()),
            Type::Float(width) => Some(width.bytes()),
            Type::Pointer(_) => Some(model.pointer_bytes),
            Type::Array(element, length) => element.bytes(model)?.checked_mul((*length)?),
            Type::Record(record) => record.layout.get().map(|layout| layout.bytes),
            Type::Void | Type::Function(_) => Some(1),
            Type::Foreign(_) => None,
        }
    }

    /// What its address is a multiple of, in structures.
    pub fn alignment(&self, model: Model) -> Option<u32> {
        Some(match self {
            Type::Array(element, _) => element.alignment(model)?,
            Type::Record(record) => record.layout.get()?.alignment,
            other => match other.bytes(model)? {
                8.. => model.wide_alignment,
                bytes => bytes,
            },
        })
    }

    /// How many scalars it is made of, arrays counted once.
    pub fn leaves(&self) -> Option<u32> {
        match self {
            Type::Array(element, _) => element.leaves(),
            Type::Record(record) => record.layout.get().map(|layout| layout.leaves),
            Type::Foreign(_) | Type::Void => None,
            _ => Some(1),
        }
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Integer(_) | Type::Float(_) | Type::Pointer(_))
    }

    /// Whether values of both are kept and read in one way.
    pub fn is_kept_like(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Integer(a), Type::Integer(b)) => a.bits == b.bits && (a.bits > 1 || a.signed == b.signed),
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (a, b) => a == b,
        }
    }
}

/// Whether a number is written with a fraction or an exponent.
pub fn is_fraction(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    lower.contains('.') || lower.contains(if is_hexadecimal { 'p' } else { 'e' })
}

/// The bits of a number with a fraction, and its width.
pub fn fraction(text: &str) -> Result<(u64, Width), &'static str> {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let (digits, width) = match lower.strip_suffix('f') {
        Some(digits) if !is_hexadecimal || lower.contains('p') => (digits, Width::Single),
        _ => (&lower[..], Width::Double),
    };
    if digits.ends_with('l') {
        return Err("a `long double` is not supported");
    }
    let wrong = "this is no number";
    if is_hexadecimal {
        return hexadecimal(&digits[2..]).map(|value| (bits_of(value, width), width)).ok_or(wrong);
    }
    // Each width is rounded once, from what is written.
    match width {
        Width::Single => digits.parse::<f32>().map(|value| (u64::from(value.to_bits()), width)).map_err(|_| wrong),
        Width::Double => digits.parse::<f64>().map(|value| (value.to_bits(), width)).map_err(|_| wrong),
    }
}

fn bits_of(value: f64, width: Width) -> u64 {
    match width {
        Width::Single => u64::from((value as f32).to_bits()),
        Width::Double => value.to_bits(),
    }
}

/// `1.8p3`: at most 13 digits, which a double has exactly.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{part}");
    if all.trim_start_matches('0').len() > 13 {
        return None;
    }
    let value = u64::from_str_radix(&all, 16).ok()? as f64;
    let exponent = exponent.checked_sub(4 * part.len() as i32)?;
    // In two steps, so that no subnormal is rounded twice.
    let half = exponent / 2;
    Some(value * 2f64.powi(half) * 2f64.powi(exponent - half))
}

/// The number that is written, and its type by the rules of C99.
pub fn number(text: &str, model: Model) -> Result<(i128, Integer), &'static str> {
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
    if long < 1 || (long < 2 && model.long_bits == 32) {
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
    // A wide one is an `int`, and one that is too large for any other type is not for it.
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
            assert_eq!(number(text, Model::ILP32), Ok((value, ty)), "{text}");
        }
        assert!(number("99999999999999999999", Model::ILP32).is_err());
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
