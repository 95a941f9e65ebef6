//! Properties of whole runs: formulas of linear and of branching time, and fairness.
//!
//! A formula is about the *positions* of a run. Every step is one; so is the initial state, before the first step, if
//! the formula mentions nothing that only a step has. The propositions that are true at a position are the
//! [atoms](super::PropertyKind::Atom) that the step reaches, or the setup. Only infinite runs count, and of these only
//! fair ones.

use redoubt_formula::{Branching, Formula};

use super::{PropertyId, Status};
use crate::text::Span;

/// A property of whole runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    pub name: String,
    pub span: Span,
    /// The author's expectation.
    pub expected: Option<Status>,
    pub question: Question,
    /// The propositions of the question, by number.
    pub atoms: Vec<PropertyId>,
    /// Whether the initial state is a position.
    pub from_start: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Every fair run satisfies this from its first position on.
    Linear(Formula),
    /// Every first position from which a fair run goes on satisfies this.
    Branching(Branching<usize>),
}

/// Something happens infinitely often. If it is asked for `when` something else does (strong fairness, or compassion), runs
/// on which that happens only finitely often are fair as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fairness {
    pub recurs: PropertyId,
    pub when: Option<PropertyId>,
}
