//! What every layer needs and none of them owns: ends of work, limits, progress, chance, hashes, ids, deep recursion.
//!
//! Nothing here knows what a program or a circuit is.

pub mod hash;
mod id;
mod interrupt;
mod limits;
pub mod progress;
mod random;
pub mod stack;

pub use interrupt::{Cause, Interrupt};
pub use limits::{Ended, Limits, Walked};
pub use random::Random;
