//! A circuit in, a smaller one with the same reachable properties out, and the way back.
//!
//! Each pass replaces signals by others that are equal to them in every reachable state, and drops unused parts
//! (`rebuild`). It leaves behind an [`Applied`]: where the inputs and latches went, and the equalities it used. With
//! these a trace of the small circuit becomes one of the circuit that was given ([`Simplified::original_trace`]), and
//! an invariant of the small circuit together with the equalities is one of the given circuit, and can be certified
//! there.
//!
//! The passes never make inputs or latches, so every leaf of a small circuit is a leaf of the given one.

use redoubt_clauses::{cnf, sat};
use redoubt_engine::engine;

mod constants;
mod equivalence;
mod rebuild;
pub mod retime;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

pub use rebuild::Applied;

use crate::engine::Trace;
use redoubt_base::Interrupt;
use redoubt_circuit::Circuit;

/// Which passes run, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes {
    /// Drop parts that no property depends on. The other passes do so too.
    pub cone: bool,
    /// Latches that never leave their reset value, by ternary simulation.
    pub constants: bool,
    /// Signals that are equal in all reachable states, by simulation and induction.
    pub equivalence: bool,
    /// Latches behind the gates that use them, if there are fewer then; afterwards, signals that are equal in all
    /// reachable states once more.
    pub retiming: bool,
}

impl Passes {
    pub const ALL: Passes = Passes { cone: true, constants: true, equivalence: true, retiming: true };
    pub const NONE: Passes = Passes { cone: false, constants: false, equivalence: false, retiming: false };
}

/// The savings of a pass.
#[derive(Clone, Debug)]
pub struct Saving {
    pub pass: &'static str,
    /// Before and after.
    pub inputs: [usize; 2],
    pub latches: [usize; 2],
    pub gates: [usize; 2],
    pub time: Duration,
}

/// A circuit that went through the passes.
#[derive(Clone, Debug)]
pub struct Simplified {
    pub circuit: Circuit,
    /// The passes that changed something, in order.
    pub steps: Vec<Applied>,
    pub savings: Vec<Saving>,
}

/// Runs the passes. When interrupted, it returns early with the result so far.
pub fn simplify(circuit: &Circuit, passes: Passes, interrupt: &Interrupt) -> Simplified {
    let mut simplified = Simplified::untouched(circuit);
    simplified.run(passes, interrupt);
    simplified
}

impl Simplified {
    /// A circuit that went through no pass.
    pub fn untouched(circuit: &Circuit) -> Simplified {
        Simplified { circuit: circuit.clone(), steps: Vec::new(), savings: Vec::new() }
    }

    /// Runs passes on the present circuit.
    pub fn run(&mut self, passes: Passes, interrupt: &Interrupt) {
        if passes.cone {
            self.apply("cone of influence", |circuit| Some(one(rebuild::cone(circuit))));
        }
        if passes.constants {
            self.apply("constant latches", |circuit| Some(one(constants::run(circuit))));
        }
        if passes.equivalence {
            self.apply("sequential equivalence", |circuit| equivalence::run(circuit, interrupt).map(one));
        }
        if passes.retiming && self.apply("retiming", retime::run) && passes.equivalence {
            self.apply("sequential equivalence", |circuit| equivalence::run(circuit, interrupt).map(one));
        }
    }

    /// Leaves only some properties, by their places, and the parts that these depend on.
    pub fn keep(&mut self, properties: &[usize]) {
        if properties.len() < self.circuit.bad.len() {
            self.circuit.bad = properties.iter().map(|&property| self.circuit.bad[property].clone()).collect();
            self.apply("cone of influence", |circuit| Some(one(rebuild::cone(circuit))));
        }
    }

    /// Returns whether the pass did something.
    fn apply(&mut self, pass: &'static str, run: impl FnOnce(&Circuit) -> Option<(Vec<Applied>, Circuit)>) -> bool {
        let start = Instant::now();
        let sizes = |circuit: &Circuit| [circuit.inputs.len(), circuit.latches.len(), circuit.live_gates()];
        let before = sizes(&self.circuit);
        let changed = run(&self.circuit);
        let is_changed = changed.is_some();
        if let Some((steps, circuit)) = changed {
            self.circuit = circuit;
            self.steps.extend(steps);
        }
        let after = sizes(&self.circuit);
        let [inputs, latches, gates] = std::array::from_fn(|index| [before[index], after[index]]);
        self.savings.push(Saving { pass, inputs, latches, gates, time: start.elapsed() });
        is_changed
    }

    /// A trace of the small circuit as one of the circuit that was given.
    pub fn original_trace(&self, trace: &Trace) -> Trace {
        let mut after = &self.circuit;
        let mut trace = trace.clone();
        for step in self.steps.iter().rev() {
            trace = step.trace_before(after, &trace);
            after = &step.before;
        }
        trace
    }
}

fn one((step, circuit): (Applied, Circuit)) -> (Vec<Applied>, Circuit) {
    (vec![step], circuit)
}
