//! Induction over one step: all candidates are equal now, so they are equal after the step.
//!
//! Both positions are built into one graph, in which a signal is replaced by its representative as soon as that is
//! allowed: at the first position because it is assumed, at the second once it is proved. Most proofs then are no more
//! than structural hashing. The assumption behind a replacement at the first position, that the gate equals its
//! representative, is told to the solver only when a model breaks it.

use super::classes::Classes;
use super::graph::Graph;
use crate::sat::Answer;
use redoubt_base::Interrupt;
use redoubt_circuit::aig::Node;
use redoubt_circuit::simulate::Values;
use redoubt_circuit::{Circuit, Reset, Signal, Simulator};

/// Propagations for the whole pass, and those for each gate of the circuit beyond that.
const PROPAGATIONS: u64 = 5_000_000;
const PROPAGATIONS_PER_GATE: u64 = 2_000;
/// Broken assumptions to tell the solver at a time.
const ASSUMPTIONS: usize = 16;

/// The work that is left. Counts, not time: the same circuit always gives the same result.
pub struct Budget {
    propagations: u64,
}

impl Budget {
    pub fn new(circuit: &Circuit) -> Budget {
        Budget { propagations: PROPAGATIONS + PROPAGATIONS_PER_GATE * circuit.live_gates() as u64 }
    }

    fn spend(&mut self, propagations: u64) -> Option<()> {
        self.propagations = self.propagations.checked_sub(propagations)?;
        Some(())
    }
}

/// The leaves of one position in the graph of both: by latch, then by input.
struct Position {
    latches: Vec<Signal>,
    inputs: Vec<Signal>,
}

pub struct Induction<'a> {
    circuit: &'a Circuit,
    interrupt: &'a Interrupt,
    graph: Graph,
    /// The position before the one that is proved, in the step.
    first: Option<First>,
}

/// The position at which all candidates are equal by assumption.
struct First {
    leaves: Position,
    /// By node of the circuit: its representative, the representative's signal in the graph, and its own.
    representatives: Vec<Signal>,
    substituted: Vec<Signal>,
    own: Vec<Signal>,
}

/// The evidence of a failed proof.
enum Model {
    /// The classes were split.
    Split,
    /// It was no model of the assumption; now the solver knows.
    Excluded,
}

impl<'a> Induction<'a> {
    fn new(circuit: &'a Circuit, interrupt: &'a Interrupt) -> Self {
        Induction { circuit, interrupt, graph: Graph::new(interrupt), first: None }
    }

    /// Leaves only candidates that are equal in all reset states; `None` if the budget ends before.
    pub fn base(
        circuit: &'a Circuit,
        classes: &mut Classes,
        budget: &mut Budget,
        interrupt: &'a Interrupt,
    ) -> Option<()> {
        let mut induction = Induction::new(circuit, interrupt);
        let reset = |latch: &redoubt_circuit::Latch| match latch.reset {
            Reset::Zero => Signal::FALSE,
            Reset::One => Signal::TRUE,
            Reset::Free => induction.graph.gates.leaf(),
        };
        let latches = circuit.latches.iter().map(reset).collect();
        let inputs = circuit.inputs.iter().map(|_| induction.graph.gates.leaf()).collect();
        induction.prove(Position { latches, inputs }, classes, budget)?;
        Some(())
    }

    /// Splits the candidates that a step takes apart, and returns whether there were any; `None` if the budget ends.
    pub fn step(
        circuit: &'a Circuit,
        classes: &mut Classes,
        budget: &mut Budget,
        interrupt: &'a Interrupt,
    ) -> Option<bool> {
        let mut induction = Induction::new(circuit, interrupt);
        let first = induction.first_position(classes);
        induction.assume_constraints(&first.leaves);
        let at = |signal: Signal| first.substituted[signal.node()].complement_if(signal.is_complemented());
        if circuit.stop != Signal::FALSE {
            induction.graph.assume(!at(circuit.stop));
        }
        let latches = circuit.latches.iter().map(|latch| at(latch.next)).collect();
        let inputs = circuit.inputs.iter().map(|_| induction.graph.gates.leaf()).collect();
        induction.first = Some(first);
        induction.prove(Position { latches, inputs }, classes, budget)
    }

    /// The position at which every node is its representative.
    fn first_position(&mut self, classes: &Classes) -> First {
        let nodes = self.circuit.gates.nodes();
        let mut own = vec![Signal::FALSE; nodes.len()];
        let mut substituted: Vec<Signal> = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let representative = classes.representative(index);
            let at = |signal: Signal| substituted[signal.node()].complement_if(signal.is_complemented());
            own[index] = match *node {
                Node::False => Signal::FALSE,
                Node::Leaf if representative.node() == index => self.graph.gates.leaf(),
                Node::Leaf => at(representative),
                Node::And(a, b) => {
                    let (a, b) = (at(a), at(b));
                    self.graph.gates.and(a, b)
                }
            };
            let signal = if representative.node() == index { own[index] } else { at(representative) };
            substituted.push(signal);
        }
        let leaf = |signal: Signal| substituted[signal.node()];
        let leaves = Position {
            latches: self.circuit.latches.iter().map(|latch| leaf(latch.signal)).collect(),
            inputs: self.circuit.inputs.iter().map(|input| leaf(input.signal)).collect(),
        };
        let representatives = (0..nodes.len()).map(|node| classes.representative(node)).collect();
        First { leaves, representatives, substituted, own }
    }

    /// Every candidate, representatives first, is shown to be equal at this position or leaves its class. Returns
    /// whether any did.
    fn prove(&mut self, leaves: Position, classes: &mut Classes, budget: &mut Budget) -> Option<bool> {
        self.assume_constraints(&leaves);
        let nodes = self.circuit.gates.nodes();
        let mut proved = vec![Signal::FALSE; nodes.len()];
        self.place_leaves(&leaves, &mut proved);
        let mut changed = false;
        for (index, node) in nodes.iter().enumerate() {
            let at = |signal: Signal| proved[signal.node()].complement_if(signal.is_complemented());
            let own = match *node {
                Node::False => Signal::FALSE,
                Node::Leaf => proved[index],
                Node::And(a, b) => {
                    let (a, b) = (at(a), at(b));
                    self.graph.gates.and(a, b)
                }
            };
            proved[index] = own;
            loop {
                let representative = classes.representative(index);
                let target = proved[representative.node()].complement_if(representative.is_complemented());
                if representative.node() == index || own == target {
                    proved[index] = if representative.node() == index { own } else { target };
                    break;
                }
                let answer = self.graph.differ(own, target);
                budget.spend(self.graph.take_spent())?;
                match answer {
                    Answer::Unsatisfiable => {
                        proved[index] = target;
                        break;
                    }
                    Answer::Unknown if self.interrupt.is_raised() => return None,
                    Answer::Unknown => {
                        classes.remove(index);
                        changed = true;
                    }
                    Answer::Satisfiable => match self.learn(&leaves, classes) {
                        Model::Excluded => {}
                        Model::Split => {
                            changed = true;
                            if classes.representative(index) == representative {
                                // A model must tell them apart; should it ever not, they part anyway.
                                debug_assert!(false, "the model of a difference shows it");
                                classes.remove(index);
                            }
                        }
                    },
                }
            }
        }
        Some(changed)
    }

    fn place_leaves(&self, leaves: &Position, values: &mut [Signal]) {
        for (latch, &signal) in self.circuit.latches.iter().zip(&leaves.latches) {
            values[latch.signal.node()] = signal;
        }
        for (input, &signal) in self.circuit.inputs.iter().zip(&leaves.inputs) {
            values[input.signal.node()] = signal;
        }
    }

    /// Adds the constraints at a position, as they are: nothing in them is replaced.
    fn assume_constraints(&mut self, leaves: &Position) {
        let nodes = self.circuit.gates.nodes();
        let used = self.circuit.gates.mark_cone(self.circuit.constraints.iter().copied());
        let mut exact = vec![Signal::FALSE; nodes.len()];
        self.place_leaves(leaves, &mut exact);
        for (index, node) in nodes.iter().enumerate() {
            if let Node::And(a, b) = *node
                && used[index]
            {
                let at = |signal: Signal| exact[signal.node()].complement_if(signal.is_complemented());
                let (a, b) = (at(a), at(b));
                exact[index] = self.graph.gates.and(a, b);
            }
        }
        for constraint in &self.circuit.constraints {
            self.graph.assume(exact[constraint.node()].complement_if(constraint.is_complemented()));
        }
    }

    /// Splits the classes by the solver's model, and by others near it.
    fn learn(&mut self, leaves: &Position, classes: &mut Classes) -> Model {
        let values = self.graph.near_model();
        let mut simulator = Simulator::new(self.circuit, |_| 0);
        let mut valid = u64::MAX;
        let words = |signals: &[Signal]| -> Vec<u64> { signals.iter().map(|&signal| values.get(signal)).collect() };
        if let Some(first) = &self.first {
            simulator.set_state(&words(&first.leaves.latches));
            simulator.evaluate(&words(&first.leaves.inputs));
            valid &= simulator.constraints() & !simulator.stop();
            let broken = broken(&first.representatives, simulator.values(), &mut valid);
            if !broken.is_empty() {
                let pairs: Vec<[Signal; 2]> =
                    broken.iter().map(|&node| [first.own[node], first.substituted[node]]).collect();
                pairs.into_iter().for_each(|[own, substituted]| self.graph.equate(own, substituted));
                return Model::Excluded;
            }
            simulator.advance();
        } else {
            simulator.set_state(&words(&leaves.latches));
        }
        simulator.evaluate(&words(&leaves.inputs));
        valid &= simulator.constraints();
        debug_assert!(valid & 1 == 1, "the solver's model satisfies the constraints");
        classes.refine(simulator.values(), valid);
        Model::Split
    }
}

/// The nodes that differ from their representatives in the first pattern, the lowest first; `valid` loses the patterns
/// in which any does.
fn broken(representatives: &[Signal], values: &Values, valid: &mut u64) -> Vec<usize> {
    let mut broken = Vec::new();
    for (node, &representative) in representatives.iter().enumerate() {
        let difference = values.get(Signal::from_node(node)) ^ values.get(representative);
        *valid &= !difference;
        if difference & 1 == 1 && broken.len() < ASSUMPTIONS {
            broken.push(node);
        }
    }
    broken
}
