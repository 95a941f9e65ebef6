//! The tools that every layer needs and none of them owns: ends of work, limits, threads, progress, chance, hashes,
//! ids, sets of numbers, deep recursion, partitions, names that are nearly right.
//!
//! Nothing here knows programs or circuits.

mod bit_set;
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

pub use bit_set::BitSet;
pub use interrupt::{Cause, Interrupt};
pub use limits::{Ended, Limits, Walked};
pub use random::Random;
pub use threads::Threads;
