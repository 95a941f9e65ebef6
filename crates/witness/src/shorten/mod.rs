//! Long runs to shorter ones: steps and inputs are dropped while the property stays reached.
//!
//! Engines find runs, not short runs; one that drives a counter may have tens of thousands of steps. So the work is
//! near linear: the steps between two visits of a state are a loop and go first. Then the run is walked along, and at
//! each of its states the walk looks for a shortcut: one step on another input to a state further on, or, as in delta
//! debugging (Zeller, Hildebrandt, "Simplifying and isolating failure-inducing input", 2002), the steps that follow
//! without the next few, if they lead back onto the way or to the property. Walks are repeated while they help, and as
//! far as the budget goes: that counts steps and not seconds, so that the same run always becomes the same shorter one.
//! States are compared by hashes, so the result is replayed before it is used.

mod machine;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use self::machine::{Clocked, Machine, Stepped, Stepping};
use super::Run;
use super::replay::reaches;
use crate::analysis::Facts;
use crate::circuit::Circuit;
use crate::circuit::Trace;
use crate::program::PropertyId;

/// The most steps of a run that are tried after a few were left out.
const WINDOW: usize = 256;
/// In runs that are no longer than this, every number of steps is left out, in others powers of two.
const SHORT: usize = 64;
/// The gain after this many rounds is enough.
const ROUNDS: usize = 16;
/// The work for the runs of one check: steps of a small program, which take some microseconds. Those of a large one
/// count for more.
#[derive(Clone, Debug)]
pub struct Budget {
    each: u64,
    all: u64,
    /// Shared by all clones.
    spent: Arc<AtomicU64>,
}

impl Default for Budget {
    /// Less than a second for all of them.
    fn default() -> Budget {
        Budget::new(25_000, 100_000)
    }
}

impl Budget {
    /// Budgets for each run, and for all of them.
    pub fn new(each: u64, all: u64) -> Budget {
        Budget { each, all, spent: Arc::default() }
    }

    /// No work at all: runs stay as they are.
    pub fn none() -> Budget {
        Budget::new(0, 0)
    }

    /// Does something that ends when its share is spent, on steps that count for `cost`; nothing if nothing is left.
    /// Work that takes one look at each step gets all that is left, as the first patience says, and the rest as much as
    /// the second allows.
    fn spend<T>(&self, cost: u64, work: impl FnOnce(&Patience, &Patience) -> T) -> Option<T> {
        let left = self.all.saturating_sub(self.spent.load(Ordering::Relaxed));
        if left == 0 {
            return None;
        }
        let (all, each) = (Patience::new(left, cost), Patience::new(self.each.min(left), cost));
        let result = work(&all, &each);
        self.spent.fetch_add(all.spent.get() + each.spent.get(), Ordering::Relaxed);
        Some(result)
    }
}

/// Says when to stop.
struct Patience {
    most: u64,
    /// The cost of a step.
    cost: u64,
    spent: Cell<u64>,
}

impl Patience {
    fn new(most: u64, cost: u64) -> Patience {
        Patience { most, cost, spent: Cell::new(0) }
    }

    fn count(&self, steps: usize) {
        self.spent.set(self.spent.get() + steps as u64 * self.cost);
    }

    fn is_over(&self) -> bool {
        self.spent.get() >= self.most
    }
}

/// A run of the program that reaches the property too, and is no longer.
pub fn run(facts: &Facts, property: PropertyId, run: Run, budget: &Budget) -> Run {
    let program = facts.program;
    let shorter = budget.spend(Stepping::cost(program), |all, each| {
        let mut machine = Stepping::new(facts, property);
        let shorter = shorten(&mut machine, run.clone(), all, each);
        if program.inputs.len() > 1 { simplify(&mut machine, shorter, each) } else { shorter }
    });
    shorter.filter(|shorter| reaches(program, shorter, property) == Some(shorter.len())).unwrap_or(run)
}

/// The same for a circuit. The first state stays as it is.
pub fn trace(circuit: &Circuit, property: usize, trace: Trace, budget: &Budget) -> Trace {
    let inputs = budget.spend(Clocked::cost(circuit), |all, each| {
        let mut machine = Clocked::new(circuit, property, &trace.initial);
        shorten(&mut machine, trace.inputs.clone(), all, each)
    });
    let shorter = inputs.map(|inputs| Trace { initial: trace.initial.clone(), inputs });
    shorter.filter(|shorter| shorter.reaches(circuit, property)).unwrap_or(trace)
}

fn shorten<M: Machine>(
    machine: &mut M,
    mut run: Vec<M::Inputs>,
    all: &Patience,
    patience: &Patience,
) -> Vec<M::Inputs> {
    let Some(way) = Way::along(machine, &run, all) else { return run };
    run = way.without_loops();
    for looks in [Looks::AtOtherInputs, Looks::BehindSteps] {
        for _ in 0..ROUNDS {
            let before = run.len();
            run = walk(machine, run, looks, patience);
            if run.len() == before || patience.is_over() {
                break;
            }
        }
    }
    run
}

/// Where a walk looks for shortcuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    AtOtherInputs,
    BehindSteps,
}

/// A way back onto the run, or to its end.
struct Shortcut<I, S> {
    inputs: Vec<I>,
    /// The number of steps it saves.
    gain: usize,
    /// Where it joins the run, and the state there; nothing if it reaches the property.
    joins: Option<(usize, S)>,
}

/// Walks along a run once and takes the best shortcut at each state.
fn walk<M: Machine>(machine: &mut M, run: Vec<M::Inputs>, looks: Looks, patience: &Patience) -> Vec<M::Inputs> {
    let Some(way) = Way::along(machine, &run, patience) else { return run };
    let mut shorter = vec![];
    machine.start();
    let mut at = 0;
    while at < run.len() {
        if patience.is_over() {
            shorter.extend_from_slice(&run[at..]);
            break;
        }
        if let Some(later) = way.later(machine.fingerprint(), at) {
            at = later;
            continue;
        }
        let here = machine.save();
        match way.shortcut(machine, &here, at, looks, patience) {
            Some(Shortcut { inputs, joins, .. }) => {
                shorter.extend(inputs);
                let Some((joins, state)) = joins else { break };
                machine.restore(&state);
                at = joins;
            }
            None => {
                machine.restore(&here);
                machine.step(&run[at]);
                shorter.push(run[at].clone());
                at += 1;
            }
        }
    }
    shorter
}

/// A run together with where its states are.
struct Way<'r, I> {
    run: &'r [I],
    /// Of the state before each step.
    fingerprints: Vec<u64>,
    /// By fingerprint: the last position before whose step it is seen.
    last: FxHashMap<u64, usize>,
}

impl<'r, I: Clone> Way<'r, I> {
    /// `None` if the run does not reach the property with its last step, or the budget does not suffice.
    fn along<M: Machine<Inputs = I>>(machine: &mut M, run: &'r [I], patience: &Patience) -> Option<Way<'r, I>> {
        let mut last = FxHashMap::default();
        let mut fingerprints = vec![];
        machine.start();
        for (position, inputs) in run.iter().enumerate() {
            fingerprints.push(machine.fingerprint());
            last.insert(fingerprints[position], position);
            let expected = if position + 1 < run.len() { Stepped::On } else { Stepped::Reached };
            patience.count(1);
            if machine.step(inputs) != expected || patience.is_over() {
                return None;
            }
        }
        Some(Way { run, fingerprints, last })
    }

    /// The steps that are left if each state is visited once.
    fn without_loops(&self) -> Vec<I> {
        let mut shorter = vec![];
        let mut at = 0;
        while at < self.run.len() {
            at = self.last[&self.fingerprints[at]];
            shorter.push(self.run[at].clone());
            at += 1;
        }
        shorter
    }

    fn later(&self, fingerprint: u64, than: usize) -> Option<usize> {
        self.last.get(&fingerprint).copied().filter(|&position| position > than)
    }

    /// The shortcut from a state of the run that saves most.
    fn shortcut<M: Machine<Inputs = I>>(
        &self,
        machine: &mut M,
        here: &M::State,
        at: usize,
        looks: Looks,
        patience: &Patience,
    ) -> Option<Shortcut<I, M::State>> {
        let mut best: Option<Shortcut<I, M::State>> = None;
        let mut consider = |found: Option<Shortcut<I, M::State>>| {
            if found.as_ref().map_or(0, |found| found.gain) > best.as_ref().map_or(0, |best| best.gain) {
                best = found;
            }
        };
        if looks == Looks::AtOtherInputs {
            for other in machine.alternatives().to_vec() {
                machine.restore(here);
                consider(self.follow(machine, at, &[other], patience));
            }
            return best;
        }
        let rest = self.run.len() - at;
        let mut dropped = 1;
        while dropped < rest && !patience.is_over() {
            machine.restore(here);
            let from = at + dropped;
            let end = self.run.len().min(from + WINDOW);
            consider(self.follow(machine, at, &self.run[from..end], patience));
            dropped = if rest <= SHORT { dropped + 1 } else { 2 * dropped };
        }
        best
    }

    /// Makes steps from position `at` until they join the run further on, or reach the property.
    fn follow<M: Machine<Inputs = I>>(
        &self,
        machine: &mut M,
        at: usize,
        inputs: &[I],
        patience: &Patience,
    ) -> Option<Shortcut<I, M::State>> {
        for (index, step) in inputs.iter().enumerate() {
            let made = index + 1;
            patience.count(1);
            match machine.step(step) {
                Stepped::Over => return None,
                Stepped::Reached => {
                    let gain = (self.run.len() - at).checked_sub(made)?;
                    return Some(Shortcut { inputs: inputs[..made].to_vec(), gain, joins: None });
                }
                Stepped::On => {
                    if let Some(joins) = self.later(machine.fingerprint(), at + made) {
                        let joined = Some((joins, machine.save()));
                        return Some(Shortcut {
                            inputs: inputs[..made].to_vec(),
                            gain: joins - at - made,
                            joins: joined,
                        });
                    }
                }
            }
        }
        None
    }
}

/// Gives inputs their simplest value wherever the property stays reached.
fn simplify(machine: &mut Stepping, mut run: Run, patience: &Patience) -> Run {
    let domains = machine.program.inputs.iter().map(|input| &input.alphabet);
    let simplest: Vec<i32> = domains.map(|domain| if domain.contains(0) { 0 } else { domain.nth(0) }).collect();
    machine.start();
    for position in 0..run.len() {
        let here = machine.save();
        for (input, &simple) in simplest.iter().enumerate() {
            if patience.is_over() {
                return run;
            }
            patience.count(run.len() - position);
            let before = std::mem::replace(&mut run[position][input], simple);
            machine.restore(&here);
            if before != simple && !reaches_at_end(machine, &run[position..]) {
                run[position][input] = before;
            }
        }
        machine.restore(&here);
        machine.step(&run[position]);
    }
    run
}

/// Whether steps reach the property, with the last one.
fn reaches_at_end<M: Machine>(machine: &mut M, steps: &[M::Inputs]) -> bool {
    let expected = |index| if index + 1 < steps.len() { Stepped::On } else { Stepped::Reached };
    steps.iter().enumerate().all(|(index, inputs)| machine.step(inputs) == expected(index))
}
