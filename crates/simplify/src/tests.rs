//! The findings of each pass, and the facts that it must not believe.

use super::*;
use crate::engine::Engine;
use redoubt_circuit::{Reset, Signal};

fn simplified(circuit: &Circuit, passes: Passes) -> Simplified {
    circuit.check().expect("well-formed");
    let result = simplify(circuit, passes, &Interrupt::default());
    result.circuit.check().expect("well-formed");
    result
}

/// A counter that an input moves on; returns its bits.
fn counter(circuit: &mut Circuit, enable: Signal, bits: usize) -> Vec<Signal> {
    let first = circuit.latches.len();
    let states: Vec<Signal> = (0..bits).map(|bit| circuit.add_latch(format!("c{bit}"), Reset::Zero)).collect();
    let mut carry = enable;
    for (bit, &state) in states.iter().enumerate() {
        circuit.latches[first + bit].next = circuit.gates.xor(state, carry);
        carry = circuit.gates.and(state, carry);
    }
    states
}

#[test]
fn equal_counters_become_one() {
    let mut circuit = Circuit::default();
    let enable = circuit.add_input("enable");
    let (a, b) = (counter(&mut circuit, enable, 5), counter(&mut circuit, enable, 5));
    let different: Vec<Signal> = a.iter().zip(&b).map(|(&a, &b)| circuit.gates.xor(a, b)).collect();
    let different = circuit.gates.or_all(&different);
    let both = circuit.gates.and(a[4], b[4]);
    circuit.add_bad("different", different);
    circuit.add_bad("both", both);
    let result = simplified(&circuit, Passes::ALL);
    assert_eq!(result.circuit.latches.len(), 5);
    assert_eq!(result.circuit.bad[0].signal, Signal::FALSE);
    let outcome = Engine::Ic3.check(&result.circuit, Engine::Ic3.backend(), &Default::default(), &mut |_| {});
    let engine::Verdict::Reachable(trace) = &outcome.verdicts[1] else { panic!("both counters get there") };
    assert!(result.original_trace(trace).reaches(&circuit, 1));
}

#[test]
fn latches_that_stay_are_constants() {
    let mut circuit = Circuit::default();
    let input = circuit.add_input("input");
    let stays = circuit.add_latch("stays", Reset::One);
    let follows = circuit.add_latch("follows", Reset::Zero);
    let changes = circuit.add_latch("changes", Reset::Zero);
    circuit.latches[1].next = circuit.gates.and(input, !stays);
    circuit.latches[2].next = circuit.gates.and(input, stays);
    let bad = circuit.gates.and(follows, changes);
    circuit.add_bad("never", bad);
    circuit.add_bad("soon", changes);
    let result = simplified(&circuit, Passes { equivalence: false, ..Passes::ALL });
    let names: Vec<&str> = result.circuit.latches.iter().map(|latch| &*latch.name).collect();
    assert_eq!(names, ["changes"]);
    assert_eq!(result.circuit.bad[0].signal, Signal::FALSE);
}

/// The constraint says that the latch equals the input. Used on the constraint itself, the equality would make it go
/// away, and with it the reason why the input is false at first.
#[test]
fn an_equality_does_not_undo_the_constraint_it_comes_from() {
    let mut circuit = Circuit::default();
    let input = circuit.add_input("input");
    let latch = circuit.add_latch("latch", Reset::Zero);
    circuit.latches[0].next = latch;
    let equal = circuit.gates.iff(input, latch);
    circuit.constraints.push(equal);
    circuit.add_bad("input", input);
    for passes in [Passes::ALL, Passes::NONE] {
        let result = simplified(&circuit, passes);
        let outcome = Engine::Ic3.check(&result.circuit, Engine::Ic3.backend(), &Default::default(), &mut |_| {});
        assert!(matches!(outcome.verdicts[0], engine::Verdict::Unreachable(_)), "{passes:?}");
    }
}

/// A latch that starts with either value has the one that the constraint leaves it.
#[test]
fn the_first_state_of_a_replaced_latch_is_mapped_back() {
    let mut circuit = Circuit::default();
    let input = circuit.add_input("input");
    let free = circuit.add_latch("free", Reset::Free);
    let set = circuit.add_latch("set", Reset::Zero);
    circuit.latches[1].next = input;
    circuit.constraints.push(free);
    let bad = circuit.gates.and(free, set);
    circuit.add_bad("set", bad);
    let result = simplified(&circuit, Passes::ALL);
    let outcome = Engine::Bmc.check(&result.circuit, Engine::Bmc.backend(), &Default::default(), &mut |_| {});
    let engine::Verdict::Reachable(trace) = &outcome.verdicts[0] else { panic!("reachable") };
    assert!(result.original_trace(trace).reaches(&circuit, 0));
}
