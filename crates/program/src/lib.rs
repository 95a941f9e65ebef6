//! Programs: their text, their meaning, and the front ends that read them.
//!
//! [`text`] holds files and positions, [`expr`] typed expressions, [`program`] the statements that every language is
//! lowered to. [`flow`] makes programs of control-flow automata, [`simulate`] runs a program step by step, which is the
//! reference for everything else that is said about it, and [`source`] has the front ends. Each knows only those before it.

pub mod expr;
pub mod flow;
pub mod program;
pub mod simulate;
pub mod source;
pub mod text;
