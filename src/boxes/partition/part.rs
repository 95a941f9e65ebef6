//! A part: what is known of all its states, variable by variable.

use std::collections::BTreeSet;

use super::tree::NodeId;
use super::{PartId, State};
use crate::analysis::Values;
use crate::program::PropertyId;

#[derive(Debug)]
pub struct Part {
    /// By position in the state.
    pub values: Vec<Values>,
    /// How often a variable has got more values in a cell where it had some.
    growth: Vec<u8>,
    /// The parts that lead here.
    pub sources: BTreeSet<PartId>,
    pub node: NodeId,
    /// The labels that a step from here may reach.
    pub labels: Vec<PropertyId>,
    /// It is told apart by one more variable by now: others have taken its place.
    pub is_gone: bool,
    pub is_queued: bool,
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
        Part { values, growth, sources: BTreeSet::new(), node, labels: vec![], is_gone: false, is_queued: false }
    }

    /// States arrive; whether that is news.
    pub fn join(&mut self, state: &State, arriving: &[Values]) -> bool {
        let mut news = false;
        for (position, new) in arriving.iter().enumerate() {
            if !new.is_subset(&self.values[position]) {
                self.values[position] = self.widened(state, position, new);
                news = true;
            }
        }
        news
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
        if new.bounds().is_some_and(|(low, high)| is_occupied(low) || is_occupied(high)) {
            self.growth[position] = self.growth[position].saturating_add(1);
        }
        let growth = self.growth[position];
        let is_in_one_cell = state.cell(position, low).1 >= high;
        // A set of numbers in several cells says which; a range does not.
        if growth <= PATIENCE || !is_in_one_cell && matches!(joined, Values::Set(_)) {
            return joined;
        }
        let bounds = state.bounds[position];
        let (mut lowest, mut highest) = (low, high);
        if low < old_low {
            let landmark = LANDMARKS.into_iter().filter(|&mark| mark <= low && growth <= CAREFUL).max();
            lowest = state.cell(position, low).0.max(bounds.0).max(landmark.unwrap_or(i32::MIN)).min(low);
        }
        if high > old_high {
            let landmark = LANDMARKS.into_iter().find(|&mark| mark >= high && growth <= CAREFUL);
            highest = state.cell(position, high).1.min(bounds.1).min(landmark.unwrap_or(i32::MAX)).max(high);
        }
        joined.extended(lowest, highest)
    }
}
