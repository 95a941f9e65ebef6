//! Properties of whole runs of a model: what becomes of them, and what is said about that.

use std::time::Duration;

use redoubt::base::{Interrupt, Limits};
use redoubt::check::{self, Failed, Means};
use redoubt::formula::Shown;
use redoubt::languages::{Diagnostic, Diagnostics};
use redoubt::ledger::Terms;
use redoubt::program::legend::Legend;
use redoubt::program::time::Question;
use redoubt::program::{Program, PropertyId, PropertyKind, Status, Timed};
use redoubt::time::{self, Choice, Decided, Evidence, Lasso, Loops, TemporalVerdict as Found};
use redoubt::witness::Run;

use super::super::output::count;
use super::super::trace::Trace;
use super::super::{Failure, model};
use super::branching::{FALSE_FOR_ALL, NOT_SHOWN, TRUE_FOR_ALL, recorded};
use super::record::{PropertyRecord, Verdict, doubt};
use super::run::Teller;
use super::runs::Files;
use super::{CheckArgs, Format, Traces};

/// The properties of whole runs of a model.
pub struct Timing<'p> {
    pub program: &'p Program,
    pub legend: &'p Legend,
    pub options: &'p CheckArgs,
}

/// What deciding them leaves behind.
#[derive(Default)]
pub struct Left {
    /// What there is to say besides.
    pub messages: String,
    /// The first run that violates something.
    pub run: Option<Lasso>,
}

impl Timing<'_> {
    pub fn get(&self, property: PropertyId) -> &Timed {
        &self.program.timed[property.index()]
    }

    /// The record of a property about which nothing is known yet.
    pub fn unknown(&self, property: PropertyId) -> PropertyRecord {
        let (timed, sources) = (self.get(property), &self.program.sources);
        let position = sources.position(timed.span);
        let mut record = PropertyRecord::unknown(&self.program.name, &timed.name);
        record.expected = timed.expected;
        record.constants = self.program.constants.clone();
        if let Question::Linear(formula) = &timed.question {
            record.formula = Some(formula.to_string());
        }
        record.shown.place = Some((sources.file(timed.span).name.clone(), position.line, position.column));
        record.shown.kind = Some(PropertyKind::Invariant);
        record.shown.is_timed = true;
        record
    }

    /// Decides properties one after another; each gets its share of the time that is left.
    pub fn decide(
        &self,
        wanted: &[PropertyId],
        (means, options): (Means, &check::CheckOptions),
        terms: &Terms<Run>,
        color: bool,
        teller: &Teller,
        files: &mut Files,
    ) -> Result<Left, Failure> {
        let mut left = Left::default();
        let (mut unmet, mut holds) = (Diagnostics::default(), false);
        for (number, &property) in wanted.iter().enumerate() {
            let timed = self.get(property);
            let options =
                check::CheckOptions { limits: options.limits.share(wanted.len() - number), ..options.clone() };
            let decided = time::decide(self.program, timed, means, &options, terms);
            let decided = decided.map_err(|failed| match failed {
                Failed::Ended(ended) => {
                    Failure::Unreadable { path: self.program.name.clone().into(), reason: ended.to_string() }
                }
                Failed::Journal(error) => error.into(),
            })?;
            let mut record = self.record(property, &decided);
            if matches!(decided.verdict, Found::Holds) && self.options.traces() == Traces::All {
                match time::witness(self.program, timed, &options.limits) {
                    Ok(evidence) => _ = evidence.map(|evidence| self.add_runs(&mut record, &evidence, TRUE_FOR_ALL)),
                    Err(reason) => record.withdraw(&reason),
                }
            }
            holds |= record.status == Some(Status::Holds);
            left.messages.extend(decided.notes.iter().map(|note| format!("{note}\n")));
            if let Some(diagnostic) = self.unmet(timed, record.status) {
                unmet.push(diagnostic);
            }
            files.settled_timed(self.program, timed, &decided);
            if let (Found::Violated(lasso), None) = (&decided.verdict, &left.run) {
                left.run = Some(lasso.clone());
            }
            teller.property(record);
        }
        left.messages += &unmet.sorted().render(&self.program.sources, color);
        if holds && !self.options.no_lint && self.options.properties.is_empty() {
            left.messages += &self.warning(&options.limits, color);
        }
        Ok(left)
    }

    /// Says so if no run is there of which properties of whole runs could be false. That is looked for for a few seconds.
    fn warning(&self, limits: &Limits, color: bool) -> String {
        const AT_MOST: Duration = Duration::from_secs(5);
        if limits.interrupt.is_raised() {
            return String::new();
        }
        let left = limits.interrupt.deadline().map(|deadline| deadline.saturating_sub(limits.interrupt.elapsed()));
        let interrupt = Interrupt::after(left.map_or(AT_MOST, |left| left.min(AT_MOST)));
        let limits = Limits { interrupt, ..Limits::default() };
        if time::has_runs(self.program, &limits) != Some(false) {
            return String::new();
        }
        let mut warnings = Diagnostics::default();
        let span = self.program.timed.first().map(|timed| timed.span).unwrap_or_default();
        let fair = if self.program.fairness.is_empty() { "" } else { " and is fair" };
        let message = format!("no run goes on for ever{fair}");
        warnings.push(
            Diagnostic::new(span, message, "so this holds, and so does every such property")
                .help("each run ends with an error, comes to where no step is possible, or is not fair"),
        );
        warnings.render_warnings(&self.program.sources, color)
    }

    /// The message that a verdict is not what the model expects.
    fn unmet(&self, timed: &Timed, status: Option<Status>) -> Option<Diagnostic> {
        let expected = timed.expected.filter(|&expected| status.is_some_and(|status| status != expected))?;
        Some(model::unmet_expectation(&timed.name, timed.span, expected))
    }

    fn record(&self, property: PropertyId, decided: &Decided) -> PropertyRecord {
        let mut record = self.unknown(property);
        if let Some((_, finding)) = decided.found.last() {
            record.engine = Some(finding.decider.name().into());
            record.shortest = finding.is_shortest && decided.found.len() == 1;
        }
        record.seconds = Some(decided.found.iter().map(|(_, finding)| finding.after.as_secs_f64()).sum());
        record.confirmed = decided.is_confirmed();
        if let Some(by) = decided.by {
            record.engine = Some(by.name().into());
        }
        let mut when = String::new();
        match &decided.verdict {
            Found::Violated(lasso) => {
                (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
                let before = model::steps(self.legend, &lasso.run[..lasso.loop_start]);
                let around = lasso.run.len() - lasso.loop_start;
                record.steps = Some(before + around);
                let how = match before {
                    0 => format!("by {} for ever", count(around, "step")),
                    _ => format!("by {} and then {around} for ever", count(before, "step")),
                };
                when = format!(", {how}");
                record.shown.how = Some(how);
                let trace = self.trace(&lasso.run).with_loop(Some(before));
                if matches!(self.options.format, Format::Jsonl | Format::Sarif) {
                    record.trace = Some(trace.to_record());
                }
                let (is_document, traces) = (self.options.format == Format::Junit, self.options.traces());
                if is_document || (self.options.format == Format::Text && traces != Traces::None) {
                    record.shown.run = Some(model::written(&trace, is_document || traces == Traces::All));
                }
            }
            Found::Branches(evidence) => when = self.add_branches(&mut record, evidence),
            Found::Holds => {
                (record.verdict, record.status) = (Verdict::Unreachable, Some(Status::Holds));
                record.reason = unconfirmed(decided).filter(|_| !record.confirmed);
                when = record.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
            }
            Found::Unknown(why) => record.reason = Some(why.clone()),
            Found::Withdrawn(reason) => record.withdraw(reason),
        }
        record.shown.word = record.status.map_or(Verdict::Unknown.word(), Status::word);
        if matches!(self.options.format, Format::Text | Format::Junit) {
            record.shown.line = Some(match (record.status, record.expected, &record.reason) {
                (None, _, Some(why)) => format!("unknown ({why})"),
                (None, _, None) => "unknown".into(),
                (Some(status), None, _) => format!("{}{when}", status.word()),
                (Some(status), Some(expected), _) if status == expected => {
                    format!("{} (as expected){when}", status.word())
                }
                (Some(status), Some(expected), _) => {
                    format!("{} (expected: {}){when}", status.word(), expected.word())
                }
            });
        }
        record
    }

    /// A run, without the inputs that make no difference to it unless all are wanted.
    fn trace(&self, run: &Run) -> Trace<'_> {
        let trace = Trace::of(self.program, self.legend, run);
        if self.options.all_inputs { trace } else { trace.without_idle_inputs(run) }
    }

    /// The runs that show why a formula of branching time is violated; the result says when and how it is.
    fn add_branches(&self, record: &mut PropertyRecord, evidence: &Evidence) -> String {
        (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
        let steps = self.add_runs(record, evidence, FALSE_FOR_ALL);
        record.steps = Some(steps);
        record.reason = (evidence.shown != Shown::Wholly).then(|| NOT_SHOWN.into());
        let reason = record.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
        match steps {
            0 => format!(", at the start{reason}"),
            _ => format!(", by {}{reason}", count(steps, "step")),
        }
    }

    /// The runs of a tree, and what is said below them if they show a part only; the result is how many steps the first one has.
    fn add_runs(&self, record: &mut PropertyRecord, evidence: &Evidence, partly: &str) -> usize {
        let ways = evidence.ways();
        let trace = |(run, loop_start): &(Run, Option<usize>)| {
            let loop_start = loop_start.map(|start| model::steps(self.legend, &run[..start]));
            self.trace(run).with_loop(loop_start)
        };
        if matches!(self.options.format, Format::Jsonl | Format::Sarif) {
            record.trace = ways.first().map(|way| trace(way).to_record());
            let mut step = |choice: &Choice| {
                let values: Vec<String> = choice.iter().flatten().map(i32::to_string).collect();
                (None, values.join(" "))
            };
            record.tree = Some(recorded(&evidence.tree.map(&mut step)));
        }
        let (is_document, traces) = (self.options.format == Format::Junit, self.options.traces());
        if is_document || (self.options.format == Format::Text && traces != Traces::None) {
            let is_long = is_document || traces == Traces::All;
            let runs: Vec<String> =
                ways.iter().take(MOST_WAYS).map(|way| model::written(&trace(way), is_long)).collect();
            let mut text = runs.join("  and another run:\n");
            if ways.len() > MOST_WAYS {
                text += &format!("  and {} more\n", count(ways.len() - MOST_WAYS, "run"));
            }
            if evidence.shown != Shown::Wholly {
                text += partly;
            }
            record.shown.run = Some(text);
        }
        ways.first().map_or(0, |(run, _)| model::steps(self.legend, run))
    }
}

/// So many runs of a tree are shown.
const MOST_WAYS: usize = 5;

/// Why nobody has confirmed that a property holds.
fn unconfirmed(decided: &Decided) -> Option<String> {
    if decided.found.is_empty() {
        return Some(format!("not confirmed: {}", decided.unconfirmed()));
    }
    let (_, finding) = decided.found.iter().find(|(_, finding)| !finding.is_confirmed())?;
    doubt(finding)
}

/// The programs in which properties are decided, for whoever looks at their certificates.
pub fn loops_of(program: &Program) -> impl Iterator<Item = Loops> {
    let loops = |part: Timed| Loops::new(program, &part, &Interrupt::default()).ok();
    program.timed.iter().flat_map(time::parts).filter_map(loops)
}
