//! Visited states to boxes: rows that differ in one column only become one, until none do.
//!
//! States that a search visits one by one are mostly products: some variables have moved while others could be
//! anything. Merging along each column in turn, as the two-level minimisation of Quine and McCluskey joins terms but
//! without overlaps, gives tens to hundreds of times fewer boxes, which a person can read and a checker need not take
//! one by one. The union stays exactly the same.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::certificate::NumberSet;

/// For every column, which of its values a box has: a set of value numbers.
type Row = Box<[u32]>;

/// Boxes over columns of numbered values.
#[derive(Debug, Default)]
pub struct Merged {
    /// Sets of value numbers, each once; boxes refer to them by index.
    pub sets: Vec<Vec<u32>>,
    /// Per box and column, an index into `sets`.
    pub boxes: Vec<Row>,
}

/// The boxes of rows of value numbers, `width` numbers each, none negative.
pub fn merge(numbers: &[i32], width: usize) -> Merged {
    let mut sets = Sets::default();
    if width == 0 {
        return Merged::default();
    }
    let highest = numbers.iter().copied().max().unwrap_or(0);
    let singles: Vec<u32> = (0..=highest as u32).map(|number| sets.intern(vec![number])).collect();
    let mut boxes: Vec<Row> =
        numbers.chunks(width).map(|row| row.iter().map(|&number| singles[number as usize]).collect()).collect();
    // Columns in which most rows differ from each other merge most; a round without a merge is the last.
    loop {
        let before = boxes.len();
        for column in 0..width {
            boxes = merge_column(boxes, column, &mut sets);
        }
        if boxes.len() == before {
            break;
        }
    }
    Merged { sets: sets.list, boxes }
}

/// Joins the boxes that agree in all other columns.
fn merge_column(boxes: Vec<Row>, column: usize, sets: &mut Sets) -> Vec<Row> {
    let hash = |row: &Row| {
        let mut hasher = FxHasher::default();
        row[..column].hash(&mut hasher);
        row[column + 1..].hash(&mut hasher);
        hasher.finish()
    };
    let agree = |a: &Row, b: &Row| a[..column] == b[..column] && a[column + 1..] == b[column + 1..];
    let mut heads: hashbrown::HashTable<usize> = hashbrown::HashTable::with_capacity(boxes.len());
    let mut members: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
    let mut kept: Vec<Row> = Vec::with_capacity(boxes.len());
    for row in boxes {
        let code = hash(&row);
        match heads.find(code, |&head| agree(&kept[head], &row)) {
            Some(&head) => members.entry(head).or_insert_with(|| vec![kept[head][column]]).push(row[column]),
            None => {
                heads.insert_unique(code, kept.len(), |&head| hash(&kept[head]));
                kept.push(row);
            }
        }
    }
    for (head, parts) in members {
        kept[head][column] = sets.join(&parts);
    }
    kept
}

#[derive(Default)]
struct Sets {
    list: Vec<Vec<u32>>,
    known: FxHashMap<Vec<u32>, u32>,
}

impl Sets {
    fn intern(&mut self, set: Vec<u32>) -> u32 {
        if let Some(&index) = self.known.get(&set) {
            return index;
        }
        let index = self.list.len() as u32;
        self.list.push(set.clone());
        self.known.insert(set, index);
        index
    }

    fn join(&mut self, parts: &[u32]) -> u32 {
        let mut all: Vec<u32> = parts.iter().flat_map(|&part| self.list[part as usize].iter().copied()).collect();
        all.sort_unstable();
        self.intern(all)
    }
}

impl Merged {
    /// A set of value numbers as numbers, given the interval of each value.
    pub fn numbers(&self, set: u32, interval: impl Fn(u32) -> (i32, i32)) -> NumberSet {
        NumberSet::of_intervals(self.sets[set as usize].iter().map(|&number| interval(number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(merged: &Merged) -> usize {
        let size = |row: &Row| row.iter().map(|&set| merged.sets[set as usize].len()).product::<usize>();
        merged.boxes.iter().map(size).sum()
    }

    #[test]
    fn a_product_is_one_box() {
        let numbers: Vec<i32> = (0..3).flat_map(|a| (0..4).flat_map(move |b| [a, 7, b])).collect();
        let merged = merge(&numbers, 3);
        assert_eq!((merged.boxes.len(), rows(&merged)), (1, 12));
    }

    #[test]
    fn nothing_is_added() {
        let numbers = [0, 0, 0, 1, 1, 0, 2, 2];
        let merged = merge(&numbers, 2);
        assert_eq!((merged.boxes.len(), rows(&merged)), (3, 4));
    }
}
