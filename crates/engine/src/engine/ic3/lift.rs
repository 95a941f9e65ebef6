//! Lifting: from a state with a successor in a cube (or a bad state) to a cube of such states.
//!
//! First by justification: the circuit is evaluated on the model, then a walk back from what must hold
//! marks the latches that suffice, at each false conjunction through the cheaper false operand. Then by
//! an unsatisfiable core (Chockler, Ivrii, Matsliah, Moran, Nevo, FMCAD 2011): the marked latches and the
//! inputs refute that any of it fails, and usually not all of them are needed.
//!
//! The condition to keep includes the constraints and, if there is a successor, that the step does not stop: every
//! state of the cube has the step, so a chain of cubes replays from any of its states. Constraints that are invariants
//! hold in all states that matter, whatever the cube says; states of a cube are those in which they do. Values of
//! latches that they define by the rest of the cube are added to it ([`defined`](super::defined)).

use super::defined::Definitions;
use super::solvers::RETIRED_LIMIT;
use crate::cnf::Lit;
use crate::engine::transition::Transition;
use crate::engine::{Cube, Interrupted, StateLit, interruptible, satisfiable};
use crate::sat::{Backend, Solver};
use redoubt_base::Interrupt;
use redoubt_circuit::aig::Node;
use redoubt_circuit::{Circuit, Signal};

/// The target that lifting a state must preserve.
#[derive(Clone, Copy)]
pub enum Target<'c> {
    Bad(usize),
    Successor(&'c Cube),
}

/// A step of the model: values by circuit latch and input, `None` where the model has none.
pub struct ModelStep {
    pub state: Vec<Option<bool>>,
    pub inputs: Vec<Option<bool>>,
}

impl ModelStep {
    pub fn of_model(transition: &Transition, solver: &dyn Solver) -> ModelStep {
        let inputs = transition.inputs().iter();
        let mut state = Vec::new();
        for &latch in transition.cone() {
            state.resize(latch, None);
            state.push(solver.value(transition.current(StateLit::new(latch, true))));
        }
        ModelStep { state, inputs: inputs.map(|lit| solver.value((*lit)?)).collect() }
    }

    /// The value of a latch.
    pub fn value(&self, latch: usize) -> Option<bool> {
        self.state.get(latch).copied().flatten()
    }

    /// Whether the state may be one in which this literal holds.
    pub fn may_satisfy(&self, lit: StateLit) -> bool {
        self.state[lit.latch()].is_none_or(|value| value == lit.value())
    }
}

pub struct Lifter<'a> {
    circuit: &'a Circuit,
    transition: &'a Transition,
    backend: Backend,
    interrupt: Interrupt,
    /// The logic and the invariants alone: other constraints are part of the condition to be refuted.
    solver: Box<dyn Solver>,
    /// The constraints that are no invariants, and that one of them fails.
    conditions: Vec<Signal>,
    is_forbidden: Vec<Lit>,
    definitions: Definitions,
    values: Vec<NodeValue>,
    marked: Vec<bool>,
    leaves: Vec<Leaf>,
}

/// The value of a node and about how many latches it takes to justify it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct NodeValue {
    value: Option<bool>,
    cost: u32,
}

#[derive(Clone, Copy)]
enum Leaf {
    Gate,
    Input(usize),
    Latch(usize),
}

impl<'a> Lifter<'a> {
    pub fn new(circuit: &'a Circuit, transition: &'a Transition, backend: Backend, interrupt: &Interrupt) -> Self {
        let nodes = circuit.gates.nodes().len();
        let mut leaves = vec![Leaf::Gate; nodes];
        for (index, input) in circuit.inputs.iter().enumerate() {
            leaves[input.signal.node()] = Leaf::Input(index);
        }
        for (index, latch) in circuit.latches.iter().enumerate() {
            leaves[latch.signal.node()] = Leaf::Latch(index);
        }
        let is_invariant = |signal: &Signal| circuit.invariants.iter().any(|invariant| invariant.signal == *signal);
        let unknown = NodeValue { value: None, cost: 0 };
        Lifter {
            circuit,
            transition,
            backend,
            interrupt: interrupt.clone(),
            solver: loaded(transition, backend, interrupt),
            conditions: circuit.constraints.iter().copied().filter(|signal| !is_invariant(signal)).collect(),
            is_forbidden: transition.conditions().map(|condition| !condition).collect(),
            definitions: Definitions::new(circuit),
            values: vec![unknown; nodes],
            marked: vec![false; nodes],
            leaves,
        }
    }

    pub fn lift(&mut self, step: &ModelStep, target: Target) -> Result<Cube, Interrupted> {
        let justified = self.justify(step, target);
        if self.solver.statistics().retired > RETIRED_LIMIT {
            self.solver = loaded(self.transition, self.backend, &self.interrupt);
        }
        let mut lits = self.shrink_by_core(step, justified, target)?;
        self.definitions.add_to(&mut lits, step);
        Ok(Cube::new(lits))
    }

    /// The latches that a walk back from the target's signals needs.
    fn justify(&mut self, step: &ModelStep, target: Target) -> Vec<StateLit> {
        self.evaluate(step);
        self.marked.fill(false);
        let mut stack = self.signals(target);
        let mut lits = Vec::new();
        while let Some(signal) = stack.pop() {
            let node = signal.node();
            if std::mem::replace(&mut self.marked[node], true) {
                continue;
            }
            match self.circuit.gates.nodes()[node] {
                Node::False => {}
                Node::Leaf => {
                    if let (Leaf::Latch(latch), Some(value)) = (self.leaves[node], self.values[node].value) {
                        lits.push(StateLit::new(latch, value));
                    }
                }
                Node::And(a, b) => match self.values[node].value {
                    Some(false) => stack.push(self.cheaper_false(a, b)),
                    _ => stack.extend([a, b]),
                },
            }
        }
        lits
    }

    /// The signals that are true in the model and must stay so.
    fn signals(&self, target: Target) -> Vec<Signal> {
        let mut signals = self.conditions.clone();
        match target {
            Target::Bad(property) => signals.push(self.circuit.bad[property].signal),
            Target::Successor(cube) => {
                signals.push(self.circuit.stop);
                let next = |lit: &StateLit| self.circuit.latches[lit.latch()].next;
                signals.extend(cube.lits().iter().map(next));
            }
        }
        signals
    }

    fn evaluate(&mut self, step: &ModelStep) {
        for (index, node) in self.circuit.gates.nodes().iter().enumerate() {
            self.values[index] = match *node {
                Node::False => NodeValue { value: Some(false), cost: 0 },
                Node::Leaf => match self.leaves[index] {
                    Leaf::Latch(latch) => NodeValue { value: step.value(latch), cost: 1 },
                    Leaf::Input(input) => NodeValue { value: step.inputs[input], cost: 0 },
                    Leaf::Gate => continue,
                },
                Node::And(a, b) => self.conjunction(a, b),
            };
        }
    }

    fn conjunction(&self, a: Signal, b: Signal) -> NodeValue {
        let (value_a, value_b) = (self.value(a), self.value(b));
        let (cost_a, cost_b) = (self.values[a.node()].cost, self.values[b.node()].cost);
        let (value, cost) = match (value_a, value_b) {
            (Some(false), Some(false)) => (Some(false), cost_a.min(cost_b)),
            (Some(false), _) => (Some(false), cost_a),
            (_, Some(false)) => (Some(false), cost_b),
            (Some(true), Some(true)) => (Some(true), cost_a.saturating_add(cost_b)),
            _ => (None, 0),
        };
        NodeValue { value, cost }
    }

    fn value(&self, signal: Signal) -> Option<bool> {
        let value = self.values[signal.node()].value?;
        Some(value != signal.is_complemented())
    }

    /// The false operand to justify a false conjunction by: one that is justified anyway, else the
    /// one that takes fewer latches.
    fn cheaper_false(&self, a: Signal, b: Signal) -> Signal {
        if self.value(a) != Some(false) {
            return b;
        }
        if self.value(b) != Some(false) {
            return a;
        }
        let rank = |signal: Signal| (!self.marked[signal.node()], self.values[signal.node()].cost);
        if rank(b) < rank(a) { b } else { a }
    }

    fn shrink_by_core(
        &mut self,
        step: &ModelStep,
        lits: Vec<StateLit>,
        target: Target,
    ) -> Result<Vec<StateLit>, Interrupted> {
        let inputs = self.transition.inputs().iter().zip(&step.inputs);
        let mut assumptions: Vec<Lit> = inputs
            .filter_map(|(lit, value)| match (lit, value) {
                (Some(lit), Some(true)) => Some(*lit),
                (Some(lit), Some(false)) => Some(!*lit),
                _ => None,
            })
            .collect();
        assumptions.extend(lits.iter().map(|&lit| self.transition.current(lit)));
        let refuted = self.refuted_clause(target);
        let answer = self.solver.solve_with(&assumptions, Some(&refuted));
        if satisfiable(answer)? {
            // Only a model that leaves a constraint's latches open can end up here, and no solver that
            // keeps its promise about partial models makes one; the justified cube is right anyway.
            debug_assert!(false, "a justified cube implies its target");
            return Ok(lits);
        }
        let in_core = |lit: &StateLit| self.solver.failed(self.transition.current(*lit));
        Ok(lits.into_iter().filter(in_core).collect())
    }

    /// "Some part of the condition fails."
    fn refuted_clause(&self, target: Target) -> Vec<Lit> {
        let mut clause = self.is_forbidden.clone();
        match target {
            Target::Bad(property) => clause.push(!self.transition.bad(property)),
            Target::Successor(cube) => {
                clause.extend(self.transition.stop());
                clause.extend(cube.lits().iter().map(|&lit| !self.transition.next(lit)));
            }
        }
        clause
    }

    pub fn statistics(&self) -> crate::sat::Statistics {
        self.solver.statistics()
    }
}

fn loaded(transition: &Transition, backend: Backend, interrupt: &Interrupt) -> Box<dyn Solver> {
    let mut solver = interruptible(backend, interrupt);
    transition.load(solver.as_mut());
    transition.load_invariants(solver.as_mut());
    solver
}
