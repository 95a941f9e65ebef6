//! IC3's invariants, asserted in debug builds on systems small enough for the queries to be cheap.
//!
//! 1. Initiation: every lemma holds in the reset states.
//! 2. Monotony: F_i implies F_{i+1}. So by the way frames are stored, and asserted of their solvers.
//! 3. Consecution: a step from F_i leads into F_{i+1}, and from F_inf into F_inf.
//! 4. Frontier: no frame up to a property's level contains a bad state of it.
//!
//! A lemma is checked when it is added; that is enough, as stronger frames below keep the other lemmas
//! true. When a frame is opened, everything is checked again, and the infinite frame for the first time: its
//! lemmas come in sets that are closed only as a whole. The queries go to the frames' own solvers.

use super::Ic3;
use super::frames::Level;
use super::solvers::Induction;
use crate::engine::{Cube, Interrupted};

const SMALL: usize = 16;

impl Ic3<'_> {
    fn checks_invariants(&self) -> bool {
        cfg!(debug_assertions) && self.transition.cone().len() <= SMALL
    }

    /// Initiation and consecution of a lemma that was just added. An interruption ends the check.
    pub(super) fn assert_lemma(&mut self, cube: &Cube, level: Level) {
        if !self.checks_invariants() {
            return;
        }
        assert!(
            !cube.intersects_initial(&self.circuit.latches),
            "initiation: {cube:?} at {level:?} contains a reset state"
        );
        let below = match level {
            Level::Finite(level) => Level::Finite(level - 1),
            Level::Infinite => Level::Infinite,
        };
        // A lemma promoted together with others is closed only once all of them are there.
        if level == Level::Infinite {
            return;
        }
        if let Ok(Induction::Fails) = self.solvers.induction(below, cube.lits(), false) {
            panic!("consecution: {cube:?} at {level:?} has a predecessor in the frame below");
        }
    }

    /// All four, given the level up to which each property is excluded.
    pub(super) fn assert_frames(&mut self, frontiers: &[(usize, usize)]) {
        if self.checks_invariants() {
            // An interruption ends the check.
            let _ = self.check_frames(frontiers);
        }
    }

    fn check_frames(&mut self, frontiers: &[(usize, usize)]) -> Result<(), Interrupted> {
        let top = self.frames.top();
        for level in 1..=top {
            for cube in self.frames.lemmas(level).cloned().collect::<Vec<_>>() {
                assert!(!cube.intersects_initial(&self.circuit.latches), "initiation: {cube:?} in F_{level}");
                self.check_implied(&cube, level)?;
                let below = Level::Finite(level - 1);
                let answer = self.solvers.induction(below, cube.lits(), false)?;
                assert!(matches!(answer, Induction::Holds(_)), "consecution: {cube:?} in F_{level}");
            }
        }
        for cube in self.frames.infinite().to_vec() {
            let answer = self.solvers.induction(Level::Infinite, cube.lits(), false)?;
            assert!(matches!(answer, Induction::Holds(_)), "consecution: {cube:?} in F_inf");
        }
        for &(property, frontier) in frontiers {
            for level in 0..=frontier.min(top) {
                assert!(
                    !self.solvers.has_bad(Level::Finite(level), property)?,
                    "frontier: property {property} is in F_{level}"
                );
            }
        }
        Ok(())
    }

    /// Monotony: the lemmas of F_level hold in every frame below.
    fn check_implied(&mut self, cube: &Cube, level: usize) -> Result<(), Interrupted> {
        for below in 0..=level {
            assert!(
                !self.solvers.has_state(Level::Finite(below), cube)?,
                "monotony: {cube:?} of F_{level} is in F_{below}"
            );
        }
        Ok(())
    }
}
