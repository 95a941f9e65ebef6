//! Verdicts by explicit-state search: no circuit in between, but witnesses are replayed all the same.

use std::time::Instant;

use super::{Answer, Decider, Finding, Report, Sizes};
use crate::engine::{Proof, Statistics};
use crate::explicit::{Options, Verdict, search};
use crate::program::{Program, PropertyId};
use crate::witness::shorten::Budget;

/// Decides the properties of a program by visiting its states; `report` hears of each one as soon as it is decided.
pub fn check_explicitly(program: &Program, options: &Options, mut report: impl FnMut(&Finding)) -> Report {
    let start = Instant::now();
    let mut findings: Vec<Option<Finding>> = vec![None; program.properties.len()];
    let outcome = search(program, options, &mut |property, verdict| {
        let finding = Finding {
            property,
            answer: answer(program, property, verdict),
            decider: Decider::Explicit,
            after: start.elapsed(),
        };
        report(&finding);
        findings[property.index()] = Some(finding);
    });
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

fn answer(program: &Program, property: PropertyId, verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Unreachable { states } => Answer::Unreachable { proof: Proof::Exhausted { states } },
        // As short as any, but for what random steps find in the end.
        Verdict::Reachable { inputs } => Answer::of_run(program, property, inputs, &Budget::none()),
    }
}
