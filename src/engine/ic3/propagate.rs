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
        self.add_lemma(cube, 1, Level::Finite(highest));
        Ok(highest)
    }

    /// If the lemma that blocks this cube in F_level also holds in the next frame, what blocks it there.
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
        self.frames.insert(cube.clone(), level);
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
            let mut lemmas = self.frames.delta(level).to_vec();
            // Short ones first: they are likely to make longer ones redundant.
            lemmas.sort_by(|a, b| (a.len(), a.lits()).cmp(&(b.len(), b.lits())));
            for cube in lemmas {
                if !self.frames.delta(level).contains(&cube) {
                    continue; // a pushed lemma subsumed it
                }
                if let Some(core) = self.pushed(&cube, level, Lemma::InFrame)? {
                    // A shorter clause is news to the frames below, too.
                    let from = if core == cube { level + 1 } else { 1 };
                    self.add_lemma(core, from, Level::Finite(level + 1));
                }
            }
            if self.frames.delta(level).is_empty() {
                self.promote_above(level);
                break;
            }
        }
        Ok(())
    }

    /// F_level and F_{level+1} are equal: their lemmas are inductive.
    fn promote_above(&mut self, level: usize) {
        for above in level + 1..=self.frames.top() {
            for cube in self.frames.delta(above).to_vec() {
                self.add_lemma(cube, above + 1, Level::Infinite);
            }
        }
    }

    /// Moves the lemmas at the top that are inductive together to the infinite frame: with many
    /// properties the frames may stay apart for the sake of one while the lemmas of another are done.
    pub(super) fn promote_inductive_subset(&mut self) -> Result<(), Interrupted> {
        let start = Instant::now();
        let top = self.frames.top();
        let candidates = self.frames.delta(top).to_vec();
        let subset = self.solvers.inductive_subset(candidates);
        self.statistics.record(Phase::Infinite, start);
        for cube in subset? {
            self.add_lemma(cube, top + 1, Level::Infinite);
        }
        Ok(())
    }
}
