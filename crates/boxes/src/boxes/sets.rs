//! Sets of numbers, each stored once, so that a set is a small handle and equal sets have equal handles.
//!
//! A set is a list of intervals. Boxes are made of very few different sets, which guards and assignments ask for again
//! and again, so intersections are remembered.

use rustc_hash::FxHashMap;

use crate::analysis::Values;
use crate::base::id;

id!(/// A set in a [`Sets`] arena.
    SetId);

type Intervals = Box<[(i32, i32)]>;

#[derive(Debug)]
pub struct Sets {
    lists: Vec<Intervals>,
    unique: FxHashMap<Intervals, SetId>,
    meets: FxHashMap<(SetId, SetId), SetId>,
}

/// Larger sets are given to the arithmetic of the analysis by their bounds.
const LISTED: u64 = 64;

/// The number of pairs of intervals up to which they are compared one by one.
const FEW: usize = 8;

impl Sets {
    pub fn new() -> Sets {
        let mut sets = Sets { lists: vec![], unique: FxHashMap::default(), meets: FxHashMap::default() };
        let any = sets.of_intervals(vec![(i32::MIN, i32::MAX)]);
        assert_eq!(any, sets.any(), "the first one");
        sets
    }

    /// All numbers.
    pub fn any(&self) -> SetId {
        SetId::new(0)
    }

    /// The numbers of some intervals, which may overlap and come in any order.
    pub fn of_intervals(&mut self, mut list: Vec<(i32, i32)>) -> SetId {
        list.retain(|&(low, high)| low <= high);
        list.sort_unstable();
        let mut merged: Vec<(i32, i32)> = Vec::with_capacity(list.len());
        for (low, high) in list {
            match merged.last_mut() {
                Some(last) if i64::from(low) <= i64::from(last.1) + 1 => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        self.intern(merged.into())
    }

    /// The numbers that some values lie among.
    pub fn of_values(&mut self, values: &Values) -> SetId {
        match values {
            Values::Set(list) => self.of_intervals(list.iter().map(|&value| (value, value)).collect()),
            Values::Range(range) => self.of_intervals(vec![(range.low, range.high)]),
        }
    }

    pub fn one(&mut self, value: i32) -> SetId {
        self.intern([(value, value)].into())
    }

    fn intern(&mut self, list: Intervals) -> SetId {
        if let Some(&known) = self.unique.get(&list) {
            return known;
        }
        let id = SetId::new(self.lists.len());
        self.lists.push(list.clone());
        self.unique.insert(list, id);
        id
    }

    pub fn intervals(&self, set: SetId) -> &[(i32, i32)] {
        &self.lists[set.index()]
    }

    pub fn is_empty(&self, set: SetId) -> bool {
        self.intervals(set).is_empty()
    }

    pub fn contains(&self, set: SetId, value: i32) -> bool {
        match self.intervals(set) {
            [] => false,
            [(low, high)] => *low <= value && value <= *high,
            list => {
                let place = list.partition_point(|&(_, high)| high < value);
                list.get(place).is_some_and(|&(low, _)| low <= value)
            }
        }
    }

    pub fn meet(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == self.any() {
            return a;
        }
        if a == self.any() {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.meets.get(&key) {
            return known;
        }
        let (x, y) = (self.intervals(a), self.intervals(b));
        let (mut i, mut j, mut both) = (0, 0, vec![]);
        while i < x.len() && j < y.len() {
            let (low, high) = (x[i].0.max(y[j].0), x[i].1.min(y[j].1));
            if low <= high {
                both.push((low, high));
            }
            if x[i].1 < y[j].1 { i += 1 } else { j += 1 }
        }
        let id = self.intern(both.into());
        self.meets.insert(key, id);
        id
    }

    pub fn is_subset(&mut self, a: SetId, b: SetId) -> bool {
        if a == b || b == self.any() {
            return true;
        }
        let (x, y) = (self.intervals(a), self.intervals(b));
        // Quicker than looking it up.
        if x.len() * y.len() <= FEW {
            return x.iter().all(|inner| y.iter().any(|outer| outer.0 <= inner.0 && inner.1 <= outer.1));
        }
        self.meet(a, b) == a
    }

    pub fn complement(&mut self, set: SetId) -> SetId {
        let mut rest = vec![];
        let mut next = Some(i32::MIN);
        for &(low, high) in self.intervals(set) {
            if let Some(start) = next
                && start < low
            {
                rest.push((start, low - 1));
            }
            next = high.checked_add(1);
        }
        rest.extend(next.map(|start| (start, i32::MAX)));
        self.intern(rest.into())
    }

    /// The interval of a set that a number lies in.
    pub fn around(&self, set: SetId, value: i32) -> Option<(i32, i32)> {
        self.intervals(set).iter().copied().find(|&(low, high)| low <= value && value <= high)
    }

    pub fn count(&self, set: SetId) -> u64 {
        self.intervals(set).iter().map(|&(low, high)| u64::from(high.abs_diff(low)) + 1).sum()
    }

    /// Whether all of some values are in a set.
    pub fn includes(&self, set: SetId, values: &Values) -> bool {
        match values {
            Values::Set(list) => list.iter().all(|&value| self.contains(set, value)),
            Values::Range(range) => {
                // Between the intervals of a set there may be room for no number of the range.
                match self.around(set, range.low) {
                    Some((_, high)) if range.high <= high => true,
                    _ if range.stride > 1 && values.count() <= 4096 => {
                        values.iter().all(|value| self.contains(set, value))
                    }
                    _ => false,
                }
            }
        }
    }

    /// The set within some values, as the arithmetic of the analysis has it: at least all of its numbers.
    pub fn values(&self, set: SetId, within: &Values) -> Values {
        if set == self.any() {
            return within.clone();
        }
        let list = self.intervals(set);
        let (Some(first), Some(last)) = (list.first(), list.last()) else { return Values::NONE };
        let hull = within.within(first.0, last.1);
        if hull.count() <= LISTED {
            return Values::from_list(hull.iter().filter(|&value| self.contains(set, value)).collect());
        }
        if self.count(set) <= LISTED {
            let all = list.iter().flat_map(|&(low, high)| low..=high);
            return Values::from_list(all.filter(|&value| within.contains(value)).collect());
        }
        hull
    }
}
