//! Properties of whole runs of a model: the verdicts on them, and the messages about these.

use std::time::Duration;

use redoubt_base::{Interrupt, Limits};
use redoubt_driver::check::{self, Means};
use redoubt_driver::ledger::Terms;
use redoubt_driver::time::{self, Answer, Choice, Evidence, Finding, Lasso, Loops, News, Phase, Violation, WholeRuns};
use redoubt_facts::analysis::Facts;
use redoubt_formula::Shown;
use redoubt_languages::{Diagnostic, Diagnostics};
use redoubt_program::program::legend::Legend;
use redoubt_program::program::time::Question;
use redoubt_program::program::{Program, PropertyId, PropertyKind, Status, Timed};
use redoubt_witness::Run;

use super::super::output::count;
use super::super::trace::Trace;
use super::super::{Failure, model};
use super::branching::{FALSE_FOR_ALL, NOT_SHOWN, TRUE_FOR_ALL, recorded};
use super::record::{PropertyRecord, Told, Verdict, doubt, endless};
use super::run::Teller;
use super::runs::Files;
use super::{CheckArgs, Format, Traces};

/// The properties of whole runs of a model.
pub struct Timing<'p> {
    pub program: &'p Program,
    pub legend: &'p Legend,
    pub options: &'p CheckArgs,
}

/// The results of deciding them.
#[derive(Default)]
pub struct Left {
    /// Further messages.
    pub messages: String,
    /// The first run that violates something.
    pub run: Option<Lasso>,
    /// Verdicts that the model does not expect.
    unmet: Diagnostics,
    /// Whether a property holds.
    holds: bool,
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
        record.shown.told = Told::Sentence;
        record
    }

    /// Decides properties, in a glance at the states or to the end.
    pub fn decide(
        &self,
        wanted: &[PropertyId],
        (means, options): (Means, &check::CheckOptions),
        phase: Phase,
        teller: &Teller,
        files: &mut Files,
        left: &mut Left,
    ) -> Result<Vec<PropertyId>, Failure> {
        let memory = || self.options.watch.for_states();
        let terms = Terms {
            journal: self.options.open_journal.as_ref(),
            resume: self.options.resume.is_some(),
            second_opinion: None,
            shortest: self.options.shortest.then_some(&memory),
        };
        let facts = Facts::new(self.program);
        let subject = WholeRuns { facts: &facts, list: &self.program.timed };
        let mut hear = |news: News| match news {
            News::Provisional(finding) => teller.provisional(self.record(finding, None)),
            News::Settled(finding) => self.settled(finding, &options.limits, teller, files, left),
        };
        let report = time::decide(&subject, wanted, (means, options), &terms, phase, &mut hear)?;
        left.messages.extend(report.notes.iter().chain(&report.account.notes).map(|note| format!("{note}\n")));
        let open = report.findings.iter().filter(|finding| finding.answer.is_unknown());
        if phase != Phase::Glance {
            for finding in open.clone() {
                teller.property(self.record(finding, report.account.reasons.get(&finding.property)));
            }
        }
        Ok(open.map(|finding| finding.property).collect())
    }

    /// Tells the last word on a property.
    fn settled(&self, finding: &Finding, limits: &Limits, teller: &Teller, files: &mut Files, left: &mut Left) {
        let timed = self.get(finding.property);
        let mut record = self.record(finding, None);
        if matches!(finding.answer, Answer::Unreachable { .. }) && self.options.traces() == Traces::All {
            match time::witness(self.program, timed, limits) {
                Ok(evidence) => _ = evidence.map(|evidence| self.add_runs(&mut record, &evidence, TRUE_FOR_ALL)),
                Err(reason) => record.withdraw(&reason),
            }
        }
        left.holds |= record.status == Some(Status::Holds);
        if let Some(diagnostic) = self.unmet(timed, record.status) {
            left.unmet.push(diagnostic);
        }
        files.settled_timed(self.program, timed, finding);
        if let (Answer::Reachable { run: Violation::Lasso(lasso) }, None) = (&finding.answer, &left.run) {
            left.run = Some(lasso.clone());
        }
        teller.property(record);
    }

    /// The messages when all are through.
    pub fn last_words(&self, left: &mut Left, limits: &Limits, color: bool) -> String {
        let unmet = std::mem::take(&mut left.unmet);
        let mut messages = std::mem::take(&mut left.messages);
        messages += &unmet.sorted().render(&self.program.sources, color);
        if left.holds && !self.options.no_lint && self.options.properties.is_empty() {
            messages += &self.warning(limits, color);
        }
        messages
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

    fn record(&self, finding: &Finding, reason: Option<&String>) -> PropertyRecord {
        let mut record = self.unknown(finding.property);
        record.take(finding);
        record.shortest = finding.is_shortest;
        match &finding.answer {
            Answer::Reachable { run: Violation::Lasso(lasso) } => {
                (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
                let before = model::steps(self.legend, &lasso.run[..lasso.loop_start]);
                let around = lasso.run.len() - lasso.loop_start;
                record.steps = Some(before + around);
                record.shown.how = Some(endless(before, around));
                let trace = self.trace(&lasso.run).with_loop(Some(before));
                if matches!(self.options.format, Format::Jsonl | Format::Sarif) {
                    record.trace = Some(trace.to_record());
                }
                let (is_document, traces) = (self.options.format == Format::Junit, self.options.traces());
                if is_document || (self.options.format == Format::Text && traces != Traces::None) {
                    record.shown.run = Some(model::written(&trace, is_document || traces == Traces::All));
                }
            }
            Answer::Reachable { run: Violation::Tree(evidence) } => self.add_branches(&mut record, evidence),
            Answer::Unreachable { .. } => {
                (record.verdict, record.status) = (Verdict::Unreachable, Some(Status::Holds));
                record.reason = doubt(finding);
            }
            Answer::Unknown(_) => record.reason = reason.cloned().or(record.reason.take()),
            Answer::Withdrawn { .. } => {}
        }
        record.shown.word = record.status.map_or(Verdict::Unknown.word(), Status::word);
        record
    }

    /// A run, without the inputs that make no difference to it unless all are wanted.
    fn trace(&self, run: &Run) -> Trace<'_> {
        let trace = Trace::of(self.program, self.legend, run);
        if self.options.all_inputs { trace } else { trace.without_idle_inputs(run) }
    }

    /// The runs that show why a formula of branching time is violated.
    fn add_branches(&self, record: &mut PropertyRecord, evidence: &Evidence) {
        (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
        record.confirmed = evidence.shown == Shown::Wholly;
        let steps = self.add_runs(record, evidence, FALSE_FOR_ALL);
        record.steps = Some(steps);
        record.reason = (evidence.shown != Shown::Wholly).then(|| NOT_SHOWN.into());
        record.shown.how =
            Some(if steps == 0 { "at the start".into() } else { format!("by {}", count(steps, "step")) });
    }

    /// The runs of a tree, and the remark below them if they show a part only; the result is the number of steps of the
    /// first one.
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

/// The most runs of a tree that are shown.
const MOST_WAYS: usize = 5;

/// The programs in which properties are decided, for readers of their certificates.
pub fn loops_of(program: &Program) -> impl Iterator<Item = Loops> {
    let loops = |part: Timed| Loops::new(program, &part, &Interrupt::default()).ok();
    program.timed.iter().flat_map(time::parts).filter_map(loops)
}
