//! Arithmetic progressions: `low`, `low + step`, ..., `high`.

/// The most numbers tried to intersect two runs.
const MOST_TRIED: u64 = 64;

const TURN: i64 = 1 << 32;
const LOWEST: i64 = i32::MIN as i64;
const HIGHEST: i64 = i32::MAX as i64;

/// `low`, `low + step`, ..., `high`; a single number has step 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Progression {
    pub low: i32,
    pub high: i32,
    pub step: u32,
}

impl Progression {
    pub const ALL: Progression = Progression { low: i32::MIN, high: i32::MAX, step: 1 };
    /// 0 and 1.
    pub const TRUTH: Progression = Progression { low: 0, high: 1, step: 1 };

    pub fn single(number: i32) -> Progression {
        Progression { low: number, high: number, step: 1 }
    }

    /// A run of all numbers between two; `None` if there are none.
    pub fn between(low: i32, high: i32) -> Option<Progression> {
        (low <= high).then_some(Progression { low, high, step: 1 })
    }

    /// Every `step`-th number from `low` to at most `high`, each reduced to 32 bits. A step of 0 is for `low` alone.
    pub(super) fn wrapped(low: i64, high: i64, step: u64) -> Progression {
        let turns = |number: i64| (number - LOWEST).div_euclid(TURN);
        if turns(low) != turns(high) {
            // It goes around. Modulo 2^32, only the power of two in the step remains.
            let step = 1 << step.trailing_zeros().min(31);
            let low = LOWEST + (low - LOWEST).rem_euclid(step);
            return Progression { low: low as i32, high: (HIGHEST - (HIGHEST - low) % step) as i32, step: step as u32 };
        }
        let low = low - turns(low) * TURN;
        let high = high - turns(high) * TURN;
        match step {
            _ if step == 0 || step > (high - low) as u64 => Progression::single(low as i32),
            _ => Progression { low: low as i32, high: (high - (high - low) % step as i64) as i32, step: step as u32 },
        }
    }

    pub fn is_single(&self) -> bool {
        self.low == self.high
    }

    /// The number of its numbers.
    pub fn count(&self) -> u64 {
        u64::from(self.high.abs_diff(self.low) / self.step) + 1
    }

    pub fn contains(&self, number: i32) -> bool {
        (self.low..=self.high).contains(&number) && number.abs_diff(self.low).is_multiple_of(self.step)
    }

    /// Whether it has every number of another.
    pub(super) fn includes(&self, other: &Progression) -> bool {
        let fits = other.is_single() || other.step.is_multiple_of(self.step);
        self.contains(other.low) && self.contains(other.high) && fits
    }

    /// The distances between its numbers are the multiples of this; 0 for a single number.
    pub(super) fn stride(&self) -> u64 {
        if self.is_single() { 0 } else { u64::from(self.step) }
    }

    pub fn iter(&self) -> impl Iterator<Item = i32> + use<> {
        (i64::from(self.low)..=i64::from(self.high)).step_by(self.step as usize).map(|number| number as i32)
    }

    /// Its numbers between two, both included.
    pub fn within(&self, low: i32, high: i32) -> Option<Progression> {
        if low <= self.low && self.high <= high {
            return Some(*self);
        }
        let (start, step) = (i64::from(self.low), i64::from(self.step));
        let (low, high) = (i64::from(low).max(start), i64::from(high.min(self.high)));
        let low = low + (start - low).rem_euclid(step);
        (low <= high).then(|| Progression::wrapped(low, high, step as u64))
    }

    /// A run that has all numbers of two.
    pub(super) fn around(&self, other: &Progression) -> Progression {
        let step = gcd(gcd(self.stride(), other.stride()), u64::from(self.low.abs_diff(other.low)));
        Progression::wrapped(i64::from(self.low.min(other.low)), i64::from(self.high.max(other.high)), step)
    }

    /// The two as one run, if that adds nothing. The other one begins behind the end of this one.
    pub(super) fn extended(&self, other: &Progression) -> Option<Progression> {
        let step = match (self.stride(), other.stride()) {
            (0, 0) => 1,
            (0, step) | (step, 0) => step,
            (own, others) if own == others => own,
            _ => return None,
        };
        let is_next = i64::from(other.low) - i64::from(self.high) == step as i64;
        is_next.then_some(Progression { low: self.low, high: other.high, step: step as u32 })
    }

    /// A run that has all numbers that are in both.
    pub(super) fn common(&self, other: &Progression) -> Option<Progression> {
        let (coarse, fine) = if self.stride() >= other.stride() { (self, other) } else { (other, self) };
        if fine.is_single() {
            return coarse.contains(fine.low).then_some(*fine);
        }
        if coarse.is_single() {
            return fine.contains(coarse.low).then_some(*coarse);
        }
        let inside = coarse.within(fine.low, fine.high)?;
        // After this many numbers of the coarse one, their remainders by the step of the fine one repeat.
        let period = u64::from(fine.step) / gcd(coarse.stride(), fine.stride());
        if period > MOST_TRIED {
            return Some(inside);
        }
        let first = inside.iter().take(period as usize).find(|&number| fine.contains(number))?;
        Some(Progression::wrapped(first.into(), inside.high.into(), coarse.stride() * period))
    }
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
