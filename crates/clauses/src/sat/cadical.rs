//! CaDiCaL (Biere et al.) as a [`Solver`].
//!
//! Temporary clauses are its `constrain`, made for IC3: Froleyks and Biere, "Single Clause Assumption
//! without Activation Literals to Speed-up IC3", FMCAD 2021.

use std::cell::RefCell;

use cadical_sys::{CaDiCal, Status, Terminator};

use super::{Answer, Interrupt, Solver, Statistics};
use crate::cnf::{Lit, Var};

pub struct Cadical {
    // Reading a model may first have to extend it to eliminated variables, so `val` is not const.
    solver: RefCell<CaDiCal>,
    variables: u32,
    solves: u64,
    /// The most conflicts that a call may take, and the most ticks.
    conflict_limit: Option<i32>,
    tick_limit: Option<i32>,
    interrupt: Interrupt,
}

impl Default for Cadical {
    fn default() -> Self {
        let mut solver = CaDiCal::new();
        // Lucky phases look at the whole formula on every call, which costs more than most of the
        // small incremental queries they precede.
        solver.set("lucky", 0);
        Cadical {
            solver: RefCell::new(solver),
            variables: 0,
            solves: 0,
            conflict_limit: None,
            tick_limit: None,
            interrupt: Interrupt::default(),
        }
    }
}

impl Solver for Cadical {
    fn new_var(&mut self) -> Var {
        self.variables += 1;
        Var(self.variables - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let solver = self.solver.get_mut();
        for lit in clause {
            solver.add(lit.dimacs());
        }
        solver.add(0);
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: Option<&[Lit]>) -> Answer {
        self.solves += 1;
        if self.interrupt.is_raised() {
            return Answer::Unknown;
        }
        let solver = self.solver.get_mut();
        for lit in assumptions {
            solver.assume(lit.dimacs());
        }
        if let Some(clause) = temporary {
            for lit in clause {
                solver.constrain(lit.dimacs());
            }
            solver.constrain(0);
        }
        if let Some(most) = self.conflict_limit {
            // Limits hold for one call.
            solver.limit("conflicts", most);
        }
        if let Some(most) = self.tick_limit {
            solver.limit("ticks", most);
        }
        match solver.solve() {
            Status::SATISFIABLE => Answer::Satisfiable,
            Status::UNSATISFIABLE => Answer::Unsatisfiable,
            Status::UNKNOWN => Answer::Unknown,
        }
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        // A true literal is its own value, whatever its sign.
        Some(self.solver.borrow_mut().val(lit.dimacs()) == lit.dimacs())
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.solver.borrow_mut().failed(assumption.dimacs())
    }

    fn prefer(&mut self, lit: Lit) {
        self.solver.get_mut().phase(lit.dimacs());
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.solver.get_mut().connect_terminator(Raised::new(&interrupt));
        self.interrupt = interrupt;
    }

    fn limit_conflicts(&mut self, most: u64) {
        self.conflict_limit = Some(i32::try_from(most).unwrap_or(i32::MAX));
    }

    fn limit_ticks(&mut self, most: u64) {
        self.tick_limit = Some(i32::try_from(most).unwrap_or(i32::MAX));
    }

    fn statistics(&self) -> Statistics {
        let solver = self.solver.borrow();
        // CaDiCaL answers -1 for a name it does not know.
        let count = |name| u64::try_from(solver.get_statistic_value(name)).unwrap_or(0);
        Statistics {
            solves: self.solves,
            decisions: count("decisions"),
            propagations: count("propagations"),
            conflicts: count("conflicts"),
            ticks: count("ticks"),
            retired: 0,
        }
    }
}

/// Ends a call when an interrupt is raised.
pub struct Raised {
    interrupt: Interrupt,
    calls: u32,
}

impl Raised {
    pub fn new(interrupt: &Interrupt) -> Raised {
        Raised { interrupt: interrupt.clone(), calls: 0 }
    }
}

impl Terminator for Raised {
    fn terminated(&mut self) -> bool {
        // CaDiCaL asks in its innermost loop; the clock is too slow to be read each time.
        self.calls = self.calls.wrapping_add(1);
        self.calls.is_multiple_of(32) && self.interrupt.is_raised()
    }
}
