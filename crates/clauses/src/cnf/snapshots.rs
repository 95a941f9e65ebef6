//! One circuit in every form, small enough to check by hand: a counter of two bits that counts while
//! `go` holds, wraps from 2 to 0, and must never be 3.

use insta::assert_snapshot;

use super::*;
use redoubt_circuit::{Circuit, Reset, Signal, aiger};

fn counter() -> Circuit {
    let mut circuit = Circuit::default();
    let go = circuit.add_input("go");
    let low = circuit.add_latch("x[0]", Reset::Zero);
    let high = circuit.add_latch("x[1]", Reset::Zero);
    let gates = &mut circuit.gates;
    let wrapped = gates.and(!high, !low);
    circuit.latches[0].next = gates.mux(go, wrapped, low);
    circuit.latches[1].next = gates.mux(go, low, high);
    let three = gates.and(low, high);
    circuit.add_bad("x is 3", three);
    circuit
}

fn dimacs(circuit: &Circuit, encoding: Encoding, uses: Uses) -> String {
    let transition = Transition::new(circuit, encoding, uses);
    let mut text = Vec::new();
    dimacs::write(&mut text, &transition.cnf, &transition.names(circuit)).expect("in memory");
    String::from_utf8(text).expect("ASCII")
}

#[test]
fn as_a_circuit() {
    assert_snapshot!(counter(), @r"
    input n1 = go
    latch n2 = x[0], reset 0, next !n7
    latch n3 = x[1], reset 0, next !n10
    n4 = !n2 & !n3
    n5 = n1 & n4
    n6 = !n1 & n2
    n7 = !n5 & !n6
    n8 = n1 & n2
    n9 = !n1 & n3
    n10 = !n8 & !n9
    n11 = n2 & n3
    bad n11 = x is 3
    ");
}

#[test]
fn as_aiger() {
    let mut text = Vec::new();
    aiger::write(&mut text, &counter(), aiger::Format::Ascii, "a counter").expect("in memory");
    assert_snapshot!(String::from_utf8(text).expect("ASCII"), @r"
    aag 11 1 2 0 8 1
    2
    4 15
    6 21
    22
    8 7 5
    10 8 2
    12 4 3
    14 13 11
    16 4 2
    18 6 3
    20 19 17
    22 6 4
    i0 go
    l0 x[0]
    l1 x[1]
    b0 x is 3
    c
    a counter
    ");
}

#[test]
fn as_tseitin_clauses() {
    assert_snapshot!(dimacs(&counter(), Encoding::Tseitin, Uses::ANY), @r"
    c 1 = x[0]
    c 2 = x[1]
    c 3 = x[0]'
    c 4 = x[1]'
    c 5 = go
    c -12 = stop
    c 11 = bad x is 3
    p cnf 12 25
    -6 -1 0
    -6 -2 0
    6 1 2 0
    -7 5 0
    -7 6 0
    7 -5 -6 0
    -8 -5 0
    -8 1 0
    8 5 -1 0
    3 -7 0
    3 -8 0
    -3 7 8 0
    -9 5 0
    -9 1 0
    9 -5 -1 0
    -10 -5 0
    -10 2 0
    10 5 -2 0
    4 -9 0
    4 -10 0
    -4 9 10 0
    -11 1 0
    -11 2 0
    11 -1 -2 0
    12 0
    ");
}

#[test]
fn as_compact_clauses() {
    assert_snapshot!(dimacs(&counter(), Encoding::Compact, Uses::ANY), @r"
    c 1 = x[0]
    c 2 = x[1]
    c 3 = x[0]'
    c 4 = x[1]'
    c 5 = go
    c -8 = stop
    c 7 = bad x is 3
    p cnf 8 15
    -6 -1 0
    -6 -2 0
    6 1 2 0
    3 -5 -6 0
    3 5 -1 0
    -3 -5 6 0
    -3 5 1 0
    4 -5 -1 0
    4 5 -2 0
    -4 -5 1 0
    -4 5 2 0
    -7 1 0
    -7 2 0
    7 -1 -2 0
    8 0
    ");
}

/// Only the direction `bad -> x is 3` is left of the property.
#[test]
fn as_compact_clauses_for_forward_search() {
    assert_snapshot!(dimacs(&counter(), Encoding::Compact, Uses::FORWARD), @r"
    c 1 = x[0]
    c 2 = x[1]
    c 3 = x[0]'
    c 4 = x[1]'
    c 5 = go
    c -8 = stop
    c 7 = bad x is 3
    p cnf 8 14
    -6 -1 0
    -6 -2 0
    6 1 2 0
    3 -5 -6 0
    3 5 -1 0
    -3 -5 6 0
    -3 5 1 0
    4 -5 -1 0
    4 5 -2 0
    -4 -5 1 0
    -4 5 2 0
    -7 1 0
    -7 2 0
    8 0
    ");
}

/// `(a | b | c) & !(d & e)`, assumed true, is two clauses.
#[test]
fn a_clause_under_an_assumed_gate_needs_no_variable() {
    let mut circuit = Circuit::default();
    let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|name| circuit.add_input(name));
    let gates = &mut circuit.gates;
    let some = gates.or_all(&[a, b, c]);
    let not_both = !gates.and(d, e);
    let signal = gates.and(some, not_both);
    circuit.constraints.push(signal);
    assert_snapshot!(dimacs(&circuit, Encoding::Compact, Uses::FORWARD), @r"
    c 1 = a
    c 2 = b
    c 3 = c
    c 4 = d
    c 5 = e
    c 6 = constraint 0
    c -7 = stop
    p cnf 7 3
    -6 1 2 3 0
    -6 -4 -5 0
    7 0
    ");
}

#[test]
fn a_constant_property() {
    let mut circuit = Circuit::default();
    circuit.add_bad("never", Signal::FALSE);
    assert_snapshot!(dimacs(&circuit, Encoding::Compact, Uses::ANY), @r"
    c -1 = stop
    c -1 = bad never
    p cnf 1 1
    1 0
    ");
}
