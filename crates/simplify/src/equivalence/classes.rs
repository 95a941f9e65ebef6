//! Classes of signals that may be equal, refined by simulation.

use rustc_hash::FxHashMap;

use crate::engine::StateLit;
use crate::engine::transition::Transition;
use crate::sat::{Answer, Backend};
use redoubt_base::Interrupt;
use redoubt_base::Random;
use redoubt_circuit::aig::Node;
use redoubt_circuit::simulate::Values;
use redoubt_circuit::{Circuit, Reset, Signal, Simulator};

/// Random runs, 64 at a time, and how long each is.
const RUNS: usize = 8;
const STEPS: usize = 64;

/// A partition of the nodes. Two nodes in a class may be equal, or opposite if their phases differ.
pub struct Classes {
    /// By node: the lowest node of its class.
    lowest: Vec<u32>,
    /// By node: its value in one reset state, which fixes the sign of the equality.
    phases: Vec<bool>,
    /// Nodes that stay alone.
    alone: Vec<bool>,
}

impl Classes {
    /// The signals that random runs do not tell apart; `None` if there is no run at all, or no time.
    pub fn by_simulation(circuit: &Circuit, interrupt: &Interrupt) -> Option<Classes> {
        let reset = ResetState::of(circuit, interrupt)?;
        let mut simulator = Simulator::new(circuit, |_| 0);
        simulator.set_state(&reset.state);
        let values = simulator.evaluate(&reset.inputs);
        let nodes = circuit.gates.nodes();
        let phases = (0..nodes.len()).map(|node| values.bit(Signal::from_node(node))).collect();
        let used = circuit.gates.mark_cone(circuit.roots());
        let alone = nodes.iter().zip(used).map(|(node, used)| matches!(node, Node::And(..)) && !used).collect();
        let mut classes = Classes { lowest: vec![0; nodes.len()], phases, alone };
        // Fixed, so that the same circuit always gives the same result.
        let mut random = Random::new(1);
        for run in 0..RUNS {
            classes.refine_by_run(circuit, (run % 2 == 1).then_some(&reset), &mut random, interrupt)?;
        }
        classes.separate_inputs(circuit);
        Some(classes)
    }

    /// Runs from any reset states, or from near one that is known to satisfy the constraints.
    fn refine_by_run(
        &mut self,
        circuit: &Circuit,
        near: Option<&ResetState>,
        random: &mut Random,
        interrupt: &Interrupt,
    ) -> Option<()> {
        let mut simulator =
            Simulator::new(circuit, |latch| near.map_or_else(|| random.bits(), |near| near.state[latch]));
        let mut runs = u64::MAX;
        let mut hashes = vec![0u64; circuit.gates.nodes().len()];
        for step in 0..STEPS {
            if interrupt.is_raised() {
                return None;
            }
            let mut inputs: Vec<u64> = circuit.inputs.iter().map(|_| random.bits()).collect();
            if let Some(near) = near.filter(|_| step == 0) {
                let few = |value: u64| value & random.bits() & random.bits();
                inputs = inputs.into_iter().map(few).zip(&near.inputs).map(|(flip, value)| flip ^ value).collect();
            }
            simulator.evaluate(&inputs);
            runs &= simulator.constraints();
            if runs == 0 {
                break;
            }
            let values = simulator.values();
            for (node, hash) in hashes.iter_mut().enumerate() {
                *hash = mix(*hash ^ (self.normal(values, node) & runs));
            }
            runs &= !simulator.stop();
            simulator.advance();
        }
        self.split(|node| hashes[node]);
        Some(())
    }

    /// The value of a node, complemented if its phase is.
    fn normal(&self, values: &Values, node: usize) -> u64 {
        values.get(Signal::from_node(node).complement_if(self.phases[node]))
    }

    /// Splits classes by values that are known to be possible in the patterns of `valid`. Returns whether any did.
    pub fn refine(&mut self, values: &Values, valid: u64) -> bool {
        let normal: Vec<u64> = (0..self.lowest.len()).map(|node| self.normal(values, node) & valid).collect();
        self.split(|node| normal[node])
    }

    fn split(&mut self, key: impl Fn(usize) -> u64) -> bool {
        let mut first: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        let mut changed = false;
        for node in 0..self.lowest.len() {
            let old = self.lowest[node];
            let new =
                if self.alone[node] { node as u32 } else { *first.entry((old, key(node))).or_insert(node as u32) };
            changed |= new != old;
            self.lowest[node] = new;
        }
        changed
    }

    /// A node that could not be decided leaves its class.
    pub fn remove(&mut self, node: usize) {
        self.alone[node] = true;
        self.lowest[node] = node as u32;
    }

    /// An input has no other value than its own; others may equal it.
    fn separate_inputs(&mut self, circuit: &Circuit) {
        for input in &circuit.inputs {
            let node = input.signal.node();
            if self.lowest[node] as usize != node {
                self.remove(node);
            }
        }
    }

    /// The signal that a node is taken to be equal to: one of the lowest node in its class.
    pub fn representative(&self, node: usize) -> Signal {
        let lowest = self.lowest[node] as usize;
        Signal::from_node(lowest).complement_if(self.phases[lowest] != self.phases[node])
    }
}

/// A reset state and inputs that satisfy the constraints, the same in all 64 patterns.
struct ResetState {
    state: Vec<u64>,
    inputs: Vec<u64>,
}

impl ResetState {
    fn of(circuit: &Circuit, interrupt: &Interrupt) -> Option<ResetState> {
        let word = |value: bool| if value { u64::MAX } else { 0 };
        let mut state: Vec<u64> = circuit.latches.iter().map(|latch| word(latch.reset == Reset::One)).collect();
        let mut inputs = vec![0; circuit.inputs.len()];
        if circuit.constraints.is_empty() {
            return Some(ResetState { state, inputs });
        }
        let transition = Transition::new(circuit);
        let mut solver = Backend::Cadical.solver();
        solver.set_interrupt(interrupt.clone());
        transition.load(solver.as_mut());
        transition.load_constraints(solver.as_mut());
        transition.load_initial(solver.as_mut());
        if solver.solve(&[]) != Answer::Satisfiable {
            return None;
        }
        for &latch in transition.cone() {
            let lit = transition.current(StateLit::new(latch, true));
            state[latch] = word(solver.value(lit) == Some(true));
        }
        for (value, lit) in inputs.iter_mut().zip(transition.inputs()) {
            *value = word(lit.is_some_and(|lit| solver.value(lit) == Some(true)));
        }
        Some(ResetState { state, inputs })
    }
}

/// Spreads a word over all bits: the last steps of SplitMix64.
fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
