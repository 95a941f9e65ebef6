//! AIGER models to verdicts: the way from a model through simplification and engine, and back to the model.
//!
//! Everything is reported for the model as it was read. A trace of the simplified circuit is mapped back, and the
//! [ledger] replays it by simulation before it is reported; one that the model does not confirm is
//! withdrawn. Proofs become a witness circuit ([`certificate`]) that is checked ([`crate::certificate::circuit`]) and that others can check
//! too. Justice properties have a way of their own, through the same stations ([`liveness`]), and so have formulas of branching time ([`branching`]). Word-level models take the
//! same way as circuits of their bits ([`words`]), or by way of smaller models of words ([`reduced`]).

pub mod branching;
pub mod certificate;
pub mod liveness;
pub mod reduced;
mod strategy;
mod subject;
pub mod witness;
pub mod words;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::base::Limits;
use crate::certificate::Checked;
use crate::circuit::Circuit;
use crate::circuit::aiger::Model;
use crate::engine::{Engine, Statistics, Trace};
use crate::ledger::{self, Order, Strategy, Subject, Terms};
use crate::program::PropertyId;
use crate::sat::Backend;
use crate::simplify::{Passes, Simplified};
use crate::witness::shorten::Budget;
use certificate::Evidence;
use strategy::{Beside, BesideIc3, OnModel, Preparation};

pub use subject::Account;

/// The answer about a property of a model.
pub type Answer = ledger::Answer<Trace, Evidence>;
/// The news about a model while it is decided.
pub type News<'n> = ledger::News<'n, Trace, Evidence>;
/// The answer for a property of a model, at the moment it is known.
pub type Finding = ledger::Finding<Trace, Evidence>;

/// The properties to decide, and the means.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    pub engine: Engine,
    /// The solver; the engine's own choice if `None`.
    pub backend: Option<Backend>,
    pub limits: Limits,
    pub passes: Passes,
    /// The properties to decide, ascending; all of them if `None`.
    pub properties: Option<Vec<PropertyId>>,
    /// Check the witness circuits of proofs.
    pub confirm: bool,
    /// The effort for making runs shorter.
    pub shortening: Budget,
    /// With two, IC3 has one for itself and the others of [`Engine::Portfolio`] the second, with localization and a second IC3 among them; with more, others work
    /// beside them. With one, a run can be repeated.
    pub threads: usize,
}

impl Default for ModelOptions {
    fn default() -> ModelOptions {
        ModelOptions {
            engine: Engine::Portfolio,
            backend: None,
            limits: Limits::default(),
            passes: Passes::ALL,
            properties: None,
            confirm: true,
            shortening: Budget::default(),
            threads: 1,
        }
    }
}

impl ModelOptions {
    /// The order to the ledger: for bad states and for justice alike.
    fn order<'o, S: Subject>(&'o self, terms: &'o Terms<'o, S::Run>) -> Order<'o, S> {
        Order {
            properties: self.properties.as_deref(),
            limits: &self.limits,
            confirm: self.confirm,
            shortening: &self.shortening,
            terms,
        }
    }
}

/// The results of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The properties that were asked for, in order.
    pub findings: Vec<Finding>,
    pub simplified: Arc<Simplified>,
    pub statistics: Statistics,
    /// Further notes, a line each.
    pub notes: Vec<String>,
    pub elapsed: Duration,
}

/// Decides the properties of a model; `hear` is told of each finding as soon as it is known. Only a journal that cannot
/// be written makes this fail.
pub fn decide(
    model: &Model,
    options: &ModelOptions,
    terms: &Terms<Trace>,
    hear: &mut dyn FnMut(News),
) -> io::Result<Report> {
    let preparation = &Preparation::new(options);
    let threads = if options.engine == Engine::Portfolio { options.threads } else { 1 };
    let first = OnModel { preparation, is_one_of_several: threads > 1 };
    let beside: Vec<BesideIc3> = Beside::lanes(threads).into_iter().map(|who| BesideIc3 { preparation, who }).collect();
    let strategies: Vec<&dyn Strategy<Model>> =
        std::iter::once(&first as _).chain(beside.iter().map(|lane| lane as _)).collect();
    let lanes: Vec<&[&dyn Strategy<Model>]> = strategies.chunks(1).collect();
    let kept = ledger::keep(model, &options.order(terms), &lanes, hear);
    kept.failed?;
    let Account { simplified, statistics } = kept.account;
    let simplified = simplified.unwrap_or_else(|| Arc::new(Simplified::untouched(&model.circuit)));
    Ok(Report { findings: kept.findings, simplified, statistics, notes: kept.notes, elapsed: kept.elapsed })
}

/// Decides the properties of a model; `report` hears of each one as soon as it is decided.
pub fn check(model: &Model, options: &ModelOptions, mut report: impl FnMut(&Finding)) -> Report {
    let mut hear = |news: News| match news {
        News::Settled(finding) | News::Provisional(finding) => report(finding),
    };
    decide(model, options, &Terms::default(), &mut hear).expect("there is no journal")
}

impl Report {
    /// The properties that were proved, and a witness circuit for all of them, if each proof gives one.
    pub fn witness(&self, model: &Model) -> (Vec<usize>, Option<Circuit>) {
        let proofs = self.findings.iter().filter_map(|finding| match &finding.answer {
            Answer::Unreachable { checked, .. } => Some((finding.property.index(), checked)),
            _ => None,
        });
        let (proved, checked): (Vec<usize>, Vec<&Option<Checked<Evidence>>>) = proofs.unzip();
        let evidence: Option<Vec<&Evidence>> =
            checked.into_iter().map(|checked| checked.as_ref().map(|checked| &*checked.certificate)).collect();
        let witness = evidence.map(|evidence| certificate::certificate(model, &proved, &evidence));
        (proved, witness)
    }
}
