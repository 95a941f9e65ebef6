//! Sets of numbers as a certificate writes them: `{-3, 0..7, 10..9990 by 4}`.

use std::fmt;

use redoubt_program::program::Domain;

use super::progression::Progression;

/// Runs, ascending, that do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberSet {
    runs: Vec<Progression>,
}

/// The most runs of a computed set; a set with more becomes one run that includes them all.
pub(super) const MOST_RUNS: usize = 64;

impl NumberSet {
    pub const NONE: NumberSet = NumberSet { runs: vec![] };

    /// The numbers of some runs; `None` if they are out of order, overlap, or a step does not lead to the end.
    pub fn new(mut runs: Vec<Progression>) -> Option<NumberSet> {
        let ascend = runs.windows(2).all(|pair| pair[0].high < pair[1].low);
        let fit = |run: &Progression| {
            run.low <= run.high && run.step > 0 && run.high.abs_diff(run.low).is_multiple_of(run.step)
        };
        if !ascend || !runs.iter().all(fit) {
            return None;
        }
        runs.iter_mut().filter(|run| run.is_single()).for_each(|run| run.step = 1);
        Some(NumberSet { runs })
    }

    pub fn all() -> NumberSet {
        NumberSet { runs: vec![Progression::ALL] }
    }

    pub fn one(number: i32) -> NumberSet {
        NumberSet { runs: vec![Progression::single(number)] }
    }

    /// 0 and 1.
    pub fn truth() -> NumberSet {
        NumberSet::between(0, 1)
    }

    /// All numbers between two, both included.
    pub fn between(low: i32, high: i32) -> NumberSet {
        NumberSet { runs: Progression::between(low, high).into_iter().collect() }
    }

    /// The numbers of ascending intervals that do not overlap; neighbours become one.
    pub fn of_intervals(intervals: impl Iterator<Item = (i32, i32)>) -> NumberSet {
        let mut runs: Vec<Progression> = vec![];
        for (low, high) in intervals {
            match runs.last_mut() {
                Some(last) if last.high.checked_add(1) == Some(low) => last.high = high,
                _ => runs.push(Progression { low, high, step: 1 }),
            }
        }
        NumberSet { runs }
    }

    pub fn of_domain(domain: &Domain) -> NumberSet {
        match domain {
            Domain::List(list) => NumberSet::of_intervals(list.iter().map(|&number| (number, number))),
            Domain::Range(low, high) => NumberSet::between(*low, *high),
        }
    }

    /// A set that has the numbers of all these runs, which may overlap. It has others too where runs with steps overlap
    /// that do not fit, or where there are very many.
    pub fn covering(mut pieces: Vec<Progression>) -> NumberSet {
        if let [] | [_] = pieces[..] {
            return NumberSet { runs: pieces };
        }
        pieces.sort_unstable();
        let mut runs: Vec<Progression> = vec![];
        for next in pieces {
            let Some(last) = runs.last_mut() else {
                runs.push(next);
                continue;
            };
            if next.low > last.high {
                match last.extended(&next) {
                    Some(both) => *last = both,
                    None => runs.push(next),
                }
            } else if !last.includes(&next) {
                *last = last.around(&next);
            }
        }
        if runs.len() > MOST_RUNS {
            runs = runs.into_iter().reduce(|all, next| all.around(&next)).into_iter().collect();
        }
        NumberSet { runs }
    }

    /// Whether it has all numbers between the ends of its runs.
    pub fn is_without_steps(&self) -> bool {
        self.runs.iter().all(|run| run.step == 1)
    }

    pub fn runs(&self) -> &[Progression] {
        &self.runs
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The only number, if there is just one.
    pub fn single(&self) -> Option<i32> {
        match self.runs[..] {
            [run] if run.is_single() => Some(run.low),
            _ => None,
        }
    }

    /// The lowest and the highest number; `None` if there is none.
    pub fn bounds(&self) -> Option<(i32, i32)> {
        Some((self.runs.first()?.low, self.runs.last()?.high))
    }

    pub fn count(&self) -> u64 {
        self.runs.iter().map(Progression::count).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        self.runs.iter().flat_map(Progression::iter)
    }

    pub fn contains(&self, number: i32) -> bool {
        let index = self.runs.partition_point(|run| run.high < number);
        self.runs.get(index).is_some_and(|run| run.contains(number))
    }

    /// Whether every number is one of the other's.
    pub fn is_subset(&self, other: &NumberSet) -> bool {
        self.runs.iter().all(|run| {
            // The runs of the other do not overlap, so the parts of this one in each of them can be counted.
            let first = other.runs.partition_point(|known| known.high < run.low);
            let near = other.runs[first..].iter().take_while(|known| known.low <= run.high);
            let part = |known: &Progression| run.within(known.low, known.high).filter(|part| known.includes(part));
            near.filter_map(part).map(|part| part.count()).sum::<u64>() == run.count()
        })
    }

    /// The numbers between two, both included.
    pub fn within(&self, low: i32, high: i32) -> NumberSet {
        let first = self.runs.partition_point(|run| run.high < low);
        let near = self.runs[first..].iter().take_while(|run| run.low <= high);
        NumberSet { runs: near.filter_map(|run| run.within(low, high)).collect() }
    }

    /// The numbers below the middle between both ends, and the others.
    pub fn halves(&self) -> [NumberSet; 2] {
        let Some((low, high)) = self.bounds() else { return [NumberSet::NONE, NumberSet::NONE] };
        let middle = (i64::from(low) + i64::from(high)).div_euclid(2) as i32;
        [self.within(low, middle), if middle < high { self.within(middle + 1, high) } else { NumberSet::NONE }]
    }

    /// A set that has all numbers of two.
    pub fn join(&self, other: &NumberSet) -> NumberSet {
        NumberSet::covering([&self.runs[..], &other.runs].concat())
    }

    /// A set that has all numbers of many.
    pub fn union(sets: impl Iterator<Item = NumberSet>) -> NumberSet {
        NumberSet::covering(sets.flat_map(|set| set.runs).collect())
    }

    /// A set that has all numbers that are in both.
    pub fn meet(&self, other: &NumberSet) -> NumberSet {
        let mut runs = vec![];
        for run in &self.runs {
            let first = other.runs.partition_point(|known| known.high < run.low);
            let near = other.runs[first..].iter().take_while(|known| known.low <= run.high);
            runs.extend(near.filter_map(|known| run.common(known)));
        }
        // Parts of runs that do not overlap do not overlap either.
        NumberSet { runs }
    }

    /// Whether a number may be in both; `false` is sure.
    pub fn meets(&self, other: &NumberSet) -> bool {
        let (mut own, mut others) = (&self.runs[..], &other.runs[..]);
        while let ([a, later_own @ ..], [b, later_others @ ..]) = (own, others) {
            if a.low <= b.high && b.low <= a.high && ((a.step == 1 && b.step == 1) || a.common(b).is_some()) {
                return true;
            }
            if a.high < b.high { own = later_own } else { others = later_others }
        }
        false
    }

    /// The numbers of this set that are not between the ends of any run of the other.
    pub fn outside(&self, other: &NumberSet) -> NumberSet {
        let mut runs = vec![];
        let mut from = Some(i32::MIN);
        for run in &other.runs {
            if let (Some(low), Some(high)) = (from, run.low.checked_sub(1))
                && low <= high
            {
                runs.extend(self.within(low, high).runs);
            }
            from = run.high.checked_add(1);
        }
        runs.extend(from.into_iter().flat_map(|low| self.within(low, i32::MAX).runs));
        NumberSet { runs }
    }

    /// All numbers but one, where that can be said in as many runs; else all.
    pub fn without(&self, number: i32) -> NumberSet {
        let keep = |run: &Progression| match *run {
            Progression { low, high, .. } if low == high => (low != number).then_some(*run),
            Progression { low, high, .. } if low == number => run.within(low + 1, high),
            Progression { low, high, .. } if high == number => run.within(low, high - 1),
            run => Some(run),
        };
        NumberSet { runs: self.runs.iter().filter_map(keep).collect() }
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
                Progression { low, high, .. } if low == high => write!(f, "{low}")?,
                Progression { low, high, step: 1 } => write!(f, "{low}..{high}")?,
                Progression { low, high, step } => write!(f, "{low}..{high} by {step}")?,
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
    fn a_set_covers_its_pieces() {
        let pieces = [(12, 12, 1), (0, 8, 4), (20, 22, 1), (21, 30, 1)];
        let set = NumberSet::covering(pieces.map(|(low, high, step)| Progression { low, high, step }).to_vec());
        assert_eq!(set.to_string(), "{0..12 by 4, 20..30}");
        let many: Vec<Progression> = (0..100).map(|number| Progression::single(7 * number)).collect();
        assert_eq!(NumberSet::covering(many).to_string(), "{0..693 by 7}");
    }

    #[test]
    fn what_is_common_and_what_is_outside_is_found_by_listing_too() {
        let mut random = redoubt_base::Random::new(3);
        let mut set = || {
            let mut runs = vec![];
            let mut low = -12;
            while random.below(4) > 0 && low < 12 {
                low += random.below(8) as i32;
                let (step, steps) = (1 + random.below(3) as i32, random.below(4) as i32);
                runs.push(Progression { low, high: low + step * steps, step: step as u32 });
                low += step * steps + 1;
            }
            NumberSet::new(runs).expect("runs that ascend")
        };
        for _ in 0..2000 {
            let (a, b) = (set(), set());
            let common = a.iter().any(|number| b.contains(number));
            assert_eq!(a.meets(&b), common, "{a} and {b}");
            let between = |number: i32| b.runs().iter().any(|run| run.low <= number && number <= run.high);
            let outside: Vec<i32> = a.iter().filter(|&number| !between(number)).collect();
            assert_eq!(a.outside(&b).iter().collect::<Vec<i32>>(), outside, "{a} outside {b}");
        }
        let (all, ends) = (NumberSet::all(), NumberSet::between(i32::MIN, 5));
        assert_eq!(all.outside(&ends).to_string(), "{6..2147483647}");
        assert!(all.outside(&all).is_empty());
    }

    #[test]
    fn runs_that_overlap_are_no_set() {
        let run = |low, high| Progression { low, high, step: 1 };
        assert!(NumberSet::new(vec![run(1, 4), run(4, 5)]).is_none());
        assert!(NumberSet::new(vec![run(3, 1)]).is_none());
        assert!(NumberSet::new(vec![Progression { low: 1, high: 4, step: 2 }]).is_none());
    }
}
