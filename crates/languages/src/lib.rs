//! The languages that are read, and which of them a file is written in.
//!
//! To add one: a variant of [`Language`] and what follows from it, its front end in a crate of its own, and its arm in [`parse_within`].

use redoubt_base::Limits;
use std::sync::Arc;

pub use redoubt_program::program::Language;
use redoubt_program::program::Program;
use redoubt_program::text::{SourceFile, Sources};
pub use redoubt_reading::{Diagnostic, Diagnostics, Refused, Setting};
pub use {redoubt_c as c, redoubt_gcl as gcl, redoubt_mealy as mealy, redoubt_rers as rers, redoubt_st as st};

/// Why texts are no program: all messages, and the files that they are about.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .diagnostics.render(.sources, false))]
pub struct ParseError {
    pub diagnostics: Diagnostics,
    pub sources: Arc<Sources>,
}

/// Why reading came to no program.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unread {
    #[error(transparent)]
    Refused(#[from] ParseError),
    #[error("reading was ended before it was done")]
    Interrupted,
}

/// The language that files are written in. A model has its ending. A program of the challenge computes outputs or scans inputs;
/// other C is recognised by its calls to verifiers. C without such signs is taken for a program of the challenge.
pub fn language_of(files: &[SourceFile]) -> Language {
    if files.first().is_some_and(|file| file.name.ends_with(".gcl")) {
        return Language::Gcl;
    }
    if files.first().is_some_and(|file| file.name.ends_with(".java")) {
        return Language::RersJava;
    }
    if files.first().is_some_and(|file| file.name.ends_with(".dot")) {
        return Language::Mealy;
    }
    if files.first().is_some_and(|file| is_structured_text(&file.name)) {
        return Language::StructuredText;
    }
    let mentions = |word: &str| files.iter().any(|file| file.text.contains(word));
    let is_rers = mentions("calculate_output") || mentions("scanf");
    let is_general = !is_rers && (mentions("__VERIFIER_") || mentions("reach_error") || mentions("assert"));
    if is_general { Language::C } else { Language::RersC }
}

/// Whether a file has an ending of Structured Text, the second one being Siemens'.
pub fn is_structured_text(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".st") || name.ends_with(".scl")
}

/// What can be set for sequential C: `room` for how much is allocated at one place at a time and how deep calls nest, and
/// `data_model`, which is `ilp32` or `lp64`.
pub const C_SETTINGS: [&str; 2] = ["room", "data_model"];

/// How sequential C is to be read. What has no meaning is as if it were not there.
fn reading(set: &[Setting]) -> redoubt_c::Reading {
    let mut reading = redoubt_c::Reading::default();
    for Setting { name, value } in set {
        match (name.as_str(), value.to_ascii_lowercase().as_str()) {
            ("room", value) => {
                let room = value.parse().unwrap_or(reading.room);
                reading.room = room.clamp(1, redoubt_c::MOST_ROOM);
            }
            ("data_model", "lp64") => reading.model = redoubt_c::Model::LP64,
            ("data_model", "ilp32") => reading.model = redoubt_c::Model::ILP32,
            _ => {}
        }
    }
    reading
}

/// Reads the files of one program, in the language that they seem to be written in.
pub fn parse(files: Vec<SourceFile>) -> Result<Program, ParseError> {
    match parse_within(files, &[], &Limits::default()) {
        Ok(program) => Ok(program),
        Err(Unread::Refused(error)) => Err(error),
        Err(Unread::Interrupted) => unreachable!("nobody else has this interrupt"),
    }
}

/// The same, until the interrupt is raised, and perhaps on several threads. Constants of a model get the values that
/// are set here.
pub fn parse_within(files: Vec<SourceFile>, set: &[Setting], limits: &Limits) -> Result<Program, Unread> {
    let language = language_of(&files);
    let sources = Arc::new(Sources::new(files));
    let reading = reading(set);
    let program = match language {
        Language::Gcl => redoubt_gcl::load_within(Arc::clone(&sources), set, &limits.interrupt),
        Language::RersC => redoubt_rers::load_within(Arc::clone(&sources), redoubt_rers::Dialect::C, limits),
        Language::RersJava => redoubt_rers::load_within(Arc::clone(&sources), redoubt_rers::Dialect::Java, limits),
        Language::C => redoubt_c::load_within(Arc::clone(&sources), reading, &limits.interrupt).map(|program| {
            let constants = set.iter().filter(|setting| C_SETTINGS.contains(&setting.name.as_str()));
            let constants = constants.map(|setting| (setting.name.clone(), setting.value.clone())).collect();
            Program { constants, ..program }
        }),
        Language::Mealy => redoubt_mealy::load_within(Arc::clone(&sources), &limits.interrupt),
        Language::StructuredText => redoubt_st::load_within(Arc::clone(&sources), &limits.interrupt),
    };
    program.map_err(|refused| match refused {
        Refused::Mistakes(diagnostics) => Unread::Refused(ParseError { diagnostics, sources }),
        Refused::Interrupted => Unread::Interrupted,
    })
}
