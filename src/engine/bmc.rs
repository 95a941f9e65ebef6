//! Bounded model checking (Biere, Cimatti, Clarke, Zhu, TACAS 1999): are there runs of 0, 1, 2, ...
//! steps to a property? Finds the shortest trace of each; proves nothing.
//!
//! One solver holds the unrolling, which grows by one copy of the logic per step. All open properties
//! are asked about at each depth, so the unrolling and what was learnt about it is shared.

use std::time::Instant;

use super::transition::{Frame, Transition};
use super::{
    Decision, Interrupted, Limits, Outcome, Phase, Statistics, Trace, Verdict, Verdicts, interruptible, satisfiable,
};
use crate::circuit::{Circuit, Reset};
use crate::sat::{Backend, Interrupt, Solver};

pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    let mut statistics = Statistics::default();
    let mut verdicts = Verdicts::new(circuit.bad.len(), report);
    let transition = Transition::new(circuit);
    let mut unrolling = Unrolling::new(&transition, backend, &limits.interrupt);
    unrolling.fix_initial();
    // An interruption leaves what is open open.
    let _ = search(circuit, &mut unrolling, limits, &mut verdicts, &mut statistics);
    statistics.add_solver(unrolling.solver.statistics());
    Outcome { verdicts: verdicts.verdicts, statistics }
}

fn search(
    circuit: &Circuit,
    unrolling: &mut Unrolling,
    limits: &Limits,
    verdicts: &mut Verdicts,
    statistics: &mut Statistics,
) -> Result<(), Interrupted> {
    for depth in (0..).take_while(|&depth| limits.allows(depth)) {
        statistics.depth = depth;
        let start = Instant::now();
        let extendable = unrolling.extend_to(depth)?;
        statistics.record(Phase::Encode, start);
        let open = verdicts.open();
        if open.is_empty() || !extendable {
            // With no run of this length there is none longer: what is open stays so, as a proof of
            // that needs an invariant, which is not this engine's to give.
            break;
        }
        for property in open {
            let start = Instant::now();
            let reached = unrolling.reaches(property)?;
            statistics.record(Phase::Bad, start);
            if reached {
                verdicts.decide(property, Verdict::Reachable(unrolling.trace(circuit)));
            }
        }
    }
    Ok(())
}

/// Copies of the logic for positions 0, 1, ..., each the successor of the one before.
pub(super) struct Unrolling<'a> {
    pub transition: &'a Transition,
    pub solver: Box<dyn Solver>,
    pub frames: Vec<Frame>,
}

impl<'a> Unrolling<'a> {
    pub fn new(transition: &'a Transition, backend: Backend, interrupt: &Interrupt) -> Self {
        let mut unrolling = Unrolling { transition, solver: interruptible(backend, interrupt), frames: Vec::new() };
        unrolling.push();
        unrolling
    }

    /// The first position is a reset state.
    pub fn fix_initial(&mut self) {
        for &lit in self.transition.initial() {
            let lit = self.frames[0].at(self.transition.current(lit));
            self.solver.add_clause(&[lit]);
        }
    }

    /// Unrolls to this position; false if no run is that long.
    fn extend_to(&mut self, position: usize) -> Result<bool, Interrupted> {
        while self.frames.len() <= position {
            self.push();
        }
        satisfiable(self.solver.solve(&[]))
    }

    /// Appends a position at which the constraints hold, and a step to it that does not stop.
    pub fn push(&mut self) {
        let frame = self.transition.load_shifted(self.solver.as_mut());
        for &constraint in self.transition.constraints() {
            self.solver.add_clause(&[frame.at(constraint)]);
        }
        if let Some(&last) = self.frames.last() {
            if let Some(stop) = self.transition.stop() {
                self.solver.add_clause(&[!last.at(stop)]);
            }
            for &latch in self.transition.cone() {
                let lit = super::StateLit::new(latch, true);
                let next = last.at(self.transition.next(lit));
                let current = frame.at(self.transition.current(lit));
                self.solver.add_clause(&[!next, current]);
                self.solver.add_clause(&[next, !current]);
            }
        }
        self.frames.push(frame);
    }

    pub fn last(&self) -> Frame {
        self.frames[self.frames.len() - 1]
    }

    /// Whether the property is bad at the last position of some run.
    pub fn reaches(&mut self, property: usize) -> Result<bool, Interrupted> {
        let bad = self.last().at(self.transition.bad(property));
        satisfiable(self.solver.solve(&[bad]))
    }

    /// The run of the last model.
    pub fn trace(&self, circuit: &Circuit) -> Trace {
        let holds = |lit| self.solver.value(lit).unwrap_or(false);
        let mut initial: Vec<bool> = circuit.latches.iter().map(|latch| latch.reset == Reset::One).collect();
        for &latch in self.transition.cone() {
            let lit = super::StateLit::new(latch, true);
            initial[latch] = holds(self.frames[0].at(self.transition.current(lit)));
        }
        let inputs_at = |frame: &Frame| {
            let value = |lit: &Option<_>| lit.is_some_and(|lit| holds(frame.at(lit)));
            self.transition.inputs().iter().map(value).collect()
        };
        Trace { initial, inputs: self.frames.iter().map(inputs_at).collect() }
    }
}
