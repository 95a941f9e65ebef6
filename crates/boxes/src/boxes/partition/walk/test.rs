//! Tests on the facts of a path: whether they may hold, the values that they leave, and the variables that the walk
//! relies on for that.

use super::super::super::guards::{Slot, Test, TestId};
use super::super::super::sets::SetId;
use super::{Ground, Walk};
use crate::analysis::Values;
use crate::expr::{Expr, ExprId, InputId, VarId};

impl Walk<'_, '_> {
    /// The walk computes with an expression.
    pub(super) fn rely_on(&mut self, id: ExprId) {
        let Ground { program, state, reads, .. } = &mut *self.ground;
        reads.of(&program.exprs, state, id).iter().for_each(|&position| self.reliance.note(position));
    }

    fn rely_on_slot(&mut self, slot: Slot) {
        if let Ok(variable) = self.place(slot)
            && let Some(position) = self.ground.state.position(variable)
        {
            self.reliance.note(position);
        }
    }

    pub(super) fn test(&mut self, condition: ExprId, truth: bool) -> TestId {
        self.ground.tests.of(&mut self.ground.sets, condition, truth)
    }

    /// The variable or input of a slot.
    fn place(&self, slot: Slot) -> Result<VarId, InputId> {
        let variables = self.ground.program.variables.len();
        match slot.index().checked_sub(variables) {
            None => Ok(VarId::new(slot.index())),
            Some(input) => Err(InputId::new(input)),
        }
    }

    fn values(&self, slot: Slot) -> &Values {
        match self.place(slot) {
            Ok(variable) => self.ground.env.get(variable),
            Err(input) => self.ground.env.input(input),
        }
    }

    /// Whether some state may pass a test.
    pub(super) fn may_hold(&mut self, id: TestId) -> bool {
        match self.ground.tests.get(id) {
            Test::Always(truth) => *truth,
            &Test::In(slot, set) => {
                let possible = self.meets(self.values(slot), set);
                if !possible {
                    self.rely_on_slot(slot);
                }
                possible
            }
            Test::All(parts) => {
                let parts = parts.clone();
                !parts.iter().any(|&part| self.surely_fails(part)) && parts.iter().all(|&part| self.may_hold(part))
            }
            Test::Any(parts) => {
                let parts = parts.clone();
                let mark = self.reliance.mark();
                let possible = parts.iter().any(|&part| self.may_hold(part));
                if possible {
                    self.reliance.forget(mark);
                }
                possible
            }
            &Test::Is(condition, truth) => {
                let mark = self.ground.env.mark();
                let possible = self.ground.env.refine(condition, truth);
                self.ground.env.undo(mark);
                if !possible {
                    self.rely_on(condition);
                }
                possible
            }
        }
    }

    /// Whether a test fails for a variable that the walk relies on in any case. Of several reasons that is the best.
    fn surely_fails(&self, id: TestId) -> bool {
        match self.ground.tests.get(id) {
            &Test::In(slot, set) => {
                let position = self.place(slot).ok().and_then(|variable| self.ground.state.position(variable));
                position.is_none_or(|position| self.reliance.is_noted(position)) && !self.meets(self.values(slot), set)
            }
            _ => false,
        }
    }

    fn meets(&self, values: &Values, set: SetId) -> bool {
        match values {
            Values::Set(list) => list.iter().any(|&value| self.ground.sets.contains(set, value)),
            Values::Range(_) => {
                let intervals = self.ground.sets.intervals(set);
                intervals.iter().any(|&(low, high)| !values.within(low, high).is_empty())
            }
        }
    }

    /// Keeps the states that may pass a test; whether there are any.
    pub(super) fn refine(&mut self, id: TestId) -> bool {
        self.narrow(id) && self.agree()
    }

    /// An assignment may make a variable a copy of the first input: functions hand it on to those that they call.
    pub(super) fn note_copy(&mut self, variable: VarId, value: ExprId) {
        if !self.ground.listens {
            return;
        }
        let is_copy = match self.ground.program.exprs.get(value) {
            Expr::Input(input) => input.index() == 0,
            Expr::Var(other) => self.is_copy(other),
            _ => false,
        };
        if is_copy || self.is_copy(variable) {
            self.copies.push((variable, is_copy));
        }
    }

    fn is_copy(&self, variable: VarId) -> bool {
        self.copies.iter().rev().find(|copy| copy.0 == variable).is_some_and(|copy| copy.1)
    }

    /// A test of a copy of the input is one of the input, and of all other copies. Otherwise the same input could seem
    /// to be answered in one function and called invalid after it. Whether there is an input left.
    fn agree(&mut self) -> bool {
        if self.copies.is_empty() {
            return true;
        }
        let first = InputId::new(0);
        let copies: Vec<VarId> = self.copies.iter().map(|copy| copy.0).filter(|&one| self.is_copy(one)).collect();
        let env = &mut self.ground.env;
        let common = copies.iter().fold(env.input(first).clone(), |common, &copy| common.meet(env.get(copy)));
        if common.is_empty() {
            return false;
        }
        for copy in copies {
            env.set(copy, common.clone());
        }
        if *env.input(first) != common {
            let before = env.fix_input(first, common);
            self.inputs_trail.push((first, before));
        }
        true
    }

    fn narrow(&mut self, id: TestId) -> bool {
        match self.ground.tests.get(id).clone() {
            Test::Always(truth) => truth,
            Test::In(slot, set) => {
                let kept = self.ground.sets.values(set, self.values(slot));
                self.rely_on_slot(slot);
                if kept.is_empty() {
                    return false;
                }
                match self.place(slot) {
                    Ok(variable) => {
                        if let Some(position) = self.ground.state.position(variable)
                            && kept != self.part.values[position]
                        {
                            self.narrowed.push(position);
                        }
                        self.ground.env.set(variable, kept);
                    }
                    Err(input) => {
                        let before = self.ground.env.fix_input(input, kept);
                        self.inputs_trail.push((input, before));
                    }
                }
                true
            }
            Test::All(parts) => parts.iter().all(|&part| self.narrow(part)),
            Test::Any(parts) => {
                let possible: Vec<TestId> = parts.iter().copied().filter(|&part| self.may_hold(part)).collect();
                match possible[..] {
                    [] => false,
                    [only] => self.narrow(only),
                    _ => true,
                }
            }
            Test::Is(condition, truth) => {
                self.rely_on(condition);
                self.ground.env.refine(condition, truth)
            }
        }
    }
}
