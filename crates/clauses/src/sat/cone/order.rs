//! The order of decisions: the variables most active in recent conflicts first, in buckets.
//!
//! A call fills the order with its cone and mostly needs only the front of it, so that keeping a heap in shape would be the
//! dearest part of many calls. Buckets by rough activity (after GipSAT) take every variable in and out in constant time. A bucket
//! spans a factor of 2^(1/4), which the increment passes in about three conflicts.

use crate::cnf::Var;

const DECAY: f64 = 0.95;
/// A power of two: activities keep their distances when they are scaled back.
const RESCALE_ABOVE: f64 = (1u128 << 127) as f64;
const ABSENT: u16 = u16::MAX;

const WORDS: usize = 4;
const BUCKETS: u64 = 64 * WORDS as u64;
/// Buckets in front of that of the increment when the order is filled: activities of a few hundred more conflicts.
const HEADROOM: u64 = 96;
/// Bits of a float below those that choose its bucket: the exponent and two bits more do.
const FINE_BITS: u32 = 50;

pub struct Order {
    activity: Vec<f64>,
    increment: f64,
    buckets: Vec<Vec<Var>>,
    /// One bit for each bucket that is not empty.
    occupied: [u64; WORDS],
    /// The key of the first bucket.
    top: u64,
    /// By variable: its bucket, or [`ABSENT`]. Whatever other buckets have of it is left over from before it was bumped.
    place: Vec<u16>,
}

impl Default for Order {
    fn default() -> Self {
        let buckets = vec![Vec::new(); BUCKETS as usize];
        Order { activity: Vec::new(), increment: 1.0, buckets, occupied: [0; WORDS], top: 0, place: Vec::new() }
    }
}

/// Grows with a number that is not negative.
#[inline]
fn key(activity: f64) -> u64 {
    activity.to_bits() >> FINE_BITS
}

impl Order {
    pub fn new_var(&mut self) {
        self.activity.push(0.0);
        self.place.push(ABSENT);
    }

    pub fn clear(&mut self) {
        for word in 0..WORDS {
            while self.occupied[word] != 0 {
                let bucket = 64 * word + self.occupied[word].trailing_zeros() as usize;
                for var in self.buckets[bucket].drain(..) {
                    self.place[var.index()] = ABSENT;
                }
                self.occupied[word] &= self.occupied[word] - 1;
            }
        }
        self.top = key(self.increment) + HEADROOM;
    }

    /// Whether the most active variables are all in the first bucket by now: it is to be filled again.
    pub fn is_outgrown(&self) -> bool {
        key(self.increment) > self.top
    }

    #[inline]
    pub fn insert(&mut self, var: Var) {
        if self.place[var.index()] == ABSENT {
            self.put(var);
        }
    }

    #[inline]
    fn put(&mut self, var: Var) {
        let bucket = self.bucket(var);
        self.place[var.index()] = bucket as u16;
        self.buckets[bucket].push(var);
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
    }

    #[inline]
    fn bucket(&self, var: Var) -> usize {
        let behind = self.top.saturating_sub(key(self.activity[var.index()]));
        behind.min(BUCKETS - 1) as usize
    }

    pub fn pop(&mut self) -> Option<Var> {
        for word in 0..WORDS {
            while self.occupied[word] != 0 {
                let bucket = 64 * word + self.occupied[word].trailing_zeros() as usize;
                while let Some(var) = self.buckets[bucket].pop() {
                    if self.place[var.index()] == bucket as u16 {
                        self.place[var.index()] = ABSENT;
                        return Some(var);
                    }
                }
                self.occupied[word] &= self.occupied[word] - 1;
            }
        }
        None
    }

    pub fn bump(&mut self, var: Var) {
        self.activity[var.index()] += self.increment;
        if self.activity[var.index()] > RESCALE_ABOVE {
            self.increment /= RESCALE_ABOVE;
            for activity in &mut self.activity {
                *activity /= RESCALE_ABOVE;
            }
            // Nothing is where it belongs now, but all of it is still there.
            self.top = 0;
        }
        let place = self.place[var.index()];
        if place != ABSENT && self.bucket(var) < usize::from(place) {
            self.put(var);
        }
    }

    pub fn decay(&mut self) {
        self.increment /= DECAY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redoubt_base::Random;

    /// Every variable comes out once, however often it was bumped, and the most active ones are in front.
    #[test]
    fn all_come_out_once_and_in_order() {
        let mut random = Random::new(1);
        let mut order = Order::default();
        (0..50).for_each(|_| order.new_var());
        for _ in 0..200 {
            order.clear();
            (0..50).for_each(|var| order.insert(Var(var)));
            for _ in 0..random.below(30) {
                (0..3).for_each(|_| order.bump(Var(random.below(50) as u32)));
                order.decay();
            }
            let is_outgrown = order.is_outgrown();
            let popped: Vec<Var> = std::iter::from_fn(|| order.pop()).collect();
            let mut sorted = popped.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..50).map(Var).collect::<Vec<_>>());
            let key = |var: &Var| key(order.activity[var.index()]).max(order.top.saturating_sub(BUCKETS - 1));
            assert!(is_outgrown || popped.windows(2).all(|pair| key(&pair[0]) >= key(&pair[1])));
        }
    }
}
