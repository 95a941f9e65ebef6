//! Programs: their text and their meaning.
//!
//! [`text`] holds files and positions, [`expr`] typed expressions, [`program`] the statements that every language is
//! lowered to. [`flow`] makes programs of control-flow automata, and [`simulate`] runs a program step by step, which is the
//! reference for everything else that is said about it. Each knows only those before it.

pub mod expr;
pub mod flow;
pub mod program;
pub mod simulate;
pub mod text;
