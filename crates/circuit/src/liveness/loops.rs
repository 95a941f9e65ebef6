//! Liveness to safety (Biere, Artho and Schuppan, "Liveness checking as safety checking", 2002): at some position, which an
//! input chooses, the state is saved; a later position at which the state is the saved one closes a loop. A property is bad
//! there if each of its signals was seen on the way.
//!
//! Only [`watched`] latches are saved.

use rustc_hash::FxHashMap;

use super::{Lasso, watched};
use crate::{Bad, Circuit, Reset, Signal, Trace};

/// A circuit in which a bad signal closes a loop.
///
/// It has the inputs and latches of the given circuit, in their order. Then come the input `save`, the latch `saved`, the
/// latches in which the watched ones are saved, and one for each signal that says whether it was seen; signals that properties
/// share, as those of fairness, have one together.
#[derive(Clone, Debug)]
pub struct Loops {
    /// Property `k` is reachable if and only if a run has all signals of justice property `k` infinitely often.
    pub circuit: Circuit,
    /// The numbers of inputs and latches of the given circuit.
    inputs: usize,
    latches: usize,
}

impl Loops {
    /// The loops of a circuit with these lists of signals, one for each justice property.
    pub fn new(circuit: &Circuit, justice: &[Vec<Signal>]) -> Loops {
        let mut result = circuit.clone();
        result.bad.clear();
        let save = result.add_input("save");
        let saved_at = result.latches.len();
        let saved = result.add_latch("saved", Reset::Zero);
        let saving = result.gates.and(save, !saved);
        let inside = result.gates.or(save, saved);
        result.latches[saved_at].next = inside;

        let mut same = vec![saved];
        let is_watched = watched(circuit, justice.iter().flatten());
        for latch in circuit.latches.iter().zip(is_watched).filter_map(|(latch, watched)| watched.then_some(latch)) {
            let at = result.latches.len();
            let copy = result.add_latch("", Reset::Zero);
            result.latches[at].next = result.gates.mux(saving, latch.signal, copy);
            same.push(result.gates.iff(latch.signal, copy));
        }
        let closed = result.gates.and_all(&same);
        let mut seen = FxHashMap::default();
        for (index, signals) in justice.iter().enumerate() {
            let mut latch = |&signal| *seen.entry(signal).or_insert_with(|| seen_since(&mut result, inside, signal));
            let all: Vec<Signal> = signals.iter().map(&mut latch).collect();
            let all = result.gates.and_all(&all);
            let signal = result.gates.and(closed, all);
            result.bad.push(Bad { signal, name: format!("j{index}") });
        }
        Loops { circuit: result, inputs: circuit.inputs.len(), latches: circuit.latches.len() }
    }

    /// The lasso that a run to a bad signal has closed.
    pub fn lasso(&self, trace: &Trace) -> Lasso {
        let start = trace.inputs.iter().position(|inputs| inputs[self.inputs]).unwrap_or(0);
        // The last position is the saved one once more.
        let steps = &trace.inputs[..trace.inputs.len() - 1];
        Lasso {
            initial: trace.initial[..self.latches].to_vec(),
            inputs: steps.iter().map(|inputs| inputs[..self.inputs].to_vec()).collect(),
            start,
        }
    }
}

/// A latch: whether a signal was true since the state was saved, not counting this position.
fn seen_since(circuit: &mut Circuit, inside: Signal, signal: Signal) -> Signal {
    let at = circuit.latches.len();
    let seen = circuit.add_latch("", Reset::Zero);
    let ever = circuit.gates.or(seen, signal);
    circuit.latches[at].next = circuit.gates.and(inside, ever);
    seen
}
