//! Generalization: from a cube that is inductive relative to a frame to a smaller one, so a stronger
//! lemma.
//!
//! `mic` drops literals one by one and `down` tries to make the rest inductive (Bradley, Manna, FMCAD 2007; Bradley,
//! VMCAI 2011). A state that prevents it is a counterexample to generalization; blocking it one level below may let the
//! attempt succeed (Hassan, Bradley, Somenzi, FMCAD 2013). That costs queries, so more of it is done for obligations
//! that keep coming back, as their lemmas were too weak so far (after rIC3: Su, Yang, Ci, Li, Bu, Huang, CAV 2025).

use std::time::Instant;

use super::Ic3;
use super::activity::Activity;
use super::frames::{Frames, Level};
use super::lift::{ModelStep, Target};
use super::obligations::{ObligationId, Obligations};
use super::solvers::Induction;
use crate::engine::{Cube, Interrupted, Phase, StateLit};

/// The effort to spend on counterexamples to generalization.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The most to block in a row for one literal.
    pub ctgs: u32,
    /// The most predecessors of a counterexample that may be blocked to get it blocked.
    pub predecessors: u32,
}

impl Effort {
    pub const NONE: Effort = Effort { ctgs: 0, predecessors: 0 };

    /// A few, each blocked at once or not at all.
    const LITTLE: Effort = Effort { ctgs: 3, predecessors: 1 };

    /// The effort an obligation deserves: by how often its target came up.
    pub fn of(obligations: &Obligations, id: ObligationId) -> Effort {
        let visits = obligations.chain(id).skip(1).take(3).map(|o| o.visits);
        match visits.max() {
            None | Some(0..10) => Effort::LITTLE,
            Some(visits @ 10..40) => Effort { ctgs: (visits - 10) / 10 + 2, predecessors: 1 },
            Some(visits) => Effort { ctgs: 5, predecessors: 5 + 2 * (visits - 40).isqrt().min(10) },
        }
    }
}

impl Ic3<'_> {
    /// Shrinks a cube that is inductive relative to the frame below `level`.
    pub(super) fn generalize(&mut self, cube: Cube, level: usize, effort: Effort) -> Result<Cube, Interrupted> {
        let start = Instant::now();
        let result = self.mic(cube, level, effort);
        self.statistics.record(Phase::Generalize, start);
        result
    }

    /// A minimal inductive subcube, or nearly: each literal is tried once.
    fn mic(&mut self, mut cube: Cube, level: usize, effort: Effort) -> Result<Cube, Interrupted> {
        let mut required: Vec<StateLit> = Vec::new();
        for lit in drop_order(&self.frames, &self.activity, &cube, level) {
            if !cube.contains(lit) {
                continue;
            }
            match self.down(cube.without(lit), level, &required, effort)? {
                Some(smaller) => cube = smaller,
                None => required.push(lit),
            }
        }
        self.activity.bump(&cube);
        Ok(cube)
    }

    /// Looks for an inductive subcube that has all the required literals.
    fn down(
        &mut self,
        mut cube: Cube,
        level: usize,
        required: &[StateLit],
        effort: Effort,
    ) -> Result<Option<Cube>, Interrupted> {
        let mut ctgs = 0;
        loop {
            if cube.intersects_initial(&self.circuit.latches) {
                return Ok(None);
            }
            if let Some(core) = self.inductive(&cube, level)? {
                return Ok(Some(core));
            }
            let solver = self.solvers.solver(Level::Finite(level - 1));
            let step = ModelStep::of_model(self.transition, solver);
            if required.iter().any(|&lit| !step.may_satisfy(lit)) {
                return Ok(None);
            }
            if ctgs < effort.ctgs && self.block_ctg(&step, &cube, level, effort)? {
                ctgs += 1;
                continue;
            }
            if effort.ctgs == 0 {
                return Ok(None);
            }
            // The join: the common literals of the cube and the counterexample.
            ctgs = 0;
            cube = cube.filter(|lit| step.may_satisfy(lit));
        }
    }

    /// Blocks the state that keeps a cube from being inductive at `level`, one level below.
    fn block_ctg(&mut self, step: &ModelStep, cube: &Cube, level: usize, effort: Effort) -> Result<bool, Interrupted> {
        if level < 2 {
            return Ok(false);
        }
        let ctg = self.lifter.lift(step, Target::Successor(cube))?;
        let mut predecessors = effort.predecessors;
        let blocked = self.block_shallowly(&ctg, level - 1, &mut predecessors)?;
        self.statistics.ctgs += u64::from(blocked);
        Ok(blocked)
    }

    /// Blocks a cube at a level if that takes no more than this many predecessors.
    fn block_shallowly(&mut self, cube: &Cube, level: usize, predecessors: &mut u32) -> Result<bool, Interrupted> {
        if level == 0 || cube.intersects_initial(&self.circuit.latches) {
            return Ok(false);
        }
        loop {
            if self.frames.blocking_level(cube, level).is_some() {
                return Ok(true);
            }
            if let Some(core) = self.inductive(cube, level)? {
                let lemma = self.mic(core, level, Effort::NONE)?;
                self.learn(lemma, level)?;
                return Ok(true);
            }
            if *predecessors <= 1 {
                return Ok(false);
            }
            *predecessors -= 1;
            let solver = self.solvers.solver(Level::Finite(level - 1));
            let step = ModelStep::of_model(self.transition, solver);
            let predecessor = self.lifter.lift(&step, Target::Successor(cube))?;
            if !self.block_shallowly(&predecessor, level - 1, predecessors)? {
                return Ok(false);
            }
        }
    }

    /// If the cube can be blocked at this level, a subcube that can, by the core of the query. None of
    /// the two contains a reset state.
    pub(super) fn inductive(&mut self, cube: &Cube, level: usize) -> Result<Option<Cube>, Interrupted> {
        let lits = self.activity.assumed(cube);
        let below = Level::Finite(level - 1);
        // No reset state is in the cube, so none needs to be excluded there.
        let outside = level > 1;
        match self.solvers.induction(below, &lits, outside)? {
            Induction::Fails => Ok(None),
            Induction::Holds(core) => Ok(Some(self.repair_initiation(core, &lits))),
        }
    }

    /// A core may have lost every literal that tells the cube from the reset states: then one, the
    /// first among all, comes back.
    pub(super) fn repair_initiation(&self, mut core: Vec<StateLit>, all: &[StateLit]) -> Cube {
        let differs = |lit: &StateLit| lit.contradicts_reset(&self.circuit.latches);
        if !core.iter().any(differs) {
            core.extend(all.iter().find(|lit| differs(lit)));
        }
        Cube::new(core)
    }
}

/// The literals that seldom end up in lemmas first; those of a parent lemma last, as a lemma that held one level below
/// nearly holds here (Xia, Becchi, Cimatti, Griggio, Li, Pu, CAV 2023).
pub fn drop_order(frames: &Frames, activity: &Activity, cube: &Cube, level: usize) -> Vec<StateLit> {
    let parent = frames.parent(cube, level);
    let in_parent = |lit: StateLit| parent.is_some_and(|parent| parent.contains(lit));
    let mut order = cube.lits().to_vec();
    order.sort_by(|&a, &b| in_parent(a).cmp(&in_parent(b)).then(activity.compare(a, b)));
    order
}
