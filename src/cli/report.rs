//! `redoubt report`: a run as one page for people.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use redoubt_report::modes::Modes;
use redoubt_report::{self as report, Recorded};

use super::check;
use super::load::{self, Constants};
use super::output::{message, stdout, write_whole};
use super::{Failure, Outcome};

pub const EXAMPLES: &str = "\
Examples:
  redoubt report run.jsonl -o report.html
  redoubt check Problem1.c --format jsonl | redoubt report - -o report.html";

#[derive(Args)]
pub struct ReportArgs {
    /// The output of `check --format jsonl`; - for standard input
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// The page to write; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(options: &ReportArgs) -> Result<Outcome, Failure> {
    let standard = Path::new("-");
    let name = if options.run == standard { "standard input".into() } else { options.run.to_string_lossy() };
    let unreadable = |reason: String| Failure::Unreadable { path: PathBuf::from(name.as_ref()), reason };
    let mut bytes = vec![];
    match options.run == standard {
        true => std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ()),
        false => std::fs::read(&options.run).map(|read| bytes = read),
    }
    .map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(format!("not UTF-8 text, from byte {} on", error.utf8_error().valid_up_to())))?;
    let run = report::read(&text).map_err(|bad| unreadable(bad.to_string()))?;
    let page = report::page(&run, &name, &modes(&run));
    if options.output == standard {
        stdout().write_all(page.as_bytes())?;
    } else {
        write_whole(&options.output, &page)?;
        message(&format!("{} written\n", options.output.display()));
    }
    Ok(Outcome::Holds)
}

/// The modes of the small models of a run, as far as their files still exist unchanged.
fn modes(run: &Recorded) -> Vec<(String, Modes)> {
    let sources = run.head.iter().flat_map(|head| &head.problems);
    let models = sources.filter(|source| load::has_names(&source.file));
    let modes = models.filter_map(|source| {
        let problem = check::problems(&[source.file.clone().into()]).pop()?;
        if source.sha256.is_none() || problem.sha256() != source.sha256 {
            return None;
        }
        let program = load::program(&problem.files, &Constants::default(), false).ok()?;
        Some((source.file.clone(), Modes::of(&program)?))
    });
    modes.collect()
}
