//! BatSat (Cruanes), a MiniSat in Rust, as a [`Solver`].
//!
//! A temporary clause is guarded by a fresh activation variable, assumed in its call and then retired
//! by a unit clause, as in Een and Sorensson, "Temporal Induction by Incremental SAT Solving", 2003.

use batsat::{BasicSolver, SolverInterface, lbool};

use super::{Answer, Interrupt, Solver, Statistics};
use crate::cnf::{Lit, Var};

#[derive(Default)]
pub struct Batsat {
    solver: BasicSolver,
    interrupt: Interrupt,
    solves: u64,
    retired: u64,
    buffer: Vec<batsat::Lit>,
}

fn foreign(lit: Lit) -> batsat::Lit {
    batsat::Lit::new(batsat::Var::unsafe_from_idx(lit.var().0), !lit.is_negative())
}

impl Solver for Batsat {
    fn new_var(&mut self) -> Var {
        Var(self.solver.new_var_default().idx())
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.buffer.clear();
        self.buffer.extend(clause.iter().copied().map(foreign));
        self.solver.add_clause_reuse(&mut self.buffer);
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: Option<&[Lit]>) -> Answer {
        self.solves += 1;
        if self.interrupt.is_raised() {
            return Answer::Unknown;
        }
        let activation = temporary.map(|clause| {
            let activation = self.new_var().positive();
            let mut guarded = clause.to_vec();
            guarded.push(!activation);
            self.add_clause(&guarded);
            activation
        });
        // The activation literal comes first: the clause is there before any assumption is made.
        let all: Vec<batsat::Lit> = activation.iter().chain(assumptions).copied().map(foreign).collect();
        let answer = self.solver.solve_limited(&all);
        if let Some(activation) = activation {
            self.retired += 1;
            self.add_clause(&[!activation]);
        }
        if answer == lbool::TRUE {
            Answer::Satisfiable
        } else if answer == lbool::FALSE {
            Answer::Unsatisfiable
        } else {
            Answer::Unknown
        }
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        let value = self.solver.value_lit(foreign(lit));
        (value != lbool::UNDEF).then(|| value == lbool::TRUE)
    }

    fn failed(&self, assumption: Lit) -> bool {
        // BatSat keeps the core as the clause it refutes: negated.
        self.solver.unsat_core_contains_lit(foreign(!assumption))
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt.clone();
        self.solver.cb_mut().set_stop(move || interrupt.is_raised());
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            solves: self.solves,
            decisions: self.solver.num_decisions(),
            propagations: self.solver.num_propagations(),
            conflicts: self.solver.num_conflicts(),
            ticks: 0,
            retired: self.retired,
        }
    }
}
