//! Cofactors: a circuit and facts about a step in, its behaviour in such steps out.
//!
//! Latches and inputs keep their numbers, so facts about one circuit can be stated for the other. Facts become
//! constants, and whole parts of the logic vanish with them: of a program on its way from one place to another, only
//! the statements between these are left.

use super::aig::{Aig, Node, Signal};
use super::cone::Copy;
use super::{Bad, Circuit, Input, Invariant, Latch};

impl Circuit {
    /// The circuit in states in which some latches have these values.
    pub fn with_latches(&self, known: &[(usize, bool)]) -> Circuit {
        let known: Vec<Signal> =
            known.iter().map(|&(latch, value)| self.latches[latch].signal.complement_if(!value)).collect();
        self.cofactor(&known, false)
    }

    /// The circuit in steps in which a condition holds; that it does is a constraint of the result.
    pub fn assuming(&self, condition: Signal) -> Circuit {
        self.cofactor(&self.gates.conjuncts(condition), true)
    }

    /// Everybody but the known signals themselves sees them as constants.
    fn cofactor(&self, known: &[Signal], is_constraint: bool) -> Circuit {
        let nodes = self.gates.nodes();
        let mut is_known = vec![false; nodes.len()];
        known.iter().for_each(|signal| is_known[signal.node()] = true);
        // The value of a node itself, where its users see another one.
        let mut own = vec![Signal::FALSE; nodes.len()];
        let mut value = vec![Signal::FALSE; nodes.len()];
        known.iter().for_each(|signal| value[signal.node()] = Signal::TRUE.complement_if(signal.is_complemented()));
        let mut copy = Copy { from: &self.gates, to: Aig::default(), copied: vec![Signal::FALSE; nodes.len()] };
        for (index, node) in nodes.iter().enumerate() {
            let made = match *node {
                Node::False => Signal::FALSE,
                Node::Leaf => copy.to.leaf(),
                Node::And(a, b) => {
                    let (a, b) = (copy.signal(a), copy.signal(b));
                    copy.to.and(a, b)
                }
            };
            own[index] = made;
            copy.copied[index] = if is_known[index] { value[index] } else { made };
        }
        let leaf = |signal: Signal| own[signal.node()];
        let mut constraints: Vec<Signal> = self.constraints.iter().map(|&c| copy.signal(c)).collect();
        if is_constraint {
            constraints.extend(known.iter().map(|&signal| leaf(signal).complement_if(signal.is_complemented())));
        }
        let latch = |latch: &Latch| Latch {
            signal: leaf(latch.signal),
            next: copy.signal(latch.next),
            reset: latch.reset,
            name: latch.name.clone(),
        };
        let invariant = |invariant: &Invariant| Invariant {
            signal: copy.signal(invariant.signal),
            defines: invariant.defines.map(leaf),
        };
        let input = |input: &Input| Input { signal: leaf(input.signal), name: input.name.clone() };
        let bad = |bad: &Bad| Bad { signal: copy.signal(bad.signal), name: bad.name.clone() };
        Circuit {
            inputs: self.inputs.iter().map(input).collect(),
            latches: self.latches.iter().map(latch).collect(),
            constraints,
            invariants: self.invariants.iter().map(invariant).collect(),
            stop: copy.signal(self.stop),
            bad: self.bad.iter().map(bad).collect(),
            gates: copy.to,
        }
    }
}

impl Aig {
    /// The signals that are all true just if this one is, as far as it is a conjunction.
    fn conjuncts(&self, signal: Signal) -> Vec<Signal> {
        let (mut stack, mut list) = (vec![signal], vec![]);
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(signal) = stack.pop() {
            match self.node(signal) {
                _ if !seen.insert(signal) => {}
                Node::And(a, b) if !signal.is_complemented() => stack.extend([a, b]),
                _ => list.push(signal),
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simulator;
    use crate::random::Random;

    /// The behaviour of a circuit in 64 steps: its bad signals, `stop` and next latches, and its constraints.
    fn step(circuit: &Circuit, state: &[u64], inputs: &[u64]) -> (Vec<u64>, u64) {
        let mut simulator = Simulator::new(circuit, |_| 0);
        simulator.set_state(state);
        simulator.evaluate(inputs);
        let mut list: Vec<u64> = (0..circuit.bad.len()).map(|index| simulator.bad(index)).collect();
        list.push(simulator.stop());
        let constraints = simulator.constraints();
        simulator.advance();
        list.extend(simulator.state());
        (list, constraints)
    }

    #[test]
    fn cofactors_agree_where_what_is_known_holds() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let circuit = random.circuit(8, 4, 40);
            let (latch, value) = (random.below(8), random.below(2) == 1);
            let condition = circuit.latches[random.below(8)].next;
            let (at, during) = (circuit.with_latches(&[(latch, value)]), circuit.assuming(condition));
            at.check().expect("well-formed");
            during.check().expect("well-formed");
            let state: Vec<u64> = circuit.latches.iter().map(|_| random.bits()).collect();
            let inputs: Vec<u64> = circuit.inputs.iter().map(|_| random.bits()).collect();
            let (list, constraints) = step(&circuit, &state, &inputs);
            let is_at = if value { state[latch] } else { !state[latch] };
            let holds = step(&Circuit { constraints: vec![condition], ..circuit.clone() }, &state, &inputs).1;
            for (mask, cofactor) in [(is_at, &at), (holds, &during)] {
                let (other, other_constraints) = step(cofactor, &state, &inputs);
                assert!(list.iter().zip(&other).all(|(a, b)| (a ^ b) & mask == 0), "seed {seed}");
                assert_eq!(constraints & mask, other_constraints & mask, "seed {seed}");
            }
            assert_eq!(step(&during, &state, &inputs).1 & !holds, 0, "seed {seed}");
        }
    }
}
