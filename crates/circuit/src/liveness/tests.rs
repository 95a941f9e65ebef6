//! Lassos, and the circuits whose runs they become.

use super::*;
use crate::random::Random;
use crate::{Simulator, Trace};

/// A ring of three states that an input may leave for good, and the signals of its first and last state.
fn ring() -> (Circuit, [Signal; 2]) {
    let mut circuit = Circuit::default();
    let leave = circuit.add_input("leave");
    let [low, high] = ["low", "high"].map(|name| circuit.add_latch(name, Reset::Zero));
    let neither = circuit.gates.and(!low, !high);
    let both = circuit.gates.and(low, high);
    let out = circuit.gates.or(leave, both);
    circuit.latches[0].next = circuit.gates.or(neither, out);
    circuit.latches[1].next = circuit.gates.or(low, out);
    (circuit, [neither, high])
}

fn lasso(inputs: &[bool], start: usize) -> Lasso {
    let inputs = inputs.iter().map(|&input| vec![input]).collect();
    Lasso { initial: vec![false; 2], inputs, start }
}

#[test]
fn a_lasso_is_a_run_that_comes_back_and_sees_everything() {
    let (circuit, signals) = ring();
    assert!(lasso(&[false; 3], 0).recurs(&circuit, &signals));
    assert!(lasso(&[false; 5], 2).recurs(&circuit, &signals));
    assert!(!lasso(&[false; 2], 0).recurs(&circuit, &signals), "it does not come back");
    assert!(!lasso(&[false, true, false], 2).recurs(&circuit, &signals), "the first state is not seen again");
    assert!(lasso(&[false, true, false], 2).recurs(&circuit, &signals[1..]));
    assert!(!lasso(&[false; 3], 3).recurs(&circuit, &signals), "the loop is empty");
    assert!(!Lasso { initial: vec![true, false], ..lasso(&[false; 3], 0) }.recurs(&circuit, &signals));
    let constrained = Circuit { constraints: vec![!circuit.latches[0].signal], ..circuit.clone() };
    assert!(!lasso(&[false; 3], 0).recurs(&constrained, &signals));
    let stopping = Circuit { stop: circuit.latches[0].signal, ..circuit.clone() };
    assert!(!lasso(&[false; 3], 0).recurs(&stopping, &signals));
}

#[test]
fn latches_that_nothing_depends_on_come_back_later() {
    let (mut circuit, signals) = ring();
    let bit = circuit.add_latch("parity", Reset::Zero);
    circuit.latches[2].next = !bit;
    let lasso = Lasso { initial: vec![false; 3], ..lasso(&[false; 3], 0) };
    assert!(lasso.recurs(&circuit, &signals));
    assert_eq!(lasso.closed(&circuit, &[true, true, false]).as_ref(), Some(&lasso));
    let closed = lasso.closed(&circuit, &[true; 3]).expect("it is a short one");
    assert_eq!((closed.inputs.len(), closed.start), (6, 0));
    assert!(closed.recurs(&circuit, &signals));
    assert_eq!(closed.closed(&circuit, &[true; 3]), Some(closed));
}

/// `all_seen` counts rounds in which each signal was seen.
#[test]
fn several_signals_are_seen_one_after_another() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let mut circuit = random.circuit(4, 3, 20);
        let signals: Vec<Signal> = circuit.bad.iter().map(|bad| bad.signal).collect();
        let all = all_seen(&mut circuit, &signals);
        let mut simulator = Simulator::new(&circuit, |_| 0);
        let mut missing = [u64::MAX; 3];
        for _ in 0..20 {
            let inputs: Vec<u64> = circuit.inputs.iter().map(|_| random.bits()).collect();
            let values = simulator.evaluate(&inputs);
            for (missing, &signal) in missing.iter_mut().zip(&signals) {
                *missing &= !values.get(signal);
            }
            let complete = !missing.iter().fold(0, |any, missing| any | missing);
            assert_eq!(values.get(all), complete);
            missing.iter_mut().for_each(|missing| *missing |= complete);
            simulator.advance();
        }
    }
}

/// Whatever closes a loop in the circuit of loops is a lasso, and a lasso closes one.
#[test]
fn loops_are_lassos() {
    let mut closed = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut circuit = random.circuit(3, 2, 12);
        circuit.constraints.clear();
        circuit.stop = Signal::FALSE;
        let signals = vec![circuit.bad[0].signal, circuit.bad[1].signal];
        let loops = Loops::new(&circuit, std::slice::from_ref(&signals));
        loops.circuit.check().expect("well-formed");
        let (start, steps) = (random.below(4), 5 + random.below(4));
        let mut inputs: Vec<Vec<bool>> = (0..steps).map(|_| vec![random.below(2) == 1, random.below(2) == 1]).collect();
        let initial: Vec<bool> = circuit.latches.iter().map(|latch| latch.reset == Reset::One).collect();
        let lasso = Lasso { initial, inputs: inputs.clone(), start };
        inputs.push(inputs[start].clone());
        for (position, inputs) in inputs.iter_mut().enumerate() {
            inputs.push(position == start);
        }
        let mut initial = lasso.initial.clone();
        initial.resize(loops.circuit.latches.len(), false);
        let trace = Trace { initial, inputs };
        assert_eq!(loops.lasso(&trace), lasso);
        let recurs = lasso.recurs(&circuit, &signals);
        assert_eq!(trace.reaches(&loops.circuit, 0), recurs);
        closed += usize::from(recurs);
    }
    assert!(closed > 20, "{closed} lassos");
}
