//! Circuits to verdicts: the engines, and smaller circuits for these.
//!
//! Each module knows only those before it: [`engine`], [`simplify`].

use redoubt_clauses::{cnf, sat};

pub mod engine;
pub mod simplify;
