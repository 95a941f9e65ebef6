//! Explicit-state search: no circuit in between, but witnesses are replayed all the same.

use std::sync::Arc;

use super::certify;
use crate::analysis::Facts;
use crate::base::{Ended, Limits, Threads};
use crate::engine::Proof;
use crate::explicit::{Cluster, SWEEP, SearchOptions, SearchVerdict, Statistics, Stop, search};
use crate::ledger::{Ledger, Strategy, Why};

pub(super) struct Explicit {
    /// The ledger and the limits say which properties to decide, and when to end.
    pub(super) options: SearchOptions,
    /// Ask IC3 where the visited states give no certificate; not worth it where IC3 is at work anyway.
    pub(super) asks_others: bool,
    /// The other lanes still wait when it is through.
    pub(super) is_prelude: bool,
}

impl Explicit {
    pub(super) fn new(options: &super::CheckOptions, asks_others: bool) -> Explicit {
        let (memory, depth, keep) = (options.memory, options.limits.depth, options.confirm);
        let cluster = options.cluster.clone();
        let options = SearchOptions { memory, depth, keep, sweep: SWEEP, cluster, ..SearchOptions::default() };
        Explicit { options, asks_others, is_prelude: false }
    }

    /// With no more than this many steps: its runs are as short as possible.
    pub(super) fn glance(options: &super::CheckOptions, steps: u64) -> Explicit {
        let mut glance = Explicit::new(options, false);
        glance.options = SearchOptions { steps: Some(steps), sweep: 0, cluster: None, ..glance.options };
        glance
    }

    fn is_glance(&self) -> bool {
        self.options.steps.is_some()
    }
}

impl Strategy<Facts<'_>> for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn is_prelude(&self) -> bool {
        self.is_prelude
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let options = SearchOptions {
            interrupt: limits.interrupt.clone(),
            progress: limits.progress.clone(),
            // A divided search counts steps only now and then.
            threads: if self.is_glance() { Threads::default() } else { limits.threads.clone() },
            properties: Some(ledger.open()),
            settled: Some(Arc::clone(ledger.settled())),
            ..self.options.clone()
        };
        // Proofs come all at once, when the last state has been visited.
        let mut proved = vec![];
        let mut outcome = search(ledger.subject(), &options, &mut |property, verdict| match verdict {
            SearchVerdict::Reachable { inputs } if self.is_glance() => {
                ledger.reached_shortly(self.name(), property, inputs)
            }
            SearchVerdict::Reachable { inputs } => ledger.reached(self.name(), property, inputs),
            SearchVerdict::Unreachable { states } => proved.push((property, Proof::Exhausted { states })),
        });
        match outcome.stop {
            Stop::Memory => ledger.gave_up(Why::Memory),
            Stop::Lost => ledger.gave_up(Why::Lost),
            Stop::Inputs if !self.is_glance() => ledger.gave_up(Why::Inputs),
            Stop::Inputs | Stop::Closed | Stop::Decided | Stop::Interrupted | Stop::Depth | Stop::Steps => {}
        }
        let visited = std::mem::take(&mut outcome.visited);
        // Of several processes the first one has the states, unless there are too many.
        let Statistics { states, columns, .. } = outcome.statistics;
        let confirm = options.keep && options.cluster.as_ref().is_none_or(Cluster::is_first);
        let visited = (visited.len() == states * columns).then_some(&visited[..]);
        let answers =
            certify::of_search(ledger.subject(), proved, visited, confirm, self.asks_others, &limits.interrupt);
        for (property, answer) in answers {
            ledger.decided(self.name(), property, answer);
        }
        // A glance that saw only the beginning is not worth mentioning.
        if !self.is_glance() || matches!(outcome.stop, Stop::Closed | Stop::Decided) {
            ledger.account(|account| account.search = Some(outcome));
        }
        Ok(())
    }
}
