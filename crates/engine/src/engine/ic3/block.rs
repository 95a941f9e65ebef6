//! Blocking: a property is excluded from a frame by blocking its bad states, their predecessors, and so
//! on, or reached because one of these is a reset state.

use std::time::Instant;

use super::Ic3;
use super::frames::Level;
use super::generalize::Effort;
use super::lift::{ModelStep, Target};
use super::obligations::{Obligation, ObligationId, Obligations};
use crate::engine::{Cube, Interrupted, Phase, Trace};

/// The end of a property's turn at one level.
pub enum Blocking {
    /// The frame excludes the property.
    Done,
    Reached(Trace),
    /// Its turn is over; the queue says where to go on.
    OutOfTurn,
}

impl Ic3<'_> {
    /// Excludes a property from F_level, handling at most `turn` obligations.
    pub(super) fn block_property(
        &mut self,
        property: usize,
        level: usize,
        obligations: &mut Obligations,
        turn: &mut u64,
    ) -> Result<Blocking, Interrupted> {
        loop {
            while let Some((at, id)) = obligations.pop() {
                self.statistics.obligations += 1;
                if let Some(first) = self.handle(id, at, level, obligations)? {
                    return Ok(Blocking::Reached(obligations.trace(&self.circuit.latches, first, &[])));
                }
                *turn = turn.saturating_sub(1);
                if *turn == 0 {
                    return Ok(Blocking::OutOfTurn);
                }
            }
            self.solvers.tidy(&self.frames, &mut self.statistics);
            if !self.find_bad(property, level)? {
                return Ok(Blocking::Done);
            }
            let bad = self.lifted(Level::Finite(level), Target::Bad(property), None)?;
            let initial = bad.cube.intersects_initial(&self.circuit.latches);
            let id = obligations.add(bad, level);
            if initial {
                return Ok(Blocking::Reached(obligations.trace(&self.circuit.latches, id, &[])));
            }
        }
    }

    pub(super) fn find_bad(&mut self, property: usize, level: usize) -> Result<bool, Interrupted> {
        let start = Instant::now();
        let answer = self.solvers.has_bad(Level::Finite(level), property);
        self.statistics.record(Phase::Bad, start);
        answer
    }

    /// Blocks an obligation at its level, or adds a predecessor to be blocked first. Returns that
    /// predecessor if it contains a reset state.
    fn handle(
        &mut self,
        id: ObligationId,
        level: usize,
        frontier: usize,
        obligations: &mut Obligations,
    ) -> Result<Option<ObligationId>, Interrupted> {
        let cube = &obligations.get(id).cube;
        let highest = match self.frames.blocking_level(cube, level) {
            Some(Level::Infinite) => return Ok(None),
            Some(Level::Finite(highest)) => highest,
            None => match self.ask_inductive(&cube.clone(), level)? {
                Some(core) => {
                    let effort = Effort::of(obligations, id);
                    let lemma = self.generalize(core, level, effort)?;
                    self.learn(lemma, level)?
                }
                None => return self.add_predecessor(id, level, obligations),
            },
        };
        // The bad states it leads to are as many steps away from any higher frame: block it there
        // before longer ways to them are found.
        if highest < frontier {
            obligations.enqueue(id, highest + 1);
        }
        Ok(None)
    }

    fn ask_inductive(&mut self, cube: &Cube, level: usize) -> Result<Option<Cube>, Interrupted> {
        let start = Instant::now();
        let answer = self.inductive(cube, level);
        self.statistics.record(Phase::Block, start);
        answer
    }

    /// After a query that failed: its model as an obligation one level down, before this one.
    fn add_predecessor(
        &mut self,
        id: ObligationId,
        level: usize,
        obligations: &mut Obligations,
    ) -> Result<Option<ObligationId>, Interrupted> {
        let obligation = obligations.get(id);
        let target = Target::Successor(&obligation.cube);
        let mut predecessor = self.lifted(Level::Finite(level - 1), target, Some(id))?;
        predecessor.depth = obligation.depth + 1;
        let initial = predecessor.cube.intersects_initial(&self.circuit.latches);
        assert!(initial || level > 1, "a predecessor found in the reset states contains one");
        let first = obligations.add(predecessor, level - 1);
        obligations.enqueue(id, level);
        Ok(initial.then_some(first))
    }

    /// The model of the last query to this frame as an obligation.
    fn lifted(
        &mut self,
        level: Level,
        target: Target,
        successor: Option<ObligationId>,
    ) -> Result<Obligation, Interrupted> {
        let start = Instant::now();
        let step = ModelStep::of_model(self.transition, self.solvers.solver(level));
        let cube = self.lifter.lift(&step, target);
        self.statistics.record(Phase::Lift, start);
        let cube = cube?;
        self.statistics.obligation_literals += cube.len() as u64;
        Ok(Obligation { cube, location: 0, inputs: step.inputs, successor, depth: 0, visits: 0 })
    }
}
