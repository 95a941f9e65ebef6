//! Circuits: bit-level transition systems over an and-inverter graph.
//!
//! The word-level transition system is bit-blasted into a [`Circuit`]; AIGER models are read straight
//! into one. The engines, the clause encodings and the AIGER writer all start from it.

pub mod aig;
pub mod aiger;
mod check;
mod cofactor;
mod cone;
mod functional;
pub mod liveness;
#[doc(hidden)]
pub mod random;
mod rewrite;
pub mod simulate;
mod text;
mod trace;
pub mod word;

pub use aig::{Aig, Node, Signal};
pub use check::Malformed;
pub use simulate::Simulator;
pub use trace::Trace;
pub use word::Word;

/// A value that is fresh in every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// A plain (not complemented) leaf of the graph.
    pub signal: Signal,
    pub name: String,
}

/// The value of a latch before the first step.
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

/// `condition -> next = value`, bit by bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBits {
    pub condition: Signal,
    /// One signal per latch of the variable.
    pub value: Word,
}

/// A property as a bad signal over current state and inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    pub signal: Signal,
    pub name: String,
}

/// A constraint over latches that holds in every state that steps lead to, so that it need not be enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invariant {
    pub signal: Signal,
    /// A latch whose value it says, as a function of the other latches in it.
    pub defines: Option<Signal>,
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
    /// Each is a constraint, too: code that does not know invariants may treat it as one.
    pub invariants: Vec<Invariant>,
    pub stop: Signal,
    pub bad: Vec<Bad>,
}

impl Default for Circuit {
    /// No inputs, no state, no properties.
    fn default() -> Self {
        Circuit {
            gates: Aig::default(),
            inputs: Vec::new(),
            latches: Vec::new(),
            constraints: Vec::new(),
            invariants: Vec::new(),
            stop: Signal::FALSE,
            bad: Vec::new(),
        }
    }
}

impl Circuit {
    /// A new input with a leaf of its own.
    pub fn add_input(&mut self, name: impl Into<String>) -> Signal {
        let signal = self.gates.leaf();
        let name = name.into();
        self.inputs.push(Input { signal, name });
        signal
    }

    /// A new latch with a leaf of its own. It keeps its value until its `next` is set.
    pub fn add_latch(&mut self, name: impl Into<String>, reset: Reset) -> Signal {
        let signal = self.gates.leaf();
        self.latches.push(Latch { signal, next: signal, reset, name: name.into() });
        signal
    }

    pub fn add_bad(&mut self, name: impl Into<String>, signal: Signal) {
        let name = name.into();
        self.bad.push(Bad { signal, name });
    }

    /// Every signal that the circuit's behaviour is defined by, in a fixed order.
    pub fn roots(&self) -> impl Iterator<Item = Signal> {
        let next = self.latches.iter().map(|latch| latch.next);
        let bad = self.bad.iter().map(|bad| bad.signal);
        next.chain(self.constraints.iter().copied()).chain([self.stop]).chain(bad)
    }

    /// The number of gates that the circuit's behaviour depends on.
    pub fn live_gates(&self) -> usize {
        self.gates.cone(self.roots()).len()
    }
}
