//! IC3 on the abstraction into regions.

use super::regions::hand_in;
use crate::abstraction::{Order, prove};
use crate::analysis::Facts;
use crate::base::{Ended, Limits};
use crate::ledger::{Ledger, Strategy};

pub(super) struct Abstraction {
    /// Certify proofs.
    pub(super) confirm: bool,
}

impl Strategy<Facts<'_>> for Abstraction {
    fn name(&self) -> &'static str {
        "abstraction"
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let wanted = ledger.open();
        let (settled, confirm) = (Some(&**ledger.settled()), self.confirm);
        let order = Order { wanted: &wanted, limits, settled, confirm };
        prove::prove(ledger.subject(), &order, &mut |property, found| hand_in(ledger, self.name(), property, found))?;
        Ok(())
    }
}
