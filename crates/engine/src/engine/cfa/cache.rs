//! Findings about cubes and edges. Frames only lose states, so a cube that was blocked on an edge at a level stays
//! blocked, also while another edge into the same location still has to be dealt with.

use rustc_hash::FxHashMap;

use crate::engine::{Cube, StateLit};

#[derive(Default)]
pub struct Cache {
    known: FxHashMap<(usize, Cube), Known>,
}

struct Known {
    /// No step along the edge leads into the cube from the frame below this one.
    level: usize,
    /// The literals of the cube that this takes.
    core: Vec<StateLit>,
    /// Fewer of them, for which it was shown at some level.
    general: Option<Vec<StateLit>>,
}

/// With more entries than this, it begins anew.
const MOST: usize = 200_000;

impl Cache {
    /// Why the cube is blocked on the edge at this level, if that is known.
    pub fn core(&self, edge: usize, cube: &Cube, level: usize) -> Option<Vec<StateLit>> {
        let known = self.known.get(&(edge, cube.clone()))?;
        (known.level >= level).then(|| known.core.clone())
    }

    /// The generalisation of the cube on the edge before, at whatever level.
    pub fn general(&self, edge: usize, cube: &Cube) -> Option<Vec<StateLit>> {
        self.known.get(&(edge, cube.clone()))?.general.clone()
    }

    pub fn blocked(&mut self, edge: usize, cube: &Cube, level: usize, core: &[StateLit]) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        let known = self.known.entry((edge, cube.clone()));
        let known = known.or_insert_with(|| Known { level, core: core.to_vec(), general: None });
        if known.level < level {
            (known.level, known.core) = (level, core.to_vec());
        }
    }

    pub fn generalized(&mut self, edge: usize, cube: &Cube, general: &[StateLit]) {
        if let Some(known) = self.known.get_mut(&(edge, cube.clone())) {
            known.general = Some(general.to_vec());
        }
    }
}
