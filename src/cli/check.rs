//! `redoubt check`: decides every property of one or many problems, and says so as soon as it is known.
//!
//! [`set`] finds the problems, [`run`] hands them to threads, in which [`program`] and [`circuit`] turn findings into the
//! records of [`record`]; [`collect`] keeps these, and [`write`] writes them.

mod circuit;
mod collect;
mod program;
mod record;
mod run;
mod set;
mod write;

use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use redoubt::engine::Engine;
use redoubt::sat::{Backend, Interrupt};

use super::expected::Answers;
use super::output::message;
use super::{Failure, INTERRUPTED, Outcome};
use collect::{Collection, State};
use record::ProblemRecord;
use run::{Event, News};
use write::Writer;

pub const EXAMPLES: &str = "\
Examples:
  redoubt check Problem1.c
  redoubt check Problem1.c --property error_3 --property error_7
  redoubt check Problem1.c --engine bmc --timeout 60 --format jsonl
  redoubt check Problem1.c --engine explicit --memory 8000
  redoubt check Problem4.c Problem4External.c
  redoubt check problems/ --jobs 4 --expect problems/expected.csv
  redoubt check elevator.gcl --vcd elevator.vcd
  redoubt check counter.aig --witness-dir witnesses";

#[derive(Args)]
pub struct Options {
    /// Programs (.c), models (.gcl), AIGER models (.aig, .aag, also .gz or .xz; - for standard input), or folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How many problems are decided at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,

    /// Compare with known answers: a table with the columns file, property and expected
    #[arg(long, value_name = "FILE.csv")]
    expect: Vec<PathBuf>,

    /// Stop after this many seconds for each problem; what is decided by then is kept
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

    /// Check what exploring the abstraction proved again, on the exact program
    #[arg(long)]
    confirm: bool,

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

/// How long work that was interrupted may take to come to its end.
const GRACE: Duration = Duration::from_millis(500);

/// How often the interrupt is looked at while nothing happens.
const TICK: Duration = Duration::from_millis(50);

pub fn run(options: Options, color: bool) -> Result<Outcome, Failure> {
    let signals = signals();
    let problems = set::problems(&options.files)?;
    if options.vcd.is_some() && problems.len() > 1 {
        return Err(Failure::Usage("--vcd is for a single model".into()));
    }
    let answers = (!options.expect.is_empty()).then(|| Answers::read(&options.expect)).transpose()?;
    let mut session = Session {
        collection: Collection::new(&problems, answers.as_ref()),
        writer: write::writer(&options, problems.len()),
        failure: None,
    };
    if answers.is_some() && !session.collection.has_known() {
        return Err(Failure::Usage("the known answers are about other files".into()));
    }
    session.writer.begin()?;
    let events = run::start(&problems, &Arc::new(options), &signals, color)?;
    let result = session.listen(&events, &signals);
    let is_interrupted = signals.is_raised();
    if result.is_err() {
        // The pipe is closed or the disk is full: nobody sees what else is found.
        signals.raise();
        wait(&events);
    }
    result?;
    match session.failure {
        // The only problem could not be decided, and the reason is all that there is to say.
        Some(failure) if problems.len() == 1 => Err(failure),
        _ => session.collection.outcome(is_interrupted),
    }
}

/// An interrupt that signals raise; the second one ends the process at once.
fn signals() -> Interrupt {
    let interrupt = Interrupt::default();
    let raised = interrupt.clone();
    // Without the handler the default action applies, which ends the process as well.
    let _ = ctrlc::set_handler(move || {
        if raised.is_raised() {
            std::process::exit(INTERRUPTED.into());
        }
        raised.raise();
    });
    interrupt
}

/// Lets the workers come to their end, if they do so soon.
fn wait(events: &Receiver<Event>) {
    let start = Instant::now();
    while let Some(left) = GRACE.checked_sub(start.elapsed()) {
        if let Err(RecvTimeoutError::Disconnected) = events.recv_timeout(left) {
            return;
        }
    }
}

/// A run from its first event to its last word.
struct Session {
    collection: Collection,
    writer: Box<dyn Writer>,
    /// The last failure.
    failure: Option<Failure>,
}

impl Session {
    /// Writes what happens until all problems are through or the work is interrupted.
    fn listen(&mut self, events: &Receiver<Event>, signals: &Interrupt) -> io::Result<()> {
        let mut interrupted: Option<Instant> = None;
        loop {
            match events.recv_timeout(TICK) {
                Ok(event) => self.hear(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if signals.is_raised() && interrupted.get_or_insert_with(Instant::now).elapsed() > GRACE {
                break;
            }
        }
        for number in 0..self.collection.entries.len() {
            if self.collection.entries[number].state == State::Running {
                self.give_up(number)?;
            }
        }
        self.writer.end(&self.collection)
    }

    fn hear(&mut self, Event { problem: number, news }: Event) -> io::Result<()> {
        let entry = &mut self.collection.entries[number];
        match news {
            News::Started(record, properties) => {
                entry.start(*record, properties);
                Ok(())
            }
            News::Property(record) => self.writer.property(entry.property(*record)),
            News::Finished(record) => self.finish(number, Some(*record)),
            News::Failed(failure) => {
                entry.fail(&failure);
                if self.collection.entries.len() > 1 {
                    let name = &self.collection.entries[number].name;
                    failure.tell(Some(name));
                }
                self.failure = Some(failure);
                Ok(())
            }
        }
    }

    /// Reports what is known about a problem whose worker does not come to its end.
    fn give_up(&mut self, number: usize) -> io::Result<()> {
        let entry = &self.collection.entries[number];
        let open = entry.properties.iter().filter(|record| !record.is_decided());
        open.clone().try_for_each(|record| self.writer.property(record))?;
        self.finish(number, None)
    }

    fn finish(&mut self, number: usize, record: Option<ProblemRecord>) -> io::Result<()> {
        let elapsed = self.collection.start.elapsed();
        let entry = &mut self.collection.entries[number];
        if entry.finish(record, elapsed).is_none() {
            return Ok(());
        }
        let entry = &self.collection.entries[number];
        if let Some(record) = &entry.record {
            self.writer.problem(record, entry)?;
            message(&record.messages);
        }
        entry.wrong.iter().for_each(|wrong| message(&format!("error: wrong answer: {wrong}\n")));
        Ok(())
    }
}

impl Options {
    /// How many problems are decided at the same time.
    fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.jobs.map_or_else(cores, NonZero::get)
    }
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
