//! States as rows of words, each kept once.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// States, numbered in the order in which they are found.
pub struct Rows {
    width: usize,
    rows: Vec<i32>,
    number: usize,
    table: HashTable<u32>,
}

impl Rows {
    pub fn new(first: &[i32]) -> Rows {
        let mut states = Rows { width: first.len(), rows: vec![], number: 0, table: HashTable::new() };
        states.find(first);
        states
    }

    pub fn row(&self, state: usize) -> &[i32] {
        &self.rows[state * self.width..(state + 1) * self.width]
    }

    /// The number of a state, which may be new.
    pub fn find(&mut self, row: &[i32]) -> usize {
        let (rows, width) = (&self.rows, self.width);
        let of = |state: u32| &rows[state as usize * width..(state as usize + 1) * width];
        let hash = |row: &[i32]| FxBuildHasher.hash_one(row);
        let is_it = |&state: &u32| of(state) == row;
        if let Some(&known) = self.table.find(hash(row), is_it) {
            return known as usize;
        }
        let number = u32::try_from(self.number).expect("memory is full before that");
        self.table.insert_unique(hash(row), number, |&state| hash(of(state)));
        self.rows.extend_from_slice(row);
        self.number += 1;
        number as usize
    }

    pub fn bytes(&self) -> usize {
        4 * self.rows.capacity() + 5 * self.table.capacity()
    }

    pub fn number(&self) -> usize {
        self.number
    }

    /// The words of all states, one after the other.
    pub fn into_values(self) -> Vec<i32> {
        self.rows
    }
}
