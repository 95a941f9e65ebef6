//! Numbers, words and names as they are written.

use crate::ast::Kind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_words::Bits;

/// As NuSMV has it.
const LARGEST: i64 = i32::MAX as i64;
/// Wider words are refused: nobody computes with them.
pub const MOST_BITS: u32 = 1 << 16;

/// A name without its quotation marks.
pub fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// A number or the constant of a word, such as `12` or `0ud8_255`.
pub fn number(text: &str, span: Span) -> Lowered<Kind> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse() {
            Ok(value) if value <= LARGEST => Ok(Kind::Number(value)),
            _ => refuse(Diagnostic::new(span, format!("{text} is too large"), format!("expected at most {LARGEST}"))),
        };
    }
    match word(text) {
        Ok(kind) => Ok(kind),
        Err(reason) => refuse(Diagnostic::new(span, reason, "in this word")),
    }
}

fn word(text: &str) -> Result<Kind, String> {
    let unreadable = || format!("`{text}` is no constant of a word");
    let rest = text.strip_prefix('0').ok_or_else(unreadable)?;
    let (signed, rest) = match rest.as_bytes().first() {
        Some(b's') => (true, &rest[1..]),
        Some(b'u') => (false, &rest[1..]),
        _ => (false, rest),
    };
    let base = match rest.as_bytes().first() {
        Some(b'b' | b'B') => 2,
        Some(b'o' | b'O') => 8,
        Some(b'd' | b'D') => 10,
        Some(b'h' | b'H') => 16,
        _ => return Err(unreadable()),
    };
    let (width, digits) = rest[1..].split_once('_').ok_or_else(unreadable)?;
    let digits: String = digits.chars().filter(|&digit| digit != '_').collect();
    let per_digit = match base {
        2 => 1,
        8 => 3,
        16 => 4,
        _ => 0,
    };
    let width: u32 = match width {
        "" if per_digit > 0 => per_digit * digits.len() as u32,
        "" => return Err(format!("`{text}` has no width, which decimal digits do not tell")),
        width => width.parse().map_err(|_| unreadable())?,
    };
    if width == 0 || width > MOST_BITS {
        return Err(format!("`{text}` has {width} bits; a word has 1 to {MOST_BITS}"));
    }
    // Computed with room for one digit more.
    let room = width + 8;
    let mut value = Bits::zero(room);
    let digit_too_large = || format!("`{text}` has a digit that does not belong to its base");
    let scale = Bits::from_u64(room, base);
    let most = Bits::ones(width).resize(room);
    for digit in digits.chars() {
        let digit = digit.to_digit(16).filter(|&digit| u64::from(digit) < base).ok_or_else(digit_too_large)?;
        value = value.mul(&scale).add(&Bits::from_u64(room, u64::from(digit)));
        if most.is_below(&value) {
            return Err(format!("the value of `{text}` does not fit into {width} bits"));
        }
    }
    // Of signed words the largest magnitude is that of the least value, which is what it then means.
    let half = Bits::from_u64(room, 1).shl(u64::from(width - 1));
    if signed && base == 10 && half.is_below(&value) {
        return Err(format!("the value of `{text}` does not fit into {width} bits with a sign"));
    }
    Ok(Kind::Word { signed, bits: value.resize(width) })
}
