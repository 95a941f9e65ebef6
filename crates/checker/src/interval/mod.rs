//! The possible values of an expression where the numbers that it reads lie in known sets.
//!
//! This is the arithmetic that the checker trusts, and it is the checker's own: the analysis that helps to find proofs
//! has another one. A [`NumberSet`] is a list of *runs* `low..high by step`, as a certificate writes it. [`operators`]
//! applies the program's operators to sets, [`evaluate`](mod@evaluate) its expressions in an [`Environment`], and
//! [`refine`](mod@refine) restricts an environment by a condition. All results may be too large, never too small: they
//! include every number that the program can have. The tests compare with the program's own operators, on all numbers
//! of small sets and at the edges of the 32-bit numbers.

pub mod evaluate;
pub mod operators;
mod progression;
pub mod refine;
mod set;
#[cfg(test)]
mod tests;

pub use evaluate::{Arithmetic, Environment, Source};
pub use progression::Progression;
pub use set::NumberSet;
