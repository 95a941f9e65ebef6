//! An engine on the simplified circuit of a model, and the way back to the model.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::ModelOptions;
use super::certificate::{Builder, Evidence};
use super::simplify::{Passes, Simplified, simplify};
use crate::base::progress::Stage;
use crate::base::{Ended, Interrupt, Limits};
use crate::certificate::circuit::Inductive;
use crate::certificate::{self, Checked, Judgement};
use crate::circuit::Circuit;
use crate::circuit::aiger::Model;
use crate::engine::{Decision, Engine, Invariant, Outcome, Proof, Statistics, Verdict, ic3, portfolio};
use crate::ledger::{Ledger, Strategy, Subject};
use crate::program::PropertyId;

/// Propagations of the glance before the sweep: a fraction of a second at most, and no longer than a sweep usually takes.
const GLANCE: u64 = 1_000_000;
const GLANCE_PER_GATE: u64 = 500;

/// What the lanes share.
pub(super) struct Preparation<'o> {
    options: &'o ModelOptions,
    /// What is left to decide after the glance, if anything is.
    prepared: OnceLock<Prepared>,
}

struct Prepared {
    wanted: Vec<PropertyId>,
    simplified: Arc<Simplified>,
}

impl<'o> Preparation<'o> {
    pub(super) fn new(options: &'o ModelOptions) -> Self {
        Preparation { options, prepared: OnceLock::new() }
    }
}

/// The engine that was chosen; of several, if it is one of several lanes, IC3.
pub(super) struct OnModel<'o> {
    pub(super) preparation: &'o Preparation<'o>,
    pub(super) is_one_of_several: bool,
}

impl Strategy<Model> for OnModel<'_> {
    fn name(&self) -> &'static str {
        self.preparation.options.engine.name()
    }

    fn run(&self, ledger: &Ledger<Model>, limits: &Limits) -> Result<(), Ended> {
        let options = self.preparation.options;
        let Some((prepared, mut statistics)) = self.prepare(ledger, limits) else { return Ok(()) };
        let backend = options.backend.unwrap_or(options.engine.backend());
        ledger.let_others_begin();
        let outcome = self.lane(ledger, limits).on(&prepared.simplified, &prepared.wanted, |circuit, hear| {
            let settled = |place: usize| is_settled(ledger, prepared, place);
            match self.is_one_of_several {
                true => ic3::check_unsettled(circuit, backend, limits, &settled, hear),
                false => options.engine.check(circuit, backend, limits, hear),
            }
        });
        statistics.add(&outcome.statistics);
        ledger.account(|account| account.statistics.add(&statistics));
        Ok(())
    }
}

impl OnModel<'_> {
    /// The swept circuit and what was spent on the way, unless a glance is enough. Whatever is proved afterwards is about
    /// this circuit.
    fn prepare(&self, ledger: &Ledger<Model>, limits: &Limits) -> Option<(&Prepared, Statistics)> {
        let (model, options, wanted) = (ledger.subject(), self.preparation.options, ledger.open());
        limits.progress.level(Stage::Encoding, 0);
        let mut circuit = model.circuit.clone();
        circuit.bad = wanted.iter().map(|property| model.circuit.bad[property.index()].clone()).collect();
        let backend = options.backend.unwrap_or(options.engine.backend());
        let mut simplified =
            simplify(&circuit, Passes { equivalence: false, retiming: false, ..options.passes }, &limits.interrupt);
        let mut statistics = Statistics::default();
        if self.glances() && wanted.len() == 1 {
            let shared = Arc::new(simplified);
            let outcome = self.lane(ledger, limits).on(&shared, &wanted, |circuit, hear| {
                let work = GLANCE.min(GLANCE_PER_GATE * circuit.live_gates() as u64);
                ic3::glance(circuit, backend, limits, work, hear)
            });
            if !outcome.verdicts[0].is_open() {
                ledger.account(|account| account.statistics.add(&outcome.statistics));
                return None;
            }
            statistics = outcome.statistics;
            simplified = Arc::unwrap_or_clone(shared);
        }
        simplified.run(Passes { cone: false, constants: false, ..options.passes }, &limits.interrupt);
        let simplified = Arc::new(simplified);
        ledger.account(|account| account.simplified = Some(Arc::clone(&simplified)));
        let prepared = self.preparation.prepared.get_or_init(|| Prepared { wanted, simplified });
        Some((prepared, statistics))
    }

    /// Whether IC3 looks at the model before the sweep, if it has one property: easy ones take less than that. With several
    /// properties the invariants of all are about one circuit.
    fn glances(&self) -> bool {
        let options = self.preparation.options;
        options.passes.equivalence && matches!(options.engine, Engine::Portfolio | Engine::Ic3)
    }

    fn lane<'l, 's>(&self, ledger: &'l Ledger<'s, Model>, limits: &'l Limits) -> Lane<'l, 's> {
        Lane { name: self.name(), ledger, limits, confirm: self.preparation.options.confirm }
    }
}

/// Those who work beside IC3, each in a lane of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// Whoever takes turns with IC3 if there is one thread, and localization.
    Others,
    /// The same without localization.
    Search,
    /// A single engine.
    Alone(Engine),
}

impl Beside {
    /// Who works beside IC3 on so many threads. More threads than engines are of no use.
    pub(super) fn lanes(threads: usize) -> Vec<Beside> {
        match threads {
            0 | 1 => vec![],
            2 => vec![Beside::Others],
            _ => {
                let more = [Beside::Search, Beside::Alone(Engine::Localize), Beside::Alone(Engine::Avy)];
                more.into_iter().chain([Beside::Alone(Engine::Itp)]).take(threads - 1).collect()
            }
        }
    }
}

/// A lane beside that of IC3.
pub(super) struct BesideIc3<'o> {
    pub(super) preparation: &'o Preparation<'o>,
    pub(super) who: Beside,
}

impl Strategy<Model> for BesideIc3<'_> {
    fn name(&self) -> &'static str {
        self.preparation.options.engine.name()
    }

    fn run(&self, ledger: &Ledger<Model>, limits: &Limits) -> Result<(), Ended> {
        // Without it there is nothing left to do.
        let Some(prepared) = self.preparation.prepared.get() else { return Ok(()) };
        let lane = Lane { name: self.name(), ledger, limits, confirm: self.preparation.options.confirm };
        let settled = |place: usize| is_settled(ledger, prepared, place);
        let outcome = lane.on(&prepared.simplified, &prepared.wanted, |circuit, hear| match self.who {
            Beside::Others => portfolio::search_unsettled(circuit, limits, true, &settled, hear),
            Beside::Search => portfolio::search_unsettled(circuit, limits, false, &settled, hear),
            Beside::Alone(engine) => engine.check(circuit, engine.backend(), limits, hear),
        });
        ledger.account(|account| account.statistics.add(&outcome.statistics));
        Ok(())
    }
}

fn is_settled(ledger: &Ledger<Model>, prepared: &Prepared, place: usize) -> bool {
    ledger.settled()[prepared.wanted[place].index()].load(Ordering::Relaxed)
}

/// One lane of a run on a model.
struct Lane<'l, 's> {
    name: &'static str,
    ledger: &'l Ledger<'s, Model>,
    limits: &'l Limits,
    confirm: bool,
}

impl Lane<'_, '_> {
    /// Lets an engine work on the simplified circuit.
    fn on(
        &self,
        simplified: &Arc<Simplified>,
        wanted: &[PropertyId],
        check: impl FnOnce(&Circuit, &mut dyn FnMut(Decision)) -> Outcome,
    ) -> Outcome {
        self.ledger.account(|account| account.simplified = Some(Arc::clone(simplified)));
        let mut judge = Judge { model: self.ledger.subject(), simplified, known: None };
        check(&simplified.circuit, &mut |decision| self.hear(&mut judge, wanted, decision))
    }

    /// Hands in what an engine found out about the simplified circuit.
    fn hear(&self, judge: &mut Judge, wanted: &[PropertyId], decision: Decision) {
        let property = wanted[decision.property];
        match decision.verdict {
            Verdict::Open => {}
            Verdict::Unreachable(proof) => {
                let checked = self.confirm.then(|| judge.judge(property, proof, self.limits));
                self.ledger.proved(self.name, property, proof.clone(), checked.flatten());
            }
            Verdict::Reachable(trace) => {
                self.ledger.reached(self.name, property, judge.simplified.original_trace(trace))
            }
        }
    }
}

/// Judges proofs about the simplified circuit. Properties that one invariant excludes share its check.
struct Judge<'j> {
    model: &'j Model,
    simplified: &'j Arc<Simplified>,
    /// The last invariant that no run leaves.
    known: Option<(Invariant, Inductive)>,
}

impl Judge<'_> {
    /// The evidence that a proof gives, and what it is worth. Only invariants, of clauses or not, give any.
    fn judge(&mut self, property: PropertyId, proof: &Proof, limits: &Limits) -> Option<Checked<Evidence>> {
        let simplified = Arc::clone(self.simplified);
        let interrupt = &certificate::long_share(&limits.interrupt);
        let (evidence, judgement) = match proof {
            Proof::Invariant(invariant) => {
                let judgement = self.judge_invariant(invariant, property, interrupt);
                (Evidence::Invariant { simplified, invariant: invariant.clone() }, judgement)
            }
            Proof::Set(set) => (Evidence::Set { simplified, set: set.clone() }, None),
            _ => return None,
        };
        let judgement = judgement.unwrap_or_else(|| self.model.judge(&evidence, &[property], interrupt));
        Some(Checked { certificate: Arc::new(evidence), judgement })
    }

    /// `None` if the invariant may need what it is to prove.
    fn judge_invariant(
        &mut self,
        invariant: &Invariant,
        property: PropertyId,
        interrupt: &Interrupt,
    ) -> Option<Judgement> {
        if self.known.as_ref().is_none_or(|(known, _)| known != invariant) {
            let mut witness = Builder::new(&self.model.circuit, &[]);
            witness.add_invariant(self.simplified, invariant);
            let inductive = Inductive::of(&self.model.circuit, &witness.finish(), interrupt).ok()?;
            self.known = Some((invariant.clone(), inductive));
        }
        let (_, inductive) = self.known.as_mut()?;
        Some(inductive.excludes(&[property.index()], interrupt)).filter(|judgement| *judgement == Judgement::Confirmed)
    }
}
