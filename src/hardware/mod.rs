//! AIGER models to verdicts: the way from a model through simplification and engine, and back to the model.
//!
//! Everything is reported for the model as it was read. A trace of the simplified circuit is mapped back and replayed
//! by simulation before it is reported; one that the model does not confirm is withdrawn. Proofs become a witness
//! circuit ([`certificate`]) that is checked ([`crate::certificate::circuit`]) and that others can check too.

pub mod certificate;
pub mod simplify;
pub mod witness;

use std::time::{Duration, Instant};

use crate::base::Limits;
use crate::base::progress::Stage;
use crate::certificate::Judgement;
use crate::circuit::aiger::Model;
use crate::engine::{Decision, Engine, Invariant, Proof, Statistics, Trace, Verdict};
use crate::sat::Backend;
use crate::witness::shorten::{self, Budget};
use simplify::{Passes, Simplified, simplify};

/// What to decide, and with what.
#[derive(Clone, Debug)]
pub struct Options {
    pub engine: Engine,
    /// The solver; the engine's own choice if `None`.
    pub backend: Option<Backend>,
    pub limits: Limits,
    pub passes: Passes,
    /// The properties to decide, ascending; all of them if `None`.
    pub properties: Option<Vec<usize>>,
    /// Check the witness circuits of proofs.
    pub confirm: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: Engine::Portfolio,
            backend: None,
            limits: Limits::default(),
            passes: Passes::ALL,
            properties: None,
            confirm: true,
        }
    }
}

/// What is known about one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This run of the model reaches it; it was replayed.
    Reachable { trace: Trace },
    /// No run reaches it. The proof is about the simplified circuit; where it gives a witness circuit of the model, that
    /// was checked.
    Unreachable { proof: Proof, judgement: Option<Judgement> },
    /// Not decided within the limits.
    Unknown,
    /// An engine claimed a run that the model does not have, or a proof whose witness circuit is wrong: a bug. The property counts as undecided.
    Withdrawn,
}

/// The answer for a property, at the moment it is known.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The position among the model's properties.
    pub property: usize,
    pub answer: Answer,
    /// Since the start of the run.
    pub after: Duration,
}

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Report {
    /// The properties that were asked for, in order.
    pub findings: Vec<Finding>,
    pub simplified: Simplified,
    pub statistics: Statistics,
    pub elapsed: Duration,
}

/// Decides the properties of a model; `report` hears of each one as soon as it is decided.
pub fn check(model: &Model, options: &Options, mut report: impl FnMut(&Finding)) -> Report {
    let start = Instant::now();
    options.limits.progress.level(Stage::Encoding, 0);
    let wanted: Vec<usize> = options.properties.clone().unwrap_or_else(|| (0..model.circuit.bad.len()).collect());
    let mut circuit = model.circuit.clone();
    circuit.bad = wanted.iter().map(|&property| model.circuit.bad[property].clone()).collect();
    let simplified = simplify(&circuit, options.passes, &options.limits.interrupt);

    let shortening = Budget::default();
    let mut findings: Vec<Option<Finding>> = vec![None; wanted.len()];
    let mut hear = |decision: Decision| {
        let answer = match decision.verdict {
            Verdict::Open => Answer::Unknown,
            Verdict::Unreachable(proof) => {
                let property = wanted[decision.property];
                let judgement = options.confirm.then(|| judge(model, &simplified, property, proof, &options.limits));
                match judgement.flatten() {
                    Some(Judgement::Refuted(_)) => Answer::Withdrawn,
                    judgement => Answer::Unreachable { proof: proof.clone(), judgement },
                }
            }
            Verdict::Reachable(trace) => {
                let trace = simplified.original_trace(trace);
                if trace.reaches(&circuit, decision.property) {
                    let trace = shorten::trace(&circuit, decision.property, trace, &shortening);
                    Answer::Reachable { trace }
                } else {
                    Answer::Withdrawn
                }
            }
        };
        let finding = Finding { property: wanted[decision.property], answer, after: start.elapsed() };
        report(&finding);
        findings[decision.property] = Some(finding);
    };
    let backend = options.backend.unwrap_or(options.engine.backend());
    let outcome = options.engine.check(&simplified.circuit, backend, &options.limits, &mut hear);
    let findings = findings.into_iter().zip(&wanted).map(|(finding, &property)| {
        finding.unwrap_or_else(|| Finding { property, answer: Answer::Unknown, after: start.elapsed() })
    });
    let findings = findings.collect();
    Report { findings, simplified, statistics: outcome.statistics, elapsed: start.elapsed() }
}

/// What the witness circuit of a proof is worth, if it gives one.
fn judge(model: &Model, simplified: &Simplified, property: usize, proof: &Proof, limits: &Limits) -> Option<Judgement> {
    let Proof::Invariant(invariant) = proof else { return None };
    let witness = certificate::certificate(model, simplified, &[property], invariant);
    let interrupt = crate::certificate::share(&limits.interrupt);
    Some(crate::certificate::circuit::confirm(&model.circuit, &witness, &[property], &interrupt))
}

impl Report {
    /// The properties that were proved, and an invariant that excludes them all, if each proof is one.
    pub fn invariant(&self) -> (Vec<usize>, Option<Invariant>) {
        let mut proved = Vec::new();
        let mut clauses = Some(Vec::new());
        for finding in &self.findings {
            if let Answer::Unreachable { proof, .. } = &finding.answer {
                proved.push(finding.property);
                match (proof, &mut clauses) {
                    (Proof::Invariant(invariant), Some(clauses)) => clauses.extend(invariant.clauses.iter().cloned()),
                    _ => clauses = None,
                }
            }
        }
        // Properties of one run share most of their clauses.
        let unique = clauses.map(|mut clauses| {
            clauses.sort_unstable();
            clauses.dedup();
            Invariant { clauses }
        });
        (proved, unique)
    }
}
