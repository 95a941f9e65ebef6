//! An engine on the simplified circuit of a model, and the way back to the model.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::ModelOptions;
use super::certificate::{Builder, Evidence};
use crate::base::progress::Stage;
use crate::base::{Ended, Interrupt, Limits};
use crate::certificate::circuit::Inductive;
use crate::certificate::{self, Checked, Judgement};
use crate::circuit::Circuit;
use crate::circuit::aiger::Model;
use crate::engine::{Decision, Engine, Invariant, Outcome, Proof, Statistics, Verdict, ic3, portfolio};
use crate::ledger::{Ledger, Strategy, Subject};
use crate::program::PropertyId;
use crate::simplify::{Passes, Simplified, simplify};

/// Propagations of the glance before the sweep: a fraction of a second at most, and no longer than a sweep usually takes.
const GLANCE: u64 = 1_000_000;
const GLANCE_PER_GATE: u64 = 500;
/// For each property but the first.
const GLANCE_PER_PROPERTY: u64 = 20_000;

/// The data that lanes share.
pub(super) struct Preparation<'o> {
    options: &'o ModelOptions,
    /// The work that is left after the glance, if any is.
    prepared: OnceLock<Prepared>,
}

struct Prepared {
    wanted: Vec<PropertyId>,
    simplified: Arc<Simplified>,
    /// By place in the circuit: a lane has a proof, and checks it.
    proved: Vec<AtomicBool>,
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
        let lane = Lane { proved: &prepared.proved, ..self.lane(ledger, limits) };
        let outcome = lane.on(&prepared.simplified, &prepared.wanted, |circuit, hear| {
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
    /// The swept circuit and the statistics of the way, unless a glance is enough. Later proofs are about this circuit.
    fn prepare(&self, ledger: &Ledger<Model>, limits: &Limits) -> Option<(&Prepared, Statistics)> {
        let (model, options, wanted) = (ledger.subject(), self.preparation.options, ledger.open());
        limits.progress.level(Stage::Encoding, 0);
        let mut circuit = model.circuit.clone();
        circuit.bad = wanted.iter().map(|property| model.circuit.bad[property.index()].clone()).collect();
        let backend = options.backend.unwrap_or(options.engine.backend());
        let first = Passes { equivalence: false, retiming: false, ..options.passes };
        let unswept = Arc::new(simplify(&circuit, first, &limits.interrupt));
        let sweep = |properties: &[usize], interrupt: &Interrupt| {
            let mut swept = Simplified::clone(&unswept);
            swept.keep(properties);
            swept.run(Passes { cone: false, constants: false, ..options.passes }, interrupt);
            swept
        };
        let glance = |work: u64, within: &Limits| {
            let lane = self.lane(ledger, limits);
            lane.on(&unswept, &wanted, |circuit, hear| ic3::glance(circuit, backend, within, work, hear))
        };
        let work = GLANCE.min(GLANCE_PER_GATE * unswept.circuit.live_gates() as u64)
            + GLANCE_PER_PROPERTY * wanted.len().saturating_sub(1) as u64;
        let (glanced, swept) = match self.glances() {
            false => (Outcome::open(wanted.len()), None),
            true if self.is_one_of_several => {
                let all = Vec::from_iter(0..wanted.len());
                meanwhile(limits, |within| glance(u64::MAX, within), |interrupt| sweep(&all, interrupt))
            }
            true => (glance(work, limits), None),
        };
        let open = glanced.still_open();
        if open.is_empty() {
            ledger.account(|account| account.statistics.add(&glanced.statistics));
            return None;
        }
        let mut simplified = swept.unwrap_or_else(|| sweep(&open, &limits.interrupt));
        simplified.keep(&open);
        let (wanted, simplified) = (open.iter().map(|&place| wanted[place]).collect(), Arc::new(simplified));
        let proved = open.iter().map(|_| AtomicBool::new(false)).collect();
        ledger.account(|account| account.simplified = Some(Arc::clone(&simplified)));
        let prepared = self.preparation.prepared.get_or_init(|| Prepared { wanted, simplified, proved });
        Some((prepared, glanced.statistics))
    }

    /// Whether IC3 looks at the model before the sweep: easy properties take less than that.
    fn glances(&self) -> bool {
        let options = self.preparation.options;
        options.passes.equivalence && matches!(options.engine, Engine::Portfolio | Engine::Ic3)
    }

    fn lane<'l, 's>(&self, ledger: &'l Ledger<'s, Model>, limits: &'l Limits) -> Lane<'l, 's> {
        Lane { name: self.name(), ledger, limits, confirm: self.preparation.options.confirm, proved: &[] }
    }
}

/// IC3 looks at the circuit as it is while another thread sweeps it. The first to be done ends the other.
fn meanwhile(
    limits: &Limits,
    glance: impl FnOnce(&Limits) -> Outcome,
    sweep: impl FnOnce(&Interrupt) -> Simplified + Send,
) -> (Outcome, Option<Simplified>) {
    let (glancing, sweeping) = (limits.interrupt.part(), limits.interrupt.part());
    let within = Limits { interrupt: glancing.clone(), ..limits.clone() };
    std::thread::scope(|scope| {
        let sweeper = scope.spawn(|| {
            let swept = sweep(&sweeping);
            glancing.raise();
            swept
        });
        let outcome = glance(&within);
        if outcome.still_open().is_empty() {
            sweeping.raise();
        }
        (outcome, Some(sweeper.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })
}

/// The engines beside IC3, each in a lane of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// The engines that take turns with IC3 if there is one thread, and localization.
    Others,
    /// The same without localization.
    Search,
    /// A single engine.
    Alone(Engine),
}

impl Beside {
    /// The engines beside IC3 on `threads` threads. More threads than engines are of no use.
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
        let confirm = self.preparation.options.confirm;
        let lane = Lane { name: self.name(), ledger, limits, confirm, proved: &prepared.proved };
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

/// Whether a property is decided, or will be as soon as its proof is checked.
fn is_settled(ledger: &Ledger<Model>, prepared: &Prepared, place: usize) -> bool {
    prepared.proved[place].load(Ordering::Relaxed)
        || ledger.settled()[prepared.wanted[place].index()].load(Ordering::Relaxed)
}

/// One lane of a run on a model.
struct Lane<'l, 's> {
    name: &'static str,
    ledger: &'l Ledger<'s, Model>,
    limits: &'l Limits,
    confirm: bool,
    /// By place in the circuit, if other lanes work on the same one: one of them has a proof.
    proved: &'l [AtomicBool],
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
        let (model, confirm) = (self.ledger.subject(), self.confirm);
        let mut judge = Judge { model, simplified, confirm, known: None, by_history: vec![] };
        check(&simplified.circuit, &mut |decision| self.hear(&mut judge, wanted, decision))
    }

    /// Hands in an engine's finding about the simplified circuit.
    fn hear(&self, judge: &mut Judge, wanted: &[PropertyId], decision: Decision) {
        let property = wanted[decision.property];
        match decision.verdict {
            Verdict::Open => {}
            Verdict::Unreachable(proof) => {
                // To check a second proof would only take time from the check of the first.
                let is_late =
                    self.proved.get(decision.property).is_some_and(|known| known.swap(true, Ordering::Relaxed));
                if is_late {
                    return;
                }
                let checked = judge.judge(decision.property, property, proof, self.limits);
                self.ledger.proved(self.name, property, proof.clone(), checked);
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
    /// Whether their proofs are to be judged.
    confirm: bool,
    /// The last invariant that no run leaves.
    known: Option<(Invariant, Inductive)>,
    /// The properties that k-induction has proved, by their places in the simplified circuit: the next proof may need them.
    by_history: Vec<usize>,
}

impl Judge<'_> {
    /// The evidence of a proof, and the judgement on it. Only invariants, of clauses or not, and k-induction give any.
    fn judge(
        &mut self,
        place: usize,
        property: PropertyId,
        proof: &Proof,
        limits: &Limits,
    ) -> Option<Checked<Evidence>> {
        let simplified = Arc::clone(self.simplified);
        let evidence = match proof {
            Proof::Invariant(invariant) => Evidence::Invariant { simplified, invariant: invariant.clone() },
            Proof::Set(set) => Evidence::Set { simplified, set: set.clone() },
            // Properties are proved with ever longer histories, so this one is long enough for all of them.
            &Proof::KInduction { k, distinct: false } => {
                self.by_history.push(place);
                Evidence::History { simplified, states: k, excluded: self.by_history.clone() }
            }
            _ => return None,
        };
        let interrupt = &certificate::long_share(&limits.interrupt);
        let of_invariant = match proof {
            Proof::Invariant(invariant) if self.confirm => self.judge_invariant(invariant, property, interrupt),
            _ => None,
        };
        let judgement = match of_invariant {
            Some(judgement) => judgement,
            None if self.confirm => self.model.judge(&evidence, &[property], interrupt),
            None => Judgement::Undecided("it was not asked for".into()),
        };
        Some(Checked { certificate: Arc::new(evidence), judgement })
    }

    /// `None` if the invariant may need the property that it is to prove.
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
