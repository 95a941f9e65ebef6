//! What an expression can be where the numbers that it reads lie in known sets.
//!
//! This is the arithmetic that the checker trusts, and it has it for itself: the analysis that helps to find proofs has
//! another one. A [`NumberSet`] is a list of *runs* `low..high by step`, as a certificate writes it. [`operators`] says
//! what the program's operators make of sets, [`evaluate`](mod@evaluate) what its expressions are in an [`Environment`],
//! and [`refine`](mod@refine) which numbers a condition leaves. All of them may say too much, never too little: what
//! comes out has every number that the program can have. The tests compare with the program's own operators, on all
//! numbers of small sets and at the edges of the 32-bit numbers.

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
