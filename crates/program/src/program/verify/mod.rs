//! Whether a program is one: the guarantees that every reader of programs relies on, and no type gives.
//!
//! - [`declarations`]: names are unique, domains are not empty, starts are values that their variables can have;
//! - [`expressions`]: leaves exist, and operands have the types that operators expect;
//! - [`statements`]: they form a tree below each function, the setup and the step, are given expressions of the
//!   right types, store only in tables that are marked as written, and call functions without recursion.
//!
//! Each is one pass over its arena. That locals are written before they are read is not looked at here, since that
//! takes a walk along all paths; see [`assigned`](super::assigned).

mod declarations;
mod expressions;
mod malformed;
mod statements;
#[cfg(test)]
mod tests;

pub use malformed::{Malformed, Part};

use super::Program;

impl Program {
    /// Whether this is a program that everything else can work with.
    pub fn verify(&self) -> Result<(), Malformed> {
        declarations::verify(self)?;
        let expressions = expressions::verify(self)?;
        statements::verify(self, &expressions)
    }
}

/// Whether the id of a part is a position below `length`.
fn exists(part: Part, index: usize, length: usize) -> Result<(), Malformed> {
    if index < length { Ok(()) } else { Err(Malformed::NoSuch { part, index }) }
}
