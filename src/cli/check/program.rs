//! Programs (C and models of controllers) to records: which engine runs, and the messages about its findings.

use std::fmt::Write;

use redoubt_base::{Interrupt, Limits};
use redoubt_checker::{Certificate, Checked, text};
use redoubt_driver::check::{self, Answer, Failed, Finding, Gcc, Means, News, Report};
use redoubt_driver::ledger::{SecondOpinion, Terms};
use redoubt_driver::time::Phase;
use redoubt_engine::engine::cfa::{Technique, Techniques};
use redoubt_program::program::{self, Program, PropertyId, PropertyKind, Scope};
use redoubt_program::simulate::Simulator;
use redoubt_states::explicit::{self, Stop};
use redoubt_witness::Run;

use super::super::output::{count, meant};
use super::super::trace::Trace;
use super::super::{Failure, model, trace_csv, vcd};
use super::advice::nothing_to_check;
use super::formulas::{Formulas, Work};
use super::options::Without;
use super::record::{Language, Pass, ProblemRecord, PropertyRecord, Sizes, Told, Verdict};
use super::run::Teller;
use super::runs::Files;
use super::shard::Share;
use super::timed::{Left, Timing};
use super::{CheckArgs, Confirm, EngineChoice, Format, SolverChoice, Traces};

/// The most lines of an invariant that are shown with a verdict; all of it is in the certificate.
const MOST_LINES: usize = 60;

/// Decides the properties of a program; all that becomes known goes to `teller`.
pub fn decide(
    program: &Program,
    options: &CheckArgs,
    limits: Limits,
    color: bool,
    teller: &Teller,
    share: &Share,
) -> Result<ProblemRecord, Failure> {
    if options.model.is_given() {
        return Err(Failure::Usage("--hwmcc and --without are for circuits".into()));
    }
    if options.vcd.is_some() && !program.language.is_model() {
        return Err(Failure::Usage("--vcd is for models (.gcl), PLC programs (.st) and circuits".into()));
    }
    if options.trace_csv.is_some() && !program.language.is_model() {
        return Err(Failure::Usage("--trace-csv is for models (.gcl) and PLC programs (.st)".into()));
    }
    let formulas = Formulas::of(program, options, color)?;
    let timing = program.legend.as_ref().map(|legend| Timing { program, legend, options });
    let temporal = match &formulas {
        Some(formulas) => formulas.names().to_vec(),
        None => program.timed.iter().map(|timed| timed.name.clone()).collect(),
    };
    let (mut properties, mut wanted) = chosen(program, &temporal, &options.properties)?;
    share.keep(&mut properties);
    share.keep(&mut wanted);
    let interrupt = limits.interrupt.clone();
    let gcc = gcc(program, options, &interrupt)?;
    let mut files = Files::new(options, &interrupt)?;
    let describe =
        Describe { program, format: options.format, traces: options.traces(), all_inputs: options.all_inputs };
    let language = Language::from(program.language);
    let mut problem = ProblemRecord::new(program.name.clone(), language, describe.sizes(properties.len()));
    problem.names = program.properties.iter().map(|property| property.name.clone()).chain(temporal).collect();
    let mut unknown: Vec<PropertyRecord> = properties.iter().map(|&property| describe.unknown(property)).collect();
    let mut unreadable = vec![];
    if let Some(formulas) = &formulas {
        unknown.extend(wanted.iter().map(|&property| formulas.unknown(property)));
        problem.messages += formulas.complaints();
        if options.properties.is_empty() {
            unreadable.extend(formulas.unreadable());
            unknown.extend(unreadable.iter().cloned());
            // Labels first, then formulas as they stand in their file.
            let place = |record: &PropertyRecord| record.shown.temporal.and(record.shown.place.clone());
            unknown.sort_by_key(place);
        }
    } else if let Some(timing) = &timing {
        unknown.extend(wanted.iter().map(|&property| timing.unknown(property)));
        in_order(&mut unknown);
    }
    if unknown.is_empty() && language == Language::Mealy {
        let reason =
            "a machine without labels has nothing to decide by itself: ask with --ctl-file or --ltl, or compare it";
        return Err(Failure::Unreadable { path: program.name.clone().into(), reason: reason.into() });
    }
    if unknown.is_empty() {
        problem.messages += &nothing_to_check(&problem);
    }
    problem.sizes.properties = Some(unknown.len());
    teller.start(&problem, unknown);
    unreadable.into_iter().for_each(|record| teller.property(record));
    if let Some(formulas) = &formulas {
        let work = Work { options, limits: &limits, compiled: gcc.as_ref().and_then(Gcc::compiled), teller };
        problem.messages += &formulas.decide(&wanted, &work, &properties, &mut files)?;
    }

    let memory = || options.watch.for_states();
    let terms = Terms {
        journal: options.open_journal.as_ref(),
        resume: options.resume.is_some(),
        second_opinion: gcc.as_ref().filter(|_| !properties.is_empty()).map(|gcc| gcc as &dyn SecondOpinion<Run>),
        shortest: options.shortest.then_some(&memory),
    };
    let means = options.engine.unwrap_or(EngineChoice::All).on_programs();
    let is_timed = formulas.is_none() && !wanted.is_empty();
    let engine = options.engine.filter(|_| means == Means::Circuit).and_then(EngineChoice::on_circuits);
    let without: Vec<Technique> = options.cfa_without.iter().filter_map(|without| without.technique()).collect();
    let check_options = check::CheckOptions {
        backend: options.solver.map(SolverChoice::backend),
        engine: engine.unwrap_or_default(),
        limits: if is_timed { limits.share(2) } else { limits.clone() },
        properties: Some(properties),
        confirm: !options.no_certify,
        memory: memory(),
        cluster: options.cluster.of(program, options)?,
        techniques: Techniques::without(&without),
        relations: !options.cfa_without.contains(&Without::Relations),
        ..check::CheckOptions::default()
    };
    let (mut left, mut wanted) = (Left::default(), wanted);
    if let Some(timing) = timing.as_ref().filter(|_| is_timed) {
        // Small models are through in milliseconds; the others come back when moments are decided.
        let options = check::CheckOptions { limits: limits.share(4), ..check_options.clone() };
        wanted = timing.decide(&wanted, (means, &options), Phase::Glance, teller, &mut files, &mut left)?;
    }
    let mut hear = |news: News| match news {
        News::Provisional(finding) => teller.provisional(describe.finding(finding)),
        News::Settled(finding) => {
            files.settled(program, finding);
            teller.property(describe.finding(finding));
        }
    };
    let report = check::decide(program, means, &check_options, &terms, &mut hear).map_err(|failed| match failed {
        Failed::Ended(ended) => Failure::Unreadable { path: program.name.clone().into(), reason: ended.to_string() },
        Failed::Journal(error) => error.into(),
    })?;
    files.write_certificates(program, &report, &check_options);
    if let Some(timing) = timing.as_ref().filter(|_| is_timed) {
        let options = check::CheckOptions { limits, ..check_options };
        timing.decide(&wanted, (means, &options), Phase::Rest, teller, &mut files, &mut left)?;
        problem.messages += &timing.last_words(&mut left, &options.limits, color);
    }
    problem.messages += &report.notes.iter().map(|note| format!("{note}\n")).collect::<String>();
    problem.messages += &files.finish()?;
    let open = report.findings.iter().filter(|finding| finding.answer.is_unknown());
    open.for_each(|finding| teller.property(describe.finding(finding)));

    problem.seconds = Some(report.elapsed.as_secs_f64());
    describe.measure(&mut problem.sizes, &report);
    let messages = &mut problem.messages;
    if let Some(outcome) = &report.search {
        if report.findings.iter().any(|finding| finding.answer.is_unknown()) {
            note(messages, outcome);
        }
        problem.is_memory_full = outcome.stop == Stop::Memory;
    }
    if let Some(path) = &options.vcd {
        model::write_run(path, program, &report, left.run.as_ref().map(|lasso| &lasso.run), vcd::write)?;
    }
    if let Some(path) = &options.trace_csv {
        model::write_run(path, program, &report, left.run.as_ref().map(|lasso| &lasso.run), trace_csv::write)?;
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

/// The compiled program, if it is to be asked.
fn gcc<'p>(program: &'p Program, options: &CheckArgs, interrupt: &'p Interrupt) -> Result<Option<Gcc<'p>>, Failure> {
    let is_java = program.language == program::Language::RersJava;
    if options.confirm.contains(&Confirm::Gcc) && !program.language.is_c() {
        return Err(Failure::Usage("--confirm gcc is for C programs".into()));
    }
    if options.confirm.contains(&Confirm::Java) && !is_java {
        return Err(Failure::Usage("--confirm java is for Java programs".into()));
    }
    let compiled = (!options.confirm.is_empty()).then(|| Gcc::new(program, interrupt)).transpose();
    compiled.map_err(|trouble| Failure::Confirmation(trouble.to_string()))
}

/// The words of a run, if the program reads words.
pub fn words(program: &Program, run: &[Vec<i32>]) -> Option<Vec<String>> {
    let words = || run.iter().flatten().map(|&input| program.words.input(input)).collect();
    (!program.words.is_empty()).then(words)
}

/// The properties and the formulas of these names; all that people ask for if none is named.
fn chosen(
    program: &Program,
    formulas: &[String],
    names: &[String],
) -> Result<(Vec<PropertyId>, Vec<PropertyId>), Failure> {
    if names.is_empty() {
        return Ok((program.questions(), (0..formulas.len()).map(PropertyId::new).collect()));
    }
    let (mut found, mut temporal) = (vec![], vec![]);
    for name in names {
        if name.contains('*') {
            let before = found.len() + temporal.len();
            let questions = program.questions();
            found.extend(questions.into_iter().filter(|&id| is_like(name, &program.property(id).name)));
            let named = formulas.iter().enumerate().filter(|(_, formula)| is_like(name, formula));
            temporal.extend(named.map(|(index, _)| PropertyId::new(index)));
            if found.len() + temporal.len() == before {
                return Err(Failure::Usage(format!("{} has no property like `{name}`", program.name)));
            }
            continue;
        }
        let labels = || program.properties.iter().map(|property| &property.name);
        let place =
            |index: Option<usize>, list: &mut Vec<PropertyId>| index.map(|index| list.push(PropertyId::new(index)));
        let is_known = place(labels().position(|label| label == name), &mut found)
            .or_else(|| place(formulas.iter().position(|formula| formula == name), &mut temporal));
        if is_known.is_none() {
            let meant = meant(name, labels().chain(formulas).map(String::as_str));
            return Err(Failure::Usage(format!("{} has no property `{name}`{meant}", program.name)));
        }
    }
    for list in [&mut found, &mut temporal] {
        list.sort_unstable();
        list.dedup();
    }
    Ok((found, temporal))
}

/// Puts properties of whole runs where they stand in the text: before the automatic ones.
fn in_order(records: &mut [PropertyRecord]) {
    let is_automatic = |record: &PropertyRecord| {
        use PropertyKind::{DivisionByZero, IndexOutOfBounds, OutOfRange};
        matches!(record.shown.kind, Some(DivisionByZero | IndexOutOfBounds | OutOfRange))
    };
    // Automatic ones are in the order of their names.
    records.sort_by_key(|record| {
        let is_automatic = is_automatic(record);
        (is_automatic, if is_automatic { None } else { record.shown.place.clone() })
    });
}

/// Whether a name fits a pattern, in which `*` stands for anything.
fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, rest)) => name.strip_prefix(before).is_some_and(|name| {
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.into_iter().any(|at| is_like(rest, &name[at..]))
        }),
    }
}

/// Findings about a program as records.
struct Describe<'p> {
    program: &'p Program,
    format: Format,
    traces: Traces,
    /// Show inputs that make no difference, too.
    all_inputs: bool,
}

impl Describe<'_> {
    /// The record of a property about which nothing is known yet.
    fn unknown(&self, property: PropertyId) -> PropertyRecord {
        let property = self.program.property(property);
        let sources = &self.program.sources;
        let position = sources.position(property.span);
        let mut record = PropertyRecord::unknown(&self.program.name, &property.name);
        record.expected = property.expected;
        record.constants = self.program.constants.clone();
        record.shown.place = Some((sources.file(property.span).name.clone(), position.line, position.column));
        record.shown.kind = Some(property.kind);
        record.shown.told = if self.program.language.is_model() { Told::Sentence } else { Told::Row };
        record
    }

    fn finding(&self, finding: &Finding) -> PropertyRecord {
        let mut record = self.unknown(finding.property);
        record.shortest = finding.is_shortest;
        record.status = model::status(self.program, finding);
        record.shown.word = model::word(self.program, finding);
        record.take(finding);
        match &finding.answer {
            Answer::Reachable { run } => self.add_run(&mut record, finding.property, run),
            Answer::Unreachable { checked, .. } => {
                record.verdict = Verdict::Unreachable;
                let checked = checked.as_ref().filter(|_| self.format == Format::Jsonl);
                record.invariant = checked.map(|checked| self.invariant(checked));
            }
            Answer::Unknown(_) | Answer::Withdrawn { .. } => {}
        }
        if let (Format::Text | Format::Junit, Some(legend)) = (self.format, &self.program.legend) {
            let is_document = self.format == Format::Junit;
            if let Answer::Reachable { run } = &finding.answer
                && (is_document || self.traces != Traces::None)
            {
                let is_whole = is_document || self.traces == Traces::All;
                let all_inputs = self.all_inputs;
                let log = model::Log { property: finding.property, inputs: run, is_whole, all_inputs };
                record.shown.run = Some(model::log(self.program, legend, log));
            }
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

    fn add_run(&self, record: &mut PropertyRecord, property: PropertyId, inputs: &[Vec<i32>]) {
        record.verdict = Verdict::Reachable;
        // Every run is replayed before it is reported.
        record.confirmed = true;
        match &self.program.legend {
            None => {
                record.steps = Some(inputs.len());
                record.inputs = Some(inputs.concat());
                record.words = words(self.program, inputs);
                record.in_numbers = self.program.has_locations();
                record.outputs = (self.format == Format::Jsonl).then(|| outputs(self.program, inputs));
            }
            Some(legend) => {
                record.steps = Some(model::steps(legend, inputs));
                if matches!(self.format, Format::Jsonl | Format::Sarif) {
                    record.trace = Some(Trace::to(self.program, legend, inputs, property).to_record());
                }
            }
        }
    }

    /// The sizes known before the start.
    fn sizes(&self, properties: usize) -> Sizes {
        let lines = self.program.sources.files().iter().map(|file| file.text.lines().count()).sum();
        let globals = self.program.variables.iter().filter(|variable| variable.scope == Scope::Global);
        let cells =
            self.program.tables.iter().filter(|table| table.written).map(|table| table.cells.len()).sum::<usize>();
        Sizes {
            lines: Some(lines),
            variables: Some(globals.count() + cells),
            inputs: Some(self.program.inputs.len()),
            properties: Some(properties),
            ..Sizes::default()
        }
    }

    /// The sizes that the run adds.
    fn measure(&self, sizes: &mut Sizes, report: &Report) {
        let passes = report.sizes.savings.iter().map(|saving| Pass {
            pass: saving.pass.into(),
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
        Stop::Lost => {
            let trouble = outcome.trouble.as_deref().unwrap_or("a participant is gone");
            writeln!(messages, "error: the search was ended: {trouble}; earlier verdicts are kept")
        }
        Stop::Closed | Stop::Decided | Stop::Interrupted | Stop::Depth | Stop::Steps => Ok(()),
    };
}

fn statistics(report: &Report) -> String {
    let mut text = report.schedule.as_ref().map(ToString::to_string).unwrap_or_default();
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
