//! Simulation: values of leaves in, values of all signals out, 64 patterns at a time.
//!
//! Bit `k` of every word belongs to pattern `k`; the 64 patterns do not touch each other.

use super::aig::{Aig, Node, Signal};
use super::{Circuit, Reset};

/// The value of every node of a graph under 64 assignments of its leaves.
#[derive(Clone, Debug, Default)]
pub struct Values(Vec<u64>);

impl Values {
    pub fn get(&self, signal: Signal) -> u64 {
        let value = self.0[signal.node()];
        if signal.is_complemented() { !value } else { value }
    }

    /// The value in the first pattern.
    pub fn bit(&self, signal: Signal) -> bool {
        self.get(signal) & 1 == 1
    }

    /// Computes all gates from the values that the leaves have.
    fn propagate(&mut self, gates: &Aig) {
        for (index, node) in gates.nodes().iter().enumerate() {
            if let Node::And(a, b) = *node {
                self.0[index] = self.get(a) & self.get(b);
            }
        }
    }
}

impl Aig {
    /// Evaluates the graph; `leaf` gives the value of each leaf by the index of its node.
    pub fn evaluate(&self, mut leaf: impl FnMut(usize) -> u64) -> Values {
        let mut values = Values(vec![0; self.nodes().len()]);
        for (index, node) in self.nodes().iter().enumerate() {
            if *node == Node::Leaf {
                values.0[index] = leaf(index);
            }
        }
        values.propagate(self);
        values
    }
}

/// Runs a circuit step by step.
///
/// The simulator only computes: it neither enforces constraints nor halts on `stop`. Its user reads
/// [`Simulator::constraints`] and [`Simulator::stop`] and decides which patterns are still runs.
#[derive(Clone, Debug)]
pub struct Simulator<'a> {
    circuit: &'a Circuit,
    state: Vec<u64>,
    values: Values,
}

impl<'a> Simulator<'a> {
    /// A reset state; `free` chooses the value of each latch that starts uninitialised.
    pub fn new(circuit: &'a Circuit, mut free: impl FnMut(usize) -> u64) -> Self {
        let reset = |(index, latch): (usize, &super::Latch)| match latch.reset {
            Reset::Zero => 0,
            Reset::One => u64::MAX,
            Reset::Free => free(index),
        };
        let state = circuit.latches.iter().enumerate().map(reset).collect();
        Simulator { circuit, state, values: Values(vec![0; circuit.gates.nodes().len()]) }
    }

    /// The latches' current values.
    pub fn state(&self) -> &[u64] {
        &self.state
    }

    pub fn set_state(&mut self, state: &[u64]) {
        self.state.copy_from_slice(state);
    }

    /// Evaluates everything in the current state under these inputs, one word per input.
    pub fn evaluate(&mut self, inputs: &[u64]) -> &Values {
        assert_eq!(inputs.len(), self.circuit.inputs.len(), "a value per input");
        for (latch, &value) in self.circuit.latches.iter().zip(&self.state) {
            self.values.0[latch.signal.node()] = value;
        }
        for (input, &value) in self.circuit.inputs.iter().zip(inputs) {
            self.values.0[input.signal.node()] = value;
        }
        self.values.propagate(&self.circuit.gates);
        &self.values
    }

    /// The values that [`Simulator::evaluate`] computed last.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Patterns in which every constraint holds.
    pub fn constraints(&self) -> u64 {
        let constraints = self.circuit.constraints.iter();
        constraints.fold(u64::MAX, |all, &signal| all & self.values.get(signal))
    }

    /// Patterns that have no successor.
    pub fn stop(&self) -> u64 {
        self.values.get(self.circuit.stop)
    }

    /// Patterns in which property `index` is violated.
    pub fn bad(&self, index: usize) -> u64 {
        self.values.get(self.circuit.bad[index].signal)
    }

    /// Moves on to the successor of the last evaluated step.
    pub fn advance(&mut self) {
        for (value, latch) in self.state.iter_mut().zip(&self.circuit.latches) {
            *value = self.values.get(latch.next);
        }
    }
}
