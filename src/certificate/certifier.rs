//! Proofs on a circuit to certificates of its program, each checked as soon as it is there.

use std::sync::Arc;

use super::derive::Deriver;
use super::solve::Checker;
use super::{Checked, share};
use crate::engine::Proof;
use crate::program::{Program, PropertyId};
use crate::sat::Interrupt;

/// Certifies what is proved on one circuit of a program.
pub struct Certifier<'p> {
    program: &'p Program,
    deriver: Option<Deriver>,
    /// Encodes the program when it is first needed.
    checker: Option<Checker<'p>>,
}

impl<'p> Certifier<'p> {
    pub fn new(program: &'p Program, deriver: Option<Deriver>) -> Certifier<'p> {
        Certifier { program, deriver, checker: None }
    }

    /// The certificate of a proof, checked. Only invariants give one.
    pub fn certify(&mut self, property: PropertyId, proof: &Proof, interrupt: &Interrupt) -> Option<Checked> {
        let (Some(deriver), Proof::Invariant(invariant)) = (&self.deriver, proof) else { return None };
        let certificate = deriver.certificate(vec![property], invariant);
        let checker = self.checker.get_or_insert_with(|| Checker::new(self.program));
        let judgement = checker.confirm(&certificate, &share(interrupt));
        Some(Checked { certificate: Arc::new(certificate), judgement })
    }
}
