//! Bounded model checking (Biere, Cimatti, Clarke, Zhu, TACAS 1999): are there runs of 0, 1, 2, ...
//! steps to a property? Finds the shortest trace of each; proves nothing.
//!
//! One solver holds the unrolling, which grows by one copy of the logic per step. All open properties are asked about
//! at each depth, so the unrolling and the clauses learnt about it are shared.

use std::time::Instant;

use super::transition::{Frame, Transition};
use super::{
    Decision, Interrupted, Limits, Outcome, Phase, Statistics, Trace, Verdict, Verdicts, interruptible, satisfiable,
};
use crate::sat::{Backend, Solver};
use redoubt_base::Interrupt;
use redoubt_base::progress::Stage;
use redoubt_circuit::{Circuit, Reset};

pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    glance(circuit, backend, limits, u64::MAX, report)
}

/// The same with about this much work, in the solver's ticks.
pub fn glance(
    circuit: &Circuit,
    backend: Backend,
    limits: &Limits,
    work: u64,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    let mut verdicts = Verdicts::new(circuit.bad.len(), report);
    let transition = Transition::within(circuit, limits);
    let mut run = Run::new(circuit, &transition, backend, limits);
    // After an interruption, open properties stay open.
    let _ = run.search(work, &verdicts.open(), &mut |property, verdict| verdicts.decide(property, verdict));
    let statistics = run.into_statistics();
    Outcome { verdicts: verdicts.verdicts, statistics }
}

/// A search that can pause at any query.
pub(super) struct Run<'a> {
    circuit: &'a Circuit,
    unrolling: Unrolling<'a>,
    limits: Limits,
    depth: usize,
    /// The properties that were asked about at this depth.
    asked: usize,
    /// No run is longer than the ones that were looked at.
    ended: bool,
    statistics: Statistics,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// There is nothing left to look for, or nowhere to look.
    Ended,
    Paused,
}

impl<'a> Run<'a> {
    pub fn new(circuit: &'a Circuit, transition: &'a Transition, backend: Backend, limits: &Limits) -> Self {
        let mut unrolling = Unrolling::new(transition, backend, &limits.interrupt);
        unrolling.fix_initial();
        Run {
            circuit,
            unrolling,
            limits: limits.clone(),
            depth: 0,
            asked: 0,
            ended: false,
            statistics: Statistics::default(),
        }
    }

    /// Ticks of the solver so far: propagations take the longer the more there is unrolled.
    pub fn work(&self) -> u64 {
        self.unrolling.solver.statistics().ticks
    }

    /// Looks for runs to these properties until about this much [`Run::work`] has been done in all.
    pub fn search(
        &mut self,
        work: u64,
        open: &[usize],
        found: &mut dyn FnMut(usize, Verdict),
    ) -> Result<Search, Interrupted> {
        let mut open = open.to_vec();
        open.sort_unstable();
        while !open.is_empty() && !self.ended && self.limits.allows(self.depth) {
            self.statistics.depth = self.depth;
            self.limits.progress.level(Stage::Bmc, self.depth);
            let start = Instant::now();
            // With no run of this length there is no longer one: open properties stay open, since proving them takes an
            // invariant, which this engine cannot give.
            let extendable = self.ask(work, |unrolling, depth| unrolling.extend_to(depth))?;
            self.statistics.record(Phase::Encode, start);
            match extendable {
                Some(extendable) => self.ended = !extendable,
                None => return Ok(Search::Paused),
            }
            let asked = self.asked;
            let waiting = open.iter().copied().filter(|&property| property >= asked && extendable == Some(true));
            for property in waiting.collect::<Vec<_>>() {
                let start = Instant::now();
                let reached = self.ask(work, |unrolling, _| unrolling.reaches(property))?;
                self.statistics.record(Phase::Bad, start);
                let Some(reached) = reached else { return Ok(Search::Paused) };
                if reached {
                    found(property, Verdict::Reachable(self.unrolling.trace(self.circuit)));
                    open.retain(|&other| other != property);
                }
                self.asked = property + 1;
            }
            self.depth += 1;
            self.asked = 0;
        }
        Ok(Search::Ended)
    }

    /// Puts a query, or `None` if that would take more work than is left.
    fn ask(
        &mut self,
        work: u64,
        query: impl FnOnce(&mut Unrolling, usize) -> Result<bool, Interrupted>,
    ) -> Result<Option<bool>, Interrupted> {
        let Some(left) = work.checked_sub(self.work()) else { return Ok(None) };
        if work < u64::MAX {
            self.unrolling.solver.limit_ticks(left);
        }
        match query(&mut self.unrolling, self.depth) {
            Ok(answer) => Ok(Some(answer)),
            Err(Interrupted) if self.limits.interrupt.is_raised() => Err(Interrupted),
            Err(Interrupted) => Ok(None),
        }
    }

    pub fn into_statistics(mut self) -> Statistics {
        self.statistics.add_solver(self.unrolling.solver.statistics());
        self.statistics
    }
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
        let frame = self.transition.load(self.solver.as_mut());
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
        trace(circuit, self.transition, self.solver.as_ref(), &self.frames)
    }
}

/// The run through these positions in the solver's last model.
pub(super) fn trace(circuit: &Circuit, transition: &Transition, solver: &dyn Solver, frames: &[Frame]) -> Trace {
    let holds = |lit| solver.value(lit).unwrap_or(false);
    let mut initial: Vec<bool> = circuit.latches.iter().map(|latch| latch.reset == Reset::One).collect();
    for &latch in transition.cone() {
        let lit = super::StateLit::new(latch, true);
        initial[latch] = holds(frames[0].at(transition.current(lit)));
    }
    let inputs_at = |frame: &Frame| {
        let value = |lit: &Option<_>| lit.is_some_and(|lit| holds(frame.at(lit)));
        transition.inputs().iter().map(value).collect()
    };
    Trace { initial, inputs: frames.iter().map(inputs_at).collect() }
}
