//! Passes that make a transition system smaller and leave the answer to every property as it is.
//!
//! Each one can be switched off; with all of them off, the reference encoding remains.

pub mod cone;
pub mod constants;
pub mod copies;

use super::TransitionSystem;
use super::rewrite::{Fate, rebuild};
use crate::base::Interrupt;
use crate::expr::Type;
use crate::program::{Domain, Place};

/// Which passes run. All of them, by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes {
    /// Replace variables that always have their initial value.
    pub constants: bool,
    /// Merge variables that always have the same value.
    pub copies: bool,
    /// Drop variables that no property depends on.
    pub cone: bool,
}

impl Passes {
    pub const ALL: Passes = Passes { constants: true, copies: true, cone: true };
    pub const NONE: Passes = Passes { constants: false, copies: false, cone: false };

    fn count(self) -> usize {
        [self.constants, self.copies, self.cone].into_iter().filter(|&wanted| wanted).count()
    }
}

impl Default for Passes {
    fn default() -> Passes {
        Passes::ALL
    }
}

/// The savings of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    pub pass: &'static str,
    pub states: (usize, usize),
    pub expressions: (usize, usize),
}

/// A system after the passes.
#[derive(Clone, Debug)]
pub struct Passed {
    pub system: TransitionSystem,
    pub reasons: Reasons,
    pub savings: Vec<Saving>,
}

impl Passed {
    /// The number of variables in the system before any pass.
    pub fn states_before(&self) -> usize {
        self.savings.first().map_or(self.system.states.len(), |saving| saving.states.0)
    }

    /// Whether there was time for all of these passes.
    pub fn has_all(&self, passes: Passes) -> bool {
        self.savings.len() == passes.count()
    }
}

/// Facts about all reachable states that the passes relied on: part of the reason of all later proofs.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    /// The tables that pointers can point to, known before any pass.
    pub targets: Vec<(Place, Domain)>,
    pub constants: Vec<(Place, i32)>,
    /// A place that was dropped, and the one that stands for it.
    pub copies: Vec<(Place, Place)>,
}

impl Reasons {
    fn of(system: &TransitionSystem) -> Reasons {
        let pointers = system.states.iter().filter(|state| state.ty == Type::Pointer);
        let targets = pointers.filter_map(|state| Some((state.place, state.domain.clone()?))).collect();
        Reasons { targets, ..Reasons::default() }
    }

    /// Notes the findings of a pass.
    fn note(&mut self, system: &TransitionSystem, fates: &[Fate]) {
        for (state, fate) in system.states.iter().zip(fates) {
            match fate {
                Fate::Constant(value) => self.constants.push((state.place, *value)),
                Fate::SameAs(other) => self.copies.push((state.place, system.states[other.index()].place)),
                Fate::Keep | Fate::Drop => {}
            }
        }
    }
}

/// Runs the chosen passes in a fixed order. Passes for which there is no time are left out.
pub fn run(system: TransitionSystem, passes: Passes, interrupt: &Interrupt) -> Passed {
    type Pass = fn(&TransitionSystem) -> Vec<Fate>;
    let list: [(bool, &'static str, Pass); 3] = [
        (passes.constants, "constants", constants::fates),
        (passes.copies, "copies", copies::fates),
        (passes.cone, "cone of influence", cone::fates),
    ];
    let mut passed = Passed { reasons: Reasons::of(&system), system, savings: vec![] };
    for (_, name, pass) in list.into_iter().filter(|(wanted, ..)| *wanted) {
        if interrupt.is_raised() {
            break;
        }
        let before = size(&passed.system);
        let fates = pass(&passed.system);
        passed.reasons.note(&passed.system, &fates);
        passed.system = rebuild(&passed.system, &fates);
        let after = size(&passed.system);
        passed.savings.push(Saving { pass: name, states: (before.0, after.0), expressions: (before.1, after.1) });
    }
    passed
}

fn size(system: &TransitionSystem) -> (usize, usize) {
    let used = system.used(system.roots());
    (system.states.len(), used.into_iter().filter(|used| *used).count())
}
