//! What is known about a property and about a problem, in the form that all ways of writing share.
//!
//! As JSON these are the lines of `--format jsonl`; the names of the fields are part of the interface
//! (docs/schemas/run.schema.json).

use redoubt::program::{PropertyKind, Status};
use serde::Serialize;
use serde_json::Value as Json;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Reachable,
    Unreachable,
    Unknown,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Reachable => "reachable",
            Verdict::Unreachable => "unreachable",
            Verdict::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    C,
    Gcl,
    Aiger,
}

/// A property and its verdict.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename = "property")]
pub struct PropertyRecord {
    pub file: String,
    pub property: String,
    /// The name that an AIGER model gives to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    pub verdict: Verdict,
    /// `holds`, `violated` or `unknown`.
    #[serde(serialize_with = "status")]
    pub status: Option<Status>,
    /// The length of the witness.
    pub steps: Option<usize>,
    /// Whether it is known that no witness has fewer steps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
    /// The inputs of the witness of a C program.
    pub inputs: Option<Vec<i32>>,
    /// The numbers that the C program prints in each of these steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<Vec<i32>>>,
    pub engine: &'static str,
    /// Since the start of the problem.
    pub seconds: f64,
    /// Whether the verdict was checked apart from the engine that found it.
    pub confirmed: bool,
    /// What a model or a file of known answers says that the status is.
    #[serde(serialize_with = "status", skip_serializing_if = "Option::is_none")]
    pub expected: Option<Status>,
    /// Why it is undecided, where that is known, or where the verdict comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The run of a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Json>,
    /// Why the property is unreachable, as lines that hold in all reachable states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invariant: Option<Vec<String>>,
    #[serde(skip)]
    pub shown: Shown,
}

/// What only people are shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The verdict in the words of the language.
    pub word: &'static str,
    /// In place of a line: what is to be said about a property of a model.
    pub text: Option<String>,
    /// File, line and column of the property, counted from 1.
    pub place: Option<(String, usize, usize)>,
    /// Whether the verdict contradicts a file of known answers.
    pub is_wrong: bool,
    /// Whether an engine claimed what its check refuted.
    pub is_withdrawn: bool,
    /// Whether no engine can decide it, whatever it is given.
    pub is_out_of_reach: bool,
    /// What kind of property it is; none for circuits.
    pub kind: Option<PropertyKind>,
}

/// A problem when all its properties are through.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename = "problem")]
pub struct ProblemRecord {
    pub file: String,
    pub language: Language,
    pub seconds: f64,
    pub reachable: usize,
    pub unreachable: usize,
    pub unknown: usize,
    pub sizes: Sizes,
    /// Notes, warnings and statistics, for standard error.
    #[serde(skip)]
    pub messages: String,
    /// The names of all its properties, also of those that nobody asked for.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Whether the search of states ended for lack of memory.
    #[serde(skip)]
    pub is_memory_full: bool,
}

/// A problem that was not decided, or not to its end, and why.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename = "error")]
pub struct FailureRecord<'f> {
    pub file: &'f str,
    pub message: &'f str,
}

/// How large a problem was on its way.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sizes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// Variables of the program and cells that it writes, or latches of the model.
    pub variables: usize,
    pub inputs: usize,
    pub properties: usize,
    /// What the passes saved, in their order.
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

/// What a pass saved: before and after.
#[derive(Clone, Debug, Serialize)]
pub struct Pass {
    pub pass: &'static str,
    /// State variables, or latches.
    pub states: [usize; 2],
    /// Expressions, or gates.
    pub expressions: [usize; 2],
}

impl PropertyRecord {
    /// Whether the status is other than it should be; if nobody says otherwise, a property should hold.
    pub fn is_unwanted(&self) -> bool {
        let expected = self.expected.unwrap_or(Status::Holds);
        self.status.is_some_and(|status| status != expected)
    }

    pub fn is_decided(&self) -> bool {
        self.verdict != Verdict::Unknown
    }

    /// An engine claimed what its check refuted, for this reason.
    pub fn withdraw(&mut self, reason: &str) {
        self.reason = Some(format!("withdrawn: {reason}"));
        self.shown.is_withdrawn = true;
    }
}

impl ProblemRecord {
    pub fn new(file: String, language: Language, sizes: Sizes) -> ProblemRecord {
        ProblemRecord {
            file,
            language,
            seconds: 0.0,
            reachable: 0,
            unreachable: 0,
            unknown: 0,
            sizes,
            messages: String::new(),
            names: vec![],
            is_memory_full: false,
        }
    }

    pub fn properties(&self) -> usize {
        self.reachable + self.unreachable + self.unknown
    }

    /// Counts the verdicts.
    pub fn count<'r>(&mut self, records: impl Iterator<Item = &'r PropertyRecord>) {
        (self.reachable, self.unreachable, self.unknown) = (0, 0, 0);
        for record in records {
            *match record.verdict {
                Verdict::Reachable => &mut self.reachable,
                Verdict::Unreachable => &mut self.unreachable,
                Verdict::Unknown => &mut self.unknown,
            } += 1;
        }
    }
}

fn status<S: serde::Serializer>(status: &Option<Status>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.map_or("unknown", Status::word))
}
