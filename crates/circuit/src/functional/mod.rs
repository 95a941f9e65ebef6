//! Functional reduction: merges gates that compute the same function of the leaves.
//!
//! Structural hashing sees only gates that are built alike. The path conditions of a long `else if` chain are
//! often equal without being alike: `no earlier guard && this guard` is just `this guard` when the guards
//! exclude each other. FRAIGs (Mishchenko, Chatterjee, Jiang and Brayton, 2005) find such gates by simulation
//! and prove them equal by SAT. Here only gates that depend on few leaves are compared, by their whole truth
//! tables, so that a candidate needs no proof; and where building the roots anew from their tables takes fewer
//! gates, that is done.

use rustc_hash::FxHashMap;

mod shannon;
mod table;

use super::aig::Node;
use super::{Aig, Circuit, Signal};
use shannon::Expansion;
use table::Table;

/// The tables of a circuit take at most this many 64-bit words; gates beyond that have none.
const MOST_WORDS: usize = 1 << 25;

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
        let mut merged = self.clone();
        merged.replace_signals(|signal| new[signal.node()].complement_if(signal.is_complemented()));
        merged.gates = reduction.gates;
        let orders = merged.leaf_orders();
        let expanded = orders.iter().map(|order| merged.expanded(&reduction.tables, order));
        let smallest = expanded.min_by_key(Circuit::live_gates).filter(|best| best.live_gates() < merged.live_gates());
        smallest.unwrap_or(merged)
    }

    /// Orders in which leaves can be tested, as a rank per node. The size of a decision diagram depends on the order,
    /// and the best one cannot be known beforehand; these cost little to try.
    fn leaf_orders(&self) -> [Vec<usize>; 4] {
        let inputs: Vec<Signal> = self.inputs.iter().map(|input| input.signal).collect();
        let latches: Vec<Signal> = self.latches.iter().map(|latch| latch.signal).collect();
        let (mut last_input, mut last_latch) = (inputs.clone(), latches.clone());
        last_input.reverse();
        last_latch.reverse();
        [[&inputs, &latches], [&latches, &inputs], [&last_latch, &last_input], [&inputs, &last_latch]].map(|order| {
            let mut rank = vec![0; self.gates.nodes().len()];
            order.into_iter().flatten().enumerate().for_each(|(place, leaf)| rank[leaf.node()] = place);
            rank
        })
    }

    /// The same circuit with every root that has a table built from it.
    fn expanded(&self, tables: &[Option<Table>], rank: &[usize]) -> Circuit {
        let mut gates = self.gates.clone();
        let mut expansion = Expansion::new(&mut gates, rank);
        let mut result = self.clone();
        result.replace_signals(|signal| match tables.get(signal.node()) {
            Some(Some(table)) => expansion.build(table.clone()).complement_if(signal.is_complemented()),
            _ => signal,
        });
        result.gates = gates;
        result
    }

    /// Puts other signals in the place of all that the circuit mentions outside its gates.
    fn replace_signals(&mut self, mut new: impl FnMut(Signal) -> Signal) {
        self.inputs.iter_mut().for_each(|input| input.signal = new(input.signal));
        for latch in &mut self.latches {
            latch.signal = new(latch.signal);
            latch.next = new(latch.next);
        }
        self.bad.iter_mut().for_each(|bad| bad.signal = new(bad.signal));
        self.constraints.iter_mut().for_each(|constraint| *constraint = new(*constraint));
        self.invariants.iter_mut().for_each(|invariant| {
            invariant.signal = new(invariant.signal);
            invariant.defines = invariant.defines.map(&mut new);
        });
        self.stop = new(self.stop);
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
        let table = Table::leaf(signal.node() as u32);
        self.remember(signal, table);
        signal
    }

    fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let table = match (self.table(a), self.table(b)) {
            (Some(a), Some(b)) => table::conjunction(a, b),
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
            return Some(Table::constant(value));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn reduction_keeps_every_function_and_never_adds_a_gate() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let circuit = random.circuit(1 + seed as usize % 9, seed as usize % 7, 60);
            let reduced = circuit.functionally_reduced();
            assert!(reduced.live_gates() <= circuit.live_gates(), "seed {seed}");
            let leaves: Vec<u64> = (0..64).map(|_| random.bits()).collect();
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
