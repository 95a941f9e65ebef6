//! For people: a table per problem, sorted by property, and a summary.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};

use redoubt_program::program::Status;
use redoubt_report::record::Problem;

use super::super::super::output::{Paint, count, paint, stdout, wrapped};
use super::super::Traces;
use super::super::collect::{Collection, Entry, State};
use super::super::record::{FailureRecord, Language, ProblemRecord, PropertyRecord, Temporal, Verdict};
use super::{Writer, row};

pub struct Text {
    /// Whether there are several problems, which need headings and a total.
    is_set: bool,
    traces: Traces,
    /// The names of problems whose turn has not come, in their order.
    waiting: VecDeque<String>,
    /// The output about problems that are through before their turn.
    ready: HashMap<String, VecDeque<Vec<u8>>>,
}

impl Text {
    pub fn new(problems: &[String], traces: Traces) -> Text {
        let waiting = problems.iter().cloned().collect();
        Text { is_set: problems.len() > 1, traces, waiting, ready: HashMap::new() }
    }

    /// Writes about a problem when its turn comes: when those before it are through.
    fn in_turn(&mut self, problem: &str, text: Vec<u8>) -> io::Result<()> {
        self.ready.entry(problem.into()).or_default().push_back(text);
        let mut out = stdout();
        while let Some(text) = self.waiting.front().and_then(|next| self.ready.get_mut(next)?.pop_front()) {
            out.write_all(wrapped(&String::from_utf8_lossy(&text)).as_bytes())?;
            self.waiting.pop_front();
        }
        out.flush()
    }

    /// The properties of a model whose runs are shown.
    fn with_runs<'e>(&self, entry: &'e Entry) -> Vec<&'e PropertyRecord> {
        let all: Vec<&PropertyRecord> = entry.properties.iter().filter(|record| record.shown.run.is_some()).collect();
        match self.traces {
            Traces::None => vec![],
            // Unexpected verdicts come before expected ones.
            Traces::First => {
                let rank = |record: &&&PropertyRecord| (!record.is_unwanted(), record.status != Some(Status::Violated));
                all.iter().min_by_key(rank).copied().into_iter().collect()
            }
            // Goals that are met have their line; unexpected verdicts come last, where they are seen.
            Traces::Short => {
                let is_violated = |record: &&PropertyRecord| record.status == Some(Status::Violated);
                let mut violated: Vec<&PropertyRecord> = all.into_iter().filter(is_violated).collect();
                violated.sort_by_key(|record| record.is_unwanted());
                violated.split_off(violated.len().saturating_sub(MOST_RUNS))
            }
            Traces::All => all,
        }
    }
}

/// The most runs that are shown unless all are asked for, and the most names that are listed.
const MOST_RUNS: usize = 5;
const MOST_NAMES: usize = 10;

impl Writer for Text {
    fn problem(&mut self, record: &ProblemRecord, entry: &Entry) -> io::Result<()> {
        let mut out = vec![];
        if self.is_set {
            writeln!(out, "{}", record.file)?;
        }
        let width = name_width(record, entry);
        for property in &entry.properties {
            let line = match property.sentence() {
                Some(line) => format!("{:width$}  {line}", property.property),
                None => row(property),
            };
            writeln!(out, "{}", painted(&line, property))?;
        }
        let with_runs = self.with_runs(entry);
        for property in &with_runs {
            let (word, run) = (property.shown.word, property.shown.run.as_deref().unwrap_or_default());
            write!(out, "\n{}: {word}\n{run}", property.property)?;
        }
        if !with_runs.is_empty() {
            writeln!(out)?;
        }
        let has_run = |record: &&PropertyRecord| record.shown.run.is_some();
        let left_out = entry.properties.iter().filter(has_run).count() - with_runs.len();
        if self.traces == Traces::Short && left_out > 0 {
            writeln!(out, "{} not shown here: --traces all", count(left_out, "run"))?;
        }
        summary(&mut out, record, entry)?;
        if record.language.is_some_and(Language::is_model) {
            names(&mut out, entry)?;
        }
        if self.is_set {
            writeln!(out)?;
        }
        self.in_turn(&entry.name, out)
    }

    fn failure(&mut self, record: &FailureRecord) -> io::Result<()> {
        self.in_turn(&record.file, vec![])
    }

    fn end(&mut self, collection: &Collection) -> io::Result<()> {
        let mut out = stdout();
        // The problems before them will not be heard of.
        for name in std::mem::take(&mut self.waiting) {
            for text in self.ready.remove(&name).unwrap_or_default() {
                out.write_all(wrapped(&String::from_utf8_lossy(&text)).as_bytes())?;
            }
        }
        let total = collection.total();
        if self.is_set {
            let width = collection.entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
            for entry in &collection.entries {
                writeln!(out, "{:width$}  {}", entry.name, in_short(entry))?;
            }
            let records = || collection.entries.iter().flat_map(|entry| &entry.properties);
            let (problems, seconds) = (count(total.problems, "problem"), total.elapsed.as_secs_f64());
            let (verdicts, confirmed) = (verdicts(records()), confirmation(records()));
            writeln!(out, "{problems}, {verdicts}{confirmed} ({seconds:.2} s)")?;
        }
        if collection.is_compared {
            let stray = match total.stray {
                0 => String::new(),
                stray => format!(", {stray} more about no property"),
            };
            writeln!(out, "{}: {} wrong{stray}", count(total.compared, "known answer"), total.wrong)?;
        }
        out.flush()
    }
}

/// The width of the column of names: as wide as the longest of them, unless that is very long.
fn name_width(record: &ProblemRecord, entry: &Entry) -> usize {
    let least = if record.language.is_some_and(Language::is_model) { 24 } else { 20 };
    let longest = entry.properties.iter().map(|record| record.property.chars().count()).max();
    longest.unwrap_or(least).clamp(least, 40)
}

/// The last line about a problem.
fn summary(out: &mut dyn Write, record: &ProblemRecord, entry: &Entry) -> io::Result<()> {
    let all = properties(record.properties());
    let unknown = record.unknown;
    let seconds = record.seconds();
    let confirmed = confirmation(entry.properties.iter());
    if !record.language.is_some_and(Language::is_model) {
        return writeln!(out, "{}{confirmed} ({seconds:.2} s)", verdicts(entry.properties.iter()));
    }
    let number = |wanted: Status| entry.properties.iter().filter(|record| record.status == Some(wanted)).count();
    let is_unmet = |record: &&PropertyRecord| record.expected.is_some() && record.is_unwanted();
    let unmet = match entry.properties.iter().filter(is_unmet).count() {
        0 => String::new(),
        unmet => format!(", {unmet} not as expected"),
    };
    let (hold, violated) = (number(Status::Holds), number(Status::Violated));
    writeln!(out, "{all}: {hold} hold, {violated} violated, {unknown} unknown{unmet}{confirmed} ({seconds:.2} s)")
}

/// The violated properties, by name, and apart from them those that are not as expected: the last words.
fn names(out: &mut dyn Write, entry: &Entry) -> io::Result<()> {
    let unwanted = || entry.properties.iter().filter(|record| record.is_unwanted());
    let violated = unwanted().filter(|record| record.status == Some(Status::Violated));
    let unmet = unwanted().filter(|record| record.expected.is_some());
    list(out, "violated", violated.collect())?;
    list(out, "not as expected", unmet.collect())
}

fn list(out: &mut dyn Write, what: &str, records: Vec<&PropertyRecord>) -> io::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let more = match records.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names: Vec<&str> = records.iter().take(MOST_NAMES).map(|record| &*record.property).collect();
    writeln!(out, "{}: {}{more}", paint(what, Paint::Bad), names.join(", "))
}

/// A line about a property with its verdict in colour, where there are colours.
fn painted(line: &str, record: &PropertyRecord) -> String {
    let colour = match record.status {
        _ if record.is_unwanted() || record.shown.is_wrong => Paint::Bad,
        None => Paint::Open,
        Some(_) => Paint::Good,
    };
    // The name comes first, and may contain the word.
    let end = line.find("  ").unwrap_or(0);
    match line[end..].find(record.shown.word) {
        Some(at) => {
            let (before, rest) = line.split_at(end + at);
            let (word, after) = rest.split_at(record.shown.word.len());
            format!("{before}{}{after}", paint(word, colour))
        }
        None => line.into(),
    }
}

/// The numbers of reachable and unreachable properties, and of properties of infinite runs that hold and that do not.
fn verdicts<'r>(records: impl Iterator<Item = &'r PropertyRecord> + Clone) -> String {
    let labels = records.clone().filter(|record| record.shown.temporal.is_none());
    let number = |wanted| labels.clone().filter(|record| record.verdict == wanted).count();
    let [reachable, unreachable, unknown] = Verdict::ALL.map(number);
    let of_infinite_runs = [Temporal::Formula, Temporal::Justice].map(|kind| temporal(records.clone(), kind));
    let mut parts: Vec<String> = of_infinite_runs.into_iter().flatten().collect();
    let some = labels.count();
    if some > 0 || parts.is_empty() {
        let all = properties(some);
        parts.insert(0, format!("{all}: {reachable} reachable, {unreachable} unreachable, {unknown} unknown"));
    }
    parts.join("; ")
}

/// The numbers of properties of a kind that hold and that do not, if there are any.
fn temporal<'r>(properties: impl Iterator<Item = &'r PropertyRecord>, kind: Temporal) -> Option<String> {
    let those: Vec<&PropertyRecord> = properties.filter(|record| record.shown.temporal == Some(kind)).collect();
    let number = |status| those.iter().filter(|record| record.status == status).count();
    let [hold, violated, unknown] = [Some(Status::Holds), Some(Status::Violated), None].map(number);
    let all = kind.count(those.len());
    (!those.is_empty()).then(|| format!("{all}: {hold} hold, {violated} violated, {unknown} unknown"))
}

/// The number of verdicts that were confirmed by something other than their finder.
fn confirmation<'r>(properties: impl Iterator<Item = &'r PropertyRecord>) -> String {
    let decided: Vec<&PropertyRecord> = properties.filter(|record| record.verdict != Verdict::Unknown).collect();
    match decided.iter().filter(|record| !record.confirmed).count() {
        _ if decided.is_empty() => String::new(),
        0 => ", all confirmed".into(),
        some => format!(", {some} not confirmed"),
    }
}

/// A problem in the list of all.
fn in_short(entry: &Entry) -> String {
    match (entry.state, &entry.record) {
        (State::Finished, Some(record)) => {
            let Problem { reachable, unreachable, unknown, .. } = &record.line;
            let seconds = record.seconds();
            if entry.properties.iter().any(|record| record.shown.temporal.is_some()) {
                return format!("{} {seconds:8.2} s", verdicts(entry.properties.iter()));
            }
            format!("{reachable:4} reachable {unreachable:4} unreachable {unknown:4} unknown {seconds:8.2} s")
        }
        (State::Failed, _) => "could not be read".into(),
        _ => "not looked at".into(),
    }
}

fn properties(number: usize) -> String {
    if number == 1 { "1 property".into() } else { format!("{number} properties") }
}
