//! Vizel and Grumberg, "Interpolation-sequence based model checking" (FMCAD 2009).
//!
//! Bounded model checking that keeps the interpolants of its refutations: at bound `k` the sequence of interpolants has
//! a set of states for each position, and the sets of all bounds together, position by position, contain the states
//! reachable in as many steps and exclude the property. When one adds nothing to those before it, these are an
//! invariant.

use std::time::Instant;

use redoubt_base::Limits;
use redoubt_base::progress::Stage;
use redoubt_circuit::{Circuit, Signal};

use super::Sets;
use super::craig::System;
use super::path::Path;
use crate::engine::transition::Transition;
use crate::engine::{Decision, Interrupted, Outcome, Phase, Proof, Statistics, Verdict, Verdicts};
use crate::sat::Backend;

/// The backend is CaDiCaL, whatever is asked for: there are no proofs of others.
pub fn check(circuit: &Circuit, _: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut search = Search {
        circuit,
        transition: &transition,
        limits,
        verdicts: Verdicts::new(circuit.bad.len(), report),
        sequences: (0..circuit.bad.len()).map(|_| Sequence::new(circuit)).collect(),
        statistics: Statistics::default(),
    };
    // After an interruption, open properties stay open.
    let _ = search.decide_all();
    Outcome { verdicts: search.verdicts.verdicts, statistics: search.statistics }
}

/// The known states at each position, with a property in view.
struct Sequence {
    sets: Sets,
    /// By position; the first are the reset states.
    positions: Vec<Signal>,
}

impl Sequence {
    fn new(circuit: &Circuit) -> Sequence {
        let sets = Sets::new(circuit);
        Sequence { positions: vec![sets.initial], sets }
    }
}

struct Search<'a, 'r> {
    circuit: &'a Circuit,
    transition: &'a Transition,
    limits: &'a Limits,
    verdicts: Verdicts<'r>,
    sequences: Vec<Sequence>,
    statistics: Statistics,
}

impl<'a> Search<'a, '_> {
    fn decide_all(&mut self) -> Result<(), Interrupted> {
        for bound in (0..).take_while(|&bound| self.limits.allows(bound)) {
            self.statistics.depth = bound;
            self.limits.progress.level(Stage::Interpolation, bound);
            for property in self.verdicts.open() {
                self.search(property, bound)?;
            }
            if self.verdicts.open().is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// A run of `bound` steps to the property, or the sets that follow from its absence.
    fn search(&mut self, property: usize, bound: usize) -> Result<(), Interrupted> {
        let mut path = self.path(property, bound);
        let start = Instant::now();
        let reached = path.is_satisfiable();
        self.statistics.record(Phase::Bad, start);
        self.statistics.add_solver(path.statistics());
        if reached? {
            let trace = path.trace(self.circuit, 0, bound);
            self.verdicts.decide(property, Verdict::Reachable(trace));
            return Ok(());
        }
        let start = Instant::now();
        let sequence = &mut self.sequences[property];
        let interpolants = path.sequence(System::McMillan, &mut sequence.sets.gates, &self.limits.interrupt);
        self.statistics.lemmas += bound as u64;
        self.statistics.record(Phase::Interpolate, start);
        sequence.positions.resize(bound + 1, Signal::TRUE);
        for (position, interpolant) in interpolants?.into_iter().enumerate() {
            let set = &mut sequence.positions[position + 1];
            *set = sequence.sets.gates.and(*set, interpolant);
        }
        let start = Instant::now();
        let fixpoint = fixpoint(sequence, &self.limits.interrupt);
        self.statistics.record(Phase::Block, start);
        if let Some(reached) = fixpoint? {
            let set = sequence.sets.extract(reached);
            self.verdicts.decide(property, Verdict::Unreachable(Proof::Set(set)));
        }
        Ok(())
    }

    fn path(&mut self, property: usize, bound: usize) -> Path<'a> {
        let start = Instant::now();
        let mut path = Path::new(self.transition, &self.limits.interrupt);
        path.require_initial(0, None);
        let sequence = &self.sequences[property];
        for position in 0..bound {
            path.require_run(position, true, None);
            path.push(position as u32 + 1, false);
            // The sets of earlier bounds; not needed, but they often shorten the refutation.
            if let Some(&set) = sequence.positions.get(position + 1).filter(|&&set| set != Signal::TRUE) {
                path.require_member(position + 1, sequence.sets.latches, &sequence.sets.gates, set);
            }
        }
        path.require_run(bound, false, None);
        let bad = path.at(bound, self.transition.bad(property));
        path.require(bound, &[bad]);
        self.statistics.record(Phase::Encode, start);
        path
    }
}

/// The union of the sets before the first one that adds nothing.
fn fixpoint(sequence: &mut Sequence, interrupt: &redoubt_base::Interrupt) -> Result<Option<Signal>, Interrupted> {
    let mut union = sequence.positions[0];
    for position in 1..sequence.positions.len() {
        let set = sequence.positions[position];
        if !sequence.sets.differ(set, union, interrupt)? {
            return Ok(Some(union));
        }
        union = sequence.sets.gates.or(union, set);
    }
    Ok(None)
}
