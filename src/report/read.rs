//! Lines of JSON to a run: its problems, each with its properties.
//!
//! The lines are those of docs/schemas/run.schema.json. Lines without a `type` are about properties, as earlier versions
//! wrote them, and fields that are not known are passed over.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

#[derive(Clone, Debug, Default)]
pub struct Run {
    /// In the order in which they first occur.
    pub problems: Vec<Problem>,
}

#[derive(Clone, Debug)]
pub struct Problem {
    pub file: String,
    pub properties: Vec<Property>,
    /// What is said about it as a whole, unless the run was cut short.
    pub summary: Option<Summary>,
    /// Why it was not decided, or not to its end.
    pub errors: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Reachable,
    Unreachable,
    Unknown,
}

impl Verdict {
    pub const ALL: [Verdict; 3] = [Verdict::Reachable, Verdict::Unreachable, Verdict::Unknown];

    pub fn word(self) -> &'static str {
        match self {
            Verdict::Reachable => "reachable",
            Verdict::Unreachable => "unreachable",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A line about a property.
#[derive(Clone, Debug, Deserialize)]
pub struct Property {
    pub file: String,
    pub property: String,
    pub symbol: Option<String>,
    pub verdict: Verdict,
    pub status: Option<String>,
    pub steps: Option<usize>,
    pub inputs: Option<Vec<i32>>,
    pub outputs: Option<Vec<Vec<i32>>>,
    pub engine: Option<String>,
    pub seconds: Option<f64>,
    pub confirmed: Option<bool>,
    pub expected: Option<String>,
    pub reason: Option<String>,
    pub trace: Option<Trace>,
    pub invariant: Option<Vec<String>>,
}

impl Property {
    /// Whether it is decided, and after how many seconds.
    pub fn decided_after(&self) -> Option<f64> {
        self.seconds.filter(|_| self.verdict != Verdict::Unknown)
    }
}

/// Values by name.
pub type Values = serde_json::Map<String, Json>;

/// The witness of a model.
#[derive(Clone, Debug, Deserialize)]
pub struct Trace {
    #[serde(default)]
    pub start: Values,
    #[serde(default)]
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    #[serde(default)]
    pub inputs: Values,
    #[serde(default)]
    pub choices: Values,
    #[serde(default)]
    pub taken: Vec<Json>,
    #[serde(default)]
    pub changes: Values,
}

/// A line about a problem.
#[derive(Clone, Debug, Deserialize)]
pub struct Summary {
    pub file: String,
    pub language: Option<String>,
    pub seconds: Option<f64>,
    #[serde(default)]
    pub sizes: Sizes,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct Sizes {
    pub lines: Option<u64>,
    pub variables: Option<u64>,
    pub inputs: Option<u64>,
    pub properties: Option<u64>,
    pub latches: Option<u64>,
    pub gates: Option<u64>,
    pub abstract_states: Option<u64>,
    #[serde(default)]
    pub passes: Vec<Pass>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Pass {
    pub pass: String,
    pub states: [u64; 2],
    pub expressions: [u64; 2],
}

/// A line about a problem that was not decided.
#[derive(Clone, Debug, Deserialize)]
struct Failure {
    file: String,
    message: String,
}

/// A line that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct BadLine {
    pub line: usize,
    pub reason: String,
}

/// Reads the lines of a run.
pub fn read(text: &str) -> Result<Run, BadLine> {
    let mut run = Run::default();
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
            _ => return Err(bad("unknown `type`; expected `property`, `problem` or `error`".into())),
        }
    }
    if run.problems.is_empty() {
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

/// What is wrong with a text that is no JSON.
fn syntax(error: &serde_json::Error) -> String {
    let column = error.column();
    if error.is_eof() {
        return format!("the line ends in the middle of a JSON object, at column {column}; was the file cut short?");
    }
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("not JSON, at column {column}: {what}")
}
