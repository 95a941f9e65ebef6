//! Runs of a circuit.

use crate::{Circuit, Latch, Reset, Simulator};

/// A run as the choices that determine it: replaying them gives all its states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The first state, by latch. Equals the reset value where there is one.
    pub initial: Vec<bool>,
    /// For each position, the inputs there. The property is bad at the last.
    pub inputs: Vec<Vec<bool>>,
}

impl Trace {
    /// Whether this is a run of the circuit at whose end the property is bad.
    pub fn reaches(&self, circuit: &Circuit, property: usize) -> bool {
        if self.inputs.is_empty() || !is_reset(circuit, &self.initial) {
            return false;
        }
        let word = |&value: &bool| u64::from(value);
        let mut simulator = Simulator::new(circuit, |_| 0);
        simulator.set_state(&self.initial.iter().map(word).collect::<Vec<_>>());
        for (position, inputs) in self.inputs.iter().enumerate() {
            if position > 0 {
                if simulator.stop() & 1 == 1 {
                    return false;
                }
                simulator.advance();
            }
            simulator.evaluate(&inputs.iter().map(word).collect::<Vec<_>>());
            if simulator.constraints() & 1 == 0 {
                return false;
            }
        }
        simulator.bad(property) & 1 == 1
    }
}

/// Whether a circuit can begin in a state.
pub(crate) fn is_reset(circuit: &Circuit, state: &[bool]) -> bool {
    let allowed = |(latch, &value): (&Latch, &bool)| match latch.reset {
        Reset::Zero => !value,
        Reset::One => value,
        Reset::Free => true,
    };
    circuit.latches.iter().zip(state).all(allowed)
}
