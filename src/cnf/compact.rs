//! The compact encoding: fewer variables and clauses than Tseitin's for the same function.
//!
//! - A tree of conjunctions whose inner gates nobody else uses is one gate of many inputs.
//! - An exclusive or or if-then-else, which is three conjunctions in the graph, is one gate of four clauses, if
//!   that makes at least one of its inner gates superfluous.
//! - Where a gate is only ever assumed true, or only ever false, only the clauses of that direction are
//!   added (Plaisted and Greenbaum 1986), and a complemented conjunction under a gate that is only
//!   assumed true becomes a clause without a variable.
//!
//! Gates are recognised as in Eén, Mishchenko and Sörensson, "Applying Logic Synthesis for Speeding Up SAT"
//! (SAT 2007), by pattern only, without cut enumeration.

use std::ops::Range;

use super::{Cnf, Lit, Literals};
use crate::circuit::{Aig, Node, Signal};

/// The ways in which a literal may be assumed.
///
/// In a model, a literal that was encoded with `POSITIVE` may be false though its signal is true, but not
/// the other way round; so assuming it true is sound, and asking for its value is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polarity(u8);

impl Polarity {
    const NONE: Polarity = Polarity(0);
    pub const POSITIVE: Polarity = Polarity(1);
    pub const NEGATIVE: Polarity = Polarity(2);
    /// The literal equals its signal in every model.
    pub const BOTH: Polarity = Polarity(3);

    fn includes(self, other: Polarity) -> bool {
        self.0 & other.0 == other.0
    }

    /// The polarity of the node under a signal that is used with this one.
    fn below(self, signal: Signal) -> Polarity {
        if signal.is_complemented() {
            Polarity(self.0 >> 1 | (self.0 & 1) << 1)
        } else {
            self
        }
    }
}

#[derive(Clone, Debug)]
enum Gate {
    /// The conjunction of these operands; none twice, and none with its complement.
    And(Range<usize>),
    /// A conjunction that only occurs as a clause of the gate above it.
    Clause(Range<usize>),
    /// Two opposite operands met in a tree of conjunctions.
    False,
    Xor(Signal, Signal),
    Ite(Signal, Signal, Signal),
}

/// Adds clauses for the roots' cone. Afterwards every root has a literal that may be assumed as the root's
/// polarity says. To be called once for a graph: what is inner to a gate depends on all roots together.
pub fn encode(gates: &Aig, roots: &[(Signal, Polarity)], literals: &mut Literals, cnf: &mut Cnf) {
    let cover = Cover::choose(gates, roots);
    for node in 0..cover.gates.len() {
        cover.emit(node, literals, cnf);
    }
    for &(root, _) in roots {
        literals.demand(root, cnf);
    }
}

/// The graph seen as fewer, larger gates.
struct Cover<'a> {
    graph: &'a Aig,
    /// How often each node is used by gates of the cone or as a root.
    uses: Vec<u32>,
    needed: Vec<Polarity>,
    /// For each node the gate that it is the output of; none for leaves and what is inner to a gate.
    gates: Vec<Option<Gate>>,
    operands: Vec<Signal>,
}

impl<'a> Cover<'a> {
    fn choose(graph: &'a Aig, roots: &[(Signal, Polarity)]) -> Self {
        let size = graph.nodes().len();
        let mut cover = Cover {
            graph,
            uses: vec![0; size],
            needed: vec![Polarity::NONE; size],
            gates: vec![None; size],
            operands: Vec::new(),
        };
        for node in graph.cone(roots.iter().map(|&(root, _)| root)) {
            if let Node::And(a, b) = graph.nodes()[node] {
                cover.uses[a.node()] += 1;
                cover.uses[b.node()] += 1;
            }
        }
        for &(root, polarity) in roots {
            // A root needs its own literal: counted twice, it is never inner to a gate.
            cover.uses[root.node()] += 2;
            cover.need(root, polarity);
        }
        // All users of a node come after it, so its polarity is complete when the walk reaches it.
        for node in (0..size).rev() {
            if let Node::And(a, b) = graph.nodes()[node]
                && cover.needed[node] != Polarity::NONE
                && cover.gates[node].is_none()
            {
                cover.choose_gate(node, a, b);
            }
        }
        cover
    }

    fn need(&mut self, signal: Signal, polarity: Polarity) {
        self.needed[signal.node()].0 |= polarity.below(signal).0;
    }

    fn choose_gate(&mut self, node: usize, a: Signal, b: Signal) {
        let polarity = self.needed[node];
        let gate = self
            .as_if_then_else(a, b)
            .unwrap_or_else(|| self.as_conjunction(a, b));
        match gate {
            Gate::Xor(x, y) => {
                self.need(x, Polarity::BOTH);
                self.need(y, Polarity::BOTH);
            }
            Gate::Ite(condition, then, otherwise) => {
                self.need(condition, Polarity::BOTH);
                self.need(then, polarity);
                self.need(otherwise, polarity);
            }
            Gate::And(ref operands) => {
                for index in operands.clone() {
                    let operand = self.operands[index];
                    if polarity == Polarity::POSITIVE && self.is_inner(!operand) {
                        self.choose_clause(operand);
                    } else {
                        self.need(operand, polarity);
                    }
                }
            }
            Gate::Clause(_) | Gate::False => {}
        }
        self.gates[node] = Some(gate);
    }

    /// The complemented conjunction `operand`, under a gate that is only assumed true, as a clause.
    fn choose_clause(&mut self, operand: Signal) {
        let Node::And(a, b) = self.graph.node(operand) else {
            return;
        };
        let gate = match self.as_conjunction(a, b) {
            Gate::And(operands) => {
                for index in operands.clone() {
                    self.need(self.operands[index], Polarity::NEGATIVE);
                }
                Gate::Clause(operands)
            }
            other => other,
        };
        // For `Gate::False`, the gate above demands a literal as of any other operand.
        if matches!(gate, Gate::False) {
            self.need(operand, Polarity::POSITIVE);
        }
        self.gates[operand.node()] = Some(gate);
    }

    /// Whether a signal is a conjunction that only one gate uses, and better not a gate of its own.
    fn is_inner(&self, signal: Signal) -> bool {
        match self.graph.node(signal) {
            Node::And(a, b) => {
                !signal.is_complemented()
                    && self.uses[signal.node()] == 1
                    && self.as_if_then_else(a, b).is_none()
            }
            _ => false,
        }
    }

    /// Recognises `a & b = !(s & !t) & !(!s & !e) = s ? t : e`, which is `s ^ e` if `t = !e`.
    fn as_if_then_else(&self, a: Signal, b: Signal) -> Option<Gate> {
        let (Node::And(p, q), Node::And(r, s)) = (self.graph.node(a), self.graph.node(b)) else {
            return None;
        };
        let complemented = a.is_complemented() && b.is_complemented();
        if !complemented || (self.uses[a.node()] > 1 && self.uses[b.node()] > 1) {
            return None;
        }
        let (condition, then, otherwise) = match () {
            () if p == !r => (p, !q, !s),
            () if p == !s => (p, !q, !r),
            () if q == !r => (q, !p, !s),
            () if q == !s => (q, !p, !r),
            () => return None,
        };
        Some(if then == !otherwise {
            Gate::Xor(condition, otherwise)
        } else {
            Gate::Ite(condition, then, otherwise)
        })
    }

    /// The conjunction of `a` and `b` with what is inner to it expanded.
    fn as_conjunction(&mut self, a: Signal, b: Signal) -> Gate {
        let start = self.operands.len();
        let mut found = Vec::new();
        let mut pending = vec![a, b];
        while let Some(signal) = pending.pop() {
            match self.graph.node(signal) {
                Node::And(x, y) if self.is_inner(signal) => pending.extend([x, y]),
                _ => found.push(signal),
            }
        }
        found.sort_unstable();
        found.dedup();
        if found.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Gate::False;
        }
        self.operands.extend(found);
        Gate::And(start..self.operands.len())
    }

    fn emit(&self, node: usize, literals: &mut Literals, cnf: &mut Cnf) {
        let gate = match &self.gates[node] {
            None | Some(Gate::Clause(_)) => return,
            Some(gate) => gate,
        };
        let polarity = self.needed[node];
        let positive = polarity.includes(Polarity::POSITIVE);
        let negative = polarity.includes(Polarity::NEGATIVE);
        let mut lit = |signal| literals.demand(signal, cnf);
        match *gate {
            Gate::And(ref operands) => {
                self.emit_and(node, &self.operands[operands.clone()], literals, cnf);
            }
            Gate::Xor(a, b) => {
                let (a, b, out) = (lit(a), lit(b), lit(Signal::from_node(node)));
                emit_ite(cnf, [out, a, !b, b], positive, negative);
            }
            Gate::Ite(c, t, e) => {
                let (c, t, e) = (lit(c), lit(t), lit(e));
                let out = lit(Signal::from_node(node));
                emit_ite(cnf, [out, c, t, e], positive, negative);
            }
            Gate::False => {
                let out = lit(Signal::from_node(node));
                cnf.add_clause(&[!out]);
            }
            Gate::Clause(_) => {}
        }
    }

    fn emit_and(&self, node: usize, operands: &[Signal], literals: &mut Literals, cnf: &mut Cnf) {
        let polarity = self.needed[node];
        let out = literals.demand(Signal::from_node(node), cnf);
        let mut clause = Vec::with_capacity(operands.len() + 1);
        if polarity.includes(Polarity::POSITIVE) {
            for &operand in operands {
                clause.clear();
                clause.push(!out);
                if let Some(Gate::Clause(inner)) = &self.gates[operand.node()] {
                    let inner = self.operands[inner.clone()].iter();
                    clause.extend(inner.map(|&signal| !literals.demand(signal, cnf)));
                } else {
                    clause.push(literals.demand(operand, cnf));
                }
                cnf.add_clause(&clause);
            }
        }
        if polarity.includes(Polarity::NEGATIVE) {
            clause.clear();
            clause.push(out);
            clause.extend(operands.iter().map(|&signal| !literals.demand(signal, cnf)));
            cnf.add_clause(&clause);
        }
    }
}

/// `out = c ? t : e`, in the directions asked for.
fn emit_ite(cnf: &mut Cnf, [out, c, t, e]: [Lit; 4], positive: bool, negative: bool) {
    if positive {
        cnf.add_clause(&[!out, !c, t]);
        cnf.add_clause(&[!out, c, e]);
    }
    if negative {
        cnf.add_clause(&[out, !c, !t]);
        cnf.add_clause(&[out, c, !e]);
    }
}
