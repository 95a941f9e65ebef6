//! A number as literals that say where it lies.

use std::rc::Rc;

use redoubt_base::BitSet;

use super::super::Lit;
use crate::NumberSet;
use crate::columns::Column;

/// A number of which the region is known.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionWord {
    /// For each region but the last: the number lies there or below.
    pub upto: Rc<[Lit]>,
    /// All numbers that it can be.
    pub hull: NumberSet,
    /// Words of the same name are the same number, whatever their regions.
    pub name: u32,
}

impl RegionWord {
    pub fn upto(&self, region: usize) -> Lit {
        self.upto.get(region).copied().unwrap_or(Lit::TRUE)
    }

    pub fn below(&self, region: usize) -> Lit {
        region.checked_sub(1).map_or(Lit::FALSE, |last| self.upto(last))
    }

    /// A clause that holds if the number does not lie between two regions.
    pub fn outside(&self, first: usize, last: usize) -> [Lit; 2] {
        [self.below(first), !self.upto(last)]
    }

    pub fn truth(&self, column: &Column) -> Lit {
        !self.below(column.region_of(1))
    }
}

/// First and last of regions that are neighbours.
pub fn runs(regions: &BitSet) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = vec![];
    for region in regions.iter() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == region => *last = region,
            _ => runs.push((region, region)),
        }
    }
    runs
}
