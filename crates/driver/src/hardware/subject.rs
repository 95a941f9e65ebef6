//! AIGER models in a ledger: how their traces are replayed, their witness circuits judged, and both written down.

use std::sync::Arc;

use super::certificate::Evidence;
use super::{Answer, ModelOptions, check};
use crate::base::{Interrupt, Limits};
use crate::certificate::Judgement;
use crate::circuit::aiger::{self, Model};
use crate::engine::{Engine, Statistics, Trace};
use crate::ledger::Subject;
use crate::program::PropertyId;
use crate::simplify::Simplified;
use crate::witness::shorten::{self, Budget};
use crate::witness::stamp;

/// Witness circuits with more gates than this are too long for a journal; their properties are proved anew.
const MOST_GATES: usize = 1_000_000;

/// The results of strategies besides verdicts.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The circuit that the engine worked on, if one did.
    pub simplified: Option<Arc<Simplified>>,
    pub statistics: Statistics,
}

impl Subject for Model {
    type Run = Trace;
    type Certificate = Evidence;
    type Account = Account;

    const NOUN: &'static str = "model";
    /// IC3's proofs are invariants, and they are kept.
    const BELIEVES_BARE_PROOFS: bool = false;

    fn properties(&self) -> usize {
        self.properties.len()
    }

    fn name(&self, property: PropertyId) -> &str {
        &self.properties[property.index()]
    }

    fn stamp(&self) -> String {
        stamp::circuit(&self.circuit)
    }

    /// Every position of a trace has inputs, the first one too.
    fn setup(&self) -> Option<(Vec<PropertyId>, Trace)> {
        None
    }

    fn replay(&self, property: PropertyId, run: &Trace) -> Option<Trace> {
        run.reaches(&self.circuit, property.index()).then(|| run.clone())
    }

    fn shorten(&self, property: PropertyId, run: Trace, budget: &Budget) -> Trace {
        shorten::trace(&self.circuit, property.index(), run, budget)
    }

    /// By bounded model checking, which asks for traces of one step, two steps and so on.
    fn shortest(
        &self,
        known: &[(PropertyId, Trace)],
        _memory: usize,
        limits: &Limits,
        report: &mut dyn FnMut(PropertyId, Trace),
    ) {
        let depth = known.iter().map(|(_, trace)| trace.inputs.len()).max();
        let mut properties: Vec<PropertyId> = known.iter().map(|(property, _)| *property).collect();
        properties.sort_unstable();
        let options = ModelOptions {
            engine: Engine::Bmc,
            limits: Limits { depth, per_property: None, ..limits.clone() },
            properties: Some(properties),
            shortening: Budget::none(),
            ..ModelOptions::default()
        };
        check(self, &options, |finding| {
            if let Answer::Reachable { run } = &finding.answer {
                report(finding.property, run.clone());
            }
        });
    }

    /// The properties that a witness circuit excludes are found when it is judged.
    fn excludes(&self, _certificate: &Evidence, _property: PropertyId) -> bool {
        true
    }

    fn judge(&self, certificate: &Evidence, properties: &[PropertyId], interrupt: &Interrupt) -> Judgement {
        let excluded: Vec<usize> = properties.iter().map(|property| property.index()).collect();
        crate::certificate::circuit::confirm(&self.circuit, &certificate.witness(self, &excluded), &excluded, interrupt)
    }

    /// The values of the latches at the start, and then of the inputs.
    fn run_to_numbers(&self, run: &Trace) -> Vec<Vec<i32>> {
        let values = std::iter::once(&run.initial).chain(&run.inputs);
        values.map(|values| values.iter().map(|&value| i32::from(value)).collect()).collect()
    }

    fn run_of_numbers(&self, numbers: &[Vec<i32>]) -> Option<Trace> {
        let mut values = numbers.iter().map(|numbers| numbers.iter().map(|&number| number != 0).collect());
        let trace = Trace { initial: values.next()?, inputs: values.collect() };
        let has_inputs = |inputs: &Vec<bool>| inputs.len() == self.circuit.inputs.len();
        let fits = trace.initial.len() == self.circuit.latches.len() && trace.inputs.iter().all(has_inputs);
        fits.then_some(trace)
    }

    fn certificate_to_text(&self, property: PropertyId, certificate: &Evidence) -> Option<String> {
        let witness = certificate.witness(self, &[property.index()]);
        if witness.gates.nodes().len() > MOST_GATES {
            return None;
        }
        let mut text = vec![];
        aiger::write(&mut text, &witness, aiger::Format::Ascii, "").ok()?;
        String::from_utf8(text).ok()
    }

    fn certificate_of_text(&self, text: &str) -> Option<Evidence> {
        aiger::read(text.as_bytes()).ok().map(|witness| Evidence::Witness(witness.circuit))
    }
}
