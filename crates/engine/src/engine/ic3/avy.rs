//! AVY: IC3 whose bad states come from interpolants (Vizel and Gurfinkel, "Interpolating Property Directed Reachability",
//! CAV 2014).
//!
//! Where IC3 blocks one bad state after the other, backwards from the property, this looks at whole runs: is there one of
//! `k` steps to the property, whose state at position `i` is in F_i? If not, the refutation has a sequence of interpolants,
//! I_1, ..., I_k, and each I_i says what about the states of F_i keeps the property away. From i = 1 on, what F_i
//! contains beside I_i is blocked: it has no predecessor in F_{i-1}, as that implies I_{i-1} by then, so each such
//! state gives a lemma at once, generalized as in IC3. The frames stay sets of clauses, and lemmas are pushed and become
//! invariants as they do there.
//!
//! A run may begin at any position: otherwise I_i would describe the states after exactly `i` steps, and lemmas hold
//! after at most as many.

use std::time::Instant;

use super::generalize::Effort;
use super::solvers::negation;
use super::{Run, properties::Properties};
use crate::cnf::Lit;
use crate::engine::interpolation::craig::System;
use crate::engine::interpolation::path::Path;
use crate::engine::state_set::{Outside, over_latches};
use crate::engine::transition::Transition;
use crate::engine::{Cube, Decision, Interrupted, Outcome, Phase, Trace, Verdict};
use crate::sat::Backend;
use redoubt_base::Limits;
use redoubt_base::progress::Stage;
use redoubt_circuit::{Aig, Circuit, Signal};

pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut run = Run::new(circuit, &transition, backend, limits, report);
    // After an interruption, open properties stay open.
    let _ = decide_all(&mut run, limits);
    run.into_outcome()
}

fn decide_all(run: &mut Run, limits: &Limits) -> Result<(), Interrupted> {
    let Run { engine, properties } = run;
    for property in properties.remaining() {
        properties.check_initial(engine, property)?;
    }
    properties.exclude_by_infinite(engine)?;
    for bound in (1..).take_while(|&bound| limits.allows(bound)) {
        if properties.remaining().is_empty() {
            break;
        }
        engine.extend();
        limits.progress.level(Stage::Interpolation, bound);
        engine.propagate()?;
        for property in properties.remaining() {
            advance(engine, properties, property, limits)?;
        }
        engine.propagate()?;
        engine.promote_inductive_subset()?;
        properties.exclude_by_infinite(engine)?;
    }
    Ok(())
}

/// Excludes a property from the top frame, or finds a trace.
fn advance(
    engine: &mut super::Ic3,
    properties: &mut Properties,
    property: usize,
    limits: &Limits,
) -> Result<(), Interrupted> {
    let mut gates = over_latches(engine.circuit.latches.len());
    match engine.refute(property, &mut gates, limits)? {
        Refuted::Reached(trace) => properties.decide(property, Verdict::Reachable(trace)),
        Refuted::Interpolants(interpolants) => {
            for (index, interpolant) in interpolants.into_iter().enumerate() {
                engine.strengthen(index + 1, &gates, interpolant, limits)?;
            }
        }
    }
    Ok(())
}

enum Refuted {
    Reached(Trace),
    /// By position, from 1 on.
    Interpolants(Vec<Signal>),
}

impl super::Ic3<'_> {
    /// Looks for a run through the frames to the property, at the top.
    fn refute(&mut self, property: usize, gates: &mut Aig, limits: &Limits) -> Result<Refuted, Interrupted> {
        let start = Instant::now();
        let top = self.frames.top();
        let mut path = Path::new(self.transition, &limits.interrupt);
        path.require_initial(0, None);
        let mut restarts: Vec<Lit> = Vec::new();
        for position in 0..top {
            let restart = path.push(position as u32 + 1, true).expect("asked for");
            path.require_run(position, true, Some(!restart));
            for cube in self.frames.lemmas(position + 1) {
                let clause: Vec<Lit> = negation(self.transition, cube).map(|lit| path.at(position + 1, lit)).collect();
                path.require(position + 1, &clause);
            }
            restarts.push(restart);
        }
        path.require_run(top, false, None);
        let bad = path.at(top, self.transition.bad(property));
        path.require(top, &[bad]);
        self.statistics.record(Phase::Encode, start);
        let start = Instant::now();
        let reached = path.is_satisfiable();
        self.statistics.record(Phase::Unroll, start);
        self.statistics.add_solver(path.statistics());
        if reached? {
            let first = restarts.iter().rposition(|&restart| path.value(restart)).map_or(0, |position| position + 1);
            return Ok(Refuted::Reached(path.trace(self.circuit, first, top)));
        }
        let start = Instant::now();
        let interpolants = path.sequence(System::McMillan, gates, &limits.interrupt);
        self.statistics.record(Phase::Interpolate, start);
        interpolants.map(Refuted::Interpolants)
    }

    /// Blocks the part of a frame beside an interpolant; the frame below has no step to it.
    fn strengthen(&mut self, level: usize, gates: &Aig, set: Signal, limits: &Limits) -> Result<(), Interrupted> {
        if set == Signal::TRUE {
            return Ok(());
        }
        let mut beside = Outside::new(self.circuit.latches.len(), gates, set, &limits.interrupt);
        self.frames.lemmas(level).for_each(|lemma| beside.block(lemma.lits()));
        while let Some(cube) = beside.find()?.map(Cube::new) {
            if self.frames.blocking_level(&cube, level).is_none() {
                let start = Instant::now();
                let core = self.inductive(&cube, level);
                self.statistics.record(Phase::Block, start);
                let core = core?.expect("an interpolant contains the successors of the one before");
                let lemma = self.generalize(core, level, Effort::NONE)?;
                self.learn(lemma, level)?;
                self.solvers.tidy(&self.frames, &mut self.statistics);
            }
            let lemma = self.frames.lemmas(level).find(|lemma| lemma.subsumes(&cube));
            beside.block(lemma.expect("a lemma blocks it").lits());
        }
        Ok(())
    }
}
