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
    deltas: Vec<Vec<Lemma>>,
    /// By level: how often the frame has become stronger.
    versions: Vec<u64>,
    infinite: Vec<Cube>,
    infinite_version: u64,
}

struct Lemma {
    cube: Cube,
    /// The version of the frames before a step that could not push it to the next level: as long as that stays the
    /// same, there is no point in trying again.
    stuck_at: Option<u64>,
}

impl Frames {
    /// With F_0 only.
    pub fn new() -> Frames {
        Frames { deltas: vec![Vec::new()], versions: vec![0], infinite: Vec::new(), infinite_version: 0 }
    }

    pub fn top(&self) -> usize {
        self.deltas.len() - 1
    }

    pub fn extend(&mut self) {
        self.deltas.push(Vec::new());
        self.versions.push(0);
    }

    /// The blocked cubes whose lemmas are stored at this level.
    pub fn delta(&self, level: usize) -> impl ExactSizeIterator<Item = &Cube> {
        self.deltas[level].iter().map(|lemma| &lemma.cube)
    }

    /// How often the frame has become stronger.
    pub fn version(&self, level: usize) -> u64 {
        self.versions[level]
    }

    /// Those among the blocked cubes that might be pushed to the next level, given the version of the frames that steps
    /// there start from.
    pub fn pushable(&self, level: usize, version: u64) -> Vec<Cube> {
        let lemmas = self.deltas[level].iter();
        lemmas.filter(|lemma| lemma.stuck_at != Some(version)).map(|lemma| lemma.cube.clone()).collect()
    }

    /// Notes that a lemma at this level could not be pushed from that version.
    pub fn mark_stuck(&mut self, cube: &Cube, level: usize, version: u64) {
        let mut lemmas = self.deltas[level].iter_mut();
        if let Some(lemma) = lemmas.find(|lemma| lemma.cube == *cube) {
            lemma.stuck_at = Some(version);
        }
    }

    pub fn infinite(&self) -> &[Cube] {
        &self.infinite
    }

    /// How often the infinite frame has become stronger.
    pub fn infinite_version(&self) -> u64 {
        self.infinite_version
    }

    /// The lemmas of F_level.
    pub fn lemmas(&self, level: usize) -> impl Iterator<Item = &Cube> {
        let finite = self.deltas[level..].iter().flatten();
        finite.map(|lemma| &lemma.cube).chain(&self.infinite)
    }

    /// The highest level at which a single lemma excludes the whole cube, if it is at least `level`: a
    /// containment check that saves many a query.
    pub fn blocking_level(&self, cube: &Cube, level: usize) -> Option<Level> {
        if self.infinite.iter().any(|lemma| lemma.subsumes(cube)) {
            return Some(Level::Infinite);
        }
        (level..self.deltas.len())
            .rev()
            .find(|&level| self.delta(level).any(|lemma| lemma.subsumes(cube)))
            .map(Level::Finite)
    }

    /// Stores the lemma that blocks this cube, without the ones it makes redundant. It is new to the
    /// frames from level `from` on.
    pub fn insert(&mut self, cube: Cube, from: usize, level: Level) {
        let last = match level {
            Level::Finite(level) => level,
            Level::Infinite => self.top(),
        };
        for delta in &mut self.deltas[1..=last] {
            delta.retain(|lemma| !cube.subsumes(&lemma.cube));
        }
        for version in self.versions.iter_mut().take(last + 1).skip(from) {
            *version += 1;
        }
        match level {
            Level::Finite(level) => self.deltas[level].push(Lemma { cube, stuck_at: None }),
            Level::Infinite => {
                self.infinite.retain(|lemma| !cube.subsumes(lemma));
                self.infinite.push(cube);
                self.infinite_version += 1;
            }
        }
    }

    /// A lemma of F_1 or above that a cube violates almost nowhere: its literals are among the cube's,
    /// one level below where the cube is to be blocked. Its literals are worth keeping.
    pub fn parent(&self, cube: &Cube, level: usize) -> Option<&Cube> {
        self.delta(level.checked_sub(1)?).find(|lemma| lemma.subsumes(cube))
    }
}
