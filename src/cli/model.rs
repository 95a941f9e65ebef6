//! The output of `redoubt check` about models of the guarded-command language: verdicts in their own words, runs as
//! logs, expectations that were not met, and warnings about places that no run visits.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_driver::check::{self, Answer, Finding, Report};
use redoubt_engine::engine::Engine;
use redoubt_languages::{Diagnostic, Diagnostics};
use redoubt_program::program::legend::{Legend, Lint, LintKind};
use redoubt_program::program::{Program, PropertyId, PropertyKind, Status};
use redoubt_program::text::Span;
use redoubt_witness::Run;
use redoubt_witness::shorten::Budget;

use super::Failure;
use super::output::{message, write_file};
use super::trace::Trace;

/// The number of steps in a run of the model: the one that chooses the start is none of them.
pub fn steps(legend: &Legend, inputs: &[Vec<i32>]) -> usize {
    inputs.len().saturating_sub(usize::from(legend.started.is_some()))
}

/// The status of a property, if it was decided.
pub fn status(program: &Program, finding: &Finding) -> Option<Status> {
    let reachable = match finding.answer {
        Answer::Reachable { .. } => true,
        Answer::Unreachable { .. } => false,
        Answer::Unknown(_) | Answer::Withdrawn { .. } => return None,
    };
    Some(program.property(finding.property).kind.status(reachable))
}

/// A verdict in the words that fit the property's kind, for a model; `reachable` and `unreachable` for a program.
pub fn word(program: &Program, finding: &Finding) -> &'static str {
    let reachable = matches!(finding.answer, Answer::Reachable { .. });
    let is_goal = program.property(finding.property).kind == PropertyKind::Goal;
    match status(program, finding) {
        None => "unknown",
        Some(status) if program.language.is_model() && !is_goal => status.word(),
        Some(_) if reachable => "reachable",
        Some(_) => "unreachable",
    }
}

/// Whether a verdict is other than the model says it is; without a word in the model, a property should hold.
pub fn is_unwanted(program: &Program, finding: &Finding) -> bool {
    let expected = program.property(finding.property).expected.unwrap_or(Status::Holds);
    status(program, finding).is_some_and(|status| status != expected)
}

/// The run that shows a verdict, as a log; of a long one only the beginning and the end, unless all of it is wanted.
pub fn log(program: &Program, legend: &Legend, log: Log) -> String {
    let Log { property, inputs, is_whole, all_inputs } = log;
    let trace = match all_inputs {
        true => Trace::of(program, legend, inputs),
        false => Trace::to(program, legend, inputs, property),
    };
    written(&trace, is_whole)
}

pub fn written(trace: &Trace, is_whole: bool) -> String {
    let mut text = vec![];
    // Writing to memory does not fail.
    let _ = if is_whole { trace.write(&mut text) } else { trace.write_short(&mut text, MOST_ENTRIES) };
    String::from_utf8_lossy(&text).into_owned()
}

/// The contents of a log: a run to a property, and how much of it.
pub struct Log<'l> {
    pub property: PropertyId,
    pub inputs: &'l [Vec<i32>],
    pub is_whole: bool,
    /// Also those that make no difference.
    pub all_inputs: bool,
}

/// The number of steps of a run, after folding, that fit on a page or two.
const MOST_ENTRIES: usize = 40;

fn is_unmet(program: &Program, finding: &Finding) -> bool {
    program.property(finding.property).expected.is_some() && is_unwanted(program, finding)
}

/// Verdicts that the model does not expect, each as an error of its own.
pub fn unmet_expectations(program: &Program, report: &Report, color: bool) -> String {
    let mut errors = Diagnostics::default();
    for finding in report.findings.iter().filter(|finding| is_unmet(program, finding)) {
        let property = program.property(finding.property);
        let expected = property.expected.unwrap_or(Status::Holds);
        errors.push(unmet_expectation(&property.name, property.span, expected));
    }
    errors.sorted().render(&program.sources, color)
}

/// The message that a property is decided, but not as the model expects.
pub fn unmet_expectation(name: &str, span: Span, expected: Status) -> Diagnostic {
    let message = match expected {
        Status::Holds => format!("`{name}` was expected to hold, but is violated"),
        Status::Violated => format!("`{name}` was expected to be violated, but holds"),
    };
    Diagnostic::new(span, message, format!("the model says `expect {}`", expected.word()))
}

/// Parts of a model that have no effect.
pub fn warnings(program: &Program, legend: &Legend, report: &Report, interrupt: &Interrupt, color: bool) -> String {
    let mut warnings = Diagnostics::default();
    legend.unused.iter().for_each(|&module| warnings.push(unused(program.sources.text(module), module)));
    for lint in dead_places(program, legend, report, interrupt) {
        warnings.push(warning(lint));
    }
    warnings.sorted().render_warnings(&program.sources, color)
}

/// A module that is written, but not used.
fn unused(name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("the module `{name}` has no instance"), "nothing in it is checked")
        .help(format!("`instance one: {name}(...)` makes one"))
}

/// Alternatives, branches and assumptions that no step gets through. Looking for them takes no longer than the
/// properties took, or a few seconds.
fn dead_places<'l>(program: &Program, legend: &'l Legend, report: &Report, interrupt: &Interrupt) -> Vec<&'l Lint> {
    const AT_LEAST: Duration = Duration::from_secs(5);
    if legend.lints.is_empty() || interrupt.is_raised() {
        return vec![];
    }
    let mut time = report.elapsed.max(AT_LEAST);
    if let Some(deadline) = interrupt.deadline() {
        time = time.min(deadline.saturating_sub(interrupt.elapsed()));
    }
    let mut properties: Vec<PropertyId> = legend.lints.iter().map(|lint| lint.property).collect();
    properties.sort_unstable();
    let options = check::CheckOptions {
        engine: Engine::Ic3,
        limits: Limits { interrupt: Interrupt::after(time), ..Limits::default() },
        properties: Some(properties),
        // A warning is not worth more than the verdict behind it.
        confirm: false,
        shortening: Budget::none(),
        ..check::CheckOptions::default()
    };
    let Ok(report) = check::check(program, &options, |_| {}) else { return vec![] };
    let unreachable = |finding: &&Finding| matches!(finding.answer, Answer::Unreachable { .. });
    let dead: HashSet<PropertyId> =
        report.findings.iter().filter(unreachable).map(|finding| finding.property).collect();
    let is_dead = |property: PropertyId| dead.contains(&property);
    let mut dead: Vec<&Lint> = legend.lints.iter().filter(|lint| is_dead(lint.property)).collect();
    // A place behind a dead place is dead because of it.
    dead.retain(|lint| !lint.after.is_some_and(is_dead));
    // If no step is possible at all, nothing else needs to be said.
    if let Some(&wall) = dead.iter().find(|lint| lint.kind == LintKind::Assumption && lint.is_on_every_way(legend)) {
        dead = vec![wall];
    }
    dead
}

fn warning(lint: &Lint) -> Diagnostic {
    match lint.kind {
        LintKind::Branch => Diagnostic::new(lint.span, "this is never taken", "no run gets here")
            .help("its condition never holds, another one always comes first, or an assumption rules it out"),
        LintKind::Assumption => Diagnostic::new(lint.span, "this assumption rules out every step", "no step passes it")
            .help("where no step is possible every property holds, which says nothing"),
    }
}

/// Said where a run was asked for and there is none.
pub const NO_RUN: &str = "note: no run to write: nothing was reached\n";

/// Writes the run that a person most likely wants to look at.
pub fn write_run(
    path: &Path,
    program: &Program,
    report: &Report,
    endless: Option<&Run>,
    write: fn(&mut dyn Write, &Trace<'_>) -> io::Result<()>,
) -> Result<(), Failure> {
    let Some(legend) = &program.legend else { return Ok(()) };
    let mut runs: Vec<&Finding> = report.findings.iter().collect();
    runs.sort_by_key(|finding| status(program, finding) != Some(Status::Violated));
    let mut reached = runs.into_iter().filter_map(|finding| match &finding.answer {
        Answer::Reachable { run } => Some((status(program, finding) == Some(Status::Violated), run)),
        _ => None,
    });
    let run = match (reached.next(), endless) {
        (Some((true, run)), _) | (Some((false, run)), None) => Some(run),
        (_, endless) => endless,
    };
    let Some(inputs) = run else {
        message(NO_RUN);
        return Ok(());
    };
    Ok(write_file(path, &mut |out| write(out, &Trace::of(program, legend, inputs)))?)
}
