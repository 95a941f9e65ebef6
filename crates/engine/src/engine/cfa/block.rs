//! Blocking, as in IC3, with cubes that are somewhere.

use std::time::Instant;

use super::{Cfa, Technique};
use crate::engine::ic3::block::Blocking;
use crate::engine::ic3::frames::Level;
use crate::engine::ic3::generalize::Effort;
use crate::engine::ic3::lift::{ModelStep, Target};
use crate::engine::ic3::obligations::{Obligation, ObligationId, Obligations};
use crate::engine::ic3::solvers::Induction;
use crate::engine::{Cube, Interrupted, Phase, StateLit, Trace};

/// Whether steps lead into a cube.
pub(super) enum Steps {
    /// None does. Per edge, as far as there is anything to say, the literals that see to that.
    None(Vec<(usize, Vec<StateLit>)>),
    /// One does, along this edge, whose solver has the model.
    Along(usize),
}

impl Cfa<'_> {
    pub(super) fn block_at_level(
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
                    return Ok(Blocking::Reached(self.trace(obligations, first)));
                }
                *turn = turn.saturating_sub(1);
                if *turn == 0 {
                    return Ok(Blocking::OutOfTurn);
                }
            }
            for (edge, way) in self.automaton.edges.iter().zip(&mut self.ways) {
                way.solvers.tidy(&self.places[edge.from].frames, &mut self.statistics);
            }
            let Some(edge) = self.find_bad(property, Level::Finite(level))? else { return Ok(Blocking::Done) };
            let bad = self.lifted(edge, level, Target::Bad(property), None)?;
            let initial = self.intersects_initial(&bad.cube, bad.location);
            let id = obligations.add(bad, level);
            if initial {
                return Ok(Blocking::Reached(self.trace(obligations, id)));
            }
        }
    }

    fn trace(&self, obligations: &Obligations, first: ObligationId) -> Trace {
        let location = self.automaton.partition.lits(obligations.get(first).location);
        obligations.trace(&self.automaton.latches, first, location)
    }

    /// An edge along which the property is reached from a frame of its location.
    pub(super) fn find_bad(&mut self, property: usize, level: Level) -> Result<Option<usize>, Interrupted> {
        let start = Instant::now();
        let mut found = Ok(None);
        for (index, edge) in self.automaton.edges.iter().enumerate() {
            if !edge.may_reach[property] || self.is_empty(edge.from, level) {
                continue;
            }
            match self.ways[index].solvers.has_bad(level, property) {
                Ok(false) => {}
                Ok(true) => found = Ok(Some(index)),
                Err(interrupted) => found = Err(interrupted),
            }
            if !matches!(found, Ok(None)) {
                break;
            }
        }
        self.statistics.record(Phase::Bad, start);
        found
    }

    /// Blocks an obligation at its level, or adds a predecessor to be blocked first. Returns that predecessor if it contains
    /// a reset state.
    fn handle(
        &mut self,
        id: ObligationId,
        level: usize,
        frontier: usize,
        obligations: &mut Obligations,
    ) -> Result<Option<ObligationId>, Interrupted> {
        let Obligation { cube, location, .. } = obligations.get(id);
        let (cube, location) = (cube.clone(), *location);
        let known = match self.places[location].empty_up_to {
            Some(Level::Infinite) => Some(Level::Infinite),
            Some(Level::Finite(last)) if last >= level => Some(Level::Finite(last.min(frontier))),
            _ => self.places[location].frames.blocking_level(&cube, level),
        };
        let highest = match known {
            Some(Level::Infinite) => return Ok(None),
            Some(Level::Finite(highest)) => highest,
            None => {
                let start = Instant::now();
                let steps = self.steps_into(&cube, location, level);
                self.statistics.record(Phase::Block, start);
                match steps? {
                    Steps::None(cores) => {
                        let has_effort = self.techniques.has(Technique::Counterexamples);
                        let effort = if has_effort { Effort::of(obligations, id) } else { Effort::NONE };
                        let lemma = self.generalize(&cube, cores, location, level, effort)?;
                        self.learn(lemma, location, level)?
                    }
                    Steps::Along(edge) => return self.add_predecessor(id, edge, level, obligations),
                }
            }
        };
        if highest < frontier {
            obligations.enqueue(id, highest + 1);
        }
        Ok(None)
    }

    /// Whether a step leads into a cube from the frames below a level, by any edge.
    pub(super) fn steps_into(&mut self, cube: &Cube, location: usize, level: usize) -> Result<Steps, Interrupted> {
        let mut lits = cube.lits().to_vec();
        lits.sort_by(|&a, &b| self.places[location].activity.compare(b, a));
        let edges: Vec<usize> = self.entering(location, Level::Finite(level - 1)).collect();
        let has_cache = self.techniques.has(Technique::Cache);
        let mut cores = vec![];
        for edge in edges {
            if has_cache && let Some(core) = self.cache.core(edge, cube, level) {
                cores.push((edge, core));
                continue;
            }
            match self.steps_along(edge, &lits, level)? {
                Induction::Fails => return Ok(Steps::Along(edge)),
                Induction::Holds(core) => {
                    if has_cache {
                        self.cache.blocked(edge, cube, level, &core);
                    }
                    cores.push((edge, core));
                }
            }
        }
        Ok(Steps::None(cores))
    }

    /// Whether a step along an edge leads from the frame below a level, and from outside the cube, into it.
    pub(super) fn steps_along(
        &mut self,
        edge: usize,
        lits: &[StateLit],
        level: usize,
    ) -> Result<Induction, Interrupted> {
        // A cube elsewhere has nothing to do with this one, and no reset state is in the cube.
        let outside = self.automaton.edges[edge].is_loop() && level > 1;
        self.ways[edge].solvers.induction(Level::Finite(level - 1), lits, outside)
    }

    fn add_predecessor(
        &mut self,
        id: ObligationId,
        edge: usize,
        level: usize,
        obligations: &mut Obligations,
    ) -> Result<Option<ObligationId>, Interrupted> {
        let obligation = obligations.get(id);
        let target = Target::Successor(&obligation.cube);
        let mut predecessor = self.lifted(edge, level - 1, target, Some(id))?;
        predecessor.depth = obligation.depth + 1;
        let initial = self.intersects_initial(&predecessor.cube, predecessor.location);
        assert!(initial || level > 1, "a predecessor found in the reset states contains one");
        let first = obligations.add(predecessor, level - 1);
        obligations.enqueue(id, level);
        Ok(initial.then_some(first))
    }

    /// The model of the last query to a frame of an edge as an obligation where the edge begins.
    fn lifted(
        &mut self,
        edge: usize,
        level: usize,
        target: Target,
        successor: Option<ObligationId>,
    ) -> Result<Obligation, Interrupted> {
        let start = Instant::now();
        let step = self.model(edge, level);
        let cube = self.lift(edge, &step, target);
        self.statistics.record(Phase::Lift, start);
        let cube = cube?;
        self.statistics.obligation_literals += cube.len() as u64;
        let location = self.automaton.edges[edge].from;
        Ok(Obligation { cube, location, inputs: step.inputs, successor, depth: 0, visits: 0 })
    }

    pub(super) fn model(&self, edge: usize, level: usize) -> ModelStep {
        let transition = &self.automaton.edges[edge].transition;
        ModelStep::of_model(transition, self.ways[edge].solvers.solver(Level::Finite(level)))
    }

    pub(super) fn lift(&mut self, edge: usize, step: &ModelStep, target: Target) -> Result<Cube, Interrupted> {
        if self.techniques.has(Technique::Lifting) {
            return self.ways[edge].lifter.lift(step, target);
        }
        let values = step.state.iter().enumerate();
        Ok(Cube::new(values.filter_map(|(latch, value)| Some(StateLit::new(latch, (*value)?))).collect()))
    }
}
