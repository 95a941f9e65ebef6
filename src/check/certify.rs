//! Proofs to certificates that were checked, at the moment a proof is found.

use std::sync::Arc;

use super::Answer;
use crate::analysis::flow;
use crate::certificate::{self, Certificate, Checked, Judgement, execute};
use crate::engine::Proof;
use crate::explicit;
use crate::program::{Program, PropertyId};
use crate::sat::Interrupt;

/// Visited states with more numbers than this are not written as a certificate.
const MOST_NUMBERS: usize = 20_000_000;

impl Answer {
    /// What a proof is worth: one whose certificate is refuted is withdrawn.
    pub(super) fn of_proof(proof: Proof, checked: Option<Checked>) -> Answer {
        match checked {
            Some(Checked { judgement: Judgement::Refuted(reason), certificate }) => {
                Answer::Withdrawn { inputs: vec![], reason, certificate: Some(certificate) }
            }
            checked => Answer::Unreachable { proof, checked },
        }
    }
}

/// The certificate of a search that visited all states of a program, checked. There is none for tables that are
/// written, or for very many states.
pub fn of_visited(
    program: &Program,
    excluded: Vec<PropertyId>,
    visited: &[i32],
    interrupt: &Interrupt,
) -> Option<Checked> {
    if excluded.is_empty() || visited.len() > MOST_NUMBERS || program.tables.iter().any(|table| table.written) {
        return None;
    }
    let flow = flow::analyse(program).ok()?;
    let variables = explicit::state_variables(program);
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
    let certificate = Certificate::of_visited(&flow, excluded, &variables, &numbers, interval);
    let judgement = execute::confirm(program, &certificate, &certificate::share(interrupt));
    Some(Checked { certificate: Arc::new(certificate), judgement })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_whose_certificate_is_refuted_is_withdrawn() {
        let proof = Proof::Exhausted { states: 3 };
        let checked = |judgement| Some(Checked { certificate: Arc::new(Certificate::default()), judgement });
        let refuted = Answer::of_proof(proof.clone(), checked(Judgement::Refuted("a step leads out".into())));
        assert!(matches!(refuted, Answer::Withdrawn { reason, .. } if reason == "a step leads out"));
        for judgement in [Judgement::Confirmed, Judgement::Undecided("time is up".into())] {
            let answer = Answer::of_proof(proof.clone(), checked(judgement));
            assert!(matches!(answer, Answer::Unreachable { .. }));
        }
    }
}
