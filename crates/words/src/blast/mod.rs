//! A model in, a circuit over its bits out, and the way back for runs.
//!
//! A word becomes as many signals, an array the words of all its cells, one behind the other. Only words that a
//! property or a constraint depends on get a place. Two things that a circuit does not have are made of those that it
//! has:
//!
//! ```text
//! an initial value that is no constant   the state is what it should be while a latch says that this is the first step
//! a state without a next value           inputs, after the first step if it has an initial value
//! ```

mod operators;

use std::fmt;

use redoubt_circuit::word::{self, Word};
use redoubt_circuit::{Circuit, Reset, Signal};
use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::evaluate::{Array, Value};
use crate::model::{Model, Node, NodeId, Sort, State};
use crate::simulate::{Run, Stimulus};

/// Circuits with more gates and latches take too much memory.
const MOST: usize = 1 << 25;

/// The model is too large for a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The part that was too much.
    pub sort: Sort,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "as a circuit the model takes more than {MOST} gates, which is the most; the part that did not fit has {}",
            self.sort
        )
    }
}

/// Where the bits of an input or state are.
#[derive(Clone, Copy, Debug)]
enum Home {
    /// Nothing depends on it.
    Nowhere,
    /// From this input of the circuit on.
    Inputs(usize),
    /// From this latch on.
    Latches(usize),
}

/// A model as a circuit.
#[derive(Clone, Debug)]
pub struct Blasted {
    /// Its bad signals are those of the model, in order.
    pub circuit: Circuit,
    /// The signals of each justice property.
    pub justice: Vec<Vec<Signal>>,
    pub fairness: Vec<Signal>,
    pub places: Places,
}

/// Where everything of a model is in its circuit.
#[derive(Clone, Debug)]
pub struct Places {
    inputs: Vec<Home>,
    states: Vec<Home>,
}

/// Makes a circuit of a model.
pub fn blast(model: &Model) -> Result<Blasted, TooLarge> {
    let is_needed = model.cone(model.roots());
    measure(model, &is_needed)?;
    let blaster = Blaster {
        model,
        is_needed,
        circuit: Circuit::default(),
        inputs: vec![],
        states: vec![],
        words: vec![Word::new(); model.nodes.len()],
        initial: FxHashMap::default(),
        started: None,
    };
    Ok(blaster.blast())
}

/// Refuses a model that would be too large, before it is built.
fn measure(model: &Model, is_needed: &[bool]) -> Result<(), TooLarge> {
    let mut size = 0_usize;
    for index in (0..model.nodes.len()).filter(|&index| is_needed[index]) {
        let id = NodeId::new(index);
        let sort = model.node(id).operands().map(|id| model.sort(id)).chain([model.sort(id)]);
        let largest = sort.max_by_key(|sort| sort.size().unwrap_or(usize::MAX)).unwrap_or(Sort::BOOL);
        let weight =
            largest.size().and_then(|bits| bits.checked_mul(operators::gates_per_bit(model.node(id), largest)));
        size = size.saturating_add(weight.unwrap_or(usize::MAX));
        if size > MOST {
            return Err(TooLarge { sort: largest });
        }
    }
    Ok(())
}

struct Blaster<'m> {
    model: &'m Model,
    is_needed: Vec<bool>,
    circuit: Circuit,
    inputs: Vec<Home>,
    states: Vec<Home>,
    /// By node: its bits; none if it has not got them yet.
    words: Vec<Word>,
    /// The values of expressions in the first step, as far as initial values depend on them.
    initial: FxHashMap<NodeId, Word>,
    /// Whether this is not the first step.
    started: Option<Signal>,
}

impl Blaster<'_> {
    fn blast(mut self) -> Blasted {
        let model = self.model;
        self.leaves();
        for state in 0..model.states.len() {
            if self.is_needed[model.states[state].node.index()] {
                self.state(state);
            }
        }
        for index in 0..model.nodes.len() {
            if self.is_needed[index] && self.words[index].is_empty() {
                let words = &self.words;
                let word =
                    operators::blast(&mut self.circuit.gates, model, NodeId::new(index), |id| &words[id.index()]);
                self.words[index] = word;
            }
        }
        for (place, state) in self.states.iter().zip(&model.states) {
            if let (&Home::Latches(first), Some(next)) = (place, state.next) {
                let latches = self.circuit.latches[first..].iter_mut();
                latches.zip(&self.words[next.index()]).for_each(|(latch, &bit)| latch.next = bit);
            }
        }
        let bit = |id: &NodeId| self.words[id.index()][0];
        self.circuit.constraints = model.constraints.iter().map(bit).collect();
        let justice = model.justice.iter().map(|justice| justice.nodes.iter().map(bit).collect()).collect();
        let fairness = model.fairness.iter().map(bit).collect();
        for bad in &model.bad {
            let signal = self.words[bad.node.index()][0];
            self.circuit.add_bad(bad.name.clone(), signal);
        }
        let places = Places { inputs: self.inputs, states: self.states };
        Blasted { circuit: self.circuit, justice, fairness, places }
    }

    /// Inputs and latches, in the order of the model.
    fn leaves(&mut self) {
        let model = self.model;
        for input in &model.inputs {
            let place = self.leaf(input.node, &input.name, true);
            self.inputs.push(place);
        }
        for state in &model.states {
            let place = self.leaf(state.node, &state.name, state.next.is_none());
            self.states.push(place);
        }
    }

    fn leaf(&mut self, id: NodeId, name: &str, is_input: bool) -> Home {
        if !self.is_needed[id.index()] {
            return Home::Nowhere;
        }
        let sort = self.model.sort(id);
        let size = sort.size().unwrap_or(0);
        let circuit = &mut self.circuit;
        let place = if is_input { Home::Inputs(circuit.inputs.len()) } else { Home::Latches(circuit.latches.len()) };
        let mut leaf = |bit| {
            let name = bit_name(name, sort, bit);
            if is_input { circuit.add_input(name) } else { circuit.add_latch(name, Reset::Free) }
        };
        self.words[id.index()] = (0..size).map(&mut leaf).collect();
        place
    }

    /// Sees to the initial value of a state.
    fn state(&mut self, state: usize) {
        let State { node, init, next, .. } = self.model.states[state];
        let Some(init) = init else { return };
        let leaves = self.words[node.index()].clone();
        let initial = self.initial_word(init, self.model.sort(node));
        let mut word = leaves.clone();
        for (bit, (&leaf, &initial)) in leaves.iter().zip(&initial).enumerate() {
            if next.is_some() {
                let Home::Latches(first) = self.states[state] else { unreachable!("it has latches") };
                let is_zero = initial.as_constant() != Some(true);
                self.circuit.latches[first + bit].reset = if is_zero { Reset::Zero } else { Reset::One };
            }
            if next.is_none() || !initial.is_constant() {
                let started = self.started();
                word[bit] = self.circuit.gates.mux(started, leaf, initial);
            }
        }
        self.words[node.index()] = word;
    }

    fn started(&mut self) -> Signal {
        *self.started.get_or_insert_with(|| {
            let signal = self.circuit.add_latch("", Reset::Zero);
            let place = self.circuit.latches.len() - 1;
            self.circuit.latches[place].next = Signal::TRUE;
            signal
        })
    }

    /// The bits of an initial value.
    fn initial_word(&mut self, init: NodeId, sort: Sort) -> Word {
        let model = self.model;
        for id in model.order(init, |id| self.initial.contains_key(&id)) {
            let word = match *model.node(id) {
                // States before this one are seen to; without an initial value theirs are any.
                Node::State(state) => match model.states[state].init {
                    Some(init) => filled(&self.initial[&init], model.sort(id)),
                    None => self.words[id.index()].clone(),
                },
                _ => {
                    let initial = &self.initial;
                    operators::blast(&mut self.circuit.gates, model, id, |id| &initial[&id])
                }
            };
            self.initial.insert(id, word);
        }
        filled(&self.initial[&init], sort)
    }
}

/// A word for all cells of an array, or the word itself.
fn filled(word: &[Signal], sort: Sort) -> Word {
    match (sort, sort.size()) {
        (Sort::Array { .. }, Some(size)) if size > word.len() => word.iter().copied().cycle().take(size).collect(),
        _ => word.to_vec(),
    }
}

/// `name`, `name[bit]` or `name[cell][bit]`; none if the whole has none.
fn bit_name(name: &str, sort: Sort, bit: usize) -> String {
    match sort {
        _ if name.is_empty() => String::new(),
        Sort::Bits(1) => name.into(),
        Sort::Bits(_) => format!("{name}[{bit}]"),
        Sort::Array { element, .. } => format!("{name}[{}][{}]", bit / element as usize, bit % element as usize),
    }
}

impl Places {
    /// The inputs of the circuit that are bits of states: of those that are open in every step.
    pub fn open_states(&self, model: &Model) -> Vec<usize> {
        let bits = |(state, place): (&State, &Home)| match *place {
            Home::Inputs(first) => first..first + model.sort(state.node).size().unwrap_or(0),
            Home::Nowhere | Home::Latches(_) => 0..0,
        };
        model.states.iter().zip(&self.states).flat_map(bits).collect()
    }

    /// The run of the model that corresponds to a run of the circuit.
    pub fn run(&self, model: &Model, initial: &[bool], inputs: &[Vec<bool>]) -> Run {
        let step = |(number, inputs): (usize, &Vec<bool>)| {
            let at = |id: NodeId, place: Home| {
                let sort = model.sort(id);
                let bits = |first: usize| first..first + sort.size().unwrap_or(0);
                match place {
                    Home::Nowhere => Value::zero(sort),
                    Home::Inputs(first) => value(sort, &inputs[bits(first)]),
                    Home::Latches(first) => value(sort, &initial[bits(first)]),
                }
            };
            let state = |(state, &place): (&State, &Home)| {
                let is_open = if number == 0 { state.init.is_none() } else { state.next.is_none() };
                is_open.then(|| at(state.node, place))
            };
            Stimulus {
                states: model.states.iter().zip(&self.states).map(state).collect(),
                inputs: model.inputs.iter().zip(&self.inputs).map(|(input, &place)| at(input.node, place)).collect(),
            }
        };
        Run { steps: inputs.iter().enumerate().map(step).collect() }
    }
}

/// Bits as a value.
fn value(sort: Sort, bits: &[bool]) -> Value {
    let word = |bits: &[bool]| Bits::from_bools(bits.iter().copied());
    match sort {
        Sort::Bits(_) => Value::Bits(word(bits)),
        Sort::Array { index, element } => {
            let mut array = Array::filled(index, Bits::zero(element));
            for (cell, bits) in bits.chunks(element as usize).enumerate() {
                if bits.contains(&true) {
                    array.set(Bits::from_u64(index, cell as u64), word(bits));
                }
            }
            Value::Array(array)
        }
    }
}

/// The constant as signals.
fn constant(bits: &Bits) -> Word {
    (0..bits.width()).map(|index| Signal::constant(bits.bit(index))).collect()
}

/// Whether a word is zero.
fn is_zero(gates: &mut redoubt_circuit::Aig, word: &[Signal]) -> Signal {
    !word::is_nonzero(gates, word)
}

#[cfg(test)]
mod tests;
