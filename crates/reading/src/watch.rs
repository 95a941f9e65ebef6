//! Looks at an interrupt now and then while a text is read, so that reading a large one can be given up.
//!
//! ANTLR reads all tokens first, then parses: a [`Watched`] source ends the tokens early, and the watch itself, as a
//! listener of the parser, ends the parsing. Whatever they leave behind is thrown away.

use antlr4_runtime::token::TokenSourceError;
use antlr4_runtime::{
    AntlrError, EnterRuleEvent, ParseListener, TokenId, TokenSink, TokenSource, TokenSpec, TokenStoreError,
};
use redoubt_base::Interrupt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reading was ended before it was done.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted;

/// Asked at every node, looks at the interrupt at some. Clones watch together: once one of them has seen it raised, all
/// say so, even if its deadline is moved afterwards.
#[derive(Clone, Debug)]
pub struct Watch {
    interrupt: Interrupt,
    seen: Arc<AtomicBool>,
    asked: u32,
}

/// Looking at a deadline takes longer than reading a node does.
const NODES_A_LOOK: u32 = 256;

impl Watch {
    pub fn new(interrupt: &Interrupt) -> Watch {
        Watch { interrupt: interrupt.clone(), seen: Arc::default(), asked: 0 }
    }

    pub fn look(&mut self) -> Result<(), Interrupted> {
        self.asked = self.asked.wrapping_add(1);
        if self.asked.is_multiple_of(NODES_A_LOOK) { self.look_closely() } else { Ok(()) }
    }

    /// Looks at the interrupt this time.
    pub fn look_closely(&self) -> Result<(), Interrupted> {
        if !self.seen.load(Ordering::Relaxed) && !self.interrupt.is_raised() {
            return Ok(());
        }
        self.seen.store(true, Ordering::Relaxed);
        Err(Interrupted)
    }
}

impl ParseListener for Watch {
    fn enter_every_rule(&mut self, _: &EnterRuleEvent<'_>) -> Result<(), AntlrError> {
        self.look().map_err(|Interrupted| AntlrError::Unsupported("interrupted".into()))
    }
}

/// The tokens of a source up to the moment when the interrupt is raised.
pub struct Watched<S> {
    pub source: S,
    pub watch: Watch,
}

impl<S: TokenSource> TokenSource for Watched<S> {
    fn next_token(&mut self, sink: &mut TokenSink<'_>) -> Result<TokenId, TokenStoreError> {
        match self.watch.look() {
            Ok(()) => self.source.next_token(sink),
            Err(Interrupted) => sink.push(TokenSpec::eof(0, 0, self.line(), self.column())),
        }
    }

    fn line(&self) -> usize {
        self.source.line()
    }

    fn column(&self) -> usize {
        self.source.column()
    }

    fn source_name(&self) -> &str {
        self.source.source_name()
    }

    fn source_text(&self) -> Option<Rc<str>> {
        self.source.source_text()
    }

    fn drain_errors(&mut self) -> Vec<TokenSourceError> {
        self.source.drain_errors()
    }

    fn report_error(&self, error: &TokenSourceError) -> bool {
        self.source.report_error(error)
    }

    fn lexer_dfa_string(&self) -> String {
        self.source.lexer_dfa_string()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_one_has_seen_all_have() {
        let interrupt = Interrupt::after(Duration::ZERO);
        let watch = Watch::new(&interrupt);
        let mut other = watch.clone();
        assert!((0..NODES_A_LOOK).any(|_| other.look().is_err()));
        interrupt.set_deadline(None);
        assert!(!interrupt.is_raised() && watch.look_closely().is_err());
        assert!(Watch::new(&interrupt).look_closely().is_ok());
    }
}
