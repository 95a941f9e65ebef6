//! Boxes that no step leaves, if the checker agrees.

use std::sync::{Arc, mpsc};

use crate::analysis::Facts;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::boxes::partition::runs::{Map, Quest};
use crate::boxes::partition::{Progress, Search};
use crate::boxes::{Closed, Doubt, Order, search};
use crate::certificate::{self, Checked, Judgement, execute};
use crate::engine::Proof;
use crate::ledger::{Ledger, Strategy};
use crate::program::PropertyId;

/// Which way they are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From the labels that must not be reached.
    Backwards,
    /// From the start.
    Forwards,
}

/// The most states visited in a search for runs to labels that parts do not exclude. There are some hundred parts;
/// driving a counter takes a state for each step that it makes.
const STATES: usize = 20_000;
/// The same bound where few labels are left: a loop that counts may be long.
const MANY_STATES: usize = 400_000;

/// The strategy that begins before all others gets one of this many parts of the time, if that is limited.
const PRELUDE: usize = 2;

/// The effort of the first turn of a search in turns, and by what it grows from turn to turn.
const FIRST_TURN: u64 = 30_000;
const TURN_GROWTH: u64 = 4;

/// Deep programs need more than the usual stack; it takes memory only where it is used.
const STACK: usize = 256 << 20;

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
        limits.progress.level(Stage::Boxes, 0);
        let facts = ledger.subject();
        // Facts about values serve all; only then does a share of the time begin.
        facts.flow(&limits.interrupt)?;
        let share = if self.is_prelude { &limits.share(PRELUDE) } else { limits };
        let searched = match self.way {
            Way::Backwards => self.search_backwards(ledger, share),
            Way::Forwards => self.search_in_turns(ledger, share),
        };
        match searched {
            // Others have the rest.
            Err(Ended::Interrupted) if !limits.interrupt.is_raised() => Ok(()),
            result => result,
        }
    }
}

impl Boxes {
    /// A part may contain states of several states of the machine behind the program. As long as that decides about no
    /// label it does no harm, but the targets of such a part need not exist, nor their successors, and these breed more.
    /// Where all parts are divided for which that is possible there are more, and they are purer. Which of the two closes
    /// soon is seen by trying: they take turns, with effort that grows.
    fn search_in_turns(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let memory = self.memory / 2;
        let mut effort = self.effort.min(FIRST_TURN);
        let mut searches: [Option<(Search<'_>, Vec<PropertyId>)>; 2] = [None, None];
        let mut is_over = [false; 2];
        loop {
            for (turn, doubt) in [Doubt::Labels, Doubt::Everything].into_iter().enumerate() {
                let open = ledger.open();
                if open.is_empty() {
                    return Ok(());
                }
                if is_over[turn] {
                    continue;
                }
                let wanted = searches[turn].as_ref().map_or(&open, |(_, wanted)| wanted).clone();
                let order = Order { wanted: &wanted, limits, effort, memory, doubt };
                if searches[turn].is_none() {
                    searches[turn] = Search::new(ledger.subject(), &order)?.map(|search| (search, wanted.clone()));
                }
                let Some((search, _)) = &mut searches[turn] else { return Ok(()) };
                match search.go(&order, effort)? {
                    Progress::Open => {}
                    Progress::Lost => (searches[turn], is_over[turn]) = (None, true),
                    Progress::Closed => {
                        is_over[turn] = true;
                        if let Some((search, _)) = searches[turn].take() {
                            let (closed, map) = search.finish();
                            self.use_map(ledger, limits, doubt, closed, &map)?;
                        }
                    }
                }
            }
            if effort == self.effort || is_over == [true; 2] {
                return Ok(());
            }
            effort = effort.saturating_mul(TURN_GROWTH).min(self.effort);
        }
    }

    fn search_backwards(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let wanted = ledger.open();
        let order = Order { wanted: &wanted, limits, effort: self.effort, memory: self.memory, doubt: Doubt::Labels };
        let mut reached = |property, run| ledger.reached(self.name(), property, run);
        if let Some(closed) = search(ledger.subject(), &order, &mut reached)? {
            self.propose(ledger, limits, closed);
        }
        Ok(())
    }

    /// Proposes parts, and looks for runs to what they do not exclude.
    fn use_map(
        &self,
        ledger: &Ledger<Facts>,
        limits: &Limits,
        doubt: Doubt,
        closed: Closed,
        map: &Map,
    ) -> Result<(), Ended> {
        let mut reached = |property, run| ledger.reached(self.name(), property, run);
        let mut open = ledger.open();
        open.retain(|property| !closed.excluded.contains(property));
        let propose = || self.propose(ledger, limits, closed);
        let states = match doubt {
            Doubt::Labels => STATES,
            Doubt::Everything => MANY_STATES,
        };
        let quest = Quest { wanted: &open, interrupt: &limits.interrupt, states };
        let borrowed = limits.threads.borrow(1);
        if borrowed.count() == 0 || open.is_empty() {
            drop(borrowed);
            propose();
            return map.search(ledger.subject(), quest, &mut reached);
        }
        // Another thread looks at the findings one after the other, so that the result is the same as on this one.
        std::thread::scope(|scope| {
            let (found, heard) = mpsc::channel();
            let look = move || {
                propose();
                // There is little to do from now on.
                drop(borrowed);
                heard.into_iter().for_each(|(property, run)| reached(property, run));
            };
            let thread = std::thread::Builder::new().name("strategies".into()).stack_size(STACK);
            thread.spawn_scoped(scope, look).expect("the system lets us start a thread");
            // The listener is there until the last is sent.
            map.search(ledger.subject(), quest, &mut |property, run| {
                let _ = found.send((property, run));
            })
        })
    }

    /// Boxes are a proposal: claims that the checker does not confirm are dropped, whether certificates are asked for
    /// or not.
    fn propose(&self, ledger: &Ledger<Facts>, limits: &Limits, closed: Closed) {
        if closed.excluded.is_empty() {
            return;
        }
        let share = certificate::share(&limits.interrupt);
        let threads = limits.threads.borrow(usize::MAX);
        let judgement = execute::confirm_on(1 + threads.count(), ledger.subject().program, &closed.certificate, &share);
        drop(threads);
        if judgement == Judgement::Confirmed {
            let checked = Checked { certificate: Arc::new(closed.certificate), judgement };
            let checked = self.confirm.then_some(checked);
            for property in closed.excluded {
                ledger.proved(self.name(), property, Proof::Exhausted { states: closed.boxes }, checked.clone());
            }
        }
    }
}
