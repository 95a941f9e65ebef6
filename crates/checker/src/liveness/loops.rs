//! A model and its justice properties in, the circuit of its loops out: a property is bad there where the state is the one
//! that was saved, and each of its signals was true since.
//!
//! Behind the inputs of the model comes one that says when to save; it counts once. Behind its latches come: whether the
//! state was saved; the saved value of each latch that a signal or a constraint depends on; and, property by property, for each
//! signal that no property before had whether it was true since. All of them begin with 0.
//!
//! Comparing fewer latches than there are can only make more loops: a circuit without loops here has none.

use std::collections::BTreeMap;

use redoubt_circuit::{Circuit, Node, Reset, Signal};

pub fn of(model: &Circuit, justice: &[Vec<Signal>]) -> Circuit {
    let mut circuit = model.clone();
    circuit.bad.clear();
    let now = circuit.add_input("");
    let (place, is_saved) = add(&mut circuit);
    let since = circuit.gates.or(is_saved, now);
    circuit.latches[place].next = since;
    let mut is_back = is_saved;
    for latch in dependencies(model, justice) {
        let value = model.latches[latch].signal;
        let (place, copy) = add(&mut circuit);
        let fresh = circuit.gates.and(!is_saved, now);
        circuit.latches[place].next = circuit.gates.mux(fresh, value, copy);
        let equal = circuit.gates.iff(value, copy);
        is_back = circuit.gates.and(is_back, equal);
    }
    let mut true_since: BTreeMap<Signal, Signal> = BTreeMap::new();
    for signals in justice {
        let mut bad = is_back;
        for &signal in signals {
            let was = *true_since.entry(signal).or_insert_with(|| {
                let (place, was) = add(&mut circuit);
                let ever = circuit.gates.or(was, signal);
                circuit.latches[place].next = circuit.gates.and(ever, since);
                was
            });
            bad = circuit.gates.and(bad, was);
        }
        circuit.add_bad("", bad);
    }
    circuit
}

/// A new latch: its place, and its signal.
fn add(circuit: &mut Circuit) -> (usize, Signal) {
    (circuit.latches.len(), circuit.add_latch("", Reset::Zero))
}

/// The latches that signals and constraints depend on, ascending.
fn dependencies(model: &Circuit, justice: &[Vec<Signal>]) -> Vec<usize> {
    let nodes = model.gates.nodes();
    let mut next_of = vec![None; nodes.len()];
    model.latches.iter().for_each(|latch| next_of[latch.signal.node()] = Some(latch.next.node()));
    let mut is_needed = vec![false; nodes.len()];
    let roots = justice.iter().flatten().chain(&model.constraints).chain([&model.stop]);
    let mut pending: Vec<usize> = roots.map(|signal| signal.node()).collect();
    while let Some(node) = pending.pop() {
        if is_needed[node] {
            continue;
        }
        is_needed[node] = true;
        match nodes[node] {
            Node::And(a, b) => pending.extend([a.node(), b.node()]),
            Node::Leaf => pending.extend(next_of[node]),
            Node::False => {}
        }
    }
    (0..model.latches.len()).filter(|&latch| is_needed[model.latches[latch].signal.node()]).collect()
}
