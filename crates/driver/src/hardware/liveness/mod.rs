//! Justice properties of AIGER models: whether an infinite run has all signals of one, and all of fairness, infinitely often.
//!
//! The model is simplified, and so is the circuit of its loops ([`Loops`](crate::circuit::liveness::Loops)); the
//! engines of [`recurrence`](crate::engine::recurrence) work on these, in two lanes. A violation is a [`Lasso`] of the
//! model, which the [ledger] replays before it is reported: the state comes back, and every signal was
//! seen on the way. A proof becomes a certificate for the model (`certificate`), which the
//! [checker](crate::certificate::liveness) confirms with a construction of its own.

mod certificate;
mod strategy;
mod subject;

use std::io;

use super::ModelOptions;
use crate::circuit::aiger::Model;
use crate::circuit::liveness::Lasso;
use crate::engine::Engine;
use crate::ledger::{self, Strategy, Terms};

pub use certificate::Evidence;
pub use subject::{Account, Liveness};

use strategy::{ByIc3, InTurns, OnLoops, Preparation};

/// The answer about a justice property: `Reachable` is a run that violates it, `Unreachable` that there is none.
pub type Answer = ledger::Answer<Lasso, Evidence>;
pub type News<'n> = ledger::News<'n, Lasso, Evidence>;
pub type Finding = ledger::Finding<Lasso, Evidence>;

/// The results of a run.
pub type Report = ledger::Report<Lasso, Evidence, Account>;

/// Decides the justice properties of a model, those of the options' numbers; `hear` is told of each finding as soon as
/// it is known. Only a journal that cannot be written makes this fail.
pub fn decide(
    model: &Model,
    options: &ModelOptions,
    terms: &Terms<Lasso>,
    hear: &mut dyn FnMut(News),
) -> io::Result<Report> {
    let preparation = Preparation::new(options);
    let (in_turns, by_ic3, alone) = (InTurns(&preparation), ByIc3(&preparation), OnLoops(&preparation));
    let lanes: [&[&dyn Strategy<Liveness>]; 2] = match options.engine {
        Engine::Portfolio => [&[&in_turns], &[&by_ic3]],
        Engine::Ic3 => [&[&by_ic3], &[]],
        _ => [&[&alone], &[]],
    };
    ledger::keep(&Liveness { model }, &options.order(terms), &lanes, hear).report()
}

/// Decides the justice properties of a model; `report` hears of each one as soon as it is decided.
pub fn check(model: &Model, options: &ModelOptions, mut report: impl FnMut(&Finding)) -> Report {
    let mut hear = |news: News| match news {
        News::Settled(finding) | News::Provisional(finding) => report(finding),
    };
    decide(model, options, &Terms::default(), &mut hear).expect("there is no journal")
}
