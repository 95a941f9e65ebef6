//! Formulas in a ledger: how runs that violate them are replayed and written down.

use std::sync::Arc;

use super::lasso::Lasso;
use super::specification::Specification;
use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::base::hash::sha256;
use crate::certificate::Judgement;
use crate::certificate::temporal::{self, Question, Temporal};
use crate::ledger::Subject;
use crate::program::PropertyId;
use crate::witness::stamp;

/// A program and formulas about it.
pub struct Formulas<'f, 'p> {
    pub facts: &'f Facts<'p>,
    pub specification: &'f Specification,
    /// Whether to give reasons why formulas hold.
    pub certify: bool,
}

/// A certificate that takes more bytes than this is too long for a journal; its formulas are proved anew.
const MOST_BYTES: usize = 1 << 20;

/// The results of deciding formulas besides verdicts.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Nodes and edges of the machine that was found, and of the reduced one.
    pub found: Option<(usize, usize)>,
    pub reduced: Option<(usize, usize)>,
    /// The explorer that found it, and after how many seconds.
    pub explorer: Option<(&'static str, f64)>,
    /// Why others did not.
    pub notes: Vec<String>,
}

impl Subject for Formulas<'_, '_> {
    type Run = Lasso;
    type Certificate = Temporal;
    type Account = Account;

    const NOUN: &'static str = "program";
    /// Where states are very many there are no certificates.
    const BELIEVES_BARE_PROOFS: bool = true;

    fn properties(&self) -> usize {
        self.specification.formulas().len()
    }

    fn name(&self, property: PropertyId) -> &str {
        &self.specification.names()[property.index()]
    }

    fn stamp(&self) -> String {
        sha256((stamp::program(self.facts.program) + &self.specification.stamp()).as_bytes())
    }

    /// The run is one of the program, and the formula is false on it.
    fn replay(&self, property: PropertyId, run: &Lasso) -> Option<Lasso> {
        let (run, word) = run.replay(self.facts, &self.specification.mapping)?;
        let formula = &self.specification.get(property).formula;
        (!formula.holds_on(&word.letters(formula))).then_some(run)
    }

    fn excludes(&self, certificate: &Temporal, property: PropertyId) -> bool {
        certificate.formula == self.name(property)
    }

    fn judge(&self, certificate: &Temporal, properties: &[PropertyId], interrupt: &Interrupt) -> Judgement {
        let Specification { mapping, .. } = self.specification;
        let graph = match temporal::graph(self.facts.program, &certificate.machine, mapping, interrupt) {
            Ok(graph) => graph,
            Err(judgement) => return judgement,
        };
        let judge = |&property: &PropertyId| {
            let formula = &self.specification.get(property).formula;
            let question = Question::of_names(&graph, formula);
            temporal::confirm(&graph, &question, &certificate.ranking, interrupt)
        };
        let judged = properties.iter().map(judge);
        judged.into_iter().find(|judgement| *judgement != Judgement::Confirmed).unwrap_or(Judgement::Confirmed)
    }

    /// The length of the stem, then all steps.
    fn run_to_numbers(&self, run: &Lasso) -> Vec<Vec<i32>> {
        let mut numbers = vec![vec![i32::try_from(run.stem.len()).unwrap_or(i32::MAX)]];
        numbers.extend(run.unrolled(1));
        numbers
    }

    fn run_of_numbers(&self, numbers: &[Vec<i32>]) -> Option<Lasso> {
        let (length, steps) = numbers.split_first()?;
        let length = usize::try_from(*length.first()?).ok()?;
        let (stem, cycle) = steps.split_at_checked(length)?;
        Some(Lasso { stem: stem.to_vec(), cycle: cycle.to_vec(), boxes: vec![] })
    }

    fn certificate_to_text(&self, _: PropertyId, certificate: &Temporal) -> Option<String> {
        let Temporal { formula, machine, ranking } = certificate;
        let text = temporal::text::write(self.facts.program, machine, [(&**formula, ranking)]);
        (text.len() <= MOST_BYTES).then_some(text)
    }

    fn certificate_of_text(&self, text: &str) -> Option<Temporal> {
        let (machine, mut formulas) = temporal::text::read(self.facts.program, text).ok()?;
        let (formula, ranking) = formulas.pop()?;
        Some(Temporal { formula, machine: Arc::new(machine), ranking })
    }
}
