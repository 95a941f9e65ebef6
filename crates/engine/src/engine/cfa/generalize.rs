//! Generalization: from a cube into which no edge leads to one with fewer literals.
//!
//! A literal is dropped if all edges can do without it. The original goes from edge to edge instead: on an edge from
//! elsewhere a cube with more literals is blocked if one with fewer is, so the needs of edges can be put together. On
//! the edge from a location to itself that is not so, since it is assumed there that the step starts outside the cube:
//! this edge comes last and keeps the literals that the others need. The shortest cube for one edge after the other is
//! seldom the best for all.

use std::time::Instant;

use super::block::Steps;
use super::{Cfa, Location, Technique};
use crate::engine::ic3::frames::Level;
use crate::engine::ic3::generalize::{Effort, drop_order};
use crate::engine::ic3::lift::{ModelStep, Target};
use crate::engine::ic3::solvers::Induction;
use crate::engine::{Cube, Interrupted, Phase, StateLit};

/// The location, level and edges at which a cube is to be generalised.
#[derive(Clone, Copy)]
struct At<'e> {
    /// The one from the location to itself last.
    edges: &'e [usize],
    location: usize,
    level: usize,
    /// No reset state may be in the cube.
    excludes_initial: bool,
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
        if !self.techniques.has(Technique::Generalization) {
            kept = cores.into_iter().flat_map(|(_, core)| core).collect();
        } else if self.techniques.has(Technique::Jointly) {
            let edges: Vec<usize> = cores.iter().map(|(edge, _)| *edge).collect();
            let at = At { edges: &edges, location, level, excludes_initial: true };
            kept = cores.into_iter().flat_map(|(_, core)| core).collect();
            self.repair_initiation(&mut kept, cube.lits(), location);
            kept = self.generalize_on(at, cube, kept, &[], effort)?;
        } else {
            for (edge, core) in cores {
                let is_loop = self.automaton.edges[edge].is_loop();
                let at = At { edges: &[edge], location, level, excludes_initial: is_loop };
                if is_loop {
                    self.repair_initiation(&mut kept, cube.lits(), location);
                }
                let has_carrying = self.techniques.has(Technique::Carrying) || is_loop;
                let fixed = if has_carrying { kept.clone() } else { vec![] };
                kept.extend(self.generalize_on(at, cube, core, &fixed, effort)?);
            }
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

    /// Literals that, with those that are kept anyway, block the cube on some edges.
    fn generalize_on(
        &mut self,
        at: At,
        cube: &Cube,
        core: Vec<StateLit>,
        kept: &[StateLit],
        effort: Effort,
    ) -> Result<Vec<StateLit>, Interrupted> {
        let Some(&first) = at.edges.first() else { return Ok(core) };
        let has_cache = self.techniques.has(Technique::Cache);
        let known = if has_cache { self.cache.general(first, cube) } else { None };
        // The literals that are kept anyway may suffice, or those that sufficed at another level.
        for guess in [(!kept.is_empty()).then(Vec::new), known].into_iter().flatten() {
            if let Ok(general) = self.blocked_with(at, &Cube::new(guess), kept)? {
                return Ok(general.lits().to_vec());
            }
        }
        let mut general = with(&Cube::new(core), kept);
        let mut required = kept.to_vec();
        let Location { frames, activity, .. } = &self.places[at.location];
        let order = drop_order(frames, activity, &general, at.level);
        for lit in order.into_iter().filter(|lit| !kept.contains(lit)) {
            if !general.contains(lit) {
                continue;
            }
            match self.down(at, general.without(lit), kept, &required, effort)? {
                Some(smaller) => general = smaller,
                None => required.push(lit),
            }
        }
        if has_cache {
            self.cache.generalized(first, cube, general.lits());
        }
        Ok(general.lits().to_vec())
    }

    /// If a cube, with the kept literals, is blocked on the edges, a part of it that already is; otherwise an edge on
    /// which it is not, or none if it contains a reset state.
    fn blocked_with(
        &mut self,
        at: At,
        cube: &Cube,
        kept: &[StateLit],
    ) -> Result<Result<Cube, Option<usize>>, Interrupted> {
        let cube = with(cube, kept);
        if at.excludes_initial && self.intersects_initial(&cube, at.location) {
            return Ok(Err(None));
        }
        let mut lits = cube.lits().to_vec();
        lits.sort_by(|&a, &b| self.places[at.location].activity.compare(b, a));
        let mut core = kept.to_vec();
        // The loop is the likeliest to object.
        for &edge in at.edges.iter().rev() {
            match self.steps_along(edge, &lits, at.level)? {
                Induction::Fails => return Ok(Err(Some(edge))),
                Induction::Holds(some) => core.extend(some),
            }
        }
        if at.excludes_initial {
            self.repair_initiation(&mut core, &lits, at.location);
        }
        Ok(Ok(Cube::new(core)))
    }

    /// Looks for a cube that is blocked on the edges and has all the required literals.
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
            let edge = match self.blocked_with(at, &cube, kept)? {
                Ok(core) => return Ok(Some(core)),
                Err(Some(edge)) if effort.ctgs > 0 => edge,
                Err(_) => return Ok(None),
            };
            let step = self.model(edge, at.level - 1);
            let is_loop = self.automaton.edges[edge].is_loop();
            if is_loop && required.iter().any(|&lit| !may_satisfy(&step, lit)) {
                return Ok(None);
            }
            if ctgs < effort.ctgs && self.block_ctg(edge, at.level, &step, &cube, effort)? {
                ctgs += 1;
                continue;
            }
            if !is_loop {
                return Ok(None);
            }
            // The join: the common literals of the cube and the counterexample.
            ctgs = 0;
            cube = cube.filter(|lit| may_satisfy(&step, lit));
        }
    }

    /// Blocks the state that keeps a cube from being blocked, where the edge begins and one level below.
    fn block_ctg(
        &mut self,
        edge: usize,
        level: usize,
        step: &ModelStep,
        cube: &Cube,
        effort: Effort,
    ) -> Result<bool, Interrupted> {
        if level < 2 {
            return Ok(false);
        }
        let ctg = self.lift(edge, step, Target::Successor(cube))?;
        let mut predecessors = effort.predecessors;
        let from = self.automaton.edges[edge].from;
        let blocked = self.block_shallowly(&ctg, from, level - 1, &mut predecessors)?;
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

fn with(cube: &Cube, kept: &[StateLit]) -> Cube {
    Cube::new(cube.lits().iter().chain(kept).copied().collect())
}

/// Whether the state may be one in which this literal holds; latches that it does not have may have any value.
fn may_satisfy(step: &ModelStep, lit: StateLit) -> bool {
    step.state.len() <= lit.latch() || step.may_satisfy(lit)
}
