//! Text to parse trees, of the program and of its comments, with ANTLR's complaints turned into messages for people.

use antlr4_runtime::{ParsedFile, Token};

use crate::ast::Text;
use crate::build::Builder;
use redoubt_parsers::run::{Source, Tokens};
use redoubt_parsers::{st_properties as properties, structured_text as program};
use redoubt_program::text::{SourceFile, Span};
use redoubt_reading::refused::{Lowered, Refused, refuse};
use redoubt_reading::syntax::{self, Listener};
use redoubt_reading::tree::{Names, Tree, token_span};
use redoubt_reading::watch::{Watch, Watched};
use redoubt_reading::{Diagnostic, Diagnostics};

/// More brackets or statements around a place, or operators in one expression, are refused: everything after the parser
/// goes down into expressions level by level.
const MAX_NESTING: usize = 1_000;

const NAMES: Names = Names { token: program::names::NAME, rule: Some(program::names::RULE_NAME) };

const PROPERTY_NAMES: Names = Names { token: properties::names::NAME, rule: Some(properties::names::RULE_NAME) };

/// Parses one file, the `file`-th of its program, and adds its declarations to `text`.
pub fn parse(file: u32, source: &SourceFile, text: &mut Text, watch: &Watch) -> Lowered {
    let (listener, errors) = Listener::new(file, source.text.len(), is_foreign, explain);
    let tokens = Tokens::new(Source::new(Watched { source: program::lex(&source.text), watch: watch.clone() }));
    watch.look_closely()?;
    if let Some(too_deep) = too_deep(&tokens, file, program::names::NAME) {
        return refuse(too_deep);
    }
    let hidden = tokens.tokens().filter(|token| token.token_type() == program::names::SPECIFICATION);
    let comments: Vec<Span> = hidden.map(|token| token_span(&token, file)).collect();
    let result = program::parse(tokens, listener.beside(watch.clone()));
    watch.look_closely()?;
    let parsed = match result {
        Ok(parsed) if errors.is_empty() => parsed,
        result => {
            return Err(errors.into_diagnostics(file, result.err().map(|error| error.to_string())).into());
        }
    };
    let mut builder = Builder { source, watch, diagnostics: Diagnostics::default() };
    if let Some(tree) = Tree::new(parsed.tree(), file, NAMES) {
        builder.file(tree, text)?;
    }
    for comment in comments {
        builder.remarks(comment, text)?;
    }
    if builder.diagnostics.is_empty() { Ok(()) } else { Err(builder.diagnostics.into()) }
}

/// Parses a comment of a file, and hands its tree over.
pub fn parse_comment<T>(
    source: &SourceFile,
    comment: Span,
    watch: &Watch,
    build: impl FnOnce(Tree<'_>) -> Lowered<T>,
) -> Lowered<T> {
    let comment = inside(source, comment);
    let Some(text) = source.text.get(comment.range()) else {
        return refuse(Diagnostic::new(comment, "this comment could not be read", "expected text"));
    };
    let parsed = parse_piece(text, comment.file, watch).map_err(|refused| match refused {
        Refused::Mistakes(mistakes) => Refused::Mistakes(shifted(&mistakes, comment.start)),
        interrupted => interrupted,
    })?;
    match Tree::of_piece(parsed.tree(), comment.file, comment.start, PROPERTY_NAMES) {
        Some(tree) => build(tree),
        None => refuse(Diagnostic::new(comment, "this comment could not be read", "expected properties")),
    }
}

/// A comment without its marks.
fn inside(source: &SourceFile, comment: Span) -> Span {
    let text = source.text.get(comment.range()).unwrap_or_default();
    let front = ["(*@", "(*", "//"].into_iter().find(|mark| text.starts_with(mark)).map_or(0, str::len);
    let is_block = text.starts_with("(*");
    let back = ["@*)", "*)"].into_iter().find(|mark| is_block && text.ends_with(mark)).map_or(0, str::len);
    let end = (comment.end as usize - back).max(comment.start as usize + front);
    Span { start: comment.start + front as u32, end: end as u32, ..comment }
}

fn parse_piece(text: &str, file: u32, watch: &Watch) -> Lowered<ParsedFile> {
    let (listener, errors) = Listener::new(file, text.len(), is_foreign_in_properties, explain_properties);
    let tokens = Tokens::new(Source::new(Watched { source: properties::lex(text), watch: watch.clone() }));
    watch.look_closely()?;
    if let Some(too_deep) = too_deep(&tokens, file, properties::names::NAME) {
        return refuse(too_deep);
    }
    let result = properties::parse(tokens, listener.beside(watch.clone()));
    watch.look_closely()?;
    match result {
        Ok(parsed) if errors.is_empty() => Ok(parsed),
        result => Err(errors.into_diagnostics(file, result.err().map(|error| error.to_string())).into()),
    }
}

/// Messages about a piece of a file that begins there.
fn shifted(mistakes: &Diagnostics, start: u32) -> Diagnostics {
    let mut all = Diagnostics::default();
    for mistake in mistakes.iter() {
        let Span { file, start: from, end } = mistake.span;
        all.push(Diagnostic { span: Span { file, start: start + from, end: start + end }, ..mistake.clone() });
    }
    all
}

/// The first place that is nested too deeply. Every operator counts as a level until its statement is over.
fn too_deep(tokens: &Tokens, file: u32, name: i32) -> Option<Diagnostic> {
    let (mut levels, mut operators) = (0usize, 0usize);
    for token in tokens.tokens().filter(|token| token.channel() == 0) {
        let text = token.text_or_empty();
        match text {
            "(" | "[" => levels += 1,
            ")" | "]" => levels = levels.saturating_sub(1),
            ";" | "," | ":" | ":=" => operators = 0,
            _ if token.token_type() == name || text.starts_with(|c: char| c.is_ascii_digit()) => {}
            _ => match text.to_ascii_uppercase().as_str() {
                "IF" | "CASE" | "FOR" | "WHILE" | "REPEAT" | "STRUCT" | "REGION" => levels += 1,
                "ARRAY" => operators += 1,
                "END_IF" | "END_CASE" | "END_FOR" | "END_WHILE" | "END_REPEAT" | "END_STRUCT" | "END_REGION" => {
                    levels = levels.saturating_sub(1);
                }
                "THEN" | "DO" | "PROPERTY" | "ASSUME" | "CYCLE" | "EXPECT" | "END_VAR" | "VAR" => operators = 0,
                _ => operators += 1,
            },
        }
        if levels + operators > MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            return Some(Diagnostic::new(token_span(&token, file), message, "this level is one too many"));
        }
    }
    None
}

/// Whether no rule of the grammar accepts a token, whatever stands around it.
fn is_foreign(kind: i32) -> bool {
    use program::names::{FOREIGN_KEYWORD, UNCLOSED_COMMENT, UNKNOWN};
    [FOREIGN_KEYWORD, UNCLOSED_COMMENT, UNKNOWN].contains(&kind)
}

fn is_foreign_in_properties(kind: i32) -> bool {
    [properties::names::UNCLOSED_COMMENT, properties::names::UNKNOWN].contains(&kind)
}

fn explain(span: Span, kind: Option<i32>, text: &str, message: &str) -> Diagnostic {
    match kind {
        Some(program::names::FOREIGN_KEYWORD) => foreign(span, text),
        Some(program::names::UNCLOSED_COMMENT) => {
            Diagnostic::new(span, "this comment is never closed", "expected its end")
        }
        Some(program::names::UNKNOWN) => unknown(span, text),
        _ => unexpected(span, kind, text, message, kind == Some(program::names::NAME)),
    }
}

fn explain_properties(span: Span, kind: Option<i32>, text: &str, message: &str) -> Diagnostic {
    match kind {
        Some(properties::names::UNCLOSED_COMMENT) => {
            Diagnostic::new(span, "this comment is never closed", "expected its end")
        }
        Some(properties::names::UNKNOWN) => unknown(span, text),
        _ => unexpected(span, kind, text, message, kind == Some(properties::names::NAME)),
    }
}

fn unknown(span: Span, text: &str) -> Diagnostic {
    let character = text.chars().next().unwrap_or(' ');
    let message = format!("the character {character:?} does not belong to the language");
    Diagnostic::new(span, message, "unknown character")
}

/// A construct of the standard that is not read.
fn foreign(span: Span, text: &str) -> Diagnostic {
    let word = text.to_uppercase();
    let message = match word.as_str() {
        "INITIAL_STEP" | "END_STEP" | "END_TRANSITION" | "END_ACTION" => format!("SFC is not supported yet: {word}"),
        "GOTO" | "JMP" => "jumps are not supported".into(),
        _ => "methods and inheritance are not supported".into(),
    };
    Diagnostic::new(span, message, "not supported")
}

fn unexpected(span: Span, kind: Option<i32>, text: &str, message: &str, is_name: bool) -> Diagnostic {
    let is_end = kind.is_none_or(|kind| kind == antlr4_runtime::TOKEN_EOF);
    let found = if is_end { "end of file".into() } else { format!("`{text}`") };
    let label = match expected(message) {
        Some(expected) => format!("expected {expected}"),
        None => "this does not continue the text before it".into(),
    };
    let diagnostic = Diagnostic::new(span, format!("unexpected {found}"), label);
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic());
    match is_word && !is_end && !is_name && message.contains("Name") {
        true => diagnostic.help(format!("`{text}` is a word of the language and cannot be a name")),
        false => diagnostic,
    }
}

/// The accepted tokens, in words.
fn expected(message: &str) -> Option<String> {
    let words = syntax::expected(message, &|token| match token {
        "Duration" => Some("a time such as `T#1s`"),
        "Text" => Some("a text in quotes"),
        _ => None,
    })?;
    let has = |word: &str| words.iter().any(|other| other.eq_ignore_ascii_case(word));
    const FEW: usize = 6;
    match words.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many if many.len() <= FEW => Some(format!("{} or {}", many[..many.len() - 1].join(", "), many[many.len() - 1])),
        // A list of all of them is no help.
        _ if has("`property`") && has("`+`") => Some("an operator or the next property".into()),
        _ if has("`if`") && has("`+`") => Some("an operator or `;`".into()),
        _ if has("`if`") => Some("a statement or the end of this one".into()),
        _ if has("`program`") => Some("a `PROGRAM`, a `FUNCTION_BLOCK`, a `FUNCTION` or a `TYPE`".into()),
        _ if has("`var_input`") => Some("variables or statements".into()),
        _ if has("`array`") => Some("a type".into()),
        _ if has("`+`") && !has("a number") => Some("an operator or the end of the expression".into()),
        _ if has("a number") => Some("an expression".into()),
        _ => Some("a name".into()),
    }
}
