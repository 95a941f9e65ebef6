//! Programs in a ledger: how their runs are replayed, their certificates judged, and both written down.

use super::{Sizes, reaches, shortest};
use crate::analysis::Facts;
use crate::base::{Interrupt, Limits};
use crate::certificate::{self, Certificate, Judgement};
use crate::engine::Statistics;
use crate::explicit::Outcome;
use crate::ledger::Subject;
use crate::program::PropertyId;
use crate::witness::replay::forbidden;
use crate::witness::shorten::{self, Budget};
use crate::witness::{Run, stamp};

/// The results of strategies besides verdicts.
#[derive(Clone, Debug, Default)]
pub struct Account {
    pub statistics: Statistics,
    pub sizes: Sizes,
    pub search: Option<Outcome>,
    pub abstraction: Option<crate::abstraction::Statistics>,
}

impl Subject for Facts<'_> {
    type Run = Run;
    type Certificate = Certificate;
    type Account = Account;

    const NOUN: &'static str = "program";
    /// A search of many states has no certificate, and takes long.
    const BELIEVES_BARE_PROOFS: bool = true;

    fn properties(&self) -> usize {
        self.program.properties.len()
    }

    fn bounds(&self) -> Vec<PropertyId> {
        let all = (0..self.program.properties.len()).map(PropertyId::new);
        let is_bound = |property: &PropertyId| {
            use crate::program::PropertyKind::{OutOfMemoryModel, RecursionTooDeep};
            matches!(self.program.property(*property).kind, OutOfMemoryModel | RecursionTooDeep)
        };
        all.filter(is_bound).collect()
    }

    fn name(&self, property: PropertyId) -> &str {
        &self.program.property(property).name
    }

    fn stamp(&self) -> String {
        stamp::program(self.program)
    }

    /// Properties that the setup reaches need no step, and there may be none that the assumptions allow.
    fn setup(&self) -> Option<(Vec<PropertyId>, Run)> {
        let opening = Facts::setup(self).opening();
        let all = (0..self.program.properties.len()).map(PropertyId::new);
        Some((all.filter(|&property| opening.reaches(property)).collect(), vec![]))
    }

    fn replay(&self, property: PropertyId, run: &Run) -> Option<Run> {
        if run.iter().any(|inputs| forbidden(self.program, inputs).is_some()) {
            return None;
        }
        reaches(self.program, run, property).map(|steps| run[..steps].to_vec())
    }

    fn shorten(&self, property: PropertyId, run: Run, budget: &Budget) -> Run {
        shorten::run(self, property, run, budget)
    }

    fn shortest(
        &self,
        known: &[(PropertyId, Run)],
        memory: usize,
        limits: &Limits,
        report: &mut dyn FnMut(PropertyId, Run),
    ) {
        shortest::runs(self, known, memory, &limits.interrupt, report);
    }

    fn excludes(&self, certificate: &Certificate, property: PropertyId) -> bool {
        certificate.excluded.contains(&property)
    }

    fn judge(&self, certificate: &Certificate, _properties: &[PropertyId], interrupt: &Interrupt) -> Judgement {
        certificate::confirm(self.program, certificate, interrupt).1
    }

    fn run_to_numbers(&self, run: &Run) -> Vec<Vec<i32>> {
        run.clone()
    }

    fn run_of_numbers(&self, numbers: &[Vec<i32>]) -> Option<Run> {
        Some(numbers.to_vec())
    }

    fn certificate_to_text(&self, _property: PropertyId, certificate: &Certificate) -> Option<String> {
        Some(certificate::text::write(self.program, [certificate]))
    }

    fn certificate_of_text(&self, text: &str) -> Option<Certificate> {
        certificate::text::read(self.program, text).ok()?.pop()
    }
}
