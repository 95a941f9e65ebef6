//! The parts of a formula, each with sets of states at which it holds, and states at which it does not.

use redoubt_base::stack::grow;
use redoubt_circuit::{Aig, Signal};
use redoubt_formula::basis::{self, Basis, Id};

/// A part, whose atoms are signals.
pub type Kind = basis::Kind<Signal>;

/// States at which a part holds, and how a run that shows it goes on.
#[derive(Clone, Debug)]
pub struct Entry {
    pub states: Signal,
    /// Inputs of a step into an earlier entry; for EG, into any one; for EX, to where its operand holds. `None` if nothing is left to
    /// show: the second operand of EU holds.
    pub inputs: Option<Vec<bool>>,
}

/// The knowledge about a part.
#[derive(Clone, Debug)]
pub struct Known {
    pub yes: Signal,
    pub no: Signal,
    /// The reasons for `yes`, in the order in which they were found.
    pub entries: Vec<Entry>,
    /// The parts of `no`, in the same way. A state of EU's has all its successors in this part or an earlier one as far
    /// as its first operand may hold there, and the second nowhere; one of EG's in earlier parts, if its operand may
    /// hold; one of EX's where the operand does not.
    pub refuted: Vec<Signal>,
}

pub struct Nodes {
    pub basis: Basis<Signal>,
    /// By part, as far as there is something to know.
    known: Vec<Known>,
}

impl Nodes {
    pub fn new(is_total: bool) -> Nodes {
        Nodes { basis: Basis::new(is_total), known: vec![] }
    }

    pub fn kind(&self, part: Id) -> Kind {
        self.basis.parts[part]
    }

    pub fn known(&mut self, part: Id) -> &mut Known {
        let nothing = Known { yes: Signal::FALSE, no: Signal::FALSE, entries: vec![], refuted: vec![] };
        if self.known.len() <= part {
            self.known.resize(part + 1, nothing);
        }
        &mut self.known[part]
    }

    pub fn into_known(mut self) -> Vec<Known> {
        self.known(self.basis.parts.len() - 1);
        self.known
    }

    /// Where it is known to hold, and where it is known not to.
    pub fn bounds(&mut self, of: Id, gates: &mut Aig) -> (Signal, Signal) {
        grow(|| match self.kind(of) {
            Kind::Constant(value) => (Signal::constant(value), Signal::constant(!value)),
            Kind::Atom(signal) => (signal, !signal),
            Kind::Not(inner) => {
                let (yes, no) = self.bounds(inner, gates);
                (no, yes)
            }
            Kind::And(a, b) => {
                let (a, b) = (self.bounds(a, gates), self.bounds(b, gates));
                (gates.and(a.0, b.0), gates.or(a.1, b.1))
            }
            Kind::Or(a, b) => {
                let (a, b) = (self.bounds(a, gates), self.bounds(b, gates));
                (gates.or(a.0, b.0), gates.and(a.1, b.1))
            }
            Kind::Next(_) | Kind::Until(..) | Kind::Globally(_) => {
                let known = self.known(of);
                (known.yes, known.no)
            }
        })
    }
}
