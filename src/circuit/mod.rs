//! Circuits: bit-level transition systems over an and-inverter graph.
//!
//! The word-level transition system is bit-blasted into a [`Circuit`]; AIGER models are read straight
//! into one. The engines, the clause encodings and the AIGER writer all start from it.

pub mod aig;

pub use aig::{Aig, Signal};

/// A value that is fresh in every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// A plain (not complemented) leaf of the graph.
    pub signal: Signal,
    pub name: String,
}

/// What a latch holds before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reset {
    Zero,
    One,
    /// Either value: the latch starts uninitialised.
    Free,
}

/// One bit of state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latch {
    /// A plain leaf of the graph that stands for the latch's current value.
    pub signal: Signal,
    pub next: Signal,
    pub reset: Reset,
    pub name: String,
}

/// A property as a bad signal over current state and inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    pub signal: Signal,
    pub name: String,
}

/// A sequential circuit with any number of properties.
///
/// A *run* is a sequence of states and inputs that starts in a reset state, in which every constraint
/// holds at every position (the last included), `stop` is false at every position but possibly the last,
/// and each state is the successor of the one before. Property `k` is *reachable* if `bad[k]` is true at
/// the last position of some run.
///
/// `stop` is how a program's reached error or exit ends the run: that step may be the last of a run, but
/// it has no successor. It is the constant false for plain hardware models. A format without it gets the
/// same reachable states from a step that stutters: `next = stop ? current : next`.
#[derive(Clone, Debug)]
pub struct Circuit {
    pub gates: Aig,
    pub inputs: Vec<Input>,
    pub latches: Vec<Latch>,
    pub constraints: Vec<Signal>,
    pub stop: Signal,
    pub bad: Vec<Bad>,
}
