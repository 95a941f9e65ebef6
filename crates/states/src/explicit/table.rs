//! The numbers of states by their hash: open addressing with linear probing.
//!
//! Almost all time that a search does not spend in the program it waits for this table, so it is made for that. A
//! slot holds 32 bits of the hash beside the number of the state: few rows are looked at in vain. The place of a state
//! is these bits scaled to the size of the table, which may be any size, and grows without looking at rows: going
//! through the old table in order fills the new one in order.

/// A hash table of 32-bit numbers; their meaning is the owner's business.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The upper half of the hash above the number plus one; 0 is empty.
    slots: Vec<u64>,
    used: usize,
}

impl Table {
    /// The number of bytes that it takes.
    pub fn bytes(&self) -> usize {
        8 * self.slots.capacity()
    }

    /// The number of bytes that it takes once `more` numbers are added.
    pub fn bytes_with(&self, more: usize) -> usize {
        if self.has_room(more) { self.bytes() } else { 8 * self.larger(more) }
    }

    fn has_room(&self, more: usize) -> bool {
        (self.used + more) * 4 <= self.slots.len() * 3
    }

    fn larger(&self, more: usize) -> usize {
        let needed = (self.used + more) * 4 / 3 + 1;
        needed.max(self.slots.len() * 3 / 2)
    }

    /// Makes room for `more` numbers; false if the system has none to give.
    pub fn reserve(&mut self, more: usize) -> bool {
        if self.has_room(more) {
            return true;
        }
        let mut slots = vec![];
        if slots.try_reserve_exact(self.larger(more)).is_err() {
            return false;
        }
        slots.resize(self.larger(more), 0);
        let old = std::mem::replace(&mut self.slots, slots);
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut at = self.home(slot);
            while self.slots[at] != 0 {
                at = self.after(at);
            }
            self.slots[at] = slot;
        }
        true
    }

    /// Where a hash, or a slot with the same upper half, belongs.
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.slots.len() as u64) >> 32) as usize
    }

    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    /// The first number that may have this hash, if any: it brings the place of the hash into the cache.
    pub fn peek(&self, hash: u64) -> Option<u32> {
        let slot = self.slots[self.home(hash)];
        (slot >> 32 == hash >> 32 && slot != 0).then(|| number(slot))
    }

    /// The number with this hash that is the `same`.
    pub fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 && same(number(slot)) {
                return Some(number(slot));
            }
            at = self.after(at);
        }
    }

    /// Adds a number unless one with this hash is there that is the `same`, and tells which. There must be room.
    pub fn insert(&mut self, hash: u64, new: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                self.slots[at] = ((hash >> 32) << 32) | (u64::from(new) + 1);
                self.used += 1;
                return None;
            }
            if slot >> 32 == hash >> 32 && same(number(slot)) {
                return Some(number(slot));
            }
            at = self.after(at);
        }
    }

    pub fn clear(&mut self) {
        self.slots.fill(0);
        self.used = 0;
    }
}

fn number(slot: u64) -> u32 {
    slot as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    /// As a set of numbers, some of which share their hash or the upper half of it.
    #[test]
    fn each_number_is_added_once() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let mut hash = |number: usize| match number % 4 {
                0 => random.bits(),
                1 => 7 << 40,
                2 => u64::MAX - number as u64,
                _ => number as u64,
            };
            let hashes: Vec<u64> = (0..500).map(&mut hash).collect();
            let mut table = Table::default();
            for _ in 0..2000 {
                let number = random.below(hashes.len());
                assert!(table.reserve(1));
                let known = table.find(hashes[number], |other| other as usize == number);
                assert_eq!(table.insert(hashes[number], number as u32, |other| other as usize == number), known);
            }
            let count = table.used;
            let mut missing = 0;
            for (number, &hash) in hashes.iter().enumerate() {
                assert!(table.reserve(1));
                missing += usize::from(table.insert(hash, number as u32, |other| other as usize == number).is_none());
            }
            assert_eq!(count + missing, hashes.len(), "seed {seed}");
            assert_eq!(table.slots.iter().filter(|slot| **slot != 0).count(), hashes.len(), "seed {seed}");
        }
    }
}
