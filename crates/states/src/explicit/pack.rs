//! States in as few bits as the values seen so far need.
//!
//! Every word of the state gets a *column*: some bits of a row of 64-bit words, which hold the distance from a lowest
//! value. A value that does not fit asks for wider columns, and all rows are packed anew. The spare bits of a row are
//! given to the columns as well, so that this happens a few times, and mostly while there are few rows.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The packing of states.
#[derive(Clone, Debug)]
pub struct Packing {
    columns: Vec<Column>,
    /// The length of a row.
    pub words: usize,
}

#[derive(Clone, Copy, Debug)]
struct Column {
    low: i32,
    /// The highest distance from `low`: a number of ones.
    most: u32,
    word: u32,
    shift: u32,
}

/// A value outside its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooNarrow;

/// Whether a step changed the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed(pub bool);

/// The lowest and highest value of each word of the state, in some states.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ranges(Vec<(i32, i32)>);

impl Ranges {
    pub fn of(state: &[i32]) -> Ranges {
        Ranges(state.iter().map(|&value| (value, value)).collect())
    }

    pub fn include(&mut self, state: &[i32]) {
        for ((low, high), &value) in self.0.iter_mut().zip(state) {
            (*low, *high) = ((*low).min(value), (*high).max(value));
        }
    }

    /// Lets all words of each part have the values that any of them has.
    pub fn unite(&mut self, parts: &[Range<usize>]) {
        for part in parts {
            let ranges = &mut self.0[part.clone()];
            let low = ranges.iter().map(|range| range.0).min().unwrap_or(0);
            let high = ranges.iter().map(|range| range.1).max().unwrap_or(0);
            ranges.fill((low, high));
        }
    }
}

/// With more columns than this, the bits that are left over are not given out one by one.
const MANY_COLUMNS: usize = 256;

#[cfg(feature = "distributed")]
impl Ranges {
    /// Adds the ranges that others have seen.
    pub fn join(&mut self, others: &Ranges) {
        for ((low, high), &(least, most)) in self.0.iter_mut().zip(&others.0) {
            (*low, *high) = ((*low).min(least), (*high).max(most));
        }
    }
}

impl Packing {
    /// Room for all values in these ranges, and for as many more as fit into the same number of words and `spare` more.
    pub fn covering(ranges: &Ranges, spare: usize) -> Packing {
        let columns = ranges.0.iter().map(|&(low, high)| Column::covering(low, high, 0));
        let mut packing = Packing { columns: columns.collect(), words: 0 };
        packing.arrange();
        let room = |index: &usize| {
            let (column, (low, high)) = (&packing.columns[*index], ranges.0[*index]);
            column.most - high.wrapping_sub(low) as u32
        };
        // A column that never changed will hardly do so now. Of the others, the fullest come first.
        let mut order: Vec<usize> = (0..ranges.0.len()).filter(|&index| packing.columns[index].most > 0).collect();
        order.sort_by_key(room);
        let words = packing.words + spare;
        while order.len() > MANY_COLUMNS {
            let before = packing.clone();
            for &index in &order {
                let (bits, (low, high)) = (packing.columns[index].bits(), ranges.0[index]);
                packing.columns[index] = Column::covering(low, high, bits + 1);
            }
            packing.arrange();
            if packing.words > words || packing.bits() == before.bits() {
                return before;
            }
        }
        // Bit after bit, round after round, until the words are full.
        while !order.is_empty() {
            order.retain(|&index| {
                let (old, (low, high)) = (packing.columns[index], ranges.0[index]);
                packing.columns[index] = Column::covering(low, high, old.bits() + 1);
                packing.arrange();
                let fits = packing.words <= words && packing.columns[index].bits() > old.bits();
                if !fits {
                    packing.columns[index] = old;
                    packing.arrange();
                }
                fits
            });
        }
        packing
    }

    fn arrange(&mut self) {
        let (mut word, mut shift) = (0, 0);
        for column in &mut self.columns {
            let bits = column.bits();
            if shift + bits > 64 {
                (word, shift) = (word + 1, 0);
            }
            // A column without bits may follow a full word: anywhere will do.
            (column.word, column.shift) = if bits == 0 { (0, 0) } else { (word, shift) };
            shift += bits;
        }
        self.words = word as usize + 1;
    }

    /// Packs a state into a row, unless a value does not fit; the row is of no use then.
    pub fn pack(&self, state: &[i32], row: &mut [u64]) -> Result<(), TooNarrow> {
        row.fill(0);
        let mut beyond = 0;
        for (column, &value) in self.columns.iter().zip(state) {
            let distance = column.distance(value);
            beyond |= distance & !column.most;
            row[column.word as usize] |= u64::from(distance) << column.shift;
        }
        if beyond == 0 { Ok(()) } else { Err(TooNarrow) }
    }

    /// Packs a state that differs little from another, whose row is known.
    pub fn pack_changes(
        &self,
        state: &[i32],
        state_row: &[u64],
        next: &[i32],
        next_row: &mut [u64],
    ) -> Result<Changed, TooNarrow> {
        const CHUNK: usize = 8;
        let (mut changed, mut beyond) = (false, 0);
        next_row.copy_from_slice(state_row);
        let columns = self.columns.chunks(CHUNK).zip(state.chunks(CHUNK).zip(next.chunks(CHUNK)));
        for (columns, (old, new)) in columns.filter(|(_, (old, new))| old != new) {
            changed = true;
            for (column, (&old, &new)) in columns.iter().zip(old.iter().zip(new)).filter(|(_, (old, new))| old != new) {
                let (old, new) = (column.distance(old), column.distance(new));
                beyond |= new & !column.most;
                next_row[column.word as usize] ^= u64::from(old ^ new) << column.shift;
            }
        }
        if beyond == 0 { Ok(Changed(changed)) } else { Err(TooNarrow) }
    }

    pub fn unpack(&self, row: &[u64], state: &mut [i32]) {
        for (column, value) in self.columns.iter().zip(state) {
            let distance = (row[column.word as usize] >> column.shift) as u32 & column.most;
            *value = column.low.wrapping_add(distance as i32);
        }
    }

    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The bits of all columns.
    pub fn bits(&self) -> u32 {
        self.columns.iter().map(|column| column.bits()).sum()
    }
}

impl Column {
    /// Room for the values from `low` to `high`, with as many bits as that needs but at least `bits`.
    fn covering(low: i32, high: i32, bits: u32) -> Column {
        let width = i64::from(high) - i64::from(low);
        let bits = (64 - width.leading_zeros()).max(bits).min(32);
        let most = ((1_u64 << bits) - 1) as u32;
        // Values may turn out lower or higher, as far as there are numbers.
        let low = i64::from(low) - (i64::from(most) - width) / 2;
        let low = low.clamp(i32::MIN.into(), i64::from(i32::MAX) - i64::from(most)) as i32;
        Column { low, most, word: 0, shift: 0 }
    }

    fn bits(&self) -> u32 {
        self.most.count_ones()
    }

    fn distance(&self, value: i32) -> u32 {
        value.wrapping_sub(self.low) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    /// Columns of all widths, widened in any order, give back their values, and equal rows are equal states.
    #[test]
    fn rows_are_states() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let size = 1 + random.below(12);
            let spans: Vec<u32> = (0..size).map(|_| random.below(33) as u32).collect();
            let value = |random: &mut Random, span: u32| {
                let distance = (random.bits() & ((1_u64 << span) - 1)) as u32 as i32;
                if random.below(50) == 0 {
                    random.choose(&[i32::MIN, i32::MAX, 0, -1])
                } else {
                    distance.wrapping_sub(7)
                }
            };
            let states: Vec<Vec<i32>> =
                (0..40).map(|_| spans.iter().map(|&span| value(&mut random, span)).collect()).collect();
            let mut ranges = Ranges::of(&states[0]);
            let mut packing = Packing::covering(&ranges, random.below(2));
            for (known, state) in states.iter().enumerate() {
                ranges.include(state);
                if random.below(20) == 0 {
                    let half = random.below(size + 1);
                    ranges.unite(&[0..half, half..size]);
                }
                if packing.pack(state, &mut vec![0; packing.words]).is_err() {
                    packing = Packing::covering(&ranges, random.below(2));
                }
                for state in &states[..=known] {
                    let mut row = vec![0; packing.words];
                    assert_eq!(packing.pack(state, &mut row), Ok(()), "seed {seed}: {state:?} in {packing:?}");
                    let mut back = vec![0; size];
                    packing.unpack(&row, &mut back);
                    assert_eq!(&back, state, "seed {seed}");
                    // From any other state, the way by changes leads to the same row.
                    let other = &states[random.below(known + 1)];
                    let (mut other_row, mut changed_row) = (row.clone(), row.clone());
                    assert_eq!(packing.pack(other, &mut other_row), Ok(()));
                    let changed = packing.pack_changes(other, &other_row, state, &mut changed_row);
                    assert_eq!((changed, &changed_row), (Ok(Changed(other != state)), &row), "seed {seed}");
                }
                let beyond: Vec<i32> = state.iter().map(|value| value.wrapping_add(1 << 30)).collect();
                let (mut row, mut other_row) = (vec![0; packing.words], vec![0; packing.words]);
                assert_eq!(packing.pack(state, &mut row), Ok(()));
                let fits = packing.pack(&beyond, &mut other_row).is_ok();
                assert_eq!(packing.pack_changes(state, &row, &beyond, &mut other_row).is_ok(), fits);
            }
        }
    }
}
