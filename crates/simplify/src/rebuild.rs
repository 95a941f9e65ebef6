//! Substitution: a circuit and equal signals in, the circuit without those that are not needed any more out.
//!
//! An equality may hold only because the constraints do. Put into the constraints themselves, it would take away what
//! it rests on (from "the latch equals the input" follows that the constraint which says so is true, and so not
//! needed). Then constraints are copied as they are, with the latches and inputs that they mention; everything else
//! uses the substitutes.
//!
//! That is exact. A run of the new circuit has the latches and inputs of the constraints; by induction over its
//! positions the given circuit, from the same reset state and under the same inputs, satisfies the constraints there
//! too, so the equalities hold, so every substitute has the value of its original.

use crate::engine::Trace;
use redoubt_circuit::aig::Node;
use redoubt_circuit::{Aig, Bad, Circuit, Input, Latch, Reset, Signal, Simulator};

/// The facts that equalities rest on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Facts {
    /// They hold in every state that steps lead to, whether the constraints do or not.
    Unconditional,
    /// They hold where the constraints do.
    UnderConstraints,
}

/// One pass: the circuit before it and how the one after it hangs together with that.
#[derive(Clone, Debug)]
pub struct Applied {
    pub before: Circuit,
    /// The equalities that were used: they hold together in every reset state, and stay true from step to step.
    pub equalities: Vec<(Signal, Signal)>,
    /// For each input after the pass, which one before it is the same.
    pub inputs: Vec<usize>,
    /// For each latch after the pass, the signal before it that has its value: a function of latches.
    pub latches: Vec<Signal>,
    /// For each latch before the pass, the signal that has its value after it; `None` if nothing depends on it, or if its first
    /// value is known.
    pub(super) values: Vec<Option<Signal>>,
}

/// Drops parts that no property depends on.
pub fn cone(circuit: &Circuit) -> (Applied, Circuit) {
    let itself: Vec<Signal> = (0..circuit.gates.nodes().len()).map(Signal::from_node).collect();
    rebuild(circuit, &itself, Facts::Unconditional)
}

/// Puts substitutes in the place of nodes. A node's substitute has a lower index and is its own, or it is the node.
pub fn rebuild(circuit: &Circuit, substitutes: &[Signal], facts: Facts) -> (Applied, Circuit) {
    let mut copy = Copy::new(circuit, substitutes, facts);
    let (inputs, latches) = copy.leaves();
    copy.gates();
    let kept = |&latch: &usize| {
        let Latch { signal, next, reset, ref name } = circuit.latches[latch];
        Latch { signal: copy.exact[signal.node()], next: copy.signal(next), reset, name: name.clone() }
    };
    let input = |&input: &usize| {
        let Input { signal, ref name } = circuit.inputs[input];
        Input { signal: copy.exact[signal.node()], name: name.clone() }
    };
    let constraint = |&signal: &Signal| match facts {
        Facts::Unconditional => copy.signal(signal),
        Facts::UnderConstraints => copy.exact[signal.node()].complement_if(signal.is_complemented()),
    };
    let bad = |bad: &Bad| Bad { signal: copy.signal(bad.signal), name: bad.name.clone() };
    let value = |latch: &Latch| {
        let node = latch.signal.node();
        (copy.live.exact[node].then_some(copy.exact[node]))
            .or_else(|| copy.live.substituted[node].then(|| copy.signal(latch.signal)))
    };
    let mut constraints: Vec<Signal> = circuit.constraints.iter().map(constraint).collect();
    constraints.sort_unstable();
    constraints.dedup();
    constraints.retain(|&constraint| constraint != Signal::TRUE);
    let after = Circuit {
        inputs: inputs.iter().map(input).collect(),
        latches: latches.iter().map(kept).collect(),
        constraints,
        invariants: vec![],
        stop: copy.signal(circuit.stop),
        bad: circuit.bad.iter().map(bad).collect(),
        gates: Aig::default(),
    };
    let changed = |&node: &usize| substitutes[node] != Signal::from_node(node);
    let step = Applied {
        equalities: (0..substitutes.len())
            .filter(changed)
            .map(|node| (Signal::from_node(node), substitutes[node]))
            .collect(),
        values: circuit.latches.iter().map(value).collect(),
        before: circuit.clone(),
        inputs,
        latches: latches.into_iter().map(|latch| circuit.latches[latch].signal).collect(),
    };
    (step, Circuit { gates: copy.to, ..after })
}

/// The needed version of each node: itself, for a constraint, and its substitute, for everything else.
struct Live {
    exact: Vec<bool>,
    substituted: Vec<bool>,
}

impl Live {
    fn of(circuit: &Circuit, substitutes: &[Signal], facts: Facts) -> Live {
        let nodes = circuit.gates.nodes();
        let mut next_of = vec![None; nodes.len()];
        for latch in &circuit.latches {
            next_of[latch.signal.node()] = Some(latch.next.node());
        }
        let mut live = Live { exact: vec![false; nodes.len()], substituted: vec![false; nodes.len()] };
        let roots = circuit.bad.iter().map(|bad| bad.signal).chain([circuit.stop]);
        let mut pending: Vec<(usize, bool)> = roots.map(|root| (root.node(), false)).collect();
        pending
            .extend(circuit.constraints.iter().map(|constraint| (constraint.node(), facts == Facts::UnderConstraints)));
        while let Some((node, exact)) = pending.pop() {
            let marks = if exact { &mut live.exact } else { &mut live.substituted };
            if std::mem::replace(&mut marks[node], true) {
                continue;
            }
            let substitute = substitutes[node].node();
            match nodes[node] {
                _ if !exact && substitute != node => pending.push((substitute, false)),
                Node::And(a, b) => pending.extend([(a.node(), exact), (b.node(), exact)]),
                // A leaf is the same either way.
                Node::Leaf if !exact => pending.push((node, true)),
                Node::Leaf => pending.extend(next_of[node].map(|next| (next, false))),
                Node::False => {}
            }
        }
        live
    }
}

struct Copy<'a> {
    from: &'a Circuit,
    substitutes: &'a [Signal],
    live: Live,
    to: Aig,
    /// By node of `from`, once it is there.
    exact: Vec<Signal>,
    substituted: Vec<Signal>,
}

impl<'a> Copy<'a> {
    fn new(from: &'a Circuit, substitutes: &'a [Signal], facts: Facts) -> Self {
        let nodes = from.gates.nodes().len();
        Copy {
            from,
            substitutes,
            live: Live::of(from, substitutes, facts),
            to: Aig::default(),
            exact: vec![Signal::FALSE; nodes],
            substituted: vec![Signal::FALSE; nodes],
        }
    }

    /// The substitute of a signal.
    fn signal(&self, signal: Signal) -> Signal {
        self.substituted[signal.node()].complement_if(signal.is_complemented())
    }

    /// The inputs and latches that stay.
    fn leaves(&mut self) -> (Vec<usize>, Vec<usize>) {
        let (mut inputs, mut latches) = (Vec::new(), Vec::new());
        for (index, input) in self.from.inputs.iter().enumerate() {
            if self.live.exact[input.signal.node()] {
                inputs.push(index);
                self.exact[input.signal.node()] = self.to.leaf();
            }
        }
        for (index, latch) in self.from.latches.iter().enumerate() {
            if self.live.exact[latch.signal.node()] {
                latches.push(index);
                self.exact[latch.signal.node()] = self.to.leaf();
            }
        }
        (inputs, latches)
    }

    fn gates(&mut self) {
        for (index, node) in self.from.gates.nodes().iter().enumerate() {
            if let Node::And(a, b) = *node
                && self.live.exact[index]
            {
                let at = |signal: Signal| self.exact[signal.node()].complement_if(signal.is_complemented());
                let (a, b) = (at(a), at(b));
                self.exact[index] = self.to.and(a, b);
            }
            if !self.live.substituted[index] {
                continue;
            }
            let substitute = self.substitutes[index];
            self.substituted[index] = if substitute.node() != index {
                self.signal(substitute)
            } else if let Node::And(a, b) = *node {
                let (a, b) = (self.signal(a), self.signal(b));
                self.to.and(a, b)
            } else {
                self.exact[index]
            };
        }
    }
}

impl Applied {
    /// A trace of the circuit after this pass as one of the circuit before it.
    pub(super) fn trace_before(&self, after: &Circuit, trace: &Trace) -> Trace {
        let word = |&value: &bool| if value { u64::MAX } else { 0 };
        let first: Vec<u64> = trace.inputs.first().into_iter().flatten().map(word).collect();
        let mut simulator = Simulator::new(after, |_| 0);
        simulator.set_state(&trace.initial.iter().map(word).collect::<Vec<_>>());
        let values = simulator.evaluate(&first);
        let reset = |latch: &Latch| latch.reset == Reset::One;
        let latches = self.before.latches.iter().zip(&self.values);
        let initial = latches.map(|(latch, value)| value.map_or(reset(latch), |signal| values.bit(signal)));
        let inputs_before = |inputs: &Vec<bool>| {
            let mut all = vec![false; self.before.inputs.len()];
            for (&input, &value) in self.inputs.iter().zip(inputs) {
                all[input] = value;
            }
            all
        };
        Trace { initial: initial.collect(), inputs: trace.inputs.iter().map(inputs_before).collect() }
    }
}
