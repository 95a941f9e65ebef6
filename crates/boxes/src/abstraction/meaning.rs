//! The meaning of the abstract program's values, for certificates.

use super::regions::Partition;
use crate::certify::derive::Meaning;
use crate::expr::Type;
use crate::program::{Place, Program};

/// A state's value is the number of a region, except for truth values.
pub struct Regions<'r> {
    pub program: &'r Program,
    pub partitions: &'r [Partition],
    /// Per variable: whether the abstraction has its assignments.
    pub needed: &'r [bool],
}

impl Regions<'_> {
    fn partition(&self, place: Place) -> Option<&Partition> {
        let variable = place.variable().filter(|&variable| self.program.variable(variable).ty != Type::Bool)?;
        Some(&self.partitions[variable.index()])
    }
}

impl Meaning for Regions<'_> {
    fn interval(&self, place: Place, value: i32) -> (i32, i32) {
        self.partition(place).map_or((value, value), |partition| partition.region(value as usize))
    }

    fn follows(&self, place: Place) -> bool {
        place.variable().is_none_or(|variable| self.needed[variable.index()])
    }

    fn regions(&self, place: Place) -> Option<usize> {
        self.partition(place).map(Partition::len)
    }
}
