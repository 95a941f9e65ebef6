//! The abstraction of programs that compute: variables become regions, assignments relations between them.
//!
//! A bit-level engine drowns in 32-bit products and remainders, but such programs mostly compare their variables
//! with constants, and their arithmetic maps one region between such constants to another. So each variable is
//! replaced by the number of its region, which gives a program that can do whatever the first one can and is much
//! smaller. This is predicate abstraction (Graf and Saidi, "Construction of abstract state graphs with PVS", 1997)
//! with the predicates known in advance, refined where an abstract run has no counterpart (Clarke, Grumberg, Jha, Lu
//! and Veith, "Counterexample-guided abstraction refinement", 2000).
//!
//! The way of the data: [`regions`] cuts the values of each variable, [`translate`] writes the abstract program, with
//! [`relation`] for each of its expressions and [`choices`] where those are not decided; [`explore`] visits its states,
//! [`prove`] gives it to IC3; [`concretise`] runs the program along the abstract runs, and [`refine`] cuts where the
//! two part. Proofs become certificates of the program itself ([`crate::certify`]).

pub mod choices;
pub mod concretise;
pub mod explore;
mod meaning;
pub mod prove;
pub mod refine;
pub mod regions;
pub mod relation;
pub mod translate;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::analysis::Facts;
use crate::base::Limits;
use crate::certificate::Checked;
use crate::engine::Proof;
use crate::program::PropertyId;

/// The properties to decide.
#[derive(Clone, Copy, Debug)]
pub struct Order<'o> {
    pub wanted: &'o [PropertyId],
    pub limits: &'o Limits,
    /// By property: set by others who have decided it.
    pub settled: Option<&'o [AtomicBool]>,
    /// Whether proofs by exploration are to be certified and the certificates checked.
    pub confirm: bool,
}

impl Order<'_> {
    /// Whether a property is still undecided elsewhere.
    fn is_open(&self, property: PropertyId) -> bool {
        self.settled.is_none_or(|settled| !settled[property.index()].load(Ordering::Relaxed))
    }
}

/// The finding of the abstraction about a property.
#[derive(Clone, Debug)]
pub enum Found {
    Reachable(Vec<Vec<i32>>),
    Unreachable(Proof, Option<Checked>),
}

/// Reports the properties that the setup reaches, behind which the abstraction begins; the result is the rest.
fn behind_setup(facts: &Facts, wanted: &[PropertyId], report: &mut dyn FnMut(PropertyId, Found)) -> Vec<PropertyId> {
    let (at_once, left): (Vec<_>, Vec<_>) =
        wanted.iter().copied().partition(|&property| facts.setup().opening().reaches(property));
    at_once.into_iter().for_each(|property| report(property, Found::Reachable(vec![])));
    left
}

/// The course of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of abstractions that were made and searched.
    pub rounds: usize,
    /// The most choices that an abstraction needed.
    pub choices: usize,
    /// Abstract runs that the program does not have.
    pub spurious: usize,
    /// The most states of an abstraction that were visited.
    pub states: usize,
    /// The most real states that were told apart by regions.
    pub matched: usize,
    /// Properties that were proved and whose certificate could not be confirmed.
    pub unconfirmed: usize,
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Statistics { rounds, choices, spurious, states, matched, unconfirmed } = self;
        writeln!(
            f,
            "{rounds} abstractions with up to {choices} choices, {spurious} runs that the program does not have"
        )?;
        if *unconfirmed > 0 {
            writeln!(f, "{unconfirmed} proofs that could not be confirmed")?;
        }
        writeln!(f, "up to {states} abstract states, and {matched} real ones that the regions tell apart")
    }
}
