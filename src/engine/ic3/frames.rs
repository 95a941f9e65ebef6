//! Frames F_1, F_2, ..., F_top and F_inf as sets of lemmas, delta-encoded.
//!
//! A lemma is the negation of a cube. It is stored once, at the highest level for which it is known:
//! F_i is the conjunction of the lemmas at levels i and above, so frames grow by construction. F_0, the
//! reset states, is not a lemma set and lives in its solver only. F_inf holds the lemmas that are
//! inductive together, so true in every reachable state.

use crate::engine::Cube;

/// Where a lemma lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Finite(usize),
    Infinite,
}

#[derive(Default)]
pub struct Frames {
    /// By level, from 0 to the top; the first stays empty.
    deltas: Vec<Vec<Cube>>,
    infinite: Vec<Cube>,
}

impl Frames {
    /// With F_0 only.
    pub fn new() -> Frames {
        Frames { deltas: vec![Vec::new()], infinite: Vec::new() }
    }

    pub fn top(&self) -> usize {
        self.deltas.len() - 1
    }

    pub fn extend(&mut self) {
        self.deltas.push(Vec::new());
    }

    /// The blocked cubes whose lemmas are stored at this level.
    pub fn delta(&self, level: usize) -> &[Cube] {
        &self.deltas[level]
    }

    pub fn infinite(&self) -> &[Cube] {
        &self.infinite
    }

    /// The lemmas of F_level.
    pub fn lemmas(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.deltas[level..].iter().flatten().chain(&self.infinite)
    }

    /// The highest level at which a single lemma excludes the whole cube, if it is at least `level`: a
    /// containment check that saves many a query.
    pub fn blocking_level(&self, cube: &Cube, level: usize) -> Option<Level> {
        let subsumed = |lemmas: &[Cube]| lemmas.iter().any(|lemma| lemma.subsumes(cube));
        if subsumed(&self.infinite) {
            return Some(Level::Infinite);
        }
        (level..self.deltas.len()).rev().find(|&level| subsumed(&self.deltas[level])).map(Level::Finite)
    }

    /// Stores the lemma that blocks this cube, without the ones it makes redundant.
    pub fn insert(&mut self, cube: Cube, level: Level) {
        let last = match level {
            Level::Finite(level) => level,
            Level::Infinite => self.top(),
        };
        for delta in &mut self.deltas[1..=last] {
            delta.retain(|lemma| !cube.subsumes(lemma));
        }
        match level {
            Level::Finite(level) => self.deltas[level].push(cube),
            Level::Infinite => {
                self.infinite.retain(|lemma| !cube.subsumes(lemma));
                self.infinite.push(cube);
            }
        }
    }

    /// A lemma of F_1 or above that a cube violates almost nowhere: its literals are among the cube's,
    /// one level below where the cube is to be blocked. Its literals are worth keeping.
    pub fn parent(&self, cube: &Cube, level: usize) -> Option<&Cube> {
        self.deltas.get(level.checked_sub(1)?)?.iter().find(|lemma| lemma.subsumes(cube))
    }
}
