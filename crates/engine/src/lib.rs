//! Circuits to verdicts: the engines.

use redoubt_clauses::{cnf, sat};

pub mod engine;
