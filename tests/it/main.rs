//! All integration tests in one crate, so that the verifier is linked once: a module for each thing that is tested.
//!
//! `cargo test --test it faults::` runs those of one module.

mod common;

mod agreement;
mod boxes;
mod branching;
mod certificates;
mod check;
mod cli;
mod compare;
mod diagnostics;
mod diagrams;
mod documentation;
mod encoding_equivalence;
mod encoding_walks;
mod encodings;
mod explicit;
mod faults;
mod formats;
mod gcc;
mod gcl;
mod generated;
mod histories;
mod inductive;
mod intervals;
mod java;
mod layers;
mod liveness;
mod ltl;
mod machines;
mod models;
mod mutants;
mod names;
mod operators;
mod problems;
mod project;
mod rankings;
mod regions;
mod report;
mod robustness;
mod sequential;
mod sets;
mod shards;
mod smv;
mod snapshot;
mod soak;
mod structured_text;
mod values;
mod verdicts;
mod witnesses;
mod words;
