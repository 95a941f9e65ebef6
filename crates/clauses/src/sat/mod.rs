//! SAT solvers behind one trait, so that engines and checkers choose theirs by name.
//!
//! A solver takes clauses over [`Var`]s it handed out and decides them, again and again, under assumptions. The further
//! needs of IC3 are in the trait too: one temporary clause per call, partial models, and a way to be interrupted from
//! outside.

pub mod batsat;
pub mod cadical;
pub mod cone;
pub mod refutation;

#[cfg(test)]
mod conformance;

use redoubt_base::Interrupt;

use crate::cnf::{Lit, Var};

/// The answer of a solver about its clauses under the assumptions of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Satisfiable,
    Unsatisfiable,
    /// The call was interrupted.
    Unknown,
}

/// The work of a solver so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub solves: u64,
    pub decisions: u64,
    pub propagations: u64,
    pub conflicts: u64,
    /// About the number of touched cache lines, which most of the time goes by; 0 if they are not counted.
    pub ticks: u64,
    /// Variables that guarded temporary clauses and are of no more use. A solver that piles them up is
    /// best rebuilt now and then.
    pub retired: u64,
}

/// An incremental SAT solver.
pub trait Solver {
    /// A variable that no clause has used yet. Variables are numbered from 0 without gaps, except for those that the
    /// solver takes for itself between calls.
    fn new_var(&mut self) -> Var;

    fn add_clause(&mut self, clause: &[Lit]);

    /// Adds clauses that define a variable by others: whatever the values of the operands, exactly one
    /// value of the variable satisfies the clauses. Definitions have no cycles. A solver need not look at
    /// definitions that nothing it is asked about depends on.
    fn add_definition(&mut self, _var: Var, _operands: &[Var], clauses: &[&[Lit]]) {
        for clause in clauses {
            self.add_clause(clause);
        }
    }

    /// Decides the clauses under assumptions that hold for this call only, together with a clause
    /// that holds for this call only (if there is one).
    fn solve_with(&mut self, assumptions: &[Lit], temporary: Option<&[Lit]>) -> Answer;

    fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solve_with(assumptions, None)
    }

    /// After [`Answer::Satisfiable`]: the value of a literal, or `None` if the model is silent about it.
    /// However the variables without a value or definition are set, the definitions give the rest of a
    /// model.
    fn value(&self, lit: Lit) -> Option<bool>;

    /// After [`Answer::Unsatisfiable`]: whether this assumption was used in the refutation.
    fn failed(&self, assumption: Lit) -> bool;

    /// The value to try first when this variable is decided. A hint.
    fn prefer(&mut self, _lit: Lit) {}

    /// From now on calls answer [`Answer::Unknown`] soon after the interrupt is raised.
    fn set_interrupt(&mut self, interrupt: Interrupt);

    /// From now on a call that takes more conflicts than this may answer [`Answer::Unknown`]. A hint.
    fn limit_conflicts(&mut self, _most: u64) {}

    /// From now on a call that takes more ticks than this may answer [`Answer::Unknown`]. A hint.
    fn limit_ticks(&mut self, _most: u64) {}

    fn statistics(&self) -> Statistics;
}

/// The solvers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// CaDiCaL 3: the reference, and the choice for large formulas.
    Cadical,
    /// A MiniSat in Rust.
    Batsat,
    /// Our own, made for IC3.
    Cone,
}

impl Backend {
    pub const ALL: [Backend; 3] = [Backend::Cadical, Backend::Batsat, Backend::Cone];

    pub fn solver(self) -> Box<dyn Solver> {
        match self {
            Backend::Cadical => Box::new(cadical::Cadical::default()),
            Backend::Batsat => Box::new(batsat::Batsat::default()),
            Backend::Cone => Box::new(cone::Cone::default()),
        }
    }
}
