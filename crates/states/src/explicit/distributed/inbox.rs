//! The states of a worker, and the messages from others while it steps.

use super::message::Message;
use crate::explicit::store::{Batch, Full, Store};

/// The states that belong to a worker.
pub struct Inbox {
    pub store: Store<u64>,
    batch: Batch<u64>,
    /// The length of a row.
    pub words: usize,
    /// No more states are taken.
    pub is_full: bool,
    /// Some worker has a reason to stop.
    pub is_alarmed: bool,
    /// Some worker has more states of the layer to step from.
    pub has_more: bool,
}

impl Inbox {
    pub fn new(words: usize, memory: usize) -> Inbox {
        Inbox {
            store: Store::new(words, memory),
            batch: Batch::new(),
            words,
            is_full: false,
            is_alarmed: false,
            has_more: false,
        }
    }

    pub fn hear(&mut self, message: Message) {
        match message {
            Message::States(words) if !self.is_full => {
                words.chunks_exact(2 + self.words).for_each(|state| self.add(&state[2..], state[0], state[1]));
            }
            Message::Alarm => self.is_alarmed = true,
            Message::More => self.has_more = true,
            _ => {}
        }
    }

    pub fn add(&mut self, row: &[u64], hash: u64, parent: u64) {
        self.batch.add(row, hash, parent);
        if self.batch.is_full() {
            self.settle();
        }
    }

    /// Puts the messages into the store.
    pub fn settle(&mut self) {
        if self.is_full {
            self.batch = Batch::new();
        } else if let Err(Full) = self.store.add(&mut self.batch) {
            self.is_full = true;
        }
    }
}
