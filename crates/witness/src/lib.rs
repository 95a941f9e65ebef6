//! Witnesses: runs that are said to reach a property, on their way into files, out of files and through the program.
//!
//! A claim that a property is reachable comes with a run: the inputs of each step. [`json`] and [`svcomp`] write one
//! and read it back, [`replay()`] judges it by running the program, [`compiled`] does so with the original C and a C
//! compiler ([`sequential`] for C with loops), `marks` makes copies of the C that say more about their runs, [`calls`]
//! lists the results of its calls, and [`shorten`] drops unneeded steps from it. Nothing here believes a file.

use redoubt_base as base;
use redoubt_checker as certificate;
use redoubt_circuit as circuit;
use redoubt_facts::analysis;
use redoubt_program::{expr, program, simulate, text};

pub mod calls;
pub mod compiled;
mod java;
pub mod json;
mod marks;
pub mod replay;
pub mod sequential;
pub mod shorten;
pub mod stamp;
pub mod svcomp;

use std::collections::BTreeMap;
use std::fmt;

use crate::program::{Program, PropertyId};

pub use replay::{Replayed, replay};

/// The inputs of each step of a run, one value per input of the program.
pub type Run = Vec<Vec<i32>>;

/// A run, and the property that it claims to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    pub target: Target,
    pub run: Run,
    /// The first step of those that are repeated for ever, if the run never ends.
    pub loop_start: Option<usize>,
    /// The files of the program when it was made: names and SHA-256, if it has them.
    pub files: Vec<(String, String)>,
    /// The constants of a model that had other values than their own.
    pub constants: BTreeMap<String, String>,
}

/// The property that a witness claims to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Property(String),
    /// Whatever is reached at a place: the file's name and the line, from 1.
    Line(String, usize),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Property(name) => f.write_str(name),
            Target::Line(file, line) => write!(f, "{file}:{line}"),
        }
    }
}

/// Why a file is no witness.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ReadError {
    /// Where in the file, if that is known; from 1.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl ReadError {
    pub fn new(message: impl Into<String>) -> ReadError {
        ReadError { line: None, message: message.into() }
    }
}

/// Reads all witnesses in a file, in any of the formats; there is at least one.
pub fn read(program: &Program, text: &str) -> Result<Vec<Witness>, ReadError> {
    read_by(program, text, json::read)
}

/// Reads those that were made with these constants, one of the choices that the file has.
pub fn read_made_with(
    program: &Program,
    constants: &BTreeMap<String, String>,
    text: &str,
) -> Result<Vec<Witness>, ReadError> {
    read_by(program, text, |program, text| json::read_made_with(program, constants, text))
}

fn read_by(
    program: &Program,
    text: &str,
    json: impl FnOnce(&Program, &str) -> Result<Vec<Witness>, ReadError>,
) -> Result<Vec<Witness>, ReadError> {
    let witnesses = match text.trim_start().chars().next() {
        None => return Err(ReadError::new("the file is empty; expected a witness")),
        Some('{') => json(program, text)?,
        Some(_) => svcomp::read(program, text)?,
    };
    if witnesses.is_empty() {
        return Err(ReadError::new(
            "no run of this program in this file; expected a reachable property with its inputs",
        ));
    }
    Ok(witnesses)
}

/// The constants that the witnesses in a file were made with, each choice once and in its order. A file that says nothing of
/// constants has one choice, and that is empty.
pub fn constants(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut choices = if text.trim_start().starts_with('{') { json::constants(text) } else { vec![] };
    if choices.is_empty() {
        choices.push(BTreeMap::new());
    }
    choices
}

/// The property of a name.
pub fn property(program: &Program, name: &str) -> Option<PropertyId> {
    program.properties.iter().position(|property| property.name == name).map(PropertyId::new)
}

impl Witness {
    /// A run that reaches a property of this program.
    pub fn new(program: &Program, property: PropertyId, run: Run) -> Witness {
        Witness::of(program, &program.property(property).name, run, None)
    }

    /// A run that never ends, and violates a property of whole runs.
    pub fn endless(program: &Program, property: &str, run: Run, loop_start: usize) -> Witness {
        Witness::of(program, property, run, Some(loop_start))
    }

    fn of(program: &Program, property: &str, run: Run, loop_start: Option<usize>) -> Witness {
        let (target, files) = (Target::Property(property.into()), stamp::files(&program.sources));
        Witness { target, run, loop_start, files, constants: program.constants.clone() }
    }

    /// The files of the program that have changed since the witness was made.
    pub fn changed_files(&self, program: &Program) -> Vec<String> {
        let now = stamp::files(&program.sources);
        let changed = |(index, (_, hash)): (usize, &(String, String))| {
            let (name, current) = now.get(index)?;
            (current != hash).then(|| name.clone())
        };
        self.files.iter().enumerate().filter_map(changed).collect()
    }
}
