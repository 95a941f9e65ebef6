//! One SAT solver per frame, and the queries that are put to them.
//!
//! The solver of F_i holds one copy of the logic, the constraints and the lemmas of F_i; the one of F_0
//! the reset values instead; the one of F_inf only what always holds. A lemma at level i is a clause in
//! the solvers 1 to i. The alternative is one solver with an activation literal per frame; which is better
//! has not been measured here.

use super::frames::{Frames, Level};
use crate::cnf::Lit;
use crate::engine::transition::Transition;
use crate::engine::{Cube, Interrupted, StateLit, Statistics, interruptible, satisfiable};
use crate::sat::{Backend, Solver};
use redoubt_base::Interrupt;

/// A solver with this many dead activation variables is rebuilt from its frame.
pub const RETIRED_LIMIT: u64 = 2_000;

pub struct FrameSolvers<'a> {
    transition: &'a Transition,
    backend: Backend,
    interrupt: Interrupt,
    finite: Vec<Box<dyn Solver>>,
    infinite: Box<dyn Solver>,
    assumptions: Vec<Lit>,
    clause: Vec<Lit>,
}

/// Whether a cube is inductive relative to a frame.
pub enum Induction {
    /// No step from outside the cube leads into it. The literals among these already see to that.
    Holds(Vec<StateLit>),
    /// Some state of the frame outside the cube has a successor in it; the solver has the model.
    Fails,
}

impl<'a> FrameSolvers<'a> {
    /// With the solvers of F_0 and F_inf.
    pub fn new(transition: &'a Transition, backend: Backend, interrupt: &Interrupt) -> Self {
        let fresh = || {
            let mut solver = interruptible(backend, interrupt);
            transition.load(solver.as_mut());
            transition.load_constraints(solver.as_mut());
            solver
        };
        let mut initial = fresh();
        transition.load_initial(initial.as_mut());
        FrameSolvers {
            transition,
            backend,
            interrupt: interrupt.clone(),
            finite: vec![initial],
            infinite: fresh(),
            assumptions: Vec::new(),
            clause: Vec::new(),
        }
    }

    /// A solver for the frame that was just added to the top.
    pub fn extend(&mut self, frames: &Frames) {
        let solver = self.solver_of_frame(frames, frames.top());
        self.finite.push(solver);
    }

    fn solver_of_frame(&self, frames: &Frames, level: usize) -> Box<dyn Solver> {
        let mut solver = interruptible(self.backend, &self.interrupt);
        self.transition.load(solver.as_mut());
        self.transition.load_constraints(solver.as_mut());
        self.transition.prefer_initial(solver.as_mut());
        for cube in frames.lemmas(level) {
            let clause: Vec<Lit> = negation(self.transition, cube).collect();
            solver.add_clause(&clause);
        }
        solver
    }

    /// Adds the lemma that blocks this cube to the frames from level `from` on.
    pub fn add_lemma(&mut self, cube: &Cube, from: usize, to: Level) {
        let clause: Vec<Lit> = negation(self.transition, cube).collect();
        let last = match to {
            Level::Finite(level) => level,
            Level::Infinite => {
                self.infinite.add_clause(&clause);
                self.finite.len() - 1
            }
        };
        for solver in &mut self.finite[from..=last] {
            solver.add_clause(&clause);
        }
    }

    pub fn solver(&self, level: Level) -> &dyn Solver {
        match level {
            Level::Finite(level) => self.finite[level].as_ref(),
            Level::Infinite => self.infinite.as_ref(),
        }
    }

    fn solver_mut(&mut self, level: Level) -> &mut dyn Solver {
        match level {
            Level::Finite(level) => self.finite[level].as_mut(),
            Level::Infinite => self.infinite.as_mut(),
        }
    }

    /// Is there a state in this frame at which the property is bad? Its step may stop the run.
    pub fn has_bad(&mut self, level: Level, property: usize) -> Result<bool, Interrupted> {
        let bad = self.transition.bad(property);
        satisfiable(self.solver_mut(level).solve(&[bad]))
    }

    /// Is there a state of this cube in this frame?
    pub fn has_state(&mut self, level: Level, cube: &Cube) -> Result<bool, Interrupted> {
        let lits = cube.lits().iter();
        let assumptions: Vec<Lit> = lits.map(|&lit| self.transition.current(lit)).collect();
        satisfiable(self.solver_mut(level).solve(&assumptions))
    }

    /// Is there a step from this frame, outside the cube if so asked, into the cube? It must not stop
    /// the run. Literals in front are likelier to be in the core.
    pub fn induction(&mut self, level: Level, lits: &[StateLit], outside: bool) -> Result<Induction, Interrupted> {
        let transition = self.transition;
        let mut assumptions = std::mem::take(&mut self.assumptions);
        let mut clause = std::mem::take(&mut self.clause);
        assumptions.clear();
        assumptions.extend(transition.stop().map(|stop| !stop));
        assumptions.extend(lits.iter().map(|&lit| transition.next(lit)));
        clause.clear();
        if outside {
            clause.extend(lits.iter().map(|&lit| !transition.current(lit)));
        }
        let solver = self.solver_mut(level);
        let answer = solver.solve_with(&assumptions, outside.then_some(&clause));
        self.assumptions = assumptions;
        self.clause = clause;
        if satisfiable(answer)? {
            return Ok(Induction::Fails);
        }
        let solver = self.solver(level);
        let in_core = |lit: &StateLit| solver.failed(transition.next(*lit));
        Ok(Induction::Holds(lits.iter().copied().filter(in_core).collect()))
    }

    pub fn infinite_mut(&mut self) -> &mut dyn Solver {
        self.infinite.as_mut()
    }

    /// Rebuilds solvers that are full of the remains of temporary clauses.
    pub fn tidy(&mut self, frames: &Frames, statistics: &mut Statistics) {
        for level in 1..self.finite.len() {
            if self.finite[level].statistics().retired > RETIRED_LIMIT {
                statistics.add_solver(self.finite[level].statistics());
                statistics.solver_rebuilds += 1;
                self.finite[level] = self.solver_of_frame(frames, level);
            }
        }
    }

    pub fn propagations(&self) -> u64 {
        self.finite.iter().chain([&self.infinite]).map(|solver| solver.statistics().propagations).sum()
    }

    pub fn add_statistics(&self, statistics: &mut Statistics) {
        for solver in self.finite.iter().chain([&self.infinite]) {
            statistics.add_solver(solver.statistics());
        }
    }
}

/// The lemma that blocks a cube, as a clause over the current state.
pub fn negation<'t>(transition: &'t Transition, cube: &'t Cube) -> impl Iterator<Item = Lit> + 't {
    cube.lits().iter().map(|&lit| !transition.current(lit))
}
