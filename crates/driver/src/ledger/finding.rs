//! The finding about one property: the answer, its author, and the time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::base::{Cause, Limits};
use crate::certificate::Checked;
use crate::engine::Proof;
use crate::program::PropertyId;

/// The answer about one property. `R` is a run of its subject, `C` a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<R, C> {
    /// This run reaches it. It was replayed.
    Reachable { run: R },
    /// No run reaches it. Where the proof gives a certificate, that was checked.
    Unreachable { proof: Proof, checked: Option<Checked<C>> },
    /// Not decided.
    Unknown(Why),
    /// An engine claimed what turned out wrong: a bug. The property counts as undecided.
    Withdrawn { claim: Claim<R, C>, reason: String },
}

/// A wrong claim of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim<R, C> {
    /// A run that does not reach the property, or is none.
    Run(R),
    /// A proof with this certificate.
    Proof(Option<Arc<C>>),
}

/// Why a property stayed undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Why {
    /// Nobody could tell.
    Beyond,
    /// It is unreachable in a model that may have too little room.
    Room,
    /// The program is too large to be walked through.
    TooLarge,
    /// An input has too many values to try them all.
    Inputs,
    /// Behind the greatest depth nothing was looked at.
    Depth,
    /// A single property may take only so long.
    Share,
    Memory,
    /// A participant is gone.
    Lost,
    Stopped,
    Time,
}

impl Why {
    /// The reason why work ended early, if it did: an interrupt, or memory that was refused.
    pub fn ended(limits: &Limits) -> Option<Why> {
        let memory = || limits.interrupt.was_refused().then_some(Why::Memory);
        limits.interrupt.cause().map(Why::from).or_else(memory)
    }

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Why::Beyond => "no engine could tell",
            Why::Room => "the model may have too little room",
            Why::TooLarge => "the program is too large",
            Why::Inputs => "an input has too many values",
            Why::Depth => "the depth limit was reached",
            Why::Share => "its share of the time was up",
            Why::Memory => "memory was full",
            Why::Lost => "a participant is gone",
            Why::Stopped => "the run was interrupted",
            Why::Time => "time was up",
        }
    }
}

impl From<Cause> for Why {
    fn from(cause: Cause) -> Why {
        match cause {
            Cause::Time => Why::Time,
            Cause::Memory => Why::Memory,
            Cause::Stopped => Why::Stopped,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl<R, C> Answer<R, C> {
    pub fn is_unknown(&self) -> bool {
        matches!(self, Answer::Unknown(_))
    }

    /// The answer of a proof: one whose certificate is refuted is withdrawn.
    pub(crate) fn of_proof(proof: Proof, checked: Option<Checked<C>>) -> Answer<R, C> {
        match checked.as_ref().and_then(Checked::refutation) {
            Some(reason) => {
                let (reason, claim) = (reason.into(), Claim::Proof(checked.map(|checked| checked.certificate)));
                Answer::Withdrawn { claim, reason }
            }
            None => Answer::Unreachable { proof, checked },
        }
    }
}

/// The author of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decider {
    /// The steps before the first one reach the property.
    Setup,
    /// The strategy of this name.
    Strategy(&'static str),
    /// An earlier run, from whose journal this one goes on.
    Journal,
    Nobody,
}

impl Decider {
    /// A short name, as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Decider::Setup => "setup",
            Decider::Strategy(name) => name,
            Decider::Journal => "journal",
            Decider::Nobody => "none",
        }
    }
}

/// The answer for a property, at the moment it is known.
#[derive(Clone, Debug)]
pub struct Finding<R, C> {
    pub property: PropertyId,
    pub answer: Answer<R, C>,
    pub decider: Decider,
    /// Since the start of the run.
    pub after: Duration,
    /// Whether it is known that no run with fewer steps reaches the property.
    pub is_shortest: bool,
}

impl<R, C> Finding<R, C> {
    /// Whether something else than what found it has shown that the answer is right.
    pub fn is_confirmed(&self) -> bool {
        match &self.answer {
            Answer::Reachable { .. } => true,
            Answer::Unreachable { checked, .. } => checked.as_ref().is_some_and(Checked::is_confirmed),
            Answer::Unknown(_) | Answer::Withdrawn { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Judgement;

    #[test]
    fn a_proof_whose_certificate_is_refuted_is_withdrawn() {
        let answer = |judgement| {
            let proof = Proof::Exhausted { states: 3 };
            Answer::<(), ()>::of_proof(proof, Some(Checked { certificate: Arc::new(()), judgement }))
        };
        let refuted = answer(Judgement::Refuted("a step leads out".into()));
        assert!(matches!(refuted, Answer::Withdrawn { reason, .. } if reason == "a step leads out"));
        for judgement in [Judgement::Confirmed, Judgement::Undecided("time is up".into())] {
            assert!(matches!(answer(judgement), Answer::Unreachable { .. }));
        }
    }
}
