//! Model checking by interpolation: conclusions about all runs from the refutation of short ones.
//!
//! If no run of a few steps reaches a property, the refutation of that knows why, and why is often a fact about states
//! that has nothing to do with the number of steps. An interpolant ([`craig`]) is such a fact: true of the states after the
//! first steps, and enough to exclude the property in the last ones.
//!
//! [`itp`] takes the interpolant for an image and looks for a fixpoint (McMillan 2003), [`sequence`] reads a fact for each
//! position off one refutation (Vizel and Grumberg 2009). IC3 strengthened by the second is [`crate::engine::ic3::avy`].

pub mod craig;
pub mod itp;
pub(super) mod path;
pub mod sequence;

use crate::engine::state_set::{StateSet, assumable, over_latches};
use crate::engine::{Interrupted, interruptible, satisfiable};
use crate::sat::Backend;
use redoubt_base::Interrupt;
use redoubt_circuit::{Aig, Circuit, Reset, Signal};

/// Sets of states as signals of one graph.
struct Sets {
    latches: usize,
    gates: Aig,
    initial: Signal,
}

impl Sets {
    fn new(circuit: &Circuit) -> Sets {
        let latches = circuit.latches.len();
        let mut gates = over_latches(latches);
        let values = circuit.latches.iter().enumerate().filter_map(|(index, latch)| match latch.reset {
            Reset::Zero => Some(!super::state_set::latch_leaf(index)),
            Reset::One => Some(super::state_set::latch_leaf(index)),
            Reset::Free => None,
        });
        let initial = gates.and_all(&values.collect::<Vec<_>>());
        Sets { latches, gates, initial }
    }

    /// Whether some state is in a set but not in another.
    fn differ(&mut self, set: Signal, other: Signal, interrupt: &Interrupt) -> Result<bool, Interrupted> {
        let difference = self.gates.and(set, !other);
        if let Some(known) = difference.as_constant() {
            return Ok(known);
        }
        let mut solver = interruptible(Backend::Cadical, interrupt);
        let latches: Vec<_> = (0..self.latches).map(|_| solver.new_var().positive()).collect();
        let literal = assumable(&self.gates, difference, |latch| Some(latches[latch]), self.latches, solver.as_mut());
        satisfiable(solver.solve(&[literal]))
    }

    fn extract(&self, set: Signal) -> StateSet {
        StateSet::new(self.latches, &self.gates, set)
    }
}
