//! All formulas on one machine.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::certificate::Certifier;
use super::lasso::Lasso;
use super::subject::Formulas;
use crate::base::{Ended, Limits};
use crate::certificate::share;
use crate::engine::Proof;
use crate::explicit::behaviour::{self, Unknown};
use crate::explorer::{Explorer, Found};
use crate::ledger::{Ledger, Strategy, Subject, Why};
use crate::program::PropertyId;
use crate::temporal::machine::{Label, Machine};
use crate::temporal::tableau::Unfinished;
use crate::temporal::{self, Satisfaction, formula};

/// Has explorers find the machine, one after the other until one does, and checks every formula on it.
pub(super) struct OnMachine<'e> {
    pub(super) explorers: &'e [&'e dyn Explorer],
    /// Which of them are asked; those behind may help with certificates.
    pub(super) tried: Range<usize>,
    pub(super) handed: &'e Handed,
}

/// The formulas that have been answered, by number. An answer that is handed in has to be confirmed, and seems to be
/// open until then: the next strategy would answer it again.
pub(super) struct Handed(Vec<AtomicBool>);

impl Handed {
    pub(super) fn new(formulas: usize) -> Handed {
        Handed((0..formulas).map(|_| AtomicBool::new(false)).collect())
    }

    pub(super) fn note(&self, property: PropertyId) {
        self.0[property.index()].store(true, Ordering::Relaxed);
    }

    /// The formulas without an answer.
    pub(super) fn open(&self, ledger: &Ledger<Formulas>) -> Vec<PropertyId> {
        let mut open = ledger.open();
        open.retain(|property| !self.0[property.index()].load(Ordering::Relaxed));
        open
    }
}

impl Strategy<Formulas<'_, '_>> for OnMachine<'_> {
    fn name(&self) -> &'static str {
        "machine"
    }

    fn run(&self, ledger: &Ledger<Formulas>, limits: &Limits) -> Result<(), Ended> {
        let Formulas { facts, specification, .. } = ledger.subject();
        if self.handed.open(ledger).is_empty() {
            return Ok(());
        }
        for place in self.tried.clone().filter(|&place| place < self.explorers.len()) {
            let explorer = self.explorers[place];
            let begun = Instant::now();
            match explorer.explore(facts, &specification.mapping, limits) {
                Ok(found) if found.is_complete => {
                    let decision = Decision::new(ledger, self.handed, explorer.name(), found, begun);
                    return decision.decide_all(&self.explorers[place + 1..], limits);
                }
                Ok(mut found) => {
                    give_up(ledger, explorer.name(), &Unknown::Memory);
                    found.machine = found.machine.beginning(MOST_NODES);
                    Decision::of_some_runs(ledger, self.handed, explorer.name(), found).decide_violated(limits)?;
                }
                Err(Unknown::Interrupted) => return Err(Ended::Interrupted),
                Err(unknown) => give_up(ledger, explorer.name(), &unknown),
            }
        }
        Ok(())
    }
}

/// The part of an incomplete machine that is looked at: most violations are near the start.
const MOST_NODES: usize = 50_000;

/// Notes that there is no machine, and why.
fn give_up(ledger: &Ledger<Formulas>, by: &str, why: &Unknown) {
    if *why == Unknown::Memory {
        ledger.gave_up(Why::Memory);
    }
    ledger.account(|account| account.notes.push(format!("{by}: {why}")));
}

/// All formulas on a machine that was found.
struct Decision<'d, 'f, 'p> {
    ledger: &'d Ledger<'d, Formulas<'f, 'p>>,
    handed: &'d Handed,
    /// The explorer that found it.
    by: &'static str,
    found: Found,
    /// The same, reduced. Some programs change their state before they call an input invalid; then the run has that input.
    machine: Machine,
    alphabet: Vec<i32>,
}

impl<'d, 'f, 'p> Decision<'d, 'f, 'p> {
    fn new(
        ledger: &'d Ledger<'d, Formulas<'f, 'p>>,
        handed: &'d Handed,
        by: &'static str,
        found: Found,
        begun: Instant,
    ) -> Decision<'d, 'f, 'p> {
        let decision = Decision::of_some_runs(ledger, handed, by, found);
        let Decision { found, machine, .. } = &decision;
        ledger.account(|account| {
            account.found = Some((found.machine.nodes.len(), found.machine.edges()));
            account.reduced = Some((machine.nodes.len(), machine.edges()));
            account.explorer = Some((by, begun.elapsed().as_secs_f64()));
            if machine.nodes.is_empty() {
                account.notes.push("the program has no run that does not end: every formula holds".into());
            }
        });
        decision
    }

    /// The same, if there may be others.
    fn of_some_runs(
        ledger: &'d Ledger<'d, Formulas<'f, 'p>>,
        handed: &'d Handed,
        by: &'static str,
        found: Found,
    ) -> Decision<'d, 'f, 'p> {
        let machine = found.machine.reduced().with_all_shown();
        let alphabet = behaviour::alphabet(ledger.subject().facts.program).unwrap_or_default();
        Decision { ledger, handed, by, found, machine, alphabet }
    }

    /// Hands in violations by some runs.
    fn decide_violated(&self, limits: &Limits) -> Result<(), Ended> {
        for property in self.handed.open(self.ledger) {
            let formula = &self.ledger.subject().specification.get(property).formula;
            match temporal::check(&self.machine, formula, &limits.interrupt) {
                Ok(Satisfaction::Violated(run)) => self.violated(property, &run),
                Ok(Satisfaction::Holds) | Err(Unfinished::TooLarge) => {}
                Err(Unfinished::Interrupted) => return Err(Ended::Interrupted),
            }
        }
        Ok(())
    }

    /// Where states are too many to be checked one by one, `others` may know fewer boxes.
    fn decide_all(&self, others: &[&dyn Explorer], limits: &Limits) -> Result<(), Ended> {
        let Formulas { specification, certify, .. } = self.ledger.subject();
        let mut certifier = None;
        for property in self.handed.open(self.ledger) {
            limits.interrupt.check()?;
            let formula = &specification.get(property).formula;
            match temporal::check(&self.machine, formula, &limits.interrupt) {
                Ok(Satisfaction::Holds) => {
                    let new = || self.certifier(others, limits);
                    let certifier = if *certify { certifier.get_or_insert_with(new).as_ref() } else { None };
                    let certify = |certifier: &Certifier| certifier.certify(specification, property, &limits.interrupt);
                    let proof = Proof::Exhausted { states: self.machine.nodes.len() };
                    self.ledger.proved(self.by, property, proof, certifier.map(certify));
                    self.handed.note(property);
                }
                Ok(Satisfaction::Violated(run)) => self.violated(property, &run),
                Err(Unfinished::Interrupted) => return Err(Ended::Interrupted),
                Err(Unfinished::TooLarge) => self.note(property, &Unfinished::TooLarge.to_string()),
            }
        }
        Ok(())
    }

    fn certifier(&self, others: &[&dyn Explorer], limits: &Limits) -> Option<Certifier> {
        let Formulas { facts, specification, .. } = self.ledger.subject();
        let of = |found: &Found| Certifier::new(facts, specification, found, &limits.interrupt);
        of(&self.found).or_else(|| {
            let limits = Limits { interrupt: share(&limits.interrupt), ..limits.clone() };
            let machine = |other: &&dyn Explorer| other.explore(facts, &specification.mapping, &limits).ok();
            // The explorer that found this one would find the same.
            let mut others = others.iter().filter(|other| other.name() != self.by);
            let found = others.find_map(|other| machine(other).filter(|found| found.is_complete))?;
            of(&found)
        })
    }

    /// Hands in a run of the machine, if it is one of the program.
    fn violated(&self, property: PropertyId, run: &formula::Lasso<Label>) {
        let mut run = inputs(&self.machine, run, &self.alphabet);
        if !self.found.is_concrete {
            run = run.through_boxes(&self.found, &self.alphabet);
        }
        if self.found.is_concrete || self.ledger.subject().replay(property, &run).is_some() {
            self.ledger.reached(self.by, property, run);
            self.handed.note(property);
        } else {
            self.note(property, "a run that violates it was found, but its loop was not seen to close");
        }
    }

    /// Says why a formula stays open.
    fn note(&self, property: PropertyId, what: &str) {
        let name = self.ledger.subject().name(property);
        self.ledger.account(|account| account.notes.push(format!("{name}: {what}")));
    }
}

/// The inputs of a run.
fn inputs(machine: &Machine, run: &formula::Lasso<Label>, alphabet: &[i32]) -> Lasso {
    let of = |labels: &[Label]| {
        let symbols = labels.iter().map(|label| label.symbol()).filter(|&symbol| machine.is_input(symbol));
        symbols.map(|symbol| vec![alphabet[symbol.index()]]).collect()
    };
    Lasso { stem: of(run.stem()), cycle: of(run.cycle()), boxes: vec![] }
}
