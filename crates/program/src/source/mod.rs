//! The front ends, which turn text into a [`Program`] or into messages about it.

pub mod c;
mod c_common;
pub mod diagnostic;
pub mod gcl;
mod refused;
pub mod rers_c;
mod syntax;
mod tree;
mod watch;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use refused::Refused;

use redoubt_base::{Interrupt, Limits};
use std::sync::Arc;

use crate::program::Program;
use crate::text::{SourceFile, Sources};

/// A constant of a model, and the value that it gets instead of its own: a number, `true`, `false` or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    pub value: String,
}

/// Why texts are no program: all messages, and what they are about.
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

/// The languages that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Models of controllers.
    Gcl,
    /// C of the RERS challenge: one loop around one step.
    RersC,
    /// C with loops, jumps and calls anywhere.
    C,
}

impl Language {
    /// A model has its ending. A program of the challenge computes outputs or scans inputs; other C is told by what it
    /// asks of verifiers. C that says nothing of itself is taken for a program of the challenge.
    pub fn of(files: &[SourceFile]) -> Language {
        if files.first().is_some_and(|file| file.name.ends_with(".gcl")) {
            return Language::Gcl;
        }
        let mentions = |word: &str| files.iter().any(|file| file.text.contains(word));
        let is_rers = mentions("calculate_output") || mentions("scanf");
        let is_general = !is_rers && (mentions("__VERIFIER_") || mentions("reach_error") || mentions("assert"));
        if is_general { Language::C } else { Language::RersC }
    }

    /// What it is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Language::Gcl => "a model of a controller",
            Language::RersC => "C of the RERS challenge",
            Language::C => "sequential C",
        }
    }
}

/// Reads the files of one program, in the language that they seem to be written in.
pub fn parse(files: Vec<SourceFile>) -> Result<Program, ParseError> {
    match parse_within(files, &[], &Limits::default()) {
        Ok(program) => Ok(program),
        Err(Unread::Refused(error)) => Err(error),
        Err(Unread::Interrupted) => unreachable!("nobody else has this interrupt"),
    }
}

/// Likewise, until the interrupt is raised, and perhaps on several threads. Constants of a model get the values that are set here.
pub fn parse_within(files: Vec<SourceFile>, set: &[Setting], limits: &Limits) -> Result<Program, Unread> {
    let language = Language::of(&files);
    let sources = Arc::new(Sources::new(files));
    let program = match language {
        Language::Gcl => gcl::load_within(Arc::clone(&sources), set, &limits.interrupt),
        Language::RersC => rers_c::load_within(Arc::clone(&sources), limits),
        Language::C => c::load_within(Arc::clone(&sources), &limits.interrupt),
    };
    program.map_err(|refused| match refused {
        Refused::Mistakes(diagnostics) => Unread::Refused(ParseError { diagnostics, sources }),
        Refused::Interrupted => Unread::Interrupted,
    })
}

/// Runs something with an interrupt that is never raised.
fn uninterrupted<T>(run: impl FnOnce(&Interrupt) -> Result<T, Refused>) -> Result<T, Diagnostics> {
    run(&Interrupt::default()).map_err(|refused| match refused {
        Refused::Mistakes(diagnostics) => diagnostics,
        Refused::Interrupted => unreachable!("nobody else has this interrupt"),
    })
}
