//! Engines on the simplified model and on its loops, and the way back to the model.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::super::ModelOptions;
use super::certificate::Evidence;
use super::subject::{Liveness, recurring};
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::certificate::{self, Checked};
use crate::circuit::aiger::Model;
use crate::circuit::liveness::{Lasso, Loops, watched};
use crate::circuit::{Bad, Circuit, Signal};
use crate::engine::recurrence::{self, Found, Recurrence};
use crate::engine::{Decision, Proof, Trace, Verdict};
use crate::ledger::{Ledger, Strategy, Subject};
use crate::program::PropertyId;
use crate::sat::Backend;
use crate::simplify::{Simplified, simplify};

/// The data that lanes share; the first one makes it.
pub(super) struct Preparation<'o> {
    options: &'o ModelOptions,
    prepared: OnceLock<Prepared>,
}

struct Prepared {
    wanted: Vec<PropertyId>,
    /// The model, and the signals of each wanted property in it.
    model: Arc<Simplified>,
    justice: Vec<Vec<Signal>>,
    /// The circuit of all loops, and the part of it for the wanted properties.
    loops: Loops,
    simplified_loops: Arc<Simplified>,
}

impl<'o> Preparation<'o> {
    pub(super) fn new(options: &'o ModelOptions) -> Self {
        Preparation { options, prepared: OnceLock::new() }
    }

    fn backend(&self) -> Backend {
        self.options.backend.unwrap_or(self.options.engine.backend())
    }

    fn get(&self, ledger: &Ledger<Liveness>, limits: &Limits) -> &Prepared {
        self.prepared.get_or_init(|| {
            limits.progress.level(Stage::Encoding, 0);
            let prepared = Prepared::new(ledger.subject().model, ledger.open(), self.options, limits);
            ledger.account(|account| account.loops = Some(Arc::clone(&prepared.simplified_loops)));
            prepared
        })
    }
}

impl Prepared {
    fn new(model: &Model, wanted: Vec<PropertyId>, options: &ModelOptions, limits: &Limits) -> Prepared {
        let simplified = |circuit: &Circuit| Arc::new(simplify(circuit, options.passes, &limits.interrupt));
        // Signals of wanted properties are kept as if they were properties themselves.
        let signals: Vec<Vec<Signal>> = wanted.iter().map(|property| model.recurring(property.index())).collect();
        let bad = signals.concat().into_iter().map(|signal| Bad { signal, name: String::new() }).collect();
        let small = simplified(&Circuit { bad, ..model.circuit.clone() });
        let mut kept = small.circuit.bad.iter().map(|bad| bad.signal);
        let justice = signals.iter().map(|signals| kept.by_ref().take(signals.len()).collect()).collect();

        let loops = Loops::new(&model.circuit, &recurring(model));
        let mut of_wanted = loops.circuit.clone();
        of_wanted.bad = wanted.iter().map(|property| loops.circuit.bad[property.index()].clone()).collect();
        Prepared { wanted, model: small, justice, simplified_loops: simplified(&of_wanted), loops }
    }

    /// The lasso of the model that a run of the simplified circuit of loops stands for.
    fn lasso(&self, trace: &Trace) -> Lasso {
        self.loops.lasso(&self.simplified_loops.original_trace(trace))
    }

    /// The lasso of the model that one of the simplified model stands for. A latch may return later than its
    /// substitute, and then the loop is longer; `None` if it is too long.
    fn original(&self, lasso: &Lasso, model: &Model, signals: &[Signal]) -> Option<Lasso> {
        let trace = Trace { initial: lasso.initial.clone(), inputs: lasso.inputs.clone() };
        let Trace { initial, inputs } = self.model.original_trace(&trace);
        Lasso { initial, inputs, start: lasso.start }.closed(&model.circuit, &watched(&model.circuit, signals))
    }
}

/// One lane of a run on a model.
struct Lane<'l, 's, 'm> {
    name: &'static str,
    ledger: &'l Ledger<'s, Liveness<'m>>,
    limits: &'l Limits,
    confirm: bool,
    prepared: &'l Prepared,
}

impl Lane<'_, '_, '_> {
    fn is_settled(&self, place: usize) -> bool {
        self.ledger.settled()[self.prepared.wanted[place].index()].load(Ordering::Relaxed)
    }

    /// Hands in a proof with the judgement on it.
    fn proved(&self, property: PropertyId, proof: Proof, evidence: Evidence) {
        let checked = self.confirm.then(|| {
            let judgement =
                self.ledger.subject().judge(&evidence, &[property], &certificate::share(&self.limits.interrupt));
            Checked { certificate: Arc::new(evidence), judgement }
        });
        self.ledger.proved(self.name, property, proof, checked);
    }

    fn hear(&self, decision: Decision) {
        let property = self.prepared.wanted[decision.property];
        match decision.verdict {
            Verdict::Open => {}
            Verdict::Reachable(trace) => self.ledger.reached(self.name, property, self.prepared.lasso(trace)),
            Verdict::Unreachable(proof @ Proof::Invariant(invariant)) => {
                let simplified = Arc::clone(&self.prepared.simplified_loops);
                self.proved(property, proof.clone(), Evidence::Loops { simplified, invariant: invariant.clone() });
            }
            Verdict::Unreachable(proof) => self.ledger.proved(self.name, property, proof.clone(), None),
        }
    }

    /// Whether the answer is one for the model, too.
    fn hear_recurrence(&self, place: usize, answer: Recurrence) -> bool {
        let property = self.prepared.wanted[place];
        match answer {
            Recurrence::Impossible(layers) => {
                let simplified = Arc::clone(&self.prepared.model);
                self.proved(property, Proof::Layers(layers.clone()), Evidence::Layers { simplified, layers });
            }
            Recurrence::Possible(lasso) => {
                let model = self.ledger.subject().model;
                let original = self.prepared.original(&lasso, model, &model.recurring(property.index()));
                let Some(lasso) = original else { return false };
                self.ledger.reached(self.name, property, lasso);
            }
        }
        true
    }
}

/// rlive and bounded model checking.
pub(super) struct InTurns<'o>(pub(super) &'o Preparation<'o>);

impl Strategy<Liveness<'_>> for InTurns<'_> {
    fn name(&self) -> &'static str {
        "rlive"
    }

    fn run(&self, ledger: &Ledger<Liveness>, limits: &Limits) -> Result<(), Ended> {
        let prepared = self.0.get(ledger, limits);
        ledger.let_others_begin();
        let lane = |name| Lane { name, ledger, limits, confirm: self.0.options.confirm, prepared };
        let (rlive, bmc) = (lane(self.name()), lane("bmc"));
        let statistics = recurrence::in_turns(
            &prepared.model.circuit,
            &prepared.justice,
            &prepared.simplified_loops.circuit,
            self.0.backend(),
            limits,
            &|place| rlive.is_settled(place),
            &mut |place, found| match found {
                Found::Recurrence(answer) => rlive.hear_recurrence(place, answer),
                Found::Closed(trace) => {
                    bmc.hear(Decision { property: place, verdict: &Verdict::Reachable(trace) });
                    true
                }
            },
        );
        ledger.account(|account| account.statistics.add(&statistics));
        Ok(())
    }
}

/// IC3 on the circuit of loops.
pub(super) struct ByIc3<'o>(pub(super) &'o Preparation<'o>);

impl Strategy<Liveness<'_>> for ByIc3<'_> {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn run(&self, ledger: &Ledger<Liveness>, limits: &Limits) -> Result<(), Ended> {
        let prepared = self.0.get(ledger, limits);
        let lane = Lane { name: self.name(), ledger, limits, confirm: self.0.options.confirm, prepared };
        let circuit = &prepared.simplified_loops.circuit;
        let settled = |place: usize| lane.is_settled(place);
        let statistics =
            recurrence::by_ic3(circuit, self.0.backend(), limits, &settled, &mut |decision| lane.hear(decision));
        ledger.account(|account| account.statistics.add(&statistics));
        Ok(())
    }
}

/// The one engine that was asked for, on the circuit of loops.
pub(super) struct OnLoops<'o>(pub(super) &'o Preparation<'o>);

impl Strategy<Liveness<'_>> for OnLoops<'_> {
    fn name(&self) -> &'static str {
        self.0.options.engine.name()
    }

    fn run(&self, ledger: &Ledger<Liveness>, limits: &Limits) -> Result<(), Ended> {
        let (prepared, options) = (self.0.get(ledger, limits), self.0.options);
        let lane = Lane { name: self.name(), ledger, limits, confirm: options.confirm, prepared };
        let (circuit, backend) = (&prepared.simplified_loops.circuit, self.0.backend());
        let outcome = options.engine.check(circuit, backend, limits, &mut |decision| lane.hear(decision));
        ledger.account(|account| account.statistics.add(&outcome.statistics));
        Ok(())
    }
}
