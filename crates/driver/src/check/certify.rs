//! Proofs to certificates that were checked, at the moment a proof is found.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Answer, CheckOptions, Claim, Finding, check};
use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::base::Limits;
use crate::certificate::{self, Checked, Judgement};
use crate::claims;
use crate::engine::{Engine, Proof};
use crate::explicit;
use crate::program::{Program, PropertyId};

/// The judgement on proofs of a search that visited all states of a program. If the states give no certificate that is
/// confirmed, IC3 is asked for another reason, unless other strategies may find one, and its certificate counts.
pub fn of_search(
    facts: &Facts,
    proved: Vec<(PropertyId, Proof)>,
    visited: Option<&[i32]>,
    confirm: bool,
    asks_others: bool,
    interrupt: &Interrupt,
) -> Vec<(PropertyId, Answer)> {
    if !confirm {
        return proved.into_iter().map(|(property, proof)| (property, Answer::of_proof(proof, None))).collect();
    }
    let excluded: Vec<PropertyId> = proved.iter().map(|(property, _)| *property).collect();
    let checked = visited.and_then(|visited| of_visited(facts, excluded.clone(), visited, interrupt));
    let is_settled = checked.as_ref().is_some_and(|checked| !matches!(checked.judgement, Judgement::Undecided(_)));
    let mut others =
        if is_settled || !asks_others { BTreeMap::new() } else { second_opinion(facts.program, excluded, interrupt) };
    let answer = |(property, proof)| {
        let own = Answer::of_proof(proof, checked.clone());
        (property, others.remove(&property).unwrap_or(own))
    };
    proved.into_iter().map(answer).collect()
}

/// The answer of IC3 about properties that were proved in another way: certificates that are confirmed, or that the
/// proof was wrong.
fn second_opinion(
    program: &Program,
    properties: Vec<PropertyId>,
    interrupt: &Interrupt,
) -> BTreeMap<PropertyId, Answer> {
    if properties.is_empty() {
        return BTreeMap::new();
    }
    let limits = Limits { interrupt: certificate::share(interrupt), ..Limits::default() };
    let options = CheckOptions { engine: Engine::Ic3, limits, properties: Some(properties), ..CheckOptions::default() };
    let findings = check(program, &options, |_| {}).map_or(vec![], |report| report.findings);
    let opinion = |finding: Finding| {
        let is_confirmed = finding.is_confirmed();
        let answer = match finding.answer {
            Answer::Reachable { run } => {
                let reason = "the program has a run to what was proved unreachable".into();
                Answer::Withdrawn { claim: Claim::Run(run), reason }
            }
            answer @ Answer::Unreachable { .. } if is_confirmed => answer,
            _ => return None,
        };
        Some((finding.property, answer))
    };
    findings.into_iter().filter_map(opinion).collect()
}

/// The certificate of a search that visited all states of a program, checked. There is none for tables that are
/// written, or for very many states.
fn of_visited(facts: &Facts, excluded: Vec<PropertyId>, visited: &[i32], interrupt: &Interrupt) -> Option<Checked> {
    let program = facts.program;
    if excluded.is_empty() || visited.len() > explicit::MOST_KEPT || program.tables.iter().any(|table| table.written) {
        return None;
    }
    let flow = facts.flow(interrupt).ok()?;
    let variables = explicit::state_variables(facts);
    // The values of each variable, and the states by their numbers.
    let mut values: Vec<Vec<i32>> = vec![vec![]; variables.len()];
    for row in visited.chunks(variables.len().max(1)) {
        values.iter_mut().zip(row).for_each(|(values, &value)| values.push(value));
    }
    for values in &mut values {
        values.sort_unstable();
        values.dedup();
    }
    let number = |(index, &value): (usize, &i32)| {
        let column = index % variables.len();
        values[column].binary_search(&value).expect("the value was listed") as i32
    };
    let numbers: Vec<i32> = visited.iter().enumerate().map(number).collect();
    let interval = |variable, number: u32| {
        let column = variables.iter().position(|&other| other == variable).expect("a variable of the state");
        let value = values[column][number as usize];
        (value, value)
    };
    let certificate = claims::visited::certificate(&flow, excluded, &variables, &numbers, interval);
    let (_, judgement) = certificate::confirm(program, &certificate, &certificate::share(interrupt));
    Some(Checked { certificate: Arc::new(certificate), judgement })
}
