//! Events to the state of a run: the records of all problems, the comparison with known answers, the exit code.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use redoubt_program::program::{PropertyKind, Status};

use super::super::expected::{Answers, Row};
use super::super::output::meant;
use super::super::{Failure, Outcome, UNREADABLE};
use super::record::{ProblemRecord, PropertyRecord, Verdict};
use super::set::Problem;

/// All that is known about a run.
pub struct Collection {
    pub entries: Vec<Entry>,
    pub start: Instant,
    /// The time it took, where that was not now.
    pub took: Option<Duration>,
    /// Whether answers are compared with known ones.
    pub is_compared: bool,
}

/// A known answer about a property.
#[derive(Clone, Debug)]
struct Known {
    reachable: bool,
    /// The same, if it is said in the words of a status.
    status: Option<Status>,
    source: String,
}

impl Known {
    fn word(&self) -> &'static str {
        self.status.map_or(word(self.reachable), Status::word)
    }
}

/// The records of one problem.
pub struct Entry {
    pub name: String,
    pub state: State,
    pub record: Option<ProblemRecord>,
    pub properties: Vec<PropertyRecord>,
    /// By property: whether its last word has been said.
    told: Vec<bool>,
    places: HashMap<String, usize>,
    /// By property: the known answer.
    known: HashMap<String, Known>,
    /// Whether any property is known to be reachable, where that is all that is known.
    known_together: Option<(bool, String)>,
    /// The number of known answers that were compared, and those that differ, in words.
    pub compared: usize,
    pub wrong: Vec<String>,
    /// Known answers about properties that the problem does not have, in words.
    pub stray: Vec<String>,
    /// Why the problem was not decided: the exit code and the reason.
    failure: Option<(u8, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Waiting,
    Running,
    Finished,
    Failed,
}

/// The sum over all problems.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    pub problems: usize,
    pub reachable: usize,
    pub unreachable: usize,
    pub unknown: usize,
    pub failed: usize,
    pub waiting: usize,
    pub compared: usize,
    pub wrong: usize,
    /// The number of known answers about nothing.
    pub stray: usize,
    pub elapsed: Duration,
}

impl Collection {
    pub fn new(problems: &[Problem], answers: Option<&Answers>) -> Collection {
        let entries = problems.iter().map(|problem| Entry::new(problem, answers)).collect();
        Collection { entries, start: Instant::now(), took: None, is_compared: answers.is_some() }
    }

    /// Whether any known answer is about any of the problems.
    pub fn has_known(&self) -> bool {
        self.entries.iter().any(|entry| !entry.known.is_empty() || entry.known_together.is_some())
    }

    pub fn total(&self) -> Total {
        let elapsed = self.took.unwrap_or_else(|| self.start.elapsed());
        let mut total = Total { problems: self.entries.len(), elapsed, ..Total::default() };
        for entry in &self.entries {
            for record in &entry.properties {
                *match record.verdict {
                    Verdict::Reachable => &mut total.reachable,
                    Verdict::Unreachable => &mut total.unreachable,
                    Verdict::Unknown => &mut total.unknown,
                } += 1;
            }
            total.compared += entry.compared;
            total.wrong += entry.wrong.len();
            total.stray += entry.stray.len();
            total.failed += usize::from(entry.state == State::Failed);
            total.waiting += usize::from(entry.state == State::Waiting);
        }
        total
    }

    /// The outcome of the run: the worst event decides.
    pub fn outcome(&self, is_interrupted: bool) -> Result<Outcome, Failure> {
        let properties = || self.entries.iter().flat_map(|entry| &entry.properties);
        if properties().any(|record| record.withdrawn) {
            return Err(Failure::Bug("an engine made a claim that its check refutes".into()));
        }
        let failures = || self.entries.iter().filter_map(|entry| Some(entry.failure.as_ref()?.0));
        if let Some(bug) = failures().find(|&code| code == super::super::BUG) {
            return Err(Failure::Told(bug));
        }
        let total = self.total();
        if is_interrupted && total.unknown + total.waiting > 0 {
            return Err(Failure::Interrupted);
        }
        // A model's own expectations count as much as a table of answers.
        let is_unmet = |record: &PropertyRecord| record.expected.is_some() && record.is_unwanted();
        if total.wrong > 0 || properties().any(is_unmet) {
            return Ok(Outcome::Wrong);
        }
        let stray = (total.stray > 0).then_some(UNREADABLE);
        if let Some(code) = failures().chain(stray).min() {
            return Err(Failure::Told(code));
        }
        Ok(if properties().any(PropertyRecord::is_unwanted) {
            Outcome::Violated
        } else if total.unknown + total.waiting > 0 {
            Outcome::Undecided
        } else {
            Outcome::Holds
        })
    }
}

impl Entry {
    fn new(problem: &Problem, answers: Option<&Answers>) -> Entry {
        let mut known = HashMap::new();
        let mut known_together = None;
        for (source, row) in answers.into_iter().flat_map(|answers| answers.about(&problem.files[0])) {
            let (&Row { reachable, status, .. }, source) = (row, source.to_string_lossy().into_owned());
            match &row.property {
                Some(property) => {
                    known.insert(property.clone(), Known { reachable, status, source });
                }
                // A known answer about a whole says nothing about a part.
                None => known_together = Some((reachable, source)).filter(|_| problem.share.is_whole()),
            }
        }
        Entry {
            name: problem.name(),
            state: State::Waiting,
            record: None,
            properties: vec![],
            told: vec![],
            places: HashMap::new(),
            known,
            known_together,
            compared: 0,
            wrong: vec![],
            stray: vec![],
            failure: None,
        }
    }

    pub fn start(&mut self, record: ProblemRecord, mut properties: Vec<PropertyRecord>) {
        self.state = State::Running;
        self.find_stray(&record.names);
        self.places = properties.iter().enumerate().map(|(place, record)| (record.property.clone(), place)).collect();
        properties.iter_mut().for_each(|record| self.compare(record));
        self.told = vec![false; properties.len()];
        self.properties = properties;
        self.record = Some(record);
    }

    /// Notes the known answers about properties of other names than these. One is as good as a misspelt name, and
    /// nothing would ever be compared with it.
    fn find_stray(&mut self, names: &[String]) {
        let known_names: HashSet<&String> = names.iter().collect();
        let mut strays: Vec<_> = self.known.iter().filter(|(name, _)| !known_names.contains(name)).collect();
        strays.sort_by_key(|(name, _)| *name);
        let says = |(name, known): (&String, &Known)| {
            let source = &known.source;
            let (known, meant) = (known.word(), meant(name, names.iter().map(String::as_str)));
            format!("{} has no property `{name}`, but {source} says {known}{meant}", self.name)
        };
        self.stray = strays.into_iter().map(says).collect();
    }

    /// The known answer about a property, by its name or by its symbol.
    fn known(&self, record: &PropertyRecord) -> Option<&Known> {
        let by_symbol = || self.known.get(record.symbol.as_ref()?);
        self.known.get(&record.property).or_else(by_symbol)
    }

    /// The properties about which nothing has been said.
    pub fn untold(&self) -> impl Iterator<Item = &PropertyRecord> {
        self.properties.iter().zip(&self.told).filter(|(_, is_told)| !**is_told).map(|(record, _)| record)
    }

    /// Keeps a record; the result is the stored one.
    pub fn property(&mut self, mut record: PropertyRecord) -> &PropertyRecord {
        self.compare(&mut record);
        if record.is_decided() && self.known(&record).is_some() {
            self.compared += 1;
        }
        if record.shown.is_wrong
            && let Some(known) = self.known(&record)
        {
            let status = record.status.filter(|_| known.status.is_some());
            let verdict = status.map_or(record.verdict.word(), Status::word);
            let (known, source) = (known.word(), &known.source);
            let (file, property) = (&record.file, &record.property);
            self.wrong.push(format!("{file}: {property} is {verdict}, but {source} says {known}"));
        }
        let place = self.places.get(&record.property).copied().unwrap_or_default();
        self.told[place] = true;
        self.properties[place] = record;
        &self.properties[place]
    }

    /// Adds the known answer about a property to its record.
    fn compare(&self, record: &mut PropertyRecord) {
        let Some(&Known { reachable, status, .. }) = self.known(record) else { return };
        let kind = record.shown.kind.unwrap_or(PropertyKind::Label);
        record.expected = status.or(Some(kind.status(reachable)));
        record.shown.is_wrong = record.status.is_some() && record.status != record.expected;
    }

    /// Closes the problem; if work was given up, with the verdicts so far.
    pub fn finish(&mut self, record: Option<ProblemRecord>, elapsed: Duration) -> Option<&ProblemRecord> {
        self.state = State::Finished;
        let mut record = match record {
            Some(record) => record,
            None => {
                let mut record = self.record.take()?;
                record.seconds = Some(elapsed.as_secs_f64());
                record
            }
        };
        record.count(self.properties.iter());
        let together = match (record.reachable, record.unreachable == record.properties()) {
            (1.., _) => Some(true),
            (0, true) => Some(false),
            (0, false) => None,
        };
        if let (Some((known, source)), Some(found)) = (&self.known_together, together) {
            self.compared += 1;
            if found != *known {
                let (found, known) = (word(found), word(*known));
                self.wrong.push(format!("{} is {found}, but {source} says {known}", record.file));
            } else {
                // The answer for the file as a whole is as it should be, so nothing about it is unwanted.
                self.properties.iter_mut().for_each(|record| record.expected = record.expected.or(record.status));
            }
        }
        self.record = Some(record);
        self.record.as_ref()
    }

    pub fn fail(&mut self, failure: &Failure) {
        self.state = State::Failed;
        self.failure = Some((failure.exit_code(), failure.to_string().trim_end().to_string()));
    }

    /// Why there is no record of the problem.
    pub fn reason(&self) -> &str {
        self.failure.as_ref().map_or("the run ended before it was looked at", |(_, reason)| reason)
    }
}

fn word(reachable: bool) -> &'static str {
    if reachable { Verdict::Reachable.word() } else { Verdict::Unreachable.word() }
}
