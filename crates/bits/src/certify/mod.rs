//! Proofs to certificates of the program that they are about.
//!
//! [`mod@derive`] translates invariants of circuits to the program's own variables, [`branching`] proofs of formulas of
//! branching time (about the circuit), [`certifier`] lets each be checked as soon as it is there. Nothing here has to
//! be believed: the checker ([`crate::certificate`]) takes only claims that hold of the program.

pub mod branching;
pub mod certifier;
pub mod derive;
