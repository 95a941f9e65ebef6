//! What every layer needs and none of them owns: ends of work, limits, threads, progress, chance, hashes, ids, deep recursion,
//! partitions, names that are nearly right.
//!
//! Nothing here knows what a program or a circuit is.

pub mod hash;
mod id;
mod interrupt;
mod limits;
pub mod partition;
pub mod progress;
mod random;
pub mod stack;
pub mod suggest;
pub mod threads;

pub use interrupt::{Cause, Interrupt};
pub use limits::{Ended, Limits, Walked};
pub use random::Random;
pub use threads::Threads;
