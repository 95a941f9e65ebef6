//! The files that something was made for, and the time: hashes, times and identifiers.

use std::time::SystemTime;

pub use crate::base::hash::{sha256, uuid};
use crate::circuit::{Circuit, aiger};
use crate::program::Program;
use crate::text::Sources;

/// The names of the files of a program and their SHA-256.
pub fn files(sources: &Sources) -> Vec<(String, String)> {
    sources.files().iter().map(|file| (file.name.clone(), sha256(file.text.as_bytes()))).collect()
}

/// One SHA-256 for all files of a program, whatever they are called, and for the constants that have been set.
pub fn program(program: &Program) -> String {
    let mut parts: Vec<String> = files(&program.sources).into_iter().map(|(_, hash)| hash).collect();
    parts.extend(program.constants.iter().map(|(name, value)| format!(" {name}={value}")));
    if let [only] = parts.as_slice() { only.clone() } else { sha256(parts.concat().as_bytes()) }
}

/// A SHA-256 of the behaviour of a circuit, however it was written.
pub fn circuit(circuit: &Circuit) -> String {
    let mut text = vec![];
    let written = aiger::write(&mut text, circuit, aiger::Format::Ascii, "");
    debug_assert!(written.is_ok(), "writing to memory does not fail");
    sha256(&text)
}

/// The time now, as ISO 8601 writes it.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
