//! Promotion: sets of lemmas that are inductive by themselves move to the infinite frame.

use std::time::Instant;

use super::Ic3;
use super::frames::Level;
use super::solvers::negation;
use crate::cnf::Lit;
use crate::engine::transition::Transition;
use crate::engine::{Cube, Interrupted, Phase, satisfiable};
use crate::sat::Solver;

impl Ic3<'_> {
    /// F_level and F_{level+1} are equal: their lemmas are inductive.
    pub(super) fn promote_above(&mut self, level: usize) {
        for above in level + 1..=self.frames.top() {
            let lemmas: Vec<Cube> = self.frames.delta(above).cloned().collect();
            for cube in lemmas {
                self.add_lemma(cube, above + 1, Level::Infinite);
            }
        }
    }

    /// Moves the lemmas at the top that are inductive together to the infinite frame: with many
    /// properties the frames may stay apart for the sake of one while the lemmas of another are done.
    pub(super) fn promote_inductive_subset(&mut self) -> Result<(), Interrupted> {
        let start = Instant::now();
        let top = self.frames.top();
        let candidates = self.frames.delta(top).cloned().collect();
        let subset = inductive_subset(self.transition, self.solvers.infinite_mut(), candidates);
        self.statistics.record(Phase::Infinite, start);
        for cube in subset? {
            self.add_lemma(cube, top + 1, Level::Infinite);
        }
        Ok(())
    }
}

/// A lemma that may turn out to be inductive.
struct Candidate {
    cube: Cube,
    /// Says that the lemma holds now.
    holds: Lit,
    /// Says that the lemma is violated next.
    violated: Lit,
}

impl Candidate {
    fn new(transition: &Transition, solver: &mut dyn Solver, cube: Cube) -> Candidate {
        let holds = holds_now(transition, solver, &cube);
        let violated = violated_next(transition, solver, &cube);
        Candidate { cube, holds, violated }
    }
}

/// A literal that says that a lemma holds now.
pub fn holds_now(transition: &Transition, solver: &mut dyn Solver, cube: &Cube) -> Lit {
    let holds = solver.new_var().positive();
    let mut clause: Vec<Lit> = negation(transition, cube).collect();
    clause.push(!holds);
    solver.add_clause(&clause);
    holds
}

/// A literal that says that a lemma is violated next.
pub fn violated_next(transition: &Transition, solver: &mut dyn Solver, cube: &Cube) -> Lit {
    let violated = solver.new_var().positive();
    for &lit in cube.lits() {
        solver.add_clause(&[!violated, transition.next(lit)]);
    }
    violated
}

/// Whether the step that the solver has just found violates a lemma.
pub fn is_violated(transition: &Transition, solver: &dyn Solver, cube: &Cube) -> bool {
    cube.lits().iter().all(|&lit| solver.value(transition.next(lit)) == Some(true))
}

/// The greatest subset of lemmas that is inductive together with the solver's clauses: Houdini (Flanagan, Leino, FME
/// 2001), with steps that drop every lemma a model violates.
fn inductive_subset(
    transition: &Transition,
    solver: &mut dyn Solver,
    lemmas: Vec<Cube>,
) -> Result<Vec<Cube>, Interrupted> {
    let new = |cube| Candidate::new(transition, solver, cube);
    let mut candidates: Vec<Candidate> = lemmas.into_iter().map(new).collect();
    let guards: Vec<Lit> = candidates.iter().flat_map(|candidate| [candidate.holds, candidate.violated]).collect();
    let result = loop {
        match has_violation(transition, solver, &candidates) {
            Ok(false) => break Ok(candidates.into_iter().map(|c| c.cube).collect()),
            Ok(true) => candidates.retain(|c| !is_violated(transition, solver, &c.cube)),
            Err(interrupted) => break Err(interrupted),
        }
    };
    for guard in guards {
        solver.add_clause(&[!guard]);
    }
    result
}

/// Does a step from where all candidates hold lead to where one does not?
fn has_violation(
    transition: &Transition,
    solver: &mut dyn Solver,
    candidates: &[Candidate],
) -> Result<bool, Interrupted> {
    if candidates.is_empty() {
        return Ok(false);
    }
    let mut assumptions: Vec<Lit> = transition.stop().map(|stop| !stop).into_iter().collect();
    assumptions.extend(candidates.iter().map(|candidate| candidate.holds));
    let some_violated: Vec<Lit> = candidates.iter().map(|c| c.violated).collect();
    satisfiable(solver.solve_with(&assumptions, Some(&some_violated)))
}
