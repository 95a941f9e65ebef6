//! The order of a search, and its outcome.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::distributed::Cluster;
use super::machine::Execution;
use crate::base::progress::Listener;
use crate::base::{Interrupt, Threads};
use crate::program::PropertyId;

/// The properties to decide, and the bounds.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Ends the search.
    pub interrupt: Interrupt,
    /// The number of bytes that the states may take.
    pub memory: usize,
    /// Go no further than this many steps from the beginning.
    pub depth: Option<usize>,
    /// Make no more than this many steps in all.
    pub steps: Option<u64>,
    /// The properties to decide; all of them if `None`.
    pub properties: Option<Vec<PropertyId>>,
    /// By property: set by others who have decided it. The search then no longer looks for it.
    pub settled: Option<Arc<[AtomicBool]>>,
    /// The number of random steps to make from the last states when the memory is full.
    pub sweep: u64,
    pub execution: Execution,
    /// Hand out all states if these were all.
    pub keep: bool,
    /// Hears how far the search has come.
    pub progress: Listener,
    /// Threads that may be used beside the own one.
    pub threads: Threads,
    /// The participants, if there is more than one worker.
    pub cluster: Option<Cluster>,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            interrupt: Interrupt::default(),
            memory: 2 << 30,
            depth: None,
            steps: None,
            properties: None,
            settled: None,
            sweep: 0,
            execution: Execution::default(),
            keep: false,
            progress: Listener::default(),
            threads: Threads::default(),
            cluster: None,
        }
    }
}

/// The verdict of the search on a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchVerdict {
    /// These inputs reach it, one list per step; no fewer steps do, unless a sweep found it.
    Reachable { inputs: Vec<Vec<i32>> },
    /// All reachable states were visited, that many, and none leads to it.
    Unreachable { states: usize },
}

/// A number of random steps that takes some seconds.
pub const SWEEP: u64 = 50_000_000;

/// Why the search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stop {
    /// All reachable states were visited.
    Closed,
    /// All properties are decided.
    Decided,
    Interrupted,
    /// The memory is full.
    Memory,
    /// The greatest depth was reached.
    Depth,
    /// The greatest number of steps was made.
    Steps,
    /// An input has too many values to try them all.
    Inputs,
    /// A participant is gone.
    Lost,
}

/// The results of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub stop: Stop,
    pub statistics: Statistics,
    /// The values of [`super::state_variables`], state after state, if they were to be kept.
    pub visited: Vec<i32>,
    /// The participant that is gone, and how that was noticed.
    pub trouble: Option<String>,
}

/// States with more numbers than this are not handed out by the workers that have a part of them.
pub const MOST_KEPT: usize = 20_000_000;

/// Counts of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The different states that were found.
    pub states: usize,
    /// The number of states that were stepped from, on all inputs.
    pub expanded: usize,
    pub steps: u64,
    /// Random steps that were made in the end.
    pub swept: u64,
    /// The number of steps to the last state that was stepped from.
    pub depth: usize,
    /// The variables and cells that make up a state, and the bits that they took.
    pub columns: usize,
    pub bits: u32,
    /// The number of times that values that did not fit made it necessary to pack all states anew.
    pub repackings: usize,
    /// The memory of the states in bytes.
    pub bytes: usize,
    /// The size of the machine code; `None` if steps were interpreted.
    pub code: Option<usize>,
    /// The part of this process, if others took part.
    pub share: Option<Share>,
}

/// A process's part of a search on several workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The number of workers in all.
    pub workers: usize,
    pub states: usize,
    pub bytes: usize,
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Statistics { states, expanded, steps, swept, depth, columns, bits, repackings, bytes, code, share } = self;
        writeln!(
            f,
            "{states} states of {columns} values in {bits} bits, {bytes} bytes in all, packed anew {repackings} times"
        )?;
        writeln!(f, "{steps} steps from {expanded} states, up to {depth} steps from the first")?;
        if *swept > 0 {
            writeln!(f, "{swept} random steps from the last ones")?;
        }
        if let Some(Share { workers, states, bytes }) = share {
            writeln!(f, "{workers} workers; in this process {states} states, {bytes} bytes")?;
        }
        match code {
            Some(code) => writeln!(f, "{code} bytes of machine code"),
            None => writeln!(f, "interpreted"),
        }
    }
}
