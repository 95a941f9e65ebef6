//! Whether tests hold for the representative, and what that depends on.

use super::{Context, Truth, Walk};
use crate::boxes::guards::{Test, TestId};
use crate::boxes::sets::SetId;

impl Walk<'_, '_> {
    /// The way goes on only for states in which a test has this truth value.
    pub(super) fn narrow(&mut self, id: TestId, truth: bool) {
        match self.step.tests.get(id).clone() {
            Test::In(slot, set) if self.versions[slot.index()] == 0 => {
                let set = if truth { set } else { self.step.sets.complement(set) };
                let old = self.conditions[slot.index()];
                let new = self.step.sets.meet(old, set);
                if new != old {
                    self.conditions_trail.push((slot, old));
                    self.conditions[slot.index()] = new;
                }
            }
            Test::All(parts) if truth => parts.iter().for_each(|&part| self.narrow(part, true)),
            Test::Any(parts) if !truth => parts.iter().for_each(|&part| self.narrow(part, false)),
            _ => {}
        }
    }

    pub(super) fn test(&mut self, context: &Context, id: TestId) -> Truth {
        match self.step.tests.get(id) {
            Test::Always(true) => Truth::True,
            Test::Always(false) => Truth::False,
            &Test::In(slot, set) => match self.tied(slot) {
                None if self.step.sets.contains(set, self.values[slot.index()]) => Truth::True,
                None => Truth::False,
                Some(input) => {
                    let open = context.inputs[input];
                    match self.step.sets.meet(open, set) {
                        both if both == open => Truth::True,
                        both if self.step.sets.is_empty(both) => Truth::False,
                        _ => Truth::Depends,
                    }
                }
            },
            Test::All(parts) => {
                let parts = parts.clone();
                self.test_parts(context, &parts, Truth::True, Truth::False)
            }
            Test::Any(parts) => {
                let parts = parts.clone();
                self.test_parts(context, &parts, Truth::False, Truth::True)
            }
            &Test::Is(expr, truth) => {
                if self.leaves(expr).any(|leaf| self.tied(leaf).is_some()) {
                    return Truth::Depends;
                }
                if (self.evaluate(expr) != 0) == truth { Truth::True } else { Truth::False }
            }
        }
    }

    fn test_parts(&mut self, context: &Context, parts: &[TestId], neutral: Truth, deciding: Truth) -> Truth {
        let mut result = neutral;
        for &part in parts {
            match self.test(context, part) {
                truth if truth == deciding => return deciding,
                Truth::Depends => result = Truth::Depends,
                _ => {}
            }
        }
        result
    }

    /// An input that a test depends on.
    pub(super) fn first_input(&mut self, context: &Context, id: TestId) -> usize {
        let found = match self.step.tests.get(id).clone() {
            Test::Always(_) => None,
            Test::In(slot, _) => self.tied(slot),
            Test::Is(expr, _) => self.leaves(expr).find_map(|leaf| self.tied(leaf)),
            Test::All(parts) | Test::Any(parts) => {
                let part = parts.iter().copied().find(|&part| self.test(context, part) == Truth::Depends);
                part.map(|part| self.first_input(context, part))
            }
        };
        found.expect("a test that depends on inputs has one")
    }

    /// If a test depends on the value of one input only, which must be in a set: these two.
    pub(super) fn input_set(&mut self, context: &Context, id: TestId) -> Option<(usize, SetId)> {
        match self.step.tests.get(id).clone() {
            Test::In(slot, set) => self.tied(slot).map(|input| (input, set)),
            Test::All(parts) => {
                let mut found: Option<(usize, SetId)> = None;
                for part in parts {
                    if self.test(context, part) == Truth::Depends {
                        let (input, set) = self.input_set(context, part)?;
                        found = match found {
                            None => Some((input, set)),
                            Some((other, known)) if other == input => Some((input, self.step.sets.meet(known, set))),
                            Some(_) => return None,
                        };
                    }
                }
                found
            }
            _ => None,
        }
    }
}
