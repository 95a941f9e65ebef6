//! Two programs to the answer whether they behave alike: on every sequence of inputs, the same can be seen of both.
//!
//! [`matching`](mod@matching) finds the correspondence and the visible parts, [`product`](mod@product) makes one
//! program of the two with a property that is reached where they differ, and [`decide`] has that decided by everything
//! that decides programs. A run on which they differ is repeated by each of them alone before it is reported
//! ([`observe`]).
//!
//! Circuits are compared in the same way ([`circuits`]), and a program with an earlier encoding of it, step by step
//! ([`snapshot`]).

use redoubt_base as base;
use redoubt_bits::{blast, system};
use redoubt_circuit as circuit;
use redoubt_clauses::{cnf, sat};
use redoubt_driver::{check, encode, hardware, ledger};
use redoubt_engine::engine;
use redoubt_program::{expr, program, simulate, text};
use redoubt_witness as witness;
use redoubt_words as words;

mod cells;
pub mod circuits;
mod clauses;
mod copy;
pub mod matching;
pub mod observe;
mod prints;
pub mod product;
mod question;
pub mod snapshot;

use std::time::{Duration, Instant};

use crate::base::{Ended, Limits};
use crate::check::{Answer, Finding, Means, Why};
use crate::ledger::Terms;
use crate::program::Program;
use crate::witness::Run;

pub use matching::{Matching, Mismatch, Observed, Side, Wanted, matching, with_outputs_of};
pub use observe::{Scene, Seen, replay};
pub use product::{Product, product};

/// The result of a comparison.
#[derive(Clone, Debug)]
pub enum Likeness<R> {
    /// No run tells one from the other. Whether the checker has confirmed the proof.
    Equal { is_confirmed: bool },
    /// On this run they differ, at its end. Whether no shorter one does.
    Different { run: R, is_shortest: bool },
    /// It could not be decided, for this reason.
    Unknown(String),
}

/// A verdict, and how it was found.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub verdict: Likeness<Run>,
    /// The engine that found it.
    pub decider: &'static str,
    /// The product, and the decision about it, if there could be one.
    pub product: Option<Product>,
    pub findings: Vec<Finding>,
    pub elapsed: Duration,
}

/// The most prints in a step that are compared.
const MOST_SLOTS: usize = 16;

/// Decides whether two programs behave alike. The properties in the options do not matter.
pub fn decide(
    old: &Program,
    new: &Program,
    matching: &Matching,
    means: Means,
    options: &check::CheckOptions,
) -> Result<Comparison, Ended> {
    let start = Instant::now();
    let can_grow = matching.observed.contains(&Observed::Printed);
    let mut slots = if can_grow { prints::likely([old, new]).min(MOST_SLOTS) } else { 1 };
    loop {
        let product = product(old, new, matching, slots).map_err(|_| Ended::TooLarge)?;
        let room = match product.more {
            Some(_) => room([old, new], matching, slots, means, options)?,
            None => Room::Enough { is_confirmed: true },
        };
        let can_grow = can_grow && slots < MOST_SLOTS;
        if room == Room::TooLittle && can_grow {
            slots = (2 * slots).min(MOST_SLOTS);
            continue;
        }
        let is_enough = matches!(room, Room::Enough { .. });
        let properties = is_enough.then(|| vec![product.differs]);
        let memory = || options.memory;
        let terms = Terms { shortest: Some(&memory), ..Terms::default() };
        let options = check::CheckOptions { properties, twins: product.twins.clone(), ..options.clone() };
        let report = decided(&product.program, means, &options, &terms)?;
        let of = |property| report.findings.iter().find(|finding| finding.property == property);
        let Some(differs) = of(product.differs) else { return Err(Ended::TooLarge) };
        let more = product.more.and_then(of);
        let prints_more = more.is_some_and(|more| matches!(more.answer, Answer::Reachable { .. }));
        if prints_more && can_grow && !matches!(differs.answer, Answer::Reachable { .. }) {
            slots = (2 * slots).min(MOST_SLOTS);
            continue;
        }
        let verdict = verdict(old, new, matching, differs, more, room);
        let decider = differs.decider.name();
        return Ok(Comparison {
            verdict,
            decider,
            product: Some(product),
            findings: report.findings,
            elapsed: start.elapsed(),
        });
    }
}

/// Whether no step prints more than there are slots for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Enough {
        is_confirmed: bool,
    },
    TooLittle,
    /// Then the product is asked.
    Unknown,
}

/// That is a question about each of the programs, and much easier than one about both together.
fn room(
    programs: [&Program; 2],
    matching: &Matching,
    slots: usize,
    means: Means,
    options: &check::CheckOptions,
) -> Result<Room, Ended> {
    let mut all_confirmed = true;
    for side in Side::BOTH {
        let alone = product::alone(programs, matching, side, slots).map_err(|_| Ended::TooLarge)?;
        let Some(program) = alone else { return Ok(Room::Unknown) };
        let limits = Limits { interrupt: options.limits.interrupt.share(1, 4), ..options.limits.clone() };
        let options = check::CheckOptions { properties: None, twins: vec![], limits, ..options.clone() };
        let report = match decided(&program, means, &options, &Terms::default()) {
            Ok(report) => report,
            Err(Ended::TooLarge) => return Ok(Room::Unknown),
            Err(ended) => return Err(ended),
        };
        match report.findings.first() {
            Some(more) if matches!(more.answer, Answer::Unreachable { .. }) => all_confirmed &= more.is_confirmed(),
            Some(more) if matches!(more.answer, Answer::Reachable { .. }) => return Ok(Room::TooLittle),
            _ => return Ok(Room::Unknown),
        }
    }
    Ok(Room::Enough { is_confirmed: all_confirmed })
}

/// The answers about a program that was made here.
fn decided(
    program: &Program,
    means: Means,
    options: &check::CheckOptions,
    terms: &Terms<Run>,
) -> Result<check::Report, Ended> {
    check::decide(program, means, options, terms, &mut |_| {}).map_err(|failed| match failed {
        check::Failed::Ended(ended) => ended,
        check::Failed::Journal(error) => unreachable!("there is no journal: {error}"),
    })
}

fn verdict(
    old: &Program,
    new: &Program,
    matching: &Matching,
    differs: &Finding,
    more: Option<&Finding>,
    room: Room,
) -> Likeness<Run> {
    let is_excluded = |finding: &Finding| matches!(finding.answer, Answer::Unreachable { .. });
    match &differs.answer {
        Answer::Reachable { run } => {
            let scenes = replay(old, new, matching, run);
            if scenes.last().is_some_and(Scene::differs) {
                // The two may differ earlier, in a way that the product has no eyes for.
                let steps = scenes.len() - 1 + usize::from(opens_late(old, new));
                let run = run[..steps.min(run.len())].to_vec();
                return Likeness::Different { run, is_shortest: differs.is_shortest };
            }
            let prints = matching.observed.contains(&Observed::Printed);
            let why = if prints {
                "both print the same, but put it together from other parts"
            } else {
                "they do not differ on the run that was found"
            };
            Likeness::Unknown(why.into())
        }
        Answer::Unreachable { .. } if let Room::Enough { is_confirmed } = room => {
            Likeness::Equal { is_confirmed: is_confirmed && differs.is_confirmed() }
        }
        Answer::Unreachable { .. } if more.is_some_and(is_excluded) => {
            Likeness::Equal { is_confirmed: differs.is_confirmed() && more.is_some_and(Finding::is_confirmed) }
        }
        Answer::Unreachable { .. } if more.is_some_and(|more| matches!(more.answer, Answer::Reachable { .. })) => {
            Likeness::Unknown("more is printed in a step than can be compared".into())
        }
        Answer::Unreachable { .. } => Likeness::Unknown(why(more.map(|more| &more.answer))),
        answer => Likeness::Unknown(why(Some(answer))),
    }
}

/// Whether the first step only says where one of them starts.
fn opens_late(old: &Program, new: &Program) -> bool {
    product::starts_open(old) != product::starts_open(new)
}

fn why(answer: Option<&Answer>) -> String {
    match answer {
        Some(Answer::Unknown(why)) => why.to_string(),
        Some(Answer::Withdrawn { reason, .. }) => format!("an engine was wrong, and withdrew it: {reason}"),
        _ => Why::Beyond.to_string(),
    }
}
