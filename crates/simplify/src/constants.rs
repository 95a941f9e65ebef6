//! Latches that never leave their reset value, by ternary simulation: every input is unknown in every step, and a latch
//! that might change becomes unknown for good. The others are constant in all reachable states, whatever the
//! constraints say.
//!
//! A value only ever goes from known to unknown, so each gate changes once and the work is linear.

use super::rebuild::{self, Applied, Facts};
use redoubt_circuit::aig::Node;
use redoubt_circuit::{Circuit, Reset, Signal};

pub fn run(circuit: &Circuit) -> (Applied, Circuit) {
    let values = Ternary::fixpoint(circuit);
    let mut substitutes: Vec<Signal> = (0..circuit.gates.nodes().len()).map(Signal::from_node).collect();
    for latch in &circuit.latches {
        if let Some(value) = values.get(latch.signal) {
            substitutes[latch.signal.node()] = Signal::constant(value);
        }
    }
    rebuild::rebuild(circuit, &substitutes, Facts::Unconditional)
}

/// By node: its value, or `None` where it is not known.
struct Ternary(Vec<Option<bool>>);

impl Ternary {
    fn fixpoint(circuit: &Circuit) -> Ternary {
        let nodes = circuit.gates.nodes();
        let mut values = Ternary(vec![None; nodes.len()]);
        values.0[0] = Some(false);
        for latch in &circuit.latches {
            values.0[latch.signal.node()] = match latch.reset {
                Reset::Zero => Some(false),
                Reset::One => Some(true),
                Reset::Free => None,
            };
        }
        for (index, node) in nodes.iter().enumerate() {
            if let Node::And(a, b) = *node {
                values.0[index] = values.and(a, b);
            }
        }
        let users = Users::of(circuit);
        let mut pending: Vec<usize> = (0..circuit.latches.len()).collect();
        while let Some(latch) = pending.pop() {
            let latch = &circuit.latches[latch];
            let value = values.get(latch.signal);
            if value.is_some() && values.get(latch.next) != value {
                values.forget(circuit, &users, latch.signal.node(), &mut pending);
            }
        }
        values
    }

    fn get(&self, signal: Signal) -> Option<bool> {
        self.0[signal.node()].map(|value| value != signal.is_complemented())
    }

    fn and(&self, a: Signal, b: Signal) -> Option<bool> {
        match (self.get(a), self.get(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }

    /// Makes a node unknown, and the nodes that become unknown because of it; latches with such a next value are
    /// pending again.
    fn forget(&mut self, circuit: &Circuit, users: &Users, node: usize, pending: &mut Vec<usize>) {
        let mut changed = vec![node];
        self.0[node] = None;
        while let Some(node) = changed.pop() {
            pending.extend(&users.latches[node]);
            for &gate in &users.gates[node] {
                if let Node::And(a, b) = circuit.gates.nodes()[gate]
                    && self.0[gate].is_some()
                    && self.and(a, b) != self.0[gate]
                {
                    self.0[gate] = None;
                    changed.push(gate);
                }
            }
        }
    }
}

/// By node: the gates it is an operand of, and the latches it is the next value of.
struct Users {
    gates: Vec<Vec<usize>>,
    latches: Vec<Vec<usize>>,
}

impl Users {
    fn of(circuit: &Circuit) -> Users {
        let nodes = circuit.gates.nodes();
        let mut users = Users { gates: vec![Vec::new(); nodes.len()], latches: vec![Vec::new(); nodes.len()] };
        for (index, node) in nodes.iter().enumerate() {
            if let Node::And(a, b) = *node {
                users.gates[a.node()].push(index);
                users.gates[b.node()].push(index);
            }
        }
        for (index, latch) in circuit.latches.iter().enumerate() {
            users.latches[latch.next.node()].push(index);
        }
        users
    }
}
