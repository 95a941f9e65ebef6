//! All states found, each once, with the way they were found.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::pack::Packing;

/// Rows of packed states in the order in which they were found, and a hash table of their numbers.
#[derive(Debug)]
pub struct Store {
    /// The length of a row.
    words: usize,
    rows: Vec<u64>,
    table: HashTable<u32>,
    /// Per state: the one it was found from.
    parents: Vec<u32>,
    /// How many bytes may be used.
    memory: usize,
}

/// What became of a state that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    New,
    Known,
    /// There is no room for it.
    Full,
}

/// The first state was found from nowhere.
const NOWHERE: u32 = u32::MAX;

impl Store {
    pub fn new(words: usize, memory: usize) -> Store {
        Store { words, rows: vec![], table: HashTable::new(), parents: vec![], memory }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        8 * self.rows.capacity()
            + 4 * self.parents.capacity()
            + self.table.allocation_size()
    }

    pub fn row(&self, state: usize) -> &[u64] {
        &self.rows[state * self.words..(state + 1) * self.words]
    }

    pub fn add_first(&mut self, row: &[u64]) -> Added {
        self.add_from(row, NOWHERE)
    }

    /// Adds a state unless it is known.
    pub fn add(&mut self, row: &[u64], parent: usize) -> Added {
        self.add_from(row, parent as u32)
    }

    fn add_from(&mut self, row: &[u64], parent: u32) -> Added {
        if (self.table.len() == self.table.capacity() && !self.grow_table()) || !self.has_room_for_a_row() {
            // It may be known all the same.
            let (rows, words) = (&self.rows, self.words);
            let known = self.table.find(hash(row), |&state| same(row, at(rows, words, state)));
            return if known.is_some() { Added::Known } else { Added::Full };
        }
        let (rows, words) = (&self.rows, self.words);
        let is_same = |&state: &u32| same(row, at(rows, words, state));
        match self.table.entry(hash(row), is_same, |&state| hash(at(rows, words, state))) {
            Entry::Occupied(_) => Added::Known,
            Entry::Vacant(place) => {
                place.insert(self.parents.len() as u32);
                self.rows.extend_from_slice(row);
                self.parents.push(parent);
                Added::New
            }
        }
    }

    /// Makes room in the table, if memory allows.
    fn grow_table(&mut self) -> bool {
        // Old and new table exist side by side for a moment. The smallest one takes less than this.
        const SMALLEST: usize = 256;
        if self.bytes() + (2 * self.table.allocation_size()).max(SMALLEST) > self.memory {
            return false;
        }
        let (rows, words) = (&self.rows, self.words);
        self.table.try_reserve(self.table.len().max(16), |&state| hash(at(rows, words, state))).is_ok()
    }

    /// Makes room for a row, if memory allows.
    fn has_room_for_a_row(&mut self) -> bool {
        if self.parents.len() < self.parents.capacity() && self.rows.len() + self.words <= self.rows.capacity()
        {
            return true;
        }
        let more = (self.len() / 4).max(1024);
        self.bytes() + more * (8 * self.words + 4) <= self.memory
            && self.len() + more < NOWHERE as usize
            && self.rows.try_reserve_exact(more * self.words).is_ok()
            && self.parents.try_reserve_exact(more).is_ok()
    }

    /// The states on the way from the first one to this one, both included.
    pub fn way_to(&self, state: usize) -> Vec<usize> {
        let mut way = vec![state];
        let mut state = state as u32;
        while self.parents[state as usize] != NOWHERE {
            state = self.parents[state as usize];
            way.push(state as usize);
        }
        way.reverse();
        way
    }

    /// Packs all states anew; false if there is no room for them.
    pub fn repack(&mut self, old: &Packing, new: &Packing, state: &mut [i32]) -> bool {
        let size = self.len() * new.words;
        let mut rows = vec![];
        if self.bytes() + 8 * size > self.memory || rows.try_reserve_exact(size + size / 8).is_err() {
            return false;
        }
        let mut row = vec![0; new.words];
        for index in 0..self.len() {
            old.unpack(self.row(index), state);
            new.pack(state, &mut row).expect("wider columns hold what narrower ones held");
            rows.extend_from_slice(&row);
        }
        (self.rows, self.words) = (rows, new.words);
        let (rows, words) = (&self.rows, self.words);
        self.table.clear();
        for index in 0..self.parents.len() as u32 {
            let hasher = |&state: &u32| hash(at(rows, words, state));
            self.table.insert_unique(hasher(&index), index, hasher);
        }
        true
    }
}

fn at(rows: &[u64], words: usize, state: u32) -> &[u64] {
    &rows[state as usize * words..(state as usize + 1) * words]
}

fn same(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

/// Folded multiplication, as in wyhash (Wang Yi, 2019).
fn hash(row: &[u64]) -> u64 {
    row.iter().fold(0x9e37_79b9_7f4a_7c15, |hash, &word| {
        let product = u128::from(hash ^ word) * 0xa5a3_5625_e7c1_5b1d;
        (product as u64 ^ (product >> 64) as u64).wrapping_add(0xd6e8_feb8_6659_fd93)
    })
}
