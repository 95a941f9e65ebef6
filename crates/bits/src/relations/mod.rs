//! Relations between the numbers of a program, found by running it and proved by induction.
//!
//! Bits are weak where numbers are counted and compared: that `x` never exceeds `y` takes very many clauses over their
//! bits. So the program is run on random inputs, and relations that its variables have in common wherever the runs were
//! at the same place are recorded (`candidates`): equations, orders, bounds, and those of the program's own comparisons
//! (`atoms`). Each candidate becomes a latch of the circuit that always has its truth value (`extend`). The candidates
//! that are closed under steps are found as in Houdini (Flanagan and Leino, FME 2001): all are assumed, those that a
//! step breaks are dropped, until none is ([`houdini`]). The rest holds in all reachable states; engines may rely on
//! it, and have the latches as literals besides.

mod affine;
mod atoms;
pub mod candidates;
pub mod extend;
pub mod houdini;
mod linear;
mod samples;

pub use candidates::{Candidate, Candidates, Chain, RANKS, candidates};
pub use extend::{Extended, extend};
pub use samples::constants;
