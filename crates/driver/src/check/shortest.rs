//! Shortest runs: none with fewer steps reaches the property.
//!
//! Breadth-first search over the states of the program finds them for all properties together, as long as the states and
//! the combinations of inputs are few. Bounded model checking asks for runs of one step, two steps and so on, whatever the
//! number of states, but each further step takes longer. Which of the two is better cannot be told beforehand: the search
//! goes first, and what it has not found after some steps both look for at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};

use super::schedule::Profile;
use super::{Answer, CheckOptions, check};
use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::base::Limits;
use crate::engine::Engine;
use crate::explicit::{self, SearchVerdict, Stop};
use crate::program::PropertyId;
use crate::witness::Run;
use crate::witness::shorten::Budget;

/// The most steps that the search makes by itself; they take about half a second. Where a state has many of them, these
/// do not get it far, and a few show whether it is done at once.
const ALONE: u64 = 2_000_000;
const ALONE_AMONG_MANY: u64 = 50_000;

/// Looks for shortest runs to properties that some run reaches; `report` hears of each as soon as it is found. The
/// search may take this many bytes.
pub fn runs(
    facts: &Facts,
    known: &[(PropertyId, Run)],
    memory: usize,
    interrupt: &Interrupt,
    mut report: impl FnMut(PropertyId, Run),
) {
    let mut open: Vec<PropertyId> = known.iter().map(|(property, _)| *property).collect();
    open.sort_unstable();
    // No search goes further than the runs that are known.
    let depth = known.iter().map(|(_, run)| run.len()).max();
    let mut quest = Quest { facts, open: open.clone(), depth, memory, settled: None, interrupt: interrupt.clone() };
    let alone = if Profile::of(facts, false).has_many_combinations() { ALONE_AMONG_MANY } else { ALONE };
    let stop = quest.search(Some(alone), &mut |property, run| {
        open.retain(|&other| other != property);
        report(property, run);
    });
    if open.is_empty() || interrupt.is_raised() {
        return;
    }
    let settled: Arc<[AtomicBool]> = facts.program.properties.iter().map(|_| AtomicBool::new(false)).collect();
    quest.settled = Some(Arc::clone(&settled));
    quest.interrupt = interrupt.part();
    quest.open = open.clone();
    let (quest, goes_on) = (&quest, stop == Stop::Steps);
    std::thread::scope(|scope| {
        let (found, received) = mpsc::channel();
        let send = |found: Sender<(PropertyId, Run)>| {
            move |property, run| {
                // The listener is gone when all are found.
                let _ = found.send((property, run));
            }
        };
        let mut by_search = send(found.clone());
        let mut by_unrolling = send(found);
        if goes_on {
            scope.spawn(move || quest.search(None, &mut by_search));
        } else {
            drop(by_search);
        }
        scope.spawn(move || quest.unroll(&mut by_unrolling));
        for (property, run) in received {
            if open.contains(&property) {
                open.retain(|&other| other != property);
                settled[property.index()].store(true, Ordering::Relaxed);
                report(property, run);
            }
            if open.is_empty() {
                quest.interrupt.raise();
            }
        }
    });
}

/// The goals of the search, and its bounds.
struct Quest<'q, 'p> {
    facts: &'q Facts<'p>,
    open: Vec<PropertyId>,
    depth: Option<usize>,
    memory: usize,
    settled: Option<Arc<[AtomicBool]>>,
    interrupt: Interrupt,
}

impl Quest<'_, '_> {
    /// Visits states breadth first, with at most `steps` steps.
    fn search(&self, steps: Option<u64>, found: &mut dyn FnMut(PropertyId, Run)) -> Stop {
        let options = explicit::SearchOptions {
            interrupt: self.interrupt.clone(),
            memory: self.memory,
            depth: self.depth,
            steps,
            properties: Some(self.open.clone()),
            settled: self.settled.clone(),
            ..explicit::SearchOptions::default()
        };
        let outcome = explicit::search(self.facts, &options, &mut |property, verdict| {
            if let SearchVerdict::Reachable { inputs } = verdict {
                found(property, inputs);
            }
        });
        outcome.stop
    }

    /// Unrolls the circuit step by step.
    fn unroll(&self, found: &mut dyn FnMut(PropertyId, Run)) {
        let options = CheckOptions {
            engine: Engine::Bmc,
            limits: Limits { interrupt: self.interrupt.clone(), depth: self.depth, ..Limits::default() },
            properties: Some(self.open.clone()),
            shortening: Budget::none(),
            ..CheckOptions::default()
        };
        // A program that is too large for a circuit keeps the runs that it has.
        let _ = check(self.facts.program, &options, |finding| {
            if let Answer::Reachable { run } = &finding.answer {
                found(finding.property, run.clone());
            }
        });
    }
}
