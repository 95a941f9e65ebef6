//! The data on a property and on a problem, in the form that all formats share: the line of the run
//! ([`redoubt_report::record`]), and details for people alone.

use std::ops::{Deref, DerefMut};

use redoubt_checker::Judgement;
use redoubt_driver::ledger::{Answer, Finding};
use redoubt_engine::engine::Proof;
use redoubt_program::program::{PropertyKind, Status};
use redoubt_report::record::{Problem, Property};

use super::super::output::count;

pub use redoubt_report::record::{Failure as FailureRecord, Language, Part, Pass, Sizes, Verdict};

/// A property and its verdict.
#[derive(Clone, Debug)]
pub struct PropertyRecord {
    pub line: Property,
    pub shown: Shown,
}

/// The details for people alone.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The verdict in the words of the language.
    pub word: &'static str,
    /// The form in which a table tells it.
    pub told: Told,
    /// The run behind it, as a log.
    pub run: Option<String>,
    /// File, line and column of the property, counted from 1.
    pub place: Option<(String, usize, usize)>,
    /// Whether the verdict contradicts a file of known answers.
    pub is_wrong: bool,
    /// The kind of property; none for circuits.
    pub kind: Option<PropertyKind>,
    /// The kind of property if it is about infinite runs.
    pub temporal: Option<Temporal>,
    /// Whether it is about whole runs of a model.
    pub is_timed: bool,
    /// The form of a violation, where that is more than a number of steps.
    pub how: Option<String>,
}

/// The form of a line about a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Columns.
    Row,
    /// A sentence, with the expectation of a model's author.
    Sentence,
    /// With the formula, which has no name.
    WithFormula,
}

/// Properties of infinite runs: they hold, or are violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temporal {
    /// A temporal formula about a program.
    Formula,
    /// A justice property of a circuit.
    Justice,
}

impl Temporal {
    /// A number of them, in words.
    pub fn count(self, number: usize) -> String {
        match (self, number) {
            (Temporal::Formula, 1) => "1 formula".into(),
            (Temporal::Formula, _) => format!("{number} formulas"),
            (Temporal::Justice, 1) => "1 justice property".into(),
            (Temporal::Justice, _) => format!("{number} justice properties"),
        }
    }
}

impl Default for Shown {
    fn default() -> Shown {
        Shown {
            word: Verdict::Unknown.word(),
            told: Told::Row,
            run: None,
            place: None,
            is_wrong: false,
            kind: None,
            temporal: None,
            is_timed: false,
            how: None,
        }
    }
}

/// A problem when all its properties are through.
#[derive(Clone, Debug)]
pub struct ProblemRecord {
    pub line: Problem,
    /// Notes, warnings and statistics, for standard error.
    pub messages: String,
    /// The names of all its properties, also of those that were not asked for.
    pub names: Vec<String>,
    /// Whether the search of states ended for lack of memory.
    pub is_memory_full: bool,
}

impl Deref for PropertyRecord {
    type Target = Property;

    fn deref(&self) -> &Property {
        &self.line
    }
}

impl DerefMut for PropertyRecord {
    fn deref_mut(&mut self) -> &mut Property {
        &mut self.line
    }
}

impl Deref for ProblemRecord {
    type Target = Problem;

    fn deref(&self) -> &Problem {
        &self.line
    }
}

impl DerefMut for ProblemRecord {
    fn deref_mut(&mut self) -> &mut Problem {
        &mut self.line
    }
}

impl PropertyRecord {
    /// The record of a property about which nothing is known yet.
    pub fn unknown(file: &str, property: &str) -> PropertyRecord {
        PropertyRecord { line: Property::unknown(file, property), shown: Shown::default() }
    }

    /// Whether the status is other than expected; by default, a property should hold.
    pub fn is_unwanted(&self) -> bool {
        let expected = self.expected.unwrap_or(Status::Holds);
        self.status.is_some_and(|status| status != expected)
    }

    /// Since the start of the problem.
    pub fn seconds(&self) -> f64 {
        self.line.seconds.unwrap_or_default()
    }

    /// Takes over the author and the time of an answer, its confirmation, and the reason if it is unknown.
    pub fn take<R, C>(&mut self, finding: &Finding<R, C>) {
        self.engine = Some(finding.decider.name().into());
        self.line.seconds = Some(finding.after.as_secs_f64());
        self.confirmed = finding.is_confirmed();
        match &finding.answer {
            Answer::Reachable { .. } => {}
            Answer::Unreachable { proof, .. } => self.reason = (*proof == Proof::Recorded).then(|| RECORDED.into()),
            Answer::Unknown(why) => self.reason = Some(why.to_string()),
            Answer::Withdrawn { reason, .. } => self.withdraw(reason),
        }
    }

    /// The sentence behind the name of a property of a model, with the author's expectation, or of a formula that was
    /// asked about.
    pub fn sentence(&self) -> Option<String> {
        let word = self.shown.word;
        match self.shown.told {
            Told::Row => return None,
            Told::WithFormula => {
                let formula = self.formula.as_deref().unwrap_or_default();
                let detail = self.reason.as_ref().filter(|_| self.steps.is_none());
                let detail = detail.map_or(String::new(), |reason| format!("({reason})"));
                return Some(format!("{word:11}  {formula}  {detail}").trim_end().to_string());
            }
            Told::Sentence => {}
        }
        let reason = self.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
        let Some(status) = self.status else {
            return Some(self.reason.as_ref().map_or(word.into(), |reason| format!("{word} ({reason})")));
        };
        let remark = match self.expected {
            Some(expected) if expected == status => " (as expected)".to_string(),
            Some(expected) => format!(" (expected: {})", expected.word()),
            None => String::new(),
        };
        let how = match (self.shown.how.clone().or_else(|| self.endless()), self.steps) {
            (Some(how), _) => format!(", {how}{reason}"),
            (None, Some(0)) => format!(", at the start{reason}"),
            (None, Some(steps)) => {
                let shortest = if self.shortest { " (shortest)" } else { "" };
                format!(", after {}{shortest}{reason}", count(steps, "step"))
            }
            (None, None) if self.shown.is_timed => reason,
            (None, None) if !self.confirmed => " (not confirmed)".into(),
            (None, None) => String::new(),
        };
        Some(format!("{word}{remark}{how}"))
    }

    /// The length of a violation that never ends.
    fn endless(&self) -> Option<String> {
        let before = self.trace.as_ref()?.loop_start?;
        Some(endless(before, self.steps?.checked_sub(before)?))
    }

    /// An engine made a claim that its check refuted, for this reason.
    pub fn withdraw(&mut self, reason: &str) {
        self.reason = Some(format!("withdrawn: {reason}"));
        self.line.withdrawn = true;
    }
}

/// `by 3 steps and then 2 for ever`: the length of a lasso.
pub fn endless(before: usize, around: usize) -> String {
    match before {
        0 => format!("by {} for ever", count(around, "step")),
        _ => format!("by {} and then {around} for ever", count(before, "step")),
    }
}

/// Why there is nothing to show for a proof: an earlier run has found it.
const RECORDED: &str = "from the journal";

/// Why a proof is not confirmed, or that an earlier run has found it.
pub fn doubt<R, C>(finding: &Finding<R, C>) -> Option<String> {
    let Answer::Unreachable { proof, checked } = &finding.answer else { return None };
    match (proof, checked.as_ref().map(|checked| &checked.judgement)) {
        (Proof::Recorded, _) => Some(RECORDED.into()),
        (_, Some(Judgement::Undecided(reason))) => Some(format!("not confirmed: {reason}")),
        (_, None) => Some("not confirmed: there is no certificate".into()),
        (_, Some(Judgement::Confirmed | Judgement::Refuted(_))) => None,
    }
}

impl ProblemRecord {
    pub fn new(file: String, language: Language, sizes: Sizes) -> ProblemRecord {
        let (language, seconds) = (Some(language), Some(0.0));
        let line = Problem { file, language, seconds, reachable: 0, unreachable: 0, unknown: 0, sizes };
        ProblemRecord { line, messages: String::new(), names: vec![], is_memory_full: false }
    }

    pub fn properties(&self) -> usize {
        self.reachable + self.unreachable + self.unknown
    }

    /// The time of all of it.
    pub fn seconds(&self) -> f64 {
        self.line.seconds.unwrap_or_default()
    }

    /// Counts the verdicts.
    pub fn count<'r>(&mut self, records: impl Iterator<Item = &'r PropertyRecord>) {
        (self.reachable, self.unreachable, self.unknown) = (0, 0, 0);
        for record in records {
            *match record.verdict {
                Verdict::Reachable => &mut self.line.reachable,
                Verdict::Unreachable => &mut self.line.unreachable,
                Verdict::Unknown => &mut self.line.unknown,
            } += 1;
        }
    }
}
