//! Cone of influence: a circuit in, the part of it that its properties depend on out.

use super::aig::{Aig, Node, Signal};
use super::{Bad, Circuit, Input, Latch};

impl Circuit {
    /// The same circuit without dead gates, and without the latches and inputs that no property, no
    /// constraint and not `stop` depends on in any number of steps. Names and order stay.
    pub fn cone_of_influence(&self) -> Circuit {
        let live = self.mark_influence();
        let mut copy = Copy {
            from: &self.gates,
            to: Aig::default(),
            copied: vec![Signal::FALSE; self.gates.nodes().len()],
        };
        let is_live = |signal: Signal| live[signal.node()];
        let mut inputs = Vec::new();
        for input in self.inputs.iter().filter(|input| is_live(input.signal)) {
            let signal = copy.leaf(input.signal);
            let name = input.name.clone();
            inputs.push(Input { signal, name });
        }
        let latches: Vec<&Latch> = (self.latches.iter())
            .filter(|latch| is_live(latch.signal))
            .collect();
        for latch in &latches {
            copy.leaf(latch.signal);
        }
        copy.gates(&live);
        Circuit {
            inputs,
            latches: latches
                .into_iter()
                .map(|latch| Latch {
                    signal: copy.signal(latch.signal),
                    next: copy.signal(latch.next),
                    reset: latch.reset,
                    name: latch.name.clone(),
                })
                .collect(),
            constraints: self.constraints.iter().map(|&c| copy.signal(c)).collect(),
            stop: copy.signal(self.stop),
            bad: (self.bad.iter())
                .map(|bad| Bad {
                    signal: copy.signal(bad.signal),
                    name: bad.name.clone(),
                })
                .collect(),
            gates: copy.to,
        }
    }

    /// For each node, whether a property, a constraint or `stop` depends on it, now or later.
    fn mark_influence(&self) -> Vec<bool> {
        let nodes = self.gates.nodes();
        let mut next_of = vec![None; nodes.len()];
        for latch in &self.latches {
            next_of[latch.signal.node()] = Some(latch.next);
        }
        let mut live = vec![false; nodes.len()];
        let mut pending: Vec<Signal> = self.bad.iter().map(|bad| bad.signal).collect();
        pending.extend(&self.constraints);
        pending.push(self.stop);
        while let Some(signal) = pending.pop() {
            if std::mem::replace(&mut live[signal.node()], true) {
                continue;
            }
            match nodes[signal.node()] {
                Node::And(a, b) => pending.extend([a, b]),
                Node::Leaf => pending.extend(next_of[signal.node()]),
                Node::False => {}
            }
        }
        live
    }
}

struct Copy<'a> {
    from: &'a Aig,
    to: Aig,
    /// For each node of `from` its signal in `to`, once it has one.
    copied: Vec<Signal>,
}

impl Copy<'_> {
    fn signal(&self, signal: Signal) -> Signal {
        self.copied[signal.node()].complement_if(signal.is_complemented())
    }

    fn leaf(&mut self, signal: Signal) -> Signal {
        let leaf = self.to.leaf();
        self.copied[signal.node()] = leaf;
        leaf
    }

    fn gates(&mut self, live: &[bool]) {
        for (index, node) in self.from.nodes().iter().enumerate() {
            if let Node::And(a, b) = *node
                && live[index]
            {
                let (a, b) = (self.signal(a), self.signal(b));
                self.copied[index] = self.to.and(a, b);
            }
        }
    }
}
