//! All kinds of questions on decision diagrams. Those about states share one relation; a formula of linear time has the relation of
//! its violations, in which there is a fair run if and only if it is false.

use super::execution::Execution;
use super::subject::{Certificate, Questions};
use crate::base::Limits;
use crate::certificate::{Checked, Judgement};
use crate::circuit::{Circuit, Signal};
use crate::engine::Proof;
use crate::engine::bdd::diagrams::{Bounds, Function, Stop};
use crate::engine::states::{Checker, Order, Relation, Run, State};
use crate::formula::Branching;
use crate::formula::branching::Path;
use crate::ledger::Ledger;
use crate::program::PropertyId;
use crate::smv::ast::{Branch, Linear};
use crate::smv::formula::Formula;
use crate::smv::model::{Kind, Meaning};
use crate::words::{self, Blasted, NodeId};
use std::sync::Arc;

/// After so many questions without an answer in a row the others wait for more time, or for another order.
const MOST_FAILURES: usize = 2;

pub const NAME: &str = "bdd";

/// One attempt at all open questions, in one order of variables, with so many nodes at a time and steps for each question.
pub fn attempt(ledger: &Ledger<Questions>, order: Order, nodes: usize, steps: u64, is_first: bool, limits: &Limits) {
    let open = ledger.open();
    let questions = ledger.subject();
    let is_of_runs = |property: &PropertyId| questions.specification(*property).kind == Kind::Linear;
    // What is always true on all runs is so in all states from which one begins.
    let is_of_states = |property: &PropertyId| !is_of_runs(property) || always(questions, *property).is_some();
    let of_states: Vec<PropertyId> = open.iter().copied().filter(is_of_states).collect();
    let attempt = Attempt { ledger, order, bounds: Bounds { nodes, steps }, is_first, limits };
    if !of_states.is_empty() {
        // What does not fit is tried again.
        let _ = attempt.of_states(&of_states);
    }
    for property in ledger.open().into_iter().filter(is_of_runs) {
        if limits.interrupt.is_raised() {
            return;
        }
        let _ = attempt.of_runs(property);
    }
}

struct Attempt<'a, 'l> {
    ledger: &'a Ledger<'l, Questions>,
    order: Order,
    bounds: Bounds,
    /// Whether this is the first round.
    is_first: bool,
    limits: &'a Limits,
}

impl Attempt<'_, '_> {
    fn of_states(&self, wanted: &[PropertyId]) -> Result<(), Stop> {
        let model = &self.ledger.subject().model;
        // By property: the nodes that it is about.
        let mut watched: Vec<NodeId> = vec![];
        let mut places = vec![];
        for &property in wanted {
            let nodes = match self.ledger.subject().meaning(property) {
                Some(Meaning::Invariant { holds, is_of_steps: false }) => vec![*holds],
                Some(Meaning::Formula(formula)) => formula.atoms(),
                Some(&Meaning::Distance { from, to }) => vec![from, to],
                // About steps: the engines on circuits have a latch for it.
                Some(Meaning::Invariant { .. }) | None => continue,
            };
            places.push((property, watched.len()));
            watched.extend(nodes);
        }
        if places.is_empty() {
            return Ok(());
        }
        let justice = watched.len();
        watched.extend(&model.justice);
        let initial = watched.len();
        watched.extend(&model.initial);
        let steps = watched.len();
        watched.extend(&model.steps);
        let words = model.of_states(watched);
        let Ok(Blasted { circuit, places: homes, .. }) = words::blast(&words) else { return Err(Stop::Full) };
        let signals: Vec<Signal> = circuit.bad.iter().map(|bad| bad.signal).collect();
        let free = homes.open_states(&words);
        let mut relation = self.relation(&circuit, &free, &signals[..steps], &signals[steps..])?;
        relation.diagrams.allow(self.bounds.steps);
        for &signal in &signals[initial..steps] {
            relation.begin_with(signal)?;
        }
        let mut checker = Checker::new(relation, &signals[justice..initial]);
        let reached = checker.reach();
        if reached == Err(Stop::Interrupted) {
            return Err(Stop::Interrupted);
        }
        checker.relation.diagrams.allow(self.bounds.steps / 2);
        let is_joined = reached.is_ok() && checker.relation.join().is_ok();
        if !is_joined {
            checker.tidy();
            if self.is_first {
                // In another order it may all be much smaller.
                return Err(Stop::Spent);
            }
        }
        let execution = |run: &Run| execution(self.ledger.subject(), &words, &homes, run);
        if reached.is_ok() && !model.is_total() {
            checker.relation.diagrams.allow(self.bounds.steps);
            if let Ok(Some(run)) = checker.deadlock() {
                let run = execution(&run);
                self.ledger.account(|account| account.deadlock = Some(run));
            }
        }
        let mut failures = 0;
        for (property, at) in places {
            // What is too much for some is so for most.
            if failures == MOST_FAILURES {
                break;
            }
            checker.relation.diagrams.allow(self.bounds.steps);
            let answered = self.question(&mut checker, property, &signals[at..], &execution);
            if answered == Err(Stop::Interrupted) {
                return Err(Stop::Interrupted);
            }
            failures = if answered.is_err() { failures + 1 } else { 0 };
            if answered.is_err() {
                checker.tidy();
            }
        }
        if reached.is_ok() {
            checker.relation.diagrams.allow(self.bounds.steps);
            if let Ok(Function::FALSE) = checker.first() {
                self.ledger.account(|account| account.is_empty = true);
            }
        }
        Ok(())
    }

    fn relation<'c>(
        &self,
        circuit: &'c Circuit,
        free: &[usize],
        watched: &[Signal],
        steps: &[Signal],
    ) -> Result<Relation<'c>, Stop> {
        Relation::new(circuit, free, watched, steps, self.order, self.bounds, &self.limits.interrupt)
    }

    fn question(
        &self,
        checker: &mut Checker,
        property: PropertyId,
        signals: &[Signal],
        execution: &dyn Fn(&Run) -> Execution,
    ) -> Result<(), Stop> {
        let questions = self.ledger.subject();
        match questions.meaning(property) {
            Some(Meaning::Invariant { .. }) => {
                checker.reach()?;
                let holds = checker.relation.function(signals[0]);
                match checker.run_to(!holds)? {
                    Some(run) => self.ledger.reached_shortly(NAME, property, execution(&run)),
                    None => self.holds(property),
                }
            }
            Some(Meaning::Formula(formula)) if questions.specification(property).kind == Kind::Linear => {
                let mut next = signals.iter();
                let formula = branching(formula, &mut || next.next().copied().unwrap_or(Signal::FALSE));
                let is_of_states = |signal: &&Signal| {
                    let function = checker.relation.function(**signal);
                    checker.relation.is_of_states(function)
                };
                // A violation is a lasso, which is looked for elsewhere.
                if formula.atoms().iter().all(is_of_states) && checker.violation(&formula)?.is_none() {
                    self.holds(property);
                }
            }
            Some(Meaning::Formula(formula)) => {
                let mut next = signals.iter();
                let formula = branching(formula, &mut || next.next().copied().unwrap_or(Signal::FALSE));
                match checker.violation(&formula)? {
                    None => self.holds(property),
                    Some(state) => {
                        let run = match &formula {
                            Branching::All(Path::Globally(inner)) if is_momentary(inner) => {
                                let bad = checker.evaluate(&Branching::Not(inner.clone()))?;
                                checker.run_to(bad).ok().flatten()
                            }
                            _ => None,
                        };
                        let run = run.unwrap_or(Run { states: vec![state], repeats_from: None });
                        self.ledger.reached_shortly(NAME, property, execution(&run));
                    }
                }
            }
            Some(Meaning::Distance { .. }) => {
                let (from, to) = (checker.relation.function(signals[0]), checker.relation.function(signals[1]));
                let steps = match questions.specification(property).kind {
                    Kind::Minimum => checker.shortest(from, to)?,
                    _ => checker.longest(from, to)?,
                };
                let judgement = Judgement::Undecided("numbers of steps have no certificate".into());
                let checked = Checked { certificate: Arc::new(Certificate::Distance(steps)), judgement };
                self.ledger.proved(NAME, property, Proof::Exhausted { states: 0 }, Some(checked));
            }
            None => {}
        }
        Ok(())
    }

    fn holds(&self, property: PropertyId) {
        self.ledger.proved(NAME, property, Proof::Exhausted { states: 0 }, None);
    }

    fn of_runs(&self, property: PropertyId) -> Result<(), Stop> {
        let questions = self.ledger.subject();
        let Some(Meaning::Formula(formula)) = questions.meaning(property) else { return Ok(()) };
        let words = questions.model.of_violations(formula, &questions.specification(property).name);
        let Ok(Blasted { circuit, places, justice, .. }) = words::blast(&words) else { return Err(Stop::Full) };
        let signals = &justice[0];
        let free = places.open_states(&words);
        let relation = self.relation(&circuit, &free, signals, &[])?;
        let mut checker = Checker::new(relation, signals);
        checker.relation.diagrams.allow(self.bounds.steps);
        if checker.reach() == Err(Stop::Interrupted) {
            return Err(Stop::Interrupted);
        }
        checker.relation.diagrams.allow(self.bounds.steps);
        if checker.first()? == Function::FALSE {
            self.holds(property);
            return Ok(());
        }
        checker.relation.diagrams.allow(self.bounds.steps.saturating_mul(4));
        if let Some(run) = checker.fair_run()? {
            let run = execution(questions, &words, &places, &run);
            self.ledger.reached(NAME, property, run);
        }
        Ok(())
    }
}

/// The formula that is always true, if a formula of linear time says no more than that one is.
fn always(questions: &Questions, property: PropertyId) -> Option<&Formula> {
    match questions.meaning(property)? {
        // Compassion is nothing to formulas of branching time.
        Meaning::Formula(Formula::Linear(Linear::Globally, None, inner)) if questions.model.compassion.is_empty() => {
            Some(&**inner).filter(|inner| super::circuits::is_momentary(inner))
        }
        _ => None,
    }
}

/// A run of the circuit as one of the model.
fn execution(questions: &Questions, words: &words::Model, places: &words::Places, run: &Run) -> Execution {
    let inputs: Vec<Vec<bool>> = run.states.iter().map(|State { inputs, .. }| inputs.clone()).collect();
    let initial = run.states.first().map(|state| state.latches.clone()).unwrap_or_default();
    Execution::of_larger(&questions.model, places.run(words, &initial, &inputs), run.repeats_from)
}

/// Whether it is about one moment.
fn is_momentary<A>(formula: &Branching<A>) -> bool {
    match formula {
        Branching::Constant(_) | Branching::Atom(_) => true,
        Branching::Not(inner) => is_momentary(inner),
        Branching::And(a, b) | Branching::Or(a, b) => is_momentary(a) && is_momentary(b),
        Branching::Exists(_) | Branching::All(_) => false,
    }
}

/// A formula of branching time over signals, which come in the order of its atoms; bounds are written out.
fn branching(formula: &Formula, atom: &mut dyn FnMut() -> Signal) -> Branching<Signal> {
    use crate::base::stack::grow;
    let quantified = |all: bool, path: Path<Signal>| if all { Branching::All(path) } else { Branching::Exists(path) };
    grow(|| match formula {
        Formula::Atom(_) => Branching::Atom(atom()),
        Formula::Not(a) => branching(a, atom).negated(),
        Formula::And(a, b) => {
            let a = branching(a, atom);
            a.and(branching(b, atom))
        }
        Formula::Or(a, b) => {
            let a = branching(a, atom);
            a.or(branching(b, atom))
        }
        Formula::Iff(a, b) => {
            let (a, b) = (branching(a, atom), branching(b, atom));
            let both = a.clone().and(b.clone());
            both.or(a.negated().and(b.negated()))
        }
        Formula::Branching(all, path, bounds, a) => {
            let a = branching(a, atom);
            match (path, bounds) {
                (Branch::Next, _) => quantified(*all, Path::Next(Box::new(a))),
                (Branch::Finally, None) => quantified(*all, Path::Finally(Box::new(a))),
                (Branch::Globally, None) => quantified(*all, Path::Globally(Box::new(a))),
                (path, &Some((low, high))) => {
                    let is_some = *path == Branch::Finally;
                    let mut result = a.clone();
                    for step in (0..high).rev() {
                        let further = quantified(*all, Path::Next(Box::new(result)));
                        result = match (step >= low, is_some) {
                            (false, _) => further,
                            (true, true) => a.clone().or(further),
                            (true, false) => a.clone().and(further),
                        };
                    }
                    result
                }
            }
        }
        Formula::BranchingUntil(all, bounds, a, b) => {
            let (a, b) = (branching(a, atom), branching(b, atom));
            match *bounds {
                None => quantified(*all, Path::Until(Box::new(a), Box::new(b))),
                Some((low, high)) => {
                    let mut result = b.clone();
                    for step in (0..high).rev() {
                        let further = a.clone().and(quantified(*all, Path::Next(Box::new(result))));
                        result = if step >= low { b.clone().or(further) } else { further };
                    }
                    result
                }
            }
        }
        Formula::Linear(Linear::Globally, None, a) => Branching::All(Path::Globally(Box::new(branching(a, atom)))),
        Formula::Linear(..) | Formula::LinearPair(..) => unreachable!("formulas are of one kind"),
    })
}
