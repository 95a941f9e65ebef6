//! Proofs on a circuit to certificates of its program, each checked as soon as it is there.

use std::sync::Arc;

use super::derive::Deriver;
use crate::base::Interrupt;
use crate::certificate::encode::bits::Bits;
use crate::certificate::encode::regions::Regions;
use crate::certificate::solve::Checker;
use crate::certificate::{self, Checked, Judgement, execute, history};
use crate::engine::{Invariant, Proof, StateSet};
use crate::program::{Program, PropertyId};

/// Certifies proofs on one circuit of a program.
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
    /// For proofs that need history, with the properties that such proofs may assume excluded by others.
    by_history: history::Checker<'p>,
    excluded: Vec<PropertyId>,
    /// The last set of states, as clauses if it has few: one often proves many properties.
    as_clauses: Option<(StateSet, Option<Invariant>)>,
}

/// A set of states with more clauses than this has no certificate.
const MOST_CLAUSES: usize = 20_000;

impl<'p> Certifier<'p> {
    pub fn new(program: &'p Program, deriver: Deriver) -> Certifier<'p> {
        Certifier {
            program,
            deriver,
            executes: true,
            by_regions: Checker::new(program),
            by_bits: Checker::new(program),
            is_late: false,
            by_history: history::Checker::new(program),
            excluded: vec![],
            as_clauses: None,
        }
    }

    /// The certificate of a proof, checked. Only invariants, of clauses or not, and k-induction give one.
    pub fn certify(&mut self, property: PropertyId, proof: &Proof, interrupt: &Interrupt) -> Option<Checked> {
        match proof {
            Proof::Invariant(invariant) => Some(self.certify_invariant(property, invariant, interrupt)),
            Proof::KInduction { k: 0, .. } => Some(self.certify_invariant(property, &Invariant::default(), interrupt)),
            Proof::KInduction { k, .. } => Some(self.certify_history(property, *k, interrupt)),
            Proof::Set(set) => {
                let invariant = self.clauses(set, interrupt)?;
                Some(self.certify_invariant(property, &invariant, interrupt))
            }
            _ => None,
        }
    }

    /// The clauses of a set of states, unless that takes too many or too long.
    fn clauses(&mut self, set: &StateSet, interrupt: &Interrupt) -> Option<Invariant> {
        if self.as_clauses.as_ref().is_none_or(|(known, _)| known != set) {
            let clauses = set.clauses(MOST_CLAUSES, &certificate::share(interrupt));
            self.as_clauses = Some((set.clone(), clauses));
        }
        self.as_clauses.as_ref().and_then(|(_, clauses)| clauses.clone())
    }

    /// After `k` steps without the property, and without those that were excluded before, no step reaches it.
    fn certify_history(&mut self, property: PropertyId, k: usize, interrupt: &Interrupt) -> Checked {
        let excluded = self.excluded.iter().copied().chain([property]).collect();
        let mut claimed = self.deriver.certificate(excluded, &Invariant::default());
        claimed.history = k;
        let judgement = self.by_history.confirm(&claimed, &certificate::share(interrupt));
        if judgement == Judgement::Confirmed {
            self.excluded.push(property);
        }
        Checked { certificate: Arc::new(claimed), judgement }
    }

    fn certify_invariant(&mut self, property: PropertyId, invariant: &Invariant, interrupt: &Interrupt) -> Checked {
        let claimed = self.deriver.certificate(vec![property], invariant);
        let mut judgement = Judgement::Undecided("the one before took too long".into());
        if !self.is_late {
            let share = certificate::share(interrupt);
            let is_open = |judgement: &Judgement| matches!(judgement, Judgement::Undecided(_)) && !share.is_raised();
            let bits_first = certificate::suits_bits(self.program, &claimed);
            if bits_first {
                // Sums are for bits alone.
                let part = if claimed.is_relational() { share.clone() } else { certificate::share(&share) };
                judgement = self.by_bits.confirm(&claimed, &part);
            }
            if !claimed.is_relational() && is_open(&judgement) && self.executes {
                judgement = execute::confirm(self.program, &claimed, &certificate::share(&share));
                self.executes = !matches!(judgement, Judgement::Undecided(_));
            }
            if !claimed.is_relational() && is_open(&judgement) && !self.executes {
                judgement = self.by_regions.confirm(&claimed, &share);
            }
            if !bits_first && is_open(&judgement) {
                judgement = self.by_bits.confirm(&claimed, &share);
            }
            self.is_late = share.is_raised();
        }
        Checked { certificate: Arc::new(claimed), judgement }
    }
}
