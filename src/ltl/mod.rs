//! Temporal formulas about programs: whether all infinite runs of a program satisfy them.
//!
//! A run is what the RERS challenge says it is: the word of single symbols `iA oX iB oY ...`, inputs and outputs one after the
//! other. Inputs that the program calls invalid are left out, and runs that end do not count.
//!
//! An [`Explorer`] finds the machine behind a program, once for all formulas. It is reduced by bisimulation, and each
//! formula is decided on its product with the automaton of its negation ([`crate::temporal`]). What violates a formula
//! is a lasso of inputs; the [ledger](crate::ledger) has it replayed before anybody hears of it: the simulator runs the
//! program until its state repeats, or the checker sees that all states around it do the same for ever, and the formula is
//! evaluated on what was printed, by its definition. That a formula holds becomes a certificate, which the checker confirms.

mod acceleration;
mod certificate;
mod diagram;
mod exact;
mod explorer;
mod gcc;
mod lasso;
mod parts;
mod specification;
mod strategy;
mod subject;

use std::io;

use crate::base::Limits;
use crate::certificate::temporal::Temporal;
use crate::ledger::{self, Order, Strategy, Subject, Terms};
use crate::program::PropertyId;
use crate::witness::shorten::Budget;

pub use diagram::Diagram;
pub use exact::Exact;
pub use explorer::{Explicit, Explorer, Found};
pub use gcc::Gcc;
pub use lasso::{Lasso, Word};
pub use specification::Specification;
pub use subject::{Account, Formulas};

/// What is known about a formula: `Reachable` is a run that violates it, `Unreachable` that all runs satisfy it.
pub type Answer = ledger::Answer<Lasso, Temporal>;
pub type News<'n> = ledger::News<'n, Lasso, Temporal>;
pub type Finding = ledger::Finding<Lasso, Temporal>;

/// What a run leaves behind.
pub type Report = ledger::Report<Lasso, Temporal, Account>;

/// Decides formulas about a program: those of these numbers, on the machine that the first explorer finds who finds one; if it is
/// not the very first, then on parts before, which may take so many bytes. `hear` is told what becomes known as soon as it is. It fails if the journal cannot be written.
pub fn decide(
    formulas: &Formulas,
    properties: &[PropertyId],
    explorers: &[&dyn Explorer],
    memory: usize,
    limits: &Limits,
    terms: &Terms<Lasso>,
    hear: &mut dyn FnMut(News),
) -> io::Result<Report> {
    let unshortened = Budget::none();
    let order =
        Order { properties: Some(properties), limits, confirm: formulas.certify, shortening: &unshortened, terms };
    let handed = &strategy::Handed::new(formulas.properties());
    let of_first = strategy::OnMachine { tried: 0..1, explorers, handed };
    let of_others = strategy::OnMachine { tried: 1..explorers.len(), explorers, handed };
    let lane: [&dyn Strategy<Formulas>; 3] = [&of_first, &parts::OnParts { memory, handed }, &of_others];
    ledger::keep(formulas, &order, &[&lane], hear).report()
}
