//! States in as few bits as the values seen so far need.
//!
//! Every word of the state gets a *column* of so many bits of a row of 64-bit words, and holds the distance from a lowest
//! value. A value that does not fit makes the column wider, and all rows are packed anew; since a column grows by
//! jumps, that happens a few times, and mostly while there are few rows.

/// How states are packed.
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

/// The widths that columns have. Between them, growing is free.
const WIDTHS: [u32; 14] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32];

impl Packing {
    /// Room for this state and no other.
    pub fn of(state: &[i32]) -> Packing {
        let columns = state.iter().map(|&value| Column { low: value, most: 0, word: 0, shift: 0 });
        let mut packing = Packing { columns: columns.collect(), words: 0 };
        packing.arrange();
        packing
    }

    /// Makes every column wide enough for the values of this state, too.
    pub fn widen(&mut self, state: &[i32]) {
        for (column, &value) in self.columns.iter_mut().zip(state) {
            column.widen(value);
        }
        self.arrange();
    }

    /// Whether this state can be packed.
    pub fn fits(&self, state: &[i32]) -> bool {
        self.columns.iter().zip(state).all(|(column, &value)| column.distance(value) <= column.most)
    }

    fn arrange(&mut self) {
        let (mut word, mut shift) = (0, 0);
        for column in &mut self.columns {
            let bits = column.bits();
            if shift + bits > 64 {
                (word, shift) = (word + 1, 0);
            }
            // A column without bits may follow a full word.
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

    pub fn unpack(&self, row: &[u64], state: &mut [i32]) {
        for (column, value) in self.columns.iter().zip(state) {
            let distance = (row[column.word as usize] >> column.shift) as u32 & column.most;
            *value = column.low.wrapping_add(distance as i32);
        }
    }

    /// The bits of all columns.
    pub fn bits(&self) -> u32 {
        self.columns.iter().map(|column| column.bits()).sum()
    }
}

impl Column {
    fn bits(&self) -> u32 {
        self.most.count_ones()
    }

    fn distance(&self, value: i32) -> u32 {
        value.wrapping_sub(self.low) as u32
    }

    fn widen(&mut self, value: i32) {
        if self.distance(value) <= self.most {
            return;
        }
        let low = i64::from(self.low).min(value.into());
        let high = (i64::from(self.low) + i64::from(self.most)).max(value.into());
        let needed = 64 - (high - low).leading_zeros();
        let bits = WIDTHS.into_iter().find(|&bits| bits >= needed).unwrap_or(32);
        self.most = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
        // The new room is where the column grows.
        let low = if value < self.low { high - i64::from(self.most) } else { low };
        self.low = low.clamp(i32::MIN.into(), (i64::from(i32::MAX) - i64::from(self.most)).max(i32::MIN.into())) as i32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::random::Random;

    /// Columns of all widths, widened in any order, give back what was put in, and equal rows are equal states.
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
            let mut packing = Packing::of(&states[0]);
            for (known, state) in states.iter().enumerate() {
                let mut row = vec![0; packing.words];
                if packing.pack(state, &mut row).is_err() {
                    packing.widen(state);
                }
                let rows = states[..=known].iter().map(|state| {
                    let mut row = vec![0; packing.words];
                    assert!(packing.fits(state));
                    assert_eq!(packing.pack(state, &mut row), Ok(()), "seed {seed}: {state:?} in {packing:?}");
                    let mut back = vec![0; size];
                    packing.unpack(&row, &mut back);
                    assert_eq!(&back, state, "seed {seed}");
                    row
                });
                drop(rows.collect::<Vec<_>>());
            }
        }
    }
}
