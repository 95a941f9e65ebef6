//! Files to programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use redoubt::program::Program;
use redoubt::source::{MAX_FILE_BYTES, SourceFile, Sources, gcl, rers_c};

use super::Failure;

/// Whether a command-line argument names a source file rather than an input.
pub fn is_source(argument: &str) -> bool {
    let extension = Path::new(argument).extension();
    extension.is_some_and(|extension| extension == "c" || extension == "i") || is_model(argument)
}

/// Whether it names a model in the guarded-command language.
pub fn is_model(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|extension| extension == "gcl")
}

/// Reads the files of one program.
pub fn program(paths: &[PathBuf], color: bool) -> Result<Program, Failure> {
    let mut files = vec![];
    for path in paths {
        files.push(read(path)?);
    }
    let sources = Arc::new(Sources::new(files));
    let models = paths.iter().filter(|path| is_model(&path.to_string_lossy())).count();
    let loaded = match models {
        0 => rers_c::load(Arc::clone(&sources)),
        _ if models == paths.len() => gcl::load(Arc::clone(&sources)),
        _ => return Err(Failure::Usage("a program is written in one language: .c files or .gcl files".into())),
    };
    loaded.map_err(|errors| Failure::Source(errors.render(&sources, color)))
}

pub fn read(path: &Path) -> Result<SourceFile, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    if !is_source(&path.to_string_lossy()) {
        return Err(unreadable("unknown kind of file; expected a C program (.c) or a model (.gcl)".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(unreadable(format!("larger than {MAX_FILE_BYTES} bytes")));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(format!("not UTF-8 text, from byte {} on", error.utf8_error().valid_up_to())))?;
    Ok(SourceFile::new(path.to_string_lossy(), text))
}
