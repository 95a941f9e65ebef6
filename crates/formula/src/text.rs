//! Text to parse trees, for formulas of all kinds; anything else is refused with its place.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use antlr4_runtime::{AntlrError, ParsedFile, SyntaxErrorEvent, Token};
use redoubt_parsers::run::{Errors, Listeners, Source, Tokens};

/// Why a text is no formula, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Mistake {
    /// In bytes.
    pub place: Range<usize>,
    pub message: String,
}

/// More brackets around a place, or operators in one formula, are refused: everything after the parser goes down into
/// formulas level by level.
const MOST_LEVELS: usize = 2_000;

/// Parses a text by a generated parser, given the kinds of tokens that are names and the one that stands for stray
/// characters.
pub fn tree(
    text: &str,
    source: Source,
    parse: fn(Tokens, Listeners) -> Result<ParsedFile, AntlrError>,
    names: &[i32],
    unknown: i32,
) -> Result<ParsedFile, Mistake> {
    let tokens = Tokens::new(source);
    if let Some(place) = too_deep(&tokens, names) {
        return Err(Mistake { place, message: format!("nested more than {MOST_LEVELS} levels deep") });
    }
    let mut listener = Listener { end: text.trim_end().len(), unknown, first: Arc::default() };
    let first = Arc::clone(&listener.first);
    let errors = Errors::new(move |event| listener.hear(event));
    let parsed = parse(tokens, Listeners { errors, rules: None });
    if let Some(mistake) = first.lock().ok().and_then(|mut first| first.take()) {
        return Err(mistake);
    }
    parsed.map_err(|error| Mistake { place: 0..text.len(), message: error.to_string() })
}

/// The first token that is nested too deeply. Every operator counts as a level.
fn too_deep(tokens: &Tokens, names: &[i32]) -> Option<Range<usize>> {
    let (mut brackets, mut operators) = (0usize, 0usize);
    for token in tokens.tokens() {
        match token.text_or_empty() {
            "(" => brackets += 1,
            ")" => brackets = brackets.saturating_sub(1),
            "true" | "false" => {}
            _ if names.contains(&token.token_type()) => {}
            _ => operators += 1,
        }
        if brackets + operators > MOST_LEVELS {
            return Some(token.byte_span().unwrap_or_default());
        }
    }
    None
}

/// Keeps the first syntax error; those after it are mostly its consequences.
struct Listener {
    /// Where the text ends.
    end: usize,
    unknown: i32,
    first: Arc<Mutex<Option<Mistake>>>,
}

impl Listener {
    fn hear(&mut self, event: &SyntaxErrorEvent<'_>) {
        let place = event.span.clone().filter(|span| span.start < self.end).unwrap_or(self.end..self.end);
        let message = match event.offending.as_ref().map(|token| (token.token_type(), token.text_or_empty())) {
            Some((kind, text)) if kind == self.unknown => format!("the character `{text}` does not belong to formulas"),
            Some((kind, text)) if kind != antlr4_runtime::TOKEN_EOF => format!("unexpected `{text}` in a formula"),
            _ => "the formula ends too early".into(),
        };
        if let Ok(mut first) = self.first.lock() {
            first.get_or_insert(Mistake { place, message });
        }
    }
}
