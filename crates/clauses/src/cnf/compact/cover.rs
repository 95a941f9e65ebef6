//! The graph seen as fewer, larger gates: a graph and its roots in, a gate for each node that needs one out.
//!
//! First every node gets a shape: a conjunction, or a pattern if that makes an inner conjunction
//! superfluous. Then, with the shapes' exact numbers of users known, conjunctions that have a single user
//! are merged into it.

use std::ops::Range;

use super::Polarity;
use super::patterns::{if_then_else, majority};
use redoubt_circuit::{Aig, Node, Signal};

pub(super) enum Gate {
    /// The conjunction of these operands; none twice, and none with its complement.
    And(Range<usize>),
    /// A conjunction that only occurs, complemented, as a clause of the gate above it.
    Clause(Range<usize>),
    /// Two opposite operands met in a tree of conjunctions.
    False,
    /// Condition, then, otherwise.
    Ite([Signal; 3]),
    Majority([Signal; 3]),
}

#[derive(Clone, Copy)]
enum Shape {
    /// A leaf, the constant, or outside of the cone.
    Other,
    And([Signal; 2]),
    Ite([Signal; 3]),
    Majority([Signal; 3]),
}

impl Shape {
    fn operands(&self) -> &[Signal] {
        match self {
            Shape::Other => &[],
            Shape::And(operands) => operands,
            Shape::Ite(operands) | Shape::Majority(operands) => operands,
        }
    }
}

pub(super) struct Cover<'a> {
    graph: &'a Aig,
    shapes: Vec<Shape>,
    /// The number of shapes that use each node; being a root is one more use, so that a root is never merged.
    uses: Vec<u32>,
    polarities: Vec<Polarity>,
    /// For each node the gate that it is the output of; none for leaves and for inner nodes of a gate.
    gates: Vec<Option<Gate>>,
    operands: Vec<Signal>,
}

impl<'a> Cover<'a> {
    pub(super) fn new(graph: &'a Aig, roots: &[(Signal, Polarity)]) -> Self {
        let size = graph.nodes().len();
        let mut cover = Cover {
            graph,
            shapes: vec![Shape::Other; size],
            uses: vec![0; size],
            polarities: vec![Polarity::NONE; size],
            gates: std::iter::repeat_with(|| None).take(size).collect(),
            operands: Vec::new(),
        };
        cover.choose_shapes(roots);
        cover.choose_gates(roots);
        cover
    }

    /// All gates, operands first.
    pub(super) fn gates(&self) -> impl Iterator<Item = (usize, &Gate)> {
        let gates = self.gates.iter().enumerate();
        gates.filter_map(|(node, gate)| Some((node, gate.as_ref()?)))
    }

    /// In which directions the node's gate is needed.
    pub(super) fn polarity(&self, node: usize) -> Polarity {
        self.polarities[node]
    }

    pub(super) fn operands(&self, range: &Range<usize>) -> &[Signal] {
        &self.operands[range.clone()]
    }

    /// The operands of a conjunction that is a clause of the gate above it.
    pub(super) fn as_clause(&self, operand: Signal) -> Option<&[Signal]> {
        match &self.gates[operand.node()] {
            Some(Gate::Clause(range)) => Some(self.operands(range)),
            _ => None,
        }
    }

    fn choose_shapes(&mut self, roots: &[(Signal, Polarity)]) {
        let cone = self.graph.cone(roots.iter().map(|&(root, _)| root));
        for &node in &cone {
            if let Node::And(a, b) = self.graph.nodes()[node] {
                self.shapes[node] = Shape::And([a, b]);
            }
        }
        // If-then-else first: that an exclusive or does not use its inner gates leaves the carry that
        // shares them as their only user.
        self.count_uses(roots);
        self.recognise(&cone, if_then_else, Shape::Ite);
        self.count_uses(roots);
        self.recognise(&cone, majority, Shape::Majority);
        self.count_uses(roots);
    }

    /// Gives the pattern's shape to conjunctions that match it and have an operand without other users.
    fn recognise(
        &mut self,
        cone: &[usize],
        pattern: fn(&Aig, Signal, Signal) -> Option<[Signal; 3]>,
        shape: fn([Signal; 3]) -> Shape,
    ) {
        for &node in cone {
            if let Shape::And([a, b]) = self.shapes[node]
                && (self.uses[a.node()] == 1 || self.uses[b.node()] == 1)
                && let Some(operands) = pattern(self.graph, a, b)
            {
                self.shapes[node] = shape(operands);
            }
        }
    }

    /// Exact counts matter: a node with a single user loses its literal, so a second one must not be missed.
    fn count_uses(&mut self, roots: &[(Signal, Polarity)]) {
        self.uses.fill(0);
        for &(root, _) in roots {
            self.uses[root.node()] += 1;
        }
        for node in (0..self.shapes.len()).rev() {
            if self.uses[node] > 0 {
                for operand in self.shapes[node].operands() {
                    self.uses[operand.node()] += 1;
                }
            }
        }
    }

    fn choose_gates(&mut self, roots: &[(Signal, Polarity)]) {
        for &(root, polarity) in roots {
            self.need(root, polarity);
        }
        // All users of a node come after it, so its polarity is complete when the walk reaches it.
        for node in (0..self.shapes.len()).rev() {
            if self.polarities[node] != Polarity::NONE && self.gates[node].is_none() {
                self.gates[node] = self.choose_gate(node);
            }
        }
    }

    fn need(&mut self, signal: Signal, polarity: Polarity) {
        let known = &mut self.polarities[signal.node()];
        *known = known.join(polarity.below(signal));
    }

    fn choose_gate(&mut self, node: usize) -> Option<Gate> {
        let polarity = self.polarities[node];
        match self.shapes[node] {
            Shape::Other => None,
            Shape::Ite([condition, then, otherwise]) => {
                self.need(condition, Polarity::BOTH);
                // The branches of an exclusive or are opposite, and get both polarities from that.
                self.need(then, polarity);
                self.need(otherwise, polarity);
                Some(Gate::Ite([condition, then, otherwise]))
            }
            Shape::Majority(operands) => {
                for operand in operands {
                    self.need(operand, polarity);
                }
                Some(Gate::Majority(operands))
            }
            Shape::And(pair) => {
                let Some(operands) = self.merge(pair) else {
                    return Some(Gate::False);
                };
                for index in operands.clone() {
                    let operand = self.operands[index];
                    if polarity != Polarity::POSITIVE || !self.make_clause(operand) {
                        self.need(operand, polarity);
                    }
                }
                Some(Gate::And(operands))
            }
        }
    }

    /// Makes a clause of a complemented conjunction under a gate that is only assumed true, if it has no other user.
    fn make_clause(&mut self, operand: Signal) -> bool {
        let Some(pair) = self.as_inner(!operand) else {
            return false;
        };
        let Some(operands) = self.merge(pair) else {
            return false;
        };
        for index in operands.clone() {
            self.need(self.operands[index], Polarity::NEGATIVE);
        }
        self.gates[operand.node()] = Some(Gate::Clause(operands));
        true
    }

    /// The operands of a conjunction that has a single user and is no pattern.
    fn as_inner(&self, signal: Signal) -> Option<[Signal; 2]> {
        match self.shapes[signal.node()] {
            Shape::And(pair) if !signal.is_complemented() && self.uses[signal.node()] == 1 => Some(pair),
            _ => None,
        }
    }

    /// The operands of a conjunction with its inner nodes expanded; none if two are opposite.
    fn merge(&mut self, pair: [Signal; 2]) -> Option<Range<usize>> {
        let mut found = Vec::new();
        let mut pending = pair.to_vec();
        while let Some(signal) = pending.pop() {
            match self.as_inner(signal) {
                Some(pair) => pending.extend(pair),
                None => found.push(signal),
            }
        }
        found.sort_unstable();
        found.dedup();
        if found.windows(2).any(|two| two[0] == !two[1]) {
            return None;
        }
        let start = self.operands.len();
        self.operands.extend(found);
        Some(start..self.operands.len())
    }
}
