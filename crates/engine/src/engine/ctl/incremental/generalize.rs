//! Facts about one state, generalised to as many as possible.
//!
//! If some inputs lead from a state to where a run is known to go on, they do so from all states of which that, as a function of
//! the state before the step, is true. The function itself is the largest set that these inputs can have; where it takes too many
//! gates, it is a cube around the state on which it is constant (the "∀∃" generalisation of IICTL, with the inputs kept).

use redoubt_circuit::Signal;
use redoubt_formula::basis::Id;

use super::ask::{Query, after_step};
use super::nodes::{Entry, Kind};
use super::{Interrupted, Search};

/// Sets of states have at most this many gates for each gate of the circuit, and always this many.
const GATES_FOR_GATE: usize = 2;
const FEW_GATES: usize = 4_000;

impl Search {
    /// Adds states at which a part holds.
    pub(super) fn add_entry(&mut self, part: Id, states: Signal, inputs: Option<Vec<bool>>) {
        let gates = &mut self.structure.circuit.gates;
        let known = self.nodes.known(part);
        let larger = gates.or(known.yes, states);
        if larger != known.yes {
            known.yes = larger;
            known.entries.push(Entry { states, inputs });
        }
    }

    /// Adds states at which a part does not hold.
    pub(super) fn refute(&mut self, part: Id, states: Signal) {
        let gates = &mut self.structure.circuit.gates;
        let known = self.nodes.known(part);
        known.no = gates.or(known.no, states);
        known.refuted.push(states);
    }

    /// Adds the states of a run whose last one is known, from its end to its beginning.
    pub(super) fn add_run(
        &mut self,
        part: Id,
        f: Id,
        states: &[Vec<bool>],
        inputs: &[Vec<bool>],
    ) -> Result<(), Interrupted> {
        for (state, inputs) in states.iter().zip(inputs).rev() {
            let known = self.nodes.known(part).yes;
            if !self.structure.is_true(known, state) {
                let within = self.bounds(f).0;
                self.add(part, within, known, state, inputs)?;
            }
        }
        Ok(())
    }

    /// Adds the states from which these inputs lead to where the operand of EX holds.
    pub(super) fn add_step(&mut self, part: Id, state: &[bool], inputs: &[bool]) -> Result<(), Interrupted> {
        let Kind::Next(f) = self.nodes.kind(part) else { unreachable!("asked about EX") };
        let target = self.bounds(f).0;
        self.add(part, Signal::TRUE, target, state, inputs)
    }

    fn add(
        &mut self,
        part: Id,
        within: Signal,
        target: Signal,
        state: &[bool],
        inputs: &[bool],
    ) -> Result<(), Interrupted> {
        let ok = self.structure.ok;
        let circuit = &mut self.structure.circuit;
        let target = circuit.gates.and(target, ok);
        let leading = after_step(circuit, target, Some(inputs));
        let parts = [leading, within, ok];
        let whole = circuit.gates.and_all(&parts);
        let all = circuit.gates.or(whole, self.nodes.known(part).yes);
        let roots = circuit.latches.iter().map(|latch| latch.next);
        let most = FEW_GATES.max(GATES_FOR_GATE * circuit.gates.cone(roots).len());
        let states = if circuit.gates.cone([all]).len() <= most {
            whole
        } else {
            let mut query = Query::new(&circuit.gates, &[!whole], &self.limits.interrupt);
            let all: Vec<Signal> = (0..state.len()).map(|latch| self.structure.literal(state, latch)).collect();
            let cube = query.reasons(&all)?.expect("the state itself is in the set");
            self.structure.circuit.gates.and_all(&cube)
        };
        self.add_entry(part, states, Some(inputs.to_vec()));
        Ok(())
    }
}
