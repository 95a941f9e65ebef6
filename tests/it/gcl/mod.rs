//! The guarded-command language: the meaning of its constructs, its messages, the project's own models, random models,
//! and the commands that know it.

mod commands;
mod constants;
mod controllers;
mod deadlock;
mod diagnostics;
mod meaning;
mod problems;
mod random;
mod rich;
mod time;

use std::collections::BTreeMap;

use redoubt_base::Limits;
use redoubt_driver::check::{self, Answer, CheckOptions, Report};
use redoubt_engine::engine::Engine;
use redoubt_program::program::{Program, Status};

/// The status of every property that is not a mere lint, as an engine finds it; `None` if it does not decide it.
/// Runs are replayed.
fn statuses(program: &Program, engine: Engine, limits: Limits) -> BTreeMap<String, Option<Status>> {
    let options = CheckOptions { engine, limits, ..CheckOptions::default() };
    judged(program, check::check(program, &options, |_| {}).expect("the model is small"))
}

/// The same by explicit-state search.
fn searched(program: &Program) -> BTreeMap<String, Option<Status>> {
    judged(program, check::check_explicitly(program, &redoubt_states::explicit::SearchOptions::default(), |_| {}))
}

fn judged(program: &Program, report: Report) -> BTreeMap<String, Option<Status>> {
    let mut found = BTreeMap::new();
    for finding in &report.findings {
        let property = program.property(finding.property);
        let reachable = match &finding.answer {
            Answer::Reachable { run: inputs } => {
                let steps = check::reaches(program, inputs, finding.property);
                assert_eq!(steps, Some(inputs.len()), "{}: {}", program.name, property.name);
                Some(true)
            }
            Answer::Unreachable { .. } => Some(false),
            Answer::Unknown(_) => None,
            Answer::Withdrawn { claim: inputs, .. } => {
                panic!("{}: {}: no run: {inputs:?}", program.name, property.name)
            }
        };
        found.insert(property.name.clone(), reachable.map(|reachable| property.kind.status(reachable)));
    }
    found
}
