//! Relational models to verdicts: invariants, formulas of linear and of branching time, and distances, in one ledger.
//!
//! ```text
//! obligations   what the text must not do for any values of variables: a case without a branch, a value out of range
//! diagrams      all kinds of questions, about one relation between states
//! circuits      invariants, by the engines for circuits; a formula of linear time as a justice property of a larger model
//! execution     runs of the model, replayed on its words, with formulas evaluated on them
//! ```
//!
//! Steps may be missing: a state without successor is the end of a finite run, which counts for invariants, and of no infinite
//! one, so that it does not count for formulas.

mod circuits;
mod diagrams;
pub mod execution;
mod lasso;
pub mod obligations;
mod strategy;
mod subject;
#[cfg(test)]
mod tests;

use std::io;

use crate::base::Limits;
use crate::ledger::{self, Order, Strategy, Terms};
use crate::program::PropertyId;
use crate::witness::shorten::Budget;

pub use execution::Execution;
pub use subject::{Account, Certificate, Questions};

pub type Answer = ledger::Answer<Execution, Certificate>;
pub type News<'n> = ledger::News<'n, Execution, Certificate>;
pub type Finding = ledger::Finding<Execution, Certificate>;
pub type Report = ledger::Report<Execution, Certificate, Account>;

/// The questions to answer, and the means.
#[derive(Clone, Debug)]
pub struct Options {
    pub limits: Limits,
    /// The specifications to decide, ascending; all that have a meaning if `None`.
    pub properties: Option<Vec<PropertyId>>,
    /// Check certificates.
    pub confirm: bool,
    pub threads: usize,
}

/// Answers questions about a model; `hear` is told of each finding as soon as it is known. Only a journal that cannot be
/// written makes this fail.
pub fn decide(
    questions: &Questions,
    options: &Options,
    terms: &Terms<Execution>,
    hear: &mut dyn FnMut(News),
) -> io::Result<Report> {
    let shortening = Budget::none();
    let order = Order {
        properties: options.properties.as_deref(),
        limits: &options.limits,
        confirm: options.confirm,
        shortening: &shortening,
        terms,
    };
    let in_turns = strategy::InTurns { options };
    let lanes: [&[&dyn Strategy<Questions>]; 1] = [&[&in_turns]];
    ledger::keep(questions, &order, &lanes, hear).report()
}
