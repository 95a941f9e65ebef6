//! Cone of influence: a circuit in, the part of it that its properties depend on out.

use super::aig::{Aig, Node, Signal};
use super::{Bad, Circuit, Input, Invariant, Latch};

impl Circuit {
    /// The same circuit without dead gates, and without the latches and inputs that no property, no
    /// constraint and not `stop` depends on in any number of steps. Names and order stay.
    pub fn cone_of_influence(&self) -> Circuit {
        let live = self.mark_influence();
        let mut copy =
            Copy { from: &self.gates, to: Aig::default(), copied: vec![Signal::FALSE; self.gates.nodes().len()] };
        let is_live = |signal: Signal| live[signal.node()];
        let mut inputs = Vec::new();
        for input in self.inputs.iter().filter(|input| is_live(input.signal)) {
            let signal = copy.leaf(input.signal);
            let name = input.name.clone();
            inputs.push(Input { signal, name });
        }
        let latches: Vec<&Latch> = (self.latches.iter()).filter(|latch| is_live(latch.signal)).collect();
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
            invariants: (self.invariants.iter())
                .map(|invariant| Invariant {
                    signal: copy.signal(invariant.signal),
                    defines: invariant.defines.map(|latch| copy.signal(latch)),
                })
                .collect(),
            stop: copy.signal(self.stop),
            bad: (self.bad.iter()).map(|bad| Bad { signal: copy.signal(bad.signal), name: bad.name.clone() }).collect(),
            gates: copy.to,
        }
    }

    /// For each node, whether a property, a constraint or `stop` depends on it, now or later.
    pub(crate) fn mark_influence(&self) -> Vec<bool> {
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

pub(crate) struct Copy<'a> {
    pub from: &'a Aig,
    pub to: Aig,
    /// For each node of `from` its signal in `to`, once it has one.
    pub copied: Vec<Signal>,
}

impl Copy<'_> {
    pub fn signal(&self, signal: Signal) -> Signal {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simulator;
    use crate::random::Random;

    #[test]
    fn cone_of_influence_keeps_the_properties() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let circuit = random.circuit(8, 4, 25);
            let cut = circuit.cone_of_influence();
            cut.check().expect("well-formed");
            assert!(cut.live_gates() <= circuit.live_gates());
            assert!(cut.latches.len() <= circuit.latches.len());
            check_same(&circuit, &cut, &mut random);
        }
    }

    fn check_same(circuit: &Circuit, cut: &Circuit, random: &mut Random) {
        let free: Vec<u64> = circuit.latches.iter().map(|_| random.bits()).collect();
        let by_name = |latch: usize| {
            let name = &cut.latches[latch].name;
            free[circuit.latches.iter().position(|l| l.name == *name).expect("kept")]
        };
        let mut whole = Simulator::new(circuit, |latch| free[latch]);
        let mut part = Simulator::new(cut, by_name);
        for _ in 0..10 {
            let inputs: Vec<u64> = circuit.inputs.iter().map(|_| random.bits()).collect();
            let kept = |input: &Input| inputs[circuit.inputs.iter().position(|i| i.name == input.name).expect("kept")];
            whole.evaluate(&inputs);
            part.evaluate(&cut.inputs.iter().map(kept).collect::<Vec<_>>());
            assert!((0..circuit.bad.len()).all(|index| whole.bad(index) == part.bad(index)));
            assert_eq!((whole.stop(), whole.constraints()), (part.stop(), part.constraints()));
            whole.advance();
            part.advance();
        }
    }
}
