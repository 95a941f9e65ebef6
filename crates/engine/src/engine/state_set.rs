//! Sets of states that are no conjunction of few clauses: functions of the latches.

use redoubt_circuit::aig::Node;
use redoubt_circuit::{Aig, Signal};

use crate::cnf::{Cnf, Lit, Literals, Polarity, compact};
use crate::sat::Solver;

/// A graph over the latches of a circuit, with a signal that is true of the states in the set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet {
    gates: Aig,
    member: Signal,
}

impl StateSet {
    /// The states of which a signal is true, in a graph whose first leaves are the latches.
    pub fn new(latches: usize, gates: &Aig, member: Signal) -> StateSet {
        let mut set = StateSet { gates: over_latches(latches), member: Signal::FALSE };
        let leaves: Vec<Signal> = (0..latches).map(latch_leaf).collect();
        set.member = copy(gates, member, &leaves, &mut set.gates);
        set
    }

    /// Whether a state is in the set, as a signal of another graph, over the signals that the latches have there.
    pub fn build(&self, latches: &[Signal], gates: &mut Aig) -> Signal {
        copy(&self.gates, self.member, latches, gates)
    }

    /// How many gates it takes to say which states are in the set.
    pub fn gates(&self) -> usize {
        self.gates.gate_count()
    }
}

/// A graph with a leaf for each latch.
pub fn over_latches(latches: usize) -> Aig {
    let mut gates = Aig::default();
    (0..latches).for_each(|_| _ = gates.leaf());
    gates
}

/// The leaf of a latch in such a graph.
pub fn latch_leaf(latch: usize) -> Signal {
    Signal::from_node(latch + 1)
}

/// Copies what a signal depends on into another graph, over other leaves.
fn copy(from: &Aig, root: Signal, leaves: &[Signal], to: &mut Aig) -> Signal {
    let needed = from.mark_cone([root]);
    let mut copied = vec![Signal::FALSE; from.nodes().len()];
    copied[1..=leaves.len()].copy_from_slice(leaves);
    for (index, node) in from.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node
            && needed[index]
        {
            let at = |signal: Signal| copied[signal.node()].complement_if(signal.is_complemented());
            let (a, b) = (at(a), at(b));
            copied[index] = to.and(a, b);
        }
    }
    copied[root.node()].complement_if(root.is_complemented())
}

/// Adds what it takes to assume a signal of a graph over latches; `latch` has their literals. `variables` is how many the
/// solver has.
pub fn assumable(
    gates: &Aig,
    root: Signal,
    latch: impl Fn(usize) -> Option<Lit>,
    latches: usize,
    solver: &mut dyn Solver,
) -> Lit {
    // The next variable of the solver is the first of those that the encoding will add.
    let first = solver.new_var();
    let mut cnf = Cnf::default();
    cnf.new_vars(first.index() + 1);
    let mut literals = Literals::new(gates);
    for (index, lit) in (0..latches).filter_map(|index| latch(index).map(|lit| (index, lit))) {
        literals.set(latch_leaf(index), lit);
    }
    compact::encode(gates, &[(root, Polarity::POSITIVE)], &mut literals, &mut cnf);
    (first.index() + 1..cnf.variables()).for_each(|_| _ = solver.new_var());
    cnf.clauses().for_each(|clause| solver.add_clause(clause));
    literals.get(root).expect("a root has a literal")
}
