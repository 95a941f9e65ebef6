//! `--shard I/N`: which part of the work is this run's, so that N machines can share it without talking to each other.
//!
//! Every shard sees the same files, so each can find out the division by itself. Work is measured by the size of the files.
//! A problem that is larger than a fair share is divided by its properties; then the largest pieces are dealt out first, each
//! to the shard that has least (the rule of the longest processing time, Graham 1969).

use std::str::FromStr;

use super::set::Problem;

/// The `number`-th of `of` parts, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub number: usize,
    pub of: usize,
}

impl Shard {
    /// All of the work.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err("expected I/N, the number of a part and how many parts there are, as in 1/4".into()),
        }
    }
}

/// Which properties of a problem are wanted: those whose number, divided by `of`, leaves one of `groups`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub groups: Vec<usize>,
    pub of: usize,
}

impl Share {
    /// All of them.
    pub fn whole() -> Share {
        Share { groups: vec![0], of: 1 }
    }

    pub fn is_whole(&self) -> bool {
        self.groups.len() == self.of
    }

    /// Keeps those of a list that are wanted, by their places in it.
    pub fn keep<T>(&self, list: &mut Vec<T>) {
        let mut places = 0..;
        list.retain(|_| places.next().is_some_and(|place: usize| self.groups.contains(&(place % self.of))));
    }
}

/// A piece of work: a group of properties of a problem, and its size.
struct Piece {
    problem: usize,
    group: usize,
    of: usize,
    size: u64,
}

/// The problems of a shard, each with the properties to decide, in their order.
pub fn divide(problems: &[Problem], shard: Shard) -> Vec<Problem> {
    let sizes: Vec<u64> = problems.iter().map(Problem::size).collect();
    let groups = deal(&sizes, shard);
    let mine = problems.iter().zip(groups).filter(|(_, share)| !share.groups.is_empty());
    mine.map(|(problem, share)| Problem { share, ..problem.clone() }).collect()
}

/// By problem, the share of a shard.
fn deal(sizes: &[u64], shard: Shard) -> Vec<Share> {
    let fair = sizes.iter().sum::<u64>().div_ceil(shard.of as u64).max(1);
    let pieces = |(problem, &size): (usize, &u64)| {
        let of = size.div_ceil(fair).clamp(1, shard.of as u64) as usize;
        (0..of).map(move |group| Piece { problem, group, of, size: size / of as u64 })
    };
    let mut pieces: Vec<Piece> = sizes.iter().enumerate().flat_map(pieces).collect();
    let mut shares: Vec<Share> = sizes.iter().map(|_| Share { groups: vec![], of: 1 }).collect();
    pieces.iter().for_each(|piece| shares[piece.problem].of = piece.of);
    // The sort is stable, so that all shards have the same order.
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.size));
    let mut loads = vec![0; shard.of];
    for piece in pieces {
        let least = (0..shard.of).min_by_key(|&shard| loads[shard]).unwrap_or(0);
        // Even the smallest problem takes some time.
        loads[least] += piece.size + 1;
        if least + 1 == shard.number {
            shares[piece.problem].groups.push(piece.group);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use redoubt_base::Random;

    use super::*;

    #[test]
    fn every_property_belongs_to_one_shard() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let sizes: Vec<u64> = (0..random.below(9)).map(|_| random.below(2_000) as u64).collect();
            let of = 1 + random.below(8);
            let shares: Vec<Vec<Share>> = (1..=of).map(|number| deal(&sizes, Shard { number, of })).collect();
            for problem in 0..sizes.len() {
                for property in 0..20 {
                    let keeps = |shares: &&Vec<Share>| {
                        let share = &shares[problem];
                        share.groups.contains(&(property % share.of))
                    };
                    assert_eq!(shares.iter().filter(keeps).count(), 1, "{sizes:?} in {of}");
                }
            }
        }
    }

    #[test]
    fn a_large_problem_is_divided_and_small_ones_fill_the_rest() {
        let shares: Vec<Vec<Share>> = (1..=3).map(|number| deal(&[900, 50, 50], Shard { number, of: 3 })).collect();
        let groups: Vec<Vec<usize>> = shares.iter().map(|shares| shares[0].groups.clone()).collect();
        assert_eq!(groups, [[0], [1], [2]]);
        assert_eq!(shares.iter().filter(|shares| !shares[1].groups.is_empty()).count(), 1);
        let mut list: Vec<usize> = (0..7).collect();
        shares[1][0].keep(&mut list);
        assert_eq!(list, [1, 4]);
    }

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("2/3".parse(), Ok(Shard { number: 2, of: 3 }));
        for text in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
