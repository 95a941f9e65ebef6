//! Circuits to verdicts: the clauses of a step, the solvers that decide them, the engines on top, and smaller circuits for these.
//!
//! Each module knows only those before it: [`cnf`], [`sat`], [`engine`], [`simplify`].

pub mod cnf;
pub mod engine;
pub mod sat;
pub mod simplify;
