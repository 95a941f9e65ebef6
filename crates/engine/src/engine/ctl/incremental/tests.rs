//! Random formulas on random circuits, against the definition; and models that are too large for diagrams.

use std::time::{Duration, Instant};

use redoubt_base::{Interrupt, Limits};
use redoubt_circuit::liveness::watched;
use redoubt_circuit::random::Random;
use redoubt_circuit::{Circuit, Reset, Signal};

use super::check;
use crate::engine::bdd::diagrams::{Bounds, Stop};
use crate::engine::bdd::model::Order;
use crate::engine::ctl::tests::{Graph, formula, is_first};
use crate::engine::ctl::{Checker, CtlVerdict, Formula, Path};

/// Formulas of the kind that is asked most, beside random ones.
fn any_formula(random: &mut Random, signals: &[Signal]) -> Formula {
    let atom = Formula::Atom(random.pick(signals));
    match random.below(6) {
        0 => Formula::resettable(atom),
        1 => {
            let answered = Formula::All(Path::Finally(Box::new(Formula::Atom(random.pick(signals)))));
            Formula::All(Path::Globally(Box::new(atom.negated().or(answered))))
        }
        _ => {
            let depth = 1 + random.below(3);
            formula(random, signals, depth)
        }
    }
}

#[test]
fn formulas_hold_where_their_definition_says() {
    let (mut holding, mut violated, mut trees, mut partial) = (0, 0, 0, 0);
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let mut circuit = random.circuit(1 + seed as usize % 3, seed as usize % 3, 12);
        let kept = random.below(3).saturating_sub(1);
        circuit.constraints.truncate(kept);
        if random.below(3) > 0 {
            circuit.stop = Signal::FALSE;
        }
        let latches = circuit.latches.iter().map(|latch| latch.signal);
        let inputs = circuit.inputs.iter().map(|input| input.signal);
        let bad = circuit.bad.iter().map(|bad| bad.signal);
        let signals: Vec<Signal> = latches.chain(inputs).chain(bad).collect();
        let mut graph = Graph::new(&circuit, &[]);
        for _ in 0..4 {
            let formula = any_formula(random, &signals);
            let truth = graph.evaluate(&formula);
            graph.matters = watched(&circuit, formula.atoms());
            let firsts = (0..truth.len()).filter(|&at| graph.fair[at] && is_first(&circuit, &graph.positions[at]));
            let expected = firsts.clone().all(|at| truth[at]);
            let (verdict, proof) = check(&circuit, &formula, &Limits::default());
            partial += usize::from(proof.is_some_and(|proof| proof.total.is_none()));
            match verdict {
                CtlVerdict::Holds => {
                    assert!(expected, "seed {seed}: {formula:?} holds");
                    holding += 1;
                }
                CtlVerdict::Violated(reason) => {
                    assert!(!expected, "seed {seed}: {formula:?} is violated");
                    assert!(is_first(&circuit, &reason.run[0]));
                    graph.check(&reason, &formula, true);
                    violated += 1;
                    trees += usize::from(!reason.because.is_empty());
                }
                CtlVerdict::Open => panic!("seed {seed}: {formula:?} is open"),
            }
        }
    }
    println!(
        "{holding} hold, {violated} are violated, {trees} for reasons that have reasons; {partial} with dead ends"
    );
    assert!(holding > 300 && violated > 300 && trees > 30 && partial > 50);
}

/// A multiplier whose result is compared: no order of variables has small diagrams. It can be cleared, or not.
fn multiplier(bits: usize, can_clear: bool) -> (Circuit, Signal) {
    let mut circuit = Circuit::default();
    let clear = circuit.add_input("clear");
    let inputs: Vec<Signal> = (0..2 * bits).map(|bit| circuit.add_input(format!("in{bit}"))).collect();
    let operands: Vec<Signal> = (0..2 * bits).map(|bit| circuit.add_latch(format!("op{bit}"), Reset::Zero)).collect();
    let stuck = circuit.add_latch("stuck", Reset::Zero);
    let gates = &mut circuit.gates;
    let (a, b) = operands.split_at(bits);
    let mut product = vec![Signal::FALSE; 2 * bits];
    for (shift, &bit) in b.iter().enumerate() {
        let mut carry = Signal::FALSE;
        for place in 0..bits {
            let term = gates.and(a[place], bit);
            let old = product[place + shift];
            let half = gates.xor(old, term);
            product[place + shift] = gates.xor(half, carry);
            let (both, one) = (gates.and(old, term), gates.and(half, carry));
            carry = gates.or(both, one);
        }
        product[bits + shift] = carry;
    }
    // A product of two numbers whose middle bits are all ones gets the machine stuck.
    let found = gates.and_all(&product[bits - 2..bits + 3]);
    let stays = gates.or(stuck, found);
    let next = if can_clear { gates.and(stays, !clear) } else { stays };
    for (index, &input) in inputs.iter().enumerate() {
        circuit.latches[index].next = circuit.gates.and(input, !stuck);
    }
    circuit.latches[2 * bits].next = next;
    (circuit, stuck)
}

#[test]
fn what_is_too_large_for_diagrams_is_decided() {
    let limits = Limits::default();
    for can_clear in [true, false] {
        let (circuit, stuck) = multiplier(20, can_clear);
        for order in Order::ALL {
            let formula = Formula::Atom(stuck);
            let diagrams = Checker::new(&circuit, &[&formula], &[], order, Bounds::nodes(1 << 17), &limits);
            assert_eq!(diagrams.err(), Some(Stop::Full));
        }
        let (verdict, _) = check(&circuit, &Formula::resettable(Formula::Atom(!stuck)), &limits);
        match verdict {
            CtlVerdict::Holds => assert!(can_clear),
            CtlVerdict::Violated(reason) => {
                assert!(!can_clear);
                assert!(reason.run.last().is_some_and(|position| *position.state.last().expect("a latch")));
            }
            CtlVerdict::Open => panic!("nobody interrupts"),
        }
    }
}

/// Diagrams that may have as many nodes as they like end when their time is up.
#[test]
fn diagrams_end_in_time() {
    let (circuit, stuck) = multiplier(24, true);
    let (begun, limit) = (Instant::now(), Duration::from_millis(200));
    let limits = Limits { interrupt: Interrupt::after(limit), ..Limits::default() };
    let formula = Formula::Atom(stuck);
    let diagrams = Checker::new(&circuit, &[&formula], &[], Order::Walk, Bounds::nodes(1 << 28), &limits);
    assert_eq!(diagrams.err(), Some(Stop::Interrupted));
    assert!(begun.elapsed() < 20 * limit, "{:?}", begun.elapsed());
}

#[test]
fn an_interrupted_check_leaves_the_formula_open() {
    let interrupt = Interrupt::default();
    interrupt.raise();
    let limits = Limits { interrupt, ..Limits::default() };
    let (circuit, stuck) = multiplier(4, true);
    assert_eq!(check(&circuit, &Formula::resettable(Formula::Atom(!stuck)), &limits).0, CtlVerdict::Open);
}
