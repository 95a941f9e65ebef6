//! Boxes that no step leaves, if the checker agrees.

use std::panic::resume_unwind;
use std::sync::{Arc, mpsc};

use crate::analysis::Facts;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits, Threads, threads};
use crate::boxes::partition::runs::{self, Quest};
use crate::boxes::{Closed, Doubt, Order, partition, search};
use crate::certificate::{self, Checked, Judgement, execute};
use crate::engine::Proof;
use crate::explicit::matching::Matcher;
use crate::ledger::{Ledger, Strategy};
use crate::program::PropertyId;
use crate::witness::Run;

/// Which way they are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From what must not be reached.
    Backwards,
    /// From the start.
    Forwards,
}

/// So many states are visited in a search for runs to labels that parts do not exclude. There are some hundred parts; driving
/// a counter takes a state for each step that it makes.
const STATES: usize = 20_000;

/// Who begins before all others has one of so many parts of the time, if that is limited.
const PRELUDE: usize = 2;

pub(super) struct Boxes {
    pub(super) way: Way,
    /// Hand in certificates with proofs.
    pub(super) confirm: bool,
    pub(super) effort: u64,
    /// Begins before all others.
    pub(super) is_prelude: bool,
    pub(super) memory: usize,
}

impl Strategy<Facts<'_>> for Boxes {
    fn name(&self) -> &'static str {
        match self.way {
            Way::Backwards => "boxes",
            Way::Forwards => "partition",
        }
    }

    fn is_prelude(&self) -> bool {
        self.is_prelude
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let facts = ledger.subject();
        match self.way {
            Way::Backwards => self.decide(ledger, Box::new(|| None), limits),
            Way::Forwards => {
                beforehand(&limits.threads, || runs::matcher(facts), |matcher| self.decide(ledger, matcher, limits))
            }
        }
    }
}

impl Boxes {
    fn decide(
        &self,
        ledger: &Ledger<Facts>,
        matcher: Later<'_, Option<Matcher<'_>>>,
        limits: &Limits,
    ) -> Result<(), Ended> {
        limits.progress.level(Stage::Boxes, 0);
        let wanted = ledger.open();
        // What is found out about values serves all; only then does a share of the time begin.
        ledger.subject().flow(&limits.interrupt)?;
        let share = if self.is_prelude { &limits.share(PRELUDE) } else { limits };
        let searched = match self.way {
            Way::Backwards => self.search(ledger, &wanted, matcher, share, Doubt::Labels),
            Way::Forwards => self.search_twice(ledger, &wanted, matcher, share),
        };
        match searched {
            // Others have the rest.
            Err(Ended::Interrupted) if !limits.interrupt.is_raised() => Ok(()),
            result => result,
        }
    }

    /// In a part may be states of several states of the machine behind the program. As long as that decides about no label nobody
    /// minds, but what such a part seems to lead to need not exist, and nor what follows from there. So if labels are left, all
    /// parts are told apart for which that is possible: then there are more, and they are purer.
    fn search_twice(
        &self,
        ledger: &Ledger<Facts>,
        wanted: &[PropertyId],
        matcher: Later<'_, Option<Matcher<'_>>>,
        limits: &Limits,
    ) -> Result<(), Ended> {
        self.search(ledger, wanted, matcher, limits, Doubt::Labels)?;
        match ledger.open() {
            left if left.is_empty() => Ok(()),
            left => {
                let matcher = Box::new(|| runs::matcher(ledger.subject()));
                self.search(ledger, &left, matcher, limits, Doubt::Everything)
            }
        }
    }

    fn search(
        &self,
        ledger: &Ledger<Facts>,
        wanted: &[PropertyId],
        matcher: Later<'_, Option<Matcher<'_>>>,
        limits: &Limits,
        doubt: Doubt,
    ) -> Result<(), Ended> {
        let order = Order { wanted, limits, effort: self.effort, memory: self.memory, doubt };
        let mut reached = |property, run| ledger.reached(self.name(), property, run);
        let (closed, map) = match self.way {
            Way::Backwards => (search(ledger.subject(), &order, &mut reached)?, None),
            Way::Forwards => partition::search(ledger.subject(), &order)?.unzip(),
        };
        let closed = closed.filter(|closed| !closed.excluded.is_empty());
        let mut open = wanted.to_vec();
        open.retain(|property| closed.as_ref().is_none_or(|closed| !closed.excluded.contains(property)));
        let propose = || closed.into_iter().for_each(|closed| self.propose(ledger, limits, closed));
        let Some(map) = map.filter(|_| !open.is_empty()) else {
            propose();
            return Ok(());
        };
        let quest = Quest { wanted: &open, interrupt: &limits.interrupt, states: STATES };
        let find = |reached: &mut dyn FnMut(PropertyId, Run)| {
            matcher().map_or(Ok(()), |matcher| map.search(ledger.subject(), matcher, quest, reached))
        };
        let borrowed = limits.threads.borrow(1);
        if borrowed.count() == 0 {
            propose();
            return find(&mut reached);
        }
        // What another thread finds is looked at here, one after the other, so that it becomes the same as if it had been found here.
        std::thread::scope(|scope| {
            let (found, heard) = mpsc::channel();
            let finder = move || {
                let _borrowed = borrowed;
                // Who listens is there until the last is sent.
                find(&mut |property, run| drop(found.send((property, run))))
            };
            let finder = threads::builder().spawn_scoped(scope, finder).expect("the system lets us start a thread");
            propose();
            heard.into_iter().for_each(|(property, run)| reached(property, run));
            finder.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Boxes are a proposal: what the checker does not confirm is not said, whether certificates are asked for or not.
    fn propose(&self, ledger: &Ledger<Facts>, limits: &Limits, closed: Closed) {
        let share = certificate::share(&limits.interrupt);
        let program = ledger.subject().program;
        let judgement = execute::confirm_on(&limits.threads, program, &closed.certificate, &share);
        if judgement == Judgement::Confirmed {
            let checked = Checked { certificate: Arc::new(closed.certificate), judgement };
            let checked = self.confirm.then_some(checked);
            for property in closed.excluded {
                ledger.proved(self.name(), property, Proof::Exhausted { states: closed.boxes }, checked.clone());
            }
        }
    }
}

/// What somebody may ask for later.
type Later<'l, R> = Box<dyn FnOnce() -> R + Send + 'l>;

/// Does some work that may ask for something: another thread makes it beforehand, if one is free.
fn beforehand<R: Send, T>(
    threads: &Threads,
    make: impl FnOnce() -> R + Send,
    work: impl FnOnce(Later<'_, R>) -> T,
) -> T {
    let borrowed = threads.borrow(1);
    if borrowed.count() == 0 {
        return work(Box::new(make));
    }
    std::thread::scope(|scope| {
        let run = move || {
            let _borrowed = borrowed;
            make()
        };
        let thread = threads::builder().spawn_scoped(scope, run).expect("the system lets us start a thread");
        work(Box::new(move || thread.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })
}
