//! Recursion as deep as the input nests.
//!
//! Programs nest as deeply as their authors like, and a thread's stack is small. Recursion on a tree that the input
//! shapes goes through [`grow`], which moves to the heap when the stack runs out.

/// Left on the stack for calls that do not go through [`grow`].
const RED_ZONE: usize = 64 << 10;

/// The size of each addition.
const SEGMENT: usize = 1 << 20;

/// Runs something with stack enough for one more level.
pub fn grow<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, SEGMENT, run)
}
