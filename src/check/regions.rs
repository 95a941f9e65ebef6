//! Verdicts by exploring the abstraction into regions, and nothing else.

use std::time::Instant;

use super::{Answer, Decider, Finding, Options, Report, Sizes};
use crate::abstraction::{Found, Order, explore};
use crate::analysis::Facts;
use crate::base::Ended;
use crate::engine::Statistics;
use crate::program::{Program, PropertyId};

/// Decides the properties of a program by exploring its abstraction; `report` hears of each one as soon as it is decided.
pub fn check_regions(program: &Program, options: &Options, mut report: impl FnMut(&Finding)) -> Result<Report, Ended> {
    let start = Instant::now();
    let all = (0..program.properties.len()).map(PropertyId::new);
    let wanted: Vec<PropertyId> = options.properties.clone().unwrap_or_else(|| all.collect());
    let mut findings: Vec<Option<Finding>> = vec![None; program.properties.len()];
    let facts = Facts::new(program);
    let order = Order { wanted: &wanted, limits: &options.limits, settled: None, confirm: options.confirm };
    let mut hear = |property: PropertyId, found: Found| {
        let answer = match found {
            Found::Unreachable(proof, checked) => Answer::of_proof(proof, checked),
            Found::Reachable(inputs) => Answer::of_run(&facts, property, inputs, &options.shortening),
        };
        let finding = Finding { property, answer, decider: Decider::Regions, after: start.elapsed() };
        report(&finding);
        findings[property.index()] = Some(finding);
    };
    let statistics = explore::explore(&facts, &order, &mut hear, &|| {})?;
    let unknown =
        |property| Finding { property, answer: Answer::Unknown, decider: Decider::Nobody, after: start.elapsed() };
    let findings =
        wanted.iter().map(|&property| findings[property.index()].take().unwrap_or_else(|| unknown(property))).collect();
    Ok(Report {
        findings,
        statistics: Statistics::default(),
        sizes: Sizes::default(),
        search: None,
        abstraction: Some(statistics),
        elapsed: start.elapsed(),
    })
}
