//! From a circuit to the clauses of one step: a relation between state, inputs and next state.

use super::{Cnf, Lit, Literals, Polarity, Var, compact, tseitin};
use crate::circuit::{Circuit, Signal};

/// How gates become clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Tseitin,
    Compact,
}

/// In which ways the engine will assume the literals of properties, constraints and `stop`. Next-state
/// variables may always be assumed both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses {
    pub bad: Polarity,
    pub constraints: Polarity,
    pub stop: Polarity,
}

impl Uses {
    /// Everything may be assumed true and false, and read from models.
    pub const ANY: Uses = Uses {
        bad: Polarity::BOTH,
        constraints: Polarity::BOTH,
        stop: Polarity::BOTH,
    };

    /// What a forward search needs: a property is only assumed violated, a constraint only to hold, and
    /// `stop` only to be false.
    pub const FORWARD: Uses = Uses {
        bad: Polarity::POSITIVE,
        constraints: Polarity::POSITIVE,
        stop: Polarity::NEGATIVE,
    };
}

/// One step of a circuit as clauses.
///
/// The clauses only define literals and exclude no state and no input: it is up to the engine to assume
/// constraints, `!stop` for a step that has a successor, or a property. The variables come in the
/// order of the fields: state, next state, inputs, then those of gates.
#[derive(Clone, Debug)]
pub struct Transition {
    pub cnf: Cnf,
    /// One per latch, as are `next`.
    pub state: Vec<Var>,
    pub next: Vec<Var>,
    pub inputs: Vec<Var>,
    pub bad: Vec<Lit>,
    pub constraints: Vec<Lit>,
    pub stop: Lit,
    /// The literals of the circuit's other signals, where they have one.
    pub literals: Literals,
}

impl Transition {
    pub fn new(circuit: &Circuit, encoding: Encoding, uses: Uses) -> Transition {
        let mut cnf = Cnf::default();
        let mut literals = Literals::new(&circuit.gates);
        let state = cnf.new_vars(circuit.latches.len());
        let next = cnf.new_vars(circuit.latches.len());
        let inputs = cnf.new_vars(circuit.inputs.len());
        for (latch, var) in circuit.latches.iter().zip(&state) {
            literals.set(latch.signal, var.positive());
        }
        for (input, var) in circuit.inputs.iter().zip(&inputs) {
            literals.set(input.signal, var.positive());
        }
        let unnamed = name_gates(circuit, &next, &mut literals);
        encode_roots(circuit, encoding, uses, &mut literals, &mut cnf);
        for (signal, var) in unnamed {
            match signal.as_constant() {
                Some(value) => cnf.add_clause(&[var.literal(value)]),
                None => {
                    let value = literals.demand(signal, &mut cnf);
                    cnf.add_equal(var.positive(), value);
                }
            }
        }
        let mut lit = |signal| literals.demand(signal, &mut cnf);
        Transition {
            state,
            next,
            inputs,
            bad: circuit.bad.iter().map(|bad| lit(bad.signal)).collect(),
            constraints: circuit.constraints.iter().map(|&c| lit(c)).collect(),
            stop: lit(circuit.stop),
            literals,
            cnf,
        }
    }

    /// Names of literals for [`dimacs`](super::dimacs): a next-state variable has its latch's name and a prime.
    pub fn names(&self, circuit: &Circuit) -> Vec<(Lit, String)> {
        let mut names = Vec::new();
        for (latch, var) in circuit.latches.iter().zip(&self.state) {
            names.push((var.positive(), latch.name.clone()));
        }
        for (latch, var) in circuit.latches.iter().zip(&self.next) {
            names.push((var.positive(), format!("{}'", latch.name)));
        }
        for (input, var) in circuit.inputs.iter().zip(&self.inputs) {
            names.push((var.positive(), input.name.clone()));
        }
        for (index, &lit) in self.constraints.iter().enumerate() {
            names.push((lit, format!("constraint {index}")));
        }
        names.push((self.stop, "stop".to_owned()));
        for (bad, &lit) in circuit.bad.iter().zip(&self.bad) {
            names.push((lit, format!("bad {}", bad.name)));
        }
        names
    }
}

/// Makes the variable of a next state the output of the gate that computes it, which saves the clauses
/// that would equate them. Returns the latches for which that cannot be: a leaf, a constant, or a gate that
/// already bears another latch's name.
fn name_gates(circuit: &Circuit, next: &[Var], literals: &mut Literals) -> Vec<(Signal, Var)> {
    let mut unnamed = Vec::new();
    for (latch, &var) in circuit.latches.iter().zip(next) {
        if circuit.gates.is_gate(latch.next) && literals.get(latch.next).is_none() {
            literals.set(latch.next, var.positive());
        } else {
            unnamed.push((latch.next, var));
        }
    }
    unnamed
}

fn encode_roots(
    circuit: &Circuit,
    encoding: Encoding,
    uses: Uses,
    literals: &mut Literals,
    cnf: &mut Cnf,
) {
    let next = circuit.latches.iter().map(|latch| latch.next);
    let constraints = circuit.constraints.iter().copied();
    let bad = circuit.bad.iter().map(|bad| bad.signal);
    let roots: Vec<(Signal, Polarity)> = next
        .map(|signal| (signal, Polarity::BOTH))
        .chain(constraints.map(|signal| (signal, uses.constraints)))
        .chain([(circuit.stop, uses.stop)])
        .chain(bad.map(|signal| (signal, uses.bad)))
        .filter(|(signal, _)| circuit.gates.is_gate(*signal))
        .collect();
    match encoding {
        Encoding::Compact => compact::encode(&circuit.gates, &roots, literals, cnf),
        Encoding::Tseitin => {
            let roots: Vec<Signal> = roots.into_iter().map(|(signal, _)| signal).collect();
            tseitin::encode(&circuit.gates, &roots, literals, cnf);
        }
    }
}
