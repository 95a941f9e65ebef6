//! All formulas on one machine.

use std::time::Instant;

use super::certificate::Certifier;
use super::explorer::{Explorer, Found};
use super::lasso::Lasso;
use super::subject::Formulas;
use crate::base::{Ended, Limits};
use crate::certificate::share;
use crate::engine::Proof;
use crate::explicit::behaviour::{self, Unknown};
use crate::ledger::{Ledger, Strategy, Subject, Why};
use crate::program::PropertyId;
use crate::temporal::machine::{Label, Machine};
use crate::temporal::tableau::Unfinished;
use crate::temporal::{self, Verdict, formula};

/// Has explorers find the machine, one after the other until one does, and checks every formula on it.
pub(super) struct OnMachine<'e>(pub(super) &'e [&'e dyn Explorer]);

impl Strategy<Formulas<'_, '_>> for OnMachine<'_> {
    fn name(&self) -> &'static str {
        "machine"
    }

    fn run(&self, ledger: &Ledger<Formulas>, limits: &Limits) -> Result<(), Ended> {
        let Formulas { facts, specification, .. } = ledger.subject();
        for (place, explorer) in self.0.iter().enumerate() {
            let begun = Instant::now();
            match explorer.explore(facts, &specification.mapping, limits) {
                Ok(found) => {
                    let decision = Decision::new(ledger, explorer.name(), found, begun);
                    return decision.decide_all(&self.0[place + 1..], limits);
                }
                Err(Unknown::Interrupted) => return Err(Ended::Interrupted),
                Err(unknown) => {
                    if unknown == Unknown::Memory {
                        ledger.gave_up(Why::Memory);
                    }
                    ledger.account(|account| account.notes.push(format!("{}: {unknown}", explorer.name())));
                }
            }
        }
        Ok(())
    }
}

/// All formulas on a machine that was found.
struct Decision<'d, 'f, 'p> {
    ledger: &'d Ledger<'d, Formulas<'f, 'p>>,
    /// Who found it.
    by: &'static str,
    found: Found,
    /// The same, reduced.
    machine: Machine,
    /// Some programs change their state before they call an input invalid. That the change stays is agreed, but not whether
    /// the run has the input; this is the machine if it has. Only what is true in either case is said.
    other: Option<Machine>,
    alphabet: Vec<i32>,
}

impl<'d, 'f, 'p> Decision<'d, 'f, 'p> {
    fn new(
        ledger: &'d Ledger<'d, Formulas<'f, 'p>>,
        by: &'static str,
        found: Found,
        begun: Instant,
    ) -> Decision<'d, 'f, 'p> {
        let machine = found.machine.reduced();
        ledger.account(|account| {
            account.found = Some((found.machine.nodes.len(), found.machine.edges()));
            account.reduced = Some((machine.nodes.len(), machine.edges()));
            account.explorer = Some((by, begun.elapsed().as_secs_f64()));
            if machine.nodes.is_empty() {
                account.notes.push("the program has no run that does not end: every formula holds".into());
            }
        });
        let other = machine.has_hidden().then(|| machine.with_all_shown());
        let alphabet = behaviour::alphabet(ledger.subject().facts.program).unwrap_or_default();
        Decision { ledger, by, found, machine, other, alphabet }
    }

    /// Where states are too many to be checked one by one, `others` may know fewer boxes.
    fn decide_all(&self, others: &[&dyn Explorer], limits: &Limits) -> Result<(), Ended> {
        let Formulas { specification, certify, .. } = self.ledger.subject();
        let mut certifier = None;
        for property in self.ledger.open() {
            limits.interrupt.check()?;
            let formula = &specification.get(property).formula;
            let holds = |machine| Ok(temporal::check(machine, formula, &limits.interrupt)? == Verdict::Holds);
            let verdict = temporal::check(&self.machine, formula, &limits.interrupt);
            let agrees = match (&self.other, &verdict) {
                (Some(other), Ok(verdict)) => holds(other).map(|holds| holds == (*verdict == Verdict::Holds)),
                _ => Ok(true),
            };
            match agrees.and_then(|agrees| Ok((agrees, verdict?))) {
                Ok((false, _)) => {
                    self.note(property, "it depends on whether a run has an invalid input that changes the state");
                }
                Ok((true, Verdict::Holds)) => {
                    let new = || self.certifier(others, limits);
                    let certifier = if *certify { certifier.get_or_insert_with(new).as_ref() } else { None };
                    let certify = |certifier: &Certifier| certifier.certify(specification, property, &limits.interrupt);
                    let proof = Proof::Exhausted { states: self.machine.nodes.len() };
                    self.ledger.proved(self.by, property, proof, certifier.map(certify));
                }
                Ok((true, Verdict::Violated(run))) => self.violated(property, &run),
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
            let found = others.iter().find_map(|other| other.explore(facts, &specification.mapping, &limits).ok())?;
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
        } else {
            self.note(property, "a run that violates it was found, but its loop was not seen to close");
        }
    }

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
