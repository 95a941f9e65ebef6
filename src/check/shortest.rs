//! Shortest runs: none with fewer steps reaches the property.
//!
//! Breadth-first search over the states of the program finds them for all properties together. What it does not
//! come to, since there are too many states or inputs, goes to bounded model checking, which asks for runs of one step,
//! two steps and so on.

use super::{Answer, Options, check};
use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::base::Limits;
use crate::engine::Engine;
use crate::explicit::{self, Verdict};
use crate::program::PropertyId;
use crate::witness::Run;
use crate::witness::shorten::Budget;

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
    let options = explicit::Options {
        interrupt: interrupt.clone(),
        memory,
        depth,
        properties: Some(open.clone()),
        ..explicit::Options::default()
    };
    explicit::search(facts, &options, &mut |property, verdict| {
        if let Verdict::Reachable { inputs } = verdict {
            open.retain(|&other| other != property);
            report(property, inputs);
        }
    });
    if open.is_empty() || interrupt.is_raised() {
        return;
    }
    let options = Options {
        engine: Engine::Bmc,
        limits: Limits { interrupt: interrupt.clone(), depth, ..Limits::default() },
        properties: Some(open),
        shortening: Budget::none(),
        ..Options::default()
    };
    // A program that is too large for a circuit keeps the runs that it has.
    let _ = check(facts.program, &options, |finding| {
        if let Answer::Reachable { run } = &finding.answer {
            report(finding.property, run.clone());
        }
    });
}
