//! Text to HTML: everything from outside passes here.

use std::fmt::Write;

use serde_json::Value as Json;

/// A text that is safe between tags and in quoted attributes. Control characters, which HTML cannot hold, and those
/// that turn the direction of writing become a sign that shows them.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => out.push('\u{fffd}'),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A name that may be broken behind its slashes and underscores.
pub fn name(text: &str) -> String {
    let text = escaped(text).replace('/', "/<wbr>").replace('_', "_<wbr>");
    format!("<bdi>{text}</bdi>")
}

/// Adds formatted text to a page. Writing to a string does not fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => { $crate::html::add($out, format_args!($($text)*)) };
}
pub(super) use put;

pub fn add(out: &mut String, text: std::fmt::Arguments) {
    out.write_fmt(text).expect("a string takes all");
}

/// A value without the quotes of JSON.
pub fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// A time as people read it.
pub fn seconds(value: f64) -> String {
    match value {
        value if value < 0.0095 => format!("{:.1} ms", value * 1000.0),
        value if value < 0.995 => format!("{:.0} ms", value * 1000.0),
        value if value < 99.5 => format!("{value:.2} s"),
        value => format!("{value:.0} s"),
    }
}

/// A number with separators between groups of three digits.
pub fn grouped(value: usize) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// `1 step`, `2 steps`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}
