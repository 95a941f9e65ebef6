//! Proofs of formulas of branching time to certificates: sets of states of the circuit, each with one step that shows it.

use crate::base::{Cause, Limits};
use crate::certificate::Judgement;
use crate::certificate::branching::{self as checker, Certificate, Holds, Part};
use crate::circuit::{Circuit, Node, Signal};
use crate::engine::ctl::incremental::{Known, Proof};
use crate::engine::ctl::{self, Formula};

/// Asks for a proof by induction that a formula holds, and has the checker look at it.
pub fn confirm(circuit: &Circuit, formula: &Formula, fairness: &[Signal], limits: &Limits) -> Judgement {
    if !fairness.is_empty() {
        return Judgement::Undecided("there is no certificate under fairness".into());
    }
    match ctl::incremental::check(circuit, formula, limits) {
        (ctl::CtlVerdict::Holds, Some(proof)) => {
            checker::confirm(circuit, formula, &certificate(circuit, &proof), &limits.interrupt)
        }
        (ctl::CtlVerdict::Violated(_), _) => Judgement::Refuted("induction says otherwise".into()),
        _ => Judgement::Undecided(why_open(limits).into()),
    }
}

/// Why there is no proof by induction.
fn why_open(limits: &Limits) -> &'static str {
    match limits.interrupt.cause() {
        Some(Cause::Time) => "time was up",
        Some(Cause::Memory) => "memory was full",
        Some(Cause::Stopped) => "the run was interrupted",
        None if limits.interrupt.was_refused() => "memory was full",
        None if limits.depth.is_some() => "the depth limit was reached",
        None => "induction found no proof",
    }
}

/// The proof for the checker: the sets of states in a graph of their own.
pub fn certificate(model: &Circuit, proof: &Proof) -> Certificate {
    let given = &proof.circuit.gates;
    let sets = proof.known.iter().flat_map(|known| {
        known.entries.iter().map(|entry| entry.states).chain(known.refuted.iter().copied()).collect::<Vec<Signal>>()
    });
    let needed = given.mark_cone(sets);
    let mut circuit = Circuit::default();
    let mut made = vec![Signal::FALSE; given.nodes().len()];
    // A remembered input is a latch of the proof, and its leaf is that of the input in the model.
    for input in &model.inputs {
        made[input.signal.node()] = circuit.add_input("");
    }
    for latch in &model.latches {
        made[latch.signal.node()] = circuit.add_latch("", latch.reset);
    }
    let at = |made: &[Signal], signal: Signal| made[signal.node()].complement_if(signal.is_complemented());
    for node in (0..made.len()).filter(|&node| needed[node]) {
        if let Node::And(a, b) = given.nodes()[node] {
            let (a, b) = (at(&made, a), at(&made, b));
            made[node] = circuit.gates.and(a, b);
        }
    }
    let part = |known: &Known| {
        let holds = known.entries.iter();
        let holds = holds.map(|entry| Holds { states: at(&made, entry.states), inputs: entry.inputs.clone() });
        Part { holds: holds.collect(), fails: known.refuted.iter().map(|&states| at(&made, states)).collect() }
    };
    let parts = proof.known.iter().map(part).collect();
    Certificate { sets: circuit, parts, remembers: proof.remembers.clone(), total: proof.total.clone() }
}
