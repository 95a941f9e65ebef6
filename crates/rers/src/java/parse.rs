//! Text to parse tree, with ANTLR's complaints turned into messages for people.

use antlr4_runtime::ParsedFile;

use redoubt_parsers::rers_java::{self, names};
use redoubt_parsers::run::{Source, Tokens};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::c_common::complain;
use redoubt_reading::c_common::nesting::Nesting;
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_reading::syntax::{self, Listener};
use redoubt_reading::watch::{Watch, Watched};

const NESTING: Nesting = Nesting { most: 12_000, to_the_right: &["?"], heads: &["if", "while"] };

/// Parses a file of a program.
pub fn parse(file: u32, text: &str, watch: &Watch) -> Lowered<ParsedFile> {
    if let Some(start) = text.find("\\u") {
        // It could be any character, also one that ends a comment or a text.
        let span = Span { file, start: start as u32, end: start as u32 + 2 };
        return refuse(Diagnostic::new(span, "escapes of characters by number are not supported", "not supported"));
    }
    let (listener, errors) = Listener::new(file, text.len(), is_foreign, explain);
    let tokens = Tokens::new(Source::new(Watched { source: rers_java::lex(text), watch: watch.clone() }));
    watch.look_closely()?;
    if let Some(too_deep) = NESTING.too_deep(&tokens, file) {
        return refuse(too_deep);
    }
    let result = rers_java::parse(tokens, listener.beside(watch.clone()));
    watch.look_closely()?;
    match result {
        Ok(parsed) if errors.is_empty() => Ok(parsed),
        result => {
            let failure = result.err().map(|error| error.to_string());
            Err(errors.into_diagnostics(file, failure).into())
        }
    }
}

/// Whether no rule of the grammar accepts a token, whatever stands around it.
fn is_foreign(kind: i32) -> bool {
    [names::FOREIGN_KEYWORD, names::FOREIGN_SIGN, names::UNCLOSED_COMMENT, names::UNKNOWN].contains(&kind)
}

fn explain(span: Span, kind: Option<i32>, text: &str, message: &str) -> Diagnostic {
    match kind {
        Some(names::FOREIGN_KEYWORD | names::FOREIGN_SIGN) => {
            Diagnostic::new(span, format!("`{text}` is outside the subset of Java that is read"), "not supported")
                .help("RERS programs use fields, `if`, assignments, calls, `throw`, and `while(true)` in main")
        }
        Some(names::UNCLOSED_COMMENT) => complain::unclosed_comment(span),
        Some(names::UNKNOWN) => complain::unknown(span, text, "the language"),
        _ => complain::unexpected(span, kind, text, expected(message)),
    }
}

/// The tokens that ANTLR would have accepted, in words.
fn expected(message: &str) -> Option<String> {
    let words = syntax::expected(message, &|token| match token {
        "String" => Some("a text in quotes"),
        "ForeignType" => Some("a type"),
        _ => None,
    })?;
    let has = |word: &str| words.iter().any(|other| other == word);
    const FEW: usize = 8;
    match words.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        _ if has("`if`") && has("`}`") => Some("a statement or `}`".into()),
        _ if has("`if`") => Some("a statement".into()),
        _ if has("`class`") => Some("a class or the end of the file".into()),
        many if many.len() > FEW && has("`public`") => Some("a field, a method or `}`".into()),
        many if many.len() > FEW && has("`+`") && !has("a name") => {
            Some("an operator or the end of the expression".into())
        }
        many if many.len() > FEW => Some("an expression".into()),
        many => Some(format!("{} or {}", many[..many.len() - 1].join(", "), many[many.len() - 1])),
    }
}
