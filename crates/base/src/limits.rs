//! Where work stops, and why it did.

use std::time::Duration;

use crate::Interrupt;
use crate::Threads;
use crate::progress::Listener;

/// Where to stop. The default is nowhere.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Ends the whole run: a flag and perhaps a deadline.
    pub interrupt: Interrupt,
    /// Time to spend on the turns of a single property; lemmas learnt in other turns are free.
    pub per_property: Option<Duration>,
    /// Greatest number of steps of an unrolling, or of frames.
    pub depth: Option<usize>,
    /// Keep the variables of all gates in the clauses, to see what eliminating them is worth.
    pub without_elimination: bool,
    /// Hears how far the engines have come.
    pub progress: Listener,
    /// Threads that may be used beside the own one.
    pub threads: Threads,
}

impl Limits {
    pub fn depth(depth: usize) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// The same limits in one of `parts` equal shares of the time that is left now.
    pub fn share(&self, parts: usize) -> Limits {
        let of = u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
        Limits { interrupt: self.interrupt.share(1, of), ..self.clone() }
    }

    /// Whether an unrolling may have `depth` steps.
    pub fn allows(&self, depth: usize) -> bool {
        self.depth.is_none_or(|limit| depth <= limit)
    }
}

/// Functions are executed at each of their calls; a program that calls to and fro between many functions could grow
/// beyond all bounds, so there is one.
const MOST_STATEMENTS: usize = 50_000_000;

/// Counts the statements that a walk through a step executes, and ends it in time.
#[derive(Clone, Debug)]
pub struct Walked<'i> {
    statements: usize,
    interrupt: &'i Interrupt,
}

/// The number of statements executed between two looks at the clock.
const BETWEEN_LOOKS: usize = 1024;

impl<'i> Walked<'i> {
    pub fn new(interrupt: &'i Interrupt) -> Walked<'i> {
        Walked { statements: 0, interrupt }
    }

    /// One more statement is executed.
    pub fn one_more(&mut self) -> Result<(), Ended> {
        self.statements += 1;
        if self.statements > MOST_STATEMENTS {
            return Err(Ended::TooLarge);
        }
        if self.statements.is_multiple_of(BETWEEN_LOOKS) { self.interrupt.check() } else { Ok(()) }
    }
}

/// Why something that walks a whole program came to no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    #[error("one step executes more than {MOST_STATEMENTS} statements once its calls are expanded")]
    TooLarge,
    /// The interrupt was raised, or its time was up.
    #[error("the work was ended before it was done")]
    Interrupted,
}
