//! Problems to events: a few threads that take problems one by one, read them, and tell their findings.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_base::Threads;
use redoubt_languages::Setting;
use redoubt_program::program::Program;

use super::super::{Failure, load};
use super::record::{ProblemRecord, PropertyRecord};
use super::set::Problem;
use super::view::Board;
use super::{CheckArgs, branching, circuit, modal, program, relational, room};

/// Something that happened to the problem with this number.
pub struct Event {
    pub problem: usize,
    /// When the problem was begun.
    pub begun: Instant,
    pub news: News,
}

pub enum News {
    /// It was read, and has these properties, all of them unknown yet.
    Started(Box<ProblemRecord>, Vec<PropertyRecord>),
    /// A property is decided, or will not be.
    Property(Box<PropertyRecord>),
    /// A property is decided, but something better may be said about it; to be told if nothing is.
    Provisional(Box<PropertyRecord>),
    /// All properties were told.
    Finished(Box<ProblemRecord>),
    Failed(Failure),
}

/// Reports about one problem. If there is no listener any more, the work ends by its interrupt.
pub struct Teller {
    problem: usize,
    pub begun: Instant,
    events: Sender<Event>,
}

impl Teller {
    pub fn start(&self, problem: &ProblemRecord, properties: Vec<PropertyRecord>) {
        self.tell(News::Started(Box::new(problem.clone()), properties));
    }

    pub fn property(&self, record: PropertyRecord) {
        self.tell(News::Property(Box::new(record)));
    }

    pub fn provisional(&self, record: PropertyRecord) {
        self.tell(News::Provisional(Box::new(record)));
    }

    fn tell(&self, news: News) {
        let _ = self.events.send(Event { problem: self.problem, begun: self.begun, news });
    }
}

/// Deep programs need more than the usual stack; it takes memory only where it is used.
const STACK: usize = 256 << 20;

/// However short the time limit, a problem that is read this fast gets its properties named.
const READING: Duration = Duration::from_millis(250);

/// The data that all threads share.
#[derive(Clone)]
pub struct Work {
    pub options: Arc<CheckArgs>,
    /// Ends everything.
    pub signals: Interrupt,
    pub board: Board,
    /// Whether messages have colour.
    pub color: bool,
    /// The number of engines that work side by side on a circuit.
    pub engines: usize,
    /// Threads that no problem has for itself.
    pub spare: Threads,
}

/// Starts as many threads as `--jobs` says. They end when all problems are done or the signals are raised. Those that are left over,
/// in the beginning or in the end, are for problems that can divide their work.
pub fn start(problems: &[Problem], work: Work) -> Result<Receiver<Event>, Failure> {
    let (events, receiver) = mpsc::channel();
    let queue: VecDeque<(usize, Problem)> = problems.iter().cloned().enumerate().collect();
    let queue = Arc::new(Mutex::new(queue));
    let at_once = work.options.jobs().min(problems.len());
    let work = Work { engines: work.options.engines_at_once(at_once), ..work };
    work.spare.give(work.options.jobs() - at_once);
    for _ in 0..at_once {
        let (queue, events, work) = (Arc::clone(&queue), events.clone(), work.clone());
        let run = move || {
            while !work.signals.is_raised() {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some((number, problem)) = next else { break };
                let teller = Teller { problem: number, begun: Instant::now(), events: events.clone() };
                teller.tell(work.decide(&problem, &teller));
            }
            work.spare.give(1);
        };
        std::thread::Builder::new().name("problem".into()).stack_size(STACK).spawn(run)?;
    }
    Ok(receiver)
}

impl Work {
    /// Reads a problem and decides it. A panic is a bug, and no reason to lose the findings of the others.
    fn decide(&self, problem: &Problem, teller: &Teller) -> News {
        match catch_unwind(AssertUnwindSafe(|| self.try_to_decide(problem, teller))) {
            Ok(Ok(record)) => News::Finished(Box::new(record)),
            Ok(Err(failure)) => News::Failed(failure),
            Err(_) => News::Failed(Failure::Bug("the message above says where".into())),
        }
    }

    fn try_to_decide(&self, problem: &Problem, teller: &Teller) -> Result<ProblemRecord, Failure> {
        if let Some(reason) = problem.flaw.clone() {
            return Err(Failure::Unreadable { path: problem.files[0].clone(), reason });
        }
        if let [path] = problem.files.as_slice()
            && load::is_smv(&path.to_string_lossy())
        {
            return self.decide_relational(problem, path, teller);
        }
        // A formula is about the signals of a circuit, so that has to be all of the model.
        let read = if self.options.ctl.is_empty() { load::smaller_model } else { load::model };
        let model = read(&problem.files)?;
        let threads = self.spare.clone();
        let reading = Limits { interrupt: self.interrupt(teller, READING), threads, ..Limits::default() };
        let read_with = |set: &[Setting]| {
            let program = load::program_within(&problem.files, set, self.color, &reading);
            program.map(|program| Program { name: problem.name(), ..program })
        };
        let program = model.is_none().then(|| read_with(&problem.set)).transpose()?;
        let limits = self.limits(teller);
        let program = match program {
            Some(program) if !problem.set.iter().any(|setting| setting.name == "room") => {
                let more = |room: u32| {
                    let room = Setting { name: "room".into(), value: room.to_string() };
                    read_with(&problem.set.iter().cloned().chain([room]).collect::<Vec<_>>())
                };
                Some(room::enough(program, &limits, more)?)
            }
            program => program,
        };
        let working = self.options.watch.begin(&limits.interrupt);
        let mut decided = match (model, program) {
            (Some(model), _) if !self.options.ctl.is_empty() => {
                branching::about_circuit(&model, &self.options, &limits, self.color, teller)
            }
            (None, Some(program)) if !self.options.ctl.is_empty() => {
                branching::about_program(&program, &self.options, &limits, self.color, teller)
            }
            (None, Some(program)) if self.options.ctl_file.is_some() => {
                modal::decide(&program, &self.options, &limits, self.color, teller)
            }
            (Some(_), _) if self.options.ctl_file.is_some() => {
                Err(Failure::Usage("--ctl-file is for programs and machines; a circuit is asked with --ctl".into()))
            }
            (Some(model), _) => circuit::decide(&model, &self.options, limits, self.engines, teller, &problem.share),
            (None, Some(program)) => {
                program::decide(&program, &self.options, limits, self.color, teller, &problem.share)
            }
            (None, None) => unreachable!("a problem is a model or a program"),
        };
        if let Ok(record) = &mut decided {
            record.seconds = Some(teller.begun.elapsed().as_secs_f64());
        }
        if let Ok(record) = &mut decided
            && working.is_stopped()
        {
            let limit = self.options.memory.unwrap_or_default();
            record.messages += &format!("note: stopped at the {limit} MB that --memory allows\n");
            record.is_memory_full = true;
        }
        if let Ok(record) = &mut decided {
            record.is_memory_full |= working.was_refused();
        }
        decided
    }

    fn decide_relational(&self, problem: &Problem, path: &Path, teller: &Teller) -> Result<ProblemRecord, Failure> {
        let reading = Limits { interrupt: self.interrupt(teller, READING), ..Limits::default() };
        let model = relational::read(problem.name(), path, self.color, &reading)?;
        let limits = self.limits(teller);
        let working = self.options.watch.begin(&limits.interrupt);
        let (options, share) = (&self.options, &problem.share);
        let mut decided = relational::decide(model, options, limits, self.engines, self.color, teller, share)?;
        decided.seconds = Some(teller.begun.elapsed().as_secs_f64());
        decided.is_memory_full |= working.is_stopped() || working.was_refused();
        Ok(decided)
    }

    /// Ends work on a problem with its time, but not before it has taken so long.
    fn interrupt(&self, teller: &Teller, least: Duration) -> Interrupt {
        let interrupt = self.signals.part().with_own_room();
        if let Some(limit) = self.options.timeout {
            let left = limit.max(least).saturating_sub(teller.begun.elapsed());
            interrupt.set_deadline(Some(self.signals.elapsed().saturating_add(left)));
        }
        interrupt
    }

    /// The limits for a problem. The time is for everything, so the time of reading is gone.
    fn limits(&self, teller: &Teller) -> Limits {
        Limits {
            interrupt: self.interrupt(teller, Duration::ZERO),
            per_property: self.options.property_timeout,
            depth: self.options.depth,
            progress: self.board.listener(teller.problem),
            threads: self.spare.clone(),
            ..Limits::default()
        }
    }
}
