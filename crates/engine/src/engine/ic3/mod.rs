//! IC3 for all properties of a circuit at once.
//!
//! # The idea
//!
//! IC3 (Bradley, "SAT-Based Model Checking without Unrolling", VMCAI 2011), also known as PDR (Een,
//! Mishchenko, Brayton, "Efficient Implementation of Property Directed Reachability", FMCAD 2011), keeps a
//! sequence of frames F_0, F_1, ..., F_top: F_i is a set of clauses over latches, the *lemmas*, that hold
//! in every state reachable in at most i steps (`frames`). Four facts are invariant, and asserted in
//! debug builds (`assertions`):
//!
//! 1. the reset states satisfy every frame, and F_0 is exactly them;
//! 2. F_i implies F_{i+1}: its lemmas are among those of F_i;
//! 3. a step from F_i leads into F_{i+1};
//! 4. a property is excluded from the frames up to its own *frontier*.
//!
//! To move a property's frontier from F_{k-1} to F_k, ask F_k for a bad state (`solvers`). If there is
//! one, the cube around it is an *obligation* at level k (`obligations`): either it is blocked there by
//! a lemma, or a predecessor in F_{k-1} shows why not and becomes an obligation at level k-1, and so on
//! down (`block`). A chain of obligations that starts in a reset state is a trace. A predecessor is not
//! one state but a cube, of which every state has the step (`lift`). A cube s can be blocked at level i if
//! it is inductive relative to F_{i-1}: no step leads from F_{i-1} and outside s into s. The refutation
//! says which of its literals mattered, and *generalization* drops more (`generalize`), so that one
//! lemma excludes many states that were never seen. Lemmas are pushed to higher frames, at birth and
//! whenever a frame is opened (`propagate`). When two frames are equal, they are an inductive invariant.
//!
//! # Many properties
//!
//! As in PDR, and unlike in the first IC3, frames do not assume the property: a lemma talks of reachable
//! states whatever they are good for. So one sequence of frames serves all properties, and a lemma learnt
//! for one is there for the others. Properties have frontiers of their own and take turns
//! (`properties`): a hard one that stays behind does not keep the others from advancing.
//!
//! A lemma set that is inductive by itself is moved to the *infinite frame* F_inf, which is part of all
//! frames. Once it excludes a property, that property is unreachable, and F_inf is the invariant that
//! proves it; the others go on. It grows when two frames become equal, which with many properties may
//! take until the hardest is done, and by the greatest inductive subset of the top frame's lemmas,
//! which does not (`promote`).
//!
//! # Runs that end
//!
//! A step at which the circuit's `stop` is true has no successor. So queries about steps, and the cubes lifted from
//! them, are under `!stop`; queries for bad states are not, as a run may end in a step that stops. A program's labels
//! are in its `stop`, and this is where "the negations of all labels hold on proper prefixes" is used. It is sound by
//! the definition of a run, see [`Circuit`]. Constraints hold in all queries, and lifting keeps them.
//!
//! # Known limits
//!
//! Lemmas are clauses over latches only; invariants that need relations between inputs and latches of the
//! step before, or wide parity, take many. Traces are not the shortest. Frames grow by one at a time, so a
//! trace of n steps takes n frames at worst.
//!
//! Nothing here depends on time or on addresses: the same circuit gives the same verdicts, traces and
//! lemmas, unless a limit ends the run.

pub(super) mod activity;
mod assertions;
pub mod avy;
pub(super) mod block;
mod defined;
pub(super) mod frames;
pub(super) mod generalize;
pub(super) mod lift;
pub(super) mod obligations;
pub(super) mod promote;
pub(super) mod propagate;
pub(super) mod properties;
pub(super) mod solvers;

use std::time::Instant;

use activity::{Activity, Assumed};
use block::Blocking;
use frames::{Frames, Level};
use lift::Lifter;
use obligations::Obligations;
use properties::{Properties, Strengthen};
use solvers::FrameSolvers;

use super::transition::Transition;
use super::{Cube, Decision, Interrupted, Invariant, Limits, Outcome, Phase, StateLit, Statistics, Verdict};
use crate::sat::Backend;
use redoubt_base::Interrupt;
use redoubt_circuit::Circuit;

pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    glance(circuit, backend, limits, u64::MAX, report)
}

/// Ends after about `work` propagations, and leaves the rest open.
pub fn glance(
    circuit: &Circuit,
    backend: Backend,
    limits: &Limits,
    work: u64,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    let start = Instant::now();
    let transition = Transition::within(circuit, limits);
    let mut run = Run::new(circuit, &transition, backend, limits, report);
    run.engine.statistics.record(Phase::Encode, start);
    run.decide_all(work);
    run.into_outcome()
}

/// Propagations between two looks at properties settled by others.
const BETWEEN_LOOKS: u64 = 5_000_000;

/// Beside other engines: leaves alone properties that they have settled in the meantime.
pub fn check_unsettled(
    circuit: &Circuit,
    backend: Backend,
    limits: &Limits,
    settled: &dyn Fn(usize) -> bool,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut run = Run::new(circuit, &transition, backend, limits, report);
    let mut work = BETWEEN_LOOKS;
    while !run.decide_all(work) {
        for property in run.open().into_iter().filter(|&property| settled(property)) {
            run.give_up(property);
        }
        work += BETWEEN_LOOKS;
    }
    run.into_outcome()
}

/// A run that can pause: its lemmas stay.
pub(super) struct Run<'a, 'r> {
    engine: Ic3<'a>,
    properties: Properties<'r>,
}

impl<'a, 'r> Run<'a, 'r> {
    pub fn new(
        circuit: &'a Circuit,
        transition: &'a Transition,
        backend: Backend,
        limits: &Limits,
        report: &'r mut dyn FnMut(Decision),
    ) -> Self {
        let interrupt = limits.interrupt.narrowed();
        let engine = Ic3::new(circuit, transition, backend, &interrupt);
        Run { engine, properties: Properties::new(circuit.bad.len(), limits, interrupt, report) }
    }

    /// With another order of literals from now on.
    pub fn assuming(mut self, first: Assumed) -> Self {
        self.engine.activity.assumed = first;
        self
    }

    /// Goes on until this many propagations have been made in all; false if it could go on.
    pub fn decide_all(&mut self, work: u64) -> bool {
        self.properties.decide_all(&mut self.engine, work)
    }

    /// The properties that are neither decided nor given up.
    pub fn open(&self) -> Vec<usize> {
        self.properties.remaining()
    }

    /// The verdict on a property so far.
    pub fn verdict(&self, property: usize) -> &Verdict {
        self.properties.verdict(property)
    }

    /// Takes over another engine's verdict.
    pub fn decide(&mut self, property: usize, verdict: Verdict) {
        self.properties.decide(property, verdict);
    }

    /// Leaves a property to others.
    pub fn give_up(&mut self, property: usize) {
        self.properties.give_up(property);
    }

    pub fn into_outcome(self) -> Outcome {
        Outcome { verdicts: self.properties.into_verdicts(), statistics: self.engine.into_statistics() }
    }
}

/// Frames and the tools to strengthen them; `properties` decides what they are asked.
struct Ic3<'a> {
    circuit: &'a Circuit,
    transition: &'a Transition,
    frames: Frames,
    solvers: FrameSolvers<'a>,
    lifter: Lifter<'a>,
    activity: Activity,
    statistics: Statistics,
}

impl<'a> Ic3<'a> {
    fn new(circuit: &'a Circuit, transition: &'a Transition, backend: Backend, interrupt: &Interrupt) -> Self {
        Ic3 {
            circuit,
            transition,
            frames: Frames::new(),
            solvers: FrameSolvers::new(transition, backend, interrupt),
            lifter: Lifter::new(circuit, transition, backend, interrupt),
            activity: Activity::new(circuit.latches.len()),
            statistics: Statistics::default(),
        }
    }

    /// Opens the next frame, at first with no lemmas but those of the infinite frame.
    fn extend(&mut self) {
        let start = Instant::now();
        self.frames.extend();
        self.solvers.extend(&self.frames);
        self.statistics.record(Phase::Encode, start);
    }

    /// Propagations so far.
    fn work(&self) -> u64 {
        self.statistics.propagations + self.lifter.statistics().propagations + self.solvers.propagations()
    }

    fn into_statistics(mut self) -> Statistics {
        self.statistics.depth = self.frames.top();
        self.statistics.infinite_lemmas = self.frames.infinite().len() as u64;
        self.statistics.add_solver(self.lifter.statistics());
        self.solvers.add_statistics(&mut self.statistics);
        self.statistics
    }
}

impl Strengthen for Ic3<'_> {
    fn top(&self) -> usize {
        self.frames.top()
    }

    fn extend(&mut self) {
        Ic3::extend(self);
    }

    fn propagate(&mut self) -> Result<(), Interrupted> {
        Ic3::propagate(self)
    }

    fn promote_inductive_subset(&mut self) -> Result<(), Interrupted> {
        Ic3::promote_inductive_subset(self)
    }

    fn assert_frames(&mut self, frontiers: &[(usize, usize)]) {
        Ic3::assert_frames(self, frontiers);
    }

    fn block_property(
        &mut self,
        property: usize,
        level: usize,
        obligations: &mut Obligations,
        turn: &mut u64,
    ) -> Result<Blocking, Interrupted> {
        Ic3::block_property(self, property, level, obligations, turn)
    }

    fn infinite_version(&self) -> u64 {
        self.frames.infinite_version()
    }

    fn invariant_against(&mut self, property: usize) -> Result<Option<Invariant>, Interrupted> {
        if self.solvers.has_bad(Level::Infinite, property)? {
            return Ok(None);
        }
        Ok(Some(Invariant { clauses: self.frames.infinite().iter().map(lemma).collect() }))
    }

    fn work(&self) -> u64 {
        Ic3::work(self)
    }
}

/// The clause that blocks a cube.
pub(super) fn lemma(cube: &Cube) -> Vec<StateLit> {
    cube.lits().iter().map(|&lit| !lit).collect()
}
