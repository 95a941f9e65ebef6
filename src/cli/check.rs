//! `redoubt check`: decides every property of one or many problems, and says so as soon as it is known.
//!
//! [`options`] has the options, [`set`] finds the problems, [`run`] hands them to threads, in which [`program`] and
//! [`circuit`] turn findings into the records of [`record`] and [`runs`] writes the witnesses. [`session`] listens to
//! all of them, with [`collect`] to keep the verdicts, [`view`] to show the progress and [`write`] to write the result.

mod advice;
mod branching;
mod circuit;
mod cluster;
mod collect;
pub mod formulas;
mod justice;
pub mod memory;
mod merge;
mod modal;
mod names;
mod options;
mod program;
mod record;
mod relational;
mod room;
mod run;
mod runs;
mod session;
mod set;
mod shard;
mod states;
mod task;
pub mod timed;
mod view;
mod write;

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use redoubt_base::{Interrupt, Threads};
use redoubt_report::record::Head;

use super::expected::Answers;
use super::{Failure, INTERRUPTED, Outcome};
use collect::Collection;
use memory::Memory;
pub use merge::{MERGE_EXAMPLES, MergeOptions, merge};
use names::Names;
pub use options::{CheckArgs, EXAMPLES, EngineChoice, seconds};
use options::{Confirm, DataModel, Format, SolverChoice, Traces};
use run::Work;
use session::Session;
pub use set::problems;
use view::{Board, View};

/// The time that a worker may take beyond the time limit and a twentieth of it, before it is no longer waited for.
const PATIENCE: Duration = Duration::from_millis(50);

pub fn run(mut options: CheckArgs, color: bool) -> Result<Outcome, Failure> {
    let signals = signals();
    options.set.extend(options.data_model.map(DataModel::sweep));
    options.open_journal()?;
    options.watch = Memory::watch(options.memory)?;
    let watch = options.watch.clone();
    // A worker that is told to end has this much time.
    let patience = options.timeout.map(|limit| limit + limit / 20 + PATIENCE);
    // Messages may become part of a document.
    let color = color && !matches!(options.format, Format::Jsonl | Format::Junit | Format::Sarif);
    let all = set::swept(problems(&options.files), &options.set);
    let problems = options.shard.map_or_else(|| all.clone(), |shard| shard::divide(&all, shard));
    let names: Vec<String> = problems.iter().map(set::Problem::name).collect();
    options.names = Names::new(&names);
    if options.ltl.is_some() && problems.len() > 1 {
        return Err(Failure::Usage("--ltl is for a single program; formulas beside programs are found".into()));
    }
    if (options.vcd.is_some() || options.trace_csv.is_some()) && problems.len() > 1 {
        return Err(Failure::Usage("--vcd and --trace-csv are for a single model".into()));
    }
    options.cluster.check(&options, problems.len())?;
    let answers = (!options.expect.is_empty()).then(|| Answers::read(&options.expect)).transpose()?;
    let board = Board::new(problems.len());
    // It reads all files, so it is made only on demand.
    let head = LazyCell::new(|| merge::head(&options, &all, options.shard.unwrap_or(shard::Shard::WHOLE)));
    let mut session = Session {
        collection: Collection::new(&problems, answers.as_ref()),
        writer: write::writer(&options, &names, || head.clone()),
        started: vec![None; problems.len()],
        patience,
        watch,
        provisional: HashMap::new(),
        view: View::new(&options, board.clone(), problems.len()),
        said: HashSet::new(),
        failure: None,
    };
    if answers.is_some() && options.shard.is_none() && !session.collection.has_known() {
        return Err(Failure::Usage("the known answers are about other files".into()));
    }
    if let Some(path) = &options.output {
        let unwritable = |error: std::io::Error| Failure::Unreadable { path: path.clone(), reason: error.to_string() };
        super::output::redirect(path).map_err(unwritable)?;
    }
    session.writer.begin()?;
    if let Some(journal) = &options.open_journal {
        // A run that goes on with a journal is the same run, whenever and wherever it does.
        journal.begin(&Head { started: None, machine: None, ..head.clone() })?;
    }
    drop(head);
    let options = Arc::new(options);
    let work = Work {
        options: Arc::clone(&options),
        signals: signals.clone(),
        board,
        color,
        engines: 1,
        spare: Threads::default(),
    };
    let events = run::start(&problems, work)?;
    let result = session.listen(&events, &signals);
    session.view.end();
    let is_interrupted = signals.is_raised();
    let result = result.and_then(|()| session.end(&options));
    if result.is_err() {
        // The disk is full: further findings would be lost.
        signals.raise();
        session::wait(&events);
    }
    result?;
    match session.failure {
        // The only problem could not be decided, and the reason is all that there is to say.
        Some(failure) if problems.len() == 1 => Err(failure),
        _ => session.collection.outcome(is_interrupted),
    }
}

/// An interrupt that signals raise; the second one ends the process at once.
pub fn signals() -> Interrupt {
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
