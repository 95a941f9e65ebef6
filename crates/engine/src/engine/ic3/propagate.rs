//! Propagation: lemmas move to higher frames, and out of time altogether.

use std::time::Instant;

use super::Ic3;
use super::frames::Level;
use super::solvers::Induction;
use crate::engine::{Cube, Interrupted, Phase};

/// Whether the solver of the frame has a lemma already; else it must be assumed for the query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lemma {
    New,
    InFrame,
}

impl Ic3<'_> {
    /// Adds a lemma that holds in F_level, at the highest level to which it can be pushed right away.
    /// Returns that level.
    pub(super) fn learn(&mut self, mut cube: Cube, level: usize) -> Result<usize, Interrupted> {
        let mut highest = level;
        while highest < self.frames.top() {
            match self.pushed(&cube, highest, Lemma::New)? {
                Some(core) => cube = core,
                None => break,
            }
            highest += 1;
        }
        self.statistics.lemmas += 1;
        self.statistics.lemma_literals += cube.len() as u64;
        self.add_lemma(cube, 1, Level::Finite(highest));
        Ok(highest)
    }

    /// If the lemma that blocks this cube in F_level also holds in the next frame, the cube that it blocks there.
    fn pushed(&mut self, cube: &Cube, level: usize, lemma: Lemma) -> Result<Option<Cube>, Interrupted> {
        let frame = Level::Finite(level);
        let outside = lemma == Lemma::New;
        let answer = self.solvers.induction(frame, cube.lits(), outside)?;
        Ok(match answer {
            Induction::Fails => None,
            Induction::Holds(core) => Some(self.repair_initiation(core, cube.lits())),
        })
    }

    /// Adds a lemma to frames and solvers; below `from` the solvers have it already.
    pub(super) fn add_lemma(&mut self, cube: Cube, from: usize, level: Level) {
        self.solvers.add_lemma(&cube, from, level);
        self.frames.insert(cube.clone(), from, level);
        self.assert_lemma(&cube, level);
    }

    /// Pushes every lemma as far up as it goes. A level left without lemmas of its own means that the
    /// frames around it are equal, so everything above is inductive.
    pub(super) fn propagate(&mut self) -> Result<(), Interrupted> {
        let start = Instant::now();
        let result = self.propagate_all();
        self.statistics.record(Phase::Propagate, start);
        result
    }

    fn propagate_all(&mut self) -> Result<(), Interrupted> {
        for level in 1..self.frames.top() {
            let mut lemmas = self.frames.pushable(level, self.frames.version(level));
            sort_short_first(&mut lemmas);
            for cube in lemmas {
                if !self.frames.delta(level).any(|lemma| *lemma == cube) {
                    continue; // a pushed lemma subsumed it
                }
                match self.pushed(&cube, level, Lemma::InFrame)? {
                    None => self.frames.mark_stuck(&cube, level, self.frames.version(level)),
                    Some(core) => {
                        // A shorter clause is news to the frames below, too.
                        let from = if core == cube { level + 1 } else { 1 };
                        self.add_lemma(core, from, Level::Finite(level + 1));
                    }
                }
            }
            if self.frames.delta(level).len() == 0 {
                self.promote_above(level);
                break;
            }
        }
        Ok(())
    }
}

/// Short lemmas are likely to make longer ones redundant.
pub fn sort_short_first(lemmas: &mut [Cube]) {
    lemmas.sort_by(|a, b| (a.len(), a.lits()).cmp(&(b.len(), b.lits())));
}
