//! From text to syntax trees: the tools that the front ends share.
//!
//! - [`diagnostic`]: messages with the place they are about, rendered with the source line;
//! - [`refused`]: why a text is no program, collected over all of its parts;
//! - [`watch`]: parsing that an interrupt can end;
//! - [`tree`], [`syntax`]: ANTLR's parse trees, and its syntax errors as messages for people;
//! - [`c_common`]: the tools that the front ends for C share.

pub mod c_common;
pub mod diagnostic;
pub mod refused;
pub mod syntax;
pub mod tree;
pub mod watch;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use refused::{Refused, uninterrupted};

/// A constant of a model, and the value that it gets instead of its own: a number, `true`, `false` or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    pub value: String,
}
