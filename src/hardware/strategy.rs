//! An engine on the simplified circuit of a model, and the way back to the model.

use std::sync::Arc;

use super::Options;
use super::certificate::Evidence;
use super::simplify::{Simplified, simplify};
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::certificate::{self, Checked};
use crate::circuit::aiger::Model;
use crate::engine::{Decision, Proof, Verdict};
use crate::ledger::{Ledger, Strategy, Subject};
use crate::program::PropertyId;

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
        let simplified = Arc::new(simplify(&circuit, options.passes, &limits.interrupt));
        ledger.account(|account| account.simplified = Some(Arc::clone(&simplified)));

        let mut hear = |decision: Decision| {
            let property = wanted[decision.property];
            match decision.verdict {
                Verdict::Open => {}
                Verdict::Unreachable(proof) => {
                    let checked = options.confirm.then(|| judged(model, &simplified, property, proof, limits));
                    ledger.proved(self.name(), property, proof.clone(), checked.flatten());
                }
                Verdict::Reachable(trace) => {
                    ledger.reached(self.name(), property, simplified.original_trace(trace));
                }
            }
        };
        let backend = options.backend.unwrap_or(options.engine.backend());
        let outcome = options.engine.check(&simplified.circuit, backend, limits, &mut hear);
        ledger.account(|account| account.statistics = outcome.statistics);
        Ok(())
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
