//! Word-level models to verdicts by way of smaller ones: with shorter words, and with a few cells of their arrays.
//!
//! A property that is unreachable in a smaller model ([`crate::words::narrow`], [`crate::words::arrays`]) is
//! unreachable in the model, and its certificate is about the circuit of the smaller one, as that of another model is
//! about the circuit of its bits. A trace is made a run of the model, which the simulator of words repeats. If there is
//! none, an array was read wrongly, and the cell is followed in the next round. After many rounds the model is decided
//! as it is, if all its cells fit into a circuit.

use std::io;
use std::time::Instant;

use super::words::{Words, circuit};
use super::{Answer, Finding, ModelOptions, News, Report, decide as decide_circuit};
use crate::base::Limits;
use crate::circuit::aiger::Model;
use crate::engine::Trace;
use crate::ledger::{Decider, Terms, Why};
use crate::program::PropertyId;
use crate::witness::shorten::Budget;
use crate::words::arrays::Concrete;

/// With more cells the abstraction no longer makes a model small.
const MOST_WATCHES: usize = 24;

/// The subject of a round: a circuit, and the words behind it.
#[derive(Clone, Copy)]
pub struct Round<'r> {
    pub circuit: &'r Model,
    pub words: &'r Words,
}

/// Decides the properties of a model on a smaller one, and on finer ones; `hear` is told of each finding as soon as it
/// is known, and in which round. A journal has the verdicts about the circuits of all rounds, each under its own name:
/// a resumed run takes the same way. A shortest trace of a smaller model is one of the model, too, if it is a trace
/// there.
pub fn decide(
    first: Round,
    options: &ModelOptions,
    terms: &Terms<Trace>,
    hear: &mut dyn FnMut(Round, News),
) -> io::Result<Report> {
    let start = Instant::now();
    // The simulator of words is asked about every run in any case.
    let terms = Terms { second_opinion: None, ..*terms };
    let all = || (0..first.circuit.properties.len()).map(PropertyId::new).collect();
    let wanted: Vec<PropertyId> = options.properties.clone().unwrap_or_else(all);
    let mut findings: Vec<Finding> = vec![];
    let mut later: Option<(Model, Words)> = None;
    loop {
        let round = later.as_ref().map_or(first, |(circuit, words)| Round { circuit, words });
        let before = start.elapsed();
        let mut misread = None;
        let open = |property: &PropertyId| !findings.iter().any(|known| known.property == *property);
        let round_options = of_round(round, options, wanted.iter().copied().filter(open).collect());
        let mut report = decide_circuit(round.circuit, &round_options, &terms, &mut |news| {
            let (News::Provisional(finding) | News::Settled(finding)) = news;
            let Some(concrete) = concrete(round, finding) else { return };
            if let Some(Concrete::Watch(_) | Concrete::Unclear) = concrete {
                // One trace that is none is enough to go on with a finer abstraction.
                misread = misread.take().or(concrete);
                round_options.limits.interrupt.raise();
                return;
            }
            let finding = Finding { after: before + finding.after, ..finding.clone() };
            match news {
                News::Provisional(_) => hear(round, News::Provisional(&finding)),
                News::Settled(_) => {
                    hear(round, News::Settled(&finding));
                    findings.push(finding);
                }
            }
        })?;
        let is_misread = misread.is_some();
        let next =
            misread.filter(|_| !options.limits.interrupt.is_raised()).and_then(|misread| next(round.words, &misread));
        if next.is_none() {
            // A round that was stopped for a false trace does not know why the other properties had no answer.
            let open = if is_misread { vec![] } else { report.findings };
            findings.extend(open.into_iter().filter(|finding| finding.answer.is_unknown()));
            report.findings = wanted.iter().map(|&property| finding(property, &findings, &options.limits)).collect();
            report.elapsed = start.elapsed();
            return Ok(report);
        }
        later = next;
    }
}

/// The trace of a finding in the model; `None` if nothing was found, and nothing in it if it has no trace.
fn concrete(round: Round, finding: &Finding) -> Option<Option<Concrete>> {
    match &finding.answer {
        Answer::Reachable { run } => Some(Some(round.words.concrete(run, finding.property.index()))),
        Answer::Unreachable { .. } | Answer::Withdrawn { .. } => Some(None),
        Answer::Unknown(_) => None,
    }
}

/// A round can be ended without ending all.
fn of_round(round: Round, options: &ModelOptions, open: Vec<PropertyId>) -> ModelOptions {
    let shortening = if round.words.smaller().is_some() { Budget::none() } else { options.shortening.clone() };
    let limits = Limits { interrupt: options.limits.interrupt.part(), ..options.limits.clone() };
    ModelOptions { properties: Some(open), limits, shortening, ..options.clone() }
}

/// The circuit of the next round: of an abstraction that follows the misread cell, or of the model as it is.
fn next(words: &Words, misread: &Concrete) -> Option<(Model, Words)> {
    words.smaller()?;
    let finer = match misread {
        Concrete::Watch(watch) if words.watches() < MOST_WATCHES => words.watching(*watch).and_then(Result::ok),
        _ => None,
    };
    finer.or_else(|| circuit(words.model.clone()).ok())
}

fn finding(property: PropertyId, findings: &[Finding], limits: &Limits) -> Finding {
    findings.iter().find(|finding| finding.property == property).cloned().unwrap_or_else(|| Finding {
        property,
        answer: Answer::Unknown(Why::ended(limits).unwrap_or(Why::Beyond)),
        decider: Decider::Nobody,
        after: std::time::Duration::ZERO,
        is_shortest: false,
    })
}
