//! Lines of JSON to a run: its problems, each with its properties.
//!
//! The lines are those of docs/schemas/run.schema.json. Lines without a `type` are about properties, as earlier versions
//! wrote them, and fields that are not known are passed over.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::record::Failure;
pub use crate::record::Head;
pub use crate::record::{Language, Pass, Problem as Summary, Property, Trace, TraceStep, Values, Verdict};

#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Its subject, in its own words; earlier versions had none.
    pub head: Option<Head>,
    /// In the order in which they first occur.
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug)]
pub struct Problem {
    pub file: String,
    pub properties: Vec<Property>,
    /// The totals of the whole problem, unless the run was cut short.
    pub summary: Option<Summary>,
    /// Why it was not decided, or not to its end.
    pub errors: Vec<String>,
}

/// A line that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct BadLine {
    pub line: usize,
    pub reason: String,
}

/// Reads the lines of a run.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut run = Recorded::default();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut last = 0;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        last = index + 1;
        let bad = |reason: String| BadLine { line: index + 1, reason };
        let json: Json = serde_json::from_str(line).map_err(|error| bad(syntax(&error)))?;
        let Some(object) = json.as_object() else { return Err(bad("expected an object, `{...}`".into())) };
        let kind = object.get("type").map_or(Some("property"), Json::as_str).map(String::from);
        let mut problem = |file: &str| {
            let place = *places.entry(file.to_string()).or_insert(run.problems.len());
            if place == run.problems.len() {
                run.problems.push(Problem {
                    file: file.to_string(),
                    properties: vec![],
                    summary: None,
                    errors: vec![],
                });
            }
            place
        };
        match kind.as_deref() {
            Some("run") => {
                let head: Head = fields(json).map_err(bad)?;
                // Whole runs may follow each other, as those that are written to one file do.
                let is_whole = |head: &Head| head.shard == [1, 1];
                let follows = run.head.as_ref().map_or(!run.problems.is_empty(), |first| !is_whole(first));
                if follows || run.head.is_some() && !is_whole(&head) {
                    return Err(bad("a part of a run begins here; expected only one in a file".into()));
                }
                run.head.get_or_insert(head);
            }
            Some("property") => {
                let property: Property = fields(json).map_err(bad)?;
                not_negative(property.seconds).map_err(bad)?;
                let place = problem(&property.file);
                run.problems[place].properties.push(property);
            }
            Some("problem") => {
                let summary: Summary = fields(json).map_err(bad)?;
                not_negative(summary.seconds).map_err(bad)?;
                let place = problem(&summary.file);
                run.problems[place].summary = Some(summary);
            }
            Some("error") => {
                let failure: Failure = fields(json).map_err(bad)?;
                let place = problem(&failure.file);
                run.problems[place].errors.push(failure.message);
            }
            _ => return Err(bad("unknown `type`; expected `run`, `property`, `problem` or `error`".into())),
        }
    }
    // A part of a run may have nothing to do.
    if run.problems.is_empty() && run.head.is_none() {
        let reason = "nothing to report; expected the lines of `redoubt check --format jsonl`".into();
        return Err(BadLine { line: last.max(1), reason });
    }
    Ok(run)
}

fn fields<T: DeserializeOwned>(json: Json) -> Result<T, String> {
    serde_json::from_value(json).map_err(|error| error.to_string())
}

fn not_negative(seconds: Option<f64>) -> Result<(), String> {
    match seconds {
        Some(seconds) if seconds < 0.0 => Err(format!("`seconds` is {seconds}; expected no negative number")),
        _ => Ok(()),
    }
}

/// The mistake in a text that is no JSON.
fn syntax(error: &serde_json::Error) -> String {
    let column = error.column();
    if error.is_eof() {
        return format!("the line ends in the middle of a JSON object, at column {column}; was the file cut short?");
    }
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("not JSON, at column {column}: {what}")
}
