//! A program in, boxes of states out: products of sets of numbers, in which all states are treated alike.
//!
//! Four ways to them: [`boxes`] that no step leaves and that exclude what should be unreachable, found by division;
//! [`abstraction`] explores regions of values and refines them; [`exact`] finds the machine behind a program, a box for each of its
//! states; [`explorer`] says what a machine is, whoever finds it. What holds throughout: a set of boxes is a proposal,
//! and the checker executes it.

use redoubt_base as base;
use redoubt_bits::{blast, certify, system};
use redoubt_checker as certificate;
use redoubt_engine::engine;
use redoubt_facts::{analysis, claims};
use redoubt_program::{expr, program, simulate, text};
use redoubt_states::explicit;
use redoubt_temporal as temporal;

pub mod abstraction;
pub mod boxes;
pub mod exact;
pub mod explorer;
