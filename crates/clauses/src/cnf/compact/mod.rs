//! The compact encoding: fewer variables and clauses than Tseitin's for the same function.
//!
//! - A tree of conjunctions whose inner gates have no other users is one gate of many inputs.
//! - An exclusive or, an if-then-else and a majority (an adder's carry), which are three to four
//!   conjunctions in the graph, are one gate of four or six clauses where that is no more.
//! - Where a gate is only ever assumed true, or only ever false, only the clauses of that direction are
//!   added (Plaisted and Greenbaum 1986), and a complemented conjunction under a gate that is only
//!   assumed true becomes a clause without a variable.
//!
//! Gates are recognised by pattern (`patterns`), without the cut enumeration of Eén, Mishchenko and
//! Sörensson, "Applying Logic Synthesis for Speeding Up SAT" (SAT 2007); `cover` decides which of
//! them to use.

mod cover;
mod patterns;

use super::{Cnf, Lit, Literals};
use cover::{Cover, Gate};
use redoubt_circuit::{Aig, Signal};

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

    fn is_positive(self) -> bool {
        self.0 & 1 == 1
    }

    fn is_negative(self) -> bool {
        self.0 & 2 == 2
    }

    fn join(self, other: Polarity) -> Polarity {
        Polarity(self.0 | other.0)
    }

    /// The polarity of the node under a signal that is used with this one.
    fn below(self, signal: Signal) -> Polarity {
        if signal.is_complemented() { Polarity(self.0 >> 1 | (self.0 & 1) << 1) } else { self }
    }
}

/// Adds clauses for the roots' cone. Afterwards every root has a literal that may be assumed in the root's polarity. To
/// be called once for a graph: the inner nodes of gates depend on all roots together.
pub fn encode(gates: &Aig, roots: &[(Signal, Polarity)], literals: &mut Literals, cnf: &mut Cnf) {
    let cover = Cover::new(gates, roots);
    let mut emitter = Emitter { cover: &cover, literals, cnf, clause: Vec::new() };
    for (node, gate) in cover.gates() {
        emitter.emit(node, gate);
    }
    for &(root, _) in roots {
        emitter.lit(root);
    }
}

struct Emitter<'a> {
    cover: &'a Cover<'a>,
    literals: &'a mut Literals,
    cnf: &'a mut Cnf,
    /// Scratch space.
    clause: Vec<Lit>,
}

impl Emitter<'_> {
    fn lit(&mut self, signal: Signal) -> Lit {
        self.literals.demand(signal, self.cnf)
    }

    fn emit(&mut self, node: usize, gate: &Gate) {
        let polarity = self.cover.polarity(node);
        let signal = Signal::from_node(node);
        match *gate {
            // Part of the gate above it.
            Gate::Clause(_) => {}
            Gate::False => {
                let out = self.lit(signal);
                self.cnf.add_clause(&[!out]);
            }
            Gate::And(ref operands) => {
                let operands = self.cover.operands(operands);
                if polarity.is_positive() {
                    self.emit_each(signal, operands);
                }
                if polarity.is_negative() {
                    self.emit_all(signal, operands);
                }
            }
            Gate::Ite([condition, then, otherwise]) => {
                let (c, t) = (self.lit(condition), self.lit(then));
                let (e, out) = (self.lit(otherwise), self.lit(signal));
                self.directed(polarity, out, &[[!c, t], [c, e]], &[[!c, !t], [c, !e]]);
            }
            Gate::Majority([a, b, c]) => {
                let (a, b) = (self.lit(a), self.lit(b));
                let (c, out) = (self.lit(c), self.lit(signal));
                let pairs = [[a, b], [a, c], [b, c]];
                self.directed(polarity, out, &pairs, &pairs.map(|[x, y]| [!x, !y]));
            }
        }
    }

    /// `out` implies each operand.
    fn emit_each(&mut self, out: Signal, operands: &[Signal]) {
        let out = self.lit(out);
        for &operand in operands {
            self.clause.clear();
            self.clause.push(!out);
            if let Some(inner) = self.cover.as_clause(operand) {
                for &signal in inner {
                    let lit = !self.lit(signal);
                    self.clause.push(lit);
                }
            } else {
                let lit = self.lit(operand);
                self.clause.push(lit);
            }
            self.cnf.add_clause(&self.clause);
        }
    }

    /// All operands together imply `out`.
    fn emit_all(&mut self, out: Signal, operands: &[Signal]) {
        let out = self.lit(out);
        self.clause.clear();
        self.clause.push(out);
        for &operand in operands {
            let lit = !self.lit(operand);
            self.clause.push(lit);
        }
        self.cnf.add_clause(&self.clause);
    }

    /// Clauses that `out` implies and clauses that its complement implies, as far as they are needed.
    fn directed(&mut self, polarity: Polarity, out: Lit, on: &[[Lit; 2]], off: &[[Lit; 2]]) {
        if polarity.is_positive() {
            for &[x, y] in on {
                self.cnf.add_clause(&[!out, x, y]);
            }
        }
        if polarity.is_negative() {
            for &[x, y] in off {
                self.cnf.add_clause(&[out, x, y]);
            }
        }
    }
}
