//! Functional reduction: merges gates that compute the same function of the leaves.
//!
//! Structural hashing sees only gates that are built alike. The path conditions of a long `else if` chain are
//! often equal without being alike: `no earlier guard && this guard` is just `this guard` when the guards
//! exclude each other. FRAIGs (Mishchenko, Chatterjee, Jiang and Brayton, 2005) find such gates by simulation
//! and prove them equal by SAT. Here only gates that depend on few leaves are compared, by their whole truth
//! tables, so that a candidate needs no proof.

use rustc_hash::FxHashMap;

use super::aig::Node;
use super::{Aig, Circuit, Signal};

/// Gates that depend on more leaves have no table.
const MOST_LEAVES: usize = 14;

/// The tables of a circuit take at most this many 64-bit words; gates beyond that have none.
const MOST_WORDS: usize = 1 << 25;

/// The function of a signal: which leaves it depends on, and its value for each of their combinations. The
/// first leaf is the fastest to change. A function of fewer than six leaves repeats within its one word.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Table {
    support: Vec<u32>,
    words: Vec<u64>,
}

/// The truth table of the `index`-th of six variables in a word.
const VARIABLES: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl Circuit {
    /// The same circuit with gates merged that have the same truth table.
    pub fn functionally_reduced(&self) -> Circuit {
        let mut reduction = Reduction::default();
        let mut new: Vec<Signal> = Vec::with_capacity(self.gates.nodes().len());
        let used = self.gates.mark_cone(self.roots());
        for (index, node) in self.gates.nodes().iter().enumerate() {
            let at = |signal: Signal| -> Signal { new[signal.node()].complement_if(signal.is_complemented()) };
            let signal = match *node {
                Node::False => Signal::FALSE,
                Node::Leaf => reduction.leaf(),
                Node::And(..) if !used[index] => Signal::FALSE,
                Node::And(a, b) => reduction.and(at(a), at(b)),
            };
            new.push(signal);
        }
        let at = |signal: Signal| new[signal.node()].complement_if(signal.is_complemented());
        let mut result = self.clone();
        result.inputs.iter_mut().for_each(|input| input.signal = at(input.signal));
        result.latches.iter_mut().for_each(|latch| {
            latch.signal = at(latch.signal);
            latch.next = at(latch.next);
        });
        result.bad.iter_mut().for_each(|bad| bad.signal = at(bad.signal));
        result.constraints.iter_mut().for_each(|constraint| *constraint = at(*constraint));
        result.stop = at(result.stop);
        result.gates = reduction.gates;
        result
    }
}

#[derive(Default)]
struct Reduction {
    gates: Aig,
    /// By node of the new graph.
    tables: Vec<Option<Table>>,
    /// The signal of each function that is false where all leaves are.
    known: FxHashMap<Table, Signal>,
    words: usize,
}

impl Reduction {
    fn leaf(&mut self) -> Signal {
        let signal = self.gates.leaf();
        let table = Table { support: vec![signal.node() as u32], words: vec![VARIABLES[0]] };
        self.remember(signal, table);
        signal
    }

    fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let table = match (self.table(a), self.table(b)) {
            (Some(a), Some(b)) => conjunction(a, b),
            _ => None,
        };
        let Some(table) = table else { return self.gates.and(a, b) };
        if table.words.iter().all(|&word| word == 0) {
            return Signal::FALSE;
        }
        let flip = table.words[0] & 1 == 1;
        let canonical = if flip { table.complement() } else { table };
        if let Some(&known) = self.known.get(&canonical) {
            return known.complement_if(flip);
        }
        if canonical.support.is_empty() {
            return Signal::constant(flip);
        }
        let signal = self.gates.and(a, b);
        let plain = if signal.is_complemented() != flip { canonical.complement() } else { canonical };
        self.remember(signal.plain(), plain);
        signal
    }

    fn table(&self, signal: Signal) -> Option<Table> {
        if let Some(value) = signal.as_constant() {
            return Some(Table { support: vec![], words: vec![if value { !0 } else { 0 }] });
        }
        let table = self.tables.get(signal.node())?.as_ref()?;
        Some(if signal.is_complemented() { table.complement() } else { table.clone() })
    }

    /// Notes the table of a plain signal, if there is room.
    fn remember(&mut self, signal: Signal, table: Table) {
        self.words += 2 * table.words.len();
        if self.words > MOST_WORDS {
            return;
        }
        let flip = table.words[0] & 1 == 1;
        let canonical = if flip { table.complement() } else { table.clone() };
        self.known.entry(canonical).or_insert(signal.complement_if(flip));
        if self.tables.len() <= signal.node() {
            self.tables.resize(signal.node() + 1, None);
        }
        self.tables[signal.node()] = Some(table);
    }
}

/// The table of a conjunction, unless it has too many leaves.
fn conjunction(a: Table, b: Table) -> Option<Table> {
    let mut support = [a.support.as_slice(), &b.support].concat();
    support.sort_unstable();
    support.dedup();
    if support.len() > MOST_LEAVES {
        return None;
    }
    let (a, b) = (a.widened(&support), b.widened(&support));
    let words = a.words.iter().zip(&b.words).map(|(a, b)| a & b).collect();
    Some(Table { support, words }.narrowed())
}

impl Table {
    fn complement(&self) -> Table {
        Table { support: self.support.clone(), words: self.words.iter().map(|word| !word).collect() }
    }

    /// The same function with more leaves.
    fn widened(mut self, support: &[u32]) -> Table {
        for (place, leaf) in support.iter().enumerate() {
            if self.support.get(place) != Some(leaf) {
                self.insert(place);
                self.support.insert(place, *leaf);
            }
        }
        self
    }

    /// The same function without the leaves that it does not depend on.
    fn narrowed(mut self) -> Table {
        for place in (0..self.support.len()).rev() {
            if !self.depends_on(place) {
                self.remove(place);
                self.support.remove(place);
            }
        }
        self
    }

    fn depends_on(&self, place: usize) -> bool {
        match place {
            0..6 => {
                let (variable, shift) = (VARIABLES[place], 1 << place);
                self.words.iter().any(|word| (word & variable) >> shift != word & !variable)
            }
            _ => {
                let block = 1 << (place - 6);
                self.words.chunks(2 * block).any(|pair| pair[..block] != pair[block..])
            }
        }
    }

    /// Makes room for a leaf that the function does not depend on.
    fn insert(&mut self, place: usize) {
        if place >= 6 {
            let block = 1 << (place - 6);
            self.words = self.words.chunks(block).flat_map(|chunk| [chunk, chunk].concat()).collect();
            return;
        }
        let leaves = self.support.len();
        let spread = |half: u64| {
            // The groups of bits below the new leaf, each one twice.
            let (group, mask) = (1 << place, (1u64 << (1 << place)) - 1);
            (0..64 / (2 * group)).fold(0, |word, index| {
                let bits = half >> (index * group) & mask;
                word | bits << (2 * index * group) | bits << ((2 * index + 1) * group)
            })
        };
        self.words = if leaves < 6 {
            vec![spread(self.words[0])]
        } else {
            self.words.iter().flat_map(|&word| [spread(word & 0xffff_ffff), spread(word >> 32)]).collect()
        };
    }

    /// Takes out a leaf that the function does not depend on.
    fn remove(&mut self, place: usize) {
        if place >= 6 {
            let block = 1 << (place - 6);
            self.words = self.words.chunks(2 * block).flat_map(|pair| pair[..block].to_vec()).collect();
            return;
        }
        let gather = |word: u64| {
            let (group, mask) = (1 << place, (1u64 << (1 << place)) - 1);
            (0..64 / (2 * group)).fold(0, |half, index| half | (word >> (2 * index * group) & mask) << (index * group))
        };
        self.words = match self.words.as_slice() {
            // What remains repeats within the word.
            [only] => vec![gather(*only) | gather(*only) << 32],
            words => words.chunks(2).map(|pair| gather(pair[0]) | gather(pair[1]) << 32).collect(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::random::Random;

    #[test]
    fn leaves_can_be_inserted_and_removed_everywhere() {
        let mut random = Random::new(7);
        for leaves in 0..10usize {
            let words = (0..1usize << leaves.saturating_sub(6)).map(|_| random.next()).collect();
            let mut table = Table { support: (0..leaves as u32).map(|leaf| 2 * leaf + 1).collect(), words };
            // Fewer than six leaves repeat within the word.
            for unused in leaves..6 {
                table.words[0] =
                    table.words[0] & !VARIABLES[unused] | (table.words[0] & !VARIABLES[unused]) << (1 << unused);
            }
            let narrow = table.clone().narrowed();
            for place in 0..=leaves {
                let mut support = narrow.support.clone();
                support.push(2 * place as u32);
                support.sort_unstable();
                let wide = narrow.clone().widened(&support);
                let at = support.iter().position(|&leaf| leaf == 2 * place as u32).unwrap();
                assert!(!wide.depends_on(at));
                assert!(wide.narrowed() == narrow);
            }
        }
    }

    #[test]
    fn reduction_keeps_every_function_and_never_adds_a_gate() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let circuit = random.circuit(1 + seed as usize % 9, seed as usize % 7, 60);
            let reduced = circuit.functionally_reduced();
            assert!(reduced.live_gates() <= circuit.live_gates(), "seed {seed}");
            let leaves: Vec<u64> = (0..64).map(|_| random.next()).collect();
            let value = |circuit: &Circuit| -> Vec<u64> {
                let order: Vec<Signal> = (circuit.inputs.iter().map(|input| input.signal))
                    .chain(circuit.latches.iter().map(|latch| latch.signal))
                    .collect();
                let place = |leaf: usize| order.iter().position(|signal| signal.node() == leaf).unwrap_or(63);
                let values = circuit.gates.evaluate(|leaf| leaves[place(leaf)]);
                circuit.roots().map(|root| values.get(root)).collect()
            };
            assert_eq!(value(&circuit), value(&reduced), "seed {seed}");
        }
    }

    #[test]
    fn exclusive_guards_need_no_word_about_each_other() {
        let mut circuit = Circuit::default();
        let bits: Vec<Signal> = (0..3).map(|bit| circuit.add_input(format!("i{bit}"))).collect();
        let gates = &mut circuit.gates;
        let (low, high) = (gates.and(bits[0], bits[1]), gates.and(!bits[0], bits[2]));
        let second = gates.and(!low, high);
        circuit.add_bad("second", second);
        let reduced = circuit.functionally_reduced();
        assert_eq!(reduced.live_gates(), 1);
    }
}
