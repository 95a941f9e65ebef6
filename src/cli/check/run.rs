//! Problems to events: a few threads that take problems one by one, read them, and tell what becomes known.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use redoubt::sat::Interrupt;

use super::super::{Failure, load};
use super::record::{ProblemRecord, PropertyRecord};
use super::set::Problem;
use super::{Options, circuit, program};

/// Something that happened to the problem with this number.
pub struct Event {
    pub problem: usize,
    pub news: News,
}

pub enum News {
    /// It was read, and has these properties, all of them unknown yet.
    Started(Box<ProblemRecord>, Vec<PropertyRecord>),
    /// A property is decided, or will not be.
    Property(Box<PropertyRecord>),
    /// All properties were told.
    Finished(Box<ProblemRecord>),
    Failed(Failure),
}

/// Tells about one problem. If nobody listens any more, the work ends by its interrupt.
pub struct Teller {
    problem: usize,
    events: Sender<Event>,
}

impl Teller {
    pub fn start(&self, problem: &ProblemRecord, properties: Vec<PropertyRecord>) {
        self.tell(News::Started(Box::new(problem.clone()), properties));
    }

    pub fn property(&self, record: PropertyRecord) {
        self.tell(News::Property(Box::new(record)));
    }

    fn tell(&self, news: News) {
        let _ = self.events.send(Event { problem: self.problem, news });
    }
}

/// Deep programs need more than the usual stack; it takes memory only where it is used.
const STACK: usize = 256 << 20;

/// Starts as many threads as `--jobs` says. They end when all problems are done or `signals` is raised.
pub fn start(
    problems: &[Problem],
    options: &Arc<Options>,
    signals: &Interrupt,
    color: bool,
) -> Result<Receiver<Event>, Failure> {
    let (events, receiver) = mpsc::channel();
    let queue: VecDeque<(usize, Problem)> = problems.iter().cloned().enumerate().collect();
    let queue = Arc::new(Mutex::new(queue));
    for _ in 0..options.jobs().min(problems.len()) {
        let (queue, events, options) = (Arc::clone(&queue), events.clone(), Arc::clone(options));
        let signals = signals.clone();
        let work = move || {
            while !signals.is_raised() {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some((number, problem)) = next else { break };
                let teller = Teller { problem: number, events: events.clone() };
                teller.tell(decide(&problem, &options, &signals, color, &teller));
            }
        };
        std::thread::Builder::new().name("problem".into()).stack_size(STACK).spawn(work)?;
    }
    Ok(receiver)
}

/// Reads a problem and decides it. A panic is a bug, and no reason to lose what others find.
fn decide(problem: &Problem, options: &Options, signals: &Interrupt, color: bool, teller: &Teller) -> News {
    let work = || -> Result<ProblemRecord, Failure> {
        let model = load::model(&problem.files)?;
        let program = match model {
            None => Some(load::program(&problem.files, color)?),
            Some(_) => None,
        };
        // The time limit is for deciding; reading took what it took.
        let interrupt = signals.part();
        if let Some(limit) = options.timeout {
            interrupt.set_deadline(Some(signals.elapsed().saturating_add(limit)));
        }
        match (model, program) {
            (Some((name, model)), _) => circuit::decide(&name, &model, options, &interrupt, teller),
            (None, Some(program)) => program::decide(&program, options, &interrupt, color, teller),
            (None, None) => unreachable!("a problem is a model or a program"),
        }
    };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(record)) => News::Finished(Box::new(record)),
        Ok(Err(failure)) => News::Failed(failure),
        Err(_) => News::Failed(Failure::Bug("the message above says where".into())),
    }
}
