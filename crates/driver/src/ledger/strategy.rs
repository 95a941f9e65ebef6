//! Ways of deciding properties, and the order in which they are tried.

use std::sync::{Condvar, Mutex, PoisonError};

use super::{Ledger, Subject};
use crate::base::{Ended, Limits};

/// A way of deciding properties. It takes open properties from the ledger and hands in its findings; the rest
/// (replaying, withdrawing, writing down, reporting) is the ledger's business.
pub trait Strategy<S: Subject>: Sync {
    /// A short name, as it is printed with its verdicts.
    fn name(&self) -> &'static str;

    /// Whether the other lanes still wait when it is through: it is quick, and often enough.
    fn is_prelude(&self) -> bool {
        false
    }

    /// Decides as many open properties as it can.
    fn run(&self, ledger: &Ledger<S>, limits: &Limits) -> Result<(), Ended>;
}

/// Lanes of strategies: those of a lane run one after the other, the lanes side by side. The first lane has a head start:
/// the others wait until its first strategy ends that is no prelude, or lets them begin ([`Ledger::let_others_begin`]).
pub type Schedule<'s, S> = [&'s [&'s dyn Strategy<S>]];

/// Runs the strategies of a lane.
pub(super) fn follow<S: Subject>(ledger: &Ledger<S>, lane: &[&dyn Strategy<S>], limits: &Limits) {
    for (place, strategy) in lane.iter().enumerate() {
        let is_over = place > 0 && limits.interrupt.is_raised();
        if is_over || ledger.open().is_empty() {
            break;
        }
        if let Err(ended) = strategy.run(ledger, limits) {
            ledger.ended(ended);
        }
        if !strategy.is_prelude() {
            ledger.let_others_begin();
        }
    }
}

/// Closed until it is opened, and then open for good.
#[derive(Debug, Default)]
pub(super) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub(super) fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }

    pub(super) fn wait(&self) {
        let guard = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        let _open = self.opened.wait_while(guard, |is_open| !*is_open).unwrap_or_else(PoisonError::into_inner);
    }
}
