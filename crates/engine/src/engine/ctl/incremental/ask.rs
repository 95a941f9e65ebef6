//! Questions about signals of a graph, answered by a solver; and signals of the state after a step.

use redoubt_base::Interrupt;
use redoubt_circuit::{Aig, Circuit, Node, Signal};
use rustc_hash::FxHashMap;

use crate::cnf::{Cnf, Lit, Literals, Polarity, compact};
use crate::engine::{Interrupted, interruptible, satisfiable};
use crate::sat::{Backend, Solver};

/// Whether some signals can be true together, under assumptions about leaves that change from call to call.
pub struct Query {
    solver: Box<dyn Solver>,
    leaves: FxHashMap<usize, Lit>,
    /// A signal is the constant false.
    is_absurd: bool,
}

impl Query {
    pub fn new(gates: &Aig, roots: &[Signal], interrupt: &Interrupt) -> Query {
        let mut solver = interruptible(Backend::Cadical, interrupt);
        let is_absurd = roots.contains(&Signal::FALSE);
        let roots: Vec<Signal> = roots.iter().copied().filter(|root| !root.is_constant()).collect();
        let (mut cnf, mut literals) = (Cnf::default(), Literals::new(gates));
        let mut leaves = FxHashMap::default();
        let marked = gates.mark_cone(roots.iter().copied());
        for (node, _) in marked.iter().enumerate().filter(|(_, marked)| **marked) {
            if gates.nodes()[node] == Node::Leaf {
                let lit = cnf.new_var().positive();
                literals.set(Signal::from_node(node), lit);
                leaves.insert(node, lit);
            }
        }
        let wanted: Vec<(Signal, Polarity)> = roots.iter().map(|&root| (root, Polarity::POSITIVE)).collect();
        compact::encode(gates, &wanted, &mut literals, &mut cnf);
        (0..cnf.variables()).for_each(|_| _ = solver.new_var());
        cnf.clauses().for_each(|clause| solver.add_clause(clause));
        for root in roots {
            solver.add_clause(&[literals.get(root).expect("a root has a literal")]);
        }
        Query { solver, leaves, is_absurd }
    }

    /// The literal of a leaf; none if nothing depends on it.
    fn lit(&self, leaf: Signal) -> Option<Lit> {
        let lit = *self.leaves.get(&leaf.node())?;
        Some(if leaf.is_complemented() { !lit } else { lit })
    }

    /// Whether it is possible where these leaves are true.
    pub fn is_possible(&mut self, assumed: &[Signal]) -> Result<bool, Interrupted> {
        if self.is_absurd {
            return Ok(false);
        }
        let assumed: Vec<Lit> = assumed.iter().filter_map(|&leaf| self.lit(leaf)).collect();
        satisfiable(self.solver.solve(&assumed))
    }

    /// After a possible question: the value of a leaf.
    pub fn value(&self, leaf: Signal) -> bool {
        self.lit(leaf).and_then(|lit| self.solver.value(lit)).unwrap_or(false)
    }

    /// After an impossible one: which of the assumptions it takes.
    fn core(&self, assumed: &[Signal]) -> Vec<Signal> {
        let is_used = |leaf: &Signal| !self.is_absurd && self.lit(*leaf).is_some_and(|lit| self.solver.failed(lit));
        assumed.iter().copied().filter(is_used).collect()
    }

    /// Few of the assumptions under which it is impossible, if it is.
    pub fn reasons(&mut self, assumed: &[Signal]) -> Result<Option<Vec<Signal>>, Interrupted> {
        if self.is_possible(assumed)? {
            return Ok(None);
        }
        let mut kept = self.core(assumed);
        let mut place = kept.len();
        while place > 0 {
            place -= 1;
            let mut fewer = kept.clone();
            fewer.remove(place);
            if !self.is_possible(&fewer)? {
                kept = self.core(&fewer);
                place = place.min(kept.len());
            }
        }
        Ok(Some(kept))
    }
}

/// The value of a signal over latches after the step, as a signal over latches and inputs; given inputs are constants.
pub fn after_step(circuit: &mut Circuit, signal: Signal, inputs: Option<&[bool]>) -> Signal {
    let Circuit { gates, latches, inputs: of_circuit, .. } = circuit;
    let chosen: FxHashMap<usize, Signal> = match inputs {
        None => FxHashMap::default(),
        Some(values) => {
            let constants = values.iter().map(|&value| Signal::constant(value));
            of_circuit.iter().map(|input| input.signal.node()).zip(constants).collect()
        }
    };
    let wanted = gates.mark_cone([signal]);
    let needed = latches.iter().filter(|latch| wanted[latch.signal.node()]);
    let needed: Vec<(usize, Signal)> = needed.map(|latch| (latch.signal.node(), latch.next)).collect();
    let next = substitute(gates, needed.iter().map(|&(_, next)| next).collect(), &chosen);
    let next_of = needed.into_iter().map(|(node, _)| node).zip(next).collect();
    substitute(gates, vec![signal], &next_of)[0]
}

/// Signals with others in the place of leaves.
fn substitute(gates: &mut Aig, roots: Vec<Signal>, leaves: &FxHashMap<usize, Signal>) -> Vec<Signal> {
    if leaves.is_empty() {
        return roots;
    }
    let marked = gates.mark_cone(roots.iter().copied());
    let mut made: Vec<Signal> = (0..marked.len()).map(Signal::from_node).collect();
    for node in (0..marked.len()).filter(|&node| marked[node]) {
        match gates.nodes()[node] {
            Node::False => {}
            Node::Leaf => made[node] = leaves.get(&node).copied().unwrap_or(made[node]),
            Node::And(a, b) => {
                let at = |signal: Signal| made[signal.node()].complement_if(signal.is_complemented());
                let (a, b) = (at(a), at(b));
                made[node] = gates.and(a, b);
            }
        }
    }
    roots.into_iter().map(|root| made[root.node()].complement_if(root.is_complemented())).collect()
}
