//! Three SAT checks of an invariant, with an encoding of the circuit of their own.

use redoubt_circuit::aig::Node;
use redoubt_circuit::{Circuit, Reset, Signal};
use redoubt_clauses::cnf::{Lit, Var};
use redoubt_clauses::sat::{Answer, Backend, Solver};
use redoubt_engine::engine::{Invariant, StateLit, StateSet};

fn lit(signal: Signal) -> Lit {
    Var(signal.node() as u32).literal(!signal.is_complemented())
}

fn solver(circuit: &Circuit) -> Box<dyn Solver> {
    let mut solver = Backend::Cadical.solver();
    for (index, node) in circuit.gates.nodes().iter().enumerate() {
        let gate = solver.new_var();
        assert_eq!(gate.index(), index);
        match *node {
            Node::False => solver.add_clause(&[gate.negative()]),
            Node::Leaf => {}
            Node::And(a, b) => {
                solver.add_clause(&[gate.negative(), lit(a)]);
                solver.add_clause(&[gate.negative(), lit(b)]);
                solver.add_clause(&[gate.positive(), !lit(a), !lit(b)]);
            }
        }
    }
    solver
}

/// The flaw of an invariant, if there is one.
pub fn flaw(circuit: &Circuit, property: usize, invariant: &Invariant) -> Option<&'static str> {
    let now = |l: StateLit| value_of(circuit.latches[l.latch()].signal, l);
    let next = |l: StateLit| value_of(circuit.latches[l.latch()].next, l);
    let refutes = |solver: &mut dyn Solver, assumptions: &[Lit]| solver.solve(assumptions) == Answer::Unsatisfiable;

    let mut initial = solver(circuit);
    for latch in &circuit.latches {
        match latch.reset {
            Reset::Zero => initial.add_clause(&[!lit(latch.signal)]),
            Reset::One => initial.add_clause(&[lit(latch.signal)]),
            Reset::Free => {}
        }
    }
    let mut step = solver(circuit);
    for &constraint in &circuit.constraints {
        step.add_clause(&[lit(constraint)]);
    }
    for clause in &invariant.clauses {
        step.add_clause(&clause.iter().map(|&l| now(l)).collect::<Vec<_>>());
    }
    for clause in &invariant.clauses {
        let violated_now: Vec<Lit> = clause.iter().map(|&l| !now(l)).collect();
        if !refutes(initial.as_mut(), &violated_now) {
            return Some("does not hold initially");
        }
        let mut violated_next: Vec<Lit> = clause.iter().map(|&l| !next(l)).collect();
        violated_next.push(!lit(circuit.stop));
        if !refutes(step.as_mut(), &violated_next) {
            return Some("is not inductive");
        }
    }
    if !refutes(step.as_mut(), &[lit(circuit.bad[property].signal)]) {
        return Some("does not exclude the property");
    }
    None
}

/// The flaw of a set of states, if there is one: it must have the reset states, be closed, and exclude the property.
pub fn flaw_of_set(circuit: &Circuit, property: usize, set: &StateSet) -> Option<&'static str> {
    let mut extended = circuit.clone();
    let latches = |next: bool| -> Vec<Signal> {
        circuit.latches.iter().map(|latch| if next { latch.next } else { latch.signal }).collect()
    };
    let now = set.build(&latches(false), &mut extended.gates);
    let next = set.build(&latches(true), &mut extended.gates);
    let refutes = |required: &[Lit]| {
        let mut solver = solver(&extended);
        required.iter().for_each(|&lit| solver.add_clause(&[lit]));
        solver.solve(&[]) == Answer::Unsatisfiable
    };
    let mut first: Vec<Lit> = vec![!lit(now)];
    first.extend(circuit.latches.iter().filter_map(|latch| match latch.reset {
        Reset::Zero => Some(!lit(latch.signal)),
        Reset::One => Some(lit(latch.signal)),
        Reset::Free => None,
    }));
    if !refutes(&first) {
        return Some("does not hold initially");
    }
    let constraints: Vec<Lit> = circuit.constraints.iter().map(|&constraint| lit(constraint)).collect();
    if !refutes(&[&constraints[..], &[lit(now), !lit(circuit.stop), !lit(next)]].concat()) {
        return Some("is not inductive");
    }
    let bad = circuit.bad[property].signal;
    (!refutes(&[&constraints[..], &[lit(now), lit(bad)]].concat())).then_some("does not exclude the property")
}

fn value_of(signal: Signal, l: StateLit) -> Lit {
    if l.value() { lit(signal) } else { !lit(signal) }
}
