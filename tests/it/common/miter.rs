//! Equivalence by SAT: of circuits that are copied into one graph, and of clauses over the same circuit.

use redoubt_circuit::{Aig, Circuit, Node, Signal};
use redoubt_clauses::cnf::{Cnf, Lit, Literals, Polarity, Transition, Var, compact};
use redoubt_clauses::sat::{Answer, Backend, Solver};

/// The signals of a circuit's behaviour in another graph, where its leaves have become other signals.
pub struct Copied {
    pub next: Vec<Signal>,
    pub bad: Vec<Signal>,
    pub constraints: Vec<Signal>,
    pub stop: Signal,
}

/// Copies the gates of a circuit into a graph, over the given signals for its latches and inputs.
pub fn copy(gates: &mut Aig, circuit: &Circuit, latches: &[Signal], inputs: &[Signal]) -> Copied {
    let mut copies = vec![Signal::FALSE; circuit.gates.nodes().len()];
    let leaves = circuit.latches.iter().map(|latch| latch.signal).zip(latches);
    for (leaf, &signal) in leaves.chain(circuit.inputs.iter().map(|input| input.signal).zip(inputs)) {
        copies[leaf.node()] = signal;
    }
    let at = |copies: &[Signal], signal: Signal| copies[signal.node()].complement_if(signal.is_complemented());
    for (index, node) in circuit.gates.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node {
            copies[index] = gates.and(at(&copies, a), at(&copies, b));
        }
    }
    let at = |signal: Signal| at(&copies, signal);
    Copied {
        next: circuit.latches.iter().map(|latch| at(latch.next)).collect(),
        bad: circuit.bad.iter().map(|bad| at(bad.signal)).collect(),
        constraints: circuit.constraints.iter().map(|&signal| at(signal)).collect(),
        stop: at(circuit.stop),
    }
}

/// Whether each pair of signals is equal wherever the condition holds.
pub fn equal_where(gates: &mut Aig, condition: Signal, pairs: &[(Signal, Signal)]) -> bool {
    let different: Vec<Signal> = pairs.iter().map(|&(a, b)| gates.xor(a, b)).collect();
    let some = gates.or_all(&different);
    let differs = gates.and(condition, some);
    if let Some(value) = differs.as_constant() {
        return !value;
    }
    let mut cnf = Cnf::default();
    let mut literals = Literals::new(gates);
    compact::encode(gates, &[(differs, Polarity::POSITIVE)], &mut literals, &mut cnf);
    let mut solver = Backend::Cadical.solver();
    (0..cnf.variables()).for_each(|_| _ = solver.new_var());
    cnf.clauses().for_each(|clause| solver.add_clause(clause));
    let differs = literals.get(differs).expect("a root has a literal");
    solver.solve(&[differs]) == Answer::Unsatisfiable
}

/// Whether two encodings of one circuit are the same relation: equal states and inputs imply equal next states
/// and equal literals of properties, constraints and `stop`.
///
/// Gates that both encodings have a literal for are proven equal one by one, operands first, and proven equalities are
/// added: SAT sweeping (Kuehlmann and Krohm 1997), without which a multiplier would be hopeless.
pub fn same_relation(circuit: &Circuit, a: &Transition, b: &Transition) -> bool {
    let mut solver = Backend::Cadical.solver();
    (0..a.cnf.variables() + b.cnf.variables()).for_each(|_| _ = solver.new_var());
    let moved = |lit: Lit| {
        let var = Var(lit.var().0 + a.cnf.variables() as u32);
        var.literal(!lit.is_negative())
    };
    a.cnf.clauses().for_each(|clause| solver.add_clause(clause));
    for clause in b.cnf.clauses() {
        solver.add_clause(&clause.iter().map(|&lit| moved(lit)).collect::<Vec<_>>());
    }
    let leaves = a.state.iter().chain(&a.inputs).zip(b.state.iter().chain(&b.inputs));
    for (a, b) in leaves {
        add_equal(solver.as_mut(), a.positive(), moved(b.positive()));
    }
    let gates = (0..circuit.gates.nodes().len()).map(Signal::from_node);
    let gates = gates.filter_map(|signal| Some((a.literals.get(signal)?, b.literals.get(signal)?)));
    let next = a.next.iter().zip(&b.next).map(|(a, b)| (a.positive(), b.positive()));
    let bad = a.bad.iter().copied().zip(b.bad.iter().copied());
    let constraints = a.constraints.iter().copied().zip(b.constraints.iter().copied());
    let roots = next.chain(bad).chain(constraints).chain([(a.stop, b.stop)]);
    gates.chain(roots).all(|(a, b)| {
        let b = moved(b);
        let equal = solver.solve(&[a, !b]) == Answer::Unsatisfiable && solver.solve(&[!a, b]) == Answer::Unsatisfiable;
        add_equal(solver.as_mut(), a, b);
        equal
    })
}

fn add_equal(solver: &mut dyn Solver, a: Lit, b: Lit) {
    solver.add_clause(&[!a, b]);
    solver.add_clause(&[a, !b]);
}
