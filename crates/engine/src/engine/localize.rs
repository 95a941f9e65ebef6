//! Localization: IC3 on a circuit of which only some latches follow their logic; the others may be anything in every step.
//!
//! What is unreachable there is unreachable in the circuit, and the invariant that says so is one of the circuit. A trace there may be none
//! of the circuit: then bounded model checking refutes all runs of its length, and the latches that the refutation needs are kept from
//! now on (proof-based abstraction: McMillan and Amla, TACAS 2003; with counterexamples that say how deep to look: Een, Mishchenko and
//! Amla, FMCAD 2010). Where a proof is about a small part of a large circuit, IC3 need not find out what is part of it lemma by lemma.

use std::time::Instant;

use super::transition::{Frame, Transition};
use super::{
    Decision, Engine, Interrupted, Invariant, Limits, Outcome, Phase, Proof, StateLit, Statistics, Trace, Verdict,
    Verdicts, bmc, ic3, interruptible, satisfiable,
};
use crate::cnf::Lit;
use crate::sat::{Backend, Solver};
use redoubt_circuit::{Circuit, Input};

/// So many depths in a row that need no other latches are enough to try a proof.
const STEADY: usize = 4;

pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut verdicts = Verdicts::new(circuit.bad.len(), report);
    let mut run = Localization { circuit, transition: &transition, backend, limits, statistics: Statistics::default() };
    for property in 0..circuit.bad.len() {
        match run.decide(property) {
            Ok(Some(verdict)) => verdicts.decide(property, verdict),
            Ok(None) => {}
            Err(Interrupted) => break,
        }
    }
    Outcome { verdicts: verdicts.verdicts, statistics: run.statistics }
}

struct Localization<'a> {
    circuit: &'a Circuit,
    transition: &'a Transition,
    /// Of IC3.
    backend: Backend,
    limits: &'a Limits,
    statistics: Statistics,
}

impl Localization<'_> {
    fn decide(&mut self, property: usize) -> Result<Option<Verdict>, Interrupted> {
        let mut runs = Runs::new(self.transition, self.limits);
        let verdict = self.refine(property, &mut runs);
        self.statistics.add_solver(runs.solver.statistics());
        verdict
    }

    fn refine(&mut self, property: usize, runs: &mut Runs) -> Result<Option<Verdict>, Interrupted> {
        let mut kept = vec![false; self.circuit.latches.len()];
        let mut steady = 0;
        let mut depth = 0;
        loop {
            while steady < STEADY {
                let start = Instant::now();
                let needed = runs.refute(property, depth)?;
                self.statistics.record(Phase::Unroll, start);
                let Some(needed) = needed else {
                    return Ok(Some(Verdict::Reachable(runs.trace(self.circuit, depth))));
                };
                let added = needed.iter().filter(|&&latch| !std::mem::replace(&mut kept[latch], true)).count();
                steady = if added == 0 { steady + 1 } else { 0 };
                depth += 1;
            }
            eprintln!("{} of {} latches, depth {depth}", kept.iter().filter(|&&k| k).count(), kept.len());
            match self.on_part(property, &kept) {
                Verdict::Unreachable(proof) => return Ok(Some(Verdict::Unreachable(proof))),
                Verdict::Open => return Ok(None),
                Verdict::Reachable(trace) => {
                    depth = depth.max(trace.inputs.len() - 1);
                    eprintln!("trace of {}", trace.inputs.len());
                    steady = 0;
                }
            }
        }
    }

    /// What IC3 says of the circuit with these latches, in terms of the whole circuit.
    fn on_part(&mut self, property: usize, kept: &[bool]) -> Verdict {
        let (part, latches) = part(self.circuit, property, kept);
        let mut outcome = ic3::check(&part, self.backend, self.limits, &mut |_| {});
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
}

/// The circuit with these latches and this property; all other latches are inputs. And which latches they are.
fn part(circuit: &Circuit, property: usize, kept: &[bool]) -> (Circuit, Vec<usize>) {
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
    /// For each latch of the cone: that it follows its logic.
    follows: Vec<Lit>,
}

impl<'a> Runs<'a> {
    fn new(transition: &'a Transition, limits: &Limits) -> Self {
        let mut solver = interruptible(Engine::Bmc.backend(), &limits.interrupt);
        let first = transition.load(solver.as_mut());
        let follows: Vec<Lit> = transition.cone().iter().map(|_| solver.new_var().positive()).collect();
        let mut runs = Runs { transition, solver, frames: vec![], follows };
        runs.add(first);
        for &lit in transition.initial() {
            let place = transition.cone().binary_search(&lit.latch()).expect("of the cone");
            runs.solver.add_clause(&[!runs.follows[place], first.at(transition.current(lit))]);
        }
        runs
    }

    fn add(&mut self, frame: Frame) {
        for &constraint in self.transition.constraints() {
            self.solver.add_clause(&[frame.at(constraint)]);
        }
        if let Some(&last) = self.frames.last() {
            if let Some(stop) = self.transition.stop() {
                self.solver.add_clause(&[!last.at(stop)]);
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
    }

    /// The latches that are needed to see that no run of this many steps ends in a bad state; `None` if one does.
    fn refute(&mut self, property: usize, depth: usize) -> Result<Option<Vec<usize>>, Interrupted> {
        while self.frames.len() <= depth {
            let frame = self.transition.load(self.solver.as_mut());
            self.add(frame);
        }
        let mut assumptions = self.follows.clone();
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
