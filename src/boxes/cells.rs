//! Where guards cut the numbers of a variable: cells, whose numbers no guard tells apart.

use super::guards::{Slot, Test, Tests};
use super::sets::Sets;
use crate::analysis::Values;

pub struct Cells {
    /// Per slot: where all cells but the lowest begin, ascending.
    starts: Vec<Box<[i32]>>,
    is_ranged: Vec<bool>,
}

impl Cells {
    /// The cells that tests make; `head` has the values of each slot.
    pub fn new(tests: &Tests, sets: &mut Sets, head: &[Values]) -> Cells {
        // Products care about signs.
        let mut starts = vec![vec![0]; head.len()];
        let (mut by_order, mut by_value) = (vec![false; head.len()], vec![false; head.len()]);
        for test in tests.all() {
            if let &Test::In(slot, set) = test {
                let slot = slot.index();
                let other = sets.complement(set);
                let is_listed = |set| sets.intervals(set).iter().all(|(low, high)| low == high);
                by_order[slot] |= matches!(head[slot], Values::Range(_));
                by_value[slot] |= is_listed(set) || is_listed(other);
                for part in [set, other] {
                    starts[slot].extend(sets.intervals(part).iter().map(|interval| interval.0));
                }
            }
        }
        let sorted = |mut list: Vec<i32>| {
            list.sort_unstable();
            list.dedup();
            list.retain(|&start| start > i32::MIN);
            list.into()
        };
        let is_ranged = by_order.iter().zip(by_value).map(|(by_order, by_value)| *by_order && !by_value).collect();
        Cells { starts: starts.into_iter().map(sorted).collect(), is_ranged }
    }

    /// Whether a variable is compared by order only. What arithmetic makes of it is better left open than bound.
    pub fn is_ranged(&self, slot: Slot) -> bool {
        self.is_ranged[slot.index()]
    }

    /// The cell that a number lies in.
    pub fn around(&self, slot: Slot, value: i32) -> (i32, i32) {
        let starts = &self.starts[slot.index()];
        let at = starts.partition_point(|&start| start <= value);
        let low = at.checked_sub(1).map_or(i32::MIN, |before| starts[before]);
        (low, starts.get(at).map_or(i32::MAX, |next| next - 1))
    }
}
