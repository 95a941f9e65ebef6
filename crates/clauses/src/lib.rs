//! One step of a circuit to clauses, and the solvers that decide them.

pub mod cnf;
pub mod sat;
