//! The end of a path: whether all that arrives there is as the certificate claims.
//!
//! First the path is taken as coarsely as it was walked, and mostly that does. Else it is split, from coarse to fine,
//! and what follows from each part is propagated along this path alone (branch and prune; Van Hentenryck et al., "Solving
//! polynomial systems using a branch and prune approach", 1997): along the sides of the boxes while some box has some of
//! the part; and where none has, by what has not been settled, until the part turns out not to exist.

use redoubt_base::stack::grow;

use super::Executor;
use super::conditions::{Condition, ConditionId};
use super::cover::Covered;
use super::path::{Time, VersionId};
use super::propagate::Truth;
use super::sources::SourceId;
use crate::NumberSet;

/// What has to be shown about the end of a path.
#[derive(Clone, Copy)]
pub enum Goal<'g> {
    /// Nothing gets there.
    Never,
    /// All that gets there is in the invariant.
    Covered,
    /// A version is among some numbers.
    Among(VersionId, &'g NumberSet),
}

/// What is left to do.
enum Left {
    Nothing,
    /// To tell apart whether a version is within some numbers.
    Apart(VersionId, NumberSet),
    /// To show that the part does not exist.
    Exclude,
}

/// An end is split into at most so many parts.
const MOST_PARTS: usize = 1 << 14;

impl Executor<'_, '_> {
    /// Whether the goal is reached at the end of the current path.
    pub fn prove(&mut self, goal: Goal, failure: impl FnOnce(&Self) -> String) -> bool {
        // Most ends are covered as they are.
        if let Left::Nothing = self.left(goal) {
            return true;
        }
        self.parts = 0;
        let mark = self.path.mark();
        let proved = self.prove_part(goal, 0);
        self.path.back_to(mark);
        if !proved && self.reason.is_empty() {
            self.reason = failure(self);
        }
        proved
    }

    fn prove_part(&mut self, goal: Goal, depth: usize) -> bool {
        self.parts += 1;
        if self.parts > MOST_PARTS || self.is_interrupted() {
            return false;
        }
        if !self.propagate() {
            return true;
        }
        let split = match self.left(goal) {
            Left::Nothing => return true,
            Left::Apart(version, numbers) => Some((version, self.apart(version, &numbers))),
            Left::Exclude => {
                if self.refute() {
                    return false;
                }
                self.unsettled(depth)
            }
        };
        let Some((version, parts)) = split else { return false };
        parts.into_iter().filter(|part| !part.is_empty()).all(|part| {
            let mark = self.path.mark();
            self.path.narrow(version, part);
            let proved = grow(|| self.prove_part(goal, depth + 1));
            self.path.back_to(mark);
            proved
        })
    }

    fn left(&self, goal: Goal) -> Left {
        let within = |version: VersionId, numbers: &NumberSet| {
            let values = self.path.values(version);
            if values.is_subset(numbers) {
                Left::Nothing
            } else if values.meets(numbers) {
                Left::Apart(version, numbers.clone())
            } else {
                Left::Exclude
            }
        };
        match goal {
            Goal::Never => Left::Exclude,
            Goal::Among(version, numbers) => within(version, numbers),
            Goal::Covered => {
                for &source in self.path.assigned() {
                    if let Some(fact) = self.sources.fact(source) {
                        match within(self.path.current(source), fact) {
                            Left::Nothing => {}
                            left => return left,
                        }
                    }
                }
                match self.cover.covers(&self.path) {
                    Covered::Yes => Left::Nothing,
                    Covered::Outside => Left::Exclude,
                    Covered::Partly(version, numbers) => Left::Apart(version, numbers),
                }
            }
        }
    }

    /// The numbers of a version that may be within some, and those that are not. There are some of both kinds.
    fn apart(&self, version: VersionId, numbers: &NumberSet) -> [NumberSet; 2] {
        let values = self.path.values(version);
        let outside = values.outside(numbers);
        if outside.is_empty() {
            // They differ by steps only.
            return values.halves();
        }
        [values.outside(&NumberSet::all().outside(numbers)), outside]
    }

    /// Two parts by something that is not settled; `None` if everything is.
    fn unsettled(&self, depth: usize) -> Option<(VersionId, [NumberSet; 2])> {
        // Both kinds may be the reason, and neither is known to be.
        match depth.is_multiple_of(2) {
            true => self.unsettled_condition().or_else(|| self.unsettled_definition()),
            false => self.unsettled_definition().or_else(|| self.unsettled_condition()),
        }
    }

    /// The halves of something that a version was computed from, which is known to have fewer numbers than its
    /// expression gives.
    fn unsettled_definition(&self) -> Option<(VersionId, [NumberSet; 2])> {
        let share = |&version: &VersionId| {
            let definition = self.path.definition(version)?;
            let (known, image) = (self.path.values(version).count(), self.image(definition).count());
            (known < image).then(|| (known as f64 / image as f64, definition))
        };
        let open = self.path.computed().iter().filter_map(share);
        let (_, definition) = open.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        self.widest(&definition.reads)
    }

    /// Halves of the widest of some versions.
    fn widest(&self, versions: &[(SourceId, VersionId)]) -> Option<(VersionId, [NumberSet; 2])> {
        let count = |&&(_, version): &&(SourceId, VersionId)| self.path.values(version).count();
        let &(source, version) = versions.iter().max_by_key(count)?;
        let values = self.path.values(version);
        (values.count() > 1).then(|| (version, self.sources.halves(source, values)))
    }

    /// Two parts by the first condition that is open in a list of as few alternatives as possible.
    fn unsettled_condition(&self) -> Option<(VersionId, [NumberSet; 2])> {
        let open = self.path.open().iter().filter(|(id, time)| self.truth(*id, *time) == Truth::Open);
        let alternatives = |(id, time): &&(ConditionId, Time)| match &**self.conditions.get(*id) {
            Condition::Any(list) => list.iter().filter(|&&one| self.truth(one, *time) == Truth::Open).count(),
            _ => 1,
        };
        let &(id, time) = open.min_by_key(alternatives)?;
        self.unsettled_part(id, time)
    }

    fn unsettled_part(&self, id: ConditionId, time: Time) -> Option<(VersionId, [NumberSet; 2])> {
        match &**self.conditions.get(id) {
            Condition::Always | Condition::Never => None,
            Condition::Member { source, yes, no } => {
                let version = self.path.version(*source, time);
                let values = self.path.values(version);
                let parts = [values.meet(yes), values.meet(no)];
                // Where the arithmetic cannot tell, both sets have all numbers.
                let are_smaller = parts.iter().all(|part| part.count() < values.count());
                match are_smaller {
                    true => Some((version, parts)),
                    false => self.widest(&[(*source, version)]),
                }
            }
            Condition::Joint { sources, .. } => {
                let versions: Vec<(SourceId, VersionId)> =
                    sources.iter().map(|&source| (source, self.path.version(source, time))).collect();
                self.widest(&versions)
            }
            Condition::All(list) | Condition::Any(list) => {
                let open = list.iter().find(|&&one| self.truth(one, time) == Truth::Open)?;
                grow(|| self.unsettled_part(*open, time))
            }
        }
    }
}
