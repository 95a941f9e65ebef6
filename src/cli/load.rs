//! Files to programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use redoubt::program::Program;
use redoubt::source::{MAX_FILE_BYTES, SourceFile, Sources, rers_c};

use super::Failure;

/// Whether a command-line argument names a source file rather than an input.
pub fn is_source(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// Reads the files of one program.
pub fn program(paths: &[PathBuf], color: bool) -> Result<Program, Failure> {
    let mut files = vec![];
    for path in paths {
        files.push(read(path)?);
    }
    let sources = Arc::new(Sources::new(files));
    rers_c::load(Arc::clone(&sources)).map_err(|errors| Failure::Source(errors.render(&sources, color)))
}

fn read(path: &Path) -> Result<SourceFile, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    if !is_source(&path.to_string_lossy()) {
        return Err(unreadable("unknown kind of file; expected a C program (.c)".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(unreadable(format!("larger than {MAX_FILE_BYTES} bytes")));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(format!("not UTF-8 text, from byte {} on", error.utf8_error().valid_up_to())))?;
    Ok(SourceFile::new(path.to_string_lossy(), text))
}
