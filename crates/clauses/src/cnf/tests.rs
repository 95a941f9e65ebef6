//! Both encodings against evaluation of the graph.

use super::*;
use redoubt_circuit::random::Random;
use redoubt_circuit::{Aig, Circuit, Signal, Simulator, word};

/// Whether the clauses have a model under the assumptions: unit propagation and branching, which is enough
/// for a few dozen variables.
fn satisfiable(cnf: &Cnf, assumptions: &[Lit]) -> bool {
    let mut values = vec![None; cnf.variables()];
    for lit in assumptions {
        let value = &mut values[lit.var().index()];
        if *value == Some(lit.is_negative()) {
            return false;
        }
        *value = Some(!lit.is_negative());
    }
    search(cnf, values)
}

fn search(cnf: &Cnf, mut values: Vec<Option<bool>>) -> bool {
    let value_in =
        |values: &[Option<bool>], lit: &Lit| values[lit.var().index()].map(|value| value != lit.is_negative());
    loop {
        let mut unit = None;
        let mut choice = None;
        for clause in cnf.clauses() {
            if clause.iter().any(|lit| value_in(&values, lit) == Some(true)) {
                continue;
            }
            let mut open = clause.iter().filter(|lit| value_in(&values, lit).is_none());
            match (open.next(), open.next()) {
                (None, _) => return false,
                (Some(&lit), None) => unit = Some(lit),
                (Some(&lit), Some(_)) => choice = Some(lit),
            }
        }
        match (unit, choice) {
            (Some(lit), _) => values[lit.var().index()] = Some(!lit.is_negative()),
            (None, None) => return true,
            (None, Some(lit)) => {
                return [false, true].into_iter().any(|value| {
                    values[lit.var().index()] = Some(value);
                    search(cnf, values.clone())
                });
            }
        }
    }
}

const LEAVES: usize = 5;

struct Case {
    gates: Aig,
    leaves: Vec<Signal>,
    roots: Vec<Signal>,
}

impl Case {
    fn random(seed: u64) -> Case {
        let mut random = Random::new(seed);
        let mut gates = Aig::default();
        let leaves: Vec<Signal> = (0..LEAVES).map(|_| gates.leaf()).collect();
        let signals = random.grow(&mut gates, &leaves, 6 + seed as usize % 20);
        let roots = (0..1 + seed % 3).map(|_| random.pick(&signals)).collect();
        Case { gates, leaves, roots }
    }

    /// For every assignment of the leaves: its literals and the values of the roots.
    fn rows(&self, literals: &Literals) -> Vec<(Vec<Lit>, Vec<bool>)> {
        let mut rows = Vec::new();
        for row in 0..1 << self.leaves.len() {
            let bit = |index: usize| row >> index & 1 == 1;
            let values = self.gates.evaluate(|node| u64::from(bit(node - 1)));
            let fixed = |(index, &leaf): (usize, &Signal)| {
                let lit = literals.get(leaf)?;
                Some(if bit(index) { lit } else { !lit })
            };
            let leaves = self.leaves.iter().enumerate().filter_map(fixed).collect();
            rows.push((leaves, self.roots.iter().map(|&root| values.bit(root)).collect()));
        }
        rows
    }

    fn check_compact(&self, polarity: Polarity) {
        let mut cnf = Cnf::default();
        let mut literals = Literals::new(&self.gates);
        let roots: Vec<_> = self.roots.iter().map(|&root| (root, polarity)).collect();
        compact::encode(&self.gates, &roots, &mut literals, &mut cnf);
        self.check(&cnf, &literals, polarity);
    }

    /// Each root is assumed as its polarity allows: that has a model if and only if it is true.
    fn check(&self, cnf: &Cnf, literals: &Literals, polarity: Polarity) {
        for (leaves, values) in self.rows(literals) {
            let mut all = leaves.clone();
            for (&root, value) in self.roots.iter().zip(values) {
                let lit = literals.get(root).expect("a root has a literal");
                let truth = if value { lit } else { !lit };
                for assumed in [lit, !lit] {
                    let direction = if assumed == lit { Polarity::POSITIVE } else { Polarity::NEGATIVE };
                    if polarity == direction || polarity == Polarity::BOTH {
                        let mut assumptions = leaves.clone();
                        assumptions.push(assumed);
                        assert_eq!(satisfiable(cnf, &assumptions), assumed == truth);
                        if assumed == truth {
                            all.push(assumed);
                        }
                    }
                }
            }
            assert!(satisfiable(cnf, &all), "all roots together");
        }
    }
}

#[test]
fn tseitin_equals_evaluation() {
    for seed in 0..60 {
        let case = Case::random(seed);
        let mut cnf = Cnf::default();
        let mut literals = Literals::new(&case.gates);
        tseitin::encode(&case.gates, &case.roots, &mut literals, &mut cnf);
        case.check(&cnf, &literals, Polarity::BOTH);
    }
}

#[test]
fn compact_equals_evaluation_in_every_polarity() {
    for seed in 0..400 {
        for polarity in [Polarity::POSITIVE, Polarity::NEGATIVE, Polarity::BOTH] {
            Case::random(seed).check_compact(polarity);
        }
    }
}

/// Gates that look alike: a majority, the same with its exclusive or complemented, and one whose inner conjunction and
/// third operand have other users.
#[test]
fn carries_and_what_resembles_them() {
    let mut gates = Aig::default();
    let leaves: Vec<Signal> = (0..LEAVES).map(|_| gates.leaf()).collect();
    let [x, y, z, a, b] = leaves[..] else { panic!("five leaves") };
    let both = gates.and(x, y);
    let (or, xor) = (gates.or(x, y), gates.xor(x, y));
    let clause = gates.or(a, b);
    let mut roots = Vec::new();
    for either in [or, !or, xor, !xor] {
        for third in [z, clause] {
            let through = gates.and(either, third);
            let carry = gates.or(both, through);
            roots.extend([vec![carry], vec![!carry], vec![carry, through]]);
            roots.extend([vec![carry, both], vec![carry, xor], vec![carry, or, clause]]);
        }
    }
    for roots in roots {
        for polarity in [Polarity::POSITIVE, Polarity::NEGATIVE, Polarity::BOTH] {
            let (gates, leaves, roots) = (gates.clone(), leaves.clone(), roots.clone());
            Case { gates, leaves, roots }.check_compact(polarity);
        }
    }
}

#[test]
fn words_as_clauses() {
    type Operator = fn(&mut Aig, &[Signal], &[Signal]) -> Vec<Signal>;
    let divrem: Operator = |gates, a, b| {
        let (quotient, remainder) = word::divrem(gates, a, b);
        [quotient, remainder].concat()
    };
    let less: Operator = |gates, a, b| vec![word::signed_lt(gates, a, b)];
    for operator in [word::add, word::sub, word::mul, word::rem, divrem, less] {
        let mut gates = Aig::default();
        let leaves = word::leaves(&mut gates, 6);
        let roots = operator(&mut gates, &leaves[..3], &leaves[3..]);
        let variables = Case { gates, leaves, roots };
        let mut gates = Aig::default();
        let leaves = word::leaves(&mut gates, 6);
        let roots = operator(&mut gates, &leaves, &word::constant(5, 6));
        let constant = Case { gates, leaves, roots };
        for polarity in [Polarity::POSITIVE, Polarity::NEGATIVE, Polarity::BOTH] {
            variables.check_compact(polarity);
            constant.check_compact(polarity);
        }
    }
}

#[test]
fn compact_is_never_larger() {
    for seed in 0..500 {
        let circuit = Random::new(seed).circuit(4, 3, 40);
        let full = Transition::new(&circuit, Encoding::Tseitin, Uses::ANY).cnf;
        let both = Transition::new(&circuit, Encoding::Compact, Uses::ANY).cnf;
        let forward = Transition::new(&circuit, Encoding::Compact, Uses::FORWARD).cnf;
        assert!(both.len() <= full.len() && both.variables() <= full.variables());
        assert!(forward.len() <= both.len() && forward.variables() <= both.variables());
    }
}

/// A step of the simulator satisfies the relation, and with any one bit of the next state changed it does not.
#[test]
fn a_transition_is_the_simulators_step() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let circuit = random.circuit(3, 2, 20);
        for (encoding, uses) in
            [(Encoding::Tseitin, Uses::ANY), (Encoding::Compact, Uses::ANY), (Encoding::Compact, Uses::FORWARD)]
        {
            let transition = Transition::new(&circuit, encoding, uses);
            for row in 0..32u64 {
                check_step(&circuit, &transition, row, uses == Uses::ANY);
            }
        }
    }
}

fn check_step(circuit: &Circuit, transition: &Transition, row: u64, exact: bool) {
    let bits: Vec<u64> = (0..5).map(|bit| row >> bit & 1).collect();
    let (state, inputs) = bits.split_at(3);
    let mut simulator = Simulator::new(circuit, |_| 0);
    simulator.set_state(state);
    simulator.evaluate(inputs);
    let values = simulator.values().clone();
    simulator.advance();
    let literal = |(var, value): (&Var, &u64)| var.literal(value & 1 == 1);
    let mut assumptions: Vec<Lit> = transition.state.iter().zip(state).map(literal).collect();
    assumptions.extend(transition.inputs.iter().zip(inputs).map(literal));
    let next: Vec<Lit> = transition.next.iter().zip(simulator.state()).map(literal).collect();
    let mut whole = assumptions.clone();
    whole.extend(&next);
    let bad = circuit.bad.iter().map(|bad| bad.signal).zip(transition.bad.iter().copied());
    let constraints = circuit.constraints.iter().copied().zip(transition.constraints.iter().copied());
    for (signal, lit) in bad.chain(constraints) {
        let lit = if values.bit(signal) { lit } else { !lit };
        if exact || values.bit(signal) {
            whole.push(lit);
        }
        let wrong = [assumptions.clone(), vec![!lit]].concat();
        if exact || !values.bit(signal) {
            assert!(!satisfiable(&transition.cnf, &wrong));
        }
    }
    assert!(satisfiable(&transition.cnf, &whole), "the step itself");
    for &lit in &next {
        let changed = [assumptions.clone(), vec![!lit]].concat();
        assert!(!satisfiable(&transition.cnf, &changed), "a changed bit");
    }
}
