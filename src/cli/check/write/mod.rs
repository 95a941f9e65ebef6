//! The output formats: one module for each, all of them from the same records.

mod csv;
mod hwmcc;
mod jsonl;
mod junit;
mod sarif;
mod sweep;
mod text;

use std::io;

use redoubt_report::record::Head;

use super::super::output::{count, letter};
use super::collect::{Collection, Entry};
use super::record::{FailureRecord, Part, ProblemRecord, PropertyRecord, Temporal, Verdict};
use super::{CheckArgs, Format, Traces};

/// Writes to standard output as much as its format lets it, as early as it can.
pub trait Writer {
    /// Before anything is known.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// A property is decided, or will not be.
    fn property(&mut self, _record: &PropertyRecord) -> io::Result<()> {
        Ok(())
    }

    /// All properties of a problem are through.
    fn problem(&mut self, record: &ProblemRecord, entry: &Entry) -> io::Result<()>;

    /// A problem could not be decided, or not to its end.
    fn failure(&mut self, _record: &FailureRecord) -> io::Result<()> {
        Ok(())
    }

    /// After everything.
    fn end(&mut self, _collection: &Collection) -> io::Result<()> {
        Ok(())
    }
}

/// The writer for the options, for problems of these names; `head` gives the subject of the run, if a format has that.
pub fn writer(options: &CheckArgs, problems: &[String], head: impl FnOnce() -> Head) -> Box<dyn Writer> {
    if options.model.hwmcc {
        return Box::new(hwmcc::Hwmcc);
    }
    match options.format {
        Format::Text if options.set.iter().any(|sweep| sweep.values.len() > 1) => Box::new(sweep::Sweep),
        format => of_format(format, options.traces(), problems, head),
    }
}

/// The writer of a format.
pub fn of_format(format: Format, traces: Traces, problems: &[String], head: impl FnOnce() -> Head) -> Box<dyn Writer> {
    match format {
        Format::Text => Box::new(text::Text::new(problems, traces)),
        Format::Jsonl => Box::new(jsonl::Jsonl { head: head() }),
        Format::Csv => Box::new(csv::Csv::new(problems)),
        Format::Junit => Box::new(junit::Junit),
        Format::Sarif => Box::new(sarif::Sarif),
    }
}

/// A verdict in a few words, without the run.
fn summary(record: &PropertyRecord) -> String {
    let word = record.shown.word;
    let known = match record.expected.filter(|_| record.is_unwanted()) {
        Some(expected) => format!(", expected: {}", expected.word()),
        None => String::new(),
    };
    if let Some(how) = &record.shown.how {
        return format!("{word} {how}{known}");
    }
    match (record.steps, &record.reason) {
        (Some(steps), _) => format!("{word} after {}{known}", count(steps, "step")),
        (None, Some(reason)) => format!("{word} ({reason})"),
        (None, None) => format!("{word}{known}"),
    }
}

/// The most letters of a witness that are shown to people.
const LETTERS: usize = 60;

/// The inputs that reach a label of a program: in letters, or in numbers with a semicolon behind each step that has several.
fn witness(record: &PropertyRecord) -> String {
    let inputs = record.inputs.as_deref().unwrap_or_default();
    let written = if record.in_numbers { |input: i32| input.to_string() } else { letter };
    let of_step = inputs.len() / record.steps.unwrap_or(1).max(1);
    let shown: Vec<String> = match &record.words {
        Some(words) => words.iter().take(LETTERS).cloned().collect(),
        None => inputs.iter().take(LETTERS).map(|&input| written(input)).collect(),
    };
    let text = match record.in_numbers && of_step > 1 {
        true => shown.chunks(of_step).map(|step| step.join(" ")).collect::<Vec<_>>().join("; "),
        false => shown.join(" "),
    };
    text + if inputs.len() > LETTERS { " ... (--format jsonl has all)" } else { "" }
}

/// The inputs of an infinite run, in letters or, of a circuit, in bits, with those that are repeated in brackets.
fn lasso(record: &PropertyRecord) -> String {
    let inputs = |part: &Option<Part>| match part {
        Some(part) if record.shown.temporal == Some(Temporal::Justice) => part.symbols.clone(),
        Some(part) => part.inputs.iter().map(|&input| letter(input)).collect(),
        None => vec![],
    };
    let (stem, cycle) = match (&record.words, &record.stem) {
        (Some(words), Some(part)) => {
            let (stem, cycle) = words.split_at(part.inputs.len().min(words.len()));
            (stem.to_vec(), cycle.to_vec())
        }
        _ => (inputs(&record.stem), inputs(&record.cycle)),
    };
    let longest = stem.iter().chain(&cycle).map(String::len).max().unwrap_or(0);
    if longest == 0 || (stem.len() + cycle.len()) * longest > LETTERS {
        return format!("{} and {} for ever (--format jsonl has them)", count(stem.len(), "step"), cycle.len());
    }
    let stem = if stem.is_empty() { String::new() } else { format!("{} ", stem.join(" ")) };
    format!("{stem}({})", cycle.join(" "))
}

/// A property as a row of a table.
pub fn row(record: &PropertyRecord) -> String {
    let name = match &record.symbol {
        Some(symbol) => format!("{} {symbol}", record.property),
        None => record.property.clone(),
    };
    let shortest = if record.shortest { " (shortest)" } else { "" };
    let detail = match (record.steps, &record.inputs, &record.reason) {
        _ if record.cycle.is_some() => lasso(record),
        (Some(steps), Some(_), _) => format!("{}{shortest}: {}", count(steps, "step"), witness(record)),
        (Some(steps), None, _) => count(steps, "step") + shortest,
        (None, _, Some(reason)) => format!("({reason})"),
        (None, _, None) if record.verdict == Verdict::Unreachable && !record.confirmed => "(not confirmed)".into(),
        (None, _, None) => String::new(),
    };
    format!("{name:20}  {:11}  {detail}", record.shown.word).trim_end().to_string()
}
