//! `redoubt check`: decides every property of one or many problems, and says so as soon as it is known.
//!
//! [`set`] finds the problems, [`run`] hands them to threads, in which [`program`] and [`circuit`] turn findings into the
//! records of [`record`]; [`runs`] sees to the witnesses; [`collect`] keeps these, and [`write`] writes them.

mod advice;
mod circuit;
mod collect;
mod memory;
mod program;
mod record;
mod run;
mod runs;
mod set;
mod view;
mod write;

use std::collections::HashMap;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use redoubt::engine::Engine;
use redoubt::journal::{self, Journal};
use redoubt::sat::{Backend, Interrupt};

use super::expected::Answers;
use super::output::{count, message};
use super::{Failure, INTERRUPTED, Outcome};
use collect::{Collection, State};
use memory::Memory;
use record::{ProblemRecord, PropertyRecord};
use run::{Event, News, Work};
use view::{Board, View};
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
  redoubt check Problem1.c --shortest --confirm gcc --witness-dir witnesses
  redoubt check problems/ --journal run.journal; redoubt check problems/ --resume run.journal
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

    /// Show nothing but the result while the work goes on
    #[arg(long, short)]
    quiet: bool,

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

    /// How much memory the process may take; what is decided by then is kept [default: no limit, but 2048 for the
    /// states of an explicit search]
    #[arg(long, value_name = "MB")]
    memory: Option<usize>,

    #[arg(skip)]
    watch: Memory,

    /// Do not look for alternatives, branches and assumptions of a model that no step gets through
    #[arg(long)]
    no_lint: bool,

    /// Write the run that violates the first property, or else reaches the first goal, for a waveform viewer
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,

    /// Check runs once more, by this
    #[arg(long, value_enum, value_name = "BY")]
    confirm: Vec<Confirm>,

    /// Do not check the certificates of proofs
    #[arg(long)]
    no_certify: bool,

    /// Find a run with the fewest steps for every property that can be reached
    #[arg(long)]
    shortest: bool,

    /// Write a witness for every reachable property to this folder, and for AIGER models a witness circuit for the
    /// proved ones
    #[arg(long, value_name = "DIR")]
    witness_dir: Option<PathBuf>,

    /// Write each verdict down before it is told, so that a run that is killed can go on
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    journal: Option<PathBuf>,

    /// Go on from a journal: what is decided there is not decided again
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    #[arg(skip)]
    open_journal: Option<Journal>,

    /// The names of all problems
    #[arg(skip)]
    names: Vec<String>,

    /// Print sizes, and times and counts per phase, to standard error
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    model: circuit::CircuitOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    Text,
    /// JSON lines, each as soon as it is known
    Jsonl,
    /// What the RERS challenge asks for: problem, label, true or false
    Csv,
    /// Test results, for continuous integration
    Junit,
    /// Results of an analysis, for code hosts
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Confirm {
    /// Compile the C program with gcc, and run it on every witness
    Gcc,
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

pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

/// How long work that was interrupted may take to come to its end.
const GRACE: Duration = Duration::from_millis(500);

/// What a worker may take beyond the time limit and a twentieth of it, before it is no longer waited for.
const PATIENCE: Duration = Duration::from_millis(50);

/// How often the interrupt is looked at while nothing happens.
const TICK: Duration = Duration::from_millis(10);

pub fn run(mut options: Options, color: bool) -> Result<Outcome, Failure> {
    let signals = signals();
    options.open_journal()?;
    options.watch = Memory::watch(options.memory)?;
    let watch = options.watch.clone();
    // A worker that is told to end has this much time.
    let patience = options.timeout.map(|limit| limit + limit / 20 + PATIENCE);
    // Messages may become part of a document.
    let color = color && !matches!(options.format, Format::Junit | Format::Sarif);
    let problems = set::problems(&options.files)?;
    options.names = problems.iter().map(set::Problem::name).collect();
    if options.vcd.is_some() && problems.len() > 1 {
        return Err(Failure::Usage("--vcd is for a single model".into()));
    }
    let answers = (!options.expect.is_empty()).then(|| Answers::read(&options.expect)).transpose()?;
    let board = Board::new(problems.len());
    let mut session = Session {
        collection: Collection::new(&problems, answers.as_ref()),
        writer: write::writer(&options, problems.len()),
        started: vec![None; problems.len()],
        patience,
        watch,
        provisional: HashMap::new(),
        view: View::new(&options, board.clone(), problems.len()),
        failure: None,
    };
    if answers.is_some() && !session.collection.has_known() {
        return Err(Failure::Usage("the known answers are about other files".into()));
    }
    session.writer.begin()?;
    let options = Arc::new(options);
    let work = Work { options: Arc::clone(&options), signals: signals.clone(), board, color };
    let events = run::start(&problems, work)?;
    let result = session.listen(&events, &signals);
    session.view.end();
    let is_interrupted = signals.is_raised();
    let result = result.and_then(|()| session.end(&options));
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

fn damaged(lines: usize) -> String {
    format!("{} {} damaged", count(lines, "line"), if lines == 1 { "is" } else { "are" })
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
    /// By problem: when its time began to run.
    started: Vec<Option<Instant>>,
    /// How long a problem is waited for.
    patience: Option<Duration>,
    watch: Memory,
    /// What is known about properties that wait for something better, by problem and name.
    provisional: HashMap<(usize, String), PropertyRecord>,
    view: View,
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
            self.view.tick(&self.collection);
            if signals.is_raised() && interrupted.get_or_insert_with(Instant::now).elapsed() > GRACE {
                break;
            }
            if self.watch.is_hopeless() {
                // Leaving ends whatever does not listen.
                let note = "note: stopped: the process takes more memory than --memory allows\n";
                self.view.aside(|| message(note));
                break;
            }
            if self.give_up_late()? == 0 {
                break;
            }
        }
        for number in 0..self.collection.entries.len() {
            if self.collection.entries[number].state == State::Running {
                self.give_up(number)?;
            }
        }
        Ok(())
    }

    /// The last words: totals, and what might help with what is undecided.
    fn end(&mut self, options: &Options) -> io::Result<()> {
        self.writer.end(&self.collection)?;
        if options.format == Format::Text && !options.model.hwmcc {
            io::stdout().write_all(advice::advice(options, &self.collection).as_bytes())?;
        }
        Ok(())
    }

    /// Stops waiting for problems whose time is long over; how many are left.
    fn give_up_late(&mut self) -> io::Result<usize> {
        for number in 0..self.started.len() {
            let is_late = self.started[number].zip(self.patience).is_some_and(|(start, most)| start.elapsed() > most);
            if is_late && self.collection.entries[number].state == State::Running {
                self.give_up(number)?;
            }
        }
        let is_open = |state| matches!(state, State::Waiting | State::Running);
        Ok(self.collection.entries.iter().filter(|entry| is_open(entry.state)).count())
    }

    fn hear(&mut self, Event { problem: number, begun, news }: Event) -> io::Result<()> {
        let entry = &mut self.collection.entries[number];
        if matches!(entry.state, State::Finished | State::Failed) {
            // It was given up before.
            return Ok(());
        }
        match news {
            News::Started(record, properties) => {
                self.started[number] = Some(begun);
                entry.start(*record, properties);
                Ok(())
            }
            News::Property(record) => {
                let record = entry.property(*record);
                if record.is_decided() {
                    self.view.property(record);
                }
                self.view.aside(|| self.writer.property(record))
            }
            News::Provisional(record) => {
                self.provisional.insert((number, record.property.clone()), *record);
                Ok(())
            }
            News::Finished(record) => self.finish(number, Some(*record)),
            News::Failed(failure) => {
                // What was decided before that is not lost.
                if entry.properties.iter().any(PropertyRecord::is_decided) {
                    self.give_up(number)?;
                }
                self.collection.entries[number].fail(&failure);
                if self.collection.entries.len() > 1 {
                    let name = &self.collection.entries[number].name;
                    self.view.aside(|| failure.tell(Some(name)));
                }
                self.failure = Some(failure);
                Ok(())
            }
        }
    }

    /// Reports what is known about a problem whose worker does not come to its end.
    fn give_up(&mut self, number: usize) -> io::Result<()> {
        let entry = &mut self.collection.entries[number];
        let untold: Vec<PropertyRecord> = entry.untold().cloned().collect();
        for record in untold {
            let known = self.provisional.remove(&(number, record.property.clone()));
            self.writer.property(entry.property(known.unwrap_or(record)))?;
        }
        self.finish(number, None)
    }

    fn finish(&mut self, number: usize, record: Option<ProblemRecord>) -> io::Result<()> {
        let elapsed = self.collection.start.elapsed();
        let entry = &mut self.collection.entries[number];
        if entry.finish(record, elapsed).is_none() {
            return Ok(());
        }
        let entry = &self.collection.entries[number];
        self.view.aside(|| {
            if let Some(record) = &entry.record {
                self.writer.problem(record, entry)?;
                message(&record.messages);
            }
            entry.wrong.iter().for_each(|wrong| message(&format!("error: wrong answer: {wrong}\n")));
            Ok(())
        })
    }
}

impl Options {
    /// Opens the journal that was asked for.
    fn open_journal(&mut self) -> Result<(), Failure> {
        let (path, opened) = match (&self.journal, &self.resume) {
            (Some(path), _) => (path, Journal::create(path)),
            (None, Some(path)) => (path, Journal::resume(path)),
            (None, None) => return Ok(()),
        };
        let unusable =
            |reason: journal::Trouble| Failure::Unreadable { path: path.clone(), reason: reason.to_string() };
        let opened = opened.map_err(unusable)?;
        if opened.damaged > 0 {
            message(&format!("note: {}: {} and not used\n", path.display(), damaged(opened.damaged)));
        }
        self.open_journal = Some(opened);
        Ok(())
    }

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
