//! An invariant in, one with fewer clauses out: those that it takes to exclude the property and stay an invariant.
//!
//! First the clauses that refutations need, beginning with that of the property (Ivrii, Gurfinkel and Belov, "Small inductive
//! safe invariants", FMCAD 2014). Then each of these is left out, with all that is not inductive without it, if the rest
//! still excludes the property.

use crate::cnf::Lit;
use crate::engine::transition::Transition;
use crate::engine::{Interrupted, Invariant, Statistics, interruptible, satisfiable};
use crate::sat::{Backend, Solver};
use redoubt_base::Interrupt;

/// A minimal subset of an invariant that excludes the first property, and is an invariant.
pub fn minimal(
    transition: &Transition,
    invariant: &Invariant,
    interrupt: &Interrupt,
    statistics: &mut Statistics,
) -> Result<Invariant, Interrupted> {
    let mut clauses = Clauses::new(transition, invariant, interrupt);
    let mut kept = clauses.support()?;
    for clause in kept.clone().into_iter().rev() {
        if !kept.contains(&clause) {
            continue;
        }
        let rest = kept.iter().copied().filter(|&other| other != clause).collect();
        if let Some(inductive) = clauses.inductive(rest)? {
            kept = inductive;
        }
    }
    statistics.add_solver(clauses.solver.statistics());
    Ok(Invariant { clauses: kept.into_iter().map(|clause| invariant.clauses[clause].clone()).collect() })
}

/// Each clause holds if its literal is assumed.
struct Clauses<'i> {
    transition: &'i Transition,
    invariant: &'i Invariant,
    solver: Box<dyn Solver>,
    assumed: Vec<Lit>,
}

impl<'i> Clauses<'i> {
    fn new(transition: &'i Transition, invariant: &'i Invariant, interrupt: &Interrupt) -> Self {
        let mut solver = interruptible(Backend::Cadical, interrupt);
        transition.load(solver.as_mut());
        transition.load_constraints(solver.as_mut());
        let mut assumed = Vec::new();
        for clause in &invariant.clauses {
            let lit = solver.new_var().positive();
            let mut guarded: Vec<Lit> = clause.iter().map(|&lit| transition.current(lit)).collect();
            guarded.push(!lit);
            solver.add_clause(&guarded);
            assumed.push(lit);
        }
        Clauses { transition, invariant, solver, assumed }
    }

    /// Refutes that some of these clauses hold and a question has an answer.
    fn is_refuted(&mut self, by: &[usize], mut question: Vec<Lit>) -> Result<bool, Interrupted> {
        question.extend(by.iter().map(|&clause| self.assumed[clause]));
        Ok(!satisfiable(self.solver.solve(&question))?)
    }

    fn is_bad(&self) -> Vec<Lit> {
        vec![self.transition.bad(0)]
    }

    /// A step leads to where the clause is false.
    fn is_left(&self, clause: usize) -> Vec<Lit> {
        // A step that stops has no successor.
        let goes_on = self.transition.stop().map(|stop| !stop);
        self.invariant.clauses[clause].iter().map(|&lit| self.transition.next(!lit)).chain(goes_on).collect()
    }

    /// The clauses that are needed, each because of another one or the property.
    fn support(&mut self) -> Result<Vec<usize>, Interrupted> {
        let all: Vec<usize> = (0..self.assumed.len()).collect();
        let mut needed = Vec::new();
        let mut asked = 0;
        loop {
            let question = match asked {
                0 => self.is_bad(),
                _ => self.is_left(needed[asked - 1]),
            };
            if !self.is_refuted(&needed, question.clone())? {
                assert!(self.is_refuted(&all, question)?, "an invariant refutes what it excludes");
                let used = all.iter().copied().filter(|&clause| self.solver.failed(self.assumed[clause]));
                let new: Vec<usize> = used.filter(|clause| !needed.contains(clause)).collect();
                needed.extend(new);
            }
            if asked == needed.len() {
                return Ok(needed);
            }
            asked += 1;
        }
    }

    /// The largest inductive subset of some clauses, if it excludes the property.
    fn inductive(&mut self, mut clauses: Vec<usize>) -> Result<Option<Vec<usize>>, Interrupted> {
        let mut place = 0;
        loop {
            let bad = self.is_bad();
            if place == 0 && !self.is_refuted(&clauses, bad)? {
                return Ok(None);
            }
            let Some(&clause) = clauses.get(place) else { return Ok(Some(clauses)) };
            let left = self.is_left(clause);
            if self.is_refuted(&clauses, left)? {
                place += 1;
            } else {
                clauses.remove(place);
                place = 0;
            }
        }
    }
}
