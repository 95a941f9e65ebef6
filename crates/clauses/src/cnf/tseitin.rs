//! The full encoding: a variable for every gate in the cone, and three clauses that make it equal to
//! its conjunction (Tseitin 1968). The reference that [`compact`](super::compact) is measured and
//! tested against.

use super::{Cnf, Literals};
use redoubt_circuit::{Aig, Node, Signal};

/// Adds the clauses for all gates that the roots depend on. Afterwards every root has a literal, which equals
/// the root in every model.
pub fn encode(gates: &Aig, roots: &[Signal], literals: &mut Literals, cnf: &mut Cnf) {
    for node in gates.cone(roots.iter().copied()) {
        if let Node::And(a, b) = gates.nodes()[node] {
            let a = literals.demand(a, cnf);
            let b = literals.demand(b, cnf);
            let gate = literals.demand(Signal::from_node(node), cnf);
            cnf.add_clause(&[!gate, a]);
            cnf.add_clause(&[!gate, b]);
            cnf.add_clause(&[gate, !a, !b]);
        }
    }
    for &root in roots {
        literals.demand(root, cnf);
    }
}
