//! Where a program keeps a number from step to step.

use crate::expr::{TableId, VarId};

/// A variable, or one cell of a table that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    Variable(VarId),
    Cell(TableId, usize),
}

impl Place {
    pub fn variable(self) -> Option<VarId> {
        match self {
            Place::Variable(variable) => Some(variable),
            Place::Cell(..) => None,
        }
    }
}
