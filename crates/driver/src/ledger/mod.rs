//! One ledger of verdicts: which properties are wanted, which are open, and how and when each was decided.
//!
//! A way to decide something is a [`Strategy`]. It asks the ledger for open properties and hands in its findings, a run
//! or a proof; the first verdict on a property counts, and the other strategies drop it. Nothing is simply believed:
//!
//! ```text
//! a run      is replayed, and then made shorter; gcc may be asked as well
//! a proof    has a certificate, where there is one, that was judged by other means than found it; without one it waits,
//!            while others are at work, for one that has
//! a journal  is replayed and judged like everybody else
//! ```
//!
//! Failed claims are withdrawn. Verdicts that stand are written into the journal and told, in this order.
//!
//! The subject of verdicts is a [`Subject`]: programs ([`crate::check`]) and AIGER models ([`crate::hardware`]) share
//! all of this. [`keep`] is the whole: it opens a ledger, runs a [`Schedule`] of strategies and closes it with the list
//! of all findings, decided or not. Strategies run in threads of their own and the `keeper` in the caller's, so that
//! none of them waits for a disk or a compiler.

mod finding;
mod keeper;
mod recorder;
mod strategy;
mod subject;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::base::{Ended, Limits};
use crate::certificate::Checked;
use crate::engine::Proof;
use crate::journal::Journal;
use crate::program::PropertyId;
use crate::witness::compiled::{Opinion, Trouble};
use crate::witness::shorten::Budget;

pub use finding::{Answer, Claim, Decider, Finding, Why};
pub use strategy::{Schedule, Strategy};
pub use subject::Subject;

use keeper::Keeper;
use strategy::Gate;

/// A finding about a subject.
pub type FindingOf<S> = Finding<<S as Subject>::Run, <S as Subject>::Certificate>;
/// An answer about a subject.
pub type AnswerOf<S> = Answer<<S as Subject>::Run, <S as Subject>::Certificate>;

/// News about a subject.
pub type NewsOf<'n, S> = News<'n, <S as Subject>::Run, <S as Subject>::Certificate>;

/// The properties to decide, and the treatment of verdicts.
pub struct Order<'o, S: Subject> {
    /// The properties to decide, ascending; all of them if `None`.
    pub properties: Option<&'o [PropertyId]>,
    pub limits: &'o Limits,
    /// Check certificates, also those of a journal.
    pub confirm: bool,
    /// The effort for making runs shorter.
    pub shortening: &'o Budget,
    pub terms: &'o Terms<'o, S::Run>,
}

/// The wishes beyond verdicts; none by default.
pub struct Terms<'t, R> {
    /// Gets each verdict before it is told.
    pub journal: Option<&'t Journal>,
    /// Take the decisions of earlier runs from the journal.
    pub resume: bool,
    /// A second opinion on every run.
    pub second_opinion: Option<&'t dyn SecondOpinion<R>>,
    /// Look for shortest runs in the end, in as many bytes as this says then.
    pub shortest: Option<&'t dyn Fn() -> usize>,
}

impl<R> Default for Terms<'_, R> {
    fn default() -> Self {
        Terms { journal: None, resume: false, second_opinion: None, shortest: None }
    }
}

/// A way to run a subject that shares nothing with the finder of the run.
pub trait SecondOpinion<R> {
    fn name(&self) -> &'static str;

    fn of_run(&self, property: PropertyId, run: &R) -> Result<Opinion, Trouble>;
}

/// The news of a ledger while it is kept.
pub enum News<'n, R, C> {
    /// A run was found, but a shorter one is looked for; to be told if that is never found.
    Provisional(&'n Finding<R, C>),
    /// The last word on a property.
    Settled(&'n Finding<R, C>),
}

/// A ledger that is closed.
pub struct Kept<S: Subject> {
    /// The properties that were asked for, in order.
    pub findings: Vec<FindingOf<S>>,
    pub account: S::Account,
    /// Whether no strategy decided anything, and the reason is that the subject is too large.
    pub is_too_large: bool,
    /// Why the journal could not be written.
    pub failed: io::Result<()>,
    /// Further notes, a line each.
    pub notes: Vec<String>,
    pub elapsed: Duration,
}

/// The results of a ledger if its journal could be written.
#[derive(Debug)]
pub struct Report<R, C, A> {
    /// The properties that were asked for, in order.
    pub findings: Vec<Finding<R, C>>,
    pub account: A,
    /// Further notes, a line each.
    pub notes: Vec<String>,
    pub elapsed: Duration,
}

impl<S: Subject> Kept<S> {
    pub fn report(self) -> io::Result<Report<S::Run, S::Certificate, S::Account>> {
        let Kept { findings, account, failed, notes, elapsed, .. } = self;
        failed.map(|()| Report { findings, account, notes, elapsed })
    }
}

/// Decides the properties of a subject by a schedule of strategies; `hear` is told of each finding as soon as it is
/// known.
pub fn keep<S: Subject>(
    subject: &S,
    order: &Order<S>,
    schedule: &Schedule<S>,
    hear: &mut dyn FnMut(NewsOf<S>),
) -> Kept<S> {
    let start = Instant::now();
    let limits = Limits { interrupt: order.limits.interrupt.part(), ..order.limits.clone() };
    let mut keeper = Keeper::new(subject, order, &limits.interrupt, start, schedule.len() > 1, hear);
    keeper.take_what_is_known();
    let (messages, received) = mpsc::channel();
    let ledger = Ledger {
        subject,
        wanted: keeper.open(),
        settled: keeper.settled(),
        shortening: order.shortening,
        start,
        messages,
        progress: Mutex::default(),
        others: Gate::default(),
    };
    let lanes = if ledger.wanted.is_empty() { &[] } else { schedule };
    std::thread::scope(|scope| {
        for (place, &lane) in lanes.iter().enumerate() {
            let (ledger, limits) = (&ledger, &limits);
            let run = move || {
                let _leaving = Leaving(ledger);
                if place > 0 {
                    ledger.others.wait();
                }
                strategy::follow(ledger, lane, limits);
            };
            let thread = std::thread::Builder::new().name("strategies".into()).stack_size(STACK);
            thread.spawn_scoped(scope, run).expect("the system lets us start a thread");
        }
        keeper.listen(&received, lanes.len());
    });
    let Progress { account, obstacle, is_too_large } =
        ledger.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    keeper.close(account, obstacle, is_too_large)
}

/// Deep programs need more than the usual stack; it takes memory only where it is used.
const STACK: usize = 256 << 20;

/// The part that strategies share. See the module.
pub struct Ledger<'l, S: Subject> {
    subject: &'l S,
    wanted: Vec<PropertyId>,
    /// By property: whether it is decided.
    settled: Arc<[AtomicBool]>,
    shortening: &'l Budget,
    start: Instant,
    messages: Sender<Message<S>>,
    progress: Mutex<Progress<S>>,
    /// Where the lanes behind the first one wait.
    others: Gate,
}

/// The results of strategies besides verdicts.
struct Progress<S: Subject> {
    account: S::Account,
    /// The obstacle that kept a strategy from going on.
    obstacle: Option<Why>,
    is_too_large: bool,
}

impl<S: Subject> Default for Progress<S> {
    fn default() -> Self {
        Progress { account: S::Account::default(), obstacle: None, is_too_large: false }
    }
}

/// The messages to the keeper.
enum Message<S: Subject> {
    Found(FindingOf<S>),
    LaneIsOver,
}

/// Says that a lane is over, however it came to its end.
struct Leaving<'l, S: Subject>(&'l Ledger<'l, S>);

impl<S: Subject> Drop for Leaving<'_, S> {
    fn drop(&mut self) {
        self.0.let_others_begin();
        self.0.send(Message::LaneIsOver);
    }
}

impl<'l, S: Subject> Ledger<'l, S> {
    pub fn subject(&self) -> &'l S {
        self.subject
    }

    /// The undecided properties, ascending.
    pub fn open(&self) -> Vec<PropertyId> {
        self.wanted.iter().copied().filter(|&property| self.is_open(property)).collect()
    }

    fn is_open(&self, property: PropertyId) -> bool {
        !self.settled[property.index()].load(Ordering::Relaxed)
    }

    /// By property: whether it is decided. It is set at once, for strategies that look while they work.
    pub fn settled(&self) -> &Arc<[AtomicBool]> {
        &self.settled
    }

    /// Hands in a run that is said to reach a property.
    pub fn reached(&self, by: &'static str, property: PropertyId, run: S::Run) {
        self.reached_by(by, property, run, |run| self.subject.shorten(property, run, self.shortening));
    }

    /// The same for a run that is as short as any, so that dropping steps gains nothing.
    pub fn reached_shortly(&self, by: &'static str, property: PropertyId, run: S::Run) {
        self.reached_by(by, property, run, |run| run);
    }

    fn reached_by(&self, by: &'static str, property: PropertyId, run: S::Run, shorten: impl FnOnce(S::Run) -> S::Run) {
        if !self.is_open(property) {
            return;
        }
        let answer = match self.subject.replay(property, &run) {
            Some(run) => Answer::Reachable { run: shorten(run) },
            None => {
                let reason = format!("the {} does not have this run", S::NOUN);
                Answer::Withdrawn { claim: Claim::Run(run), reason }
            }
        };
        self.decided(by, property, answer);
    }

    /// Hands in a proof that a property is unreachable, with its certificate and the judgement on that.
    pub fn proved(
        &self,
        by: &'static str,
        property: PropertyId,
        proof: Proof,
        checked: Option<Checked<S::Certificate>>,
    ) {
        self.decided(by, property, Answer::of_proof(proof, checked));
    }

    /// Hands in an answer that was looked at already.
    pub(crate) fn decided(&self, by: &'static str, property: PropertyId, answer: AnswerOf<S>) {
        let (decider, after) = (Decider::Strategy(by), self.start.elapsed());
        self.send(Message::Found(Finding { property, answer, decider, after, is_shortest: false }));
    }

    /// Writes down a strategy's account of itself.
    pub fn account(&self, write: impl FnOnce(&mut S::Account)) {
        write(&mut self.progress().account);
    }

    /// Reports the obstacle that kept a strategy from going on.
    pub fn gave_up(&self, why: Why) {
        let mut progress = self.progress();
        progress.obstacle = progress.obstacle.max(Some(why));
    }

    /// A strategy came to no result. That it was interrupted is no news: the limits say so.
    fn ended(&self, ended: Ended) {
        if ended == Ended::TooLarge {
            self.gave_up(Why::TooLarge);
            self.progress().is_too_large = true;
        }
    }

    /// Opens the way for the lanes that wait for the first one.
    pub fn let_others_begin(&self) {
        self.others.open();
    }

    fn progress(&self) -> MutexGuard<'_, Progress<S>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The keeper outlives the strategies; if it does not, the run is over.
    fn send(&self, message: Message<S>) {
        let _ = self.messages.send(message);
    }
}
