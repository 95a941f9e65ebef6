//! The demands of edges on the boxes that they come from.
//!
//! An edge must lead all states of its box into the box at its end. A variable that the step leaves alone must be in
//! its set already; one that was computed hands the demand to its operands. Where these are numbers that are only
//! ordered, binding them would tell states apart that nothing else does. The edge is split instead: it goes on for
//! those that compute a number in the set, and another one, with a number that is *assumed*, for those that do not.
//! There may be none of them; if the assumption leads to a forbidden state, it is excluded.

use super::{Edge, EdgeId, Graph, NodeId, Status};
use crate::boxes::guards::Slot;
use crate::boxes::preimage::{Demand, Entry, Pull, Source, Version};
use crate::boxes::sets::{SetId, Sets};
use crate::boxes::step::StepContext;
use crate::boxes::values::{evaluate, slot_of};
use crate::boxes::walk::Fork;
use crate::program::PropertyId;

impl Graph<'_> {
    /// Which value of a variable an edge leaves to the next step.
    pub(super) fn version(&self, edge: EdgeId, slot: Slot) -> Version {
        let changes = &self.edges[edge.index()].changes;
        changes.binary_search_by_key(&slot, |change| change.0).map_or(0, |at| changes[at].1)
    }

    pub(super) fn value(&self, edge: EdgeId, slot: Slot, version: Version) -> i32 {
        let edge = &self.edges[edge.index()];
        match version {
            0 => self.nodes[edge.from.index()].state[slot.index()],
            _ => edge.trace[version as usize - 1].value,
        }
    }

    fn entry(&self, edge: EdgeId, version: Version) -> &Entry {
        &self.edges[edge.index()].trace[version as usize - 1]
    }

    /// Works on the trace of an edge, with the facts about the states that take it.
    fn pull<T>(&mut self, id: EdgeId, work: impl FnOnce(&mut Pull) -> T) -> (T, Vec<(Slot, SetId)>, bool) {
        self.effort += 1;
        let Graph { step, nodes, edges, .. } = self;
        let StepContext { program, sets, head, cells, .. } = step;
        let edge = &edges[id.index()];
        let node = &nodes[edge.from.index()];
        let known = |sets: &Sets, slot: Slot| {
            let in_box = sets.values(node.facts[slot.index()], &head[slot.index()]);
            condition(edge, slot).map_or_else(|| in_box.clone(), |set| sets.values(set, &in_box))
        };
        let (trace, start) = (&edge.trace, &node.state);
        let mut pull = Pull { program, sets, trace, start, cells, known: &known, facts: vec![], is_stuck: false };
        let result = work(&mut pull);
        (result, pull.facts, pull.is_stuck)
    }

    /// Whether an edge leads into a set without any new demand.
    fn is_met(&mut self, id: EdgeId, slot: Slot, version: Version, set: SetId) -> bool {
        if version == 0 {
            let edge = &self.edges[id.index()];
            let mut known = self.nodes[edge.from.index()].facts[slot.index()];
            if let Some(set) = condition(edge, slot) {
                known = self.step.sets.meet(known, set);
            }
            return self.step.sets.is_subset(known, set);
        }
        let entry = &self.edges[id.index()].trace[version as usize - 1];
        let within = entry.within;
        if matches!(entry.source, Source::Constant) {
            return self.step.sets.contains(set, entry.value);
        }
        if self.step.sets.is_subset(within, set) {
            return true;
        }
        let (range, _, _) = self.pull(id, |pull| pull.range_at(slot, version));
        self.step.sets.includes(set, &range)
    }

    /// Demands of an edge that it leads into the set of a variable in its box.
    pub(super) fn demand(&mut self, id: EdgeId, slot: Slot) {
        let edge = &self.edges[id.index()];
        let (from, to) = (edge.from, edge.to);
        let version = self.version(id, slot);
        if version == 0 && from == to {
            return;
        }
        let set = self.nodes[to.index()].facts[slot.index()];
        self.demand_in(id, slot, version, set);
    }

    fn demand_in(&mut self, id: EdgeId, slot: Slot, version: Version, set: SetId) {
        if self.edges[id.index()].is_gone || self.is_met(id, slot, version, set) {
            return;
        }
        if self.edges[id.index()].is_soft {
            return self.loosen(id);
        }
        if version == 0 {
            let from = self.edges[id.index()].from;
            return self.add(from, slot, set);
        }
        if self.is_open(id, version) && !self.pull(id, |pull| pull.can_bind(version, set)).0 {
            return self.split(id, slot, version, set);
        }
        let ((), facts, is_stuck) = self.pull(id, |pull| pull.demand(slot, version, set));
        self.is_stuck |= is_stuck;
        self.add_facts(id, facts);
    }

    /// Facts about the states that take an edge. Conditions of its guards need not be stated again.
    fn add_facts(&mut self, id: EdgeId, facts: Vec<(Slot, SetId)>) {
        for (slot, set) in facts {
            let edge = &self.edges[id.index()];
            let (from, condition) = (edge.from, condition(edge, slot));
            if !condition.is_some_and(|condition| self.step.sets.is_subset(condition, set)) {
                self.add(from, slot, set);
            }
        }
    }

    /// Whether the operands of a value are better left open than bound.
    fn is_open(&self, id: EdgeId, version: Version) -> bool {
        match &self.entry(id, version).source {
            Source::Assumed(..) => true,
            Source::Computed(_, reads) => reads.iter().any(|&(slot, version)| match version {
                0 => self.step.cells.is_ranged(slot) || self.step.is_counter[slot.index()],
                _ => self.is_open(id, version),
            }),
            Source::Constant | Source::Input(_) => false,
        }
    }

    /// Lets an edge stand for those states only that compute a value in a set, and makes another for the others.
    fn split(&mut self, id: EdgeId, slot: Slot, version: Version, set: SetId) {
        let (range, _, _) = self.pull(id, |pull| pull.range_at(slot, version));
        let sets = &mut self.step.sets;
        // Other numbers may not occur only because the checks behind the assignment end the run.
        let is_final = self.edges[id.index()].checks.is_empty();
        let range = if is_final { sets.values(self.step.base[slot.index()], &range) } else { range };
        let entry = &mut self.edges[id.index()].trace[version as usize - 1];
        let outside = sets.complement(set);
        let rest = sets.meet(entry.within, outside);
        entry.within = sets.meet(entry.within, set);
        if !sets.contains(entry.within, entry.value) {
            self.is_stuck = true;
            return;
        }
        let other = sets.intervals(rest).iter().find_map(|&(low, high)| range.within(low, high).bounds());
        let Some((value, _)) = other else { return };
        let trace = self.assume(id, version, value, rest);
        let edge = &self.edges[id.index()];
        let mut assumed = edge.assumed.clone();
        assumed.push((version, rest));
        let sibling = Edge {
            from: edge.from,
            to: edge.from,
            trace,
            origin: edge.origin.clone(),
            assumed,
            changes: edge.changes.clone(),
            conditions: edge.conditions.clone(),
            checks: edge.checks.clone(),
            forks: edge.forks.clone(),
            inputs: edge.inputs.clone(),
            real: None,
            is_soft: edge.is_soft,
            is_gone: false,
        };
        self.bytes += 32 * sibling.trace.len() + 256;
        self.loose.push_back(EdgeId::new(self.edges.len()));
        self.edges.push(sibling);
    }

    /// The trace of an edge with another value at one place, and with its consequences.
    fn assume(&self, id: EdgeId, version: Version, value: i32, within: SetId) -> Vec<Entry> {
        let edge = &self.edges[id.index()];
        let start = &self.nodes[edge.from.index()].state;
        let mut trace = edge.trace.clone();
        let entry = &mut trace[version as usize - 1];
        (entry.value, entry.within) = (value, within);
        if let Source::Computed(expr, reads) = entry.source.clone() {
            entry.source = Source::Assumed(expr, reads);
        }
        let mut affected = vec![version];
        for at in version as usize..trace.len() {
            let Source::Computed(expr, reads) = trace[at].source.clone() else { continue };
            if !reads.iter().any(|read| affected.contains(&read.1)) {
                continue;
            }
            affected.push(at as Version + 1);
            let program = self.step.program;
            let value = evaluate(program, expr, &|leaf| {
                let slot = slot_of(program, leaf);
                let read = reads.iter().find(|read| read.0 == slot).expect("a trace has what is read");
                if read.1 == 0 { start[slot.index()] } else { trace[read.1 as usize - 1].value }
            });
            // The condition was about another value.
            trace[at].within = self.step.sets.any();
            trace[at].value = value;
            // A value that the variable cannot have stands for one that it can.
            let slot = edge.changes.iter().find(|change| change.1 as usize == at + 1).map(|change| change.0);
            if let Some(possible) = slot.and_then(|slot| self.nearest(slot, value))
                && possible != value
            {
                trace[at].value = possible;
                trace[at].source = Source::Assumed(expr, reads);
            }
        }
        trace
    }

    fn nearest(&self, slot: Slot, value: i32) -> Option<i32> {
        let possible = self.step.sets.intervals(self.step.base[slot.index()]).iter();
        possible.map(|&(low, high)| value.clamp(low, high)).min_by_key(|near| near.abs_diff(value))
    }

    /// Whether the guard of a label that an edge passes fails for a reason that is known already, be it that of the box which
    /// it leads to.
    fn is_checked(&mut self, id: EdgeId, to: NodeId, at: usize) -> bool {
        let checks = self.edges[id.index()].checks.clone();
        let (label, reasons) = &checks[at];
        if !self.step.is_excluded(*label) {
            return true;
        }
        reasons.iter().any(|&(slot, version, set)| {
            let there = self.nodes[to.index()].facts[slot.index()];
            // Facts about all states do not count: they may hold because the label ends all other runs.
            let is_demanded = self.nodes[to.index()].constrained.contains(&slot);
            let is_last = version == self.version(id, slot) && is_demanded;
            is_last && self.step.sets.is_subset(there, set) || self.is_met(id, slot, version, set)
        })
    }

    /// Sees to it that the guards of labels that an edge passes fail.
    pub(super) fn check(&mut self, id: EdgeId, to: NodeId) {
        for at in 0..self.edges[id.index()].checks.len() {
            if self.edges[id.index()].is_gone || self.is_checked(id, to, at) {
                continue;
            }
            let checks = self.edges[id.index()].checks.clone();
            let (label, reasons) = &checks[at];
            let age = &self.nodes[self.edges[id.index()].from.index()].age;
            let holding = reasons.iter().filter(|&&(slot, version, set)| {
                let value = self.value(id, slot, version);
                self.step.sets.contains(set, value)
            });
            // A recent assignment concerns the fewest boxes before this one.
            match holding.min_by_key(|(slot, version, _)| (*version != 0, age[slot.index()])) {
                Some(&(slot, version, set)) => self.demand_in(id, slot, version, set),
                None => self.exclude(id, *label),
            }
        }
    }

    /// An edge must not be possible.
    pub(super) fn exclude(&mut self, id: EdgeId, label: PropertyId) {
        let edge = &mut self.edges[id.index()];
        edge.is_gone = true;
        let from = edge.from;
        if self.nodes[from.index()].status == Status::Gone {
            return;
        }
        if edge.real.is_some() && edge.assumed.is_empty() {
            if self.nodes[from.index()].is_real {
                // A run leads here after all, by another way than was known; the walk from there would have said so.
                self.is_stuck = true;
                return;
            }
            return self.kill(from, label);
        }
        let against = self.against(id);
        match against {
            Some(against) => self.forbid(id, &against),
            None => self.step.suspend(label),
        }
    }

    /// Adds facts that keep all states from taking an edge.
    fn forbid(&mut self, id: EdgeId, against: &[Demand]) {
        let Graph { step, nodes, edges, .. } = self;
        let StepContext { program, sets, head, cells, .. } = step;
        let edge = &mut edges[id.index()];
        edge.is_gone = true;
        let from = edge.from;
        let node = &nodes[from.index()];
        // The guards on this path must not be used against it.
        let known = |sets: &Sets, slot: Slot| sets.values(node.facts[slot.index()], &head[slot.index()]);
        let (trace, start) = (&edge.origin, &node.state);
        let mut pull = Pull { program, sets, trace, start, cells, known: &known, facts: vec![], is_stuck: false };
        against.iter().for_each(|demand| pull.meet(demand));
        let (facts, is_stuck) = (pull.facts, pull.is_stuck);
        self.is_stuck |= is_stuck;
        facts.into_iter().for_each(|(slot, set)| self.add(from, slot, set));
    }

    /// Demands that would exclude an edge that the representative does not take: the latest assumption that it does not
    /// share, or the latest decision that it takes the other way.
    fn against(&mut self, id: EdgeId) -> Option<Vec<Demand>> {
        let edge = &self.edges[id.index()];
        let sets = &mut self.step.sets;
        let foreign = edge.assumed.iter().rev();
        let mut foreign =
            foreign.filter(|&&(version, rest)| !sets.contains(rest, edge.origin[version as usize - 1].value));
        if let Some(&(version, rest)) = foreign.next() {
            let Source::Assumed(expr, reads) = &edge.trace[version as usize - 1].source else { return None };
            let (expr, reads) = (*expr, reads.clone());
            let against = vec![Demand::Is(expr, reads, sets.complement(rest))];
            return (!self.step.uses_counter(&against)).then_some(against);
        }
        let applying: Vec<&Fork> = edge.forks.iter().rev().filter(|fork| fork.applies(&edge.inputs, sets)).collect();
        applying.into_iter().map(|fork| &fork.against).find(|against| !self.step.uses_counter(against)).cloned()
    }

    /// Finds a box for a rule that may as well not fire, or excludes that it does.
    pub(super) fn settle(&mut self, id: EdgeId) {
        let edge = &self.edges[id.index()];
        if edge.is_gone || self.nodes[edge.from.index()].status != Status::Open {
            return;
        }
        let soft = edge.forks.iter().find(|fork| fork.is_soft);
        let against = soft.expect("a soft edge has a soft fork").against.clone();
        let is_excluded = against.iter().all(|demand| {
            let facts = &self.nodes[self.edges[id.index()].from.index()].facts;
            matches!(demand, Demand::In(slot, 0, set) if self.step.sets.is_subset(facts[slot.index()], *set))
        });
        if is_excluded {
            self.edges[id.index()].is_gone = true;
            return;
        }
        let state = self.target(id);
        for to in self.open.clone() {
            if self.contains(to, &state) && self.is_free(id, to) {
                self.edges[id.index()].to = to;
                self.nodes[to.index()].incoming.push(id);
                return;
            }
        }
        self.forbid(id, &against);
    }

    /// Whether an edge may lead into a box without any new demand.
    fn is_free(&mut self, id: EdgeId, to: NodeId) -> bool {
        for slot in self.nodes[to.index()].constrained.clone() {
            let version = self.version(id, slot);
            let set = self.nodes[to.index()].facts[slot.index()];
            let stays = version == 0 && self.edges[id.index()].from == to;
            if !stays && !self.is_met(id, slot, version, set) {
                return false;
            }
        }
        (0..self.edges[id.index()].checks.len()).all(|at| self.is_checked(id, to, at))
    }
}

/// The condition of an edge's guards on a variable before the step.
fn condition(edge: &Edge, slot: Slot) -> Option<SetId> {
    let at = edge.conditions.binary_search_by_key(&slot, |entry| entry.0).ok()?;
    Some(edge.conditions[at].1)
}
