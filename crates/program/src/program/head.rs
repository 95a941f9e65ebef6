//! The head of the loop whose body is the step, for those who write invariants into the text of a program.
//!
//! Nothing here changes what a program does.

use crate::text::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopHead {
    /// The loop, from its first word on.
    pub span: Span,
    /// Per variable.
    pub variables: Vec<AtHead>,
    /// Per table.
    pub tables: Vec<AtHead>,
}

/// What the text of a program can say about a variable or a table at the head of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtHead {
    /// This is its name there.
    Called(String),
    /// It has a value, but no name there: it is declared elsewhere, or something else has its name.
    Hidden,
    /// It has no value that anything could read: it is out of scope for good, or not assigned yet.
    Dead,
}
