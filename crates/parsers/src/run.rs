//! The types that generated parsers are generic over, each hidden behind one: the source of tokens, and the listeners
//! for errors and rules.

use std::rc::Rc;

use antlr4_runtime::token::TokenSourceError;
use antlr4_runtime::{
    CommonTokenStream, ErrorListener, ParseListener, Recognizer, SyntaxErrorEvent, TokenId, TokenSink, TokenSource,
    TokenStoreError,
};

/// Some source of tokens.
pub struct Source(Box<dyn TokenSource>);

/// All tokens of a text.
pub type Tokens = CommonTokenStream<Source>;

impl Source {
    pub fn new(source: impl TokenSource + 'static) -> Source {
        Source(Box::new(source))
    }
}

impl TokenSource for Source {
    fn next_token(&mut self, sink: &mut TokenSink<'_>) -> Result<TokenId, TokenStoreError> {
        self.0.next_token(sink)
    }

    fn line(&self) -> usize {
        self.0.line()
    }

    fn column(&self) -> usize {
        self.0.column()
    }

    fn source_name(&self) -> &str {
        self.0.source_name()
    }

    fn source_text(&self) -> Option<Rc<str>> {
        self.0.source_text()
    }

    fn drain_errors(&mut self) -> Vec<TokenSourceError> {
        self.0.drain_errors()
    }

    fn report_error(&self, error: &TokenSourceError) -> bool {
        self.0.report_error(error)
    }

    fn lexer_dfa_string(&self) -> String {
        self.0.lexer_dfa_string()
    }
}

/// The listeners while a text is parsed.
pub struct Listeners {
    pub errors: Errors,
    /// Told of each rule as it begins, and may end the parsing.
    pub rules: Option<Box<dyn ParseListener>>,
}

/// Hears of syntax errors.
pub struct Errors(Box<dyn FnMut(&SyntaxErrorEvent<'_>) + Send>);

impl Errors {
    pub fn new(hear: impl FnMut(&SyntaxErrorEvent<'_>) + Send + 'static) -> Errors {
        Errors(Box::new(hear))
    }
}

impl<R: Recognizer + ?Sized> ErrorListener<R> for Errors {
    fn syntax_error(&mut self, _: &R, event: &SyntaxErrorEvent<'_>) {
        (self.0)(event);
    }
}
