//! Signals that recur on infinite runs of a circuit: three ways to decide whether they do, in two functions that are
//! best run side by side.
//!
//! [`in_turns`] lets [rlive](Recurrence) and bounded model checking take turns, [`by_ic3`] is IC3. The latter two look for runs
//! to the bad signals of [`Loops`](redoubt_circuit::liveness::Loops), which close a loop. Measured on models with justice
//! properties, rlive finds most proofs and most lassos at once; lassos whose signals are seen in few, far places are for
//! bounded model checking, and proofs that would take very many layers for IC3.
//!
//! Both decide several justice properties, and leave those alone that are `settled` in the meantime.

use super::bmc::{self, Search};
use super::rlive::Rlive;
use super::transition::Transition;
use super::{Decision, Engine, Interrupted, Statistics, Trace, Verdict, ic3};
use crate::sat::Backend;
use redoubt_base::Limits;
use redoubt_circuit::{Circuit, Signal};

pub use super::rlive::Recurrence;

/// The evidence about a justice property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// By rlive.
    Recurrence(Recurrence),
    /// A run of the circuit of loops that closes one.
    Closed(Trace),
}

/// Work in the first round of each; every round has twice as much. For rlive it is propagations, for each property, and for
/// bounded model checking ticks.
const RLIVE_ROUND: u64 = 5_000_000;
const BMC_ROUND: u64 = 12_000_000;

/// Decides by rlive and bounded model checking whether all signals of each list recur on some run; `loops` has a bad
/// signal for each. The backend is that of IC3, and `report` says whether the finding settles the property.
pub fn in_turns(
    circuit: &Circuit,
    justice: &[Vec<Signal>],
    loops: &Circuit,
    backend: Backend,
    limits: &Limits,
    settled: &dyn Fn(usize) -> bool,
    report: &mut dyn FnMut(usize, Found) -> bool,
) -> Statistics {
    let transition = Transition::within(loops, limits);
    let mut turns = Turns {
        circuit,
        justice,
        backend,
        limits,
        searches: justice.iter().map(|_| None).collect(),
        bmc: bmc::Run::new(loops, &transition, Engine::Bmc.backend(), limits),
        decided: vec![false; justice.len()],
        settled,
    };
    for round in 0..40 {
        // After an interruption, open properties stay open.
        if !turns.round(round, report).unwrap_or(false) {
            break;
        }
    }
    let mut statistics = turns.bmc.into_statistics();
    turns.searches.iter().flatten().for_each(|search| statistics.add(search.statistics()));
    statistics
}

struct Turns<'a> {
    circuit: &'a Circuit,
    justice: &'a [Vec<Signal>],
    backend: Backend,
    limits: &'a Limits,
    /// By property, from its first turn on.
    searches: Vec<Option<Rlive>>,
    bmc: bmc::Run<'a>,
    /// By property.
    decided: Vec<bool>,
    settled: &'a dyn Fn(usize) -> bool,
}

impl Turns<'_> {
    fn open(&self) -> Vec<usize> {
        (0..self.decided.len()).filter(|&property| !self.decided[property] && !(self.settled)(property)).collect()
    }

    /// Whether there is something left to do after it.
    fn round(&mut self, round: u32, report: &mut dyn FnMut(usize, Found) -> bool) -> Result<bool, Interrupted> {
        for property in self.open() {
            let new = || Rlive::new(self.circuit, &self.justice[property], self.backend, self.limits);
            let search = self.searches[property].get_or_insert_with(new);
            if search.is_over() || (self.settled)(property) {
                continue;
            }
            if let Some(answer) = search.search(RLIVE_ROUND << round)? {
                self.decided[property] = report(property, Found::Recurrence(answer));
            }
        }
        let (open, decided) = (self.open(), &mut self.decided);
        let bmc = self.bmc.search(BMC_ROUND << round, &open, &mut |property, verdict| {
            if let Verdict::Reachable(trace) = verdict {
                decided[property] = report(property, Found::Closed(trace));
            }
        })?;
        let is_over = |property: usize| self.searches[property].as_ref().is_some_and(Rlive::is_over);
        Ok(self.open().into_iter().any(|property| bmc == Search::Paused || !is_over(property)))
    }
}

/// Decides by IC3 which bad signals of a circuit of loops can be reached.
pub fn by_ic3(
    loops: &Circuit,
    backend: Backend,
    limits: &Limits,
    settled: &dyn Fn(usize) -> bool,
    report: &mut dyn FnMut(Decision),
) -> Statistics {
    ic3::check_unsettled(loops, backend, limits, settled, report).statistics
}
