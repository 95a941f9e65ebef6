//! Verdicts by explicit-state search: no circuit in between, but witnesses are replayed all the same.

use std::time::Instant;

use super::certify;
use super::{Answer, Decider, Finding, Report, Sizes};
use crate::analysis::Facts;
use crate::engine::{Proof, Statistics};
use crate::explicit::{Options, Verdict, search};
use crate::program::{Program, PropertyId};
use crate::witness::shorten::Budget;

/// Decides the properties of a program by visiting its states; `report` hears of each one as soon as it is decided.
pub fn check_explicitly(program: &Program, options: &Options, mut report: impl FnMut(&Finding)) -> Report {
    let start = Instant::now();
    let mut findings: Vec<Option<Finding>> = vec![None; program.properties.len()];
    let mut tell = |property: PropertyId, answer| {
        let finding = Finding { property, answer, decider: Decider::Explicit, after: start.elapsed() };
        report(&finding);
        findings[property.index()] = Some(finding);
    };
    let facts = Facts::new(program);
    // Proofs come all at once, when the last state has been visited.
    let mut proved = vec![];
    let mut outcome = search(&facts, options, &mut |property, verdict| match verdict {
        // As short as any, but for what random steps find in the end.
        Verdict::Reachable { inputs } => tell(property, Answer::of_run(&facts, property, inputs, &Budget::none())),
        Verdict::Unreachable { states } => proved.push((property, Proof::Exhausted { states })),
    });
    let visited = std::mem::take(&mut outcome.visited);
    let answers = certify::of_search(&facts, proved, &visited, options.keep, &options.interrupt);
    answers.into_iter().for_each(|(property, answer)| tell(property, answer));
    let all = (0..program.properties.len()).map(PropertyId::new);
    let wanted: Vec<PropertyId> = options.properties.clone().unwrap_or_else(|| all.collect());
    let findings = wanted.into_iter().map(|property| {
        let open = || Finding { property, answer: Answer::Unknown, decider: Decider::Nobody, after: start.elapsed() };
        findings[property.index()].take().unwrap_or_else(open)
    });
    Report {
        findings: findings.collect(),
        statistics: Statistics::default(),
        sizes: Sizes::default(),
        search: Some(outcome),
        abstraction: None,
        elapsed: start.elapsed(),
    }
}
