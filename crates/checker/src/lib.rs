//! Certificates, and whether they hold: a verdict *unreachable* is as trustworthy as this crate.
//!
//! A certificate is an inductive invariant over the program's own 32-bit variables, whatever abstraction or encoding
//! it was found with: facts about single places, clauses, and boxes of which one always holds. [`text`] writes and
//! reads it; a person can follow it.
//!
//! A certificate is checked by code that shares only the parsed program with the engines. Two ways lead there.
//! [`execute`] runs the program's statements on sets of states and needs no solver; its effort is about the number of
//! paths, however large the program and its numbers. [`solve`] turns the program into clauses, by an encoder of its own
//! ([`encode`]), and asks a fresh solver, about regions or about all bits; its answers can be logged, and [`lrat`]
//! checks the log. Expressions are bounded by [`interval`], arithmetic on sets of numbers. Where the next step is as
//! claimed only after several that were, [`history`] looks at all of these.
//!
//! [`temporal`] checks certificates of temporal formulas. For circuits the certificate is another circuit, and [`circuit`] checks it; [`liveness`] those of justice properties,
//! and [`branching`] those of formulas of branching time.

pub mod branching;
pub mod c_text;
mod certificate;
pub mod circuit;
mod columns;
pub mod encode;
mod evaluate;
pub mod execute;
pub mod history;
pub mod interval;
pub mod liveness;
pub mod lrat;
mod relevant;
mod search;
pub mod solve;
pub mod temporal;
pub mod text;

use std::sync::Arc;
use std::time::Duration;

use redoubt_base::Interrupt;
use redoubt_program::program::Program;
use redoubt_program::simulate::Simulator;

pub use certificate::{Certificate, Comparison, Fact, Literal, Relation, StateBox, Sum, combined};
pub use interval::{NumberSet, Progression};

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The certificate holds of the program.
    Confirmed,
    /// It does not, for this reason.
    Refuted(String),
    /// The checker could not tell.
    Undecided(String),
}

/// A certificate, by default of a program, and the judgement on it.
#[derive(Debug, PartialEq, Eq)]
pub struct Checked<C = Certificate> {
    pub certificate: Arc<C>,
    pub judgement: Judgement,
}

impl<C> Clone for Checked<C> {
    fn clone(&self) -> Self {
        Checked { certificate: Arc::clone(&self.certificate), judgement: self.judgement.clone() }
    }
}

impl<C> Checked<C> {
    pub fn is_confirmed(&self) -> bool {
        self.judgement == Judgement::Confirmed
    }

    /// Why the certificate is wrong, if it is.
    pub fn refutation(&self) -> Option<&str> {
        match &self.judgement {
            Judgement::Refuted(reason) => Some(reason),
            Judgement::Confirmed | Judgement::Undecided(_) => None,
        }
    }
}

/// The time for a check while a run goes on: ten seconds or the time of the run so far, and at most half of the rest,
/// so that the verdict is not lost.
pub fn share(interrupt: &Interrupt) -> Interrupt {
    share_of(interrupt, Duration::from_secs(10))
}

/// The same with a minute, for a check that comes last: on a busy machine ten seconds of the clock may be one of work.
pub fn long_share(interrupt: &Interrupt) -> Interrupt {
    share_of(interrupt, Duration::from_secs(60))
}

fn share_of(interrupt: &Interrupt, least: Duration) -> Interrupt {
    let own = interrupt.narrowed();
    let now = own.elapsed();
    let most = least.max(now);
    let left = interrupt.deadline().map_or(most, |end| end.saturating_sub(now) / 2);
    own.set_deadline(Some(now + most.min(left)));
    own
}

/// The way in which a certificate was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Execution,
    Regions,
    Bits,
    /// By a solver over all bits of several steps.
    History,
}

/// A program with no more statements than this is small.
const SMALL: usize = 400;

/// Whether a solver over bits is the first to ask. Small programs that run from place to place compute with numbers, of
/// which intervals and regions know little; of sums they know nothing.
pub fn suits_bits(program: &Program, certificate: &Certificate) -> bool {
    let is_small = program.has_locations() && program.stmts.len() <= SMALL;
    certificate.is_relational() || (is_small && certificate.boxes.is_empty())
}

/// Checks a certificate in the way that suits it: by execution; if it has clauses, by a solver over regions if that does
/// not do; and else by a solver over bits, unless that is the first to ask.
pub fn confirm(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> (Way, Judgement) {
    if certificate.history > 0 {
        return (Way::History, history::confirm(program, certificate, interrupt));
    }
    let (has_clauses, bits_first) = (!certificate.clauses.is_empty(), suits_bits(program, certificate));
    let ways: &[Way] = match has_clauses {
        _ if certificate.is_relational() => &[Way::Bits],
        true if bits_first => &[Way::Bits, Way::Execution, Way::Regions],
        false if bits_first => &[Way::Bits, Way::Execution],
        true => &[Way::Execution, Way::Regions, Way::Bits],
        false => &[Way::Execution, Way::Bits],
    };
    let mut reasons: Vec<String> = vec![];
    for (position, &way) in ways.iter().enumerate() {
        // Clauses may hold for reasons that take execution very many paths.
        let is_last = position + 1 == ways.len();
        let has_all = is_last || way == Way::Regions || (way == Way::Execution && !has_clauses);
        let part = if has_all { interrupt.clone() } else { share(interrupt) };
        let (name, judgement) = match way {
            Way::Execution => ("", execute::confirm(program, certificate, &part)),
            Way::Regions => ("over regions, ", solve::by_regions(program, certificate, &part)),
            Way::Bits | Way::History => ("over bits, ", solve::by_bits(program, certificate, &part)),
        };
        let Judgement::Undecided(reason) = judgement else { return (way, judgement) };
        reasons.push(format!("{name}{reason}"));
        if is_last || interrupt.is_raised() {
            return (way, Judgement::Undecided(reasons.join("; ")));
        }
    }
    (Way::Bits, Judgement::Undecided(reasons.join("; ")))
}

/// The judgement on a certificate from the start of a program alone; `None` if the steps are still to be looked at.
fn judge_start(program: &Program, certificate: &Certificate) -> Option<Judgement> {
    let start = Simulator::new(program);
    let reached = certificate.excluded.iter().find(|&&property| start.opening().reaches(property));
    if let Some(property) = reached {
        return Some(Judgement::Refuted(format!("the setup reaches {}", program.property(*property).name)));
    }
    if start.end().is_some() {
        return Some(Judgement::Confirmed);
    }
    (!certificate.holds_in(&start)).then(|| Judgement::Refuted("the first state is not in the invariant".into()))
}
