//! Generalization, edge by edge: from a cube into which no edge leads to one with fewer literals.
//!
//! On an edge from elsewhere a cube with more literals is blocked if one with fewer is, so what the edges need can be
//! put together. On the edge from a location to itself that is not so, since it is assumed there that the step starts
//! outside the cube: this edge comes last and keeps what the others need.

use std::time::Instant;

use super::block::Steps;
use super::{Cfa, Technique};
use crate::engine::ic3::frames::Level;
use crate::engine::ic3::generalize::Effort;
use crate::engine::ic3::lift::{ModelStep, Target};
use crate::engine::ic3::solvers::Induction;
use crate::engine::{Cube, Interrupted, Phase, StateLit};

/// What a cube is to be generalised on.
#[derive(Clone, Copy)]
struct At {
    edge: usize,
    location: usize,
    level: usize,
    is_loop: bool,
}

impl Cfa<'_> {
    /// Shrinks a cube that is blocked on every edge into its location; per edge, the literals that see to that.
    pub(super) fn generalize(
        &mut self,
        cube: &Cube,
        cores: Vec<(usize, Vec<StateLit>)>,
        location: usize,
        level: usize,
        effort: Effort,
    ) -> Result<Cube, Interrupted> {
        let start = Instant::now();
        let result = self.generalize_on_edges(cube, cores, location, level, effort);
        self.statistics.record(Phase::Generalize, start);
        result
    }

    fn generalize_on_edges(
        &mut self,
        cube: &Cube,
        cores: Vec<(usize, Vec<StateLit>)>,
        location: usize,
        level: usize,
        effort: Effort,
    ) -> Result<Cube, Interrupted> {
        let mut kept: Vec<StateLit> = vec![];
        for (edge, core) in cores {
            let at = At { edge, location, level, is_loop: self.automaton.edges[edge].is_loop() };
            if at.is_loop {
                self.repair_initiation(&mut kept, cube.lits(), location);
            }
            let has_carrying = self.techniques.has(Technique::Carrying) || at.is_loop;
            let fixed = if has_carrying { kept.clone() } else { vec![] };
            let general = if self.techniques.has(Technique::Generalization) {
                self.generalize_on(at, cube, core, &fixed, effort)?
            } else {
                core
            };
            kept.extend(general);
        }
        self.repair_initiation(&mut kept, cube.lits(), location);
        let lemma = Cube::new(kept);
        self.places[location].activity.bump(&lemma);
        Ok(lemma)
    }

    /// Where runs start, something must tell a cube from the reset states: if nothing does, the first literal among all
    /// that can.
    pub(super) fn repair_initiation(&self, kept: &mut Vec<StateLit>, all: &[StateLit], location: usize) {
        let differs = |lit: &StateLit| lit.contradicts_reset(&self.automaton.latches);
        if self.automaton.is_entry(location) && !kept.iter().any(differs) {
            kept.extend(all.iter().find(|lit| differs(lit)));
        }
    }

    /// Literals that, with those that are kept anyway, block the cube on one edge.
    fn generalize_on(
        &mut self,
        at: At,
        cube: &Cube,
        core: Vec<StateLit>,
        kept: &[StateLit],
        effort: Effort,
    ) -> Result<Vec<StateLit>, Interrupted> {
        let has_cache = self.techniques.has(Technique::Cache);
        let known = if has_cache { self.cache.general(at.edge, cube) } else { None };
        // What is kept anyway may do, or what did at another level.
        for guess in [(!kept.is_empty()).then(Vec::new), known].into_iter().flatten() {
            if let Some(general) = self.blocked_with(at, Cube::new(guess), kept)? {
                return Ok(general.lits().to_vec());
            }
        }
        let mut general = with(Cube::new(core), kept);
        let mut required = kept.to_vec();
        let mut order = general.filter(|lit| !kept.contains(&lit)).lits().to_vec();
        order.sort_by(|&a, &b| self.places[at.location].activity.compare(a, b));
        for lit in order {
            if !general.contains(lit) {
                continue;
            }
            match self.down(at, general.without(lit), kept, &required, effort)? {
                Some(smaller) => general = smaller,
                None => required.push(lit),
            }
        }
        if has_cache {
            self.cache.generalized(at.edge, cube, general.lits());
        }
        Ok(general.lits().to_vec())
    }

    /// If a cube, with the literals that are kept, is blocked on an edge, what of it already is.
    fn blocked_with(&mut self, at: At, cube: Cube, kept: &[StateLit]) -> Result<Option<Cube>, Interrupted> {
        let mut lits = with(cube, kept).lits().to_vec();
        if at.is_loop && self.intersects_initial(&Cube::new(lits.clone()), at.location) {
            return Ok(None);
        }
        lits.sort_by(|&a, &b| self.places[at.location].activity.compare(b, a));
        Ok(match self.steps_along(at.edge, &lits, at.level)? {
            Induction::Fails => None,
            Induction::Holds(mut core) => {
                if at.is_loop {
                    self.repair_initiation(&mut core, &lits, at.location);
                }
                Some(with(Cube::new(core), kept))
            }
        })
    }

    /// Looks for a cube that is blocked on an edge and has all the required literals.
    fn down(
        &mut self,
        at: At,
        mut cube: Cube,
        kept: &[StateLit],
        required: &[StateLit],
        effort: Effort,
    ) -> Result<Option<Cube>, Interrupted> {
        let mut ctgs = 0;
        loop {
            if at.is_loop && self.intersects_initial(&cube, at.location) {
                return Ok(None);
            }
            if let Some(core) = self.blocked_with(at, cube.clone(), kept)? {
                return Ok(Some(core));
            }
            if effort.ctgs == 0 {
                return Ok(None);
            }
            let step = self.model(at.edge, at.level - 1);
            if at.is_loop && required.iter().any(|&lit| !may_satisfy(&step, lit)) {
                return Ok(None);
            }
            if ctgs < effort.ctgs && self.block_ctg(at, &step, &cube, effort)? {
                ctgs += 1;
                continue;
            }
            if !at.is_loop {
                return Ok(None);
            }
            // The join: what the cube and the counterexample have in common.
            ctgs = 0;
            cube = cube.filter(|lit| may_satisfy(&step, lit));
        }
    }

    /// Blocks the state that keeps a cube from being blocked, where the edge begins and one level below.
    fn block_ctg(&mut self, at: At, step: &ModelStep, cube: &Cube, effort: Effort) -> Result<bool, Interrupted> {
        if at.level < 2 {
            return Ok(false);
        }
        let ctg = self.lift(at.edge, step, Target::Successor(cube))?;
        let mut predecessors = effort.predecessors;
        let from = self.automaton.edges[at.edge].from;
        let blocked = self.block_shallowly(&ctg, from, at.level - 1, &mut predecessors)?;
        self.statistics.ctgs += u64::from(blocked);
        Ok(blocked)
    }

    /// Blocks a cube at a level if that takes no more than this many predecessors.
    fn block_shallowly(
        &mut self,
        cube: &Cube,
        location: usize,
        level: usize,
        predecessors: &mut u32,
    ) -> Result<bool, Interrupted> {
        if level == 0 || self.intersects_initial(cube, location) {
            return Ok(false);
        }
        loop {
            let is_empty = self.is_empty(location, Level::Finite(level));
            if is_empty || self.places[location].frames.blocking_level(cube, level).is_some() {
                return Ok(true);
            }
            let edge = match self.steps_into(cube, location, level)? {
                Steps::None(cores) => {
                    let lemma = self.generalize_on_edges(cube, cores, location, level, Effort::NONE)?;
                    self.learn(lemma, location, level)?;
                    return Ok(true);
                }
                Steps::Along(edge) => edge,
            };
            if *predecessors <= 1 {
                return Ok(false);
            }
            *predecessors -= 1;
            let step = self.model(edge, level - 1);
            let predecessor = self.lift(edge, &step, Target::Successor(cube))?;
            let from = self.automaton.edges[edge].from;
            if !self.block_shallowly(&predecessor, from, level - 1, predecessors)? {
                return Ok(false);
            }
        }
    }
}

fn with(cube: Cube, kept: &[StateLit]) -> Cube {
    if kept.is_empty() { cube } else { Cube::new(cube.lits().iter().chain(kept).copied().collect()) }
}

/// Whether the state may be one in which this literal holds; latches that it does not have may have any value.
fn may_satisfy(step: &ModelStep, lit: StateLit) -> bool {
    step.state.len() <= lit.latch() || step.may_satisfy(lit)
}
