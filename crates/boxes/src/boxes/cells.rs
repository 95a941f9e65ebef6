//! Where the guards that matter cut the numbers of a variable, and which variables they compare by order only.

use super::guards::{Slot, Test, Tests};
use super::sets::Sets;
use crate::analysis::{self, Values};

pub struct Cells {
    /// By slot.
    cells: analysis::Cells,
    is_ranged: Vec<bool>,
}

impl Cells {
    /// The cells that tests make; `head` has the values of each slot.
    pub fn new(tests: &Tests, sets: &mut Sets, head: &[Values]) -> Cells {
        let mut starts = starts(tests, sets, head.len());
        // Products care about signs.
        starts.iter_mut().for_each(|starts| starts.push(0));
        let (mut by_order, mut by_value) = (vec![false; head.len()], vec![false; head.len()]);
        for test in tests.all() {
            if let &Test::In(slot, set) = test {
                let slot = slot.index();
                let other = sets.complement(set);
                let is_listed = |set| sets.intervals(set).iter().all(|(low, high)| low == high);
                by_order[slot] |= matches!(head[slot], Values::Range(_));
                by_value[slot] |= is_listed(set) || is_listed(other);
            }
        }
        let is_ranged = by_order.iter().zip(by_value).map(|(by_order, by_value)| *by_order && !by_value).collect();
        Cells { cells: analysis::Cells::from_starts(starts), is_ranged }
    }

    /// Whether a variable is compared by order only. Results of arithmetic with it are better left open than bound.
    pub fn is_ranged(&self, slot: Slot) -> bool {
        self.is_ranged[slot.index()]
    }

    /// The cell that a number lies in.
    pub fn around(&self, slot: Slot, value: i32) -> (i32, i32) {
        self.cells.around(slot.index(), value)
    }
}

/// By slot: where tests begin and end to hold.
pub fn starts(tests: &Tests, sets: &mut Sets, slots: usize) -> Vec<Vec<i32>> {
    let mut starts = vec![vec![]; slots];
    for test in tests.all() {
        if let &Test::In(slot, set) = test {
            for part in [set, sets.complement(set)] {
                starts[slot.index()].extend(sets.intervals(part).iter().map(|interval| interval.0));
            }
        }
    }
    starts
}
