//! Temporal formulas about programs: whether all infinite runs of a program satisfy them.
//!
//! A run is what the RERS challenge says it is: the word of single symbols `iA oX iB oY ...`, inputs and outputs one after the
//! other. Inputs that the program calls invalid are left out, and runs that end do not count.
//!
//! An [`Explorer`] finds the machine behind a program, once for all formulas. It is reduced by bisimulation, and each
//! formula is decided on its product with the automaton of its negation ([`crate::temporal`]). What violates a formula
//! is a lasso of inputs; the [ledger](crate::ledger) has it replayed before anybody hears of it: the simulator runs the
//! program until its state repeats, and the formula is evaluated on what was printed, by its definition.

mod exact;
mod explorer;
mod gcc;
mod lasso;
mod specification;
mod strategy;
mod subject;

use std::io;

use crate::analysis::Facts;
use crate::base::Limits;
use crate::ledger::{self, Order, Terms};
use crate::program::PropertyId;
use crate::witness::shorten::Budget;

pub use exact::Exact;
pub use explorer::{Explicit, Explorer};
pub use gcc::Gcc;
pub use lasso::{Lasso, Word};
pub use specification::Specification;
pub use subject::{Account, Formulas, Uncertified};

/// What is known about a formula: `Reachable` is a run that violates it, `Unreachable` that all runs satisfy it.
pub type Answer = ledger::Answer<Lasso, Uncertified>;
pub type News<'n> = ledger::News<'n, Lasso, Uncertified>;
pub type Finding = ledger::Finding<Lasso, Uncertified>;

/// What a run leaves behind.
#[derive(Debug)]
pub struct Report {
    /// The formulas that were asked for, in order.
    pub findings: Vec<Finding>,
    pub account: Account,
    /// What there is to say besides, a line each.
    pub notes: Vec<String>,
}

/// Decides formulas about a program: those of these numbers, on the machine that the first explorer finds who finds one.
/// `hear` is told what becomes known as soon as it is. It fails if the journal cannot be written.
pub fn decide(
    facts: &Facts,
    specification: &Specification,
    properties: &[PropertyId],
    explorers: &[&dyn Explorer],
    limits: &Limits,
    terms: &Terms<Lasso>,
    mut hear: impl FnMut(News),
) -> io::Result<Report> {
    let formulas = Formulas { facts, specification };
    let unshortened = Budget::none();
    let order = Order { properties: Some(properties), limits, confirm: true, shortening: &unshortened, terms };
    let strategies: Vec<strategy::OnMachine> =
        explorers.iter().map(|&explorer| strategy::OnMachine(explorer)).collect();
    let lane: Vec<&dyn ledger::Strategy<Formulas>> = strategies.iter().map(|one| one as _).collect();
    let kept = ledger::keep(&formulas, &order, &[&lane], &mut hear);
    kept.failed?;
    Ok(Report { findings: kept.findings, account: kept.account, notes: kept.notes })
}
