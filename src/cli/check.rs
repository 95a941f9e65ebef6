//! `redoubt check`: decides every property and says so as soon as it is known.
//!
//! This is the command for programs; `model` is the same for AIGER models.

mod model;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use redoubt::check::{self, Answer, Finding, Report};
use redoubt::engine::{Engine, Limits};
use redoubt::explicit::{self, Stop};
use redoubt::program::{Program, PropertyId};
use redoubt::sat::{Backend, Interrupt};
use serde::Serialize;

use super::output::{count, letter, message};
use super::{Failure, Outcome, load};

pub const EXAMPLES: &str = "\
Examples:
  redoubt check Problem1.c
  redoubt check Problem1.c --property error_3 --property error_7
  redoubt check Problem1.c --engine bmc --timeout 60 --format jsonl
  redoubt check Problem1.c --engine explicit --memory 8000
  redoubt check counter.aig --witness-dir witnesses";

/// How many random steps an explicit search makes when its memory is full: some seconds.
const SWEEP: u64 = 50_000_000;

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

    /// What decides them: IC3 proves and refutes, bounded model checking only refutes, k-induction proves
    /// what short histories imply, explicit search visits all states, and the portfolio is the first two in turns
    /// [default: ic3 for programs, portfolio for models]
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

    /// Print sizes, and times and counts per phase, to standard error
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    model: model::ModelOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Jsonl,
    Csv,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineChoice {
    Ic3,
    Bmc,
    Kinduction,
    Explicit,
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
        return model::run(options, &name, &model);
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
    let report = match options.engine.unwrap_or(EngineChoice::Ic3).engine() {
        Some(engine) => {
            let (interrupt, per_property) = (interrupt.clone(), options.property_timeout);
            let check_options = check::Options {
                engine,
                backend: options.solver.map(SolverChoice::backend),
                limits: Limits { interrupt, per_property, depth: options.depth, ..Limits::default() },
                properties,
                ..check::Options::default()
            };
            check::check(&program, &check_options, hear)
        }
        None => {
            let search_options = explicit::Options {
                interrupt: interrupt.clone(),
                memory: options.memory.saturating_mul(1 << 20),
                depth: options.depth,
                properties,
                sweep: SWEEP,
                ..explicit::Options::default()
            };
            Ok(check::check_explicitly(&program, &search_options, hear))
        }
    };
    failed?;
    let report =
        report.map_err(|error| Failure::Unreadable { path: options.files[0].clone(), reason: error.to_string() })?;
    if let Some(outcome) = &report.search {
        note(outcome, options.memory);
    }
    writer.tail(&report)?;
    if options.stats {
        statistics(&report);
    }
    outcome(&report, interrupt.is_raised() && options.timeout.is_none_or(|limit| report.elapsed < limit))
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
    Ok((!names.is_empty()).then_some(found))
}

fn outcome(report: &Report, interrupted: bool) -> Result<Outcome, Failure> {
    let any = |test: fn(&Answer) -> bool| report.findings.iter().any(|finding| test(&finding.answer));
    if any(|answer| matches!(answer, Answer::Withdrawn { .. })) {
        return Err(Failure::Bug("an engine claimed a run that the program does not have".into()));
    }
    let undecided = any(|answer| matches!(answer, Answer::Unknown));
    if interrupted && undecided {
        return Err(Failure::Interrupted);
    }
    Ok(if any(|answer| matches!(answer, Answer::Reachable { .. })) {
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
        let (verdict, status) = words(&finding.answer);
        let inputs = match &finding.answer {
            Answer::Reachable { inputs } => Some(inputs.concat()),
            _ => None,
        };
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
                let steps = inputs.as_ref().map_or(String::new(), |inputs| inputs.len().to_string());
                let letters: Vec<String> = inputs.iter().flatten().map(|&input| letter(input)).collect();
                writeln!(out, "{},{name},{verdict},{steps},{}", self.program.name, letters.join(" "))?;
            }
            Format::Jsonl => {
                let line = Line {
                    file: &self.program.name,
                    property: name,
                    verdict,
                    status,
                    steps: inputs.as_ref().map(Vec::len),
                    inputs,
                    engine: self.options.engine.unwrap_or(EngineChoice::Ic3).name(),
                    seconds: finding.after.as_secs_f64(),
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
    if let Some(outcome) = &report.search {
        eprint!("{}", outcome.statistics);
        return;
    }
    let sizes = &report.sizes;
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
    /// The engine on circuits; `None` for the search on programs.
    fn engine(self) -> Option<Engine> {
        match self {
            EngineChoice::Ic3 => Some(Engine::Ic3),
            EngineChoice::Bmc => Some(Engine::Bmc),
            EngineChoice::Kinduction => Some(Engine::KInduction),
            EngineChoice::Explicit => None,
            EngineChoice::Portfolio => Some(Engine::Portfolio),
        }
    }

    fn name(self) -> &'static str {
        match self {
            EngineChoice::Ic3 => "ic3",
            EngineChoice::Bmc => "bmc",
            EngineChoice::Kinduction => "kinduction",
            EngineChoice::Explicit => "explicit",
            EngineChoice::Portfolio => "portfolio",
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
