//! Questions as properties of circuits: invariants as bad states, formulas of linear time as justice properties of a larger model, and
//! those formulas of branching time that say the same as one of linear time.

use std::sync::Arc;

use super::execution::Execution;
use super::subject::{Certificate, Questions};
use super::{Options, strategy};
use crate::base::Limits;
use crate::certificate::Checked;
use crate::hardware::reduced::{self, Round};
use crate::hardware::words as bits;
use crate::hardware::{self, ModelOptions, liveness};
use crate::ledger::{Ledger, Terms};
use crate::program::PropertyId;
use crate::smv::ast::{Branch, Linear, LinearPair};
use crate::smv::formula::Formula;
use crate::smv::model::{Kind, Meaning};
use crate::words::NodeId;
use crate::words::arrays::Concrete;

/// One attempt at all open questions.
pub fn attempt(ledger: &Ledger<Questions>, options: &Options, limits: &Limits) {
    let begun = limits.interrupt.elapsed();
    let time = limits.interrupt.deadline().map(|deadline| deadline.saturating_sub(begun));
    let linear: Vec<(PropertyId, Formula)> = open_formulas(ledger);
    let half = time.map_or(limits.clone(), |time| strategy::within(limits, time / 2));
    let first = if linear.is_empty() { limits } else { &half };
    invariants(ledger, options, first);
    let linear: Vec<(PropertyId, Formula)> =
        linear.into_iter().filter(|(property, _)| ledger.open().contains(property)).collect();
    for (place, (property, formula)) in linear.iter().enumerate() {
        if limits.interrupt.is_raised() {
            return;
        }
        let limits = limits.share(linear.len() - place);
        lasso(ledger, options, *property, formula, &limits);
    }
}

/// Open questions that a formula of linear time asks.
fn open_formulas(ledger: &Ledger<Questions>) -> Vec<(PropertyId, Formula)> {
    let questions = ledger.subject();
    let mut list = vec![];
    for property in ledger.open() {
        let Some(Meaning::Formula(formula)) = questions.meaning(property) else { continue };
        match questions.specification(property).kind {
            Kind::Linear => list.push((property, formula.clone())),
            // Compassion is nothing to formulas of branching time.
            _ if questions.model.compassion.is_empty() => {
                list.extend(as_linear(formula).map(|formula| (property, formula)));
            }
            _ => {}
        }
    }
    list
}

/// The formula of linear time that says the same: without quantifiers, where these are on all runs, and no choice between runs is
/// left open (Maidl 2000).
fn as_linear(formula: &Formula) -> Option<Formula> {
    let momentary = |formula: &Formula| is_momentary(formula).then(|| formula.clone());
    if is_momentary(formula) {
        return Some(formula.clone());
    }
    Some(match formula {
        Formula::And(a, b) => Formula::And(Box::new(as_linear(a)?), Box::new(as_linear(b)?)),
        Formula::Or(a, b) if is_momentary(a) => Formula::Or(a.clone(), Box::new(as_linear(b)?)),
        Formula::Or(a, b) if is_momentary(b) => Formula::Or(Box::new(as_linear(a)?), b.clone()),
        Formula::Branching(true, path, bounds, a) => match path {
            Branch::Next => Formula::Linear(Linear::Next, None, Box::new(as_linear(a)?)),
            Branch::Globally => Formula::Linear(Linear::Globally, *bounds, Box::new(as_linear(a)?)),
            Branch::Finally => Formula::Linear(Linear::Finally, *bounds, Box::new(momentary(a)?)),
        },
        Formula::BranchingUntil(true, None, a, b) => {
            Formula::LinearPair(LinearPair::Until, Box::new(momentary(a)?), Box::new(momentary(b)?))
        }
        _ => return None,
    })
}

/// Whether a formula is about one moment.
pub fn is_momentary(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(_) => true,
        Formula::Not(a) => is_momentary(a),
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Iff(a, b) => is_momentary(a) && is_momentary(b),
        _ => false,
    }
}

/// The truth value of a formula about one moment, in a model.
fn node(words: &mut crate::words::build::Builder, formula: &Formula) -> Option<NodeId> {
    Some(match formula {
        Formula::Atom(node) => *node,
        Formula::Not(a) => {
            let a = node(words, a)?;
            words.not(a)
        }
        Formula::And(a, b) => {
            let (a, b) = (node(words, a)?, node(words, b)?);
            words.and(a, b)
        }
        Formula::Or(a, b) => {
            let (a, b) = (node(words, a)?, node(words, b)?);
            words.or(a, b)
        }
        Formula::Iff(a, b) => {
            let (a, b) = (node(words, a)?, node(words, b)?);
            words.equal(a, b)
        }
        _ => return None,
    })
}

/// Invariants, and what is an invariant of all states from which an infinite run begins.
fn invariants(ledger: &Ledger<Questions>, options: &Options, limits: &Limits) {
    let questions = ledger.subject();
    let mut model = questions.model.clone();
    let mut list: Vec<(PropertyId, bool)> = vec![];
    let mut invariants = vec![];
    // Where each state has a successor and all runs are fair, all states count.
    let is_exact = model.is_total() && model.justice.is_empty() && model.compassion.is_empty();
    for property in ledger.open() {
        let name = questions.specification(property).name.clone();
        match questions.meaning(property) {
            Some(&Meaning::Invariant { holds, is_of_steps }) => {
                list.push((property, true));
                invariants.push((name, holds, is_of_steps));
            }
            Some(Meaning::Formula(
                Formula::Branching(true, Branch::Globally, None, inner)
                | Formula::Linear(Linear::Globally, None, inner),
            )) if is_momentary(inner) => {
                if let Some(holds) = node(&mut model.words, inner) {
                    list.push((property, is_exact));
                    // In formulas of linear time inputs, and with them steps, may be spoken of.
                    let is_of_steps = questions.specification(property).kind == Kind::Linear;
                    invariants.push((name, holds, is_of_steps));
                }
            }
            _ => {}
        }
    }
    if list.is_empty() {
        return;
    }
    let words = model.of_finite_runs(&invariants);
    let Ok((circuit, words)) = bits::reduced(words, bits::MOST_ARRAY_BITS) else { return };
    let options = ModelOptions {
        limits: limits.clone(),
        confirm: options.confirm,
        threads: options.threads,
        ..ModelOptions::default()
    };
    let mut hear = |round: Round, news: hardware::News| {
        let (hardware::News::Settled(finding) | hardware::News::Provisional(finding)) = news;
        let (property, counts) = list[finding.property.index()];
        let by = finding.decider.name();
        match &finding.answer {
            hardware::Answer::Reachable { run } if counts => {
                if let Concrete::Run(run) = round.words.concrete(run, finding.property.index()) {
                    let run = Execution::of_larger(&questions.model, run, None);
                    let is_invariant = matches!(questions.meaning(property), Some(Meaning::Invariant { .. }));
                    // A formula needs an infinite run; the search for one is another.
                    if is_invariant || questions.specification(property).kind == Kind::Branching {
                        ledger.reached(by, property, run);
                    }
                }
            }
            hardware::Answer::Unreachable { proof, checked } => {
                let checked = checked.as_ref().map(|checked| Checked {
                    certificate: Arc::new(Certificate::Circuit),
                    judgement: checked.judgement.clone(),
                });
                ledger.proved(by, property, proof.clone(), checked);
            }
            _ => {}
        }
    };
    // There is no journal that could fail.
    let _ = reduced::decide(Round { circuit: &circuit, words: &words }, &options, &Terms::default(), &mut hear);
}

/// A formula of linear time: a fair run that violates it, or none.
fn lasso(ledger: &Ledger<Questions>, options: &Options, property: PropertyId, formula: &Formula, limits: &Limits) {
    let questions = ledger.subject();
    let words = questions.model.of_violations(formula, &questions.specification(property).name);
    let Ok((circuit, words)) = bits::circuit(words) else { return };
    let options = ModelOptions {
        limits: limits.clone(),
        confirm: options.confirm,
        threads: options.threads,
        ..ModelOptions::default()
    };
    let mut hear = |news: liveness::News| {
        let (liveness::News::Settled(finding) | liveness::News::Provisional(finding)) = news;
        let by = finding.decider.name();
        match &finding.answer {
            liveness::Answer::Reachable { run } => {
                let (run, start) = words.around(&circuit, run);
                ledger.reached(by, property, Execution::of_larger(&questions.model, run, Some(start)));
            }
            liveness::Answer::Unreachable { proof, checked } => {
                let checked = checked.as_ref().map(|checked| Checked {
                    certificate: Arc::new(Certificate::Circuit),
                    judgement: checked.judgement.clone(),
                });
                ledger.proved(by, property, proof.clone(), checked);
            }
            _ => {}
        }
    };
    let _ = liveness::decide(&circuit, &options, &Terms::default(), &mut hear);
}
