//! Random choices, the same ones for the same seed on every machine.

use crate::base::Random;

pub struct Dice(Random);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(Random::new(seed))
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A number of the range, both ends included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.0.below((high - low + 1) as usize) as i64
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.0.below(100) < percent
    }

    /// One of the items, if there are any.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.0.below(items.len())].clone())
    }

    /// One of some items that are written down in the program, so that there are some.
    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        self.0.choose(items)
    }

    /// Fisher and Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.0.below(end + 1));
        }
    }
}
