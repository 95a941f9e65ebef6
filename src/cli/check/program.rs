//! Programs (C and models of controllers) to records: which engine runs, and what is said about its findings.

use std::fmt::Write;

use redoubt::base::Limits;
use redoubt::certificate::{Certificate, Checked, text};
use redoubt::check::{self, Answer, Finding, Report};
use redoubt::engine::Proof;
use redoubt::explicit::{self, Stop};
use redoubt::program::{Program, PropertyId, Scope};
use redoubt::simulate::Simulator;

use super::super::output::{count, meant};
use super::super::trace::Trace;
use super::super::{Failure, model};
use super::record::{Language, Pass, ProblemRecord, PropertyRecord, Shown, Sizes, Verdict};
use super::run::Teller;
use super::runs::Runs;
use super::{EngineChoice, Format, Options, SolverChoice};

/// So many lines of an invariant are shown with a verdict; all of it is in the certificate.
const MOST_LINES: usize = 60;

/// Decides the properties of a program; all that becomes known goes to `teller`.
pub fn decide(
    program: &Program,
    options: &Options,
    limits: Limits,
    color: bool,
    teller: &Teller,
) -> Result<ProblemRecord, Failure> {
    if options.model.is_given() {
        return Err(Failure::Usage("--hwmcc and --without are for AIGER models".into()));
    }
    if options.vcd.is_some() && program.legend.is_none() {
        return Err(Failure::Usage("--vcd is for models (.gcl) and circuits".into()));
    }
    let properties = chosen(program, &options.properties)?;
    let describe = Describe { program, format: options.format };
    let interrupt = limits.interrupt.clone();
    let mut runs = Runs::new(program, options, &interrupt)?;
    let language = if program.legend.is_some() { Language::Gcl } else { Language::C };
    let mut problem = ProblemRecord::new(program.name.clone(), language, describe.sizes(properties.len()));
    problem.names = program.properties.iter().map(|property| property.name.clone()).collect();
    teller.start(&problem, properties.iter().map(|&property| describe.unknown(property)).collect());
    let resumed = runs.resumed(&properties);
    let left: Vec<PropertyId> =
        properties.into_iter().filter(|property| resumed.iter().all(|finding| finding.property != *property)).collect();
    let mut hear = |finding: &Finding| match runs.hear(finding) {
        Some(finding) => teller.property(describe.finding(&finding, false)),
        None => teller.provisional(describe.finding(finding, false)),
    };
    resumed.iter().for_each(&mut hear);
    let mut report = engines(program, options, limits, left, hear)
        .map_err(|error| Failure::Unreadable { path: program.name.clone().into(), reason: error.to_string() })?;
    report.findings.extend(resumed);
    report.findings.sort_by_key(|finding| finding.property);
    let notes = runs.finish(&mut report, |finding, shortest| {
        teller.property(describe.finding(&finding, shortest));
    })?;
    problem.messages += &notes;
    let open = report.findings.iter().filter(|finding| finding.answer == Answer::Unknown);
    open.for_each(|finding| teller.property(describe.finding(finding, false)));

    problem.seconds = report.elapsed.as_secs_f64();
    describe.measure(&mut problem.sizes, &report);
    let messages = &mut problem.messages;
    if let Some(outcome) = &report.search {
        note(messages, outcome);
        problem.is_memory_full = outcome.stop == Stop::Memory;
    }
    if let Some(path) = &options.vcd {
        model::write_waveform(path, program, &report)?;
    }
    if let Some(legend) = &program.legend {
        *messages += &model::unmet_expectations(program, &report, color);
        if !options.no_lint && options.properties.is_empty() {
            *messages += &model::warnings(program, legend, &report, &interrupt, color);
        }
    }
    if options.stats {
        *messages += &statistics(&report);
    }
    Ok(problem)
}

fn engines(
    program: &Program,
    options: &Options,
    limits: Limits,
    properties: Vec<PropertyId>,
    hear: impl FnMut(&Finding),
) -> Result<Report, redoubt::base::Ended> {
    let mut check_options = check::Options {
        backend: options.solver.map(SolverChoice::backend),
        limits,
        properties: Some(properties),
        confirm: !options.no_certify,
        memory: options.watch.for_states(),
        ..check::Options::default()
    };
    let engine = match options.engine {
        // If nothing is left to decide, this does nothing.
        _ if check_options.properties.as_ref().is_some_and(Vec::is_empty) => EngineChoice::All,
        engine => engine.unwrap_or(EngineChoice::All),
    };
    match engine {
        EngineChoice::All => check::check_together(program, &check_options, hear),
        EngineChoice::Regions => check::check_regions(program, &check_options, hear),
        EngineChoice::Explicit => {
            let search_options = explicit::Options {
                interrupt: check_options.limits.interrupt,
                progress: check_options.limits.progress,
                memory: check_options.memory,
                keep: check_options.confirm,
                depth: options.depth,
                properties: check_options.properties,
                sweep: explicit::SWEEP,
                ..explicit::Options::default()
            };
            Ok(check::check_explicitly(program, &search_options, hear))
        }
        choice @ (EngineChoice::Ic3 | EngineChoice::Bmc | EngineChoice::Kinduction | EngineChoice::Portfolio) => {
            check_options.engine = choice.on_circuits().unwrap_or_default();
            check::check(program, &check_options, hear)
        }
    }
}

/// The properties of these names; all that people ask for if none is named.
fn chosen(program: &Program, names: &[String]) -> Result<Vec<PropertyId>, Failure> {
    let mut found = vec![];
    for name in names {
        let Some(index) = program.properties.iter().position(|property| &property.name == name) else {
            let meant = meant(name, program.properties.iter().map(|property| &*property.name));
            return Err(Failure::Usage(format!("{} has no property `{name}`{meant}", program.name)));
        };
        found.push(PropertyId::new(index));
    }
    found.sort_unstable();
    found.dedup();
    if names.is_empty() {
        found = program.questions();
    }
    Ok(found)
}

/// Findings about a program as records.
struct Describe<'p> {
    program: &'p Program,
    format: Format,
}

impl Describe<'_> {
    /// The record of a property about which nothing is known yet.
    fn unknown(&self, property: PropertyId) -> PropertyRecord {
        let property = self.program.property(property);
        let sources = &self.program.sources;
        let position = sources.position(property.span);
        PropertyRecord {
            file: self.program.name.clone(),
            property: property.name.clone(),
            symbol: None,
            verdict: Verdict::Unknown,
            status: None,
            steps: None,
            shortest: false,
            inputs: None,
            outputs: None,
            engine: check::Decider::Nobody.name(),
            seconds: 0.0,
            confirmed: false,
            expected: property.expected,
            reason: None,
            trace: None,
            invariant: None,
            shown: Shown {
                word: Verdict::Unknown.word(),
                place: Some((sources.file(property.span).name.clone(), position.line, position.column)),
                kind: Some(property.kind),
                ..Shown::default()
            },
        }
    }

    fn finding(&self, finding: &Finding, shortest: bool) -> PropertyRecord {
        let mut record = self.unknown(finding.property);
        record.shortest = shortest;
        record.status = model::status(self.program, finding);
        record.shown.word = model::word(self.program, finding);
        record.engine = finding.decider.name();
        record.seconds = finding.after.as_secs_f64();
        match &finding.answer {
            Answer::Reachable { inputs } => self.add_run(&mut record, inputs),
            Answer::Unreachable { proof, checked } => {
                record.verdict = Verdict::Unreachable;
                record.confirmed = finding.is_confirmed();
                let checked = checked.as_ref().filter(|_| self.format == Format::Jsonl);
                record.invariant = checked.map(|checked| self.invariant(checked));
                record.reason = (*proof == Proof::Recorded).then_some("from the journal");
            }
            Answer::Unknown => {}
            Answer::Withdrawn { .. } => record.shown.is_withdrawn = true,
        }
        if let (Format::Text | Format::Junit, Some(legend)) = (self.format, &self.program.legend) {
            let mut text = vec![];
            // Writing to memory does not fail.
            let _ = model::write(&mut text, self.program, legend, finding, shortest);
            record.shown.text = Some(String::from_utf8_lossy(&text).into_owned());
        }
        record
    }

    /// The first lines of a certificate.
    fn invariant(&self, checked: &Checked) -> Vec<String> {
        let Certificate { facts, clauses, boxes, .. } = &*checked.certificate;
        let start = Certificate {
            facts: facts.iter().take(MOST_LINES).cloned().collect(),
            clauses: clauses.iter().take(MOST_LINES).cloned().collect(),
            boxes: boxes.iter().take(MOST_LINES).cloned().collect(),
            ..Certificate::default()
        };
        let text = text::write(self.program, [&start]);
        let is_claim = |line: &&str| ["fact ", "clause ", "box "].iter().any(|word| line.starts_with(word));
        let mut lines: Vec<String> = text.lines().filter(is_claim).take(MOST_LINES).map(str::to_string).collect();
        let all = facts.len() + clauses.len() + boxes.len();
        if all > lines.len() {
            lines.push(format!("... and {} lines more", all - lines.len()));
        }
        lines
    }

    fn add_run(&self, record: &mut PropertyRecord, inputs: &[Vec<i32>]) {
        record.verdict = Verdict::Reachable;
        // Every run is replayed before it is reported.
        record.confirmed = true;
        match &self.program.legend {
            None => {
                record.steps = Some(inputs.len());
                record.inputs = Some(inputs.concat());
                record.outputs = (self.format == Format::Jsonl).then(|| outputs(self.program, inputs));
            }
            Some(legend) => {
                record.steps = Some(model::steps(legend, inputs));
                if self.format == Format::Jsonl {
                    record.trace = Some(Trace::of(self.program, legend, inputs).json());
                }
            }
        }
    }

    /// What is known before the start.
    fn sizes(&self, properties: usize) -> Sizes {
        let lines = self.program.sources.files().iter().map(|file| file.text.lines().count()).sum();
        let globals = self.program.variables.iter().filter(|variable| variable.scope == Scope::Global);
        let cells =
            self.program.tables.iter().filter(|table| table.written).map(|table| table.cells.len()).sum::<usize>();
        Sizes {
            lines: Some(lines),
            variables: globals.count() + cells,
            inputs: self.program.inputs.len(),
            properties,
            ..Sizes::default()
        }
    }

    /// What the run adds to that.
    fn measure(&self, sizes: &mut Sizes, report: &Report) {
        let passes = report.sizes.savings.iter().map(|saving| Pass {
            pass: saving.pass,
            states: saving.states.into(),
            expressions: saving.expressions.into(),
        });
        sizes.passes = passes.collect();
        if report.sizes.states > 0 {
            (sizes.latches, sizes.gates) = (Some(report.sizes.latches), Some(report.sizes.gates));
        }
        sizes.abstract_states = report.abstraction.map(|statistics| statistics.states);
    }
}

/// The numbers that a program prints in each step.
fn outputs(program: &Program, inputs: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let mut simulator = Simulator::new(program);
    let numbers = |text: &str| text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    inputs.iter().map(|inputs| numbers(&simulator.step(inputs).output)).collect()
}

/// Says why a search gave up, where the options do not tell.
fn note(messages: &mut String, outcome: &explicit::Outcome) {
    let states = count(outcome.statistics.states, "state");
    let most = explicit::inputs::MOST_VALUES;
    // Writing to a string does not fail.
    let _ = match outcome.stop {
        Stop::Memory => {
            writeln!(messages, "note: the search stopped after {states}, for which there is no more memory")
        }
        Stop::Inputs => writeln!(messages, "note: not searched: an input has more than {most} values"),
        Stop::Closed | Stop::Decided | Stop::Interrupted | Stop::Depth | Stop::Steps => Ok(()),
    };
}

fn statistics(report: &Report) -> String {
    let mut text = String::new();
    if let Some(statistics) = &report.abstraction {
        text += &statistics.to_string();
    }
    if let Some(outcome) = &report.search {
        text += &outcome.statistics.to_string();
    }
    let sizes = &report.sizes;
    if sizes.states == 0 {
        // No circuit was needed.
        return text;
    }
    text += &format!("{}\n", count(sizes.states, "state variable"));
    for saving in &sizes.savings {
        let ((s0, s1), (e0, e1)) = (saving.states, saving.expressions);
        text += &format!("  {:18} {s0} -> {s1} variables, {e0} -> {e1} expressions\n", saving.pass);
    }
    let (latches, inputs, gates) = (sizes.latches, sizes.inputs, sizes.gates);
    text +=
        &format!("{latches} latches, {inputs} input bits, {gates} gates in {:.3} s\n", sizes.encoding.as_secs_f64());
    text + &report.statistics.to_string()
}
