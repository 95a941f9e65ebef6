//! An engine on the simplified circuit of a model, and the way back to the model.

use std::sync::Arc;

use super::Options;
use super::certificate::Evidence;
use super::simplify::{Passes, Simplified, simplify};
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::certificate::{self, Checked};
use crate::circuit::Circuit;
use crate::circuit::aiger::Model;
use crate::engine::{Decision, Engine, Outcome, Proof, Statistics, Verdict, ic3};
use crate::ledger::{Ledger, Strategy, Subject};
use crate::program::PropertyId;

/// Propagations of the glance before the sweep, a fraction of a second.
const GLANCE: u64 = 1_000_000;

pub(super) struct OnModel<'o> {
    pub(super) options: &'o Options,
}

impl Strategy<Model> for OnModel<'_> {
    fn name(&self) -> &'static str {
        self.options.engine.name()
    }

    fn run(&self, ledger: &Ledger<Model>, limits: &Limits) -> Result<(), Ended> {
        let (model, options, wanted) = (ledger.subject(), self.options, ledger.open());
        limits.progress.level(Stage::Encoding, 0);
        let mut circuit = model.circuit.clone();
        circuit.bad = wanted.iter().map(|property| model.circuit.bad[property.index()].clone()).collect();
        let backend = options.backend.unwrap_or(options.engine.backend());
        let mut simplified = simplify(&circuit, Passes { equivalence: false, ..options.passes }, &limits.interrupt);
        let mut statistics = Statistics::default();
        if self.glances() && wanted.len() == 1 {
            let shared = Arc::new(simplified);
            let outcome = self.on(ledger, limits, &shared, &wanted, |circuit, hear| {
                ic3::glance(circuit, backend, limits, GLANCE, hear)
            });
            if !outcome.verdicts[0].is_open() {
                return Ok(());
            }
            statistics = outcome.statistics;
            simplified = Arc::unwrap_or_clone(shared);
        }
        simplified.run(Passes { equivalence: options.passes.equivalence, ..Passes::NONE }, &limits.interrupt);
        let outcome = self.on(ledger, limits, &Arc::new(simplified), &wanted, |circuit, hear| {
            options.engine.check(circuit, backend, limits, hear)
        });
        statistics.add(&outcome.statistics);
        ledger.account(|account| account.statistics = statistics);
        Ok(())
    }
}

impl OnModel<'_> {
    /// Whether IC3 looks at the model before the sweep, if it has one property: easy ones take less than that. With several
    /// properties the invariants of all are about one circuit.
    fn glances(&self) -> bool {
        self.options.passes.equivalence && matches!(self.options.engine, Engine::Portfolio | Engine::Ic3)
    }

    /// Lets an engine work on the simplified circuit.
    fn on(
        &self,
        ledger: &Ledger<Model>,
        limits: &Limits,
        simplified: &Arc<Simplified>,
        wanted: &[PropertyId],
        check: impl FnOnce(&Circuit, &mut dyn FnMut(Decision)) -> Outcome,
    ) -> Outcome {
        ledger.account(|account| account.simplified = Some(Arc::clone(simplified)));
        let mut hear = |decision: Decision| self.hear(ledger, limits, simplified, wanted, decision);
        let outcome = check(&simplified.circuit, &mut hear);
        ledger.account(|account| account.statistics = outcome.statistics.clone());
        outcome
    }

    /// Hands in what an engine found out about the simplified circuit.
    fn hear(
        &self,
        ledger: &Ledger<Model>,
        limits: &Limits,
        simplified: &Arc<Simplified>,
        wanted: &[PropertyId],
        decision: Decision,
    ) {
        let property = wanted[decision.property];
        match decision.verdict {
            Verdict::Open => {}
            Verdict::Unreachable(proof) => {
                let model = ledger.subject();
                let checked = self.options.confirm.then(|| judged(model, simplified, property, proof, limits));
                ledger.proved(self.name(), property, proof.clone(), checked.flatten());
            }
            Verdict::Reachable(trace) => ledger.reached(self.name(), property, simplified.original_trace(trace)),
        }
    }
}

/// The evidence that a proof gives, and what it is worth. Only invariants, of clauses or not, give any.
fn judged(
    model: &Model,
    simplified: &Arc<Simplified>,
    property: PropertyId,
    proof: &Proof,
    limits: &Limits,
) -> Option<Checked<Evidence>> {
    let simplified = Arc::clone(simplified);
    let evidence = match proof {
        Proof::Invariant(invariant) => Evidence::Invariant { simplified, invariant: invariant.clone() },
        Proof::Set(set) => Evidence::Set { simplified, set: set.clone() },
        _ => return None,
    };
    let judgement = model.judge(&evidence, &[property], &certificate::share(&limits.interrupt));
    Some(Checked { certificate: Arc::new(evidence), judgement })
}
