//! The places of the text that runs come back to, for writing invariants into it.
//!
//! Nothing here changes the behaviour of a program.

use crate::text::Span;

/// The head of the loop whose body is the step, or, in a program with locations, the place of one of them in the text.
///
/// A function that is called at several places has several locations for each of its loops: there are heads with the same
/// span then, and a run that comes to it is at one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopHead {
    /// The loop or the statement, from its first word on.
    pub span: Span,
    pub kind: HeadKind,
    /// The function that it stands in.
    pub function: String,
    /// Where the run is when it is here, if the program has locations.
    pub location: Option<i32>,
    /// Per variable.
    pub variables: Vec<AtHead>,
    /// Per table.
    pub tables: Vec<AtHead>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadKind {
    /// A loop that tests first: a run is here whenever its condition is about to be tested.
    Loop,
    /// Any statement: a run is here when it is about to begin.
    Statement,
}

/// The name for a variable or a table at such a place in the text of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtHead {
    /// This is an expression for its value there, as a number of 32 bits with a sign.
    Called(String),
    /// It has a value, but no name there: it is declared elsewhere, or something else has its name.
    Hidden,
    /// It has no value of interest: it is out of scope for good, or not assigned yet, or dead.
    Dead,
}
