//! The values of literals: numbers in any base, durations, values of a named type.

use crate::ast::{Expr, ExprKind, Ident};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_reading::tree::Tree;

/// No type of at most 32 bits has larger numbers.
const MOST: i64 = u32::MAX as i64;

pub const NO_REALS: &str = "REAL is not supported: use integers of a smaller unit";
pub const NO_TEXTS: &str = "STRING, pointers and references are not supported";

/// A literal of either grammar.
pub fn literal(tree: Tree<'_>) -> Lowered<Expr> {
    let span = tree.span();
    let tokens: Vec<&str> = tree.tokens().collect();
    let names: Vec<(&str, Span)> = tree.names().collect();
    let ident = |index: usize| {
        let (text, span): (&str, Span) = names[index];
        Ident { text: text.trim_matches('"').to_string(), span }
    };
    let kind = match (names.len(), tokens.as_slice()) {
        (2, _) => ExprKind::Qualified(ident(0), ident(1)),
        (1, [.., "-", number]) => ExprKind::Typed(ident(0), -self::number(number, span)?),
        (1, [.., number]) if is_real(number) => ExprKind::Unsupported(NO_REALS),
        (1, [.., number]) => ExprKind::Typed(ident(0), self::number(number, span)?),
        (_, [text]) if text.eq_ignore_ascii_case("true") => ExprKind::Truth(true),
        (_, [text]) if text.eq_ignore_ascii_case("false") => ExprKind::Truth(false),
        (_, [text]) if text.starts_with('\'') => ExprKind::Unsupported(NO_TEXTS),
        (_, [text]) if text.starts_with(|c: char| c.is_alphabetic()) => ExprKind::Duration(duration(text, span)?),
        (_, [text]) if is_real(text) => ExprKind::Unsupported(NO_REALS),
        (_, [text]) => ExprKind::Number(number(text, span)?),
        _ => return refuse(Diagnostic::new(span, "this is not a number", "expected a number")),
    };
    Ok(Expr { kind, span })
}

fn is_real(text: &str) -> bool {
    text.contains('.')
}

/// `42`, `1_000`, `16#FF`.
pub fn number(text: &str, span: Span) -> Lowered<i64> {
    let plain = text.replace('_', "");
    let (radix, digits) = match plain.split_once('#') {
        Some((radix, digits)) => (radix.parse::<u32>().ok(), digits),
        None => (Some(10), plain.as_str()),
    };
    let Some(radix) = radix.filter(|radix| [2, 8, 10, 16].contains(radix)) else {
        return refuse(Diagnostic::new(span, format!("`{text}` is not a number"), "expected base 2, 8, 10 or 16"));
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return refuse(Diagnostic::new(
            span,
            format!("`{text}` is not a number"),
            format!("expected digits of base {radix}"),
        ));
    }
    match i64::from_str_radix(digits, radix) {
        Ok(value) if value <= MOST => Ok(value),
        _ => refuse(Diagnostic::new(span, format!("`{text}` does not fit 32 bits"), "expected a smaller number")),
    }
}

/// `T#1m2s_500ms`, in milliseconds.
pub fn duration(text: &str, span: Span) -> Lowered<i64> {
    let bad = |label: &str| refuse(Diagnostic::new(span, format!("`{text}` is not a time"), label));
    let Some((prefix, rest)) = text.split_once('#') else { return bad("expected `T#` and a duration") };
    if prefix.to_uppercase().starts_with('L') {
        return refuse(Diagnostic::new(span, "LTIME is not supported: it needs 64 bits", "expected `T#`"));
    }
    let rest = rest.replace('_', "").to_lowercase();
    let (sign, mut rest) = match rest.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, rest.as_str()),
    };
    const UNITS: [(&str, i64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("ms", 1), ("m", 60_000), ("s", 1_000)];
    let mut total: i64 = 0;
    let mut last = i64::MAX;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, tail) = rest.split_at(end);
        let Some((name, unit)) = UNITS.iter().find(|(name, _)| tail.starts_with(name)).copied() else {
            return bad("expected `d`, `h`, `m`, `s` or `ms` after each number");
        };
        if unit >= last {
            return bad("expected larger units first");
        }
        last = unit;
        let (whole, part) = amount.split_once('.').unwrap_or((amount, ""));
        let (Ok(whole), true) = (whole.parse::<i64>(), part.len() <= 9 && !amount.ends_with('.')) else {
            return bad("expected a number before the unit");
        };
        let scale = 10_i64.pow(part.len() as u32);
        let part = if part.is_empty() { 0 } else { part.parse::<i64>().unwrap_or(0) };
        let Some(value) = whole.checked_mul(scale).and_then(|value| value.checked_add(part)?.checked_mul(unit)) else {
            return bad("expected less than 24 days");
        };
        if value % scale != 0 {
            return bad("expected whole milliseconds");
        }
        total = total.saturating_add(value / scale);
        rest = &tail[name.len()..];
    }
    if total > i64::from(i32::MAX) {
        return refuse(Diagnostic::new(span, format!("{text} is longer than 24 days"), "expected a shorter time"));
    }
    if last == i64::MAX { bad("expected a duration") } else { Ok(sign * total) }
}
