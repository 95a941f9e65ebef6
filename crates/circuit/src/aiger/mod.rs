//! The AIGER format: files in, circuits out, and back.
//!
//! The format is Biere, Heljanko and Wieringa, "AIGER 1.9 and beyond" (2011). [`unpack`] takes the bytes of a file,
//! compressed or not, [`read`] makes a model of them and [`write()`] writes a circuit.

mod read;
#[cfg(test)]
mod tests;
mod unpack;
mod write;

pub use read::{Justice, Model, ReadError, read};
pub use unpack::{MAX_BYTES, UnpackError, looks_like_aiger, unpack};
pub use write::{Format, write};
