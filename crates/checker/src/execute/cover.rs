//! Whether a cube lies within the union of the boxes.
//!
//! For each region of each column it is known which boxes have it, as a set of bits; the boxes that include a cube
//! are the intersection over all its regions. A cube that no single box includes is halved.

use crate::columns::{ColumnId, Columns, Cube, bits};

pub struct Cover {
    cubes: Vec<Cube>,
    /// The columns that any box restricts.
    constrained: Vec<ColumnId>,
    /// Per constrained column and region: the boxes that have it.
    owners: Vec<Vec<Vec<u64>>>,
}

/// A cube is cut into at most so many pieces.
const MOST_PIECES: usize = 1 << 16;

impl Cover {
    pub fn new(cubes: Vec<Cube>, constrained: Vec<ColumnId>, columns: &Columns) -> Cover {
        let words = cubes.len().div_ceil(64);
        let owners = constrained.iter().map(|&id| {
            let column = columns.get(id);
            let mut owners = vec![vec![0; words]; column.regions()];
            for (index, cube) in cubes.iter().enumerate() {
                for region in bits(&cube[column.from..column.to]) {
                    owners[region][index / 64] |= 1 << (index % 64);
                }
            }
            owners
        });
        Cover { owners: owners.collect(), cubes, constrained }
    }

    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// Whether every state of a cube is in some box. No boxes restrict nothing.
    pub fn covers(&self, cube: &Cube, columns: &Columns) -> bool {
        let mut pending = vec![cube.clone()];
        let mut pieces = 0;
        while let Some(cube) = pending.pop() {
            pieces += 1;
            if self.cubes.is_empty() || self.is_in_one(&cube, columns) {
                continue;
            }
            let Some(id) = self.widest(&cube, columns).filter(|_| pieces < MOST_PIECES) else { return false };
            let column = columns.get(id);
            let regions: Vec<usize> = bits(&cube[column.from..column.to]).collect();
            for half in regions.chunks(regions.len().div_ceil(2)) {
                let mut part = cube.clone();
                part[column.from..column.to].fill(0);
                half.iter().for_each(|region| part[column.from + region / 64] |= 1 << (region % 64));
                pending.push(part);
            }
        }
        true
    }

    fn is_in_one(&self, cube: &Cube, columns: &Columns) -> bool {
        let mut candidates = vec![u64::MAX; self.cubes.len().div_ceil(64)];
        for (&id, owners) in self.constrained.iter().zip(&self.owners) {
            let column = columns.get(id);
            for region in bits(&cube[column.from..column.to]) {
                candidates.iter_mut().zip(&owners[region]).for_each(|(all, own)| *all &= own);
            }
        }
        // Bits beyond the last box are clear in every set of owners.
        !self.constrained.is_empty() && candidates.iter().any(|&word| word != 0)
    }

    /// A column with several regions, if there is one; one with few of them: it is the most likely to split.
    fn widest(&self, cube: &Cube, columns: &Columns) -> Option<ColumnId> {
        let count = |id: ColumnId| {
            let column = columns.get(id);
            cube[column.from..column.to].iter().map(|word| word.count_ones()).sum::<u32>()
        };
        self.constrained.iter().copied().filter(|&id| count(id) > 1).max_by_key(|&id| count(id))
    }
}
