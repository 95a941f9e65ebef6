//! Tokens that belong to no C, or to a part of it that is not read, to messages for people.

use crate::Diagnostic;
use redoubt_program::text::Span;

pub fn directive(span: Span, text: &str, passed_over: &str) -> Diagnostic {
    let word = text.split_whitespace().next().unwrap_or(text);
    let message = format!("the directive `{word}` is not supported");
    Diagnostic::new(span, message, passed_over).help("run the C preprocessor first: gcc -E -P")
}

pub fn unclosed_comment(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this comment is never closed", "expected a `*/` after it")
}

/// A quote without a second one, or a character that the language does not have.
pub fn unknown(span: Span, text: &str, language: &str) -> Diagnostic {
    if matches!(text, "\"" | "'") {
        let label = format!("expected another {text} in this line");
        return Diagnostic::new(span, "this text is never closed", label);
    }
    let character = text.chars().next().unwrap_or(' ');
    if character == '\u{feff}' {
        let label = "expected the first character of the text";
        let help = "save the file as UTF-8 without it";
        return Diagnostic::new(span, "a byte order mark does not belong to the text", label).help(help);
    }
    Diagnostic::new(span, format!("the character {character:?} does not belong to {language}"), "unknown character")
}

/// A token that does not continue the text before it, and those that would.
pub fn unexpected(span: Span, kind: Option<i32>, text: &str, expected: Option<String>) -> Diagnostic {
    let is_end = kind.unwrap_or(antlr4_runtime::TOKEN_EOF) == antlr4_runtime::TOKEN_EOF;
    let found = if is_end { "end of file".into() } else { format!("`{text}`") };
    let label = match expected {
        Some(expected) => format!("expected {expected}"),
        None => "this does not continue the text before it".into(),
    };
    Diagnostic::new(span, format!("unexpected {found}"), label)
}
