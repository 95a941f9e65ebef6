//! SAT solvers behind one trait, so that engines and checkers choose theirs by name.

use crate::cnf::{Lit, Var};

/// What a solver says about its clauses under the assumptions of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Satisfiable,
    Unsatisfiable,
    /// The call was interrupted or ran into a limit.
    Unknown,
}

/// An incremental SAT solver.
pub trait Solver {
    /// A variable that no clause has used yet.
    fn new_var(&mut self) -> Var;

    fn add_clause(&mut self, clause: &[Lit]);

    /// Decides the clauses under assumptions that hold for this call only.
    fn solve(&mut self, assumptions: &[Lit]) -> Answer;

    /// After [`Answer::Satisfiable`]: the value of a literal.
    fn value(&self, lit: Lit) -> bool;

    /// After [`Answer::Unsatisfiable`]: whether this assumption was used in the refutation.
    fn failed(&self, assumption: Lit) -> bool;
}
