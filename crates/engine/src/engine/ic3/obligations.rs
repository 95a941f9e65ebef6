//! Proof obligations: cubes that lead to a bad state and so must be blocked at a level, or be reached.
//!
//! The queue gives the lowest level first (a predecessor before its successor), then the smallest depth (closest to the
//! bad state), then the oldest. All obligations of a property are kept until its queue runs empty, as those in the
//! queue refer to the ones they lead to.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::{Cube, StateLit, Trace};
use redoubt_circuit::{Latch, Reset};

/// A cube all of whose states go, under the same inputs, into the cube of its successor, or are bad
/// themselves if there is none.
pub struct Obligation {
    pub cube: Cube,
    /// Where its states are, if they are told apart by that.
    pub location: usize,
    /// By circuit input; `None` where any value will do.
    pub inputs: Vec<Option<bool>>,
    pub successor: Option<ObligationId>,
    /// Steps to the bad state.
    pub depth: usize,
    /// The number of times it came up. Those that keep coming back deserve better lemmas.
    pub visits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObligationId(usize);

#[derive(Default)]
pub struct Obligations {
    all: Vec<Obligation>,
    queue: BinaryHeap<Reverse<(usize, usize, ObligationId)>>,
}

impl Obligations {
    /// Takes a new obligation, to be blocked at this level.
    pub fn add(&mut self, obligation: Obligation, level: usize) -> ObligationId {
        let id = ObligationId(self.all.len());
        self.all.push(obligation);
        self.enqueue(id, level);
        id
    }

    pub fn enqueue(&mut self, id: ObligationId, level: usize) {
        self.queue.push(Reverse((level, self.get(id).depth, id)));
    }

    /// The next obligation and its level.
    pub fn pop(&mut self) -> Option<(usize, ObligationId)> {
        let Some(Reverse((level, _, id))) = self.queue.pop() else {
            self.all.clear();
            return None;
        };
        self.all[id.0].visits += 1;
        Some((level, id))
    }

    pub fn get(&self, id: ObligationId) -> &Obligation {
        &self.all[id.0]
    }

    /// The obligation and those it leads to, in order, the bad one last.
    pub fn chain(&self, first: ObligationId) -> impl Iterator<Item = &Obligation> {
        std::iter::successors(Some(self.get(first)), |obligation| obligation.successor.map(|id| self.get(id)))
    }

    /// The run along a chain of obligations whose first contains a reset state, in which some latches have the given
    /// values.
    pub fn trace(&self, latches: &[Latch], first: ObligationId, given: &[StateLit]) -> Trace {
        let mut initial: Vec<bool> = latches.iter().map(|latch| latch.reset == Reset::One).collect();
        for lit in self.get(first).cube.lits().iter().chain(given) {
            initial[lit.latch()] = lit.value();
        }
        let chosen = |obligation: &Obligation| {
            let values = obligation.inputs.iter();
            values.map(|value| value.unwrap_or(false)).collect()
        };
        Trace { initial, inputs: self.chain(first).map(chosen).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_level_then_depth_then_age() {
        let mut obligations = Obligations::default();
        let mut add = |level, depth| {
            let obligation = Obligation {
                inputs: Vec::new(),
                location: 0,
                cube: Cube::new(Vec::new()),
                successor: None,
                depth,
                visits: 0,
            };
            obligations.add(obligation, level)
        };
        let [a, b, c, d] = [add(2, 0), add(1, 5), add(1, 3), add(1, 3)];
        let order: Vec<_> = std::iter::from_fn(|| obligations.pop()).collect();
        assert_eq!(order, [(1, c), (1, d), (1, b), (2, a)]);
    }
}
