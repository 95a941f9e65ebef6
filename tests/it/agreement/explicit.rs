//! Explicit search and replay by direct evaluation: the meaning of a run, word for word, and no code in
//! common with the engines.

use redoubt_circuit::aig::Node;
use redoubt_circuit::{Circuit, Reset, Signal};
use redoubt_engine::engine::Trace;

/// Values of all nodes for 64 combinations of inputs at a time.
fn evaluate(circuit: &Circuit, state: u32, inputs: impl Fn(usize) -> u64) -> Vec<u64> {
    let mut leaves = vec![0; circuit.gates.nodes().len()];
    for (index, latch) in circuit.latches.iter().enumerate() {
        leaves[latch.signal.node()] = if state >> index & 1 == 1 { !0 } else { 0 };
    }
    for (index, input) in circuit.inputs.iter().enumerate() {
        leaves[input.signal.node()] = inputs(index);
    }
    let mut values: Vec<u64> = Vec::with_capacity(leaves.len());
    for (index, node) in circuit.gates.nodes().iter().enumerate() {
        values.push(match *node {
            Node::False => 0,
            Node::Leaf => leaves[index],
            Node::And(a, b) => lanes(&values, a) & lanes(&values, b),
        });
    }
    values
}

fn lanes(values: &[u64], signal: Signal) -> u64 {
    let value = values[signal.node()];
    if signal.is_complemented() { !value } else { value }
}

/// The value of a function of latches.
pub fn value(circuit: &Circuit, state: u32, function: Signal) -> bool {
    lanes(&evaluate(circuit, state, |_| 0), function) & 1 == 1
}

fn constrained(circuit: &Circuit, values: &[u64]) -> u64 {
    let constraints = circuit.constraints.iter();
    constraints.fold(!0, |all, &constraint| all & lanes(values, constraint))
}

/// For each property, the steps of a shortest run to it, if there is one.
pub fn shortest(circuit: &Circuit) -> Vec<Option<usize>> {
    explored(circuit).0
}

/// The same, and by state whether a run reaches it.
pub fn explored(circuit: &Circuit) -> (Vec<Option<usize>>, Vec<bool>) {
    // Input k counts with period 2^(k+1), so the first 2^inputs lanes are all combinations.
    const COUNT: [u64; 4] =
        [0xaaaa_aaaa_aaaa_aaaa, 0xcccc_cccc_cccc_cccc, 0xf0f0_f0f0_f0f0_f0f0, 0xff00_ff00_ff00_ff00];
    let combinations = 1 << circuit.inputs.len();
    let mut found = vec![None; circuit.bad.len()];
    let mut seen = vec![false; 1 << circuit.latches.len()];
    let mut layer: Vec<u32> = (0..1 << circuit.latches.len()).filter(|&state| is_reset(circuit, state)).collect();
    for &state in &layer {
        seen[state as usize] = true;
    }
    for depth in 0.. {
        let mut successors = Vec::new();
        for state in layer {
            let values = evaluate(circuit, state, |input| COUNT[input]);
            let allowed = constrained(circuit, &values) & ((1 << combinations) - 1);
            for (property, bad) in circuit.bad.iter().enumerate() {
                if lanes(&values, bad.signal) & allowed != 0 {
                    found[property].get_or_insert(depth);
                }
            }
            let going = allowed & !lanes(&values, circuit.stop);
            for lane in (0..combinations).filter(|lane| going >> lane & 1 == 1) {
                let next = successor(circuit, &values, lane);
                if !std::mem::replace(&mut seen[next as usize], true) {
                    successors.push(next);
                }
            }
        }
        if successors.is_empty() {
            break;
        }
        layer = successors;
    }
    (found, seen)
}

fn successor(circuit: &Circuit, values: &[u64], lane: usize) -> u32 {
    let bit = |index: usize| (lanes(values, circuit.latches[index].next) >> lane & 1) << index;
    (0..circuit.latches.len()).map(bit).sum::<u64>() as u32
}

fn is_reset(circuit: &Circuit, state: u32) -> bool {
    let mut latches = circuit.latches.iter().enumerate();
    latches.all(|(index, latch)| match latch.reset {
        Reset::Zero => state >> index & 1 == 0,
        Reset::One => state >> index & 1 == 1,
        Reset::Free => true,
    })
}

/// Whether a trace is a run at whose end the property is bad.
pub fn replays(circuit: &Circuit, property: usize, trace: &Trace) -> bool {
    let bit = |(index, &value): (usize, &bool)| u32::from(value) << index;
    let mut state: u32 = trace.initial.iter().enumerate().map(bit).sum();
    if trace.initial.len() != circuit.latches.len() || !is_reset(circuit, state) {
        return false;
    }
    let Some(last) = trace.inputs.len().checked_sub(1) else {
        return false;
    };
    for (position, inputs) in trace.inputs.iter().enumerate() {
        let values = evaluate(circuit, state, |input| u64::from(inputs[input]));
        let holds = |signal| lanes(&values, signal) & 1 == 1;
        if constrained(circuit, &values) & 1 == 0 {
            return false;
        }
        if position == last {
            return holds(circuit.bad[property].signal);
        }
        if holds(circuit.stop) {
            return false;
        }
        state = successor(circuit, &values, 0);
    }
    false
}
