//! Forward retiming (Leiserson and Saxe, "Retiming synchronous circuitry", 1991): latches move over gates.
//!
//! A gate that depends on latches alone can be computed a step earlier, from their next values, and be a latch itself; latches
//! that only such gates use are not needed any more. When all latches have moved as far as they can, circuits that differ in
//! nothing but where their latches are have become alike, and induction over one step shows that they are equivalent, which it
//! may not have done before.
//!
//! The new state is a function of the old one, and whatever the old state is, a step of the new circuit leads to the function
//! of its successor. So an invariant of the new circuit is one of the old, with functions in the place of latches. The first
//! state must be the function of the first state, too; for that only latches with known reset values move.

use super::rebuild::Applied;
use redoubt_circuit::{Aig, Bad, Circuit, Input, Latch, Node, Reset, Signal};

/// Layers of gates that latches move over at most: around a loop that no input enters they could go on forever.
const LAYERS: usize = 16;

/// The steps that lead to fewer latches, in order, and their result. None if there are no such steps.
pub fn run(circuit: &Circuit) -> Option<(Vec<Applied>, Circuit)> {
    let mut now = circuit.clone();
    let mut steps: Vec<Applied> = Vec::new();
    for _ in 0..LAYERS {
        let Some((step, after)) = layer(&now) else { break };
        // Where each latch is worth several gates, moving on would take more latches than it saves.
        if after.latches.len() > now.latches.len() {
            break;
        }
        steps.push(step);
        now = after;
    }
    (now.latches.len() < circuit.latches.len()).then_some((steps, now))
}

/// Moves all latches that can over the gates that are next, all the way to the first that has an input; `None` if none moves.
pub fn layer(circuit: &Circuit) -> Option<(Applied, Circuit)> {
    let resets = resets(circuit);
    let moves = |node: usize| resets[node].is_some() && circuit.gates.is_gate(Signal::from_node(node));
    (0..resets.len()).any(moves).then(|| Retiming::new(circuit, resets).build())
}

/// By node: its value in the first state, if it is a function of latches for which that is known.
fn resets(circuit: &Circuit) -> Vec<Option<bool>> {
    let nodes = circuit.gates.nodes();
    let mut resets: Vec<Option<bool>> = vec![None; nodes.len()];
    for latch in &circuit.latches {
        resets[latch.signal.node()] = match latch.reset {
            Reset::Zero => Some(false),
            Reset::One => Some(true),
            Reset::Free => None,
        };
    }
    for (index, node) in nodes.iter().enumerate() {
        if let Node::And(a, b) = *node {
            let value = |signal: Signal| resets[signal.node()].map(|value| value != signal.is_complemented());
            resets[index] = value(a).zip(value(b)).map(|(a, b)| a && b);
        }
    }
    resets
}

/// A value of a node is asked for in this step or in the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Now,
    Next,
}

struct Retiming<'a> {
    from: &'a Circuit,
    /// By node: its value in the first state, if it is to be a latch wherever it is needed now.
    resets: Vec<Option<bool>>,
    /// By node: whether it is a latch that is kept.
    stays: Vec<bool>,
    to: Aig,
    /// By node of `from`: the signal with its value, now and next.
    now: Vec<Option<Signal>>,
    next: Vec<Option<Signal>>,
}

impl<'a> Retiming<'a> {
    fn new(from: &'a Circuit, resets: Vec<Option<bool>>) -> Self {
        let nodes = resets.len();
        let mut stays = vec![false; nodes];
        from.latches.iter().for_each(|latch| stays[latch.signal.node()] = latch.reset == Reset::Free);
        Retiming { from, resets, stays, to: Aig::default(), now: vec![None; nodes], next: vec![None; nodes] }
    }

    fn build(mut self) -> (Applied, Circuit) {
        let from = self.from;
        let [now, next] = self.needed();
        let mut inputs: Vec<usize> = (0..from.inputs.len()).collect();
        inputs.retain(|&input| now[from.inputs[input].signal.node()]);
        let mut latches: Vec<usize> = (0..now.len()).collect();
        latches.retain(|&node| now[node] && self.is_latch(node));
        self.now[0] = Some(Signal::FALSE);
        for node in inputs.iter().map(|&input| from.inputs[input].signal.node()).chain(latches.iter().copied()) {
            self.now[node] = Some(self.to.leaf());
        }
        self.copy(&now, When::Now);
        for latch in from.latches.iter().filter(|latch| next[latch.signal.node()]) {
            self.next[latch.signal.node()] = Some(self.at(latch.next, When::Now));
        }
        self.copy(&next, When::Next);
        let after = self.circuit(&inputs, &latches);
        let step = Applied {
            equalities: vec![],
            // Latches that are gone had a known first value.
            values: from.latches.iter().map(|latch| self.now[latch.signal.node()]).collect(),
            before: from.clone(),
            inputs,
            latches: latches.into_iter().map(Signal::from_node).collect(),
        };
        (step, Circuit { gates: self.to, ..after })
    }

    fn is_latch(&self, node: usize) -> bool {
        self.stays[node] || self.resets[node].is_some()
    }

    /// Which nodes are needed: now, and next.
    fn needed(&self) -> [Vec<bool>; 2] {
        let nodes = self.from.gates.nodes();
        let mut next_of = vec![None; nodes.len()];
        for latch in &self.from.latches {
            next_of[latch.signal.node()] = Some(latch.next.node());
        }
        let [mut now, mut next] = [vec![false; nodes.len()], vec![false; nodes.len()]];
        let bad = self.from.bad.iter().map(|bad| bad.signal);
        let roots = bad.chain(self.from.constraints.iter().copied()).chain([self.from.stop]);
        let mut pending: Vec<(usize, When)> = roots.map(|root| (root.node(), When::Now)).collect();
        while let Some((node, when)) = pending.pop() {
            let needed = if when == When::Now { &mut now } else { &mut next };
            if std::mem::replace(&mut needed[node], true) {
                continue;
            }
            match nodes[node] {
                _ if when == When::Now && self.is_latch(node) => pending.push((node, When::Next)),
                Node::And(a, b) => pending.extend([(a.node(), when), (b.node(), when)]),
                Node::Leaf => pending.extend(next_of[node].map(|next| (next, When::Now))),
                Node::False => {}
            }
        }
        [now, next]
    }

    fn at(&self, signal: Signal, when: When) -> Signal {
        let values = if when == When::Now { &self.now } else { &self.next };
        values[signal.node()].expect("what is needed is there").complement_if(signal.is_complemented())
    }

    /// Makes the gates that are needed and are no latches.
    fn copy(&mut self, needed: &[bool], when: When) {
        for (index, node) in self.from.gates.nodes().iter().enumerate() {
            let is_gate = needed[index] && (when == When::Next || self.now[index].is_none());
            if let Node::And(a, b) = *node
                && is_gate
            {
                let (a, b) = (self.at(a, when), self.at(b, when));
                let gate = Some(self.to.and(a, b));
                if when == When::Now { self.now[index] = gate } else { self.next[index] = gate }
            }
        }
    }

    /// The circuit with these inputs, and these nodes for latches; its gates are still here.
    fn circuit(&self, inputs: &[usize], latches: &[usize]) -> Circuit {
        let from = self.from;
        let mut names = vec![""; self.now.len()];
        from.latches.iter().for_each(|latch| names[latch.signal.node()] = &latch.name);
        let latch = |&node: &usize| Latch {
            signal: self.at(Signal::from_node(node), When::Now),
            next: self.at(Signal::from_node(node), When::Next),
            reset: match self.resets[node] {
                None => Reset::Free,
                Some(false) => Reset::Zero,
                Some(true) => Reset::One,
            },
            name: names[node].to_owned(),
        };
        let input = |&input: &usize| {
            let Input { signal, ref name } = from.inputs[input];
            Input { signal: self.at(signal, When::Now), name: name.clone() }
        };
        let bad = |bad: &Bad| Bad { signal: self.at(bad.signal, When::Now), name: bad.name.clone() };
        Circuit {
            gates: Aig::default(),
            inputs: inputs.iter().map(input).collect(),
            latches: latches.iter().map(latch).collect(),
            constraints: from.constraints.iter().map(|&signal| self.at(signal, When::Now)).collect(),
            invariants: vec![],
            stop: self.at(from.stop, When::Now),
            bad: from.bad.iter().map(bad).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One copy keeps the operands of a conjunction in latches, the other one its result, all behind one another.
    #[test]
    fn copies_that_differ_in_their_latches_become_alike() {
        let mut circuit = Circuit::default();
        let inputs: Vec<Signal> = (0..6).map(|index| circuit.add_input(format!("i{index}"))).collect();
        let delayed = |circuit: &mut Circuit, signal: Signal| {
            let latch = circuit.add_latch("", Reset::Zero);
            circuit.latches.last_mut().expect("just added").next = signal;
            latch
        };
        let late: Vec<Signal> = inputs.iter().map(|&input| delayed(&mut circuit, input)).collect();
        let late = circuit.gates.and_all(&late);
        let first = circuit.gates.and_all(&inputs);
        let first = delayed(&mut circuit, first);
        let ends = [late, first].map(|signal| delayed(&mut circuit, signal));
        let different = circuit.gates.xor(ends[0], ends[1]);
        circuit.add_bad("different", different);
        let (steps, retimed) = run(&circuit).expect("one latch does for six");
        assert!(steps.len() > 1, "the conjunction and the difference are behind one another");
        let (_, constant) = crate::constants::run(&retimed);
        assert_eq!(constant.bad[0].signal, Signal::FALSE);
    }
}
