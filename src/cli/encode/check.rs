//! `redoubt encode --check`: the changes of encodings since they were written.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use redoubt_base::Interrupt;
use redoubt_compare::snapshot::{self, Change};
use redoubt_driver::encode::EncodeError;

use super::super::check::problems;
use super::super::junit::{self, Case, Suite};
use super::super::output::{count, stdout};
use super::super::{Failure, Outcome, load};
use super::{EncodeArgs, Format, Report};

/// A program, and the file that was once its encoding.
struct Pair {
    files: Vec<PathBuf>,
    snapshot: PathBuf,
}

/// The result for one, and how long that took to find out.
struct Result {
    name: String,
    change: std::result::Result<Change, Failure>,
    time: Duration,
}

/// The endings of snapshots.
const ENDINGS: [(&str, Format); 5] = [
    ("aag", Format::Aag),
    ("aig", Format::Aiger),
    ("cnf", Format::Cnf),
    ("btor2", Format::Btor2),
    ("smt2", Format::Smt2),
];

pub fn run(options: &EncodeArgs, target: &Path, color: bool) -> std::result::Result<Outcome, Failure> {
    let start = SystemTime::now();
    let pairs = if target.is_dir() {
        pairs(options, target)?
    } else {
        vec![Pair { files: options.files.clone(), snapshot: target.to_path_buf() }]
    };
    let results: Vec<Result> = pairs
        .iter()
        .map(|pair| {
            let begun = Instant::now();
            let change = check(options, pair, color);
            Result { name: pair.files[0].to_string_lossy().into_owned(), change, time: begun.elapsed() }
        })
        .collect();
    let mut out = stdout();
    match options.report {
        Report::Text => out.write_all(text(&results).as_bytes())?,
        Report::Junit => {
            let suites: Vec<Suite> = results.iter().map(suite).collect();
            out.write_all(junit::document(&suites, start).as_bytes())?;
        }
    }
    outcome(results)
}

/// The programs, each with the snapshot in the folder that is called like it.
fn pairs(options: &EncodeArgs, folder: &Path) -> std::result::Result<Vec<Pair>, Failure> {
    let wanted = |ending: &&(&str, Format)| options.to.is_none_or(|format| format == ending.1);
    let mut pairs = vec![];
    for problem in problems(&options.files) {
        let stem = problem.files[0].file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = |(ending, _): &(&str, Format)| folder.join(format!("{stem}.{ending}"));
        let found: Vec<PathBuf> = ENDINGS.iter().filter(wanted).map(path).filter(|path| path.is_file()).collect();
        let missing = || vec![ENDINGS.iter().find(wanted).map_or_else(|| folder.join(&stem), path)];
        let found = if found.is_empty() { missing() } else { found };
        pairs.extend(found.into_iter().map(|snapshot| Pair { files: problem.files.clone(), snapshot }));
    }
    Ok(pairs)
}

fn check(options: &EncodeArgs, Pair { files, snapshot }: &Pair, color: bool) -> std::result::Result<Change, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: snapshot.clone(), reason };
    let ending = snapshot.extension().unwrap_or_default().to_string_lossy().into_owned();
    let known = ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format);
    let Some(format) = options.to.or(known) else {
        return Err(Failure::Usage(
            "--check needs --to, or a snapshot called .aag, .aig, .cnf, .btor2 or .smt2".into(),
        ));
    };
    let bytes = std::fs::read(snapshot).map_err(|error| unreadable(error.to_string()))?;
    let program = load::program(files, &options.constants, color)?;
    let interrupt = options.timeout.map_or_else(Interrupt::default, Interrupt::after);
    let change = snapshot::check(&program, format.into(), &options.encoding(), &bytes, &interrupt);
    change.map_err(|error| match error {
        EncodeError::Ended(ended) => Failure::Ended(ended),
        other => unreadable(other.to_string()),
    })
}

impl Result {
    fn word(&self) -> &'static str {
        self.change.as_ref().map_or("failed", Change::word)
    }

    /// Further lines.
    fn lines(&self) -> Vec<String> {
        match &self.change {
            Ok(Change::Unchanged | Change::Equivalent) => vec![],
            Ok(Change::EquivalentOnRuns(lines)) => {
                let same = "every run reaches the same properties, but".to_string();
                [same].into_iter().chain(lines.iter().map(|line| format!("  {line}"))).collect()
            }
            Ok(Change::Different(lines)) => lines.clone(),
            Ok(Change::Unknown(why)) => vec![why.clone()],
            Err(failure) => failure.to_string().lines().map(str::to_string).collect(),
        }
    }
}

fn text(results: &[Result]) -> String {
    let mut text = String::new();
    for result in results {
        text += &format!("{:40}  {}\n", result.name, result.word());
        text.extend(result.lines().iter().map(|line| format!("  {line}\n")));
    }
    let parts = ["unchanged", "equivalent", "different", "unknown", "failed"].map(|word| {
        let number = results.iter().filter(|result| result.word() == word).count();
        (number > 0).then(|| format!("{number} {word}"))
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    text + &format!("{}: {}\n", count(results.len(), "snapshot"), parts.join(", "))
}

fn suite(result: &Result) -> Suite {
    let (seconds, lines) = (result.time.as_secs_f64(), result.lines());
    let detail = lines.join("\n");
    let outcome = match &result.change {
        Ok(Change::Unchanged | Change::Equivalent | Change::EquivalentOnRuns(_)) => junit::Result::Passed,
        Ok(Change::Different(_)) => {
            let message = lines.first().cloned().unwrap_or_default();
            junit::Result::Failed { kind: "different".into(), message, detail }
        }
        Ok(Change::Unknown(_)) => junit::Result::Skipped(detail),
        Err(_) => junit::Result::Error(detail),
    };
    let case = Case { name: "encoding".into(), seconds, result: outcome };
    Suite { name: result.name.clone(), seconds, cases: vec![case], messages: String::new() }
}

fn outcome(results: Vec<Result>) -> std::result::Result<Outcome, Failure> {
    let has = |word: &str| results.iter().any(|result| result.word() == word);
    let outcome = match (has("different"), has("unknown")) {
        (true, _) => Outcome::Violated,
        (false, true) => Outcome::Undecided,
        (false, false) => Outcome::Holds,
    };
    let is_single = results.len() == 1;
    let failure = results.into_iter().find_map(|result| result.change.err());
    match failure {
        Some(failure) if is_single => Err(failure),
        // It has been told in the list.
        Some(failure) if outcome == Outcome::Holds => Err(Failure::Told(failure.exit_code())),
        _ => Ok(outcome),
    }
}
