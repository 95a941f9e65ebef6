//! AIGER bytes in, a [`Model`] out: versions 1.0 and 1.9, ASCII and binary.
//!
//! Both formats have the same lines except for inputs, latches and gates, which the binary one numbers by their order.
//! `sections` reads the lines into literals as they are written; `build` makes a circuit of these, and finds mistakes
//! that only the whole file can show: literals that are undefined, defined twice, or depend on themselves.
//!
//! Nothing is taken on trust: a header must fit the bytes that follow it before any memory is taken for the numbers it
//! announces, and every message names the place of the mistake in the file.

mod build;
mod error;
mod header;
mod scan;
mod sections;

pub use error::ReadError;

use crate::{Bad, Circuit, Signal};

/// A file as a circuit, and the parts that a circuit has no place for.
#[derive(Clone, Debug)]
pub struct Model {
    /// Inputs and latches in the order of the file. Names are those of the symbol table, or empty.
    pub circuit: Circuit,
    /// The name of each bad signal of the circuit in the file: `b0`, `b1`, ..., or `o0`, `o1`, ... for the outputs of a
    /// file that has no properties of any kind.
    pub properties: Vec<String>,
    /// The outputs of a file that has properties besides.
    pub outputs: Vec<Bad>,
    pub justice: Vec<Justice>,
    /// The signals that every run that counts for a justice property has infinitely often.
    pub fairness: Vec<Signal>,
    /// The literals that the file gives to inputs and latches.
    pub input_literals: Vec<u32>,
    pub latch_literals: Vec<u32>,
}

/// A liveness property: it is violated by a run that has each of its signals infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Justice {
    /// `j0`, `j1`, ...
    pub name: String,
    /// Its name in the symbol table, or empty.
    pub symbol: String,
    pub signals: Vec<Signal>,
}

impl Model {
    /// The signals that a run that violates a justice property has infinitely often: its own, and those of fairness.
    pub fn recurring(&self, justice: usize) -> Vec<Signal> {
        let mut signals = self.justice[justice].signals.clone();
        signals.extend(&self.fairness);
        signals
    }
}

/// Reads a whole file.
pub fn read(bytes: &[u8]) -> Result<Model, ReadError> {
    let sections = sections::read(bytes)?;
    build::build(bytes, sections)
}

#[cfg(test)]
mod tests;
