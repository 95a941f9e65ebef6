//! All formulas on one machine.

use std::time::Instant;

use super::explorer::Explorer;
use super::lasso::Lasso;
use super::subject::Formulas;
use crate::base::{Ended, Limits};
use crate::engine::Proof;
use crate::explicit::behaviour::{self, Unknown};
use crate::ledger::{Ledger, Strategy, Subject, Why};
use crate::temporal::machine::{Label, Machine};
use crate::temporal::tableau::Unfinished;
use crate::temporal::{self, Verdict, formula};

/// Has an explorer find the machine, and checks every formula on it.
pub(super) struct OnMachine<'e>(pub(super) &'e dyn Explorer);

impl Strategy<Formulas<'_, '_>> for OnMachine<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn run(&self, ledger: &Ledger<Formulas>, limits: &Limits) -> Result<(), Ended> {
        let Formulas { facts, specification } = ledger.subject();
        let begun = Instant::now();
        let found = match self.0.machine(facts, &specification.mapping, limits) {
            Ok(found) => found,
            Err(Unknown::Interrupted) => return Err(Ended::Interrupted),
            Err(unknown) => {
                if unknown == Unknown::Memory {
                    ledger.gave_up(Why::Memory);
                }
                ledger.account(|account| account.notes.push(format!("{}: {unknown}", self.name())));
                return Ok(());
            }
        };
        let machine = found.reduced();
        ledger.account(|account| {
            account.found = Some((found.nodes.len(), found.edges()));
            account.reduced = Some((machine.nodes.len(), machine.edges()));
            account.explorer = Some((self.name(), begun.elapsed().as_secs_f64()));
            if machine.nodes.is_empty() {
                account.notes.push("the program has no run that does not end: every formula holds".into());
            }
        });
        let alphabet = behaviour::alphabet(facts.program).unwrap_or_default();
        // Some programs change their state before they call an input invalid. Whether that has happened is a matter of
        // opinion, so that only what is true in either case is said.
        let strict = machine.has_hidden().then(|| machine.without_hidden());
        for property in ledger.open() {
            limits.interrupt.check()?;
            let formula = &specification.get(property).formula;
            let name = &specification.names()[property.index()];
            let mut verdict = temporal::check(&machine, formula, &limits.interrupt);
            let mut machine = &machine;
            if let (Some(strict), Ok(Verdict::Violated(_))) = (&strict, &verdict) {
                (machine, verdict) = (strict, temporal::check(strict, formula, &limits.interrupt));
                if verdict == Ok(Verdict::Holds) {
                    let note = format!("{name}: violated only after an invalid input has changed the state");
                    ledger.account(|account| account.notes.push(note));
                    continue;
                }
            }
            match verdict {
                Ok(Verdict::Holds) => {
                    ledger.proved(self.name(), property, Proof::Exhausted { states: machine.nodes.len() }, None);
                }
                Ok(Verdict::Violated(run)) => {
                    let run = inputs(machine, &run, &alphabet);
                    if self.0.is_concrete() || ledger.subject().replay(property, &run).is_some() {
                        ledger.reached(self.name(), property, run);
                    } else {
                        let note =
                            format!("{name}: a run that violates it was found, but its state was not seen to repeat");
                        ledger.account(|account| account.notes.push(note));
                    }
                }
                Err(Unfinished::Interrupted) => return Err(Ended::Interrupted),
                Err(Unfinished::TooLarge) => {
                    ledger.account(|account| account.notes.push(format!("{name}: {}", Unfinished::TooLarge)));
                }
            }
        }
        Ok(())
    }
}

/// The inputs of a run.
fn inputs(machine: &Machine, run: &formula::Lasso<Label>, alphabet: &[i32]) -> Lasso {
    let of = |labels: &[Label]| {
        let symbols = labels.iter().map(|label| label.symbol()).filter(|&symbol| machine.is_input(symbol));
        symbols.map(|symbol| vec![alphabet[symbol.index()]]).collect()
    };
    Lasso { stem: of(run.stem()), cycle: of(run.cycle()) }
}
