//! The lines of a run (`check --format jsonl`): the verdict on a property, the totals of a problem, and the reasons why
//! something is unknown.
//!
//! Writers and readers share these types; the names of the fields are part of the interface
//! (docs/schemas/run.schema.json). Written records have all of their fields. A reader is tolerant: unknown fields are
//! passed over, unknown words say nothing, and fields that earlier versions did not write may be missing.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use crate::program::{self, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    C,
    Java,
    Mealy,
    Gcl,
    /// Structured Text.
    St,
    /// Models of NuSMV.
    Smv,
    Aiger,
    Btor2,
}

impl Language {
    /// Whether properties hold or are violated, in the words of a model's author.
    pub fn is_model(self) -> bool {
        match self {
            Language::Gcl | Language::St | Language::Smv => true,
            Language::C | Language::Java | Language::Mealy | Language::Aiger | Language::Btor2 => false,
        }
    }
}

impl From<program::Language> for Language {
    fn from(language: program::Language) -> Language {
        match language {
            program::Language::RersC | program::Language::C => Language::C,
            program::Language::RersJava => Language::Java,
            program::Language::Mealy => Language::Mealy,
            program::Language::Gcl => Language::Gcl,
            program::Language::StructuredText => Language::St,
        }
    }
}

/// The subject of a run: its first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "run")]
pub struct Head {
    pub version: String,
    /// When it began, as in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// The machine that it ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// Which part it is, counted from 1, and how many there are.
    pub shard: [usize; 2],
    /// The options that may change an answer.
    pub options: BTreeMap<String, String>,
    /// All problems of all parts, in their order.
    pub problems: Vec<Source>,
}

/// The machine of a run, as far as it explains its times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// As in `linux`.
    pub system: String,
    /// As in `x86_64`.
    pub architecture: String,
    /// The number of threads that can run at once.
    pub cores: usize,
}

impl Machine {
    /// The one that this runs on.
    pub fn here() -> Machine {
        Machine {
            system: std::env::consts::OS.into(),
            architecture: std::env::consts::ARCH.into(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// A problem, and the contents of its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub file: String,
    /// None if they could not be read.
    pub sha256: Option<String>,
    /// The contents of the file of temporal formulas about it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulas: Option<String>,
}

/// An amount: a number, or a word such as `infinity`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    Number(u64),
    Word(String),
}

/// A property and its verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename = "property")]
pub struct Property {
    pub file: String,
    pub property: String,
    /// The constants of a model that have other values than their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, String>,
    /// The name that an AIGER model gives to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// `holds`, `violated` or `unknown`.
    #[serde(default, serialize_with = "status", deserialize_with = "known_status")]
    pub status: Option<Status>,
    /// The same in terms of runs that reach it; an `always` that holds is unreachable.
    pub verdict: Verdict,
    /// The answer to a question for a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Amount>,
    /// The length of the witness.
    pub steps: Option<usize>,
    /// Whether it is known that no witness has fewer steps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
    /// The inputs of the witness of a program.
    pub inputs: Option<Vec<i32>>,
    /// The words that these stand for, if the program reads words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// Whether inputs are what calls returned, which are numbers, rather than letters of an alphabet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_numbers: bool,
    /// The numbers that the program prints in each of these steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<Vec<i32>>>,
    /// The formula, of a temporal property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The run that violates a temporal or a justice property: up to its loop, and around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stem: Option<Part>,
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Part>,
    /// The engine that decided it.
    pub engine: Option<String>,
    /// Since the start of the problem; how long was tried, if it is undecided.
    pub seconds: Option<f64>,
    /// Whether the verdict was checked apart from the engine that found it.
    #[serde(default)]
    pub confirmed: bool,
    /// Whether an engine claimed what its check refuted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// The status that a model or a file of known answers expects.
    #[serde(
        default,
        serialize_with = "status",
        deserialize_with = "known_status",
        skip_serializing_if = "Option::is_none"
    )]
    pub expected: Option<Status>,
    /// Why it is undecided, or where the verdict comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The run of a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// The runs that show, as far as runs can, why a formula of branching time is violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// Why the property is unreachable, as lines that hold in all reachable states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invariant: Option<Vec<String>>,
}

impl Property {
    /// A property about which nothing is known yet.
    pub fn unknown(file: &str, property: &str) -> Property {
        Property {
            file: file.into(),
            property: property.into(),
            constants: BTreeMap::new(),
            symbol: None,
            verdict: Verdict::Unknown,
            status: None,
            value: None,
            steps: None,
            shortest: false,
            inputs: None,
            words: None,
            in_numbers: false,
            outputs: None,
            formula: None,
            stem: None,
            cycle: None,
            engine: Some("none".into()),
            seconds: Some(0.0),
            confirmed: false,
            withdrawn: false,
            expected: None,
            reason: None,
            trace: None,
            tree: None,
            invariant: None,
        }
    }

    pub fn is_decided(&self) -> bool {
        self.verdict != Verdict::Unknown
    }

    /// After how many seconds it was decided, if it is.
    pub fn decided_after(&self) -> Option<f64> {
        self.seconds.filter(|_| self.is_decided())
    }
}

/// A part of a run that never ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Part {
    /// The inputs of a program; none of a circuit.
    pub inputs: Vec<i32>,
    /// The symbols of formulas: inputs that count, and outputs, in their order. Of a circuit, the values of its inputs
    /// in each step.
    pub symbols: Vec<String>,
}

/// A run, and why what matters about its positions is so: a tree of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tree {
    /// Of a circuit: the values of all latches at the first position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// For each position, the inputs of its step: values of all inputs of a circuit, of a program what it reads. Nothing for the
    /// start, before the first step.
    pub steps: Vec<String>,
    /// The first of the positions that are repeated for ever, if the run never ends.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
    /// Further runs, from positions of this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Reason>,
}

/// A run that begins at a position of another one; its first position is that one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reason {
    /// The position, counted from 0.
    pub at: usize,
    #[serde(flatten)]
    pub tree: Tree,
}

/// Values by name.
pub type Values = serde_json::Map<String, Json>;

/// The run of a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Trace {
    /// The choices of an open start.
    pub choices: Values,
    pub start: Values,
    pub steps: Vec<TraceStep>,
    /// The number of steps before those that are repeated for ever, if some are.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub loop_start: Option<usize>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceStep {
    /// When the step begins, if it is a cycle of a PLC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// The new values of changed variables.
    pub changes: Values,
    pub choices: Values,
    pub inputs: Values,
    /// The names of inputs that make no difference here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<String>,
    /// The alternatives and branches that were taken, each with its line and its text.
    pub taken: Vec<Json>,
}

/// A problem when all its properties are through.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename = "problem")]
pub struct Problem {
    pub file: String,
    #[serde(default, deserialize_with = "known")]
    pub language: Option<Language>,
    pub seconds: Option<f64>,
    #[serde(default)]
    pub reachable: usize,
    #[serde(default)]
    pub unreachable: usize,
    #[serde(default)]
    pub unknown: usize,
    #[serde(default)]
    pub sizes: Sizes,
}

/// A problem that was not decided, or not to its end, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename = "error")]
pub struct Failure {
    pub file: String,
    pub message: String,
}

/// The sizes of a problem on its way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sizes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// Variables of the program and cells that it writes, or latches of the model.
    pub variables: Option<usize>,
    pub inputs: Option<usize>,
    pub properties: Option<usize>,
    /// The savings of the passes, in their order.
    #[serde(default)]
    pub passes: Vec<Pass>,
    /// Of the circuit that the engines worked on, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latches: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates: Option<usize>,
    /// Of the abstraction into regions, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abstract_states: Option<usize>,
}

/// The savings of a pass: before and after.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pass {
    pub pass: String,
    /// State variables, or latches.
    pub states: [usize; 2],
    /// Expressions, or gates.
    pub expressions: [usize; 2],
}

fn status<S: Serializer>(status: &Option<Status>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.map_or("unknown", Status::word))
}

fn known_status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Status>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    Ok([Status::Holds, Status::Violated].into_iter().find(|status| Some(status.word()) == word.as_deref()))
}

/// A value, if it is one of those that are known.
fn known<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let value = Option::<String>::deserialize(deserializer)?;
    Ok(value.and_then(|word| T::deserialize(serde::de::value::StringDeserializer::<D::Error>::new(word)).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let mut property = Property::unknown("a.c", "error_0");
        property.status = Some(Status::Holds);
        property.expected = Some(Status::Violated);
        property.trace = Some(Trace { steps: vec![TraceStep::default()], ..Trace::default() });
        let line = serde_json::to_string(&property).expect("text");
        assert!(line.starts_with(r#"{"type":"property","file":"a.c","property":"error_0","status":"holds""#), "{line}");
        let read: Property = serde_json::from_str(&line).expect("our own");
        assert_eq!(serde_json::to_string(&read).expect("text"), line);
        let sizes = Sizes { lines: Some(3), ..Sizes::default() };
        let problem = Problem {
            file: "a.c".into(),
            language: Some(Language::Aiger),
            seconds: Some(1.5),
            reachable: 1,
            unreachable: 2,
            unknown: 3,
            sizes,
        };
        let line = serde_json::to_string(&problem).expect("text");
        let read: Problem = serde_json::from_str(&line).expect("our own");
        assert_eq!(serde_json::to_string(&read).expect("text"), line);
    }

    #[test]
    fn what_is_not_known_is_passed_over() {
        let line = r#"{"file":"a.c","property":"p","verdict":"unknown","status":"open","expected":"maybe","new":[1]}"#;
        let property: Property = serde_json::from_str(line).expect("a property");
        assert_eq!((property.status, property.expected, property.seconds), (None, None, None));
        let problem: Problem =
            serde_json::from_str(r#"{"type":"problem","file":"a","language":"ada"}"#).expect("a problem");
        assert_eq!(problem.language, None);
        let problem: Problem = serde_json::from_str(r#"{"file":"a","language":"gcl"}"#).expect("a problem");
        assert_eq!(problem.language, Some(Language::Gcl));
    }
}
