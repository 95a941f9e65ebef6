//! Passes that make a transition system smaller and leave the answer to every property as it is.
//!
//! Each one can be switched off; with all of them off, what remains is the reference encoding.

pub mod cone;
pub mod constants;
pub mod copies;

use super::TransitionSystem;

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
}

impl Default for Passes {
    fn default() -> Passes {
        Passes::ALL
    }
}

/// What a pass saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    pub pass: &'static str,
    pub states: (usize, usize),
    pub expressions: (usize, usize),
}

/// Runs the chosen passes in a fixed order.
pub fn run(system: TransitionSystem, passes: Passes) -> (TransitionSystem, Vec<Saving>) {
    type Pass = fn(&TransitionSystem) -> TransitionSystem;
    let list: [(bool, &'static str, Pass); 3] = [
        (passes.constants, "constants", constants::run),
        (passes.copies, "copies", copies::run),
        (passes.cone, "cone of influence", cone::run),
    ];
    let mut savings = vec![];
    let mut current = system;
    for (_, name, pass) in list.into_iter().filter(|(wanted, ..)| *wanted) {
        let before = size(&current);
        current = pass(&current);
        let after = size(&current);
        savings.push(Saving { pass: name, states: (before.0, after.0), expressions: (before.1, after.1) });
    }
    (current, savings)
}

fn size(system: &TransitionSystem) -> (usize, usize) {
    let used = system.used(system.roots());
    (system.states.len(), used.into_iter().filter(|used| *used).count())
}
