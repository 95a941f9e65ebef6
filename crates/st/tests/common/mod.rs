//! The tools that the tests share: random programs, and an interpreter for them.

#![allow(dead_code)]

pub mod interpreter;
pub mod make;
pub mod random;
