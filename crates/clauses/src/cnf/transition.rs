//! From a circuit to the clauses of one step: a relation between state, inputs and next state.
//!
//! This is the *functional* encoding: each bit of the next state is the output of a circuit. The other one is
//! [`Frame`](super::Frame).

use super::{Cnf, Lit, Literals, Polarity, Var, compact, tseitin};
use redoubt_circuit::{Circuit, Signal};

/// The way in which gates become clauses.
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
    pub const ANY: Uses = Uses { bad: Polarity::BOTH, constraints: Polarity::BOTH, stop: Polarity::BOTH };

    /// The needs of a forward search: a property is only assumed violated, a constraint only to hold, and `stop` only
    /// to be false.
    pub const FORWARD: Uses =
        Uses { bad: Polarity::POSITIVE, constraints: Polarity::POSITIVE, stop: Polarity::NEGATIVE };
}

/// The name of the end of a run in [`Transition::names`].
pub const STOP: &str = "stop";

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
        let mut step = StepEncoder::declare(circuit);
        let unnamed = step.name_gates();
        let next = circuit.latches.iter().map(|latch| (latch.next, Polarity::BOTH));
        step.encode(encoding, uses, next);
        for (signal, var) in unnamed {
            step.equate(&[], var, signal);
        }
        step.finish()
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
        names.push((self.stop, STOP.to_owned()));
        for (bad, &lit) in circuit.bad.iter().zip(&self.bad) {
            names.push((lit, format!("bad {}", bad.name)));
        }
        names
    }
}

/// A transition in the making: the common base of both encodings.
pub(super) struct StepEncoder<'c> {
    circuit: &'c Circuit,
    pub(super) cnf: Cnf,
    pub(super) literals: Literals,
    pub(super) state: Vec<Var>,
    pub(super) next: Vec<Var>,
    inputs: Vec<Var>,
}

impl<'c> StepEncoder<'c> {
    /// The variables of state, next state and inputs.
    pub(super) fn declare(circuit: &'c Circuit) -> StepEncoder<'c> {
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
        StepEncoder { circuit, cnf, literals, state, next, inputs }
    }

    /// Makes the variable of a next state the output of the gate that computes it, which saves the clauses
    /// that would equate them. Returns the latches for which that cannot be: a leaf, a constant, or a gate
    /// that already bears another latch's name.
    fn name_gates(&mut self) -> Vec<(Signal, Var)> {
        let mut unnamed = Vec::new();
        for (latch, &var) in self.circuit.latches.iter().zip(&self.next) {
            if self.circuit.gates.is_gate(latch.next) && self.literals.get(latch.next).is_none() {
                self.literals.set(latch.next, var.positive());
            } else {
                unnamed.push((latch.next, var));
            }
        }
        unnamed
    }

    /// Clauses for properties, constraints, `stop` and the given signals.
    pub(super) fn encode(
        &mut self,
        encoding: Encoding,
        uses: Uses,
        signals: impl IntoIterator<Item = (Signal, Polarity)>,
    ) {
        let StepEncoder { circuit, cnf, literals, .. } = self;
        let constraints = circuit.constraints.iter().copied();
        let bad = circuit.bad.iter().map(|bad| bad.signal);
        let roots: Vec<(Signal, Polarity)> = signals
            .into_iter()
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

    /// The clauses that make a variable equal to an encoded signal, unless one of the literals in `unless`
    /// holds.
    pub(super) fn equate(&mut self, unless: &[Lit], var: Var, signal: Signal) {
        let StepEncoder { cnf, literals, .. } = self;
        match signal.as_constant() {
            Some(value) => cnf.add_clause(&[unless, &[var.literal(value)]].concat()),
            None => {
                let value = literals.demand(signal, cnf);
                cnf.add_clause(&[unless, &[var.negative(), value]].concat());
                cnf.add_clause(&[unless, &[var.positive(), !value]].concat());
            }
        }
    }

    pub(super) fn finish(self) -> Transition {
        let StepEncoder { circuit, mut cnf, mut literals, state, next, inputs } = self;
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
}
