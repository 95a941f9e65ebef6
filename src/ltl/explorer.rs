//! Ways to find the machine behind a program.

use crate::analysis::Facts;
use crate::base::Limits;
use crate::explicit::behaviour::{self, Unknown};
use crate::temporal::Machine;
use crate::temporal::properties::Mapping;

/// Somebody who can find the machine behind a program: all that it answers to its inputs, exactly.
pub trait Explorer: Sync {
    /// A short name, as it is printed with verdicts.
    fn name(&self) -> &'static str;

    /// Whether a run of the machine comes back to a state whenever the machine comes back to a node, after some rounds at
    /// most; it may not, if a node stands for states without end.
    fn is_concrete(&self) -> bool;

    /// The machine, put together by a [`Builder`](crate::temporal::machine::Builder). Its inputs are those of
    /// [`behaviour::alphabet`], in this order, and all symbols have the names that the mapping gives to their numbers.
    fn machine(&self, facts: &Facts, mapping: &Mapping, limits: &Limits) -> Result<Machine, Unknown>;
}

/// Visits the program's own states.
pub struct Explicit {
    /// How many bytes they may take.
    pub memory: usize,
}

impl Explorer for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn is_concrete(&self) -> bool {
        true
    }

    fn machine(&self, facts: &Facts, mapping: &Mapping, limits: &Limits) -> Result<Machine, Unknown> {
        behaviour::machine(facts, mapping, self.memory, limits)
    }
}
