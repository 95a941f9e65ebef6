//! The values that the variables of a program can have, by abstract interpretation.
//!
//! [`domain`] is the lattice, [`env`](mod@env) evaluates expressions in it and refines it by conditions, [`flow`] walks
//! the program, through its calls, until nothing grows any more. The results say which branches are dead, bound the
//! bits that a variable takes, and are where the abstraction into regions begins. [`slice`](mod@slice) tells which part
//! of a step matters at all, `cells` where comparisons cut the numbers, `counters` which of them count. [`Facts`] keeps
//! the results.

mod cells;
mod counters;
pub mod domain;
pub mod env;
mod facts;
pub mod flow;
pub mod slice;

pub use cells::Cells;
pub use domain::Values;
pub use env::Env;
pub use facts::Facts;
