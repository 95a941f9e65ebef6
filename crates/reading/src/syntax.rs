//! ANTLR's complaints about a text, on their way to messages for people.

use std::sync::{Arc, Mutex};

use antlr4_runtime::{ParseListener, SyntaxErrorEvent, Token};
use redoubt_parsers::run::{self, Listeners};

use super::{Diagnostic, Diagnostics};
use redoubt_program::text::Span;

/// An error this few tokens after another one is most likely a consequence of it and says nothing new.
const QUIET: usize = 3;

/// Turns an error into a message: its place, the kind and text of the token there, and ANTLR's own words.
type Explain = fn(Span, Option<i32>, &str, &str) -> Diagnostic;

/// Hears of all syntax errors of a file.
pub struct Listener {
    file: u32,
    /// Where the text ends, for errors that have no place of their own.
    end: u32,
    /// The token of the last error.
    last: Option<usize>,
    errors: Errors,
    /// Whether no rule of the grammar accepts a token, whatever stands around it.
    is_foreign: fn(i32) -> bool,
    explain: Explain,
}

/// The errors that a listener has heard.
#[derive(Clone, Default)]
pub struct Errors(Arc<Mutex<Vec<Diagnostic>>>);

impl Listener {
    pub fn new(file: u32, length: usize, is_foreign: fn(i32) -> bool, explain: Explain) -> (Listener, Errors) {
        let errors = Errors::default();
        let listener = Listener { file, end: length as u32, last: None, errors: errors.clone(), is_foreign, explain };
        (listener, errors)
    }

    /// This as one of the listeners of a parser, beside one that hears of rules.
    pub fn beside(mut self, rules: impl ParseListener + 'static) -> Listeners {
        Listeners { errors: run::Errors::new(move |event| self.hear(event)), rules: Some(Box::new(rules)) }
    }

    fn hear(&mut self, event: &SyntaxErrorEvent<'_>) {
        let token = event.offending.as_ref().map(|token| token.token_id().index());
        let last = std::mem::replace(&mut self.last, token);
        let range = event.span.clone().unwrap_or(self.end as usize..self.end as usize);
        let span = Span { file: self.file, start: range.start as u32, end: range.end as u32 };
        let kind = event.offending.as_ref().map(|token| token.token_type());
        let text = event.offending.as_ref().map_or("", |token| token.text_or_empty());
        let is_near = last.zip(token).is_some_and(|(last, token)| (last..=last + QUIET).contains(&token));
        if is_near && !kind.is_some_and(self.is_foreign) {
            return;
        }
        let diagnostic = (self.explain)(span, kind, text, event.message);
        if let Ok(mut errors) = self.errors.0.lock() {
            errors.push(diagnostic);
        }
    }
}

impl Errors {
    pub fn is_empty(&self) -> bool {
        self.0.lock().is_ok_and(|list| list.is_empty())
    }

    /// All of them, or the parser's own message if there are none.
    pub fn into_diagnostics(self, file: u32, failure: Option<String>) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        let found = self.0.lock().map(|mut list| std::mem::take(&mut *list)).unwrap_or_default();
        found.into_iter().for_each(|diagnostic| diagnostics.push(diagnostic));
        if diagnostics.is_empty() {
            let whole = Span { file, start: 0, end: 0 };
            let message = format!("syntax error: {}", failure.unwrap_or_default());
            diagnostics.push(Diagnostic::new(whole, message, "in this file"));
        }
        diagnostics.sorted()
    }
}

/// The tokens that ANTLR would have accepted, in words, from `... expecting {'a', 'b'}` or `missing 'a' at ...`.
pub fn expected(message: &str, words: &dyn Fn(&str) -> Option<&'static str>) -> Option<Vec<String>> {
    let list = match message.split_once("expecting ") {
        Some((_, list)) => list,
        None => message.strip_prefix("missing ")?.rsplit_once(" at ")?.0,
    };
    // A comma may itself be one of the tokens, quoted.
    let list = list.trim_start_matches('{').trim_end_matches('}').replace("','", "'\u{1}'");
    let word = |token: &str| match (token.trim(), words(token.trim())) {
        (_, Some(word)) => word.into(),
        ("Name", _) => "a name".into(),
        ("Number", _) => "a number".into(),
        ("<EOF>", _) => "the end of the file".into(),
        (other, _) => format!("`{}`", other.trim_matches('\'').replace('\u{1}', ",")),
    };
    Some(list.split(", ").map(word).collect())
}
