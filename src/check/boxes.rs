//! Boxes that no step leaves, if the checker agrees.

use std::sync::Arc;

use crate::analysis::Facts;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::boxes::{Order, search};
use crate::certificate::{self, Checked, Judgement, execute};
use crate::engine::Proof;
use crate::ledger::{Ledger, Strategy};

pub(super) struct Boxes {
    /// Hand in certificates with proofs.
    pub(super) confirm: bool,
    pub(super) effort: u64,
    /// Begins before all others.
    pub(super) is_prelude: bool,
    pub(super) memory: usize,
    /// How many threads check the certificate.
    pub(super) threads: usize,
}

impl Strategy<Facts<'_>> for Boxes {
    fn name(&self) -> &'static str {
        "boxes"
    }

    fn is_prelude(&self) -> bool {
        self.is_prelude
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        limits.progress.level(Stage::Boxes, 0);
        let wanted = ledger.open();
        let order = Order { wanted: &wanted, limits, effort: self.effort, memory: self.memory };
        let mut reached = |property, run| ledger.reached(self.name(), property, run);
        let Some(closed) = search(ledger.subject(), &order, &mut reached)? else { return Ok(()) };
        if closed.excluded.is_empty() {
            return Ok(());
        }
        // Boxes are a proposal: what the checker does not confirm is not said, whether certificates are asked for or not.
        let share = certificate::share(&limits.interrupt);
        let judgement = execute::confirm_on(self.threads, ledger.subject().program, &closed.certificate, &share);
        if judgement == Judgement::Confirmed {
            let checked = Checked { certificate: Arc::new(closed.certificate), judgement };
            let checked = self.confirm.then_some(checked);
            for property in closed.excluded {
                ledger.proved(self.name(), property, Proof::Exhausted { states: closed.boxes }, checked.clone());
            }
        }
        Ok(())
    }
}
