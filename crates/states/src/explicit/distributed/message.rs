//! The messages between workers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::outcome::Stop;
use super::super::pack::Ranges;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Message {
    /// Packed states, each behind its hash and the hash of the state that it was found from.
    States(Vec<u64>),
    /// Stop stepping: the search ends with this round.
    Alarm,
    /// The layer goes on after this round.
    More,
    /// The results of a round.
    Summary(Box<Summary>),
    /// The values that the sender has seen.
    Ranges(Ranges),
    /// The state that a trail asked for, and the hash of its parent.
    Link { trail: usize, state: Vec<i32>, parent: u64 },
    /// Packed states, one after the other.
    Rows(Vec<u64>),
}

/// The results of a round for one worker, or for all.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Why it cannot go on.
    pub stop: Option<Stop>,
    /// Whether there are states that do not fit into rows.
    pub has_misfits: bool,
    /// The states of the next layer.
    pub new: usize,
    pub states: usize,
    pub expanded: usize,
    pub steps: u64,
    pub bytes: usize,
    /// By property: whether a process wants to know it. Empty from all but the first worker of each.
    pub wanted: Vec<bool>,
    /// Whether to follow trails now.
    pub follows: bool,
    pub hits: BTreeMap<usize, Hit>,
}

/// A step that reaches a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hit {
    /// The hash of the state before.
    pub state: u64,
    pub inputs: Vec<i32>,
}

impl Summary {
    /// Adds the results of another worker. The sum does not depend on the order.
    pub fn add(&mut self, other: Summary) {
        let Summary { stop, has_misfits, new, states, expanded, steps, bytes, wanted, follows, hits } = other;
        self.stop = self.stop.max(stop);
        self.has_misfits |= has_misfits;
        (self.new, self.states, self.expanded) = (self.new + new, self.states + states, self.expanded + expanded);
        (self.steps, self.bytes) = (self.steps + steps, self.bytes + bytes);
        self.wanted.resize(self.wanted.len().max(wanted.len()), false);
        self.wanted.iter_mut().zip(wanted).for_each(|(wanted, other)| *wanted |= other);
        self.follows |= follows;
        for (property, hit) in hits {
            self.hit(property, hit);
        }
    }

    /// Of several hits the one from the least state counts, and of those from one state the first.
    pub fn hit(&mut self, property: usize, hit: Hit) {
        let known = self.hits.entry(property).or_insert_with(|| hit.clone());
        if hit.state < known.state {
            *known = hit;
        }
    }
}
