//! `redoubt check`: decides every property and says so as soon as it is known.
//!
//! This is the command for programs; `model` is the same for AIGER models.

mod circuit;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use redoubt::check::{self, Answer, Finding, Report};
use redoubt::engine::{Engine, Limits};
use redoubt::explicit::{self, Stop};
use redoubt::program::{Program, PropertyId, Status};
use redoubt::sat::{Backend, Interrupt};
use serde::Serialize;

use super::output::{count, letter, message};
use super::trace::Trace;
use super::{Failure, Outcome, load, model};

pub const EXAMPLES: &str = "\
Examples:
  redoubt check Problem1.c
  redoubt check Problem1.c --property error_3 --property error_7
  redoubt check Problem1.c --engine bmc --timeout 60 --format jsonl
  redoubt check Problem1.c --engine explicit --memory 8000
  redoubt check elevator.gcl --vcd elevator.vcd
  redoubt check counter.aig --witness-dir witnesses";

#[derive(Args)]
pub struct Options {
    /// The files of one program, or an AIGER model (.aig, .aag, also .gz or .xz; - for standard input)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Stop after this many seconds; what is decided by then is kept
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Spend at most this many seconds on one property while others are open too
    #[arg(long, value_name = "S", value_parser = seconds)]
    property_timeout: Option<Duration>,

    /// How to write the verdicts
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Decide only these properties
    #[arg(long = "property", value_name = "NAME")]
    properties: Vec<String>,

    /// What decides them: all engines together, or one of them [default: all, and portfolio for AIGER models]
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,

    /// The SAT solver underneath; by default the one that suits the engine
    #[arg(long, value_enum)]
    solver: Option<SolverChoice>,

    /// Go no further than this many steps (frames, for IC3)
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    /// How much memory the states of an explicit search may take
    #[arg(long, value_name = "MB", default_value_t = 2048)]
    memory: usize,

    /// Do not look for alternatives, branches and assumptions of a model that no step gets through
    #[arg(long)]
    no_lint: bool,

    /// Write the run that violates the first property, or else reaches the first goal, for a waveform viewer
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,

    /// Print sizes, and times and counts per phase, to standard error
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    model: circuit::CircuitOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Jsonl,
    Csv,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineChoice {
    /// The abstraction first, then the others side by side
    All,
    /// Visits the states of the abstraction into regions: proves and refutes
    Regions,
    /// Visits the states of the program: proves and refutes where they are few
    Explicit,
    /// Proves and refutes on the circuit of the program
    Ic3,
    /// Bounded model checking: only refutes
    Bmc,
    /// Proves what short histories imply
    Kinduction,
    /// IC3 and bounded model checking in turns
    Portfolio,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SolverChoice {
    Cadical,
    Batsat,
    Cone,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

pub fn run(options: &Options, color: bool) -> Result<Outcome, Failure> {
    if let Some((name, model)) = load::model(&options.files)? {
        return circuit::run(options, &name, &model);
    }
    if options.model.is_given() {
        return Err(Failure::Usage("--witness-dir, --hwmcc and --without are for AIGER models".into()));
    }
    let program = load::program(&options.files, color)?;
    let interrupt = options.interrupt();
    let properties = chosen(&program, &options.properties)?;
    let writer = Writer { program: &program, options };
    writer.head()?;
    let mut failed = Ok(());
    let hear = |finding: &Finding| {
        if failed.is_ok() {
            failed = writer.finding(finding);
            if failed.is_err() {
                interrupt.raise();
            }
        }
    };
    let memory = options.memory.saturating_mul(1 << 20);
    let mut check_options = check::Options {
        backend: options.solver.map(SolverChoice::backend),
        limits: Limits {
            interrupt: interrupt.clone(),
            per_property: options.property_timeout,
            depth: options.depth,
            ..Limits::default()
        },
        properties,
        ..check::Options::default()
    };
    let report = match options.engine.unwrap_or(EngineChoice::All) {
        EngineChoice::All => check::check_together(&program, &check_options, memory, hear),
        EngineChoice::Regions => check::check_regions(&program, &check_options, hear),
        EngineChoice::Explicit => {
            let search_options = explicit::Options {
                interrupt: interrupt.clone(),
                memory,
                depth: options.depth,
                properties: check_options.properties,
                sweep: explicit::SWEEP,
                ..explicit::Options::default()
            };
            Ok(check::check_explicitly(&program, &search_options, hear))
        }
        choice @ (EngineChoice::Ic3 | EngineChoice::Bmc | EngineChoice::Kinduction | EngineChoice::Portfolio) => {
            check_options.engine = choice.on_circuits().unwrap_or_default();
            check::check(&program, &check_options, hear)
        }
    };
    failed?;
    let report =
        report.map_err(|error| Failure::Unreadable { path: options.files[0].clone(), reason: error.to_string() })?;
    if let Some(outcome) = &report.search {
        note(outcome, options.memory);
    }
    writer.tail(&report)?;
    if let Some(path) = &options.vcd {
        model::write_waveform(path, &program, &report)?;
    }
    if let Some(legend) = &program.legend {
        message(&model::unmet_expectations(&program, &report, color));
        if !options.no_lint && options.properties.is_empty() {
            message(&model::warnings(&program, legend, &report, &interrupt, color));
        }
    }
    if options.stats {
        statistics(&report);
    }
    outcome(&program, &report, interrupt.is_raised() && options.timeout.is_none_or(|limit| report.elapsed < limit))
}

impl Options {
    /// Ends the work at the time limit or at a signal.
    fn interrupt(&self) -> Interrupt {
        let interrupt = match self.timeout {
            Some(limit) => Interrupt::after(limit),
            None => Interrupt::default(),
        };
        let signals = interrupt.clone();
        // Without the handler the default action applies, and finished verdicts are on the screen already.
        let _ = ctrlc::set_handler(move || signals.raise());
        interrupt
    }
}

/// The properties of these names; all of them if none is named.
fn chosen(program: &Program, names: &[String]) -> Result<Option<Vec<PropertyId>>, Failure> {
    let mut found = vec![];
    for name in names {
        let Some(index) = program.properties.iter().position(|property| &property.name == name) else {
            return Err(Failure::Usage(format!("{} has no property `{name}`", program.name)));
        };
        found.push(PropertyId::new(index));
    }
    found.sort_unstable();
    found.dedup();
    if names.is_empty() {
        found = model::properties(program);
    }
    Ok(Some(found))
}

fn outcome(program: &Program, report: &Report, interrupted: bool) -> Result<Outcome, Failure> {
    let any = |test: fn(&Answer) -> bool| report.findings.iter().any(|finding| test(&finding.answer));
    if any(|answer| matches!(answer, Answer::Withdrawn { .. })) {
        return Err(Failure::Bug("an engine claimed a run that the program does not have".into()));
    }
    let undecided = any(|answer| matches!(answer, Answer::Unknown));
    if interrupted && undecided {
        return Err(Failure::Interrupted);
    }
    Ok(if report.findings.iter().any(|finding| model::is_unwanted(program, finding)) {
        Outcome::Violated
    } else if undecided {
        Outcome::Undecided
    } else {
        Outcome::Holds
    })
}

/// A line of `--format jsonl`. The names are part of the interface.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    property: &'a str,
    verdict: &'a str,
    status: &'a str,
    steps: Option<usize>,
    inputs: Option<Vec<i32>>,
    engine: &'a str,
    seconds: f64,
    /// What a model expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    /// The run of a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<serde_json::Value>,
}

struct Writer<'a> {
    program: &'a Program,
    options: &'a Options,
}

impl Writer<'_> {
    fn head(&self) -> io::Result<()> {
        match self.options.format {
            Format::Csv => writeln!(io::stdout(), "file,property,verdict,steps,inputs"),
            Format::Text | Format::Jsonl => Ok(()),
        }
    }

    /// One verdict, visible at once.
    fn finding(&self, finding: &Finding) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let name = &self.program.property(finding.property).name;
        let (verdict, _) = words(&finding.answer);
        let own_word = model::word(self.program, finding);
        let status = model::status(self.program, finding).map_or("unknown", Status::word);
        let run = match &finding.answer {
            Answer::Reachable { inputs } => Some(inputs),
            _ => None,
        };
        let legend = self.program.legend.as_ref();
        let inputs = run.filter(|_| legend.is_none()).map(|inputs| inputs.concat());
        let steps = run.map(|inputs| legend.map_or(inputs.len(), |legend| model::steps(legend, inputs)));
        if let (Format::Text, Some(legend)) = (self.options.format, legend) {
            model::write(&mut out, self.program, legend, finding)?;
            return out.flush();
        }
        match self.options.format {
            Format::Text => {
                let detail = match &inputs {
                    Some(inputs) => {
                        let letters: Vec<String> = inputs.iter().map(|&input| letter(input)).collect();
                        format!("  {}: {}", count(inputs.len(), "step"), letters.join(" "))
                    }
                    None => String::new(),
                };
                writeln!(out, "{name:20}  {verdict}{detail}")?;
            }
            Format::Csv => {
                let steps = steps.map_or(String::new(), |steps| steps.to_string());
                let letters: Vec<String> = inputs.iter().flatten().map(|&input| letter(input)).collect();
                writeln!(out, "{},{name},{own_word},{steps},{}", self.program.name, letters.join(" "))?;
            }
            Format::Jsonl => {
                let line = Line {
                    file: &self.program.name,
                    property: name,
                    verdict,
                    status,
                    steps,
                    inputs,
                    engine: finding.decider.name(),
                    seconds: finding.after.as_secs_f64(),
                    expected: self.program.property(finding.property).expected.map(Status::word),
                    trace: run.zip(legend).map(|(inputs, legend)| Trace::of(self.program, legend, inputs).json()),
                };
                serde_json::to_writer(&mut out, &line)?;
                writeln!(out)?;
            }
        }
        out.flush()
    }

    /// What stayed open, and in text a summary.
    fn tail(&self, report: &Report) -> io::Result<()> {
        let open = report.findings.iter().filter(|finding| finding.answer == Answer::Unknown);
        open.clone().try_for_each(|finding| self.finding(finding))?;
        if self.options.format != Format::Text {
            return Ok(());
        }
        if self.program.legend.is_some() {
            return model::write_summary(&mut io::stdout(), self.program, report);
        }
        let number = |verdict| report.findings.iter().filter(|finding| words(&finding.answer).0 == verdict).count();
        writeln!(
            io::stdout(),
            "{}: {} reachable, {} unreachable, {} unknown ({:.2} s)",
            count(report.findings.len(), "property").replace("propertys", "properties"),
            number("reachable"),
            number("unreachable"),
            number("unknown"),
            report.elapsed.as_secs_f64(),
        )
    }
}

/// The verdict and the status of an answer, as they are written.
fn words(answer: &Answer) -> (&'static str, &'static str) {
    match answer {
        Answer::Reachable { .. } => ("reachable", "violated"),
        Answer::Unreachable { .. } => ("unreachable", "holds"),
        Answer::Unknown | Answer::Withdrawn { .. } => ("unknown", "unknown"),
    }
}

/// Says why a search gave up, where the options do not tell.
fn note(outcome: &explicit::Outcome, memory: usize) {
    match outcome.stop {
        Stop::Memory => message(&format!(
            "note: stopped after {}, which fill the {memory} MB that --memory allows\n",
            count(outcome.statistics.states, "state")
        )),
        Stop::Inputs => {
            message(&format!("note: not searched: an input has more than {} values\n", explicit::inputs::MOST_VALUES))
        }
        Stop::Closed | Stop::Decided | Stop::Interrupted | Stop::Depth | Stop::Steps => {}
    }
}

fn statistics(report: &Report) {
    if let Some(statistics) = &report.abstraction {
        eprint!("{statistics}");
    }
    if let Some(outcome) = &report.search {
        eprint!("{}", outcome.statistics);
    }
    let sizes = &report.sizes;
    if sizes.states == 0 {
        // No circuit was needed.
        return;
    }
    eprintln!("{}", count(sizes.states, "state variable"));
    for saving in &sizes.savings {
        let ((s0, s1), (e0, e1)) = (saving.states, saving.expressions);
        eprintln!("  {:18} {s0} -> {s1} variables, {e0} -> {e1} expressions", saving.pass);
    }
    let (latches, inputs, gates) = (sizes.latches, sizes.inputs, sizes.gates);
    eprintln!("{latches} latches, {inputs} input bits, {gates} gates in {:.3} s", sizes.encoding.as_secs_f64());
    eprint!("{}", report.statistics);
}

impl EngineChoice {
    /// The engine that works on circuits; none for those that work on programs.
    fn on_circuits(self) -> Option<Engine> {
        match self {
            EngineChoice::Ic3 => Some(Engine::Ic3),
            EngineChoice::Bmc => Some(Engine::Bmc),
            EngineChoice::Kinduction => Some(Engine::KInduction),
            EngineChoice::All | EngineChoice::Portfolio => Some(Engine::Portfolio),
            EngineChoice::Regions | EngineChoice::Explicit => None,
        }
    }
}

impl SolverChoice {
    fn backend(self) -> Backend {
        match self {
            SolverChoice::Cadical => Backend::Cadical,
            SolverChoice::Batsat => Backend::Batsat,
            SolverChoice::Cone => Backend::Cone,
        }
    }
}
