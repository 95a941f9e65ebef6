//! Infinite runs of a circuit that come back to a state.

use std::collections::HashMap;

use super::watched;
use crate::trace::is_reset;
use crate::{Circuit, Signal, Simulator, Trace};

/// A run as the choices that determine it; the steps from `start` on are repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The first state, by latch. Equals the reset value where there is one.
    pub initial: Vec<bool>,
    /// For each position, the inputs there.
    pub inputs: Vec<Vec<bool>>,
    /// The position at which the loop begins.
    pub start: usize,
}

/// A loop may have to be repeated several times before latches that do not matter return, too. This is the largest
/// number of steps taken for that; at least one round is made.
const MOST_STEPS: usize = 100_000;

impl Lasso {
    /// The lasso of a run after whose last step the [`watched`] latches are as they were before: from the first time on, so
    /// that its loop is the longest.
    pub fn of_trace(trace: &Trace, circuit: &Circuit, signals: &[Signal]) -> Option<Lasso> {
        let watched = watched(circuit, signals);
        let mut simulator = Simulator::new(circuit, |_| 0);
        simulator.set_state(&words(&trace.initial));
        let mut states = Vec::new();
        for position in 0..=trace.inputs.len() {
            let state = simulator.state().iter().zip(&watched).map(|(value, &watched)| watched && value & 1 == 1);
            states.push(state.collect::<Vec<bool>>());
            if let Some(inputs) = trace.inputs.get(position) {
                simulator.evaluate(&words(inputs));
                simulator.advance();
            }
        }
        let last = states.pop()?;
        let start = states.iter().position(|state| *state == last)?;
        Some(Lasso { initial: trace.initial.clone(), inputs: trace.inputs.clone(), start })
    }

    /// Whether this is a run of the circuit that comes back to where its loop begins, with each signal on the way.
    ///
    /// It comes back if the [`watched`] latches do: they decide about each other, and about all that is asked here.
    pub fn recurs(&self, circuit: &Circuit, signals: &[Signal]) -> bool {
        let fits = self.start < self.inputs.len()
            && self.initial.len() == circuit.latches.len()
            && self.inputs.iter().all(|inputs| inputs.len() == circuit.inputs.len());
        if !fits || !is_reset(circuit, &self.initial) {
            return false;
        }
        let mut seen = vec![false; signals.len()];
        let mut first = Vec::new();
        let mut simulator = self.simulator(circuit);
        for (position, inputs) in self.inputs.iter().enumerate() {
            if position == self.start {
                first = simulator.state().to_vec();
            }
            let values = simulator.evaluate(&words(inputs));
            for (seen, &signal) in seen.iter_mut().zip(signals) {
                *seen |= position >= self.start && values.bit(signal);
            }
            if simulator.constraints() & 1 == 0 || simulator.stop() & 1 == 1 {
                return false;
            }
            simulator.advance();
        }
        let same = |(watched, (a, b)): (bool, (&u64, &u64))| !watched || a & 1 == b & 1;
        let states = first.iter().zip(simulator.state());
        seen.iter().all(|&seen| seen) && watched(circuit, signals).into_iter().zip(states).all(same)
    }

    /// The same run as a lasso on which these latches come back, if it does not take too long to see that.
    pub fn closed(&self, circuit: &Circuit, latches: &[bool]) -> Option<Lasso> {
        let cycle = self.inputs.get(self.start..).filter(|cycle| !cycle.is_empty())?;
        let mut simulator = self.simulator(circuit);
        let mut walk = |steps: &[Vec<bool>]| -> Vec<bool> {
            for inputs in steps {
                simulator.evaluate(&words(inputs));
                simulator.advance();
            }
            simulator.state().iter().zip(latches).map(|(value, &counts)| counts && value & 1 == 1).collect()
        };
        let mut seen = HashMap::from([(walk(&self.inputs[..self.start]), 0)]);
        for round in 1..=MOST_STEPS.div_ceil(cycle.len()) {
            if let Some(before) = seen.insert(walk(cycle), round) {
                let mut lasso = self.clone();
                lasso.start += before * cycle.len();
                (1..round).for_each(|_| lasso.inputs.extend_from_slice(cycle));
                return Some(lasso);
            }
        }
        None
    }

    fn simulator<'c>(&self, circuit: &'c Circuit) -> Simulator<'c> {
        let mut simulator = Simulator::new(circuit, |_| 0);
        simulator.set_state(&words(&self.initial));
        simulator
    }
}

fn words(values: &[bool]) -> Vec<u64> {
    values.iter().map(|&value| u64::from(value)).collect()
}
