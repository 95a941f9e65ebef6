//! The coarsest partition in which members of a block have the same kinds of edges to the same blocks: bisimilarity.
//!
//! Blocks are split by signatures, the sets of pairs of a label and a block (Blom and Orzan, "A distributed algorithm
//! for strong bisimulation reduction of state spaces", 2003). When a block is split, its largest part keeps the number,
//! and only elements with an edge to a renumbered one are looked at again; so an element is looked at no more often
//! than its successors change, a logarithmic number of times (Hopcroft's "process the smaller half").

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Which labels lead to which blocks, ascending.
type Signature<L> = Vec<(L, usize)>;

/// The block of each node, numbered from 0 in the order of their first members.
///
/// Edges with silent labels that stay in their block do not count: whatever can be done after one could be done before.
pub fn bisimilarity<L: Copy + Eq + Ord + Hash>(edges: &[Vec<(L, usize)>], is_silent: impl Fn(L) -> bool) -> Vec<usize> {
    let mut predecessors: Vec<Vec<usize>> = vec![vec![]; edges.len()];
    for (node, edges) in edges.iter().enumerate() {
        for &(_, target) in edges {
            predecessors[target].push(node);
        }
    }
    let all: Vec<usize> = (0..edges.len()).collect();
    let mut partition = Partition { block: vec![0; edges.len()], place: all.clone(), members: vec![all.clone()] };
    let mut dirty = all;
    while !dirty.is_empty() {
        let changed = partition.split(edges, &is_silent, &dirty);
        dirty = changed.iter().flat_map(|&node| predecessors[node].iter().copied()).collect();
        // Silent edges of these may have stayed in their block, and do no longer.
        dirty.extend(changed);
        dirty.sort_unstable();
        dirty.dedup();
    }
    in_order(&partition.block)
}

struct Partition {
    /// By node: its block, and where it is in that.
    block: Vec<usize>,
    place: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Partition {
    /// Splits the blocks of some nodes by their signatures; the result is which nodes are in another block now.
    ///
    /// The other members of a block had the same signature as these before, and none of them has a fresh number in it: they
    /// stay together, apart from all of these.
    fn split<L: Copy + Eq + Ord + Hash>(
        &mut self,
        edges: &[Vec<(L, usize)>],
        is_silent: &impl Fn(L) -> bool,
        dirty: &[usize],
    ) -> Vec<usize> {
        let mut groups: FxHashMap<(usize, Signature<L>), Vec<usize>> = FxHashMap::default();
        for &node in dirty {
            let mut signature: Signature<L> = edges[node].iter().map(|&(label, to)| (label, self.block[to])).collect();
            signature.retain(|&(label, block)| block != self.block[node] || !is_silent(label));
            signature.sort_unstable();
            signature.dedup();
            groups.entry((self.block[node], signature)).or_default().push(node);
        }
        let mut by_block: FxHashMap<usize, Vec<Vec<usize>>> = FxHashMap::default();
        for ((old, _), group) in groups {
            by_block.entry(old).or_default().push(group);
        }
        let mut changed = vec![];
        for (old, mut groups) in by_block {
            groups.iter().flatten().for_each(|&node| self.take_out(node));
            // The largest part keeps the number.
            let largest = (0..groups.len()).max_by_key(|&index| groups[index].len()).expect("there are groups");
            if groups[largest].len() > self.members[old].len() {
                let rest = std::mem::take(&mut self.members[old]);
                let kept = std::mem::replace(&mut groups[largest], rest);
                self.put(old, kept);
            }
            for group in groups.into_iter().filter(|group| !group.is_empty()) {
                changed.extend_from_slice(&group);
                self.members.push(vec![]);
                self.put(self.members.len() - 1, group);
            }
        }
        changed
    }

    fn take_out(&mut self, node: usize) {
        let (members, place) = (&mut self.members[self.block[node]], self.place[node]);
        members.swap_remove(place);
        if let Some(&moved) = members.get(place) {
            self.place[moved] = place;
        }
    }

    fn put(&mut self, block: usize, nodes: Vec<usize>) {
        for (place, &node) in nodes.iter().enumerate() {
            (self.block[node], self.place[node]) = (block, place);
        }
        self.members[block] = nodes;
    }
}

fn in_order(block: &[usize]) -> Vec<usize> {
    let mut numbers = FxHashMap::default();
    let number = |old: &usize| {
        let next = numbers.len();
        *numbers.entry(*old).or_insert(next)
    };
    block.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// The definition: the greatest relation that edges can be followed in.
    fn by_definition(edges: &[Vec<(u8, usize)>], silent: Option<u8>) -> Vec<Vec<bool>> {
        let number = edges.len();
        let mut alike = vec![vec![true; number]; number];
        loop {
            let follows = |a: usize, b: usize| {
                edges[a].iter().all(|&(label, to)| {
                    let stays = Some(label) == silent && alike[a][to];
                    stays || edges[b].iter().any(|&(other, too)| label == other && alike[to][too])
                })
            };
            let next: Vec<Vec<bool>> = (0..number)
                .map(|a| (0..number).map(|b| alike[a][b] && follows(a, b) && follows(b, a)).collect())
                .collect();
            if next == alike {
                return alike;
            }
            alike = next;
        }
    }

    #[test]
    fn blocks_are_what_the_definition_says() {
        for seed in 0..1000 {
            let mut random = Random::new(seed);
            let silent = (seed >= 500).then_some(0);
            let number = 1 + random.below(12);
            let degree = 1 + random.below(3);
            let mut node = || {
                let count = random.below(degree + 1);
                (0..count).map(|_| (random.below(2) as u8, random.below(number))).collect()
            };
            let edges: Vec<Vec<(u8, usize)>> = (0..number).map(|_| node()).collect();
            let blocks = bisimilarity(&edges, |label| Some(label) == silent);
            let alike = by_definition(&edges, silent);
            for a in 0..number {
                for b in 0..number {
                    assert_eq!(blocks[a] == blocks[b], alike[a][b], "{seed}: {a} and {b} of {edges:?}");
                }
            }
        }
    }

    #[test]
    fn long_chains_take_no_longer_than_they_should() {
        // Every node of the chain is different from all others.
        let length = 20_000;
        let edges: Vec<Vec<((), usize)>> =
            (0..length).map(|node| if node + 1 < length { vec![((), node + 1)] } else { vec![] }).collect();
        let blocks = bisimilarity(&edges, |()| false);
        assert_eq!(blocks, (0..length).collect::<Vec<_>>());
    }
}
