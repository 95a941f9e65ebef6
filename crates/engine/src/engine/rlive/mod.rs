//! Liveness by reachability: rlive (Xia, Becchi, Cimatti, Griggio, Li and Pu, "Avoiding the Shoals - A New Approach to
//! Liveness Checking", CAV 2024).
//!
//! Can a signal q be true infinitely often? IC3 is asked for a run to a state that comes after q, then for one from there to
//! another such state, and so on, depth first. A state that comes up twice closes a lasso. If nothing after q can be reached
//! from some state, IC3's invariant says for which states this is so: a *layer* of states from which q leads nowhere but into
//! earlier layers. From then on no run enters it (the paper's shoals), and the search takes a step back. When nothing after q
//! can be reached from the reset states, the last invariant contains these, and the layers together prove the property:
//!
//! ```text
//! from a state of layer i that is in no earlier one, a step without q leads to layer i,
//! and one with q to an earlier layer, or to a state from which the constraints let no run go on
//! ```
//!
//! So a run that begins in layer i has q at most i - 1 times.
//!
//! "After q" is a latch that remembers q for one step. A layer had better be large. The lemmas of IC3 say as much as
//! possible, so those that the invariant can do without are dropped first (`layers`).

pub mod layers;

use super::ic3;
use super::transition::Transition;
use super::{Interrupted, Invariant, Limits, Proof, StateLit, Statistics, Trace, Verdict};
use crate::sat::Backend;
use redoubt_circuit::liveness::{self, Lasso};
use redoubt_circuit::{Circuit, Reset, Signal, Simulator};

/// Whether all signals of a justice property recur on some run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// All signals recur on this run.
    Possible(Lasso),
    /// They do on none, as these layers prove; the last one contains the reset states. They are over the latches of the
    /// circuit and, behind them, those of [`liveness::all_seen`].
    Impossible(Vec<Invariant>),
}

/// A search that can pause.
pub(super) struct Rlive {
    /// The circuit, with a latch that remembers q, the only property that it is true, and a constraint for each layer.
    circuit: Circuit,
    /// The number of latches of the given circuit.
    latches: usize,
    /// The position of the latch that remembers.
    after: usize,
    /// By latch: whether it matters.
    watched: Vec<bool>,
    layers: Vec<Invariant>,
    /// States that come after q, each reached from the one before.
    path: Vec<Reached>,
    /// There was an answer, or a limit other than that of a slice was reached.
    is_over: bool,
    backend: Backend,
    limits: Limits,
    statistics: Statistics,
}

/// A state on the path and how to get there: from the state before, or from a reset state.
struct Reached {
    state: Vec<bool>,
    from: Vec<bool>,
    inputs: Vec<Vec<bool>>,
}

impl Rlive {
    /// A search for runs of the circuit on which all these signals recur.
    pub fn new(circuit: &Circuit, signals: &[Signal], backend: Backend, limits: &Limits) -> Rlive {
        let mut extended = circuit.clone();
        let recurring = liveness::all_seen(&mut extended, signals);
        let watched = liveness::watched(&extended, [&recurring]);
        let after = extended.latches.len();
        extended.bad.clear();
        let remembered = extended.add_latch("after", Reset::Zero);
        extended.latches[after].next = recurring;
        extended.add_bad("after", remembered);
        Rlive {
            circuit: extended,
            latches: circuit.latches.len(),
            after,
            watched,
            layers: vec![],
            path: vec![],
            is_over: false,
            backend,
            limits: limits.clone(),
            statistics: Statistics::default(),
        }
    }

    /// Looks for an answer; `None` if that takes more than this many propagations.
    pub fn search(&mut self, work: u64) -> Result<Option<Recurrence>, Interrupted> {
        let end = self.work().saturating_add(work);
        loop {
            let circuit = self.starting_at_last();
            let transition = Transition::within(&circuit, &self.limits);
            let left = end.saturating_sub(self.work());
            let mut ignore = |_: super::Decision| {};
            let mut run = ic3::Run::new(&circuit, &transition, self.backend, &self.limits, &mut ignore);
            let has_ended = run.decide_all(left);
            let mut outcome = run.into_outcome();
            self.statistics.add(&outcome.statistics);
            match outcome.verdicts.swap_remove(0) {
                Verdict::Reachable(trace) => {
                    if let Some(lasso) = self.go_on(&circuit, &trace) {
                        self.is_over = true;
                        return Ok(Some(Recurrence::Possible(lasso)));
                    }
                }
                Verdict::Unreachable(Proof::Invariant(invariant)) => {
                    let invariant =
                        layers::minimal(&transition, &invariant, &self.limits.interrupt, &mut self.statistics)?;
                    self.add_layer(&invariant);
                    if self.path.is_empty() {
                        self.is_over = true;
                        return Ok(Some(Recurrence::Impossible(std::mem::take(&mut self.layers))));
                    }
                    self.step_back();
                }
                _ if self.limits.interrupt.is_raised() => return Err(Interrupted),
                _ => {
                    self.is_over = has_ended;
                    return Ok(None);
                }
            }
        }
    }

    /// Propagations so far.
    fn work(&self) -> u64 {
        self.statistics.propagations
    }

    /// Whether more work does not help.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The circuit that starts where the path ends.
    fn starting_at_last(&self) -> Circuit {
        let mut circuit = self.circuit.clone();
        if let Some(last) = self.path.last() {
            for (latch, &value) in circuit.latches.iter_mut().zip(&last.state) {
                latch.reset = if value { Reset::One } else { Reset::Zero };
            }
        }
        circuit
    }

    /// Appends the end of a run to the path, or returns the lasso that it closes.
    fn go_on(&mut self, circuit: &Circuit, trace: &Trace) -> Option<Lasso> {
        let mut state = last_state(circuit, trace);
        for (value, &watched) in state.iter_mut().zip(&self.watched) {
            *value &= watched;
        }
        state[self.after] = false;
        // The inputs chosen at the last position are of no interest: a run from there chooses anew.
        let inputs = trace.inputs[..trace.inputs.len() - 1].to_vec();
        let before = self.path.iter().position(|reached| reached.state == state);
        self.path.push(Reached { state, from: trace.initial.clone(), inputs });
        before.map(|before| self.lasso(before))
    }

    /// The path as a lasso whose loop begins at one of its states.
    fn lasso(&self, first: usize) -> Lasso {
        let initial = self.path[0].from[..self.latches].to_vec();
        let inputs = self.path.iter().flat_map(|reached| reached.inputs.iter().cloned()).collect();
        let start = self.path[..=first].iter().map(|reached| reached.inputs.len()).sum();
        Lasso { initial, inputs, start }
    }

    /// No run enters these states any more.
    fn add_layer(&mut self, invariant: &Invariant) {
        let (after, not_after) = (StateLit::new(self.after, true), StateLit::new(self.after, false));
        let clauses = invariant.clauses.iter().filter(|clause| !clause.contains(&not_after));
        let clauses = clauses.map(|clause| clause.iter().copied().filter(|&lit| lit != after).collect());
        let layer = Invariant { clauses: clauses.collect() };
        let Circuit { gates, latches, constraints, .. } = &mut self.circuit;
        let mut parts = Vec::new();
        for clause in &layer.clauses {
            let signal = |lit: &StateLit| latches[lit.latch()].signal.complement_if(!lit.value());
            parts.push(gates.or_all(&clause.iter().map(signal).collect::<Vec<_>>()));
        }
        constraints.push(!gates.and_all(&parts));
        self.layers.push(layer);
    }

    /// Leaves the states of the path that the last layer contains.
    fn step_back(&mut self) {
        let Some(layer) = self.layers.last() else { return };
        let holds = |state: &[bool], lit: &StateLit| state[lit.latch()] == lit.value();
        let contains = |state: &[bool]| layer.clauses.iter().all(|clause| clause.iter().any(|lit| holds(state, lit)));
        while self.path.last().is_some_and(|reached| contains(&reached.state)) {
            self.path.pop();
        }
    }
}

/// The state at the last position of a run.
fn last_state(circuit: &Circuit, trace: &Trace) -> Vec<bool> {
    let words = |values: &[bool]| values.iter().map(|&value| u64::from(value)).collect::<Vec<_>>();
    let mut simulator = Simulator::new(circuit, |_| 0);
    simulator.set_state(&words(&trace.initial));
    for inputs in &trace.inputs[..trace.inputs.len() - 1] {
        simulator.evaluate(&words(inputs));
        simulator.advance();
    }
    simulator.state().iter().map(|&value| value & 1 == 1).collect()
}

#[cfg(test)]
mod tests;
