//! Sets of numbers as a certificate writes them: `{-3, 0..7, 10..9990 by 4}`.

use std::fmt;

use crate::analysis::Values;
use crate::analysis::domain::{MOST, Range};

/// `low`, `low + step`, ..., `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run {
    pub low: i32,
    pub high: i32,
    pub step: u32,
}

/// Runs, ascending, that do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberSet {
    runs: Vec<Run>,
}

impl Run {
    /// A run of all numbers between two; `None` if there are none.
    pub fn between(low: i32, high: i32) -> Option<Run> {
        (low <= high).then_some(Run { low, high, step: 1 })
    }

    /// How many numbers it has.
    fn count(&self) -> u64 {
        u64::from(self.high.abs_diff(self.low) / self.step) + 1
    }

    fn contains(&self, number: i32) -> bool {
        (self.low..=self.high).contains(&number) && number.abs_diff(self.low).is_multiple_of(self.step)
    }
}

impl NumberSet {
    /// The numbers of some runs; `None` if they are out of order, overlap, or a step does not lead to the end.
    pub fn new(runs: Vec<Run>) -> Option<NumberSet> {
        let ascend = runs.windows(2).all(|pair| pair[0].high < pair[1].low);
        let fit =
            |run: &Run| run.low <= run.high && run.step > 0 && run.high.abs_diff(run.low).is_multiple_of(run.step);
        (ascend && runs.iter().all(fit)).then_some(NumberSet { runs })
    }

    /// The numbers of ascending intervals that do not overlap; neighbours become one.
    pub fn of_intervals(intervals: impl Iterator<Item = (i32, i32)>) -> NumberSet {
        let mut runs: Vec<Run> = vec![];
        for (low, high) in intervals {
            match runs.last_mut() {
                Some(last) if last.high.checked_add(1) == Some(low) => last.high = high,
                _ => runs.push(Run { low, high, step: 1 }),
            }
        }
        NumberSet { runs }
    }

    /// All of some values.
    pub fn of(values: &Values) -> NumberSet {
        match values {
            Values::Set(list) => NumberSet::of_intervals(list.iter().map(|&value| (value, value))),
            Values::Range(Range { low, high, stride }) => {
                NumberSet { runs: vec![Run { low: *low, high: *high, step: *stride }] }
            }
        }
    }

    /// The same set in the form that expressions are evaluated with, where there is one.
    pub fn values(&self) -> Option<Values> {
        match self.runs[..] {
            _ if self.count() <= MOST as u64 => Some(Values::Set(self.iter().collect())),
            [Run { low, high, step }] => Some(Values::Range(Range { low, high, stride: step })),
            _ => None,
        }
    }

    /// Whether it has all numbers between the ends of its runs.
    pub fn is_without_steps(&self) -> bool {
        self.runs.iter().all(|run| run.step == 1 || run.low == run.high)
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    pub fn count(&self) -> u64 {
        self.runs.iter().map(Run::count).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        let numbers = |run: &Run| (i64::from(run.low)..=i64::from(run.high)).step_by(run.step as usize);
        self.runs.iter().flat_map(numbers).map(|number| number as i32)
    }

    pub fn contains(&self, number: i32) -> bool {
        let index = self.runs.partition_point(|run| run.high < number);
        self.runs.get(index).is_some_and(|run| run.contains(number))
    }
}

impl fmt::Display for NumberSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{")?;
        for (index, run) in self.runs.iter().enumerate() {
            if index > 0 {
                write!(f, ", ")?;
            }
            match *run {
                Run { low, high, .. } if low == high => write!(f, "{low}")?,
                Run { low, high, step: 1 } => write!(f, "{low}..{high}")?,
                Run { low, high, step } => write!(f, "{low}..{high} by {step}")?,
            }
        }
        write!(f, "}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one_run() {
        let set = NumberSet::of_intervals([(1, 1), (2, 5), (9, 9)].into_iter());
        assert_eq!(set.to_string(), "{1..5, 9}");
        assert_eq!((set.count(), set.contains(4), set.contains(6)), (6, true, false));
    }

    #[test]
    fn strides_survive() {
        let values = Values::Range(Range { low: 1, high: 9997, stride: 4 });
        let set = NumberSet::of(&values);
        assert_eq!(set.to_string(), "{1..9997 by 4}");
        assert_eq!(set.values(), Some(values));
        assert!(set.contains(5) && !set.contains(6));
    }

    #[test]
    fn runs_that_overlap_are_no_set() {
        let run = |low, high| Run { low, high, step: 1 };
        assert!(NumberSet::new(vec![run(1, 4), run(4, 5)]).is_none());
        assert!(NumberSet::new(vec![run(3, 1)]).is_none());
        assert!(NumberSet::new(vec![Run { low: 1, high: 4, step: 2 }]).is_none());
    }
}
