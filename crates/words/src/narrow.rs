//! A model in, one with shorter words out that has the same runs, up to the values of words; and the way back for runs.
//!
//! Some words are only moved about and compared for equality, such as the data in a queue. Properties can see only
//! which of them are equal. Words that are connected by choices, by comparisons, or by the next value of a state form a
//! family. If a family has n states, inputs and constants, no step ever sees more than n values at once, so words long
//! enough for n values suffice (Johannsen and Drechsler, "Formal verification on the RT level: computing one-to-one
//! design abstractions by signal width reduction", VLSI-SoC 2001, for one time frame).
//!
//! Why that is exact: let a state of the model and one of the narrow model be alike if they agree on all other words, and the words of each
//! family are equal in one where they are equal in the other, constants included. Whatever the inputs of a step are in one of the
//! two, the other has inputs that keep them alike, since there are values that are not in use; and the next states are alike again, since
//! nothing but the present values and constants gets there.

use crate::bits::Bits;
use crate::classes::Classes;
use crate::evaluate::Value;
use crate::model::{Bad, Input, Justice, Model, Node, NodeId, Sort, State};
use crate::operator::Binary;
use crate::simulate::{Run, Stimulus};

/// A model with shorter words, and without parts that no property depends on.
#[derive(Clone, Debug)]
pub struct Narrowed {
    /// Its properties are those of the given model, in order.
    pub model: Model,
    /// By node of the given model: its counterpart here.
    nodes: Vec<Option<NodeId>>,
    /// By node of the given model: its family, if its words are shorter.
    family: Vec<Option<usize>>,
    families: Vec<Family>,
}

#[derive(Clone, Debug)]
struct Family {
    /// The length of its words.
    short: u32,
    /// The values that these stand for, from 0 on. Its constants are the first.
    values: Vec<Bits>,
}

impl Narrowed {
    /// `None` if no words can be shorter.
    pub fn of(model: &Model) -> Option<Narrowed> {
        let together = Together::of(model);
        let mut family = vec![None; model.nodes.len()];
        let mut families = vec![];
        for members in together.members() {
            if let Some(narrow) = narrow(model, &members) {
                members.iter().for_each(|member| family[member.index()] = Some(families.len()));
                families.push(narrow);
            }
        }
        if families.is_empty() {
            return None;
        }
        let nodes = vec![None; model.nodes.len()];
        let mut narrowed = Narrowed { model: Model::default(), nodes, family, families };
        narrowed.copy(model, &together.is_needed);
        Some(narrowed)
    }

    /// Copies the needed nodes.
    fn copy(&mut self, from: &Model, is_needed: &[bool]) {
        for index in (0..from.nodes.len()).filter(|&index| is_needed[index]) {
            let id = NodeId::new(index);
            let family = self.family[index].map(|family| &self.families[family]);
            let sort = family.map_or(from.sort(id), |family| Sort::Bits(family.short));
            let node = match (from.node(id), family) {
                (Node::Constant(bits), Some(family)) => {
                    let code = family.values.iter().position(|value| value == bits).unwrap_or(0);
                    Node::Constant(Bits::from_u64(family.short, code as u64))
                }
                (Node::Input(input), _) => {
                    let node = NodeId::new(self.model.nodes.len());
                    self.model.inputs.push(Input { node, ..from.inputs[*input].clone() });
                    Node::Input(self.model.inputs.len() - 1)
                }
                (Node::State(state), _) => {
                    let node = NodeId::new(self.model.nodes.len());
                    self.model.states.push(State { node, init: None, next: None, ..from.states[*state].clone() });
                    Node::State(self.model.states.len() - 1)
                }
                (node, _) => node.map(|operand| self.at(operand)),
            };
            self.nodes[index] = Some(self.model.add(node, sort));
        }
        for state in from.states.iter().filter(|state| is_needed[state.node.index()]) {
            let Node::State(place) = *self.model.node(self.at(state.node)) else { unreachable!("a state is one") };
            self.model.states[place].init = state.init.map(|init| self.at(init));
            self.model.states[place].next = state.next.map(|next| self.at(next));
        }
        self.model.constraints = from.constraints.iter().map(|&node| self.at(node)).collect();
        self.model.fairness = from.fairness.iter().map(|&node| self.at(node)).collect();
        self.model.bad = from.bad.iter().map(|bad| Bad { node: self.at(bad.node), name: bad.name.clone() }).collect();
        let justice = |justice: &Justice| Justice {
            nodes: justice.nodes.iter().map(|&node| self.at(node)).collect(),
            name: justice.name.clone(),
        };
        self.model.justice = from.justice.iter().map(justice).collect();
    }

    fn at(&self, id: NodeId) -> NodeId {
        self.nodes[id.index()].expect("what is needed of what is needed")
    }

    /// The run of the given model that a run of the narrow model stands for.
    pub fn widen(&self, from: &Model, run: &Run) -> Run {
        let long = |id: NodeId, value: &Value| match (self.family[id.index()], value) {
            (Some(family), Value::Bits(bits)) => {
                let place = bits.to_u64().unwrap_or(0) as usize;
                Value::Bits(self.families[family].values[place].clone())
            }
            _ => value.clone(),
        };
        let copy = |id: NodeId| self.nodes[id.index()].map(|copy| self.model.node(copy));
        let step = |step: &Stimulus| Stimulus {
            states: from
                .states
                .iter()
                .map(|state| match copy(state.node) {
                    Some(&Node::State(place)) => step.states[place].as_ref().map(|value| long(state.node, value)),
                    _ => None,
                })
                .collect(),
            inputs: from
                .inputs
                .iter()
                .map(|input| match copy(input.node) {
                    Some(&Node::Input(place)) => long(input.node, &step.inputs[place]),
                    _ => Value::zero(from.sort(input.node)),
                })
                .collect(),
        };
        Run { steps: run.steps.iter().map(step).collect() }
    }
}

/// The shortest length of the words of a family, if that is less than now.
fn narrow(model: &Model, members: &[NodeId]) -> Option<Family> {
    let Sort::Bits(width) = model.sort(members[0]) else { return None };
    let mut constants: Vec<Bits> = vec![];
    let mut leaves = 0;
    for &id in members {
        match model.node(id) {
            Node::Constant(bits) if !constants.contains(bits) => constants.push(bits.clone()),
            Node::Input(_) | Node::State(_) => leaves += 1,
            _ => {}
        }
    }
    let short = (constants.len() + leaves).next_power_of_two().ilog2().max(1);
    if short >= width {
        return None;
    }
    // The other values are any that are no constants. There are enough: there are more long words than short ones.
    let others = (0..).map(|value| Bits::from_u64(width, value)).filter(|value| !constants.contains(value));
    let values = constants.iter().cloned().chain(others).take(1 << short).collect();
    Some(Family { short, values })
}

/// Words that hang together.
struct Together {
    classes: Classes,
    /// By node: whether something else is done with it than to move it or to compare it.
    is_used_otherwise: Vec<bool>,
    is_needed: Vec<bool>,
}

impl Together {
    fn of(model: &Model) -> Together {
        let number = model.nodes.len();
        let mut families = Together {
            classes: Classes::new(number),
            is_used_otherwise: vec![false; number],
            is_needed: model.cone(model.roots()),
        };
        for index in (0..number).filter(|&index| families.is_needed[index]).collect::<Vec<_>>() {
            families.look_at(model, NodeId::new(index));
        }
        for root in model.roots() {
            families.is_used_otherwise[root.index()] = true;
        }
        families
    }

    fn look_at(&mut self, model: &Model, id: NodeId) {
        match *model.node(id) {
            Node::Constant(_) | Node::Input(_) => {}
            Node::State(state) => {
                let state = &model.states[state];
                for value in state.init.into_iter().chain(state.next) {
                    // An array may start with a word in all its cells.
                    let fits = model.sort(value) == model.sort(id);
                    if fits { self.classes.join(id, value) } else { self.is_used_otherwise[value.index()] = true }
                }
            }
            Node::Ite { condition, then, otherwise } => {
                self.is_used_otherwise[condition.index()] = true;
                self.classes.join(id, then);
                self.classes.join(id, otherwise);
            }
            Node::Extend { of, by: 0, .. } => self.classes.join(id, of),
            Node::Binary(Binary::Eq | Binary::Neq, a, b) => {
                self.is_used_otherwise[id.index()] = true;
                self.classes.join(a, b);
            }
            ref node => {
                self.is_used_otherwise[id.index()] = true;
                node.operands().for_each(|operand| self.is_used_otherwise[operand.index()] = true);
            }
        }
    }

    /// The families of which nothing but equality matters.
    fn members(&self) -> Vec<Vec<NodeId>> {
        let mut members: Vec<Vec<NodeId>> = vec![vec![]; self.is_needed.len()];
        let mut is_spoilt = vec![false; self.is_needed.len()];
        for index in (0..self.is_needed.len()).filter(|&index| self.is_needed[index]) {
            let first = self.classes.first(NodeId::new(index));
            members[first].push(NodeId::new(index));
            is_spoilt[first] |= self.is_used_otherwise[index];
        }
        let fit = members.into_iter().zip(is_spoilt).filter(|(members, is_spoilt)| !members.is_empty() && !is_spoilt);
        fit.map(|(members, _)| members).collect()
    }
}
