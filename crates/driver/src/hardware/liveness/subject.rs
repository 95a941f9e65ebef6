//! Justice properties in a ledger: how lassos are replayed, certificates judged, and both written down.

use std::sync::Arc;

use super::certificate::Evidence;
use crate::base::Interrupt;
use crate::base::hash::sha256;
use crate::certificate::Judgement;
use crate::circuit::aiger::{self, Model};
use crate::circuit::liveness::Lasso;
use crate::circuit::{Bad, Circuit, Signal};
use crate::engine::Statistics;
use crate::ledger::Subject;
use crate::program::PropertyId;
use crate::simplify::Simplified;
use crate::witness::stamp;

/// Certificates with more gates than this are too long for a journal; their properties are proved anew.
const MOST_GATES: usize = 1_000_000;

/// A model, for its justice properties.
pub struct Liveness<'m> {
    pub model: &'m Model,
}

/// The results of strategies besides verdicts.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The simplified circuit of loops, if an engine worked on it.
    pub loops: Option<Arc<Simplified>>,
    pub statistics: Statistics,
}

/// The signals of each justice property, with those of fairness.
pub(super) fn recurring(model: &Model) -> Vec<Vec<Signal>> {
    (0..model.justice.len()).map(|property| model.recurring(property)).collect()
}

impl Subject for Liveness<'_> {
    type Run = Lasso;
    type Certificate = Evidence;
    type Account = Account;

    const NOUN: &'static str = "model";
    /// Proofs have certificates, and they are kept.
    const BELIEVES_BARE_PROOFS: bool = false;

    fn properties(&self) -> usize {
        self.model.justice.len()
    }

    fn name(&self, property: PropertyId) -> &str {
        &self.model.justice[property.index()].name
    }

    /// Of the circuit with all signals of all properties, and how many each one has.
    fn stamp(&self) -> String {
        let justice = recurring(self.model);
        let sizes: Vec<usize> = justice.iter().map(Vec::len).collect();
        let bad = justice.concat().into_iter().map(|signal| Bad { signal, name: String::new() }).collect();
        let circuit = Circuit { bad, ..self.model.circuit.clone() };
        sha256(format!("{} {sizes:?}", stamp::circuit(&circuit)).as_bytes())
    }

    fn replay(&self, property: PropertyId, run: &Lasso) -> Option<Lasso> {
        run.recurs(&self.model.circuit, &self.model.recurring(property.index())).then(|| run.clone())
    }

    /// The subject of a certificate is found when it is judged.
    fn excludes(&self, _: &Evidence, _: PropertyId) -> bool {
        true
    }

    fn judge(&self, certificate: &Evidence, properties: &[PropertyId], interrupt: &Interrupt) -> Judgement {
        let justice = recurring(self.model);
        for property in properties {
            let circuit = certificate.certificate(self.model, property.index());
            let judgement = crate::certificate::liveness::confirm(
                &self.model.circuit,
                &justice,
                property.index(),
                &circuit,
                interrupt,
            );
            if judgement != Judgement::Confirmed {
                return judgement;
            }
        }
        Judgement::Confirmed
    }

    /// Where the loop begins, then the values of the latches at the start and of the inputs.
    fn run_to_numbers(&self, run: &Lasso) -> Vec<Vec<i32>> {
        let mut numbers = vec![vec![i32::try_from(run.start).unwrap_or(i32::MAX)]];
        let values = std::iter::once(&run.initial).chain(&run.inputs);
        numbers.extend(values.map(|values| values.iter().map(|&value| i32::from(value)).collect::<Vec<_>>()));
        numbers
    }

    fn run_of_numbers(&self, numbers: &[Vec<i32>]) -> Option<Lasso> {
        let (start, values) = numbers.split_first()?;
        let start = usize::try_from(*start.first()?).ok()?;
        let mut values = values.iter().map(|numbers| numbers.iter().map(|&number| number != 0).collect());
        Some(Lasso { initial: values.next()?, inputs: values.collect(), start })
    }

    fn certificate_to_text(&self, property: PropertyId, certificate: &Evidence) -> Option<String> {
        let certificate = certificate.certificate(self.model, property.index());
        if certificate.gates.nodes().len() > MOST_GATES {
            return None;
        }
        let mut text = vec![];
        aiger::write(&mut text, &certificate, aiger::Format::Ascii, "").ok()?;
        String::from_utf8(text).ok()
    }

    fn certificate_of_text(&self, text: &str) -> Option<Evidence> {
        aiger::read(text.as_bytes()).ok().map(|certificate| Evidence::Certificate(certificate.circuit))
    }
}
