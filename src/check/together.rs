//! The engines together: each property goes to whoever decides it first.
//!
//! Most programs are decided by exploring their abstraction, and what that does is the same in every run. It gets a
//! head start: only when it has looked at every property does a second worker begin, with IC3 on the abstraction and
//! then on the exact circuit; and when the first has done what it can, it goes on with an explicit search of the
//! program's own states. A property that one worker decides is dropped by the others. A verdict does not
//! depend on who was faster; which of several witnesses is shown may.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::Instant;

use super::certify;
use super::{Answer, Decider, Finding, Options, Report, Sizes, check_circuit};
use crate::abstraction::{Found, Order, explore, prove};
use crate::analysis::Facts;
use crate::base::Ended;
use crate::base::Limits;
use crate::base::progress::Stage;
use crate::engine::{Proof, Statistics};
use crate::explicit::{self, Verdict};
use crate::program::{Program, PropertyId};

/// What a worker found out, or that it came to its end.
enum News {
    Answer(PropertyId, Answer, Decider),
    Abstraction(crate::abstraction::Statistics),
    Circuit(Box<Report>),
    Search(explicit::Outcome),
    Ended(Ended),
}

/// Decides the properties of a program with all engines; `report` hears of each one as soon as it is decided.
pub fn check_together(program: &Program, options: &Options, mut report: impl FnMut(&Finding)) -> Result<Report, Ended> {
    let start = Instant::now();
    let all = (0..program.properties.len()).map(PropertyId::new);
    let wanted: Vec<PropertyId> = options.properties.clone().unwrap_or_else(|| all.collect());
    let mut findings: Vec<Option<Finding>> = vec![None; program.properties.len()];
    let mut result = Report {
        findings: vec![],
        statistics: Statistics::default(),
        sizes: Sizes::default(),
        search: None,
        abstraction: None,
        elapsed: start.elapsed(),
    };
    let facts = Facts::new(program);
    let opening = facts.setup().opening();
    for &property in wanted.iter().filter(|&&property| opening.reaches(property)) {
        let answer = Answer::Reachable { inputs: vec![] };
        let finding = Finding { property, answer, decider: Decider::Setup, after: start.elapsed() };
        report(&finding);
        findings[property.index()] = Some(finding);
    }
    let left: Vec<PropertyId> =
        wanted.iter().copied().filter(|property| findings[property.index()].is_none()).collect();

    let interrupt = options.limits.interrupt.part();
    let limits = Limits { interrupt: interrupt.clone(), ..options.limits.clone() };
    let settled: Arc<[AtomicBool]> = program.properties.iter().map(|_| AtomicBool::new(false)).collect();
    let workers = Workers { facts: &facts, options, wanted: &left, limits, settled };
    let mut open = left.len();
    let mut too_large = None;
    std::thread::scope(|scope| {
        let (send, news) = mpsc::channel();
        let (ready, go) = mpsc::channel();
        if open > 0 {
            let (workers, first) = (&workers, send.clone());
            scope.spawn(move || workers.states(&first, ready));
            scope.spawn(move || workers.circuits(&send, go.recv().is_ok()));
        } else {
            drop(send);
        }
        for news in news {
            match news {
                News::Answer(property, answer, decider) => {
                    if findings[property.index()].is_some() {
                        continue;
                    }
                    workers.settled[property.index()].store(true, Ordering::Relaxed);
                    let finding = Finding { property, answer, decider, after: start.elapsed() };
                    report(&finding);
                    findings[property.index()] = Some(finding);
                    open -= 1;
                    if open == 0 {
                        interrupt.raise();
                    }
                }
                News::Abstraction(statistics) => result.abstraction = Some(statistics),
                News::Circuit(circuit) => (result.statistics, result.sizes) = (circuit.statistics, circuit.sizes),
                News::Search(outcome) => result.search = Some(outcome),
                News::Ended(Ended::Interrupted) => {}
                News::Ended(error) => too_large = Some(error),
            }
        }
    });
    if let Some(error) = too_large
        && open == left.len()
    {
        return Err(error);
    }
    let unknown =
        |property| Finding { property, answer: Answer::Unknown, decider: Decider::Nobody, after: start.elapsed() };
    result.findings =
        wanted.iter().map(|&property| findings[property.index()].take().unwrap_or_else(|| unknown(property))).collect();
    result.elapsed = start.elapsed();
    Ok(result)
}

struct Workers<'w> {
    facts: &'w Facts<'w>,
    options: &'w Options,
    wanted: &'w [PropertyId],
    limits: Limits,
    settled: Arc<[AtomicBool]>,
}

impl Workers<'_> {
    fn order(&self) -> Order<'_> {
        Order { wanted: self.wanted, limits: &self.limits, settled: Some(&self.settled), confirm: self.options.confirm }
    }

    fn open(&self) -> Vec<PropertyId> {
        let is_open = |property: &&PropertyId| !self.settled[property.index()].load(Ordering::Relaxed);
        self.wanted.iter().filter(is_open).copied().collect()
    }

    /// The worker that visits states: those of the abstraction, then those of the program.
    fn states(&self, news: &Sender<News>, ready: Sender<()>) {
        let mut tell = |property, found| self.tell(news, property, found, Decider::Regions);
        // If nobody listens any more there is nothing left to do, and that shows in the interrupt.
        let overview = || {
            let _ = ready.send(());
        };
        self.limits.progress.level(Stage::Regions, 0);
        match explore::explore(self.facts, &self.order(), &mut tell, &overview) {
            Ok(statistics) => send(news, News::Abstraction(statistics)),
            Err(error) => send(news, News::Ended(error)),
        }
        // The other worker need not wait any longer, whatever came of it.
        drop(ready);
        let properties = self.open();
        if properties.is_empty() || self.limits.interrupt.is_raised() {
            return;
        }
        let options = explicit::Options {
            interrupt: self.limits.interrupt.clone(),
            memory: self.options.memory,
            depth: self.limits.depth,
            properties: Some(properties),
            settled: Some(Arc::clone(&self.settled)),
            sweep: explicit::SWEEP,
            progress: self.limits.progress.clone(),
            keep: self.options.confirm,
            ..explicit::Options::default()
        };
        // Proofs come all at once, when the last state has been visited.
        let mut proved = vec![];
        let mut outcome = explicit::search(self.facts, &options, &mut |property, verdict| match verdict {
            Verdict::Reachable { inputs } => {
                self.tell(news, property, Found::Reachable(inputs), Decider::Explicit);
            }
            Verdict::Unreachable { states } => proved.push((property, Proof::Exhausted { states })),
        });
        let visited = std::mem::take(&mut outcome.visited);
        let confirm = self.options.confirm;
        let answers = certify::of_search(self.facts, proved, &visited, confirm, &self.limits.interrupt);
        for (property, answer) in answers {
            send(news, News::Answer(property, answer, Decider::Explicit));
        }
        send(news, News::Search(outcome));
    }

    /// The worker that solves: IC3 on the abstraction, then on the circuit of the program.
    fn circuits(&self, news: &Sender<News>, overview: bool) {
        if overview && !self.open().is_empty() {
            let mut tell = |property, found| self.tell(news, property, found, Decider::Abstraction);
            // What is too large here was too large before.
            let _ = prove::prove(self.facts, &self.order(), &mut tell);
        }
        let properties = self.open();
        if properties.is_empty() || self.limits.interrupt.is_raised() {
            return;
        }
        let options = Options { limits: self.limits.clone(), properties: Some(properties), ..self.options.clone() };
        let report = check_circuit(self.facts, &options, |finding| {
            send(news, News::Answer(finding.property, finding.answer.clone(), finding.decider));
        });
        match report {
            Ok(report) => send(news, News::Circuit(Box::new(report))),
            Err(error) => send(news, News::Ended(error)),
        }
    }

    /// Passes on what was found; a run only if the program has it.
    fn tell(&self, news: &Sender<News>, property: PropertyId, found: Found, decider: Decider) {
        let answer = match found {
            Found::Unreachable(proof, checked) => Answer::of_proof(proof, checked),
            Found::Reachable(inputs) => Answer::of_run(self.facts, property, inputs, &self.options.shortening),
        };
        send(news, News::Answer(property, answer, decider));
    }
}

/// The receiver outlives the workers.
fn send(news: &Sender<News>, message: News) {
    let _ = news.send(message);
}
