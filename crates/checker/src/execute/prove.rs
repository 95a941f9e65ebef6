//! The end of a path: whether all that arrives there is as the certificate claims.
//!
//! First the path is taken as coarsely as it was walked, which mostly suffices. Otherwise it is split, from coarse to
//! fine, and the consequences of each part are propagated along this path alone (branch and prune; Van Hentenryck et
//! al., "Solving polynomial systems using a branch and prune approach", 1997): along the sides of the boxes while some
//! box has some of the part; and if none has, by unsettled conditions and values, until the part turns out not to
//! exist.

use redoubt_base::stack::grow;
use rustc_hash::FxHashSet;

use super::Executor;
use super::claims::Left;
use super::conditions::{Condition, ConditionId};
use super::cover::Covered;
use super::path::{Time, VersionId};
use super::propagate::Truth;
use super::sources::SourceId;
use crate::NumberSet;

/// The claim to be shown about the end of a path.
#[derive(Clone, Copy)]
pub enum Goal<'g> {
    /// Nothing gets there.
    Never,
    /// All that gets there is in the invariant.
    Covered,
    /// A version is among some numbers.
    Among(VersionId, &'g NumberSet),
}

/// The criterion for splitting a part of which no box has anything.
#[derive(Clone, Copy)]
enum By {
    /// The operands of the versions that it was split by before.
    Definitions,
    /// The conditions on these, and on their operands.
    Conditions,
    /// Everything that is not settled.
    All,
}

/// The ways of splitting, in the order in which they are tried, and how many parts each may make.
const WAYS: [(By, usize); 3] = [(By::Definitions, 1 << 11), (By::Conditions, 1 << 11), (By::All, 1 << 14)];

/// The most parts that are made to see whether a path exists at all.
const FEW_PARTS: usize = 1 << 8;

impl Executor<'_, '_> {
    /// Whether the goal is reached at the end of the current path.
    pub fn prove(&mut self, goal: Goal, failure: impl FnOnce(&Self) -> String) -> bool {
        // Most ends are covered as they are.
        if let Left::Nothing = self.left(goal) {
            self.record(goal);
            return true;
        }
        let proved = WAYS.iter().any(|&(by, parts)| {
            self.parts = parts;
            let mark = self.path.mark();
            let proved = self.trial.found.is_none() && self.prove_part(goal, by, &mut vec![]);
            self.path.back_to(mark);
            proved
        });
        if !proved && self.reason.is_empty() {
            self.reason = failure(self);
        }
        proved
    }

    /// `split`: the versions by which parts were divided.
    fn prove_part(&mut self, goal: Goal, by: By, split: &mut Vec<VersionId>) -> bool {
        if self.parts == 0 || self.is_interrupted() {
            return false;
        }
        self.parts -= 1;
        if !self.propagate(split.is_empty()) {
            return true;
        }
        let (version, parts) = match self.left(goal) {
            Left::Nothing => {
                self.record(goal);
                return true;
            }
            Left::Apart(version, numbers) => (version, self.apart(version, &numbers)),
            Left::Exclude => {
                if self.refute() {
                    return false;
                }
                let Some(unsettled) = self.unsettled(by, split) else { return false };
                unsettled
            }
        };
        split.push(version);
        let proved = parts.into_iter().filter(|part| !part.is_empty()).all(|part| {
            let mark = self.path.mark();
            self.path.narrow(version, part);
            let proved = grow(|| self.prove_part(goal, by, split));
            self.path.back_to(mark);
            proved
        });
        split.pop();
        proved
    }

    /// Whether it can be shown with little effort that no state comes here. That there may be one is never wrong.
    pub fn is_nothing_there(&mut self) -> bool {
        if self.unsettled(By::All, &[]).is_none() {
            return false;
        }
        let (mark, parts) = (self.path.mark(), std::mem::replace(&mut self.parts, FEW_PARTS));
        let is_nothing = self.prove_part(Goal::Never, By::All, &mut vec![]);
        self.path.back_to(mark);
        self.parts = parts;
        // A trial was no claim.
        self.trial.found = None;
        is_nothing
    }

    fn left(&self, goal: Goal) -> Left {
        match goal {
            Goal::Never => Left::Exclude,
            Goal::Among(version, numbers) => self.left_of_set(version, numbers),
            Goal::Covered => match self.left_of_claims() {
                Left::Nothing => match self.cover.covers(&self.path) {
                    Covered::Yes(_) => Left::Nothing,
                    Covered::Outside => Left::Exclude,
                    Covered::Partly(version, numbers) => Left::Apart(version, numbers),
                },
                left => left,
            },
        }
    }

    /// In words, why the end of a path is not known to be in the invariant.
    pub fn what_is_left(&self) -> String {
        let is_it = |source: &SourceId, version| self.path.current(*source) == version;
        match self.left(Goal::Covered) {
            Left::Apart(version, numbers) => {
                let source = self.sources.variables().find(|source| is_it(source, version));
                let name = source.map_or("something", |source| &self.program.variables[source.index()].name);
                let values = self.path.values(version);
                format!("a step may lead out of the invariant: {name} may be in {values}, not only in {numbers}")
            }
            _ => "a step may lead out of the invariant".into(),
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
    fn unsettled(&self, by: By, split: &[VersionId]) -> Option<(VersionId, [NumberSet; 2])> {
        match by {
            By::Definitions => self.unsettled_definition(Some(&self.sources_of(split))),
            By::Conditions => self.unsettled_condition(Some(&self.sources_of(split))),
            // Both may be the reason, and neither is known to be.
            By::All if split.len().is_multiple_of(2) => {
                self.unsettled_condition(None).or_else(|| self.unsettled_definition(None))
            }
            By::All => self.unsettled_definition(None).or_else(|| self.unsettled_condition(None)),
        }
    }

    /// Some versions, the operands that they were computed from, and so on; if there are none, all.
    fn sources_of(&self, versions: &[VersionId]) -> FxHashSet<VersionId> {
        let mut found = FxHashSet::default();
        let mut pending = if versions.is_empty() { self.path.computed().to_vec() } else { versions.to_vec() };
        while let Some(version) = pending.pop() {
            if found.insert(version) {
                let definition = self.path.definition(version);
                pending.extend(definition.iter().flat_map(|definition| &definition.reads).map(|(_, read)| *read));
            }
        }
        found
    }

    /// The halves of something that a version was computed from, which is known to have fewer numbers than its
    /// expression gives.
    fn unsettled_definition(&self, among: Option<&FxHashSet<VersionId>>) -> Option<(VersionId, [NumberSet; 2])> {
        let share = |&version: &VersionId| {
            let definition = self.path.definition(version)?;
            let (known, image) = (self.path.values(version).count(), self.image(definition).count());
            (known < image).then(|| (known as f64 / image as f64, definition))
        };
        let asked = |version: &&VersionId| among.is_none_or(|among| among.contains(*version));
        let open = self.path.computed().iter().filter(asked).filter_map(share);
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
    fn unsettled_condition(&self, among: Option<&FxHashSet<VersionId>>) -> Option<(VersionId, [NumberSet; 2])> {
        let asked = |(id, time): &&(ConditionId, Time)| among.is_none_or(|among| self.is_about(*id, *time, among));
        let open = self.path.open().iter().filter(|(id, time)| self.truth(*id, *time) == Truth::Open).filter(asked);
        let alternatives = |(id, time): &&(ConditionId, Time)| match &**self.conditions.get(*id) {
            Condition::Any(list) => list.iter().filter(|&&one| self.truth(one, *time) == Truth::Open).count(),
            _ => 1,
        };
        let &(id, time) = open.min_by_key(alternatives)?;
        self.unsettled_part(id, time)
    }

    /// Whether a condition reads one of some versions.
    fn is_about(&self, id: ConditionId, time: Time, versions: &FxHashSet<VersionId>) -> bool {
        let is_one = |source: &SourceId| versions.contains(&self.path.version(*source, time));
        match &**self.conditions.get(id) {
            Condition::Always | Condition::Never => false,
            Condition::Member { source, .. } => is_one(source),
            Condition::Joint { sources, .. } => sources.iter().any(is_one),
            Condition::All(list) | Condition::Any(list) => {
                list.iter().any(|&one| grow(|| self.is_about(one, time, versions)))
            }
        }
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
