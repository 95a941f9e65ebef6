//! Programs to runs and proofs: how a program is analysed, made a system, a circuit or machine code, and searched.
//!
//! Each module knows only those before it: [`analysis`], [`system`], [`blast`], [`explicit`], [`certify`], [`boxes`],
//! [`abstraction`], [`relations`]. Findings here are no verdicts yet: asking for them, confirming them and writing them
//! down is the business of `redoubt` itself.

use redoubt_base as base;
use redoubt_checker as certificate;
use redoubt_circuit as circuit;
use redoubt_engine::{cnf, engine, sat};
use redoubt_program::{expr, program, simulate, text};
use redoubt_temporal as temporal;

pub mod abstraction;
pub mod analysis;
pub mod blast;
pub mod boxes;
pub mod certify;
pub mod explicit;
pub mod relations;
pub mod system;
