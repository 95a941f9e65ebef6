//! Consequences of the facts on a path: whether conditions hold, and which numbers they leave to the versions they
//! read.
//!
//! This is constraint propagation as solvers over finite domains and intervals do it (Benhamou et al., "Revising hull
//! and box consistency", 1999; Davis, Logemann and Loveland for the disjunctions): of alternatives of which one is left,
//! that one holds; a version is among what its expression can be.

use std::rc::Rc;

use redoubt_base::stack::grow;
use redoubt_program::expr::ExprId;

use super::Executor;
use super::conditions::{Condition, ConditionId};
use super::path::{Definition, Signature, Time, VersionId};
use super::sources::SourceId;
use crate::NumberSet;
use crate::interval::Environment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    No,
    Yes,
    /// One or the other, as far as can be told.
    Open,
}

impl Truth {
    /// From whether it may hold, and whether it may fail.
    fn of(may_hold: bool, may_fail: bool) -> Truth {
        match (may_hold, may_fail) {
            (false, _) => Truth::No,
            (true, false) => Truth::Yes,
            (true, true) => Truth::Open,
        }
    }
}

/// The result of imposing a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Imposed {
    /// It cannot hold.
    Impossible,
    /// The known facts imply it.
    Settled,
    /// It says more.
    Open,
}

/// The most rounds of propagation.
const MOST_ROUNDS: usize = 16;

impl Executor<'_, '_> {
    /// Whether a condition holds at a time of the path.
    pub fn truth(&self, id: ConditionId, time: Time) -> Truth {
        match &**self.conditions.get(id) {
            Condition::Always => Truth::Yes,
            Condition::Never => Truth::No,
            Condition::Member { source, yes, no } => {
                let values = self.path.values(self.path.version(*source, time));
                Truth::of(values.meets(yes), values.meets(no))
            }
            Condition::Joint { expr, truth, sources } => {
                let values = sources.iter().map(|&source| Rc::clone(self.path.values(self.path.version(source, time))));
                let values = self.images.image(&self.sources, *expr, values.collect());
                Truth::of(values.contains(i32::from(*truth)), values.contains(i32::from(!*truth)))
            }
            Condition::All(list) => self.truth_of_list(list, time, Truth::No, Truth::Yes),
            Condition::Any(list) => self.truth_of_list(list, time, Truth::Yes, Truth::No),
        }
    }

    /// The truth of a list that one part decides if it is `decisive`, and that all parts decide if each is `usual`.
    fn truth_of_list(&self, list: &[ConditionId], time: Time, decisive: Truth, usual: Truth) -> Truth {
        let mut whole = usual;
        for &part in list {
            // Most lists have no lists in them.
            let truth = match &**self.conditions.get(part) {
                Condition::All(_) | Condition::Any(_) => grow(|| self.truth(part, time)),
                _ => self.truth(part, time),
            };
            if truth == decisive {
                return decisive;
            }
            if truth == Truth::Open {
                whole = Truth::Open;
            }
        }
        whole
    }

    /// Lets a condition hold, now; `false` if it cannot. If it cannot be settled, it is kept.
    pub fn assume(&mut self, id: ConditionId) -> bool {
        let now = self.path.now();
        match self.impose(id, now) {
            Imposed::Impossible => false,
            Imposed::Settled => true,
            Imposed::Open => {
                self.path.keep_open(id, now);
                true
            }
        }
    }

    fn impose(&mut self, id: ConditionId, time: Time) -> Imposed {
        let condition = Rc::clone(self.conditions.get(id));
        match &*condition {
            Condition::Always => Imposed::Settled,
            Condition::Never => Imposed::Impossible,
            Condition::Member { source, yes, no } => self.impose_member(self.path.version(*source, time), yes, no),
            Condition::Joint { expr, truth, sources } => self.impose_joint((*expr, *truth), sources, time),
            Condition::All(list) => {
                for &part in list {
                    match grow(|| self.impose(part, time)) {
                        Imposed::Impossible => return Imposed::Impossible,
                        Imposed::Settled => {}
                        // Its parts are kept by themselves.
                        Imposed::Open if self.path.open().contains(&(part, time)) => {}
                        Imposed::Open => self.path.keep_open(part, time),
                    }
                }
                Imposed::Settled
            }
            Condition::Any(list) => self.impose_any(list, time),
        }
    }

    fn impose_member(&mut self, version: VersionId, yes: &NumberSet, no: &NumberSet) -> Imposed {
        let values = self.path.values(version);
        if !values.meets(no) {
            // An empty set is never kept, so a condition that cannot fail holds.
            return Imposed::Settled;
        }
        let left = values.meet(yes);
        if left.is_empty() {
            return Imposed::Impossible;
        }
        self.narrow(version, left);
        Imposed::Settled
    }

    fn impose_joint(&mut self, (expr, truth): (ExprId, bool), sources: &[SourceId], time: Time) -> Imposed {
        let before = self.environment(sources, time);
        let Some(left) = self.images.arithmetic.refine(expr, truth, before) else { return Imposed::Impossible };
        let values = self.images.arithmetic.evaluate(expr, &left);
        for (&source, (_, numbers)) in sources.iter().zip(left.iter()) {
            if numbers.is_empty() {
                return Imposed::Impossible;
            }
            self.narrow(self.path.version(source, time), numbers.clone());
        }
        match Truth::of(values.contains(i32::from(truth)), values.contains(i32::from(!truth))) {
            Truth::No => Imposed::Impossible,
            Truth::Yes => Imposed::Settled,
            Truth::Open => Imposed::Open,
        }
    }

    /// Of several alternatives nothing follows but that one of them holds.
    fn impose_any(&mut self, list: &[ConditionId], time: Time) -> Imposed {
        let (mut last, mut count) = (None, 0);
        for &part in list {
            match self.truth(part, time) {
                Truth::Yes => return Imposed::Settled,
                Truth::Open => (last, count) = (Some(part), count + 1),
                Truth::No => {}
            }
        }
        match last {
            None => Imposed::Impossible,
            Some(part) if count == 1 => grow(|| self.impose(part, time)),
            Some(_) => Imposed::Open,
        }
    }

    /// Keeps fewer numbers of a version.
    pub fn narrow(&mut self, version: VersionId, left: NumberSet) {
        if left.count() < self.path.values(version).count() {
            self.path.narrow(version, left);
        }
    }

    /// Draws all conclusions from the versions narrowed since the last call, or from all that is known; `false` if the
    /// path cannot be taken.
    pub fn propagate(&mut self, from_all: bool) -> bool {
        let mut narrowed = self.path.take_narrowed();
        if from_all {
            narrowed = Signature::ALL;
        }
        for _ in 0..MOST_ROUNDS {
            if narrowed == Signature::NONE {
                break;
            }
            let mut next = 0;
            // Conditions may be added on the way.
            while let Some(&(condition, time)) = self.path.open().get(next) {
                let is_concerned = self.conditions.reads(condition).meets(narrowed);
                if is_concerned && self.impose(condition, time) == Imposed::Impossible {
                    return false;
                }
                next += 1;
            }
            for index in 0..self.path.computed().len() {
                let version = self.path.computed()[index];
                let Some(definition) = self.path.definition(version) else { continue };
                let versions = definition.reads.iter().map(|(_, read)| *read).chain([version]);
                let concerned = versions.fold(Signature::NONE, |all, one| all.with(self.path.sources(one)));
                if !concerned.meets(narrowed) {
                    continue;
                }
                let left = self.path.values(version).meet(&self.image(definition));
                if left.is_empty() {
                    return false;
                }
                self.narrow(version, left);
            }
            narrowed = self.path.take_narrowed();
        }
        true
    }

    /// All that a definition can give.
    pub fn image(&self, definition: &Definition) -> Rc<NumberSet> {
        let numbers = definition.reads.iter().map(|&(_, version)| Rc::clone(self.path.values(version)));
        self.images.image(&self.sources, definition.value, numbers.collect())
    }

    fn environment(&self, sources: &[SourceId], time: Time) -> Environment {
        let values = |&source: &SourceId| (**self.path.values(self.path.version(source, time))).clone();
        sources.iter().map(|source| (self.sources.name(*source), values(source))).collect()
    }
}
