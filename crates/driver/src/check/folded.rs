//! Properties that passes prove alone: those whose condition is false as soon as constant variables are numbers, and
//! variables that are always equal are one. So programs that were made of two that are alike need no engine.

use std::sync::Arc;

use super::CheckOptions;
use super::shared::Share;
use crate::analysis::Facts;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::blast::blast_within;
use crate::certificate::{Checked, Fact};
use crate::certify::certifier::Certifier;
use crate::certify::derive::{Derived, Deriver, Exact};
use crate::engine::{Invariant, Proof};
use crate::ledger::{Ledger, Strategy};
use crate::program::{Place, Program, PropertyId, Scope};
use crate::system::passes::{self, Passed, Passes};

pub(super) struct Folded<'o> {
    pub(super) options: &'o CheckOptions,
    pub(super) system: Share<'o>,
}

impl Strategy<Facts<'_>> for Folded<'_> {
    fn name(&self) -> &'static str {
        "passes"
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let program = ledger.subject().program;
        limits.progress.level(Stage::Encoding, 0);
        let passed = self.system.get(ledger.subject(), &limits.interrupt)?;
        let is_false = |property: &PropertyId| {
            let system = &passed.system;
            system.exprs.as_bool(system.properties[property.index()].condition) == Some(false)
        };
        let proved: Vec<PropertyId> = ledger.open().into_iter().filter(is_false).collect();
        if proved.is_empty() {
            return Ok(());
        }
        // Nothing else of the system is needed: the passes' reasons are all of the proof.
        let Passed { mut system, reasons, savings } = Arc::unwrap_or_clone(passed);
        let never = system.exprs.bool(false);
        system.properties.iter_mut().for_each(|property| property.condition = never);
        (system.stop, system.constraints) = (never, vec![]);
        let Passed { system, .. } = passes::run(system, Passes { cone: true, ..Passes::NONE }, &limits.interrupt);
        let passed = Passed { system, reasons, savings };
        let blasted = blast_within(&passed.system, self.options.width, &limits.interrupt)?;
        let derived = Derived { passed: &passed, blasted: &blasted };
        let certifier = |facts| Certifier::new(program, Deriver::new(derived, &Exact, facts));
        let (mut of_twins, mut plain) = (certifier(self.locals(program)), certifier(vec![]));
        let proof = Proof::Invariant(Invariant::default());
        for property in proved {
            let certify = |certifier: &mut Certifier| {
                let confirm = self.options.confirm.then_some(&limits.interrupt);
                confirm.and_then(|interrupt| certifier.certify(property, &proof, interrupt))
            };
            // The equality of locals is an unproved assumption; if it is not true, the proof stands without it.
            let checked = certify(&mut of_twins).filter(Checked::is_confirmed).or_else(|| certify(&mut plain));
            ledger.proved(self.name(), property, proof.clone(), checked);
        }
        Ok(())
    }
}

impl Folded<'_> {
    /// The facts that twins that only live within a step are equal between steps: this does not matter, but makes the
    /// checker's way through the two the same.
    fn locals(&self, program: &Program) -> Vec<Fact> {
        let is_local =
            |place: &Place| place.variable().is_some_and(|variable| program.variable(variable).scope == Scope::Local);
        let twins = self.options.twins.iter().filter(|(one, other)| is_local(one) && is_local(other));
        twins.map(|&(one, other)| Fact::Equal(one, other)).collect()
    }
}
