//! Word-level models: transition systems over bit-vectors of any width and over arrays, as BTOR2 has them.
//!
//! The format is Niemetz, Preiner, Wolf and Biere, "BTOR2, BtorMC and Boolector 3.0" (CAV 2018). [`read`](read()) makes
//! a [`Model`] of a file, [`blast`](blast()) a circuit of that, for the engines; their traces come back as a [`Run`],
//! which the [simulator](simulate) repeats on the words and [`witness`] writes down. The simulator computes with
//! [`Bits`] and shares nothing with the circuits.

pub mod arrays;
pub mod bits;
pub mod blast;
pub mod build;
mod classes;
mod evaluate;
mod model;
pub mod narrow;
mod operator;
#[doc(hidden)]
pub mod random;
mod read;
pub mod simulate;
pub mod witness;
mod write;

pub use bits::Bits;
pub use blast::{Blasted, Places, TooLarge, blast};
pub use evaluate::{Array, Value};
pub use model::{Bad, Input, Justice, Model, Node, NodeId, Sort, State};
pub use operator::{Binary, Unary};
pub use read::{looks_like_btor2, read};
pub use simulate::{Flaw, Run, Stimulus};
pub use write::write;
