//! The hash of a state, by which workers find its owner.
//!
//! It is a sum over the words of the state, so that it does not depend on the packing of states, and follows from that
//! of another state by the difference (Zobrist, "A new hashing method with application for game playing", 1970).

/// The hash of a state.
pub fn of(state: &[i32]) -> u64 {
    state.iter().enumerate().fold(0, |sum, (place, &value)| sum.wrapping_add(term(place, value)))
}

/// The hash of a state that a step led to, by that of the state before.
pub fn after(hash: u64, old: &[i32], new: &[i32]) -> u64 {
    const CHUNK: usize = 8;
    let mut hash = hash;
    let chunks = old.chunks(CHUNK).zip(new.chunks(CHUNK)).enumerate();
    for (chunk, (old, new)) in chunks.filter(|(_, (old, new))| old != new) {
        for (place, (&old, &new)) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            let place = chunk * CHUNK + place;
            hash = hash.wrapping_sub(term(place, old)).wrapping_add(term(place, new));
        }
    }
    hash
}

/// The worker that a state belongs to. The table of a worker uses the upper half of the hash.
pub fn owner(hash: u64, workers: usize) -> usize {
    ((u64::from(hash as u32) * workers as u64) >> 32) as usize
}

/// Folded multiplication, as in wyhash (Wang Yi, 2019), twice.
fn term(place: usize, value: i32) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let word = (place as u64) << 32 | u64::from(value as u32);
    fold(fold(word ^ 0x9e37_79b9_7f4a_7c15, 0xa5a3_5625_e7c1_5b1d) ^ word, 0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    #[test]
    fn changes_lead_to_the_hash_of_the_whole() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let old: Vec<i32> = (0..random.below(40)).map(|_| random.bits() as i32 % 5).collect();
            let mut new = old.clone();
            for value in &mut new {
                *value = if random.below(4) == 0 { random.bits() as i32 } else { *value };
            }
            assert_eq!(after(of(&old), &old, &new), of(&new), "seed {seed}");
            assert_eq!(of(&old) == of(&new), old == new, "seed {seed}");
        }
    }

    #[test]
    fn workers_have_about_the_same() {
        let mut counts = [0_i32; 7];
        (0..70_000).for_each(|value| counts[owner(of(&[value % 256, value / 256, 0, 7]), 7)] += 1);
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 500), "{counts:?}");
    }
}
