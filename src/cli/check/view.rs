//! The progress of a run, on standard error while it lasts: a live table on a terminal, plain lines elsewhere.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressStyle};
use redoubt_base::progress::{Listener, Progress, Stage};

use super::super::output::message;
use super::collect::{Collection, Entry, State};
use super::record::{ProblemRecord, PropertyRecord};
use super::write::row;
use super::{CheckArgs, Format};

/// The current activity of each problem: written by many threads, read by the view.
#[derive(Clone)]
pub struct Board(Arc<[AtomicU64]>);

/// A cell of the board has the number of the stage, counted from 1, above the level.
const LEVEL_BITS: u32 = 48;

impl Board {
    pub fn new(problems: usize) -> Board {
        Board((0..problems).map(|_| AtomicU64::new(0)).collect())
    }

    /// A listener that notes the progress of a problem.
    pub fn listener(&self, problem: usize) -> Listener {
        let cells = Arc::clone(&self.0);
        Listener::new(move |progress| {
            if let Progress::Level { stage, level } = progress {
                let number = 1 + Stage::ALL.iter().position(|&other| other == stage).unwrap_or_default() as u64;
                let level = (level as u64).min((1 << LEVEL_BITS) - 1);
                cells[problem].store(number << LEVEL_BITS | level, Ordering::Relaxed);
            }
        })
    }

    /// The current activity of a problem, for people.
    fn activity(&self, problem: usize) -> String {
        let cell = self.0[problem].load(Ordering::Relaxed);
        let (number, level) = ((cell >> LEVEL_BITS) as usize, cell & ((1 << LEVEL_BITS) - 1));
        match number.checked_sub(1).and_then(|number| Stage::ALL.get(number)).map(|stage| stage.words()) {
            None => "starting".into(),
            Some((stage, _)) if level == 0 => stage.into(),
            Some((stage, name)) => format!("{stage}, {name} {level}"),
        }
    }
}

pub struct View {
    kind: Kind,
    board: Board,
    /// The last properties that were decided.
    recent: VecDeque<String>,
    /// Of a single problem.
    timeout: Option<Duration>,
    is_set: bool,
}

enum Kind {
    Quiet,
    /// Lines that wait for the run to become long enough to show them, and when the last one was shown.
    Plain {
        waiting: Vec<String>,
        last: Instant,
        /// Whether to leave verdicts to the table, which may end up in the same log.
        is_terse: bool,
    },
    Live(ProgressBar),
}

/// The number of properties in the live table.
const RECENT: usize = 6;

/// Shorter runs say nothing but their result.
const SHORT: Duration = Duration::from_secs(1);

/// After so long without news a plain line says that the run goes on.
const SILENCE: Duration = Duration::from_secs(10);

impl View {
    pub fn new(options: &CheckArgs, board: Board, problems: usize) -> View {
        // Lines of JSON are progress enough, and a one-word answer needs none.
        let says_enough = options.model.hwmcc || options.format == Format::Jsonl;
        let kind = if options.quiet || options.model.hwmcc {
            Kind::Quiet
        } else if io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{msg}");
            Kind::Live(
                ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner())),
            )
        } else if says_enough {
            Kind::Quiet
        } else {
            Kind::Plain {
                waiting: vec![],
                last: Instant::now(),
                is_terse: options.format == Format::Text && options.output.is_none(),
            }
        };
        let is_set = problems > 1;
        let timeout = options.timeout.filter(|_| !is_set);
        View { kind, board, recent: VecDeque::new(), timeout, is_set }
    }

    /// Runs something that writes, with the live table out of its way.
    pub fn aside<R>(&self, write: impl FnOnce() -> R) -> R {
        match &self.kind {
            Kind::Live(bar) => bar.suspend(write),
            Kind::Quiet | Kind::Plain { .. } => write(),
        }
    }

    /// A property is decided.
    pub fn property(&mut self, record: &PropertyRecord) {
        let file = if self.is_set { format!("{}: ", record.file) } else { String::new() };
        let line = format!("{file}{}", row(record));
        match &mut self.kind {
            Kind::Quiet => {}
            Kind::Plain { is_terse: true, .. } => {}
            Kind::Plain { waiting, .. } => waiting.push(line),
            Kind::Live(_) => {
                self.recent.truncate(RECENT - 1);
                self.recent.push_front(line);
            }
        }
    }

    /// A problem is through. Its table may have to wait for those before it.
    pub fn problem(&mut self, record: &ProblemRecord) {
        if let Kind::Plain { waiting, .. } = &mut self.kind
            && self.is_set
        {
            let (decided, open) = (record.reachable + record.unreachable, record.unknown);
            waiting.push(format!("{}: {decided} decided, {open} open ({:.2} s)", record.file, record.seconds()));
        }
    }

    /// Brings the display up to date.
    pub fn tick(&mut self, collection: &Collection) {
        let status = self.status(collection);
        match &mut self.kind {
            Kind::Quiet => {}
            Kind::Plain { waiting, last, .. } => {
                if collection.start.elapsed() < SHORT {
                    return;
                }
                if waiting.is_empty() && last.elapsed() > SILENCE {
                    waiting.push(status);
                }
                if !waiting.is_empty() {
                    *last = Instant::now();
                    waiting.drain(..).for_each(|line| message(&format!("{line}\n")));
                }
            }
            Kind::Live(bar) => {
                let width = usize::from(Term::stderr().size().1);
                let lines = self.recent.iter().rev().chain([&status]);
                let lines: Vec<String> =
                    lines.map(|line| line.chars().take(width.saturating_sub(1)).collect()).collect();
                bar.set_message(lines.join("\n"));
                bar.tick();
            }
        }
    }

    /// One line about all: counts, current activities, and the time.
    fn status(&self, collection: &Collection) -> String {
        let total = collection.total();
        let (decided, open) = (total.reachable + total.unreachable, total.unknown);
        let is_done = |entry: &&Entry| matches!(entry.state, State::Finished | State::Failed);
        let done = collection.entries.iter().filter(is_done).count();
        let problems = if self.is_set { format!("{done} of {} problems, ", total.problems) } else { String::new() };
        let running = collection.entries.iter().position(|entry| entry.state == State::Running);
        let activity = match running {
            Some(problem) if self.is_set => {
                format!("{}: {}", collection.entries[problem].name, self.board.activity(problem))
            }
            Some(problem) => self.board.activity(problem),
            None => "reading".into(),
        };
        let elapsed = total.elapsed.as_secs_f64();
        let left = match self.timeout {
            Some(limit) => format!(", {:.0} s left", limit.saturating_sub(total.elapsed).as_secs_f64()),
            None => String::new(),
        };
        format!("{problems}{decided} decided, {open} open | {activity} | {elapsed:.1} s{left}")
    }

    /// Takes the live table away.
    pub fn end(&self) {
        if let Kind::Live(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}
