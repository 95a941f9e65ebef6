//! Functions built anew from their truth tables, by Shannon's expansion: one multiplexer per leaf and distinct
//! cofactor, shared between all functions, as in a reduced ordered decision diagram (Bryant, 1986).
//!
//! A program with a few bits of state and a thousand rules is a deep chain of conditions, but a shallow function.
//! Solvers get along far better with the latter.

use rustc_hash::FxHashMap;

use super::table::Table;
use crate::{Aig, Signal};

pub struct Expansion<'a> {
    gates: &'a mut Aig,
    /// By leaf: the ones with the lowest rank are tested first.
    rank: &'a [usize],
    /// The signal of each function that is false where all leaves are.
    known: FxHashMap<Table, Signal>,
}

impl<'a> Expansion<'a> {
    pub fn new(gates: &'a mut Aig, rank: &'a [usize]) -> Expansion<'a> {
        Expansion { gates, rank, known: FxHashMap::default() }
    }

    /// A signal that computes the function.
    pub fn build(&mut self, table: Table) -> Signal {
        if let Some(value) = table.as_constant() {
            return Signal::constant(value);
        }
        let flip = table.words[0] & 1 == 1;
        let canonical = if flip { table.complement() } else { table };
        if let Some(known) = self.known.get(&canonical) {
            return known.complement_if(flip);
        }
        let first = (0..canonical.support.len()).min_by_key(|&place| self.rank[canonical.support[place] as usize]);
        let place = first.expect("a function that is not constant depends on a leaf");
        let leaf = Signal::from_node(canonical.support[place] as usize);
        let (low, high) = canonical.cofactors(place);
        let (low, high) = (self.build(low), self.build(high));
        let signal = self.gates.mux(leaf, high, low);
        self.known.insert(canonical, signal);
        signal.complement_if(flip)
    }
}
