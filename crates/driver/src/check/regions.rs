//! Exploring the abstraction into regions.

use crate::abstraction::{Found, Order, explore};
use crate::analysis::Facts;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::ledger::{Ledger, Strategy};
use crate::program::PropertyId;

pub(super) struct Regions {
    /// Certify proofs.
    pub(super) confirm: bool,
}

impl Strategy<Facts<'_>> for Regions {
    fn name(&self) -> &'static str {
        "regions"
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        limits.progress.level(Stage::Regions, 0);
        let wanted = ledger.open();
        let order = Order { wanted: &wanted, limits, settled: Some(ledger.settled()), confirm: self.confirm };
        let mut hear = |property, found| hand_in(ledger, self.name(), property, found);
        let statistics = explore::explore(ledger.subject(), &order, &mut hear, &|| ledger.let_others_begin())?;
        ledger.account(|account| account.abstraction = Some(statistics));
        Ok(())
    }
}

/// Hands in a finding on an abstraction.
pub(super) fn hand_in(ledger: &Ledger<Facts>, by: &'static str, property: PropertyId, found: Found) {
    match found {
        Found::Unreachable(proof, checked) => ledger.proved(by, property, proof, checked),
        Found::Reachable(run) => ledger.reached(by, property, run),
    }
}
