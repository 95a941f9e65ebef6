//! Text to parse tree. Names that a `typedef` declares are told to the parser as such before it starts.

use std::rc::Rc;

use antlr4_runtime::token::TokenSourceError;
use antlr4_runtime::{ParsedFile, Token, TokenId, TokenSink, TokenSource, TokenSpec, TokenStoreError};
use rustc_hash::FxHashSet;

use crate::headers;
use redoubt_parsers::c::{self, names};
use redoubt_parsers::run::{Source, Tokens};
use redoubt_program::text::{SourceFile, Span};
use redoubt_reading::Diagnostic;
use redoubt_reading::c_common::complain;
use redoubt_reading::c_common::nesting::Nesting;
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_reading::syntax::{self, Listener};
use redoubt_reading::watch::{Watch, Watched};

const NESTING: Nesting =
    Nesting { most: 4_000, to_the_right: &["?", "="], heads: &["if", "while", "for", "do", "switch", "case"] };

/// Parses one file, the `file`-th of its program.
pub fn parse(file: u32, source: &SourceFile, watch: &Watch) -> Lowered<ParsedFile> {
    let (listener, errors) = Listener::new(file, source.text.len(), is_foreign, explain);
    let tokens = Tokens::new(Source::new(Watched { source: c::lex(&source.text), watch: watch.clone() }));
    watch.look_closely()?;
    if let Some(too_deep) = NESTING.too_deep(&tokens, file) {
        return refuse(too_deep);
    }
    let tokens = Tokens::new(Source::new(relabelled(&tokens, &source.text)));
    let result = c::parse(tokens, listener.beside(watch.clone()));
    watch.look_closely()?;
    match result {
        Ok(parsed) if errors.is_empty() => Ok(parsed),
        result => {
            let failure = result.err().map(|error| error.to_string());
            Err(errors.into_diagnostics(file, failure).into())
        }
    }
}

/// The tokens once more, with names of types marked as such from where they are declared.
fn relabelled(tokens: &Tokens, text: &str) -> Relabelled {
    let mut typedefs = Typedefs::default();
    let specs = tokens.tokens().map(|token| {
        let is_eof = token.token_type() == antlr4_runtime::TOKEN_EOF;
        let range = token.byte_span().unwrap_or(text.len()..text.len());
        let is_hidden = token.channel() != antlr4_runtime::DEFAULT_CHANNEL;
        if is_hidden {
            typedefs.known.extend(headers::types_of(token.text_or_empty()).map(str::to_string));
        }
        let is_type = !is_hidden && typedefs.next(token.token_type(), token.text_or_empty());
        TokenSpec {
            token_type: if is_type { names::TYPE_NAME } else { token.token_type() },
            channel: token.channel(),
            start: token.start(),
            stop: token.stop(),
            start_byte: range.start,
            stop_byte: range.end,
            line: token.line(),
            column: token.column(),
            text: is_eof.then(|| "<EOF>".to_owned()),
            source_backed: !is_eof,
        }
    });
    Relabelled { specs: specs.collect::<Vec<_>>().into_iter(), text: text.into() }
}

/// Types that the compiler itself knows by these names.
const BUILT_IN: [&str; 1] = ["__builtin_va_list"];

/// Follows the tokens of a file and knows which names are types.
#[derive(Default)]
struct Typedefs {
    known: FxHashSet<String>,
    /// Inside a `typedef`: how many brackets are open, and the name that it seems to declare.
    open: Option<(usize, Option<String>)>,
    /// The token before names a structure, a member or a label next.
    names_follow: bool,
    before: String,
}

impl Typedefs {
    /// Takes the next token; whether it names a type.
    fn next(&mut self, kind: i32, text: &str) -> bool {
        let is_name = kind == names::NAME;
        let is_type = is_name && !self.names_follow && (self.known.contains(text) || BUILT_IN.contains(&text));
        let is_tag = self.names_follow;
        self.names_follow = matches!(text, "struct" | "union" | "enum" | "goto" | "." | "->");
        match (&mut self.open, text) {
            (None, "typedef") => self.open = Some((0, None)),
            (Some((0, name)), ",") => self.known.extend(name.take()),
            (Some((0, name)), ";") => {
                self.known.extend(name.take());
                self.open = None;
            }
            (Some((depth, _)), "(" | "[" | "{") => *depth += 1,
            (Some((depth, _)), ")" | "]" | "}") => *depth = depth.saturating_sub(1),
            // `typedef int (*name)(void)` or `typedef int name[3]`; what stands in braces is something else.
            (Some((depth, name)), _)
                if is_name
                    && !is_type
                    && !is_tag
                    && (*depth == 0 || (*depth == 1 && self.before == "*" && name.is_none())) =>
            {
                *name = Some(text.to_string());
            }
            _ => {}
        }
        self.before.clear();
        self.before.push_str(text);
        is_type
    }
}

/// Tokens that are known already.
struct Relabelled {
    specs: std::vec::IntoIter<TokenSpec>,
    text: Rc<str>,
}

impl TokenSource for Relabelled {
    fn next_token(&mut self, sink: &mut TokenSink<'_>) -> Result<TokenId, TokenStoreError> {
        let end = TokenSpec::eof(0, self.text.len(), self.line(), self.column());
        sink.push(self.specs.next().unwrap_or(end))
    }

    fn line(&self) -> usize {
        self.specs.as_slice().first().map_or(1, |spec| spec.line)
    }

    fn column(&self) -> usize {
        self.specs.as_slice().first().map_or(0, |spec| spec.column)
    }

    fn source_name(&self) -> &str {
        "<tokens>"
    }

    fn source_text(&self) -> Option<Rc<str>> {
        Some(Rc::clone(&self.text))
    }

    fn drain_errors(&mut self) -> Vec<TokenSourceError> {
        vec![]
    }
}

/// Whether no rule of the grammar accepts a token, whatever stands around it.
fn is_foreign(kind: i32) -> bool {
    [names::DIRECTIVE, names::UNCLOSED_COMMENT, names::UNKNOWN].contains(&kind)
}

fn explain(span: Span, kind: Option<i32>, text: &str, message: &str) -> Diagnostic {
    match kind {
        Some(names::DIRECTIVE) => {
            complain::directive(span, text, "only `#include <...>` and line markers are passed over")
        }
        Some(names::UNCLOSED_COMMENT) => complain::unclosed_comment(span),
        Some(names::UNKNOWN) => complain::unknown(span, text, "C"),
        _ => complain::unexpected(span, kind, text, expected(message)),
    }
}

/// The tokens that ANTLR would have accepted, in words, if the list is short.
fn expected(message: &str) -> Option<String> {
    const FEW: usize = 8;
    let words = syntax::expected(message, &|token| match token {
        "Character" => Some("a character"),
        "String" => Some("a text in quotes"),
        "TypeName" => Some("a type"),
        _ => None,
    });
    match words.as_deref() {
        Some([one]) => Some(one.clone()),
        Some([many @ .., last]) if many.len() < FEW => Some(format!("{} or {last}", many.join(", "))),
        _ => None,
    }
}
