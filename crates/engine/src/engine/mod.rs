//! Engines: from a circuit to a verdict for each of its properties.
//!
//! All engines decide all properties in one run, report each verdict at the moment it is known, and share this
//! vocabulary. [`ic3`] proves and refutes, [`bmc`] only refutes, [`kinduction`] proves what short histories imply; each
//! checks the others in the tests. [`portfolio`] is the first two, in turns. [`recurrence`] decides which signals recur
//! on infinite runs.
//!
//! Engines take the meaning of a run from [`Circuit`]: constraints hold at every position, and a step in which `stop`
//! is true has no successor. The second is how "a reached error ends the run" enters. A program's circuit has each
//! label in its `stop`, so an engine that asks for a successor asks for it under `!stop`, that is, with no label
//! reached on the way. That is sound by definition: something that reaches a second label after a first is not a run.

pub mod bdd;
pub mod bmc;
pub mod cfa;
pub mod ctl;
mod eliminate;
pub mod ic3;
pub mod interpolation;
pub mod kinduction;
pub mod localize;
pub mod portfolio;
pub mod recurrence;
mod rlive;
pub mod state;
pub mod state_set;
pub mod states;
mod statistics;
pub mod transition;

pub use redoubt_circuit::Trace;
pub use state::{Cube, StateLit};
pub use state_set::StateSet;
pub use statistics::{Phase, PhaseStatistics, Statistics};

use crate::sat::{Answer, Backend, Solver};
use redoubt_base::{Interrupt, Limits};
use redoubt_circuit::Circuit;

/// The finding of an engine about one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Reachable(Trace),
    Unreachable(Proof),
    /// Not decided: interrupted, out of time, or beyond the engine.
    Open,
}

impl Verdict {
    pub fn is_open(&self) -> bool {
        matches!(self, Verdict::Open)
    }
}

/// Why a property is unreachable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    Invariant(Invariant),
    /// States that contain the reset states, are closed under steps and exclude the property.
    Set(StateSet),
    /// No run of at most `k` steps reaches the property, and no run of `k` states without it, wherever it starts, ends in
    /// it; properties proved before may be assumed never reached.
    KInduction {
        k: usize,
        /// This may hold only because these states are different from each other.
        distinct: bool,
    },
    /// The signals of a justice property recur at most as often as there are layers; see [`recurrence`].
    Layers(Vec<Invariant>),
    /// All reachable states were visited, that many.
    Exhausted {
        states: usize,
    },
    /// An earlier run proved it, as its journal says.
    Recorded,
}

/// Clauses over latches that hold initially, are closed under steps and exclude the property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariant {
    pub clauses: Vec<Vec<StateLit>>,
}

/// A verdict at the moment it is known.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// The position in [`Circuit::bad`].
    pub property: usize,
    pub verdict: &'a Verdict,
}

/// The result of a run of an engine.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// By property.
    pub verdicts: Vec<Verdict>,
    pub statistics: Statistics,
}

impl Outcome {
    /// The outcome of doing nothing about `properties` properties.
    pub fn open(properties: usize) -> Outcome {
        Outcome { verdicts: vec![Verdict::Open; properties], statistics: Statistics::default() }
    }

    /// The properties that are not decided.
    pub fn still_open(&self) -> Vec<usize> {
        (0..self.verdicts.len()).filter(|&property| self.verdicts[property].is_open()).collect()
    }
}

/// The engines there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    #[default]
    Ic3,
    Bmc,
    KInduction,
    Itp,
    ItpSequence,
    Avy,
    /// IC3 on a part of the circuit that grows as needed.
    Localize,
    Bdd,
    Portfolio,
}

impl Engine {
    /// Those that work alone.
    pub const ALL: [Engine; 8] = [
        Engine::Ic3,
        Engine::Bmc,
        Engine::KInduction,
        Engine::Itp,
        Engine::ItpSequence,
        Engine::Avy,
        Engine::Bdd,
        Engine::Localize,
    ];

    /// A short name, as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Ic3 => "ic3",
            Engine::Bmc => "bmc",
            Engine::KInduction => "kinduction",
            Engine::Itp => "itp",
            Engine::ItpSequence => "itpseq",
            Engine::Avy => "avy",
            Engine::Localize => "localize",
            Engine::Bdd => "bdd",
            Engine::Portfolio => "portfolio",
        }
    }

    /// The solver to use unless told otherwise: our own for many small queries about one copy of the
    /// circuit, CaDiCaL for a few large ones about many copies.
    pub fn backend(self) -> Backend {
        match self {
            Engine::Ic3 | Engine::Avy | Engine::Localize | Engine::Portfolio => Backend::Cone,
            Engine::Bmc | Engine::KInduction | Engine::Itp | Engine::ItpSequence | Engine::Bdd => Backend::Cadical,
        }
    }

    /// Decides as many properties as it can; `report` hears of each one as soon as it is decided.
    pub fn check(
        self,
        circuit: &Circuit,
        backend: Backend,
        limits: &Limits,
        report: &mut dyn FnMut(Decision),
    ) -> Outcome {
        let decide = match self {
            Engine::Ic3 => ic3::check,
            Engine::Bmc => bmc::check,
            Engine::KInduction => kinduction::check,
            Engine::Itp => interpolation::itp::check,
            Engine::ItpSequence => interpolation::sequence::check,
            Engine::Avy => ic3::avy::check,
            Engine::Localize => localize::check,
            Engine::Bdd => bdd::check,
            Engine::Portfolio => portfolio::check,
        };
        decide(circuit, backend, limits, report)
    }
}

/// The run's interrupt was raised in the middle of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interrupted;

/// Whether the clauses are satisfiable, or the interruption.
pub(crate) fn satisfiable(answer: Answer) -> Result<bool, Interrupted> {
    match answer {
        Answer::Satisfiable => Ok(true),
        Answer::Unsatisfiable => Ok(false),
        Answer::Unknown => Err(Interrupted),
    }
}

/// The verdicts so far, with their listeners.
pub(crate) struct Verdicts<'r> {
    verdicts: Vec<Verdict>,
    report: &'r mut dyn FnMut(Decision),
}

impl<'r> Verdicts<'r> {
    fn new(properties: usize, report: &'r mut dyn FnMut(Decision)) -> Self {
        Verdicts { verdicts: vec![Verdict::Open; properties], report }
    }

    fn decide(&mut self, property: usize, verdict: Verdict) {
        assert!(self.is_open(property), "a property is decided once");
        (self.report)(Decision { property, verdict: &verdict });
        self.verdicts[property] = verdict;
    }

    fn is_open(&self, property: usize) -> bool {
        self.verdicts[property].is_open()
    }

    /// The properties not decided yet.
    fn open(&self) -> Vec<usize> {
        (0..self.verdicts.len()).filter(|&property| self.is_open(property)).collect()
    }
}

/// A solver that ends with the run.
pub(crate) fn interruptible(backend: Backend, interrupt: &Interrupt) -> Box<dyn Solver> {
    let mut solver = backend.solver();
    solver.set_interrupt(interrupt.clone());
    solver
}
