//! Proofs on a circuit to certificates of its program, each checked as soon as it is there.

use std::sync::Arc;

use super::derive::Deriver;
use crate::base::Interrupt;
use crate::certificate::encode::bits::Bits;
use crate::certificate::encode::regions::Regions;
use crate::certificate::solve::Checker;
use crate::certificate::{self, Checked, Judgement, execute};
use crate::engine::Proof;
use crate::program::{Program, PropertyId};

/// Certifies what is proved on one circuit of a program.
pub struct Certifier<'p> {
    program: &'p Program,
    deriver: Deriver,
    /// Execution has been able to tell so far. It needs no encoding, which for a large program takes longer than all
    /// else.
    executes: bool,
    by_regions: Checker<'p, Regions<'p>>,
    by_bits: Checker<'p, Bits<'p>>,
    /// There was no time for the last check. Invariants grow, so there will be none for the next.
    is_late: bool,
}

impl<'p> Certifier<'p> {
    pub fn new(program: &'p Program, deriver: Deriver) -> Certifier<'p> {
        Certifier {
            program,
            deriver,
            executes: true,
            by_regions: Checker::new(program),
            by_bits: Checker::new(program),
            is_late: false,
        }
    }

    /// The certificate of a proof, checked. Only invariants give one.
    pub fn certify(&mut self, property: PropertyId, proof: &Proof, interrupt: &Interrupt) -> Option<Checked> {
        let Proof::Invariant(invariant) = proof else { return None };
        let claimed = self.deriver.certificate(vec![property], invariant);
        let mut judgement = Judgement::Undecided("the one before took too long".into());
        if !self.is_late {
            let share = certificate::share(interrupt);
            if self.executes {
                judgement = execute::confirm(self.program, &claimed, &certificate::share(&share));
                self.executes = !matches!(judgement, Judgement::Undecided(_));
            }
            if !self.executes && !share.is_raised() {
                judgement = self.by_regions.confirm(&claimed, &share);
            }
            if matches!(judgement, Judgement::Undecided(_)) && !share.is_raised() {
                judgement = self.by_bits.confirm(&claimed, &share);
            }
            self.is_late = share.is_raised();
        }
        Some(Checked { certificate: Arc::new(claimed), judgement })
    }
}
