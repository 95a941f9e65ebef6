//! Redoubt decides, for every error label of a reactive program, whether any input sequence reaches it.
//!
//! The modules follow the way of the data: source text, program, transition system, circuit, clauses,
//! verdict, witness. `docs/architecture.md` has the picture.

pub mod abstraction;
pub mod analysis;
pub mod check;
pub mod circuit;
pub mod cnf;
pub mod engine;
pub mod explicit;
pub mod expr;
pub mod generate;
pub mod hardware;
pub mod journal;
pub mod program;
pub mod report;
pub mod sat;
pub mod simulate;
pub mod source;
pub mod system;
pub mod witness;
