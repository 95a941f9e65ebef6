//! Symbolic reachability with decision diagrams (Burch, Clarke, McMillan, Dill and Hwang 1990).
//!
//! The set of all states that a run can reach is computed step by step, for all properties at once; it is exact, so it
//! decides every property, and it is the invariant of those that hold. Where it does not fit, the states that
//! lead to a property may: they are computed backwards, property by property. Neither is tried for long at first: with few
//! nodes, in one order of variables and in another ([`model`]), then with more.
//!
//! This judges other engines on small models, and counts their states. It is lost where the sets have no small diagrams.

pub mod diagrams;
pub mod model;

use std::time::Instant;

use diagrams::{Bounds, Function, Stop};
use model::{Model, Order};
use redoubt_base::Limits;
use redoubt_base::progress::Stage;
use redoubt_circuit::Circuit;

use super::{Decision, Outcome, Phase, Proof, Statistics, Trace, Verdict, Verdicts};
use crate::sat::Backend;

/// Nodes in the first attempts, and in the last: about 250 megabytes.
const FEWEST_NODES: usize = 1 << 17;
const MOST_NODES: usize = 1 << 23;
/// The factor by which the bound grows in the next.
const MORE_NODES: usize = 8;

/// There is no solver underneath.
pub fn check(circuit: &Circuit, _: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    let mut verdicts = Verdicts::new(circuit.bad.len(), report);
    let mut statistics = Statistics::default();
    let mut nodes = FEWEST_NODES;
    while nodes <= MOST_NODES && !limits.interrupt.is_raised() {
        for order in Order::ALL {
            let open = verdicts.open();
            let mut found = |property, verdict| verdicts.decide(property, verdict);
            attempt(circuit, order, Bounds::nodes(nodes), limits, &open, &mut statistics, &mut found);
        }
        nodes *= MORE_NODES;
    }
    Outcome { verdicts: verdicts.verdicts, statistics }
}

/// Attempts in turns with other engines, each with twice as much room as the one before and in another order.
pub(super) struct Turns<'a> {
    circuit: &'a Circuit,
    limits: Limits,
    attempts: usize,
    statistics: Statistics,
}

/// Steps in the first turn, some tenths of a second.
const FIRST_STEPS: u64 = 1 << 20;
/// Nodes in a turn at most: about 90 megabytes.
const MOST_NODES_IN_TURN: usize = 1 << 21;
/// With more latches there seldom is an order in which the sets are small.
const MOST_LATCHES: usize = 64;

impl<'a> Turns<'a> {
    /// `None` if the circuit looks too large for diagrams.
    pub fn new(circuit: &'a Circuit, limits: &Limits) -> Option<Turns<'a>> {
        let statistics = Statistics::default();
        (circuit.latches.len() <= MOST_LATCHES).then(|| Turns {
            circuit,
            limits: limits.clone(),
            attempts: 0,
            statistics,
        })
    }

    /// One attempt at these properties.
    pub fn search(&mut self, open: &[usize], found: &mut dyn FnMut(usize, Verdict)) {
        let order = Order::ALL[self.attempts % Order::ALL.len()];
        let growth = |first: u64| first.saturating_mul(1 << self.attempts.min(40));
        let nodes = growth(FEWEST_NODES as u64).min(MOST_NODES_IN_TURN as u64) as usize;
        let bounds = Bounds { nodes, steps: growth(FIRST_STEPS) };
        self.attempts += 1;
        attempt(self.circuit, order, bounds, &self.limits, open, &mut self.statistics, found);
    }

    pub fn into_statistics(self) -> Statistics {
        self.statistics
    }
}

/// Functions that did not fit may be tried again; after an interruption, open properties stay open.
fn attempt(
    circuit: &Circuit,
    order: Order,
    bounds: Bounds,
    limits: &Limits,
    open: &[usize],
    statistics: &mut Statistics,
    found: &mut dyn FnMut(usize, Verdict),
) {
    let mut search = Search { circuit, limits, open: open.to_vec(), statistics, found };
    let _ = search.attempt(order, bounds);
}

struct Search<'a, 'f> {
    circuit: &'a Circuit,
    limits: &'a Limits,
    /// The properties that are not decided.
    open: Vec<usize>,
    statistics: &'f mut Statistics,
    found: &'f mut dyn FnMut(usize, Verdict),
}

impl Search<'_, '_> {
    fn attempt(&mut self, order: Order, bounds: Bounds) -> Result<(), Stop> {
        if self.open.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        let model = Model::new(self.circuit, &[], order, bounds, &self.limits.interrupt);
        self.statistics.record(Phase::Encode, start);
        let mut model = model?;
        let start = Instant::now();
        let forwards = self.forwards(&mut model);
        self.statistics.record(Phase::Image, start);
        if forwards == Err(Stop::Full) {
            for property in self.open.clone() {
                model.collect([]);
                let start = Instant::now();
                // A size that does not suffice for one property may for another.
                let _ = self.backwards(&mut model, property);
                self.statistics.record(Phase::Preimage, start);
            }
        }
        Ok(())
    }

    fn decide(&mut self, property: usize, verdict: Verdict) {
        self.open.retain(|&other| other != property);
        (self.found)(property, verdict);
    }

    /// Whether there may be another step, and it is noted.
    fn may_step(&mut self, steps: usize) -> bool {
        self.statistics.depth = self.statistics.depth.max(steps);
        self.limits.progress.level(Stage::Diagrams, steps);
        self.limits.allows(steps)
    }

    /// All states that runs reach, by their distance from the reset states.
    fn forwards(&mut self, model: &mut Model) -> Result<(), Stop> {
        let mut reached = model.initial;
        let mut rings = vec![reached];
        while self.may_step(rings.len() - 1) {
            let last = rings[rings.len() - 1];
            let here = model.diagrams.and(last, model.allowed)?;
            for property in self.open.clone() {
                let hit = model.diagrams.and(here, model.bad[property])?;
                if let Some((state, inputs)) = model.pick(hit) {
                    let trace = trace_back(model, &rings, state, inputs)?;
                    self.decide(property, Verdict::Reachable(trace));
                }
            }
            if self.open.is_empty() {
                return Ok(());
            }
            let image = model.image(last)?;
            let new = model.diagrams.and(image, !reached)?;
            if new == Function::FALSE {
                self.statistics.states = model.count(reached);
                let set = model.set(reached);
                for property in self.open.clone() {
                    self.decide(property, Verdict::Unreachable(Proof::Set(set.clone())));
                }
                return Ok(());
            }
            reached = model.diagrams.or(reached, new)?;
            rings.push(new);
            model.tidy(rings.iter().copied().chain([reached]));
        }
        Ok(())
    }

    /// All states with a run to a property, by their distance from it.
    fn backwards(&mut self, model: &mut Model, property: usize) -> Result<(), Stop> {
        let mut reaching = model.states_with(model.bad[property])?;
        let mut rings = vec![reaching];
        while self.may_step(rings.len() - 1) {
            let last = rings[rings.len() - 1];
            let start = model.diagrams.and(last, model.initial)?;
            if let Some((state, _)) = model.pick(start) {
                let trace = trace_forth(model, &rings, state, property)?;
                self.decide(property, Verdict::Reachable(trace));
                return Ok(());
            }
            let image = model.preimage(last)?;
            let new = model.diagrams.and(image, !reaching)?;
            if new == Function::FALSE {
                let proof = Proof::Set(model.set(!reaching));
                self.decide(property, Verdict::Unreachable(proof));
                return Ok(());
            }
            reaching = model.diagrams.or(reaching, new)?;
            rings.push(new);
            model.tidy(rings.iter().copied().chain([reaching]));
        }
        Ok(())
    }
}

/// A run through the rings to a state of the last one, which has these inputs.
fn trace_back(model: &mut Model, rings: &[Function], mut state: Vec<bool>, inputs: Vec<bool>) -> Result<Trace, Stop> {
    let mut all_inputs = vec![inputs];
    for &ring in rings[..rings.len() - 1].iter().rev() {
        let steps = model.steps_to(&state)?;
        let steps = model.diagrams.and(steps, ring)?;
        let (before, inputs) = model.pick(steps).expect("a state of a ring has a predecessor in the one before");
        state = before;
        all_inputs.push(inputs);
    }
    all_inputs.reverse();
    Ok(Trace { initial: state, inputs: all_inputs })
}

/// A run from a state of the last ring through the others to the property.
fn trace_forth(model: &mut Model, rings: &[Function], state: Vec<bool>, property: usize) -> Result<Trace, Stop> {
    let initial = state.clone();
    let (mut here, mut inputs) = (model.state(&state)?, Vec::new());
    for &ring in rings[..rings.len() - 1].iter().rev() {
        let image = model.image(here)?;
        let image = model.diagrams.and(image, ring)?;
        let (next, _) = model.pick(image).expect("a state of a ring has a successor in the one before");
        let steps = model.steps_to(&next)?;
        let steps = model.diagrams.and(steps, here)?;
        let (_, chosen) = model.pick(steps).expect("there is such a step");
        inputs.push(chosen);
        here = model.state(&next)?;
    }
    let last = model.diagrams.and(here, model.allowed)?;
    let last = model.diagrams.and(last, model.bad[property])?;
    inputs.push(model.pick(last).expect("a state of the first ring has the property").1);
    Ok(Trace { initial, inputs })
}
