//! Temporal formulas about programs: whether all infinite runs of a program satisfy them.
//!
//! Runs are those of the RERS challenge: words of single symbols `iA oX iB oY ...`, inputs and outputs one after the
//! other. Inputs that the program calls invalid are left out, and runs that end do not count.
//!
//! An [`Explorer`] finds the machine behind a program, once for all formulas. It is reduced by bisimulation, and each
//! formula is decided on its product with the automaton of its negation ([`crate::temporal`]). A violation is a lasso
//! of inputs; the [ledger] has it replayed before it is told: the simulator runs the program until its
//! state repeats, or the checker sees that all states around it do the same for ever, and the formula is evaluated on
//! the output, by its definition. A formula that holds gets a certificate, which the checker confirms.

mod acceleration;
mod certificate;
mod diagram;
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

pub use crate::exact::Exact;
pub use crate::explorer::{Explicit, Explorer, Found};
pub use diagram::Diagram;
pub use gcc::Gcc;
pub use lasso::{Lasso, Word};
pub use specification::Specification;
pub use subject::{Account, Formulas};

/// The answer about a formula: `Reachable` is a run that violates it, `Unreachable` that all runs satisfy it.
pub type Answer = ledger::Answer<Lasso, Temporal>;
pub type News<'n> = ledger::News<'n, Lasso, Temporal>;
pub type Finding = ledger::Finding<Lasso, Temporal>;

/// The results of a run.
pub type Report = ledger::Report<Lasso, Temporal, Account>;

/// Decides formulas about a program: those of these numbers, on the machine of the first explorer that finds one; if it
/// is not the very first, then on parts before, which may take `memory` bytes. `hear` is told of each answer as soon as
/// it is known. It fails if the journal cannot be written.
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
