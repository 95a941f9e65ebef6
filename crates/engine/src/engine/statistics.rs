//! Time and counts per phase of a run.

use std::time::{Duration, Instant};

/// The activity of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Circuit to clauses, clauses into solvers.
    Encode,
    /// Looking for bad states in a frame or at the end of an unrolling.
    Bad,
    /// Asking whether a cube is inductive relative to a frame.
    Block,
    /// Lifting a predecessor.
    Lift,
    /// Making a blocked cube as small as it stays inductive.
    Generalize,
    /// Moving lemmas to higher frames.
    Propagate,
    /// Moving lemmas to the infinite frame.
    Infinite,
    /// Bounded model checking beside IC3.
    Unroll,
    /// From refutations to interpolants.
    Interpolate,
    /// The states after a step, and those before one, as diagrams.
    Image,
    Preimage,
}

impl Phase {
    pub const ALL: [Phase; 11] = [
        Phase::Encode,
        Phase::Bad,
        Phase::Block,
        Phase::Lift,
        Phase::Generalize,
        Phase::Propagate,
        Phase::Infinite,
        Phase::Unroll,
        Phase::Interpolate,
        Phase::Image,
        Phase::Preimage,
    ];
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseStatistics {
    pub entered: u64,
    pub time: Duration,
}

/// Counts are reproducible, times are not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    phases: [PhaseStatistics; Phase::ALL.len()],
    /// Steps of the longest unrolling, or the index of the last frame.
    pub depth: usize,
    /// Lemmas learnt, and those among them in the infinite frame at the end.
    pub lemmas: u64,
    pub infinite_lemmas: u64,
    /// Literals in all of them.
    pub lemma_literals: u64,
    pub obligations: u64,
    /// Literals in the cubes of obligations, each counted once.
    pub obligation_literals: u64,
    /// Counterexamples to generalization that were blocked.
    pub ctgs: u64,
    pub solver_rebuilds: u64,
    pub solves: u64,
    pub decisions: u64,
    pub propagations: u64,
    pub conflicts: u64,
    /// All states that runs can reach, if they were counted.
    pub states: Option<u128>,
}

impl Statistics {
    pub fn phase(&self, phase: Phase) -> PhaseStatistics {
        self.phases[phase as usize]
    }

    pub(crate) fn record(&mut self, phase: Phase, start: Instant) {
        let statistics = &mut self.phases[phase as usize];
        statistics.entered += 1;
        statistics.time += start.elapsed();
    }

    pub(crate) fn add_phase(&mut self, phase: Phase, more: PhaseStatistics) {
        let statistics = &mut self.phases[phase as usize];
        statistics.entered += more.entered;
        statistics.time += more.time;
    }

    /// Adds those of another run.
    pub fn add(&mut self, other: &Statistics) {
        for phase in Phase::ALL {
            self.add_phase(phase, other.phase(phase));
        }
        self.depth = self.depth.max(other.depth);
        self.lemmas += other.lemmas;
        self.infinite_lemmas += other.infinite_lemmas;
        self.lemma_literals += other.lemma_literals;
        self.obligations += other.obligations;
        self.obligation_literals += other.obligation_literals;
        self.ctgs += other.ctgs;
        self.solver_rebuilds += other.solver_rebuilds;
        self.solves += other.solves;
        self.decisions += other.decisions;
        self.propagations += other.propagations;
        self.conflicts += other.conflicts;
        self.states = self.states.or(other.states);
    }

    pub(crate) fn add_solver(&mut self, solver: crate::sat::Statistics) {
        self.solves += solver.solves;
        self.decisions += solver.decisions;
        self.propagations += solver.propagations;
        self.conflicts += solver.conflicts;
    }
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "depth {}, {} lemmas of {} literals ({} infinite), {} obligations, {} literals lifted, {} ctgs",
            self.depth,
            self.lemmas,
            self.lemma_literals,
            self.infinite_lemmas,
            self.obligations,
            self.obligation_literals,
            self.ctgs,
        )?;
        writeln!(
            f,
            "{} solves, {} decisions, {} propagations, {} conflicts, {} rebuilds",
            self.solves, self.decisions, self.propagations, self.conflicts, self.solver_rebuilds
        )?;
        if let Some(states) = self.states {
            writeln!(f, "{states} reachable states")?;
        }
        for phase in Phase::ALL {
            let PhaseStatistics { entered, time } = self.phase(phase);
            if entered > 0 {
                let name = format!("{phase:?}").to_lowercase();
                writeln!(f, "{name:>10} {entered:>9} {:>10.3} s", time.as_secs_f64())?;
            }
        }
        Ok(())
    }
}
