//! A certificate checked by execution: the program's statements run on sets of states.
//!
//! From each box the step is walked along every path (`walk`) that its states may take, with facts about versions of
//! the variables (`path`): variables that a box leaves open stay open until a guard reads them. Each path must end in
//! the boxes (`cover`) and facts again, and none may reach an excluded property (`prove`). A guard that fails says
//! little, so it is only remembered; if a path's end is not as claimed, the remembered guards are used (`propagate`),
//! and the end is split by the variables that matter there, on this path alone. If the end is still not as claimed,
//! single states are tried in the simulator (`refute`).
//!
//! So the effort depends on the number of paths, of which a box has as many as rules can fire in it, and not on the
//! number of combinations of values. Expressions are bounded by arithmetic on sets of numbers.
//!
//! Nothing is shared with the search that found the boxes: not its abstract program, its decision trees, its machine
//! code, its arithmetic. Only the parsed program serves both.

mod claims;
mod conditions;
mod cover;
mod images;
mod kept;
mod path;
mod propagate;
mod prove;
mod records;
mod refute;
mod sources;
mod walk;

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use redoubt_base::Interrupt;
use redoubt_program::expr::{ExprId, TableId};
use redoubt_program::program::{Place, Program, PropertyId};

use super::interval::{Arithmetic, Environment};
use super::relevant::relevant;
use super::solve::looks_back;
use super::{Certificate, Fact, Judgement, NumberSet, StateBox};
use claims::Claims;
use conditions::{ConditionId, Conditions};
use cover::Cover;
use images::Images;
use path::Path;
use refute::Trial;
use sources::{SourceId, Sources};
use walk::Rest;

pub use path::Written;

/// Whether a certificate holds of a program, as far as execution can tell. Boxes and facts about single variables and
/// whole tables, equalities of variables and clauses about sets are followed.
pub fn confirm(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
    confirm_on(1, program, certificate, interrupt)
}

/// The same on several threads, which share the boxes; the judgement does not depend on their number.
pub fn confirm_on(threads: usize, program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
    if certificate.history > 0 {
        return looks_back();
    }
    if let Some(judgement) = super::judge_start(program, certificate) {
        return judgement;
    }
    let queue = Queue::new(certificate.boxes.len());
    let work = || match Executor::new(program, certificate, interrupt) {
        Some(mut executor) => executor.run(&queue),
        None => Err((0, Judgement::Undecided("a claim is in a form that cannot be executed".into()))),
    };
    let others = threads.min(certificate.boxes.len() / BOXES_OF_A_THREAD).saturating_sub(1);
    let failed = std::thread::scope(|scope| {
        let thread = || std::thread::Builder::new().name("checker".into()).stack_size(STACK).spawn_scoped(scope, work);
        // A thread that the system does not let us start leaves its share to the others.
        let others: Vec<_> = (0..others).filter_map(|_| thread().ok()).collect();
        let own = work();
        let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(own).chain(joined.collect::<Vec<_>>()).filter_map(Result::err).min_by_key(|failed| failed.0)
    });
    failed.map_or(Judgement::Confirmed, |(_, judgement)| judgement)
}

/// The number of boxes that is worth a thread.
const BOXES_OF_A_THREAD: usize = 32;

/// Deep programs need more than the usual stack; it takes memory only where it is used.
const STACK: usize = 256 << 20;

/// The boxes that no thread has taken yet. When one fails, those behind it need not be looked at, and those before it
/// have been taken: so the first failing box is found, however fast the threads are.
struct Queue {
    boxes: usize,
    next: AtomicUsize,
    failed: AtomicUsize,
}

impl Queue {
    fn new(boxes: usize) -> Queue {
        Queue { boxes, next: AtomicUsize::new(0), failed: AtomicUsize::new(usize::MAX) }
    }

    fn take(&self) -> Option<usize> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.boxes && index < self.failed.load(Ordering::Relaxed)).then_some(index)
    }

    fn fail(&self, index: usize) {
        self.failed.fetch_min(index, Ordering::Relaxed);
    }
}

/// A possible step from a box: its input and output, and a box that it ends in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    pub inputs: Vec<i32>,
    pub written: Written,
    /// Whether the state may have become another one; this is known of steps that only complain.
    pub changes: bool,
    pub target: usize,
}

/// A step that may end the run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stop {
    /// `None` stands for any.
    pub inputs: Option<Vec<i32>>,
    pub written: Written,
    /// Where it ends, if that is a property.
    pub property: Option<PropertyId>,
}

/// The steps from a box.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    /// All that do not end the run, and perhaps more.
    pub list: Vec<Move>,
    /// Those that may end the run, or not exist.
    pub ends: BTreeSet<Stop>,
}

/// By box of a certificate: all that steps from it do. Why not, if it does not hold, or the steps cannot be told.
pub fn steps(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Result<Vec<Moves>, Judgement> {
    if certificate.history > 0 {
        return Err(looks_back());
    }
    match super::judge_start(program, certificate) {
        None => {}
        Some(Judgement::Confirmed) => return Ok(vec![Moves::default(); certificate.boxes.len()]),
        Some(judgement) => return Err(judgement),
    }
    let undecided = |reason: &str| Judgement::Undecided(reason.into());
    let executor = Executor::new(program, certificate, interrupt);
    let mut executor = executor.ok_or_else(|| undecided("a claim is in a form that cannot be executed"))?;
    let combinations = executor.combinations();
    if combinations.is_none_or(|count| count > MOST_TRIED) {
        return Err(undecided("there are too many inputs"));
    }
    executor.relevant = relevant(program, certificate, true);
    executor.kept = executor.kept_by_complaints();
    if !executor.assume_claims() {
        return Err(undecided("there are no states that it speaks of"));
    }
    let mut steps = vec![];
    for (index, state_box) in certificate.boxes.iter().enumerate() {
        executor.records = Some(BTreeSet::new());
        executor.ends.clear();
        if !executor.steps_hold(state_box) {
            return Err(executor.judgement(false, format!("from box {}: ", index + 1)));
        }
        let list = executor.records.take().unwrap_or_default().into_iter().collect();
        steps.push(Moves { list, ends: std::mem::take(&mut executor.ends) });
    }
    Ok(steps)
}

/// Whether every state of each box takes a step with the inputs beside it, does not end there, and comes to the next
/// box, and from the last one to the first, with the same output from all states of a box. Steps that only complain
/// must leave the state alone, unless the next box has none of the states of this one. The result is the output.
pub fn around(
    program: &Program,
    boxes: &[StateBox],
    inputs: &[Vec<i32>],
    interrupt: &Interrupt,
) -> Option<Vec<Written>> {
    let certificate = Certificate { boxes: boxes.to_vec(), ..Certificate::default() };
    let mut executor = Executor::new(program, &certificate, interrupt)?;
    executor.relevant = relevant(program, &certificate, true);
    executor.kept = executor.kept_by_complaints();
    executor.must_go_on = true;
    let next = boxes.iter().cycle().skip(1);
    boxes.iter().zip(next).zip(inputs).map(|((from, to), inputs)| executor.only_step(from, inputs, to)).collect()
}

/// All values of all inputs are distinguished at once if there are at most this many combinations.
const MOST_LISTED: u64 = 64;

/// The same bound where it matters which input a step was given.
const MOST_TRIED: u64 = 1 << 10;

struct Executor<'c, 'p> {
    program: &'p Program,
    certificate: &'c Certificate,
    sources: Sources,
    images: Images<'p>,
    conditions: Conditions<'p>,
    cover: Cover,
    path: Path,
    trial: Trial<'p>,
    claims: Claims,
    /// Per property: whether it is claimed to be unreachable.
    excluded: Vec<bool>,
    /// Per variable: whether anything depends on it.
    relevant: Vec<bool>,
    interrupt: &'c Interrupt,
    /// Whether ways that meet again go on as one, and whether any did.
    joins: bool,
    joined: bool,
    steps: u64,
    /// The parts that the end of the current path may still be split into.
    parts: usize,
    /// The claim that could not be shown.
    reason: String,
    /// Where the steps of a box end, if that is to be noted.
    records: Option<BTreeSet<Move>>,
    /// With which inputs they may end the run, if that is to be noted.
    ends: BTreeSet<Stop>,
    /// The variables that a step leaves alone if it does not change the state; `None` if that cannot be told by them.
    kept: Option<Vec<SourceId>>,
    /// Whether no state may end the run.
    must_go_on: bool,
}

impl<'c, 'p> Executor<'c, 'p> {
    /// `None` if a claim is in a form that is not followed.
    fn new(program: &'p Program, certificate: &'c Certificate, interrupt: &'c Interrupt) -> Option<Executor<'c, 'p>> {
        let mut arithmetic = Arithmetic::new(program);
        let mut told = vec![false; program.tables.len()];
        for fact in &certificate.facts {
            match fact {
                Fact::In(Place::Variable(_), _) | Fact::Equal(..) => {}
                // A stored value is compared with one fact only.
                Fact::Cells(table, numbers) if !told[table.index()] => {
                    told[table.index()] = true;
                    arithmetic.set_cells(*table, numbers.clone());
                }
                _ => return None,
            }
        }
        let sources = Sources::new(program, certificate)?;
        let mut conditions = Conditions::new(program);
        let mut excluded = vec![false; program.properties.len()];
        certificate.excluded.iter().for_each(|property| excluded[property.index()] = true);
        Some(Executor {
            program,
            certificate,
            images: Images::new(program, arithmetic),
            claims: Claims::new(certificate, &sources, &mut conditions)?,
            conditions,
            cover: Cover::new(&certificate.boxes, &sources)?,
            path: Path::new(&sources),
            trial: Trial::new(program),
            sources,
            excluded,
            relevant: relevant(program, certificate, false),
            interrupt,
            joins: true,
            joined: false,
            steps: 0,
            parts: 0,
            reason: String::new(),
            records: None,
            ends: BTreeSet::new(),
            kept: None,
            must_go_on: false,
        })
    }

    /// Looks at the boxes of a queue until it is empty, or says which of them fails and how.
    fn run(&mut self, queue: &Queue) -> Result<(), (usize, Judgement)> {
        let certificate = self.certificate;
        if !self.assume_claims() {
            // There are no states that it speaks of.
            return Ok(());
        }
        if certificate.boxes.is_empty() && !self.steps_hold(&StateBox::default()) {
            return Err((0, self.judgement(false, String::new())));
        }
        while let Some(index) = queue.take() {
            if !self.steps_hold(&certificate.boxes[index]) {
                queue.fail(index);
                return Err((index, self.judgement(false, format!("from box {}: ", index + 1))));
            }
        }
        Ok(())
    }

    /// Assumes the facts and clauses about the states in which steps begin.
    fn assume_claims(&mut self) -> bool {
        for source in self.sources.variables() {
            let first = self.path.first(source);
            let known = self.path.values(first).meet(self.sources.known(source));
            if known.is_empty() {
                return false;
            }
            self.narrow(first, known);
        }
        let clauses = std::mem::take(&mut self.claims.clauses);
        let hold = clauses.iter().all(|&clause| self.assume(clause));
        self.claims.clauses = clauses;
        hold
    }

    fn judgement(&mut self, holds: bool, whence: String) -> Judgement {
        if holds {
            return Judgement::Confirmed;
        }
        if let Some(step) = self.trial.found.take() {
            return Judgement::Refuted(step);
        }
        if self.interrupt.is_raised() {
            return Judgement::Undecided("time is up".into());
        }
        Judgement::Undecided(format!("{whence}{}", self.reason))
    }

    /// Whether every step from a box is as claimed.
    fn steps_hold(&mut self, state_box: &StateBox) -> bool {
        let inputs: Vec<SourceId> = self.sources.inputs().collect();
        let most = if self.records.is_some() { MOST_TRIED } else { MOST_LISTED };
        // Most programs decide by their inputs first.
        let listed = if self.combinations().is_some_and(|count| count <= most) { &inputs[..] } else { &[] };
        self.steps_hold_for(state_box, listed)
    }

    /// The same, for each value of some inputs separately.
    fn steps_hold_for(&mut self, state_box: &StateBox, listed: &[SourceId]) -> bool {
        let mark = self.path.mark();
        let mut is_empty = false;
        for (variable, numbers) in &state_box.sides {
            let version = self.path.first(Sources::of_variable(*variable));
            let inside = self.path.values(version).meet(numbers);
            is_empty |= inside.is_empty();
            self.narrow(version, inside);
        }
        (self.joins, self.joined) = (true, false);
        let mut holds = is_empty || self.for_each_input(listed);
        if !holds && self.joined && self.trial.found.is_none() {
            self.joins = false;
            self.reason.clear();
            if let Some(records) = &mut self.records {
                records.clear();
                self.ends.clear();
            }
            holds = self.for_each_input(listed);
        }
        self.path.back_to(mark);
        holds
    }

    /// The common output of all states of a box if they come to another one with some inputs.
    fn only_step(&mut self, from: &StateBox, inputs: &[i32], to: &StateBox) -> Option<Written> {
        self.cover = Cover::new(std::slice::from_ref(to), &self.sources)?;
        let places: Vec<SourceId> = self.sources.inputs().collect();
        if places.len() != inputs.len() {
            return None;
        }
        let mark = self.path.mark();
        for (&place, &number) in places.iter().zip(inputs) {
            self.narrow(self.path.first(place), NumberSet::one(number));
        }
        self.records = Some(BTreeSet::new());
        let holds = self.steps_hold_for(from, &[]);
        self.path.back_to(mark);
        let records = self.records.take()?;
        if records.iter().any(|step| step.changes) && !from.is_apart(to) {
            return None;
        }
        let mut written = records.into_iter().map(|step| step.written);
        let first = written.next().filter(|_| holds)?;
        written.all(|other| other == first).then_some(first)
    }

    /// The number of combinations of inputs.
    fn combinations(&self) -> Option<u64> {
        self.sources.inputs().try_fold(1_u64, |all, input| all.checked_mul(self.sources.known(input).count()))
    }

    /// Takes the steps for each value of some inputs.
    fn for_each_input(&mut self, inputs: &[SourceId]) -> bool {
        let Some((&input, others)) = inputs.split_first() else {
            let step = std::slice::from_ref(&self.program.step);
            let mark = self.path.mark();
            let holds = self.walk(Rc::new(Rest::Then(step, Rc::new(Rest::End))), false);
            self.path.back_to(mark);
            return holds;
        };
        let numbers = Rc::clone(self.sources.known(input));
        numbers.iter().all(|number| {
            let mark = self.path.mark();
            self.narrow(self.path.first(input), NumberSet::one(number));
            let holds = self.for_each_input(others);
            self.path.back_to(mark);
            holds
        })
    }

    fn condition(&mut self, expr: ExprId, truth: bool) -> ConditionId {
        self.conditions.of(&self.sources, &self.images, expr, truth)
    }

    /// The tables that a pointer may point to now.
    fn targets(&self, pointer: ExprId) -> Vec<TableId> {
        let read = self.images.reads(&self.sources, pointer);
        let values = |source: &SourceId| (**self.path.values(self.path.current(*source))).clone();
        let environment: Environment = read.iter().map(|source| (self.sources.name(*source), values(source))).collect();
        self.images.arithmetic.targets(pointer, &environment)
    }

    /// Whether the work is to end; looked at now and then.
    fn is_interrupted(&mut self) -> bool {
        self.steps += 1;
        self.steps.is_multiple_of(256) && self.interrupt.is_raised()
    }
}
