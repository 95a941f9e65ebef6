//! A program in, its own states out: each visited once, by machine code where there is some for the processor.
//!
//! In: a program and its facts. Out: runs that reach properties, the table of all states, their machine; and, of the graph of a model's states,
//! the [`ranking`] that shows what all its runs do. What holds throughout: a state is visited in one way only, and what ends a search early is said.

use redoubt_base as base;
use redoubt_checker as certificate;
use redoubt_facts::analysis;
use redoubt_program::{expr, program, simulate};
use redoubt_temporal as temporal;

pub mod explicit;
pub mod ranking;
