//! `redoubt merge`: the lines of all parts of a run (`--shard`) to the result of the whole, as one run would have written it.
//!
//! Only parts that belong together are merged: they must be about the same files with the same contents, and must have
//! been run with the same options. Every part must be there once, and complete. Journals are joined in the same way
//! ([`journals`]), and need not be complete.

mod journals;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use redoubt_base::hash::sha256;
use redoubt_program::program::Status;
use redoubt_report::read::Problem as Said;
use redoubt_report::record::{Head, Machine, Source};
use redoubt_report::{self as report, Recorded};
use redoubt_witness::stamp;

use super::super::expected::Answers;
use super::super::{Failure, Outcome};
use super::collect::{Collection, Entry};
use super::formulas;
use super::options::{CheckArgs, Format, Traces};
use super::record::{FailureRecord, Language, ProblemRecord, PropertyRecord, Shown, Temporal, Told, Verdict};
use super::set::{Problem, natural_order};
use super::shard::{Shard, Share};
use super::write::{self, Writer};

pub const MERGE_EXAMPLES: &str = "\
Examples:
  redoubt check problems/ --shard 1/2 --format jsonl > 1.jsonl
  redoubt check problems/ --shard 2/2 --format jsonl > 2.jsonl
  redoubt merge 1.jsonl 2.jsonl
  redoubt merge 1.jsonl 2.jsonl --format csv > submission.csv
  redoubt merge 1.journal 2.journal -o all.journal; redoubt check problems/ --resume all.journal";

#[derive(Args)]
pub struct MergeOptions {
    /// The output of each `check --shard I/N --format jsonl`, or their journals
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// The format of the verdicts
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Compare with known answers: a table with the columns file, property and expected
    #[arg(long, value_name = "FILE.csv")]
    expect: Vec<PathBuf>,

    /// Where to write the journal, if journals are merged
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The first line of a run.
pub fn head(options: &CheckArgs, problems: &[Problem], shard: Shard) -> Head {
    let source = |problem: &Problem| Source {
        file: problem.name(),
        sha256: problem.sha256(),
        formulas: formulas::file(&problem.files[0], options).and_then(|path| Some(sha256(&std::fs::read(path).ok()?))),
    };
    Head {
        version: env!("CARGO_PKG_VERSION").into(),
        started: Some(stamp::now()),
        machine: Some(Machine::here()),
        shard: [shard.number, shard.of],
        options: options.in_words(),
        problems: problems.iter().map(source).collect(),
    }
}

/// A part of a run, with the file that it was read from.
struct Part {
    path: PathBuf,
    head: Head,
    run: Recorded,
}

pub fn merge(options: &MergeOptions) -> Result<Outcome, Failure> {
    if options.runs.iter().any(|path| journals::is_journal(path)) {
        return journals::join(options);
    }
    if options.output.is_some() {
        return Err(Failure::Usage("--output is for journals; other results are written to standard output".into()));
    }
    let parts = options.runs.iter().map(Part::read).collect::<Result<Vec<Part>, Failure>>()?;
    let head = complete(&parts)?;
    let problems: Vec<Problem> = head.problems.iter().map(problem).collect();
    let names: Vec<String> = problems.iter().map(Problem::name).collect();
    let answers = (!options.expect.is_empty()).then(|| Answers::read(&options.expect)).transpose()?;
    let mut collection = Collection::new(&problems, answers.as_ref());
    let all = parts.iter().flat_map(|part| &part.run.problems);
    let seconds: f64 = all.filter_map(|problem| problem.summary.as_ref()?.seconds).fold(0.0, |all, one| all + one);
    collection.took = Some(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    let whole = Head { shard: [1, 1], ..head.clone() };
    let mut writer = write::of_format(options.format, Traces::None, &names, || whole);
    writer.begin()?;
    for entry in &mut collection.entries {
        settle(entry, &parts, &mut *writer)?;
    }
    writer.end(&collection)?;
    collection.outcome(false)
}

impl Part {
    fn read(path: &PathBuf) -> Result<Part, Failure> {
        let unreadable = |reason: String| Failure::Unreadable { path: path.clone(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        let mut run = report::read(&text).map_err(|bad| unreadable(bad.to_string()))?;
        let head = run.head.take().ok_or_else(|| {
            unreadable("this is no part of a run; expected the lines of `check --shard I/N --format jsonl`".into())
        })?;
        Ok(Part { path: path.clone(), head, run })
    }

    /// Why it cannot be merged.
    fn refuse(&self, reason: String) -> Failure {
        Failure::Unreadable { path: self.path.clone(), reason }
    }
}

/// Makes sure that the parts belong together and are all there; what they have in common.
fn complete(parts: &[Part]) -> Result<&Head, Failure> {
    let first = &parts[0];
    let [_, of] = first.head.shard;
    let mut seen: Vec<Option<&Part>> = vec![None; of];
    for part in parts {
        let name = first.path.display();
        let Head { version, shard: [number, all], options, problems, .. } = &part.head;
        if *version != first.head.version {
            let other = &first.head.version;
            return Err(part.refuse(format!("written by version {version}, but {name} by version {other}")));
        }
        if *options != first.head.options {
            return Err(part.refuse(format!("was run with other options than {name}")));
        }
        if *problems != first.head.problems {
            return Err(part.refuse(difference(problems, &first.head.problems, &name.to_string())));
        }
        if *all != of || !(1..=of).contains(number) {
            return Err(part.refuse(format!("is part {number}/{all}, but {name} is one of {of}")));
        }
        if let Some(other) = seen[number - 1].replace(part) {
            return Err(part.refuse(format!("is part {number}/{of}, and so is {}", other.path.display())));
        }
        part.run.problems.iter().try_for_each(|problem| whole(part, problem))?;
    }
    let missing: Vec<String> =
        (1..=of).filter(|number| seen[number - 1].is_none()).map(|number| format!("{number}/{of}")).collect();
    match missing.is_empty() {
        true => Ok(&first.head),
        false => Err(Failure::Usage(format!("missing: {}", missing.join(", ")))),
    }
}

/// The differences between two lists of problems, in words.
fn difference(these: &[Source], those: &[Source], name: &str) -> String {
    let changed = these.iter().find(|this| those.iter().any(|that| this.file == that.file && *this != that));
    match changed {
        Some(Source { file, .. }) => format!("{file} was not the same as for {name}"),
        None => format!("is about other files than {name}"),
    }
}

/// Makes sure that a part was done with a problem, or says why it could not be.
fn whole(part: &Part, problem: &Said) -> Result<(), Failure> {
    let told = problem.properties.len();
    match &problem.summary {
        Some(summary) if told == summary.reachable + summary.unreachable + summary.unknown => Ok(()),
        None if !problem.errors.is_empty() => Ok(()),
        _ => Err(part.refuse(format!("ends before it is done with {}; was it cut short?", problem.file))),
    }
}

/// A problem as it was named; its files need not be here.
fn problem(source: &Source) -> Problem {
    Problem { files: vec![source.file.clone().into()], set: vec![], flaw: None, share: Share::whole() }
}

/// Fills in the common data of all parts about a problem, and writes it.
fn settle(entry: &mut Entry, parts: &[Part], writer: &mut dyn Writer) -> Result<(), Failure> {
    let all = parts.iter().flat_map(|part| &part.run.problems);
    let said: Vec<&Said> = all.filter(|problem| problem.file == entry.name).collect();
    if let Some(message) = said.iter().find_map(|problem| problem.errors.first()) {
        entry.fail(&Failure::Told(super::super::UNREADABLE));
        writer.failure(&FailureRecord { file: entry.name.clone(), message: message.clone() })?;
        return Ok(());
    }
    let summaries: Vec<_> = said.iter().filter_map(|problem| problem.summary.clone()).collect();
    let Some(first) = summaries.first() else {
        return Err(Failure::Usage(format!("missing: no part has anything about {}", entry.name)));
    };
    let mut record = ProblemRecord::new(first.file.clone(), first.language.unwrap_or(Language::C), first.sizes.clone());
    let mut records: Vec<PropertyRecord> =
        said.iter().flat_map(|problem| &problem.properties).map(|line| shown(line.clone(), first.language)).collect();
    records.sort_by(|a, b| natural_order(&a.property, &b.property));
    record.names = records.iter().map(|record| record.property.clone()).collect();
    record.names.extend(records.iter().filter_map(|record| record.symbol.clone()));
    record.sizes.properties = Some(records.len());
    record.seconds = Some(summaries.iter().filter_map(|summary| summary.seconds).fold(0.0, |all, one| all + one));
    let mut names = HashSet::new();
    if let Some(twice) = records.iter().find(|record| !names.insert(record.property.clone())) {
        return Err(Failure::Usage(format!("{}: {} was decided by two parts", entry.name, twice.property)));
    }
    entry.start(record.clone(), records.clone());
    for property in records {
        writer.property(entry.property(property))?;
    }
    let took = Duration::try_from_secs_f64(record.seconds()).unwrap_or_default();
    if let Some(record) = entry.finish(Some(record), took).cloned() {
        writer.problem(&record, entry)?;
    }
    Ok(())
}

/// A line with the words for it.
fn shown(line: redoubt_report::record::Property, language: Option<Language>) -> PropertyRecord {
    let is_justice = matches!(language, Some(Language::Aiger | Language::Btor2)) && line.property.starts_with('j');
    let temporal = match (&line.formula, is_justice) {
        (Some(_), _) => Some(Temporal::Formula),
        (None, true) => Some(Temporal::Justice),
        (None, false) => None,
    };
    let is_model = language.is_some_and(Language::is_model);
    let says_status = temporal.is_some() || is_model;
    let word = match (line.verdict, line.status) {
        (Verdict::Unknown, _) => Verdict::Unknown.word(),
        // Goals are called reachable, or not, also in models.
        (Verdict::Reachable, Some(Status::Violated)) | (Verdict::Unreachable, Some(Status::Holds)) if says_status => {
            line.status.map_or("", Status::word)
        }
        (verdict, _) => verdict.word(),
    };
    let temporal = temporal.filter(|_| !is_model);
    let told = if is_model { Told::Sentence } else { Told::Row };
    PropertyRecord { line, shown: Shown { word, temporal, told, ..Shown::default() } }
}
