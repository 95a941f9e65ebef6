//! Conditions on the state of the hidden machine, as conditions on the variables of the program.
//!
//! A guard is a formula over tests. The value of a test in a state of the machine is known: yes, no, or either, where
//! the state does not determine the variable. [`Guard::holds`] evaluates a guard in that three-valued logic (Kleene).
//! Every guard that is written must come out as a plain yes in the states it is meant for and as a plain no in all
//! others; [`assert_exact`] insists on it. So no rewriting of a guard can change its meaning.

use super::code::Code;
use super::dice::Dice;

#[derive(Clone, Debug)]
pub enum Guard {
    /// The variable has one of the values with a `true`; the text says so in C.
    Value {
        variable: usize,
        accepted: Vec<bool>,
        text: String,
    },
    /// The gate's counter has reached its bound, or has not.
    Reached {
        wanted: bool,
        text: String,
    },
    /// True, or false, whatever the state; the text is a theorem of arithmetic or of a counter.
    Fixed {
        truth: bool,
        text: String,
    },
    /// Anything.
    Free {
        text: String,
    },
    Not(Box<Guard>),
    And(Vec<Guard>),
    Or(Vec<Guard>),
}

impl Guard {
    /// The value of the guard in a state of the machine, with the counter at its bound or not.
    pub fn holds(&self, code: &Code, state: usize, reached: bool) -> Option<bool> {
        match self {
            Guard::Value { variable, accepted, .. } => code.values[state][*variable].map(|value| accepted[value]),
            Guard::Reached { wanted, .. } => Some(*wanted == reached),
            Guard::Fixed { truth, .. } => Some(*truth),
            Guard::Free { .. } => None,
            Guard::Not(guard) => guard.holds(code, state, reached).map(|truth| !truth),
            Guard::And(parts) => all(parts.iter().map(|part| part.holds(code, state, reached))),
            Guard::Or(parts) => {
                all(parts.iter().map(|part| part.holds(code, state, reached).map(|truth| !truth))).map(|truth| !truth)
            }
        }
    }

    /// As C, in parentheses wherever that could matter.
    pub fn to_c(&self) -> String {
        match self {
            Guard::Value { text, .. }
            | Guard::Reached { text, .. }
            | Guard::Fixed { text, .. }
            | Guard::Free { text } => {
                format!("({text})")
            }
            Guard::Not(guard) => format!("!{}", guard.to_c()),
            Guard::And(parts) => joined(parts, "&&"),
            Guard::Or(parts) => joined(parts, "||"),
        }
    }
}

/// Kleene's conjunction.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut result = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => result = None,
        }
    }
    result
}

/// `((a && b) && c)`: the nesting of the challenge's own files.
fn joined(parts: &[Guard], operator: &str) -> String {
    let mut texts = parts.iter().map(Guard::to_c);
    let first = texts.next().unwrap_or_else(|| if operator == "&&" { "(1)".into() } else { "(0)".into() });
    texts.fold(first, |left, right| format!("({left} {operator} {right})"))
}

/// Insists that a guard is true in exactly these states while the counter is as told, and definite everywhere.
pub fn assert_exact(guard: &Guard, code: &Code, states: &[usize], open: impl Fn(bool) -> bool) {
    for state in 0..code.values.len() {
        for reached in [false, true] {
            let wanted = states.contains(&state) && open(reached);
            let found = guard.holds(code, state, reached);
            assert_eq!(found, Some(wanted), "state {state}, counter {reached}: {}", guard.to_c());
        }
    }
}

/// Puts the parts of a conjunction in a random order and nesting.
pub fn nest(mut parts: Vec<Guard>, dice: &mut Dice) -> Guard {
    dice.shuffle(&mut parts);
    while parts.len() > 2 {
        let at = dice.below(parts.len() - 1);
        let right = parts.remove(at + 1);
        let left = std::mem::replace(&mut parts[at], Guard::Or(vec![]));
        parts[at] = Guard::And(vec![left, right]);
    }
    if parts.len() == 1 { parts.remove(0) } else { Guard::And(parts) }
}
