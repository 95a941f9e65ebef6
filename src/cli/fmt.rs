//! `redoubt fmt`: formats models of the guarded-command language.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use redoubt_languages::gcl::format;
use redoubt_program::text::{SourceFile, Sources};

use super::output::{stdout, write_whole};
use super::{Failure, Outcome, load};

pub const EXAMPLES: &str = "\
Examples:
  redoubt fmt elevator.gcl            rewrites the file
  redoubt fmt --check *.gcl           lists the files that are not formatted; exit code 10 if there are any
  redoubt fmt - < elevator.gcl        from standard input to standard output";

#[derive(Args)]
pub struct FmtArgs {
    /// The models; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Change nothing; list the files that are not formatted
    #[arg(long)]
    check: bool,
}

pub fn run(options: &FmtArgs, color: bool) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::Holds;
    for path in &options.files {
        if path == Path::new("-") {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            let formatted = formatted(SourceFile::new("standard input", text), color)?;
            stdout().write_all(formatted.as_bytes())?;
            continue;
        }
        if !load::is_model(&path.to_string_lossy()) {
            let reason = "not a model (.gcl)".into();
            return Err(Failure::Unreadable { path: path.clone(), reason });
        }
        let source = load::read(path)?;
        let before = source.text.clone();
        let after = formatted(source, color)?;
        if before == after {
            continue;
        }
        writeln!(stdout(), "{}", path.display())?;
        if options.check {
            outcome = Outcome::Violated;
        } else {
            write_whole(path, &after)?;
        }
    }
    Ok(outcome)
}

fn formatted(source: SourceFile, color: bool) -> Result<String, Failure> {
    format::format(&source).map_err(|errors| {
        let sources = Arc::new(Sources::new(vec![source]));
        Failure::Source(errors.render(&sources, color))
    })
}
