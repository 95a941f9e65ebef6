//! A solver that searches for steps that a certificate says do not exist: CaDiCaL (Biere et al.), as little of it as needed.
//!
//! A step that it finds is shown and can be looked at. That there is none has to be believed, unless its proof is
//! written ([`Search::solve_with_proof`]) and checked ([`crate::lrat`]).

use std::io;
use std::path::Path;

use cadical_sys::{CaDiCal, Status, Terminator};
use redoubt_base::Interrupt;

use crate::encode::{Gates, Lit, Part};

pub struct Search {
    solver: CaDiCal,
    /// The gates that the solver has: always the same ones.
    part: Part,
}

/// The result of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    Something,
    /// It was interrupted.
    NotYet,
}

/// Ends a search when an interrupt is raised.
struct Raised {
    interrupt: Interrupt,
    calls: u32,
}

impl Terminator for Raised {
    fn terminated(&mut self) -> bool {
        // This is asked in the innermost loop; the clock is too slow to be read each time.
        self.calls = self.calls.wrapping_add(1);
        self.calls.is_multiple_of(32) && self.interrupt.is_raised()
    }
}

impl Search {
    pub fn new() -> Search {
        let mut solver = CaDiCal::new();
        // Most questions are not satisfiable, so there is no luck to be tried.
        solver.set("lucky", 0);
        Search { solver, part: Part::default() }
    }

    /// From now on some literals hold.
    pub fn require(&mut self, gates: &Gates, lits: &[Lit]) {
        for number in self.numbers(gates, lits) {
            self.solver.add(number);
            self.solver.add(0);
        }
    }

    /// Whether there is an assignment of the gates, with all that they require, in which some literals hold.
    pub fn solve(&mut self, gates: &Gates, assumptions: &[Lit], interrupt: &Interrupt) -> Found {
        for number in self.numbers(gates, assumptions) {
            self.solver.assume(number);
        }
        self.run(interrupt)
    }

    /// The solver's numbers of literals; it gets the gates that they depend on and that it lacks.
    fn numbers(&mut self, gates: &Gates, lits: &[Lit]) -> Vec<i32> {
        let clauses = self.part.clauses(gates, lits);
        clauses.iter().for_each(|&number| self.solver.add(number));
        lits.iter().map(|&lit| self.part.literal(lit).expect("what is asked about has a number")).collect()
    }

    /// Whether a literal holds in the assignment that was found. Literals outside the questions may have any value.
    pub fn holds(&mut self, lit: Lit) -> bool {
        self.part.literal(lit).is_some_and(|number| self.solver.val(number) == number)
    }

    /// All that gates require, as clauses each of which is ended by a 0, and the number of their variables. The solver does not
    /// get them.
    pub fn written(&mut self, gates: &Gates) -> (Vec<i32>, i32) {
        let clauses = self.part.clauses(gates, &[]);
        (clauses, self.part.variables())
    }

    /// Reads clauses from a file, looks for an assignment, and writes to another file why there is none.
    pub fn solve_with_proof(&mut self, clauses: &Path, proof: &Path, interrupt: &Interrupt) -> io::Result<Found> {
        for (option, value) in [("lrat", 1), ("binary", 0)] {
            self.solver.set(option, value);
        }
        let text = |path: &Path| path.to_str().map(String::from).ok_or_else(|| io::Error::other("a path must be text"));
        let (clauses, proof) = (text(clauses)?, text(proof)?);
        if !self.solver.trace_proof2(&proof) {
            return Err(io::Error::other(format!("cannot write {proof}")));
        }
        // Only if it reads the clauses itself does it number them as the format wants.
        self.solver.read_dimacs2(&clauses, &mut 0, 1).map_err(io::Error::other)?;
        let found = self.run(interrupt);
        self.solver.close_proof_trace(false);
        Ok(found)
    }

    fn run(&mut self, interrupt: &Interrupt) -> Found {
        self.solver.connect_terminator(Raised { interrupt: interrupt.clone(), calls: 0 });
        match self.solver.solve() {
            Status::UNSATISFIABLE => Found::Nothing,
            Status::SATISFIABLE => Found::Something,
            Status::UNKNOWN => Found::NotYet,
        }
    }
}
