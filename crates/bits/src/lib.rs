//! A program in, a circuit of its step out, and proofs about the circuit back as certificates of the program.
//!
//! Each module knows only those before it: [`system`] has a step as expressions and makes it smaller, [`blast`] turns
//! it into gates, [`certify`] leads proofs back, [`relations`] finds what numbers have in common. What holds
//! throughout: everything that a pass counts on is said, and becomes a fact of the certificate.

use redoubt_base as base;
use redoubt_checker as certificate;
use redoubt_circuit as circuit;
use redoubt_clauses::{cnf, sat};
use redoubt_engine::engine;
use redoubt_facts::{analysis, claims};
use redoubt_program::{expr, program, simulate, text};

pub mod blast;
pub mod certify;
pub mod relations;
pub mod system;
