//! A lifted cube to the same cube with the values of defined latches.
//!
//! Latches that are functions of others, such as comparisons of numbers, are what lemmas should be made of: that `x` is at most `y`
//! is one literal, and very many clauses over their bits. Lifting keeps the bits of two numbers where these matter, and
//! then the comparison is not needed any more. It is put back, so that generalization may drop the bits instead.

use super::lift::ModelStep;
use crate::engine::StateLit;
use redoubt_circuit::Circuit;

pub struct Definitions {
    /// Latches that are defined, and those that they are functions of.
    list: Vec<(usize, Vec<usize>)>,
    /// Scratch, by latch.
    is_in_cube: Vec<bool>,
}

impl Definitions {
    pub fn new(circuit: &Circuit) -> Definitions {
        let definitions = circuit.invariants.iter().filter_map(|invariant| {
            let defined = circuit.latches.iter().position(|latch| Some(latch.signal) == invariant.defines)?;
            let marked = circuit.gates.mark_cone([invariant.signal]);
            let is_used = |&latch: &usize| latch != defined && marked[circuit.latches[latch].signal.node()];
            Some((defined, (0..circuit.latches.len()).filter(is_used).collect()))
        });
        Definitions { list: definitions.collect(), is_in_cube: vec![false; circuit.latches.len()] }
    }

    /// Adds the values that defined latches have in a state, if the cube has some of the latches that define them.
    pub fn add_to(&mut self, cube: &mut Vec<StateLit>, state: &ModelStep) {
        for literal in cube.iter() {
            self.is_in_cube[literal.latch()] = true;
        }
        let lifted = cube.len();
        for (latch, operands) in &self.list {
            if !self.is_in_cube[*latch] && operands.iter().any(|&operand| self.is_in_cube[operand]) {
                cube.extend(state.value(*latch).map(|value| StateLit::new(*latch, value)));
            }
        }
        for literal in &cube[..lifted] {
            self.is_in_cube[literal.latch()] = false;
        }
    }
}
