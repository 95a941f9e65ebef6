//! The front ends, which turn text into a [`Program`] or into messages about it.

pub mod diagnostic;
pub mod gcl;
pub mod rers_c;
mod syntax;
mod tree;

pub use diagnostic::{Diagnostic, Diagnostics};

use std::sync::Arc;

use crate::program::Program;
use crate::text::{SourceFile, Sources};

/// Why texts are no program: all messages, and what they are about.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .diagnostics.render(.sources, false))]
pub struct ParseError {
    pub diagnostics: Diagnostics,
    pub sources: Arc<Sources>,
}

/// Reads the files of one program: a model if the first one ends in `.gcl`, else C.
pub fn parse(files: Vec<SourceFile>) -> Result<Program, ParseError> {
    let is_model = files.first().is_some_and(|file| file.name.ends_with(".gcl"));
    let sources = Arc::new(Sources::new(files));
    let loaded = if is_model { gcl::load(Arc::clone(&sources)) } else { rers_c::load(Arc::clone(&sources)) };
    loaded.map_err(|diagnostics| ParseError { diagnostics, sources })
}
