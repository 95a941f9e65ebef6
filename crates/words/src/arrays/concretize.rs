//! A run of the abstraction in, a run of the model out, or the cell that tells why there is none like it.
//!
//! The run is followed backwards from its end, along everything that the end depends on: of a choice, the condition and
//! the chosen part; of a false conjunction, one false part. A value that is read on the way comes from a write, from
//! the start, or from a place where any value is possible. In the last case the cell gets the value that was read
//! first. In the others the true value may differ: then the run has read a wrong value.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Abstraction, Watch};
use crate::bits::Bits;
use crate::evaluate::{Array, Value};
use crate::model::{Model, Node, NodeId, Sort};
use crate::operator::Binary;
use crate::simulate::{Run, Simulator, Stimulus};

/// Runs with more values are left alone, since all are kept.
const MOST_VALUES: usize = 20_000_000;

/// The result of looking at a run of the abstraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concrete {
    /// This run of the model ends in the bad state.
    Run(Run),
    /// The run is none of the model, since this cell has another value.
    Watch(Watch),
    /// It cannot be told.
    Unclear,
}

impl Abstraction {
    /// The run of the model that corresponds to a run of the abstraction to one of its bad states.
    pub fn concretize(&self, model: &Model, run: &Run, property: usize) -> Concrete {
        if run.steps.len().saturating_mul(self.model.nodes.len()) > MOST_VALUES {
            return Concrete::Unclear;
        }
        let Some(values) = self.values(run) else { return Concrete::Unclear };
        let mut walk = Walk {
            abstraction: self,
            model,
            values,
            cells: FxHashMap::default(),
            seen: FxHashSet::default(),
            pending: vec![],
            wrong: vec![],
        };
        let last = run.steps.len() - 1;
        walk.pending.push((last, model.bad[property].node));
        for step in 0..=last {
            walk.pending.extend(model.constraints.iter().map(|&constraint| (step, constraint)));
        }
        walk.follow();
        let concrete = walk.run();
        if concrete.reaches(model, property).is_ok() {
            return Concrete::Run(concrete);
        }
        // The shorter the delay, the less has to be remembered.
        walk.wrong.retain(|watch| !self.watches.contains(watch));
        let nearest = walk.wrong.into_iter().min_by_key(|watch| (watch.delay, watch.index));
        nearest.map_or(Concrete::Unclear, Concrete::Watch)
    }

    /// By step, by node of the abstraction.
    fn values(&self, run: &Run) -> Option<Vec<Vec<Value>>> {
        let mut simulator = Simulator::new(&self.model);
        let mut values = vec![];
        for (number, step) in run.steps.iter().enumerate() {
            simulator.take(number, step).ok()?;
            let nodes = (0..self.model.nodes.len()).map(NodeId::new);
            values.push(nodes.map(|id| simulator.value(id).clone()).collect());
        }
        (!values.is_empty()).then_some(values)
    }
}

struct Walk<'a> {
    abstraction: &'a Abstraction,
    model: &'a Model,
    /// By step, by node of the abstraction.
    values: Vec<Vec<Value>>,
    /// Of arrays that are open in a step, the cells that were read.
    cells: FxHashMap<(NodeId, usize), FxHashMap<Bits, Bits>>,
    seen: FxHashSet<(usize, NodeId)>,
    pending: Vec<(usize, NodeId)>,
    /// Reads of another value than is there.
    wrong: Vec<Watch>,
}

/// Where an element of an array comes from.
enum Source {
    /// A word of a step.
    Word(usize, NodeId),
    /// A state or an input that is any array in this step.
    Open(NodeId, usize),
}

impl Walk<'_> {
    fn value(&self, step: usize, id: NodeId) -> &Value {
        let copy = self.abstraction.nodes[id.index()].expect("large arrays have no values");
        &self.values[step][copy.index()]
    }

    /// Whether all bits of a word have this value.
    fn is_all(&self, step: usize, id: NodeId, bit: bool) -> bool {
        let bits = self.value(step, id).bits();
        if bit { bits.not().is_zero() } else { bits.is_zero() }
    }

    fn follow(&mut self) {
        while let Some((step, id)) = self.pending.pop() {
            if !self.seen.insert((step, id)) {
                continue;
            }
            match *self.model.node(id) {
                Node::State(state) => {
                    let state = &self.model.states[state];
                    let before = if step == 0 {
                        state.init.map(|init| (0, init))
                    } else {
                        state.next.map(|next| (step - 1, next))
                    };
                    self.pending.extend(before);
                }
                Node::Read { array, index } if self.abstraction.families.is_large(array) => {
                    self.pending.push((step, index));
                    self.read(step, id, array, index);
                }
                Node::Ite { condition, then, otherwise } => {
                    let chosen = if self.value(step, condition).is_true() { then } else { otherwise };
                    self.pending.extend([(step, condition), (step, chosen)]);
                }
                Node::Binary(operator, a, b) => {
                    let decides = |bit: bool| [a, b].into_iter().find(|&part| self.is_all(step, part, bit));
                    let decisive = match operator {
                        Binary::And | Binary::Nand => decides(false),
                        Binary::Or | Binary::Nor => decides(true),
                        _ => None,
                    };
                    match decisive {
                        Some(part) => self.pending.push((step, part)),
                        None => self.pending.extend([(step, a), (step, b)]),
                    }
                }
                ref node => self.pending.extend(node.operands().map(|operand| (step, operand))),
            }
        }
    }

    /// Compares the value of a read with the true one.
    fn read(&mut self, step: usize, read: NodeId, array: NodeId, index: NodeId) {
        let at = self.value(step, index).bits().clone();
        let found = self.value(step, read).bits().clone();
        let is_there = match self.source(step, array, &at) {
            Source::Word(step, word) => {
                self.pending.push((step, word));
                *self.value(step, word).bits() == found
            }
            Source::Open(leaf, step) => {
                let cells = self.cells.entry((leaf, step)).or_default();
                *cells.entry(at).or_insert_with(|| found.clone()) == found
            }
        };
        if !is_there {
            self.wrong.push(Watch { array, index, delay: self.values.len() - 1 - step });
        }
    }

    /// The origin of an array's element at this index. Everything that it depends on is to be followed, too.
    fn source(&mut self, mut step: usize, mut array: NodeId, at: &Bits) -> Source {
        loop {
            array = match *self.model.node(array) {
                Node::Write { array: before, index, value } => {
                    self.pending.push((step, index));
                    if self.value(step, index).bits() == at {
                        return Source::Word(step, value);
                    }
                    before
                }
                Node::Ite { condition, then, otherwise } => {
                    self.pending.push((step, condition));
                    if self.value(step, condition).is_true() { then } else { otherwise }
                }
                Node::State(state) => {
                    let state = &self.model.states[state];
                    let before = if step == 0 { state.init } else { state.next };
                    let Some(before) = before else { return Source::Open(array, step) };
                    if step == 0 && matches!(self.model.sort(before), Sort::Bits(_)) {
                        return Source::Word(0, before);
                    }
                    step = step.saturating_sub(1);
                    before
                }
                _ => return Source::Open(array, step),
            };
        }
    }

    /// The run of the model with the same choices, and with the cells that were read.
    fn run(&self) -> Run {
        let at = |step: usize, id: NodeId| match self.model.sort(id) {
            Sort::Array { index, element } if self.abstraction.families.is_large(id) => {
                let mut array = Array::filled(index, Bits::zero(element));
                for (index, value) in self.cells.get(&(id, step)).into_iter().flatten() {
                    array.set(index.clone(), value.clone());
                }
                Value::Array(array)
            }
            sort if !self.abstraction.families.is_needed(id) => Value::zero(sort),
            _ => self.value(step, id).clone(),
        };
        let step = |step: usize| Stimulus {
            states: self
                .model
                .states
                .iter()
                .map(|state| {
                    let given = if step == 0 { state.init } else { state.next };
                    given.is_none().then(|| at(step, state.node))
                })
                .collect(),
            inputs: self.model.inputs.iter().map(|input| at(step, input.node)).collect(),
        };
        Run { steps: (0..self.values.len()).map(step).collect() }
    }
}
