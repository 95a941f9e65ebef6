//! Gates to the clauses that questions are about.
//!
//! Much of the encoding is never asked for: the value of a variable behind a choice where it is not read, or the next
//! values of variables without claims. A solver gets the required clauses, the questions, and the gates that these
//! depend on, with numbers without gaps. Leaving out definitions of gates changes no answer, since a gate can always
//! have the value that its inputs give it.

use super::gates::{Gates, Lit};

/// The clauses that have been handed over.
#[derive(Default)]
pub struct Part {
    /// By variable: its number; 0 if it has none yet.
    numbers: Vec<i32>,
    count: i32,
    /// The length of the required clauses that were handed over.
    required: usize,
}

impl Part {
    /// The clauses that are needed besides those before for all that is required and for asking about some literals.
    pub fn clauses(&mut self, gates: &Gates, asked: &[Lit]) -> Vec<i32> {
        self.numbers.resize(gates.variables() as usize + 1, 0);
        let required = &gates.required[self.required..];
        self.required = gates.required.len();
        let mut waiting: Vec<i32> = required.iter().copied().chain(asked.iter().map(|lit| lit.0)).collect();
        let mut new = vec![];
        while let Some(literal) = waiting.pop() {
            let number = &mut self.numbers[literal.unsigned_abs() as usize];
            if literal != 0 && *number == 0 {
                *number = 1;
                new.push(literal.abs());
                waiting.extend(gates.definition(literal.abs()));
            }
        }
        // In the order in which they were made, which is from the inputs on.
        new.sort_unstable();
        for &variable in &new {
            self.count += 1;
            self.numbers[variable as usize] = self.count;
        }
        let definitions = new.iter().flat_map(|&variable| gates.definition(variable));
        definitions.chain(required).map(|&literal| self.number(literal)).collect()
    }

    /// The number of variables with numbers.
    pub fn variables(&self) -> i32 {
        self.count
    }

    /// A literal in the numbers of the part, if it has it.
    pub fn literal(&self, lit: Lit) -> Option<i32> {
        Some(self.number(lit.0)).filter(|&number| number != 0)
    }

    fn number(&self, literal: i32) -> i32 {
        self.numbers.get(literal.unsigned_abs() as usize).map_or(0, |number| number * literal.signum())
    }
}

#[cfg(test)]
mod tests {
    use redoubt_base::{Interrupt, Random};

    use super::*;
    use crate::search::{Found, Search};

    /// Random gates, some required, asked about one after the other: as often satisfiable as by looking at all assignments.
    #[test]
    fn a_part_says_the_same_as_the_whole() {
        const INPUTS: usize = 5;
        let mut random = Random::new(3);
        let mut counts = [0; 2];
        for _ in 0..200 {
            let mut gates = Gates::default();
            // Each with its values under all assignments of the inputs, one bit for each.
            let mut known: Vec<(Lit, u32)> = vec![(Lit::TRUE, !0)];
            for input in 0..INPUTS {
                let values = (0..32).fold(0, |values, row: u32| values | (row >> input & 1) << row);
                known.push((gates.fresh(), values));
            }
            let (mut search, mut allowed) = (Search::new(), !0u32);
            for _ in 0..20 {
                let mut pick = || {
                    let (lit, values) = known[random.below(known.len())];
                    if random.below(2) == 0 { (lit, values) } else { (!lit, !values) }
                };
                let ((a, x), (b, y), (c, z)) = (pick(), pick(), pick());
                let made = match random.below(4) {
                    0 => (gates.and(a, b), x & y),
                    1 => (gates.xor(a, b), x ^ y),
                    2 => (gates.any(&[a, b, c]), x | y | z),
                    _ => (gates.choose(a, b, c), x & y | !x & z),
                };
                known.push(made);
                match random.below(8) {
                    0 if allowed & (x | y) != 0 => {
                        gates.require(&[a, b]);
                        allowed &= x | y;
                    }
                    1 if allowed & x != 0 => {
                        search.require(&gates, &[a]);
                        allowed &= x;
                    }
                    _ => {}
                }
                let is_possible = allowed & made.1 != 0;
                let found = search.solve(&gates, &[made.0], &Interrupt::default());
                assert_eq!(found, if is_possible { Found::Something } else { Found::Nothing });
                counts[usize::from(is_possible)] += 1;
                assert!(!is_possible || search.holds(made.0));
            }
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
