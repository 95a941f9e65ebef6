//! Proofs by k-induction as parts of a witness circuit: latches that remember the last states and inputs (after Yu, Biere and Heljanko,
//! "Progress in certifying hardware model checking results", CAV 2021).
//!
//! Behind the present position there are some past ones, each with the latches and inputs of the simplified circuit and
//! a bit that says whether the run is that long already. The remembered positions are part of the claim, since a state
//! of the witness need not be one of a run:
//!
//! ```text
//! a past position leads to the one after it, satisfies the constraints, and is in none of the excluded properties
//! the oldest position, while there is room for older ones, is a first state
//! the present position is in none of the excluded properties
//! ```
//!
//! So the claim about the next position has either all the states before it to rest on that k-induction asks for, or the whole run.

use super::{Builder, Leaves, copy_cone};
use crate::circuit::{Circuit, Latch, Reset, Signal};
use crate::simplify::Simplified;

/// A position of the run, present or past.
struct Position {
    /// The run is that long.
    is_there: Signal,
    leaves: Leaves,
}

impl Builder {
    /// Adds that none of these properties of the simplified circuit is bad after `states` states in which none is, nor
    /// in the first states of a run.
    pub fn add_history(&mut self, simplified: &Simplified, states: usize, excluded: &[usize]) {
        let circuit = &simplified.circuit;
        let mut positions = vec![Position { is_there: Signal::TRUE, leaves: self.add_passes(simplified) }];
        for _ in 1..states {
            let before = self.remembered(&positions[positions.len() - 1]);
            positions.push(before);
        }
        for (age, position) in positions.iter().enumerate() {
            let successor = age.checked_sub(1).map(|age| &positions[age]);
            self.add_position(circuit, position, successor, excluded);
        }
        for pair in positions.windows(2) {
            self.add_start(circuit, &pair[0], &pair[1]);
        }
    }

    /// The position before: this one is its next.
    fn remembered(&mut self, position: &Position) -> Position {
        let witness = &mut self.witness;
        let mut remember = |signal: Signal| {
            let latch = witness.add_latch("", Reset::Zero);
            witness.latches.last_mut().expect("just added").next = signal;
            latch
        };
        Position {
            is_there: remember(position.is_there),
            leaves: Leaves {
                inputs: position.leaves.inputs.iter().map(|&input| remember(input)).collect(),
                latches: position.leaves.latches.iter().map(|&latch| remember(latch)).collect(),
            },
        }
    }

    /// A position that is there is in no property; a past one satisfies the constraints and leads to its successor, which is there.
    fn add_position(
        &mut self,
        circuit: &Circuit,
        position: &Position,
        successor: Option<&Position>,
        excluded: &[usize],
    ) {
        let gates = &mut self.witness.gates;
        let Leaves { inputs, latches } = &position.leaves;
        let copied = copy_cone(circuit, circuit.roots(), inputs, latches, gates);
        let at = |signal: Signal| copied[signal.node()].complement_if(signal.is_complemented());
        let mut claims: Vec<Signal> = excluded.iter().map(|&property| !at(circuit.bad[property].signal)).collect();
        if let Some(successor) = successor {
            claims.push(successor.is_there);
            claims.extend(circuit.constraints.iter().map(|&constraint| at(constraint)));
            let steps = circuit.latches.iter().zip(&successor.leaves.latches);
            claims.extend(steps.map(|(latch, &then)| gates.iff(at(latch.next), then)));
        }
        self.parts.extend(claims.into_iter().map(|claim| gates.or(!position.is_there, claim)));
    }

    /// A position that is there is a first state unless one is there before it.
    fn add_start(&mut self, circuit: &Circuit, position: &Position, before: &Position) {
        let gates = &mut self.witness.gates;
        let is_first = gates.and(position.is_there, !before.is_there);
        let latches = circuit.latches.iter().zip(&position.leaves.latches);
        let resets = latches.filter_map(|(latch, &value): (&Latch, &Signal)| match latch.reset {
            Reset::Zero => Some(!value),
            Reset::One => Some(value),
            Reset::Free => None,
        });
        self.parts.extend(resets.map(|reset| gates.or(!is_first, reset)));
    }
}
