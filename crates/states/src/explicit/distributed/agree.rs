//! Agreements of workers between two layers: on the results, on the packing of states, and in the end on all states
//! together.

use std::sync::atomic::Ordering;

use redoubt_exchange::Lost;

use super::hash;
use super::message::{Message, Summary};
use super::sent::Sent;
use super::worker::{PARCEL, Worker};
use crate::explicit::MOST_KEPT;
use crate::explicit::outcome::Stop;
use crate::explicit::pack::{Packing, Ranges};
use crate::explicit::search::MANY;

/// Following trails may take this part of the time.
const FOLLOWING: u32 = 5;

impl Worker<'_> {
    /// Says how the round went, and hears how it went for all.
    pub(super) fn tell(&mut self) -> Result<(), Lost> {
        let (store, options) = (&self.inbox.store, self.shared.options);
        self.own.has_misfits = !self.misfits.is_empty();
        (self.own.new, self.own.states, self.own.expanded) = (store.len() - store.fresh, store.len(), self.expanded);
        self.own.bytes = store.bytes();
        if options.interrupt.is_raised() {
            self.own.stop = self.own.stop.max(Some(Stop::Interrupted));
        }
        if self.rounds.is_first_here() {
            let settled =
                |property: usize| options.settled.as_ref().is_some_and(|all| all[property].load(Ordering::Relaxed));
            let wanted = self.shared.wanted.iter().enumerate();
            self.own.wanted = wanted.map(|(property, wanted)| *wanted && !settled(property)).collect();
        }
        let (when, took) = self.followed;
        self.own.follows = self.rounds.index() == 0 && when.elapsed() >= took * FOLLOWING;
        self.rounds.send_to_all(&Message::Summary(Box::new(self.own.clone())));
        let mut all = Summary::default();
        self.rounds.end(&mut |message| {
            if let Message::Summary(summary) = message {
                all.add(*summary);
            }
        })?;
        if options.steps.is_some_and(|most| all.steps >= most) {
            all.stop = all.stop.max(Some(Stop::Steps));
        }
        self.all = all;
        Ok(())
    }

    /// Agrees with all on wider columns, and sends the states that did not fit.
    pub(super) fn widen(&mut self) -> Result<(), Lost> {
        let mut ranges = self.shared.ready.ranges();
        self.inbox.store.include_in(&mut ranges, &self.packing);
        self.misfits.iter().for_each(|(_, _, state)| ranges.include(state));
        self.rounds.send_to_all(&Message::Ranges(ranges.clone()));
        self.rounds.end(&mut |message| {
            if let Message::Ranges(others) = message {
                ranges.join(&others);
            }
        })?;
        self.repackings += 1;
        let misfits = std::mem::take(&mut self.misfits);
        if let Err(stop) = self.repack(&ranges) {
            // Others go on to the end of the round with rows that this worker cannot read.
            self.inbox.is_full = true;
            self.own.stop = self.own.stop.max(Some(stop));
            return Ok(());
        }
        for (hash, parent, state) in misfits {
            self.packing.pack(&state, &mut self.next_row).expect("the columns were widened for it");
            self.hand_over(hash, parent);
        }
        Ok(())
    }

    fn repack(&mut self, ranges: &Ranges) -> Result<(), Stop> {
        let wider = Packing::covering(ranges, usize::from(self.all.states > MANY));
        let interrupt = &self.shared.options.interrupt;
        self.inbox.store.repack(&self.packing, &wider, interrupt, |state, _| hash::of(state))?;
        self.packing = wider;
        self.inbox.words = self.packing.words;
        self.sent = Sent::new(self.packing.words);
        self.state_row.resize(self.packing.words, 0);
        self.next_row.resize(self.packing.words, 0);
        Ok(())
    }

    /// All states of all workers, for the first one; nothing if there are very many.
    pub(super) fn gather(&mut self) -> Result<Vec<i32>, Lost> {
        let mut visited = vec![];
        if self.all.states.saturating_mul(self.packing.columns()) > MOST_KEPT {
            return Ok(visited);
        }
        let store = &self.inbox.store;
        let mut rows = vec![];
        for number in 0..store.len() {
            rows.extend_from_slice(store.row(number));
            if rows.len() >= PARCEL {
                self.rounds.send(0, Message::Rows(std::mem::take(&mut rows)));
            }
        }
        self.rounds.send(0, Message::Rows(rows));
        let packing = &self.packing;
        let mut state = vec![0; packing.columns()];
        self.rounds.end(&mut |message| {
            if let Message::Rows(rows) = message {
                for row in rows.chunks_exact(packing.words) {
                    packing.unpack(row, &mut state);
                    visited.extend_from_slice(&state);
                }
            }
        })?;
        Ok(visited)
    }
}
