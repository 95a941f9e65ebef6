//! Text to parse tree, with ANTLR's complaints turned into messages for people.

use antlr4_runtime::ParsedFile;

use crate::source::Diagnostic;
use crate::source::refused::{Lowered, refuse};
use crate::source::syntax::{self, Listener};
use crate::source::tree::token_span;
use crate::source::watch::{Watch, Watched};
use crate::text::{SourceFile, Span};
use redoubt_parsers::rers_c::{self, parser};
use redoubt_parsers::run::{Source, Tokens};

/// Deeper nesting is refused: the parser's time grows with the square of it. Real programs stay below 100.
const MAX_NESTING: usize = 12_000;

/// Parses one file, the `file`-th of its program.
pub fn parse(file: u32, source: &SourceFile, watch: &Watch) -> Lowered<ParsedFile> {
    let (listener, errors) = Listener::new(file, source.text.len(), is_foreign, explain);
    let tokens = Tokens::new(Source::new(Watched { source: rers_c::lex(&source.text), watch: watch.clone() }));
    watch.look_closely()?;
    if let Some(too_deep) = too_deep(&tokens, file) {
        return refuse(too_deep);
    }
    let result = rers_c::parse(tokens, listener.beside(watch.clone()));
    watch.look_closely()?;

    match result {
        Ok(parsed) if errors.is_empty() => Ok(parsed),
        result => {
            let failure = result.err().map(|error| error.to_string());
            Err(errors.into_diagnostics(file, failure).into())
        }
    }
}

/// The first place that is nested too deeply: brackets, `?` within one statement, runs of signs, and
/// statements that stand within others without braces.
fn too_deep(tokens: &Tokens, file: u32) -> Option<Diagnostic> {
    let (mut brackets, mut questions, mut signs, mut heads) = (0usize, 0usize, 0usize, 0usize);
    // How many heads of statements enclose each open block.
    let mut blocks = vec![0];
    for token in tokens.tokens() {
        let text = token.text_or_empty();
        match text {
            "(" | "[" => brackets += 1,
            ")" | "]" => brackets = brackets.saturating_sub(1),
            "{" => {
                brackets += 1;
                blocks.push(heads);
            }
            "}" => {
                brackets = brackets.saturating_sub(1);
                blocks.pop();
                heads = blocks.last().copied().unwrap_or(0);
            }
            ";" => {
                questions = 0;
                heads = blocks.last().copied().unwrap_or(0);
            }
            "?" => questions += 1,
            "if" | "while" => heads += 1,
            // Of a label, not of a `?`.
            ":" if questions == 0 => heads += 1,
            _ => {}
        }
        signs = if matches!(text, "-" | "+" | "!" | "~" | "*" | "&") { signs + 1 } else { 0 };
        if brackets + questions + signs + heads > MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            return Some(Diagnostic::new(token_span(&token, file), message, "this level is one too many"));
        }
    }
    None
}

/// Whether no rule of the grammar accepts a token, whatever stands around it.
fn is_foreign(kind: i32) -> bool {
    [parser::FOREIGN_KEYWORD, parser::DIRECTIVE, parser::UNCLOSED_COMMENT, parser::UNKNOWN].contains(&kind)
}

fn explain(span: Span, kind: Option<i32>, text: &str, message: &str) -> Diagnostic {
    match kind {
        Some(parser::FOREIGN_KEYWORD) => {
            Diagnostic::new(span, format!("`{text}` is outside the subset of C that is read"), "not supported")
                .help("RERS programs use `if`, `while(1)` in main, assignments, calls and `return`")
        }
        Some(parser::DIRECTIVE) => {
            let word = text.split_whitespace().next().unwrap_or(text);
            Diagnostic::new(
                span,
                format!("the directive `{word}` is not supported"),
                "only `#include <...>` is passed over",
            )
            .help("run the C preprocessor first: gcc -E -P")
        }
        Some(parser::UNCLOSED_COMMENT) => {
            Diagnostic::new(span, "this comment is never closed", "expected a `*/` after it")
        }
        Some(parser::UNKNOWN) if matches!(text, "\"" | "'") => {
            Diagnostic::new(span, "this text is never closed", format!("expected another {text} in this line"))
        }
        Some(parser::UNKNOWN) => {
            let message =
                format!("the character {:?} does not belong to the language", text.chars().next().unwrap_or(' '));
            Diagnostic::new(span, message, "unknown character")
        }
        _ => {
            let kind = kind.unwrap_or(antlr4_runtime::TOKEN_EOF);
            let found = if kind == antlr4_runtime::TOKEN_EOF { "end of file".into() } else { format!("`{text}`") };
            let label = match expected(message) {
                Some(expected) => format!("expected {expected}"),
                None => "this does not continue the text before it".into(),
            };
            Diagnostic::new(span, format!("unexpected {found}"), label)
        }
    }
}

/// The tokens that ANTLR would have accepted, in words, from `... expecting {'a', 'b'}` or `missing 'a' at ...`.
fn expected(message: &str) -> Option<String> {
    let words = syntax::expected(message, &|token| match token {
        "Character" => Some("a character"),
        "String" => Some("a text in quotes"),
        "ForeignType" => Some("a type"),
        _ => None,
    })?;
    let has = |word: &str| words.iter().any(|other| other == word);
    const FEW: usize = 8;
    match words.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        // An operator, an operand or a statement: the list of all of them helps nobody.
        _ if has("`if`") && has("`}`") => Some("a statement or `}`".into()),
        _ if has("`if`") => Some("a statement".into()),
        _ if has("`void`") && has("the end of the file") => Some("a declaration or the end of the file".into()),
        many if has("`void`") && many.len() > FEW => Some("a declaration".into()),
        many if many.len() > FEW && has("`+`") && !has("a name") => {
            Some("an operator or the end of the expression".into())
        }
        many if many.len() > FEW => Some("an expression".into()),
        many => Some(format!("{} or {}", many[..many.len() - 1].join(", "), many[many.len() - 1])),
    }
}
