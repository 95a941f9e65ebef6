//! The subject of verdicts: a program, or a model of a circuit. A subject that can replay a run, judge a certificate
//! and write both down can have a ledger.

use std::fmt::Debug;

use crate::base::{Interrupt, Limits};
use crate::certificate::Judgement;
use crate::program::PropertyId;
use crate::witness::shorten::Budget;

/// A system whose properties can be decided.
pub trait Subject: Sync {
    /// A run, as the choices that determine it.
    type Run: Clone + Debug + Send;
    /// Why properties are unreachable.
    type Certificate: Debug + Send + Sync;
    /// The results of strategies besides verdicts: sizes and counts.
    type Account: Default + Send;

    /// The noun for it in messages.
    const NOUN: &'static str;
    /// Whether a journal is believed that says a property is unreachable without saying why. Such a verdict counts as not
    /// confirmed. Where almost every proof has a certificate there is no need for it.
    const BELIEVES_BARE_PROOFS: bool;

    /// The number of properties.
    fn properties(&self) -> usize;

    /// Properties that proofs of all others count on: a model with too little room for what it is about reaches one of these.
    fn bounds(&self) -> Vec<PropertyId> {
        vec![]
    }

    fn name(&self, property: PropertyId) -> &str;

    /// A hash that another subject does not have.
    fn stamp(&self) -> String;

    /// The properties that are reached before the first step, and the run without one; none where only infinite runs count.
    fn setup(&self) -> Option<(Vec<PropertyId>, Self::Run)> {
        None
    }

    /// The run up to the moment at which it reaches the property, if it does.
    fn replay(&self, property: PropertyId, run: &Self::Run) -> Option<Self::Run>;

    /// A run that reaches the property too, and is no longer; the same one, unless the subject can make it shorter.
    fn shorten(&self, _property: PropertyId, run: Self::Run, _budget: &Budget) -> Self::Run {
        run
    }

    /// Looks for shortest runs to properties that these runs reach, if the subject can; the search may take `memory`
    /// bytes.
    fn shortest(
        &self,
        _known: &[(PropertyId, Self::Run)],
        _memory: usize,
        _limits: &Limits,
        _report: &mut dyn FnMut(PropertyId, Self::Run),
    ) {
    }

    /// Whether a certificate says that a property is unreachable.
    fn excludes(&self, certificate: &Self::Certificate, property: PropertyId) -> bool;

    /// Whether what a certificate says of these properties is so, by other means than found it.
    fn judge(&self, certificate: &Self::Certificate, properties: &[PropertyId], interrupt: &Interrupt) -> Judgement;

    /// A run as a journal keeps it.
    fn run_to_numbers(&self, run: &Self::Run) -> Vec<Vec<i32>>;

    fn run_of_numbers(&self, numbers: &[Vec<i32>]) -> Option<Self::Run>;

    /// A certificate of a property as a journal keeps it; `None` if it is too long for that.
    fn certificate_to_text(&self, property: PropertyId, certificate: &Self::Certificate) -> Option<String>;

    fn certificate_of_text(&self, text: &str) -> Option<Self::Certificate>;
}
