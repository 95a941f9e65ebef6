//! The search with the states of a layer divided among threads. They make the steps and look which states are known;
//! the search adds the new ones by itself, in the order in which it would have found them. So the numbers of states,
//! witnesses and everything else are those of the search on one thread.

use super::inputs::{LOOK_AROUND, Tape};
use super::outcome::{SearchVerdict, Stop};
use super::pack::{Changed, TooNarrow};
use super::search::Search;
use super::store::{Batch, hash};
use crate::base::threads::map;
use crate::program::PropertyId;

/// The number of states that one thread steps from at a time, and the number of such pieces before new states are
/// added.
pub(super) const PIECE: usize = 64;
const PIECES: usize = 64;

/// The data that a thread has for itself.
struct Hand {
    tape: Tape,
    frame: Vec<i32>,
    /// The state that is stepped from, also packed, and the one that a step led to.
    state: Vec<i32>,
    state_row: Vec<u64>,
    next_row: Vec<u64>,
}

/// The results of steps from some states.
struct Harvest {
    /// States that are not known.
    new: Batch<u32>,
    /// Properties that were reached, each once: from which state, and by which inputs.
    hits: Vec<(PropertyId, usize, Vec<i32>)>,
    steps: u64,
    /// The first state that the steps were not made from, or not all of them: there is no room for a value in a row, or the work
    /// is to end.
    end: usize,
}

/// Not all steps from a state were made.
struct Cut;

impl From<TooNarrow> for Cut {
    fn from(_: TooNarrow) -> Cut {
        Cut
    }
}

impl Search<'_> {
    /// Steps from states of a layer that ends at this one, if there are many of them and threads to divide them among; whether it did.
    pub(super) fn expand_together(
        &mut self,
        layer_end: usize,
        report: &mut dyn FnMut(PropertyId, SearchVerdict),
    ) -> Result<bool, Stop> {
        let first = self.statistics.expanded;
        let end = layer_end.min(first + PIECE * PIECES);
        let pieces: Vec<usize> = (first..end).step_by(PIECE).collect();
        let threads = self.options.threads.borrow(pieces.len().saturating_sub(1));
        if threads.count() == 0 || !self.tape.is_possible() {
            return Ok(false);
        }
        self.look_around()?;
        self.store.add(&mut self.batch)?;
        let search = &*self;
        let hands = (0..=threads.count()).map(|_| search.hand()).collect();
        let harvests = map(hands, &pieces, |hand, &piece| search.harvest(hand, piece, end.min(piece + PIECE)));
        drop(threads);
        for (piece, harvest) in pieces.into_iter().zip(harvests) {
            let Harvest { mut new, hits, steps, end: reaped } = harvest;
            let piece_end = end.min(piece + PIECE);
            if self.options.steps.is_some_and(|most| self.statistics.steps + steps >= most) {
                // The last steps are counted one by one.
                return self.expand_up_to(piece_end, report).map(|()| true);
            }
            self.statistics.steps += steps;
            for (property, parent, last) in hits {
                self.reach(property, parent, last, report)?;
            }
            if self.open.left == 0 {
                return Err(Stop::Decided);
            }
            self.store.add(&mut new)?;
            self.statistics.expanded = reaped;
            if reaped < piece_end {
                // The findings of the others do not fit into the new rows.
                return self.expand_up_to(reaped + 1, report).map(|()| true);
            }
        }
        Ok(true)
    }

    fn hand(&self) -> Hand {
        let row = vec![0; self.packing.words];
        let (tape, frame) = (self.tape.clone(), self.frame.clone());
        Hand { tape, frame, state: self.state.clone(), state_row: row.clone(), next_row: row }
    }

    /// Steps from some states on all inputs.
    fn harvest(&self, hand: &mut Hand, first: usize, end: usize) -> Harvest {
        let mut harvest = Harvest { new: Batch::new(), hits: vec![], steps: 0, end };
        let mut found = Batch::new();
        for parent in first..end {
            let before = harvest.steps;
            if self.harvest_one(hand, parent, &mut harvest, &mut found).is_err() {
                (harvest.steps, harvest.end) = (before, parent);
                break;
            }
        }
        self.store.sift(&mut found, &mut harvest.new);
        harvest
    }

    fn harvest_one(
        &self,
        hand: &mut Hand,
        parent: usize,
        harvest: &mut Harvest,
        found: &mut Batch<u32>,
    ) -> Result<(), Cut> {
        let Hand { tape, frame, state, state_row, next_row } = hand;
        state_row.copy_from_slice(self.store.row(parent));
        self.packing.unpack(state_row, state);
        tape.start(frame);
        loop {
            if harvest.steps.is_multiple_of(LOOK_AROUND) && self.options.interrupt.is_raised() {
                return Err(Cut);
            }
            harvest.steps += 1;
            frame[..state.len()].copy_from_slice(state);
            let status = self.machine.run(frame);
            if self.machine.may_reach(status) {
                for property in self.machine.take_reached(status, frame) {
                    if self.open.wants(property) && harvest.hits.iter().all(|hit| hit.0 != property) {
                        harvest.hits.push((property, parent, tape.values(frame).to_vec()));
                    }
                }
            }
            if status == 0
                && self.packing.pack_changes(state, state_row, &frame[..state.len()], next_row)? == Changed(true)
            {
                found.add(next_row, hash(next_row), parent as u32);
                if found.is_full() {
                    self.store.sift(found, &mut harvest.new);
                }
            }
            if !tape.advance(frame) {
                return Ok(());
            }
        }
    }
}
