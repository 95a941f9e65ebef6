//! A circuit in, one out whose states are the positions of its runs, so that formulas are about states and nothing else.
//!
//! An input becomes a latch, and the choice of the next step is a new input. No gate changes: the leaf of the input is
//! that of the latch from now on. Constraints and `stop` become one signal of the state, which holds at every position
//! of an infinite run.
//!
//! Where a formula amounts to `AG EF m`, for some m about one moment, inputs are remembered only if m, a constraint or
//! `stop` depends on them: whether each state can be left towards m does not depend on the inputs chosen in it, since a
//! run can go on with any choice, and leads to a state that has to be left towards m, too.

use redoubt_circuit::liveness::watched;
use redoubt_circuit::{Circuit, Latch, Reset, Signal};

use crate::engine::ctl::Formula;
use crate::engine::ctl::explain::Position;

pub struct Structure {
    /// Without properties; its only constraint is `ok`.
    pub circuit: Circuit,
    /// Constraints hold, and the run goes on.
    pub ok: Signal,
    /// By latch: whether the formula, the constraints or `stop` depend on it, in any number of steps.
    pub matters: Vec<bool>,
    /// The number of latches of the given circuit.
    latches: usize,
    /// By input: the latch that remembers it; and whether there is one.
    remembered: Vec<Option<usize>>,
    pub remembers: Vec<bool>,
}

impl Structure {
    pub fn new(given: &Circuit, formula: &Formula) -> Structure {
        let mut circuit = given.clone();
        let atoms: Vec<Signal> = formula.atoms().into_iter().copied().collect();
        let mut roots: Vec<Signal> = atoms.iter().copied().chain(given.constraints.iter().copied()).collect();
        roots.push(given.stop);
        if !formula.is_resettable() {
            let live = watched(given, &atoms);
            roots.extend(given.latches.iter().zip(live).filter(|(_, live)| *live).map(|(latch, _)| latch.next));
        }
        let marked = given.gates.mark_cone(roots);
        let mut remembered = vec![];
        for (index, input) in given.inputs.iter().enumerate() {
            let latch = marked[input.signal.node()].then(|| {
                let chosen = circuit.gates.leaf();
                circuit.inputs[index].signal = chosen;
                let name = input.name.clone();
                circuit.latches.push(Latch { signal: input.signal, next: chosen, reset: Reset::Free, name });
                circuit.latches.len() - 1
            });
            remembered.push(latch);
        }
        let allowed = circuit.gates.and_all(&given.constraints);
        let ok = circuit.gates.and(allowed, !given.stop);
        circuit.constraints = vec![ok];
        circuit.stop = Signal::FALSE;
        circuit.bad.clear();
        let matters = watched(&circuit, &atoms);
        let remembers = remembered.iter().map(Option::is_some).collect();
        Structure { circuit, ok, matters, latches: given.latches.len(), remembered, remembers }
    }

    /// The position that a state is; forgotten inputs are chosen by the step from it.
    pub fn position(&self, state: &[bool], inputs: Option<&[bool]>) -> Position {
        let chosen = |(input, latch): (usize, &Option<usize>)| match latch {
            Some(latch) => state[*latch],
            None => inputs.is_some_and(|inputs| inputs[input]),
        };
        Position {
            state: state[..self.latches].to_vec(),
            inputs: self.remembered.iter().enumerate().map(chosen).collect(),
        }
    }

    pub fn state(&self, position: &Position) -> Vec<bool> {
        let mut state = position.state.clone();
        for (input, latch) in self.remembered.iter().enumerate() {
            if latch.is_some() {
                state.push(position.inputs[input]);
            }
        }
        state
    }

    /// The state after a step.
    pub fn successor(&self, state: &[bool], inputs: &[bool]) -> Vec<bool> {
        let values = self.values(state, inputs);
        self.circuit.latches.iter().map(|latch| values.bit(latch.next)).collect()
    }

    /// Whether a signal over latches is true of a state.
    pub fn is_true(&self, signal: Signal, state: &[bool]) -> bool {
        signal.as_constant().unwrap_or_else(|| self.values(state, &[]).bit(signal))
    }

    fn values(&self, state: &[bool], inputs: &[bool]) -> redoubt_circuit::simulate::Values {
        let mut leaves = vec![0; self.circuit.gates.nodes().len()];
        let latches = self.circuit.latches.iter().map(|latch| latch.signal).zip(state);
        let inputs = self.circuit.inputs.iter().map(|input| input.signal).zip(inputs);
        latches.chain(inputs).for_each(|(signal, &value)| leaves[signal.node()] = if value { !0 } else { 0 });
        self.circuit.gates.evaluate(|node| leaves[node])
    }

    /// A literal of a state.
    pub fn literal(&self, state: &[bool], latch: usize) -> Signal {
        self.circuit.latches[latch].signal.complement_if(!state[latch])
    }

    /// The literals of a state that matter.
    pub fn literals(&self, state: &[bool]) -> Vec<Signal> {
        let matter = (0..state.len()).filter(|&latch| self.matters[latch]);
        matter.map(|latch| self.literal(state, latch)).collect()
    }
}
