//! Hits to witnesses: parents are followed back from worker to worker, for all hits at the same time.
//!
//! Each round gives one step of each: the owner of a state tells the state and its predecessor.

use redoubt_exchange::Lost;

use super::hash;
use super::message::{Hit, Message};
use super::worker::Worker;
use crate::program::PropertyId;

/// A way back from a hit.
#[derive(Debug)]
pub struct Trail {
    property: PropertyId,
    /// The layer of the last state.
    layer: usize,
    /// The inputs of the last step.
    last: Vec<i32>,
    /// The hash of the state that comes before those that are known.
    next: u64,
    /// The states that are known, the last one first.
    states: Vec<Vec<i32>>,
}

impl Trail {
    pub fn new(property: usize, layer: usize, hit: Hit) -> Trail {
        let Hit { state: next, inputs: last } = hit;
        Trail { property: PropertyId::new(property), layer, last, next, states: vec![] }
    }

    /// Whether a step is missing after `rounds` rounds.
    fn is_short(&self, rounds: usize) -> bool {
        self.states.len() < rounds.min(self.layer + 1)
    }
}

impl Worker<'_> {
    /// Follows all trails to the first state, and tells about them.
    pub(super) fn follow(&mut self) -> Result<(), Lost> {
        let mut trails = std::mem::take(&mut self.trails);
        let deepest = trails.iter().map(|trail| trail.layer).max();
        for round in 0..deepest.map_or(0, |deepest| deepest + 1) {
            for (number, trail) in trails.iter().enumerate() {
                let is_wanted = round <= trail.layer && !trail.is_short(round);
                if is_wanted && hash::owner(trail.next, self.rounds.peers()) == self.rounds.index() {
                    self.tell_link(number, trail.next);
                }
            }
            self.rounds.end(&mut |message| {
                if let Message::Link { trail, state, parent } = message {
                    trails[trail].states.push(state);
                    trails[trail].next = parent;
                }
            })?;
        }
        for trail in trails {
            if trail.is_short(trail.layer + 1) {
                // Two states with one hash: there is a witness, but the way to it is not known.
                self.unfollowed.push(trail.property);
            } else if self.rounds.is_first_here() {
                self.report(trail);
            }
        }
        Ok(())
    }

    fn tell_link(&mut self, trail: usize, hash: u64) {
        let (inbox, packing) = (&self.inbox, &self.packing);
        let mut state = vec![0; packing.columns()];
        let found = inbox.store.find(hash, |number| {
            packing.unpack(inbox.store.row(number), &mut state);
            hash::of(&state) == hash
        });
        if let Some(number) = found {
            let parent = self.inbox.store.parent(number);
            self.rounds.send_to_all(&Message::Link { trail, state, parent });
        }
    }

    /// The inputs between states are looked for again, as in the single search.
    fn report(&mut self, trail: Trail) {
        let states: Vec<&Vec<i32>> = trail.states.iter().rev().collect();
        let (machine, interrupt) = (&self.shared.ready.machine, &self.shared.options.interrupt);
        let (mut tape, mut frame) = (self.shared.ready.tape.clone(), self.shared.ready.frame.clone());
        let steps = states.windows(2).map(|step| tape.between(step[0], step[1], machine, &mut frame, interrupt));
        // Without all of them the work is to end.
        if let Some(mut inputs) = steps.collect::<Option<Vec<_>>>() {
            inputs.push(trail.last);
            let _ = self.shared.found.send((trail.property, inputs));
        }
    }
}
