//! Properties take turns at one sequence of frames.
//!
//! In each round every open property, the least laborious so far first, works until it is excluded from
//! the top frame or its turn is over, that is, after a number of obligations. A property that did not
//! finish gets twice as many in the next round. Then, if some property has reached the top, a frame is
//! opened, lemmas are propagated, and properties that the infinite frame excludes are done.

use std::time::Duration;

use super::block::Blocking;
use super::obligations::Obligations;
use crate::engine::{Decision, Interrupted, Invariant, Proof, Verdict, Verdicts};
use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_base::progress::Stage;

/// Obligations in a first turn.
const TURN: u64 = 256;
/// Obligations in the turn of a property that is the only one left.
const TURN_ALONE: u64 = 16;

/// Frames that can be strengthened until they exclude a property.
pub trait Strengthen {
    /// The index of the last frame.
    fn top(&self) -> usize;
    /// Opens the next frame, at first with no lemmas but those of the infinite frame.
    fn extend(&mut self);
    /// Pushes lemmas to higher frames.
    fn propagate(&mut self) -> Result<(), Interrupted>;
    /// Moves lemmas that are inductive by themselves to the infinite frame.
    fn promote_inductive_subset(&mut self) -> Result<(), Interrupted>;
    /// Checks the invariants of frames, given the level up to which each property is excluded; where that is cheap.
    fn assert_frames(&mut self, frontiers: &[(usize, usize)]);
    /// Excludes a property from a frame, handling at most `turn` obligations.
    fn block_property(
        &mut self,
        property: usize,
        level: usize,
        obligations: &mut Obligations,
        turn: &mut u64,
    ) -> Result<Blocking, Interrupted>;
    /// How often the infinite frame has become stronger.
    fn infinite_version(&self) -> u64;
    /// The infinite frame, if it excludes the property.
    fn invariant_against(&mut self, property: usize) -> Result<Option<Invariant>, Interrupted>;
    /// Propagations so far.
    fn work(&self) -> u64;
}

#[derive(Default)]
struct Progress {
    /// The property is excluded from the frames up to this one.
    frontier: usize,
    obligations: Obligations,
    /// Turns in a row that ended before the frontier moved.
    unfinished: u32,
    labour: u64,
    time: Duration,
    /// It has used up its time.
    given_up: bool,
}

pub struct Properties<'r> {
    progress: Vec<Progress>,
    verdicts: Verdicts<'r>,
    limits: Limits,
    /// The version of the infinite frame that all open properties have been held against.
    excluded_by: Option<u64>,
    /// The reset states have been looked at.
    started: bool,
    /// The interrupt of the solvers: ends with the run, or earlier with a property's time.
    interrupt: Interrupt,
}

impl<'r> Properties<'r> {
    pub fn new(properties: usize, limits: &Limits, interrupt: Interrupt, report: &'r mut dyn FnMut(Decision)) -> Self {
        Properties {
            progress: (0..properties).map(|_| Progress::default()).collect(),
            verdicts: Verdicts::new(properties, report),
            limits: limits.clone(),
            excluded_by: None,
            started: false,
            interrupt,
        }
    }

    pub fn verdict(&self, property: usize) -> &Verdict {
        &self.verdicts.verdicts[property]
    }

    pub fn into_verdicts(self) -> Vec<Verdict> {
        self.verdicts.verdicts
    }

    /// Runs until every property is decided or given up, or the run is interrupted, and then returns true; or until
    /// this much work has been done.
    pub fn decide_all(&mut self, engine: &mut impl Strengthen, work: u64) -> bool {
        // After an interruption, open properties stay open.
        self.rounds(engine, work).unwrap_or(true)
    }

    pub fn decide(&mut self, property: usize, verdict: Verdict) {
        self.verdicts.decide(property, verdict);
        self.progress[property].obligations = Obligations::default();
    }

    pub fn give_up(&mut self, property: usize) {
        self.progress[property].given_up = true;
        self.progress[property].obligations = Obligations::default();
    }

    fn rounds(&mut self, engine: &mut impl Strengthen, work: u64) -> Result<bool, Interrupted> {
        if !std::mem::replace(&mut self.started, true) {
            for property in self.remaining() {
                self.check_initial(engine, property)?;
            }
            self.exclude_by_infinite(engine)?;
        }
        while !self.remaining().is_empty() {
            if self.wants_frame(engine) {
                if !self.limits.allows(engine.top() + 1) {
                    break;
                }
                engine.extend();
                self.limits.progress.level(Stage::Ic3, engine.top());
                engine.propagate()?;
                engine.promote_inductive_subset()?;
                engine.assert_frames(&self.frontiers());
                self.exclude_by_infinite(engine)?;
            }
            for property in self.remaining() {
                self.timed_turn(engine, property)?;
                if engine.work() >= work {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Properties to work on: the least laborious first.
    pub fn remaining(&self) -> Vec<usize> {
        let mut open = self.verdicts.open();
        open.retain(|&property| !self.progress[property].given_up);
        open.sort_by_key(|&property| self.progress[property].labour);
        open
    }

    /// The frontiers of properties, except for those that were given up before the first turn.
    fn frontiers(&self) -> Vec<(usize, usize)> {
        let frontier = |property: usize| (property, self.progress[property].frontier);
        self.remaining().into_iter().map(frontier).collect()
    }

    fn wants_frame(&self, engine: &impl Strengthen) -> bool {
        let top = engine.top();
        let at_top = |&property: &usize| self.progress[property].frontier == top;
        self.remaining().iter().any(at_top)
    }

    /// Is the property bad in a reset state already?
    pub fn check_initial(&mut self, engine: &mut impl Strengthen, property: usize) -> Result<(), Interrupted> {
        let obligations = &mut Obligations::default();
        match engine.block_property(property, 0, obligations, &mut 1)? {
            Blocking::Reached(trace) => {
                self.verdicts.decide(property, Verdict::Reachable(trace));
            }
            Blocking::Done | Blocking::OutOfTurn => {}
        }
        Ok(())
    }

    /// Reports the properties that no state of the infinite frame has, if that has changed.
    pub fn exclude_by_infinite(&mut self, engine: &mut impl Strengthen) -> Result<(), Interrupted> {
        let version = Some(engine.infinite_version());
        if std::mem::replace(&mut self.excluded_by, version) == version {
            return Ok(());
        }
        for property in self.remaining() {
            let Some(invariant) = engine.invariant_against(property)? else { continue };
            let verdict = Verdict::Unreachable(Proof::Invariant(invariant));
            self.verdicts.decide(property, verdict);
            self.progress[property].obligations = Obligations::default();
        }
        Ok(())
    }

    /// A turn within the property's time, if that is limited.
    fn timed_turn(&mut self, engine: &mut impl Strengthen, property: usize) -> Result<(), Interrupted> {
        let begin = self.interrupt.elapsed();
        let run_ends = self.limits.interrupt.deadline();
        if let Some(limit) = self.limits.per_property {
            let ends = begin + limit.saturating_sub(self.progress[property].time);
            let ends = run_ends.map_or(ends, |run_ends| ends.min(run_ends));
            self.interrupt.set_deadline(Some(ends));
        }
        let result = self.turn(engine, property);
        self.interrupt.set_deadline(run_ends);
        self.progress[property].time += self.interrupt.elapsed() - begin;
        if result.is_err() && !self.limits.interrupt.is_raised() {
            self.give_up(property);
            return Ok(());
        }
        result
    }

    /// Moves the property's frontier towards the top.
    fn turn(&mut self, engine: &mut impl Strengthen, property: usize) -> Result<(), Interrupted> {
        let alone = self.remaining().len() == 1;
        let progress = &mut self.progress[property];
        // A turn is short if no other property waits: the next one goes on where it ended.
        let turn = if alone { TURN_ALONE } else { TURN.checked_shl(progress.unfinished).unwrap_or(u64::MAX) };
        let mut left = turn;
        while progress.frontier < engine.top() {
            let level = progress.frontier + 1;
            let obligations = &mut progress.obligations;
            let result = engine.block_property(property, level, obligations, &mut left);
            match result? {
                Blocking::Done => {
                    progress.frontier = level;
                    progress.unfinished = 0;
                }
                Blocking::Reached(trace) => {
                    self.verdicts.decide(property, Verdict::Reachable(trace));
                    progress.obligations = Obligations::default();
                    return Ok(());
                }
                Blocking::OutOfTurn => {
                    progress.unfinished += u32::from(!alone);
                    break;
                }
            }
        }
        progress.labour += turn - left;
        Ok(())
    }
}
