//! Liveness: signals that recur on infinite runs of a circuit.
//!
//! A justice property is a list of signals, and a run violates it that has each of them true infinitely often. In a finite
//! circuit there is such a run if and only if there is a [`Lasso`], a run that comes back to a state with each signal on the way.
//! [`Loops`] is a circuit in which lassos are runs to a bad signal, so that every engine for safety can look for them;
//! [`all_seen`] makes one signal of several.

mod lasso;
mod loops;

pub use lasso::Lasso;
pub use loops::Loops;

use crate::{Bad, Circuit, Reset, Signal};

/// Adds a signal that is true where each of the given ones was true since the last time that it was: it recurs if and only
/// if all of them do. A single signal does so itself; for others there is a latch each that remembers.
pub fn all_seen(circuit: &mut Circuit, signals: &[Signal]) -> Signal {
    if let [signal] = *signals {
        return signal;
    }
    let first = circuit.latches.len();
    let mut ever = Vec::new();
    for &signal in signals {
        let seen = circuit.add_latch("seen", Reset::Zero);
        ever.push(circuit.gates.or(seen, signal));
    }
    let all = circuit.gates.and_all(&ever);
    for (place, ever) in ever.into_iter().enumerate() {
        circuit.latches[first + place].next = circuit.gates.and(ever, !all);
    }
    all
}

/// By latch: whether signals, constraints or `stop` depend on it, in any number of steps. The others have no influence
/// on whether a run goes on and which signals are seen on it.
pub fn watched<'s>(circuit: &Circuit, signals: impl IntoIterator<Item = &'s Signal>) -> Vec<bool> {
    let bad = signals.into_iter().map(|&signal| Bad { signal, name: String::new() }).collect();
    let live = Circuit { bad, ..circuit.clone() }.mark_influence();
    circuit.latches.iter().map(|latch| live[latch.signal.node()]).collect()
}

#[cfg(test)]
mod tests;
