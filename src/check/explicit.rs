//! Explicit-state search: no circuit in between, but witnesses are replayed all the same.

use std::sync::Arc;

use super::certify;
use crate::analysis::Facts;
use crate::base::{Ended, Limits};
use crate::engine::Proof;
use crate::explicit::{Options, SWEEP, Stop, Verdict, search};
use crate::ledger::{Ledger, Strategy, Why};

pub(super) struct Explicit {
    /// What to decide, and when to end, is said by the ledger and the limits.
    pub(super) options: Options,
}

impl Explicit {
    pub(super) fn new(options: &super::Options) -> Explicit {
        let (memory, depth, keep) = (options.memory, options.limits.depth, options.confirm);
        Explicit { options: Options { memory, depth, keep, sweep: SWEEP, ..Options::default() } }
    }
}

impl Strategy<Facts<'_>> for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let options = Options {
            interrupt: limits.interrupt.clone(),
            progress: limits.progress.clone(),
            properties: Some(ledger.open()),
            settled: Some(Arc::clone(ledger.settled())),
            ..self.options.clone()
        };
        // Proofs come all at once, when the last state has been visited.
        let mut proved = vec![];
        let mut outcome = search(ledger.subject(), &options, &mut |property, verdict| match verdict {
            Verdict::Reachable { inputs } => ledger.reached(self.name(), property, inputs),
            Verdict::Unreachable { states } => proved.push((property, Proof::Exhausted { states })),
        });
        match outcome.stop {
            Stop::Memory => ledger.gave_up(Why::Memory),
            Stop::Inputs => ledger.gave_up(Why::Inputs),
            Stop::Closed | Stop::Decided | Stop::Interrupted | Stop::Depth | Stop::Steps => {}
        }
        let visited = std::mem::take(&mut outcome.visited);
        let answers = certify::of_search(ledger.subject(), proved, &visited, options.keep, &limits.interrupt);
        for (property, answer) in answers {
            ledger.decided(self.name(), property, answer);
        }
        ledger.account(|account| account.search = Some(outcome));
        Ok(())
    }
}
