//! k-induction (Sheeran, Singh, Stalmarck, FMCAD 2000; Een, Sorensson, BMC 2003) for all properties
//! together.
//!
//! For k = 0, 1, 2, ... the *base* asks for a run of k steps to each open property, as bounded model
//! checking does, and the *step* asks for k steps from anywhere, through different states and without
//! the property, to a state that has it. If neither exists the property is unreachable: a shortest run
//! to it visits no state twice. That the states differ is added only for pairs that a model made equal.
//!
//! Proved properties serve the rest: an unreachable property is excluded at every position of the step.

use std::time::Instant;

use super::bmc::Unrolling;
use super::transition::{Frame, Transition};
use super::{
    Decision, Interrupted, Limits, Outcome, Phase, Proof, StateLit, Statistics, Verdict, Verdicts, satisfiable,
};
use crate::cnf::Lit;
use crate::sat::Backend;
use redoubt_base::Interrupt;
use redoubt_base::progress::Stage;
use redoubt_circuit::Circuit;

pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    run(circuit, backend, limits, None, report)
}

/// Ends after about `conflicts` conflicts, and leaves the rest open. Paths may visit a state twice, so that a proof
/// follows from as many steps as it says, wherever they lead.
pub fn glance(
    circuit: &Circuit,
    backend: Backend,
    limits: &Limits,
    conflicts: u64,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    run(circuit, backend, limits, Some(conflicts), report)
}

fn run(
    circuit: &Circuit,
    backend: Backend,
    limits: &Limits,
    conflicts: Option<u64>,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut base = Unrolling::new(&transition, backend, &limits.interrupt);
    base.fix_initial();
    let mut run = KInduction {
        base,
        step: Induction::new(&transition, backend, &limits.interrupt, conflicts.is_none()),
        verdicts: Verdicts::new(circuit.bad.len(), report),
        statistics: Statistics::default(),
        conflicts,
    };
    // After an interruption, open properties stay open.
    let _ = run.search(circuit, limits);
    let mut statistics = run.statistics;
    statistics.add_solver(run.base.solver.statistics());
    statistics.add_solver(run.step.unrolling.solver.statistics());
    Outcome { verdicts: run.verdicts.verdicts, statistics }
}

struct KInduction<'a, 'r> {
    base: Unrolling<'a>,
    step: Induction<'a>,
    verdicts: Verdicts<'r>,
    statistics: Statistics,
    /// The most conflicts in all, if that is limited.
    conflicts: Option<u64>,
}

impl KInduction<'_, '_> {
    fn search(&mut self, circuit: &Circuit, limits: &Limits) -> Result<(), Interrupted> {
        for k in (0..).take_while(|&k| limits.allows(k)) {
            self.statistics.depth = k;
            limits.progress.level(Stage::KInduction, k);
            if k > 0 {
                let start = Instant::now();
                self.base.push();
                self.step.push();
                self.statistics.record(Phase::Encode, start);
            }
            for property in self.verdicts.open() {
                let start = Instant::now();
                self.limit()?;
                if self.base.reaches(property)? {
                    let trace = self.base.trace(circuit);
                    self.verdicts.decide(property, Verdict::Reachable(trace));
                }
                self.statistics.record(Phase::Bad, start);
            }
            for property in self.verdicts.open() {
                let start = Instant::now();
                self.limit()?;
                if self.step.holds(property)? {
                    self.step.exclude(property);
                    let proof = Proof::KInduction { k, distinct: self.step.is_distinct };
                    self.verdicts.decide(property, Verdict::Unreachable(proof));
                }
                self.statistics.record(Phase::Block, start);
            }
            if self.verdicts.open().is_empty() {
                break;
            }
        }
        Ok(())
    }
}

impl KInduction<'_, '_> {
    /// The next question may have as many conflicts as are left.
    fn limit(&mut self) -> Result<(), Interrupted> {
        let Some(most) = self.conflicts else { return Ok(()) };
        let solvers = [&mut self.base.solver, &mut self.step.unrolling.solver];
        let so_far: u64 = solvers.iter().map(|solver| solver.statistics().conflicts).sum();
        let left = most.checked_sub(so_far).ok_or(Interrupted)?;
        solvers.into_iter().for_each(|solver| solver.limit_conflicts(left));
        Ok(())
    }
}

/// Paths from anywhere.
struct Induction<'a> {
    unrolling: Unrolling<'a>,
    /// Properties known to be unreachable.
    excluded: Vec<usize>,
    /// Only paths through different states count.
    is_simple: bool,
    /// There were others, which are excluded now.
    is_distinct: bool,
}

impl<'a> Induction<'a> {
    fn new(transition: &'a Transition, backend: Backend, interrupt: &Interrupt, is_simple: bool) -> Self {
        let unrolling = Unrolling::new(transition, backend, interrupt);
        Induction { unrolling, excluded: Vec::new(), is_simple, is_distinct: false }
    }

    fn push(&mut self) {
        self.unrolling.push();
        for property in self.excluded.clone() {
            self.exclude_at(property, self.unrolling.last());
        }
    }

    fn exclude(&mut self, property: usize) {
        self.excluded.push(property);
        for frame in self.unrolling.frames.clone() {
            self.exclude_at(property, frame);
        }
    }

    fn exclude_at(&mut self, property: usize, frame: Frame) {
        let bad = frame.at(self.unrolling.transition.bad(property));
        self.unrolling.solver.add_clause(&[!bad]);
    }

    /// Whether no path without the property ends in it.
    fn holds(&mut self, property: usize) -> Result<bool, Interrupted> {
        let bad = self.unrolling.transition.bad(property);
        let (last, before) = self.unrolling.frames.split_last().expect("an unrolling has a first position");
        let mut assumptions: Vec<Lit> = before.iter().map(|frame| !frame.at(bad)).collect();
        assumptions.push(last.at(bad));
        while satisfiable(self.unrolling.solver.solve(&assumptions))? {
            let repeated = if self.is_simple { self.repeated_states() } else { vec![] };
            if repeated.is_empty() {
                return Ok(false);
            }
            self.is_distinct = true;
            for (earlier, later) in repeated {
                self.require_different(earlier, later);
            }
        }
        Ok(true)
    }

    /// Pairs of positions with the same state in the last model.
    fn repeated_states(&self) -> Vec<(Frame, Frame)> {
        let Unrolling { transition, solver, .. } = &self.unrolling;
        let state = |frame: Frame| -> Vec<Option<bool>> {
            let value = |&latch| {
                let lit = transition.current(StateLit::new(latch, true));
                solver.value(frame.at(lit))
            };
            transition.cone().iter().map(value).collect()
        };
        let states: Vec<_> = self.unrolling.frames.iter().map(|&f| (f, state(f))).collect();
        let mut pairs = Vec::new();
        for (later, (frame, state)) in states.iter().enumerate() {
            let same = states[..later].iter().find(|(_, other)| other == state);
            pairs.extend(same.map(|(other, _)| (*other, *frame)));
        }
        pairs
    }

    fn require_different(&mut self, a: Frame, b: Frame) {
        let Unrolling { transition, solver, .. } = &mut self.unrolling;
        let mut some_difference = Vec::new();
        for &latch in transition.cone() {
            let lit = transition.current(StateLit::new(latch, true));
            let (in_a, in_b) = (a.at(lit), b.at(lit));
            // One direction is enough: the difference may be claimed only if it is there.
            let differs = solver.new_var().positive();
            solver.add_clause(&[!differs, in_a, in_b]);
            solver.add_clause(&[!differs, !in_a, !in_b]);
            some_difference.push(differs);
        }
        solver.add_clause(&some_difference);
    }
}
