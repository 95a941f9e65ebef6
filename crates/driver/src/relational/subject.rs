//! Questions about a relational model in a ledger: how runs are replayed, and which certificates there are.

use std::collections::BTreeMap;

use super::execution::Execution;
use crate::base::Interrupt;
use crate::base::hash::sha256;
use crate::certificate::Judgement;
use crate::ledger::Subject;
use crate::program::PropertyId;
use crate::smv::model::{Kind, Meaning, Model, Specification};
use crate::words;

/// A model with its specifications.
pub struct Questions {
    pub model: Model,
}

/// Why a specification holds, or the number that it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// A witness circuit, which was judged where it was made.
    Circuit,
    /// A number of steps; none if it is infinite.
    Distance(Option<u64>),
}

/// The results of strategies besides verdicts.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// A run to a reachable state without successor, if one was looked for and found.
    pub deadlock: Option<Execution>,
    /// Whether no fair run begins anywhere, so that every formula holds.
    pub is_empty: bool,
    /// The number of nodes and the order of the diagrams that decided most.
    pub notes: BTreeMap<&'static str, String>,
}

impl Questions {
    pub fn specification(&self, property: PropertyId) -> &Specification {
        &self.model.specifications[property.index()]
    }

    /// The meaning of a specification that has one.
    pub fn meaning(&self, property: PropertyId) -> Option<&Meaning> {
        self.specification(property).meaning.as_ref().ok()
    }

    /// The specifications that have a meaning.
    pub fn meant(&self) -> Vec<PropertyId> {
        let all = (0..self.model.specifications.len()).map(PropertyId::new);
        all.filter(|&property| self.meaning(property).is_some()).collect()
    }
}

impl Subject for Questions {
    type Run = Execution;
    type Certificate = Certificate;
    type Account = Account;

    const NOUN: &'static str = "model";
    const BELIEVES_BARE_PROOFS: bool = true;

    fn properties(&self) -> usize {
        self.model.specifications.len()
    }

    fn name(&self, property: PropertyId) -> &str {
        &self.specification(property).name
    }

    /// Of its words and of all that is said of them.
    fn stamp(&self) -> String {
        let model = &self.model;
        let texts: Vec<&str> = model.specifications.iter().map(|specification| specification.text.as_str()).collect();
        let parts = (&model.initial, &model.invariants, &model.steps, &model.justice, &model.compassion, texts);
        let whole = model.of_infinite_runs().model;
        sha256(format!("{} {parts:?}", words::write(&whole)).as_bytes())
    }

    fn replay(&self, property: PropertyId, run: &Execution) -> Option<Execution> {
        let meaning = self.meaning(property)?;
        let run = run.clone().closed(&self.model);
        run.shows(&self.model, self.specification(property).kind, meaning).then_some(run)
    }

    fn excludes(&self, _: &Certificate, _: PropertyId) -> bool {
        true
    }

    fn judge(&self, certificate: &Certificate, _: &[PropertyId], _: &Interrupt) -> Judgement {
        Judgement::Undecided(match certificate {
            Certificate::Circuit => "its certificate was not kept".into(),
            Certificate::Distance(_) => "numbers of steps have no certificate".into(),
        })
    }

    /// Where it repeats, and the values step by step, bit by bit.
    fn run_to_numbers(&self, run: &Execution) -> Vec<Vec<i32>> {
        run.to_numbers()
    }

    fn run_of_numbers(&self, numbers: &[Vec<i32>]) -> Option<Execution> {
        Execution::of_numbers(&self.model, numbers)
    }

    fn certificate_to_text(&self, _: PropertyId, certificate: &Certificate) -> Option<String> {
        match certificate {
            Certificate::Circuit => None,
            Certificate::Distance(Some(steps)) => Some(steps.to_string()),
            Certificate::Distance(None) => Some("infinity".into()),
        }
    }

    fn certificate_of_text(&self, text: &str) -> Option<Certificate> {
        match text {
            "infinity" => Some(Certificate::Distance(None)),
            number => number.parse().ok().map(|steps| Certificate::Distance(Some(steps))),
        }
    }
}

impl Questions {
    /// Whether a specification asks for a number.
    pub fn asks_for_number(&self, property: PropertyId) -> bool {
        matches!(self.specification(property).kind, Kind::Minimum | Kind::Maximum)
    }
}
