//! One worker: steps from its states of a layer, sends the successors to their owners, and hears those of the others.

use std::time::{Duration, Instant};

use redoubt_exchange::{Lost, Rounds};

use super::inbox::Inbox;
use super::message::{Hit, Message, Summary};
use super::sent::Sent;
use super::trail::Trail;
use super::{Shared, hash};
use crate::base::progress::Stage;
use crate::explicit::inputs::{LOOK_AROUND, Tape};
use crate::explicit::outcome::{Statistics, Stop};
use crate::explicit::pack::{Changed, Packing, TooNarrow};
use crate::program::PropertyId;

/// States are sent when there are this many words of them.
pub(super) const PARCEL: usize = 1 << 13;
/// A worker sends this many words in a round, and few more.
const PORTION: usize = 1 << 19;

/// The end of a search for a worker.
pub struct Ending {
    pub stop: Stop,
    pub statistics: Statistics,
    pub visited: Vec<i32>,
    /// Properties that are reached, by unknown runs.
    pub unfollowed: Vec<PropertyId>,
    pub lost: Option<String>,
    /// The states of this worker.
    pub states: usize,
    pub bytes: usize,
}

pub struct Worker<'w> {
    pub(super) shared: &'w Shared<'w>,
    pub(super) rounds: &'w mut Rounds<Message>,
    tape: Tape,
    frame: Vec<i32>,
    /// The state that is stepped from, also packed, and its hash.
    state: Vec<i32>,
    pub(super) state_row: Vec<u64>,
    state_hash: u64,
    pub(super) next_row: Vec<u64>,
    pub(super) packing: Packing,
    pub(super) inbox: Inbox,
    /// By worker: states to be sent.
    outgoing: Vec<Vec<u64>>,
    pub(super) sent: Sent,
    /// States that do not fit into rows, each with its hash and its parent's.
    pub(super) misfits: Vec<(u64, u64, Vec<i32>)>,
    /// The number of words sent in this round.
    portion: usize,
    layer: usize,
    pub(super) expanded: usize,
    /// The results of this worker in this layer.
    pub(super) own: Summary,
    /// The last results of all.
    pub(super) all: Summary,
    /// By property: whether it was reached.
    reached: Vec<bool>,
    pub(super) trails: Vec<Trail>,
    pub(super) unfollowed: Vec<PropertyId>,
    pub(super) repackings: usize,
    /// When trails were followed last, and how long that took.
    pub(super) followed: (Instant, Duration),
}

impl<'w> Worker<'w> {
    pub(super) fn new(shared: &'w Shared<'w>, rounds: &'w mut Rounds<Message>) -> Worker<'w> {
        let (ready, packing) = (shared.ready, shared.packing.clone());
        let frame = ready.frame.clone();
        let state = frame[..ready.machine.layout.state].to_vec();
        let mut row = vec![0; packing.words];
        packing.pack(&state, &mut row).expect("the columns were made for the first state");
        let mut inbox = Inbox::new(packing.words, shared.memory);
        let first = hash::of(&state);
        if hash::owner(first, rounds.peers()) == rounds.index() {
            // It was found from nowhere; the parent is never read.
            inbox.add(&row, first, 0);
            inbox.settle();
        }
        Worker {
            outgoing: vec![vec![]; rounds.peers()],
            sent: Sent::new(packing.words),
            tape: ready.tape.clone(),
            frame,
            state,
            state_row: row.clone(),
            state_hash: first,
            next_row: row,
            packing,
            inbox,
            misfits: vec![],
            portion: 0,
            layer: 0,
            expanded: 0,
            own: Summary::default(),
            all: Summary::default(),
            reached: vec![false; shared.properties],
            trails: vec![],
            unfollowed: vec![],
            repackings: 0,
            followed: (Instant::now(), Duration::ZERO),
            shared,
            rounds,
        }
    }

    pub(super) fn run(mut self) -> Ending {
        let mut visited = vec![];
        let searched = self.search().and_then(|stop| {
            if stop == Stop::Closed && self.shared.options.keep {
                visited = self.gather()?;
            }
            Ok(stop)
        });
        let (stop, lost) = match searched {
            Ok(stop) => (stop, None),
            Err(Lost(who)) => (Stop::Lost, Some(who)),
        };
        let statistics = Statistics {
            states: self.all.states,
            expanded: self.all.expanded,
            steps: self.all.steps,
            depth: self.layer,
            columns: self.packing.columns(),
            bits: self.packing.bits(),
            repackings: self.repackings,
            bytes: self.all.bytes,
            ..Statistics::default()
        };
        let (states, bytes) = (self.inbox.store.len(), self.inbox.store.bytes());
        Ending { stop, statistics, visited, unfollowed: self.unfollowed, lost, states, bytes }
    }

    /// Layer by layer, until there is none or a reason to stop.
    fn search(&mut self) -> Result<Stop, Lost> {
        loop {
            self.shared.options.progress.level(Stage::Search, self.layer);
            self.expand_layer()?;
            self.tell()?;
            while self.all.has_misfits {
                self.widen()?;
                self.deliver()?;
                self.tell()?;
            }
            for (property, hit) in std::mem::take(&mut self.all.hits) {
                if !std::mem::replace(&mut self.reached[property], true) {
                    self.trails.push(Trail::new(property, self.layer, hit));
                }
            }
            let is_decided = self.all.wanted.iter().zip(&self.reached).all(|(wanted, reached)| !wanted || *reached);
            let stop = match self.all.stop {
                _ if is_decided => Some(Stop::Decided),
                None if self.all.new == 0 => Some(Stop::Closed),
                stop => stop,
            };
            if stop.is_some() || self.all.follows && !self.trails.is_empty() {
                let begun = Instant::now();
                self.follow()?;
                self.followed = (Instant::now(), begun.elapsed());
            }
            if let Some(stop) = stop {
                return Ok(stop);
            }
            self.layer += 1;
        }
    }

    /// Steps from all states of the layer. Of a large one a portion is sent in a round, so that messages under way take
    /// little memory.
    fn expand_layer(&mut self) -> Result<(), Lost> {
        let end = self.inbox.store.len();
        self.inbox.store.fresh = end;
        self.own = Summary { steps: self.own.steps, ..Summary::default() };
        if self.shared.options.depth.is_some_and(|most| self.layer >= most) {
            self.own.stop = Some(Stop::Depth);
        }
        if !self.tape.is_possible() {
            self.expanded = end;
        }
        loop {
            (self.portion, self.inbox.has_more) = (0, false);
            while self.expanded < end && self.is_going_on() && self.portion < PORTION {
                self.expand(self.expanded);
                self.expanded += 1;
            }
            if self.expanded < end && self.is_going_on() {
                self.rounds.send_to_all(&Message::More);
            }
            self.deliver()?;
            if !self.inbox.has_more {
                return Ok(());
            }
        }
    }

    fn is_going_on(&self) -> bool {
        self.own.stop.is_none() && !self.inbox.is_alarmed
    }

    /// Steps from a state on all inputs.
    fn expand(&mut self, state: usize) {
        let machine = &self.shared.ready.machine;
        self.state_row.copy_from_slice(self.inbox.store.row(state));
        self.packing.unpack(&self.state_row, &mut self.state);
        self.state_hash = hash::of(&self.state);
        self.tape.start(&mut self.frame);
        loop {
            if self.own.steps.is_multiple_of(LOOK_AROUND) && !self.look_around() {
                return;
            }
            self.own.steps += 1;
            self.frame[..self.state.len()].copy_from_slice(&self.state);
            let status = machine.run(&mut self.frame);
            if machine.may_reach(status) {
                for property in machine.take_reached(status, &mut self.frame) {
                    if !self.reached[property.index()] {
                        let inputs = self.tape.values(&self.frame).to_vec();
                        self.own.hit(property.index(), Hit { state: self.state_hash, inputs });
                    }
                }
            }
            if status == 0 {
                self.found();
            }
            if !self.tape.advance(&mut self.frame) {
                return;
            }
        }
    }

    /// Hears messages of the others; whether to go on.
    fn look_around(&mut self) -> bool {
        self.rounds.take(&mut |message| self.inbox.hear(message));
        if self.shared.options.interrupt.is_raised() {
            self.give_up(Stop::Interrupted);
        }
        if self.inbox.is_full {
            self.give_up(Stop::Memory);
        }
        self.is_going_on()
    }

    /// Ends the search, for all.
    fn give_up(&mut self, stop: Stop) {
        if self.own.stop.is_none() {
            self.rounds.send_to_all(&Message::Alarm);
        }
        self.own.stop = self.own.stop.max(Some(stop));
    }

    /// A step led to the state in the frame.
    fn found(&mut self) {
        let next = &self.frame[..self.state.len()];
        let packed = self.packing.pack_changes(&self.state, &self.state_row, next, &mut self.next_row);
        // Most programs ignore most inputs.
        if packed == Ok(Changed(false)) {
            return;
        }
        let hash = hash::after(self.state_hash, &self.state, next);
        match packed {
            Ok(_) => self.hand_over(hash, self.state_hash),
            Err(TooNarrow) => self.misfits.push((hash, self.state_hash, next.to_vec())),
        }
    }

    /// Gives the packed state to its owner.
    pub(super) fn hand_over(&mut self, hash: u64, parent: u64) {
        let owner = hash::owner(hash, self.rounds.peers());
        if owner == self.rounds.index() {
            self.inbox.add(&self.next_row, hash, parent);
        } else if self.sent.is_news(hash, self.layer as u64 + 1, parent, &self.next_row) {
            let parcel = &mut self.outgoing[owner];
            parcel.extend([hash, parent]);
            parcel.extend_from_slice(&self.next_row);
            if parcel.len() >= PARCEL {
                let parcel = std::mem::take(parcel);
                self.portion += parcel.len();
                self.rounds.send(owner, Message::States(parcel));
            }
        }
    }

    /// Sends the rest, and hears the rest of the others.
    fn deliver(&mut self) -> Result<(), Lost> {
        for owner in 0..self.outgoing.len() {
            let parcel = std::mem::take(&mut self.outgoing[owner]);
            if !parcel.is_empty() {
                self.rounds.send(owner, Message::States(parcel));
            }
        }
        self.rounds.end(&mut |message| self.inbox.hear(message))?;
        self.inbox.settle();
        if self.inbox.is_full {
            self.give_up(Stop::Memory);
        }
        Ok(())
    }
}
