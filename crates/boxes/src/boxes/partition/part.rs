//! A part: the values of all its states, variable by variable.

use std::collections::BTreeSet;

use super::tree::NodeId;
use super::walk::{Ends, Seen, Way};
use super::{PartId, State};
use crate::analysis::Values;

#[derive(Debug)]
pub struct Part {
    /// By position in the state.
    pub values: Vec<Values>,
    /// The number of times that a variable has got more values in a cell where it had some.
    growth: Vec<u8>,
    /// The parts that lead here.
    pub sources: BTreeSet<PartId>,
    pub node: NodeId,
    /// Where the last walk from here led to.
    pub ends: Ends,
    /// By way: the parts that it leads to.
    pub targets: Vec<Vec<PartId>>,
    /// The number of walks, and whether the next would be the same as the last.
    pub walks: u32,
    pub is_settled: bool,
    /// It was divided by one more variable: others have taken its place.
    pub is_gone: bool,
}

/// So often may values within a cell grow, until all of the cell is taken; and so often that is done with care for products.
const PATIENCE: u8 = 2;
const CAREFUL: u8 = 8;

/// Where cells are cut once more: numbers below these do not overflow when they are multiplied, and the arithmetic of the
/// challenge stays below the first.
const LANDMARKS: [i32; 4] = [-46_340, -30_000, 30_000, 46_340];

impl Part {
    pub fn new(values: Vec<Values>, node: NodeId) -> Part {
        let growth = vec![0; values.len()];
        Part {
            values,
            growth,
            sources: BTreeSet::new(),
            node,
            ends: Ends::default(),
            targets: vec![],
            walks: 0,
            is_settled: false,
            is_gone: false,
        }
    }

    /// States arrive; whether that is news.
    pub fn join(&mut self, state: &State, arriving: &[Values]) -> bool {
        let mut news = false;
        for (position, new) in arriving.iter().enumerate() {
            if !new.is_subset(&self.values[position]) {
                self.values[position] = self.widened(state, position, new);
                self.is_settled = self.is_settled && !self.ends.relies_on[position];
                news = true;
            }
        }
        news
    }

    /// The values of the part's states at the end of each path.
    pub fn values_after(&self) -> Vec<Vec<Values>> {
        let after = |way: &Way| {
            let mut values = self.values.clone();
            way.changes.iter().for_each(|(position, new)| values[*position] = new.clone());
            values
        };
        self.ends.ways.iter().map(after).collect()
    }

    /// The visible behaviour of each path, and the parts that it leads to.
    pub fn ways(&self) -> impl Iterator<Item = (&Seen, &Vec<PartId>)> {
        self.ends.ways.iter().map(|way| &way.seen).zip(&self.targets)
    }

    /// The old values and the new ones: if they keep growing within a cell, then up to where it ends.
    fn widened(&mut self, state: &State, position: usize, new: &Values) -> Values {
        let old = &self.values[position];
        let joined = old.join(new);
        let (Some((old_low, old_high)), Some((low, high))) = (old.bounds(), joined.bounds()) else { return joined };
        let is_occupied = |number: i32| {
            let cell = state.cell(position, number);
            !old.within(cell.0, cell.1).is_empty()
        };
        let grows = match new {
            Values::Set(list) => list.iter().any(|&number| !old.contains(number) && is_occupied(number)),
            Values::Range(range) => is_occupied(range.low) || is_occupied(range.high),
        };
        let is_counter = state.is_counter[position];
        if grows || is_counter {
            self.growth[position] = self.growth[position].saturating_add(1);
        }
        let growth = self.growth[position];
        let is_in_one_cell = state.cell(position, low).1 >= high;
        // A set of numbers in several cells says which; a range does not. But for counters that is not worth it.
        let is_several = !is_in_one_cell && matches!(joined, Values::Set(_));
        if growth <= PATIENCE || is_several && !is_counter {
            return joined;
        }
        // A counter takes ever larger strides over the cells that it passes.
        let cells = if is_counter { 1 << (growth - PATIENCE - 1).min(16) } else { 1 };
        let bounds = state.bounds[position];
        let (mut lowest, mut highest) = (low, high);
        if low < old_low {
            let landmark = LANDMARKS.into_iter().filter(|&mark| mark <= low && growth <= CAREFUL).max();
            let below = |&start: &i32| start.checked_sub(1).map(|next| state.cell(position, next).0);
            let starts = std::iter::successors(Some(state.cell(position, low).0), below);
            let start = starts.take(cells).last().unwrap_or(low);
            lowest = start.max(bounds.0).max(landmark.unwrap_or(i32::MIN)).min(low);
        }
        if high > old_high {
            let landmark = LANDMARKS.into_iter().find(|&mark| mark >= high && growth <= CAREFUL);
            let above = |&end: &i32| end.checked_add(1).map(|next| state.cell(position, next).1);
            let ends = std::iter::successors(Some(state.cell(position, high).1), above);
            let end = ends.take(cells).last().unwrap_or(high);
            highest = end.min(bounds.1).min(landmark.unwrap_or(i32::MAX)).max(high);
        }
        joined.extended(lowest, highest)
    }
}
