//! Proofs in, a witness circuit out: the certificate of the hardware model checking competition.
//!
//! A witness circuit (Yu, Biere and Heljanko, "Progress in certifying hardware model checking results", CAV 2021; Yu,
//! Froleyks, Biere and Heljanko, FMCAD 2023) simulates the model and has a property that implies the model's and is
//! inductive. Ours is the model itself, with the same inputs, latches and constraints, and with the property
//!
//! ```text
//! every equality that a pass used  and  the invariant  and  no proved property is bad
//! ```
//!
//! The equalities of the first pass are inductive in the model; where they hold, the circuit after the pass computes
//! what the model does, so the equalities of the next pass are inductive relative to them, and so on down to the
//! invariant of the last circuit.
//!
//! A proof by k-induction needs to know the last k states, too, which latches behind those of the model remember (`history`).
//!
//! Which input or latch of the model each one simulates is said in the symbol table, as Certifaiger expects.

mod history;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use crate::circuit::aiger::Model;
use crate::circuit::{Aig, Circuit, Node, Signal};
use crate::engine::{Invariant, StateLit, StateSet};
use crate::simplify::Simplified;

/// Why properties of a model are unreachable.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// An invariant of the simplified circuit.
    Invariant { simplified: Arc<Simplified>, invariant: Invariant },
    /// A set of states of the simplified circuit that no run leaves.
    Set { simplified: Arc<Simplified>, set: StateSet },
    /// A run that was in none of these properties of the simplified circuit for `states` states is in none of them in
    /// the next, either; nor is the start of any run.
    History { simplified: Arc<Simplified>, states: usize, excluded: Vec<usize> },
    /// A witness circuit that was made before.
    Witness(Circuit),
}

impl Evidence {
    /// The witness circuit for these properties of a model.
    pub fn witness(&self, model: &Model, proved: &[usize]) -> Cow<'_, Circuit> {
        match self {
            Evidence::Witness(circuit) => Cow::Borrowed(circuit),
            _ => Cow::Owned(certificate(model, proved, &[self])),
        }
    }
}

/// The witness circuit for these properties of a model, by all the evidence that there is for them.
pub fn certificate(model: &Model, proved: &[usize], evidence: &[&Evidence]) -> Circuit {
    let mut builder = Builder::new(&model.circuit, proved);
    // Properties of one run share most of their clauses.
    let mut clauses: Vec<(&Arc<Simplified>, Vec<Vec<StateLit>>)> = vec![];
    // Of proofs by k-induction each has the claims of those before it.
    let mut last: Option<(&Simplified, usize, &[usize])> = None;
    for evidence in evidence {
        match evidence {
            Evidence::Invariant { simplified, invariant } => {
                match clauses.iter_mut().find(|(known, _)| Arc::ptr_eq(known, simplified)) {
                    Some((_, known)) => known.extend_from_slice(&invariant.clauses),
                    None => clauses.push((simplified, invariant.clauses.clone())),
                }
            }
            Evidence::Set { simplified, set } => builder.add_set(simplified, set),
            Evidence::History { simplified, states, excluded } => {
                if last.is_none_or(|(_, _, known)| known.len() < excluded.len()) {
                    last = Some((simplified, *states, excluded));
                }
            }
            Evidence::Witness(circuit) => builder.add_witness(circuit),
        }
    }
    for (simplified, mut clauses) in clauses {
        clauses.sort_unstable();
        clauses.dedup();
        builder.add_invariant(simplified, &Invariant { clauses });
    }
    if let Some((simplified, states, excluded)) = last {
        builder.add_history(simplified, states, excluded);
    }
    named(builder.finish(), model)
}

/// Makes a witness circuit: parts that hold together in every reachable state.
pub struct Builder {
    witness: Circuit,
    /// The number of its latches that are those of the model. Others come behind them.
    own_latches: usize,
    parts: Vec<Signal>,
}

/// The inputs and latches of a circuit in another one.
struct Leaves {
    inputs: Vec<Signal>,
    latches: Vec<Signal>,
}

impl Builder {
    /// A witness circuit for these properties of a circuit.
    pub fn new(circuit: &Circuit, proved: &[usize]) -> Builder {
        let witness = circuit.clone();
        let parts = proved.iter().map(|&property| !witness.bad[property].signal).collect();
        Builder { own_latches: witness.latches.len(), witness, parts }
    }

    /// Adds an invariant of the simplified circuit.
    pub fn add_invariant(&mut self, simplified: &Simplified, invariant: &Invariant) {
        let latches = self.add_equalities(simplified);
        let clauses = self.conjunction(invariant, &latches);
        self.parts.push(clauses);
    }

    /// Adds a set of states of the simplified circuit that no run leaves.
    fn add_set(&mut self, simplified: &Simplified, set: &StateSet) {
        let latches = self.add_equalities(simplified);
        let member = set.build(&latches, &mut self.witness.gates);
        self.parts.push(member);
    }

    /// Adds the equalities of the passes; the result has the signals that the latches of the simplified circuit have
    /// here.
    pub fn add_equalities(&mut self, simplified: &Simplified) -> Vec<Signal> {
        self.add_passes(simplified).latches
    }

    /// The same for its inputs, too.
    fn add_passes(&mut self, simplified: &Simplified) -> Leaves {
        let Leaves { mut inputs, mut latches } = self.leaves();
        let gates = &mut self.witness.gates;
        for step in &simplified.steps {
            let sides = step.equalities.iter().flat_map(|&(a, b)| [a, b]).chain(step.latches.iter().copied());
            let copied = copy_cone(&step.before, sides, &inputs, &latches, gates);
            let at = |signal: Signal| copied[signal.node()].complement_if(signal.is_complemented());
            self.parts.extend(step.equalities.iter().map(|&(a, b)| gates.iff(at(a), at(b))));
            inputs = step.inputs.iter().map(|&input| inputs[input]).collect();
            latches = step.latches.iter().map(|&latch| at(latch)).collect();
        }
        Leaves { inputs, latches }
    }

    /// All clauses of an invariant over these latches.
    fn conjunction(&mut self, invariant: &Invariant, latches: &[Signal]) -> Signal {
        let gates = &mut self.witness.gates;
        let mut clauses = Vec::new();
        for clause in &invariant.clauses {
            let literals: Vec<Signal> =
                clause.iter().map(|literal| latches[literal.latch()].complement_if(!literal.value())).collect();
            clauses.push(gates.or_all(&literals));
        }
        gates.and_all(&clauses)
    }

    /// Adds the claims of another witness circuit of the model.
    fn add_witness(&mut self, other: &Circuit) {
        let Leaves { inputs, mut latches } = self.leaves();
        let remembering = &other.latches[self.own_latches.min(other.latches.len())..];
        let first = self.witness.latches.len();
        latches.extend(remembering.iter().map(|latch| self.witness.add_latch("", latch.reset)));
        let bad = other.bad[0].signal;
        let roots = remembering.iter().map(|latch| latch.next).chain([bad]);
        let copied = copy_cone(other, roots, &inputs, &latches, &mut self.witness.gates);
        let at = |signal: Signal| copied[signal.node()].complement_if(signal.is_complemented());
        for (latch, remembering) in self.witness.latches[first..].iter_mut().zip(remembering) {
            latch.next = at(remembering.next);
        }
        self.parts.push(!at(bad));
    }

    /// The inputs and latches of the model.
    fn leaves(&self) -> Leaves {
        let Circuit { inputs, latches, .. } = &self.witness;
        Leaves {
            inputs: inputs.iter().map(|input| input.signal).collect(),
            latches: latches[..self.own_latches].iter().map(|latch| latch.signal).collect(),
        }
    }

    /// One property: that a part does not hold.
    pub fn finish(mut self) -> Circuit {
        let good = self.witness.gates.and_all(&self.parts);
        self.witness.bad.clear();
        self.witness.add_bad("", !good);
        self.witness
    }

    /// A property for each of several invariants over these latches: that it or a part does not hold.
    pub fn finish_each(mut self, invariants: &[Invariant], latches: &[Signal]) -> Circuit {
        let parts = self.witness.gates.and_all(&self.parts);
        self.witness.bad.clear();
        for invariant in invariants {
            let clauses = self.conjunction(invariant, latches);
            let good = self.witness.gates.and(parts, clauses);
            self.witness.add_bad("", !good);
        }
        self.witness
    }
}

/// Says in the symbol table which input or latch of a model each of the first ones is.
pub fn named(mut witness: Circuit, model: &Model) -> Circuit {
    for (input, literal) in witness.inputs.iter_mut().zip(&model.input_literals) {
        input.name = format!("= {literal}");
    }
    for (latch, literal) in witness.latches.iter_mut().zip(&model.latch_literals) {
        latch.name = format!("= {literal}");
    }
    witness
}

/// Copies these signals of a circuit, with everything they depend on, into another graph, over the leaves that are
/// given there.
fn copy_cone(
    circuit: &Circuit,
    roots: impl Iterator<Item = Signal>,
    inputs: &[Signal],
    latches: &[Signal],
    gates: &mut Aig,
) -> Vec<Signal> {
    let needed = circuit.gates.mark_cone(roots);
    let mut copied = vec![Signal::FALSE; needed.len()];
    for (input, &signal) in circuit.inputs.iter().zip(inputs) {
        copied[input.signal.node()] = signal;
    }
    for (latch, &signal) in circuit.latches.iter().zip(latches) {
        copied[latch.signal.node()] = signal;
    }
    for (index, node) in circuit.gates.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node
            && needed[index]
        {
            let at = |signal: Signal| copied[signal.node()].complement_if(signal.is_complemented());
            let (a, b) = (at(a), at(b));
            copied[index] = gates.and(a, b);
        }
    }
    copied
}
