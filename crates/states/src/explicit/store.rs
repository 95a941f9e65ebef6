//! All states found, each once, with the way they were found.

use super::Stop;
use super::blocks::Blocks;
use super::pack::{Packing, Ranges};
use super::table::Table;
use crate::base::Interrupt;

/// Rows of packed states in the order in which they were found, and a hash table of their numbers.
///
/// The owner decides how states are hashed, and how they refer to each other: a search that has all of them uses
/// numbers, one that has a part of them cannot.
#[derive(Debug)]
pub struct Store<P> {
    rows: Blocks<u64>,
    table: Table,
    /// Per state: the one it was found from.
    parents: Blocks<P>,
    /// A state from this one on that is found once more takes the lesser of its parents.
    pub fresh: usize,
    /// The number of bytes that may be used.
    memory: usize,
}

/// The memory does not suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The first state was found from nowhere.
pub const NOWHERE: u32 = u32::MAX;

/// States on their way into the store.
///
/// Looking one state up means waiting for memory, twice. So they are collected, and then all wait together.
#[derive(Debug)]
pub struct Batch<P> {
    rows: Vec<u64>,
    origins: Vec<Origin<P>>,
}

#[derive(Clone, Copy, Debug)]
struct Origin<P> {
    hash: u64,
    parent: P,
}

/// The number of states in a batch.
const BATCH: usize = 64;

impl<P> Batch<P> {
    pub fn new() -> Batch<P> {
        Batch { rows: vec![], origins: vec![] }
    }

    pub fn add(&mut self, row: &[u64], hash: u64, parent: P) {
        self.rows.extend_from_slice(row);
        self.origins.push(Origin { hash, parent });
    }

    pub fn is_full(&self) -> bool {
        self.origins.len() >= BATCH
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.origins.clear();
    }
}

impl<P: Copy + Ord> Store<P> {
    /// A store without states, for rows of `words` words.
    pub fn new(words: usize, memory: usize) -> Store<P> {
        Store { rows: Blocks::new(words), table: Table::default(), parents: Blocks::new(1), fresh: usize::MAX, memory }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The number of bytes that they take.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.parents.bytes() + self.table.bytes()
    }

    pub fn row(&self, state: usize) -> &[u64] {
        self.rows.row(state)
    }

    /// Adds those states of a batch that are not known, in order, and empties it.
    pub fn add(&mut self, batch: &mut Batch<P>) -> Result<(), Full> {
        let rows = batch.rows.chunks(BATCH * self.rows.width());
        rows.zip(batch.origins.chunks(BATCH)).try_for_each(|(rows, origins)| self.add_some(rows, origins))?;
        batch.clear();
        Ok(())
    }

    fn add_some(&mut self, new: &[u64], origins: &[Origin<P>]) -> Result<(), Full> {
        self.reserve(origins.len())?;
        self.touch(origins);
        for (row, origin) in new.chunks_exact(self.rows.width()).zip(origins) {
            let (rows, number) = (&self.rows, self.rows.len() as u32);
            match self.table.insert(origin.hash, number, |state| same(row, rows.row(state as usize))) {
                None => {
                    self.rows.push(row);
                    self.parents.push(&[origin.parent]);
                }
                Some(known) if known as usize >= self.fresh => {
                    let parent = &mut self.parents.row_mut(known as usize)[0];
                    *parent = origin.parent.min(*parent);
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Moves those states of a batch to another one that are not known here; the rest is dropped. There must be states.
    pub fn sift(&self, batch: &mut Batch<P>, new: &mut Batch<P>) {
        self.touch(&batch.origins);
        for (row, origin) in batch.rows.chunks_exact(self.rows.width()).zip(&batch.origins) {
            if self.table.find(origin.hash, |state| same(row, self.row(state as usize))).is_none() {
                new.add(row, origin.hash, origin.parent);
            }
        }
        batch.clear();
    }

    /// Brings the states that a batch will be compared with into the cache. No load here depends on another, so that
    /// the processor makes them all at once: first the slots, then the rows that they point to.
    fn touch(&self, origins: &[Origin<P>]) {
        let mut candidates = [None; BATCH];
        for (candidate, origin) in candidates.iter_mut().zip(origins) {
            *candidate = self.table.peek(origin.hash);
        }
        let touched = candidates.iter().flatten().fold(0, |sum, &state| sum ^ self.row(state as usize)[0]);
        std::hint::black_box(touched);
    }

    /// Makes room for some more states, if memory allows.
    fn reserve(&mut self, more: usize) -> Result<(), Full> {
        // A table that grows exists twice for a moment.
        let table = self.table.bytes_with(more);
        if table > self.table.bytes() && (self.bytes() + table > self.memory || !self.table.reserve(more)) {
            return Err(Full);
        }
        let states = self.len() + more;
        let bytes = self.rows.bytes_with(states) + self.parents.bytes_with(states) + self.table.bytes();
        let fits = bytes <= self.memory
            && states < NOWHERE as usize
            && self.rows.try_reserve(states).is_ok()
            && self.parents.try_reserve(states).is_ok();
        if fits { Ok(()) } else { Err(Full) }
    }

    /// The state that a state was found from.
    #[cfg(feature = "distributed")]
    pub fn parent(&self, state: usize) -> P {
        self.parents.row(state)[0]
    }

    /// The state with this hash for which a test holds.
    #[cfg(feature = "distributed")]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(usize) -> bool) -> Option<usize> {
        self.table.find(hash, |state| is_it(state as usize)).map(|state| state as usize)
    }

    /// Adds the values that occur.
    pub fn include_in(&self, ranges: &mut Ranges, packing: &Packing) {
        let mut state = vec![0; packing.columns()];
        for number in 0..self.len() {
            packing.unpack(self.row(number), &mut state);
            ranges.include(&state);
        }
    }

    /// Packs all states anew, and hashes them as that says. It takes a while if there are many; if it is interrupted, no more
    /// can be added.
    pub fn repack(
        &mut self,
        old: &Packing,
        new: &Packing,
        interrupt: &Interrupt,
        hash: impl Fn(&[i32], &[u64]) -> u64,
    ) -> Result<(), Stop> {
        let mut rows = Blocks::new(new.words);
        if self.bytes() + rows.bytes_with(self.len()) > self.memory || rows.try_reserve(self.len()).is_err() {
            return Err(Stop::Memory);
        }
        let mut row = vec![0; new.words];
        let mut state = vec![0; new.columns()];
        self.table.clear();
        for number in 0..self.len() as u32 {
            if number.is_multiple_of(1 << 10) && interrupt.is_raised() {
                return Err(Stop::Interrupted);
            }
            old.unpack(self.row(number as usize), &mut state);
            new.pack(&state, &mut row).expect("wider columns hold what narrower ones held");
            rows.push(&row);
            // All are different, and the table was large enough for them before.
            self.table.insert(hash(&state, &row), number, |_| false);
        }
        self.rows = rows;
        Ok(())
    }
}

impl Store<u32> {
    /// The states on the way from the first one to this one, both included.
    pub fn way_to(&self, state: usize) -> Vec<usize> {
        let mut way = vec![state];
        let mut parent = self.parents.row(state)[0];
        while parent != NOWHERE {
            way.push(parent as usize);
            parent = self.parents.row(parent as usize)[0];
        }
        way.reverse();
        way
    }
}

fn same(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

/// Folded multiplication, as in wyhash (Wang Yi, 2019).
pub fn hash(row: &[u64]) -> u64 {
    row.iter().fold(0x9e37_79b9_7f4a_7c15, |hash, &word| {
        let product = u128::from(hash ^ word) * 0xa5a3_5625_e7c1_5b1d;
        (product as u64 ^ (product >> 64) as u64).wrapping_add(0xd6e8_feb8_6659_fd93)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds one state after the other until no more fit.
    fn fill(store: &mut Store<u32>, words: usize) {
        for number in 0.. {
            let mut batch = Batch::new();
            let row = vec![number; words];
            batch.add(&row, hash(&row), NOWHERE);
            if store.add(&mut batch).is_err() {
                return;
            }
        }
    }

    /// However wide states are, most of the memory that there is can be used for them, and no more.
    #[test]
    fn memory_is_used_for_states() {
        let memory = 1 << 22;
        for words in [1, 3, 100, 1000, 1 << 15, 1 << 17] {
            let mut store = Store::new(words, memory);
            fill(&mut store, words);
            assert!(store.bytes() <= memory, "{words} words: {} bytes", store.bytes());
            let states = store.len() * (8 * words + 4);
            assert!(states > memory / 4, "{words} words: {states} bytes");
        }
    }
}
