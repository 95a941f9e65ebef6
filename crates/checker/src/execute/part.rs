//! A part of the states in the middle of a step: a cube, and what is known beyond it.
//!
//! Regions are coarse where the program does not compare. After `x = y % 50; z = x * x` it matters that `x` is small,
//! whatever its region; so the values of what a step has assigned, or a guard has narrowed, are kept beside the cube.

use rustc_hash::FxHashMap;

use super::Executor;
use crate::NumberSet;
use crate::columns::{Column, ColumnId, Cube, bits};

/// Values, numbered so that they can be compared and looked up quickly.
#[derive(Default)]
pub struct Pool {
    list: Vec<NumberSet>,
    numbers: FxHashMap<NumberSet, ValuesId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValuesId(pub u32);

impl Pool {
    fn intern(&mut self, values: NumberSet) -> ValuesId {
        if let Some(&id) = self.numbers.get(&values) {
            return id;
        }
        let id = ValuesId(self.list.len() as u32);
        self.list.push(values.clone());
        self.numbers.insert(values, id);
        id
    }

    pub fn within(&self, id: ValuesId, (low, high): (i32, i32)) -> NumberSet {
        self.list[id.0 as usize].within(low, high)
    }
}

#[derive(Clone)]
pub struct Part {
    pub cube: Cube,
    /// Values of columns that say more than their regions, by column.
    told: Vec<(ColumnId, ValuesId)>,
}

impl Part {
    pub fn new(cube: Cube) -> Part {
        Part { cube, told: vec![] }
    }

    /// What is known of a column beyond its regions.
    pub fn told(&self, id: ColumnId) -> Option<ValuesId> {
        self.told.iter().find(|(column, _)| *column == id).map(|(_, values)| *values)
    }

    pub fn forget(&mut self, id: ColumnId) {
        self.told.retain(|(column, _)| *column != id);
    }

    pub fn mask(&self, column: &Column) -> &[u64] {
        &self.cube[column.from..column.to]
    }

    pub fn regions<'a>(&'a self, column: &Column) -> impl Iterator<Item = usize> + use<'a> {
        bits(&self.cube[column.from..column.to])
    }

    pub fn set(&mut self, column: &Column, mask: &[u64]) {
        self.cube[column.from..column.to].copy_from_slice(mask);
    }

    /// The part in some regions of a column.
    pub fn restricted(&self, column: &Column, regions: &[usize]) -> Part {
        let mut part = self.clone();
        part.cube[column.from..column.to].fill(0);
        regions.iter().for_each(|region| part.cube[column.from + region / 64] |= 1 << (region % 64));
        part
    }

    /// Whether a column has only regions that a cube has.
    pub fn is_within(&self, column: &Column, cube: &Cube) -> bool {
        self.mask(column).iter().zip(&cube[column.from..column.to]).all(|(own, other)| own & !other == 0)
    }
}

impl Executor<'_, '_> {
    /// Notes values of a column, if they say more than its regions.
    pub fn tell(&mut self, part: &mut Part, id: ColumnId, values: &NumberSet) {
        part.forget(id);
        let column = self.evaluator.columns.get(id);
        let says_more = part.regions(column).any(|region| {
            let (low, high) = column.bounds(region);
            let (here, known) = (values.within(low, high), column.values(region));
            here != *known && !(known.is_subset(&here) && here.is_subset(known))
        });
        if says_more {
            part.told.push((id, self.pool.intern(values.clone())));
        }
    }

    /// The numbers of a column in one of its regions.
    pub fn values(&self, part: &Part, id: ColumnId, region: usize) -> NumberSet {
        let column = self.evaluator.columns.get(id);
        match part.told(id) {
            Some(told) => self.pool.within(told, column.bounds(region)),
            None => column.values(region).clone(),
        }
    }

    /// All numbers of a column.
    pub fn hull(&self, part: &Part, id: ColumnId) -> NumberSet {
        let regions = part.regions(self.evaluator.columns.get(id));
        NumberSet::union(regions.map(|region| self.values(part, id, region)))
    }
}
