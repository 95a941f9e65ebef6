//! Localization: IC3 on a circuit of which only some latches follow their logic; the others may be anything in every step.
//!
//! A property that is unreachable there is unreachable in the circuit, with the same invariant. A trace there may be
//! none of the circuit: then bounded model checking refutes all runs of its length, and the latches that the refutation
//! needs are kept from now on (proof-based abstraction: McMillan and Amla, TACAS 2003; with counterexamples that say
//! how deep to look: Een, Mishchenko and Amla, FMCAD 2010). Where a proof is about a small part of a large circuit, IC3
//! need not find that part lemma by lemma.

use std::time::Instant;

use super::transition::{Frame, Transition};
use super::{
    Decision, Engine, Interrupted, Invariant, Limits, Outcome, Phase, Proof, StateLit, Statistics, Trace, Verdict,
    Verdicts, bmc, ic3, interruptible, satisfiable,
};
use crate::cnf::Lit;
use crate::sat::{Backend, Solver};
use redoubt_circuit::{Circuit, Input};

/// The number of depths in a row without new latches after which a proof is tried. A failed attempt costs little, and
/// says how deep to look.
const STEADY: usize = 1;

/// The work of a search before others get their turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Of the solver that refutes runs, in all.
    pub ticks: u64,
    /// Of IC3, each time that it is asked.
    pub propagations: u64,
}

impl Work {
    const ALL: Work = Work { ticks: u64::MAX, propagations: u64::MAX };
}

pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut verdicts = Verdicts::new(circuit.bad.len(), report);
    let mut run = Run::new(circuit, &transition, backend, limits);
    for property in 0..circuit.bad.len() {
        let found = &mut |property, verdict| verdicts.decide(property, verdict);
        if run.search(Work::ALL, &[property], found).is_err() {
            break;
        }
    }
    Outcome { verdicts: verdicts.verdicts, statistics: run.into_statistics() }
}

/// A search that can pause.
pub(super) struct Run<'a> {
    circuit: &'a Circuit,
    transition: &'a Transition,
    /// Of IC3.
    backend: Backend,
    limits: Limits,
    /// The part for the property that was looked at last.
    part: Option<Part<'a>>,
    statistics: Statistics,
}

/// The part of the circuit that the proof of a property is looked for in.
struct Part<'a> {
    property: usize,
    /// By latch: whether it follows its logic.
    kept: Vec<bool>,
    /// Which runs are refuted next.
    depth: usize,
    /// The number of refutations in a row that needed no other latches.
    steady: usize,
    runs: Runs<'a>,
}

impl<'a> Run<'a> {
    pub fn new(circuit: &'a Circuit, transition: &'a Transition, backend: Backend, limits: &Limits) -> Self {
        Run { circuit, transition, backend, limits: limits.clone(), part: None, statistics: Statistics::default() }
    }

    /// Works on the first of these properties.
    pub fn search(
        &mut self,
        work: Work,
        open: &[usize],
        found: &mut dyn FnMut(usize, Verdict),
    ) -> Result<(), Interrupted> {
        let Some(&property) = open.first() else { return Ok(()) };
        let known = self.part.take().filter(|part| part.property == property);
        let mut part = known.unwrap_or_else(|| Part {
            property,
            kept: vec![false; self.circuit.latches.len()],
            depth: 0,
            steady: 0,
            runs: Runs::new(self.transition, &self.limits),
        });
        let verdict = self.refine(&mut part, work);
        self.part = Some(part);
        match verdict {
            Ok(Some(verdict)) => found(property, verdict),
            Ok(None) => {}
            Err(Interrupted) if self.limits.interrupt.is_raised() => return Err(Interrupted),
            // The solver has used up its effort.
            Err(Interrupted) => {}
        }
        Ok(())
    }

    /// Looks for a part that has a proof, or a run of the whole; nothing if that takes too much work.
    fn refine(&mut self, part: &mut Part, work: Work) -> Result<Option<Verdict>, Interrupted> {
        loop {
            while part.steady < STEADY {
                let start = Instant::now();
                let needed = part.runs.refute(part.property, part.depth, work.ticks);
                self.statistics.record(Phase::Unroll, start);
                let Some(needed) = needed? else {
                    return Ok(Some(Verdict::Reachable(part.runs.trace(self.circuit, part.depth))));
                };
                let added = needed.iter().filter(|&&latch| !std::mem::replace(&mut part.kept[latch], true)).count();
                part.steady = if added == 0 { part.steady + 1 } else { 0 };
                part.depth += 1;
            }
            match self.on_part(part, work.propagations) {
                Verdict::Unreachable(proof) => return Ok(Some(Verdict::Unreachable(proof))),
                Verdict::Open => return Ok(None),
                Verdict::Reachable(trace) => {
                    part.depth = trace.inputs.len() - 1;
                    part.steady = 0;
                }
            }
        }
    }

    /// The verdict of IC3 on a part of the circuit, in terms of the whole.
    fn on_part(&mut self, part: &Part, propagations: u64) -> Verdict {
        let (circuit, latches) = cut(self.circuit, part.property, &part.kept);
        let mut outcome = ic3::glance(&circuit, self.backend, &self.limits, propagations, &mut |_| {});
        self.statistics.add(&outcome.statistics);
        match outcome.verdicts.swap_remove(0) {
            Verdict::Unreachable(Proof::Invariant(invariant)) => {
                let whole = |lit: &StateLit| StateLit::new(latches[lit.latch()], lit.value());
                let clauses = invariant.clauses.iter().map(|clause| clause.iter().map(whole).collect()).collect();
                Verdict::Unreachable(Proof::Invariant(Invariant { clauses }))
            }
            verdict => verdict,
        }
    }

    /// Whether the part has become most of the circuit, so that IC3 may as well work on the whole.
    pub fn needs_most(&self) -> bool {
        let Some(part) = &self.part else { return false };
        let kept = part.kept.iter().filter(|&&is_kept| is_kept).count();
        4 * kept > 3 * self.transition.cone().len()
    }

    pub fn into_statistics(mut self) -> Statistics {
        if let Some(part) = self.part {
            self.statistics.add_solver(part.runs.solver.statistics());
        }
        self.statistics
    }
}

/// The circuit with these latches and this property; all other latches are inputs. And which latches they are.
fn cut(circuit: &Circuit, property: usize, kept: &[bool]) -> (Circuit, Vec<usize>) {
    let mut part = circuit.clone();
    part.bad = vec![circuit.bad[property].clone()];
    part.latches.clear();
    let mut latches = vec![];
    for (index, latch) in circuit.latches.iter().enumerate() {
        if kept[index] {
            part.latches.push(latch.clone());
            latches.push(index);
        } else {
            part.inputs.push(Input { signal: latch.signal, name: latch.name.clone() });
        }
    }
    (part, latches)
}

/// Runs of the circuit in which each latch can be let go.
struct Runs<'a> {
    transition: &'a Transition,
    solver: Box<dyn Solver>,
    frames: Vec<Frame>,
    /// For each frame: that the run gets there.
    arrives: Vec<Lit>,
    /// For each latch of the cone: that it follows its logic.
    follows: Vec<Lit>,
}

impl<'a> Runs<'a> {
    fn new(transition: &'a Transition, limits: &Limits) -> Self {
        let mut solver = interruptible(Engine::Bmc.backend(), &limits.interrupt);
        let first = transition.load(solver.as_mut());
        let follows: Vec<Lit> = transition.cone().iter().map(|_| solver.new_var().positive()).collect();
        let mut runs = Runs { transition, solver, frames: vec![], arrives: vec![], follows };
        runs.add(first);
        for &lit in transition.initial() {
            let place = transition.cone().binary_search(&lit.latch()).expect("of the cone");
            runs.solver.add_clause(&[!runs.follows[place], first.at(transition.current(lit))]);
        }
        runs
    }

    fn add(&mut self, frame: Frame) {
        let arrives = self.solver.new_var().positive();
        for &constraint in self.transition.constraints() {
            self.solver.add_clause(&[!arrives, frame.at(constraint)]);
        }
        if let Some(&last) = self.frames.last() {
            if let Some(stop) = self.transition.stop() {
                self.solver.add_clause(&[!arrives, !last.at(stop)]);
            }
            for (&latch, &follows) in self.transition.cone().iter().zip(&self.follows) {
                let lit = StateLit::new(latch, true);
                let next = last.at(self.transition.next(lit));
                let current = frame.at(self.transition.current(lit));
                self.solver.add_clause(&[!follows, !next, current]);
                self.solver.add_clause(&[!follows, next, !current]);
            }
        }
        self.frames.push(frame);
        self.arrives.push(arrives);
    }

    /// The latches that are needed to see that no run of this many steps ends in a bad state; `None` if one does. An
    /// interruption if that takes more ticks than there may be in all.
    fn refute(&mut self, property: usize, depth: usize, ticks: u64) -> Result<Option<Vec<usize>>, Interrupted> {
        if ticks < u64::MAX {
            let left = ticks.checked_sub(self.solver.statistics().ticks).ok_or(Interrupted)?;
            self.solver.limit_ticks(left);
        }
        while self.frames.len() <= depth {
            let frame = self.transition.load(self.solver.as_mut());
            self.add(frame);
        }
        let mut assumptions = self.follows.clone();
        assumptions.extend(&self.arrives[..=depth]);
        assumptions.push(self.frames[depth].at(self.transition.bad(property)));
        if satisfiable(self.solver.solve(&assumptions))? {
            return Ok(None);
        }
        let latches = self.transition.cone().iter().zip(&self.follows);
        Ok(Some(latches.filter(|(_, follows)| self.solver.failed(**follows)).map(|(&latch, _)| latch).collect()))
    }

    fn trace(&self, circuit: &Circuit, depth: usize) -> Trace {
        bmc::trace(circuit, self.transition, self.solver.as_ref(), &self.frames[..=depth])
    }
}
