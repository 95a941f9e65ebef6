//! Circuits to verdicts: the clauses of a step, the solvers that decide them, and the engines on top.
//!
//! Each module knows only those before it: [`cnf`], [`sat`], [`engine`].

pub mod cnf;
pub mod engine;
pub mod sat;
