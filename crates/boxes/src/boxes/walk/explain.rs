//! Why guards fail: reasons that hold for all states of a box, chosen so that few variables explain many guards.

use rustc_hash::FxHashMap;

use super::{Context, Demand, Path, Truth, Walk};
use crate::boxes::guards::{Slot, Test, TestId};
use crate::boxes::preimage::{Pull, Source, Version};
use crate::boxes::sets::{SetId, Sets};
use crate::boxes::step::StepContext;
use crate::program::PropertyId;

impl Walk<'_, '_> {
    /// The demands by which a test keeps its truth value.
    pub(super) fn against(&mut self, context: &Context, id: TestId, truth: bool) -> Vec<Demand> {
        let mut demands = vec![];
        self.collect(context, id, truth, &mut demands);
        demands
    }

    fn collect(&mut self, context: &Context, id: TestId, truth: bool, demands: &mut Vec<Demand>) {
        match self.step.tests.get(id).clone() {
            Test::Always(_) => {}
            Test::In(slot, set) => {
                if self.tied(slot).is_none() {
                    let set = if truth { set } else { self.step.sets.complement(set) };
                    demands.push(Demand::In(slot, self.versions[slot.index()], set));
                }
            }
            Test::Is(expr, value) => {
                let set = self.step.sets.one(i32::from(value == truth));
                demands.push(Demand::Is(expr, self.reads(expr), set));
            }
            Test::All(parts) if truth => parts.iter().for_each(|&part| self.collect(context, part, true, demands)),
            Test::Any(parts) if !truth => parts.iter().for_each(|&part| self.collect(context, part, false, demands)),
            // One part is enough: the shortest.
            Test::All(parts) | Test::Any(parts) => {
                let wanted = if truth { Truth::True } else { Truth::False };
                let mut best: Option<Vec<Demand>> = None;
                for part in parts {
                    if self.test(context, part) != wanted {
                        continue;
                    }
                    let mut some = vec![];
                    self.collect(context, part, truth, &mut some);
                    if self.are_met(&some) {
                        return;
                    }
                    if best.as_ref().is_none_or(|best| some.len() < best.len()) {
                        best = Some(some);
                    }
                }
                demands.extend(best.into_iter().flatten());
            }
        }
    }

    /// Whether demands are met by all states of the box that come here.
    pub(super) fn are_met(&mut self, demands: &[Demand]) -> bool {
        demands.iter().all(|demand| match demand {
            Demand::In(slot, version, set) => self.is_met(*slot, *version, *set),
            Demand::Is(..) => false,
        })
    }

    fn is_met(&mut self, slot: Slot, version: Version, set: SetId) -> bool {
        if version == 0 {
            let known = self.step.sets.meet(self.facts[slot.index()], self.conditions[slot.index()]);
            return self.step.sets.is_subset(known, set);
        }
        match self.trace[version as usize - 1].source {
            Source::Constant | Source::Input(_) => true,
            Source::Computed(..) | Source::Assumed(..) => {
                let range = self.pull(|pull| pull.range_at(slot, version));
                self.step.sets.includes(set, &range)
            }
        }
    }

    /// Whether a test that fails for the representative does so for all others already.
    pub(super) fn fails_anyway(&mut self, context: &Context, id: TestId) -> bool {
        match self.step.tests.get(id).clone() {
            Test::Always(value) => !value,
            Test::In(slot, set) => {
                let set = self.step.sets.complement(set);
                self.tied(slot).is_some() || self.is_met(slot, self.versions[slot.index()], set)
            }
            Test::Is(..) => false,
            Test::All(parts) => {
                let mut parts = parts.iter();
                parts.any(|&part| self.test(context, part) == Truth::False && self.fails_anyway(context, part))
            }
            Test::Any(parts) => parts.iter().all(|&part| self.fails_anyway(context, part)),
        }
    }

    /// Whether a test fails because of counters alone.
    pub(super) fn only_counters(&mut self, context: &Context, id: TestId) -> bool {
        match self.step.tests.get(id).clone() {
            Test::Always(_) => false,
            Test::In(slot, _) => self.step.is_counter[slot.index()],
            Test::Is(expr, _) => self.leaves(expr).any(|slot| self.step.is_counter[slot.index()]),
            Test::All(parts) => {
                let mut parts = parts.iter();
                parts.all(|&part| self.test(context, part) != Truth::False || self.only_counters(context, part))
            }
            Test::Any(parts) => parts.iter().any(|&part| self.only_counters(context, part)),
        }
    }

    fn pull<T>(&mut self, work: impl FnOnce(&mut Pull) -> T) -> T {
        let Walk { step, facts, trace, start, conditions, .. } = self;
        let StepContext { program, sets, head, cells, .. } = &mut **step;
        let known = |sets: &Sets, slot: Slot| {
            let in_box = sets.values(facts[slot.index()], &head[slot.index()]);
            sets.values(conditions[slot.index()], &in_box)
        };
        let mut pull = Pull { program, sets, trace, start, cells, known: &known, facts: vec![], is_stuck: false };
        let result = work(&mut pull);
        let new = pull.facts;
        self.found.is_stuck |= pull.is_stuck;
        for (slot, set) in new {
            // Conditions of the guards on the path need not be stated again.
            if !self.step.sets.is_subset(self.conditions[slot.index()], set) {
                self.facts[slot.index()] = self.step.sets.meet(self.facts[slot.index()], set);
            }
        }
        result
    }

    pub(super) fn meet_demands(&mut self, demands: &[Demand]) {
        self.pull(|pull| demands.iter().for_each(|demand| pull.meet(demand)));
    }

    /// A path that no run is known to take has reached a label: it must not be possible.
    pub(super) fn exclude(&mut self, context: &Context, property: PropertyId) {
        let sets = &mut self.step.sets;
        let applying = context.forks.iter().rev().filter(|fork| fork.applies(&context.inputs, sets));
        let applying: Vec<&[Demand]> = applying.map(|fork| &fork.against[..]).collect();
        match applying.into_iter().find(|against| !self.step.uses_counter(against)) {
            Some(against) => {
                // The guards on this path must not be used against it.
                let any = vec![self.step.sets.any(); self.conditions.len()];
                let conditions = std::mem::replace(&mut self.conditions, any);
                self.meet_demands(against);
                self.conditions = conditions;
            }
            None => self.step.suspend(property),
        }
    }

    /// A test fails for the representative; it must for all others.
    pub(super) fn blame(&mut self, context: &Context, id: TestId, label: Option<PropertyId>) {
        let parts = match self.step.tests.get(id).clone() {
            Test::Always(_) => return,
            Test::Any(parts) => return parts.iter().for_each(|&part| self.blame(context, part, label)),
            Test::All(parts) => parts,
            Test::In(..) | Test::Is(..) => [id].into(),
        };
        // Reasons in the state before the step, and all others.
        let (mut direct, mut others) = (vec![], vec![]);
        for part in parts {
            if self.test(context, part) != Truth::False {
                continue;
            }
            if self.fails_anyway(context, part) {
                return;
            }
            match *self.step.tests.get(part) {
                Test::In(slot, _) if self.step.is_counter[slot.index()] => {}
                Test::In(slot, set) if self.versions[slot.index()] == 0 => {
                    direct.push((slot, self.step.sets.complement(set)));
                }
                _ => others.push(part),
            }
        }
        match (direct.is_empty(), others.first(), label) {
            (true, None, Some(label)) => self.step.suspend(label),
            // Rules that hang on counters alone are followed, not explained.
            (true, None, None) => self.found.is_stuck = true,
            (_, _, Some(label)) if self.assigned > 0 => self.check_later(label, &direct, &others),
            (false, _, _) => self.obligations.push(direct),
            (true, Some(&other), _) => self.explain_by(context, other, label),
        }
    }

    /// Leaves it to the box that the way leads to why a guard fails.
    fn check_later(&mut self, label: PropertyId, direct: &[(Slot, SetId)], others: &[TestId]) {
        let mut reasons: Vec<(Slot, Version, SetId)> = direct.iter().map(|&(slot, set)| (slot, 0, set)).collect();
        for &part in others {
            if let &Test::In(slot, set) = self.step.tests.get(part) {
                reasons.push((slot, self.versions[slot.index()], self.step.sets.complement(set)));
            }
        }
        match reasons.is_empty() {
            false => self.checks.push((label, reasons)),
            true => self.step.suspend(label),
        }
    }

    /// The run ends here, so that no other box will say why guards on the way fail.
    pub(super) fn settle_checks(&mut self) {
        for (label, reasons) in self.checks.clone() {
            // The statement that ended the run may be a reason, too.
            let mut is_met = |&(slot, version, set): &(Slot, Version, SetId)| self.is_met(slot, version, set);
            if reasons.iter().any(&mut is_met) || !self.step.is_excluded(label) {
                continue;
            }
            let direct = reasons.iter().filter(|reason| reason.1 == 0).map(|&(slot, _, set)| (slot, set));
            let direct: Vec<(Slot, SetId)> = direct.collect();
            match (direct.is_empty(), reasons.first()) {
                (false, _) => self.obligations.push(direct),
                (true, Some(&(slot, version, set))) => self.meet_demands(&[Demand::In(slot, version, set)]),
                (true, None) => {}
            }
        }
    }

    fn explain_by(&mut self, context: &Context, part: TestId, label: Option<PropertyId>) {
        match self.step.tests.get(part) {
            Test::Any(_) | Test::All(_) => self.blame(context, part, label),
            _ => {
                let demands = self.against(context, part, false);
                self.meet_demands(&demands);
            }
        }
    }

    /// Chooses, for every guard that must fail, a reason: the variable that explains most of them, again and again.
    pub(super) fn explain(&mut self) {
        let mut obligations = std::mem::take(&mut self.obligations);
        let Walk { step, facts, .. } = self;
        let sets = &mut step.sets;
        loop {
            obligations.retain(|reasons| !reasons.iter().any(|&(slot, set)| sets.is_subset(facts[slot.index()], set)));
            let mut count = FxHashMap::<Slot, usize>::default();
            for (slot, _) in obligations.iter().flatten() {
                *count.entry(*slot).or_default() += 1;
            }
            let best = count.iter().max_by_key(|&(slot, count)| (*count, std::cmp::Reverse(*slot)));
            let Some((&best, _)) = best else { return };
            for &(slot, set) in obligations.iter().flatten().filter(|(slot, _)| *slot == best) {
                facts[slot.index()] = sets.meet(facts[slot.index()], set);
            }
        }
    }

    /// Forgets ways that the facts of the box exclude by now.
    pub(super) fn drop_excluded(&mut self) {
        for path in std::mem::take(&mut self.found.paths) {
            self.trace.clone_from(&path.trace);
            if !self.is_excluded(&path) {
                self.found.paths.push(path);
            }
        }
    }

    fn is_excluded(&mut self, path: &Path) -> bool {
        if path.real.is_some() {
            return false;
        }
        let sets = &mut self.step.sets;
        let fork = path.forks.iter().rev().find(|fork| fork.applies(&path.inputs, sets));
        fork.is_some_and(|fork| self.are_met(&fork.against))
    }
}
