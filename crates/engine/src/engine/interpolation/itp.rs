//! McMillan, "Interpolation and SAT-Based Model Checking" (CAV 2003).
//!
//! Is there a run that makes a step from a set of states, at first the reset states, and has the property at one of the next
//! `k` positions? If not, the interpolant between the first step and the rest contains the states after the step, and
//! no state from which the property is less than `k` steps away. It is the next set; when it adds nothing to those
//! before, all of them together are an invariant. If there is such a run, from the reset states, it is a trace; from
//! another set, it may be because the set is too large, and the search begins anew with a larger `k`.

use std::time::Instant;

use redoubt_base::Limits;
use redoubt_base::progress::Stage;
use redoubt_circuit::{Circuit, Signal};

use super::Sets;
use super::craig::{Interpolator, System};
use super::path::Path;
use crate::cnf::Lit;
use crate::engine::transition::Transition;
use crate::engine::{Decision, Interrupted, Outcome, Phase, Proof, Statistics, Verdict, Verdicts};
use crate::sat::Backend;

/// The backend is CaDiCaL, whatever is asked for: there are no proofs of others.
pub fn check(circuit: &Circuit, _: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut search = Search {
        circuit,
        transition: &transition,
        limits,
        verdicts: Verdicts::new(circuit.bad.len(), report),
        statistics: Statistics::default(),
    };
    // After an interruption, open properties stay open.
    let _ = search.decide_all();
    Outcome { verdicts: search.verdicts.verdicts, statistics: search.statistics }
}

struct Search<'a, 'r> {
    circuit: &'a Circuit,
    transition: &'a Transition,
    limits: &'a Limits,
    verdicts: Verdicts<'r>,
    statistics: Statistics,
}

impl<'a> Search<'a, '_> {
    fn decide_all(&mut self) -> Result<(), Interrupted> {
        for property in self.verdicts.open() {
            self.look_at_reset_states(property)?;
        }
        for bound in (1..).take_while(|&bound| self.limits.allows(bound)) {
            for property in self.verdicts.open() {
                if self.verdicts.is_open(property) {
                    self.statistics.depth = bound;
                    self.limits.progress.level(Stage::Interpolation, bound);
                    self.search(property, bound)?;
                }
            }
            if self.verdicts.open().is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn look_at_reset_states(&mut self, property: usize) -> Result<(), Interrupted> {
        let mut path = Path::new(self.transition, &self.limits.interrupt);
        path.require_initial(0, None);
        path.require_run(0, false, None);
        let bad = path.at(0, self.transition.bad(property));
        path.require(0, &[bad]);
        if self.ask(&mut path)? {
            self.verdicts.decide(property, Verdict::Reachable(path.trace(self.circuit, 0, 0)));
        }
        Ok(())
    }

    /// Whether there is such a path.
    fn ask(&mut self, path: &mut Path) -> Result<bool, Interrupted> {
        let start = Instant::now();
        let answer = path.is_satisfiable();
        self.statistics.record(Phase::Bad, start);
        self.statistics.add_solver(path.statistics());
        answer
    }

    /// Computes images until they add nothing, or one of them is too large.
    fn search(&mut self, property: usize, bound: usize) -> Result<(), Interrupted> {
        let mut sets = Sets::new(self.circuit);
        let (mut reached, mut last) = (sets.initial, sets.initial);
        loop {
            let (mut path, hits) = self.path(&sets, last, property, bound);
            if self.ask(&mut path)? {
                if last == sets.initial {
                    let hit = hits.iter().position(|&hit| path.value(hit)).expect("one of them is required");
                    let trace = path.trace(self.circuit, 0, hit + 1);
                    self.verdicts.decide(property, Verdict::Reachable(trace));
                }
                return Ok(());
            }
            let start = Instant::now();
            // Without a proof by resolution there is nothing to learn here; the next bound may have one.
            let Some(refutation) = path.refutation() else { return Ok(()) };
            let interpolator = Interpolator::new(&refutation, System::McMillan);
            last = path.interpolant(&interpolator, 1, &mut sets.gates);
            self.statistics.lemmas += 1;
            self.statistics.record(Phase::Interpolate, start);
            let start = Instant::now();
            let grows = sets.differ(last, reached, &self.limits.interrupt);
            self.statistics.record(Phase::Block, start);
            if !grows? {
                return self.prove(property, &mut sets, reached);
            }
            reached = sets.gates.or(reached, last);
        }
    }

    /// A step from a set, and up to `bound` positions after it, one of which has the property; literals say which.
    fn path(&mut self, sets: &Sets, from: Signal, property: usize, bound: usize) -> (Path<'a>, Vec<Lit>) {
        let start = Instant::now();
        let mut path = Path::new(self.transition, &self.limits.interrupt);
        path.require_member(0, sets.latches, &sets.gates, from);
        path.require_run(0, true, None);
        path.push(1, false);
        let mut hits = Vec::new();
        let mut before: Option<Lit> = None;
        for position in 1..=bound {
            // A run that has the property need not go on: later positions matter only if it does.
            let here = path.fresh();
            path.require_run(position, false, Some(here));
            if let Some(before) = before {
                path.require(position, &[!here, before]);
                path.require_run(position - 1, true, Some(here));
            }
            let hit = path.fresh();
            let bad = path.at(position, self.transition.bad(property));
            path.require(position, &[!hit, here]);
            path.require(position, &[!hit, bad]);
            hits.push(hit);
            before = Some(here);
            if position < bound {
                path.push(1, false);
            }
        }
        path.require(bound, &hits);
        self.statistics.record(Phase::Encode, start);
        (path, hits)
    }

    /// No run leaves the states that were reached, so neither this property nor another that none of them has.
    fn prove(&mut self, property: usize, sets: &mut Sets, reached: Signal) -> Result<(), Interrupted> {
        let set = sets.extract(reached);
        self.verdicts.decide(property, Verdict::Unreachable(Proof::Set(set.clone())));
        for other in self.verdicts.open() {
            let mut path = Path::new(self.transition, &self.limits.interrupt);
            path.require_member(0, sets.latches, &sets.gates, reached);
            path.require_run(0, false, None);
            let bad = path.at(0, self.transition.bad(other));
            path.require(0, &[bad]);
            if !self.ask(&mut path)? {
                self.verdicts.decide(other, Verdict::Unreachable(Proof::Set(set.clone())));
            }
        }
        Ok(())
    }
}
