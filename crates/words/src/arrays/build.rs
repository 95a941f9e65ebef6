//! A model and the cells that are followed in, the abstraction out.

use rustc_hash::FxHashMap;

use super::families::Families;
use super::{Abstraction, Watch};
use crate::bits::Bits;
use crate::model::{Bad, Input, Justice, Model, Node, NodeId, Sort, State};
use crate::operator::Binary;

pub fn build(model: &Model, families: Families, watches: Vec<Watch>) -> Abstraction {
    // An initial value may depend only on states before it. So the possible results of reads are made first, once it is
    // known which reads there are.
    let mut trial = Builder::new(model, &families, &watches);
    trial.all(&[]);
    let reads = trial.open_reads;
    let mut builder = Builder::new(model, &families, &watches);
    builder.all(&reads);
    let Builder { to, nodes, .. } = builder;
    Abstraction { model: to, nodes, families, watches }
}

/// A read that may find any value: of a state or input that is an array, at an index.
type OpenRead = (NodeId, NodeId);

struct Builder<'m> {
    from: &'m Model,
    families: &'m Families,
    watches: &'m [Watch],
    to: Model,
    /// By node of the model: its copy.
    nodes: Vec<Option<NodeId>>,
    /// By watch: the index that it follows, and the value that it must have in the end.
    followed: Vec<Followed>,
    /// Of each large array the cells that are followed, in the order of the watches of its family.
    cells: FxHashMap<NodeId, Vec<NodeId>>,
    /// The value read from a large array at an index.
    reads: FxHashMap<(NodeId, NodeId), NodeId>,
    /// The values that open reads find, where they were made before.
    any: FxHashMap<OpenRead, NodeId>,
    open_reads: Vec<OpenRead>,
}

struct Followed {
    index: NodeId,
    /// The values of the expression in the last steps, the latest first.
    past: Vec<NodeId>,
}

impl<'m> Builder<'m> {
    fn new(from: &'m Model, families: &'m Families, watches: &'m [Watch]) -> Self {
        Builder {
            from,
            families,
            watches,
            to: Model::default(),
            nodes: vec![None; from.nodes.len()],
            followed: vec![],
            cells: FxHashMap::default(),
            reads: FxHashMap::default(),
            any: FxHashMap::default(),
            open_reads: vec![],
        }
    }

    fn all(&mut self, reads: &[OpenRead]) {
        for &(array, index) in reads {
            let value = self.any_value(array);
            self.any.insert((array, index), value);
        }
        self.follow();
        for id in (0..self.from.nodes.len()).map(NodeId::new).filter(|&id| self.families.is_needed(id)) {
            self.node(id);
        }
        self.assign();
        self.properties();
    }

    fn state(&mut self, sort: Sort, name: String) -> NodeId {
        let node = self.to.add(Node::State(self.to.states.len()), sort);
        self.to.states.push(State { node, init: None, next: None, name });
        node
    }

    /// A value that an element of an array may have, in every step anew.
    fn any_value(&mut self, array: NodeId) -> NodeId {
        let sort = element(self.from, array);
        self.state(sort, String::new())
    }

    /// Follows indices, and the past of the expressions that they should equal.
    fn follow(&mut self) {
        for watch in self.watches {
            let sort = self.from.sort(watch.index);
            if let Node::Constant(bits) = self.from.node(watch.index) {
                let index = self.to.add(Node::Constant(bits.clone()), sort);
                self.followed.push(Followed { index, past: vec![] });
                continue;
            }
            let index = self.state(sort, String::new());
            let place = self.to.states.len() - 1;
            self.to.states[place].next = Some(index);
            let past = (0..watch.delay).map(|_| self.state(sort, String::new())).collect();
            self.followed.push(Followed { index, past });
        }
    }

    fn copy(&self, id: NodeId) -> NodeId {
        self.nodes[id.index()].expect("operands come first, and those of words are words or small arrays")
    }

    fn node(&mut self, id: NodeId) {
        let from = self.from;
        if self.families.is_large(id) {
            let cells = self.followed_cells(id);
            self.cells.insert(id, cells);
            return;
        }
        let sort = from.sort(id);
        let copy = match *from.node(id) {
            Node::Read { array, index } if self.families.is_large(array) => self.read(array, index),
            Node::Input(input) => {
                let node = self.to.add(Node::Input(self.to.inputs.len()), sort);
                self.to.inputs.push(Input { node, name: from.inputs[input].name.clone() });
                node
            }
            Node::State(state) => self.state(sort, from.states[state].name.clone()),
            ref node => {
                let node = node.map(|operand| self.copy(operand));
                self.to.add(node, sort)
            }
        };
        self.nodes[id.index()] = Some(copy);
    }

    /// The indices at which an array is followed.
    fn indices(&self, array: NodeId) -> Vec<NodeId> {
        let watches = self.watches.iter().zip(&self.followed);
        watches
            .filter(|(watch, _)| self.families.are_one(watch.array, array))
            .map(|(_, followed)| followed.index)
            .collect()
    }

    fn followed_cells(&mut self, id: NodeId) -> Vec<NodeId> {
        let element = element(self.from, id);
        let indices = self.indices(id);
        match *self.from.node(id) {
            Node::Write { array, index, value } => {
                let (at, value) = (self.copy(index), self.copy(value));
                let pairs = indices.into_iter().zip(self.cells[&array].clone());
                pairs
                    .map(|(followed, before)| {
                        let is_hit = self.equal(at, followed);
                        self.choose(is_hit, value, before, element)
                    })
                    .collect()
            }
            Node::Ite { condition, then, otherwise } => {
                let condition = self.copy(condition);
                let pairs = self.cells[&then].clone().into_iter().zip(self.cells[&otherwise].clone());
                pairs.map(|(then, otherwise)| self.choose(condition, then, otherwise, element)).collect()
            }
            Node::State(state) => {
                let name = &self.from.states[state].name;
                let name = if name.is_empty() { String::new() } else { format!("{name}[*]") };
                indices.iter().map(|_| self.state(element, name.clone())).collect()
            }
            // Inputs are any array in every step.
            _ => indices.iter().map(|_| self.state(element, String::new())).collect(),
        }
    }

    /// The value read from a large array: from the last write with this index, or from the state or input that the
    /// array comes from.
    fn read(&mut self, array: NodeId, index: NodeId) -> NodeId {
        let from = self.from;
        let at = self.copy(index);
        let mut pending = vec![array];
        let mut needed = vec![];
        while let Some(id) = pending.pop() {
            if self.families.is_large(id) && !self.reads.contains_key(&(id, index)) && !needed.contains(&id) {
                needed.push(id);
                pending.extend(from.node(id).operands());
            }
        }
        needed.sort_unstable();
        for id in needed {
            let element = element(from, id);
            let value = match *from.node(id) {
                Node::Write { array, index: written, value } => {
                    let is_hit = self.copy(written);
                    let is_hit = self.equal(at, is_hit);
                    let (value, before) = (self.copy(value), self.reads[&(array, index)]);
                    self.choose(is_hit, value, before, element)
                }
                Node::Ite { condition, then, otherwise } => {
                    let condition = self.copy(condition);
                    let (then, otherwise) = (self.reads[&(then, index)], self.reads[&(otherwise, index)]);
                    self.choose(condition, then, otherwise, element)
                }
                _ => self.read_leaf(id, index),
            };
            self.reads.insert((id, index), value);
        }
        self.reads[&(array, index)]
    }

    /// The value read from a state or an input: a followed cell, or anything.
    fn read_leaf(&mut self, leaf: NodeId, index: NodeId) -> NodeId {
        self.open_reads.push((leaf, index));
        let made = self.any.get(&(leaf, index)).copied();
        let mut value = made.unwrap_or_else(|| self.any_value(leaf));
        let at = self.copy(index);
        let element = element(self.from, leaf);
        for (followed, cell) in self.indices(leaf).into_iter().zip(self.cells[&leaf].clone()) {
            let is_hit = self.equal(at, followed);
            value = self.choose(is_hit, cell, value, element);
        }
        value
    }

    fn equal(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let known = match (self.to.node(a), self.to.node(b)) {
            _ if a == b => Some(true),
            (Node::Constant(a), Node::Constant(b)) => Some(a == b),
            _ => None,
        };
        match known {
            Some(truth) => self.to.add(Node::Constant(Bits::from_bool(truth)), Sort::BOOL),
            None => self.to.add(Node::Binary(Binary::Eq, a, b), Sort::BOOL),
        }
    }

    fn choose(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId, sort: Sort) -> NodeId {
        match self.to.node(condition) {
            Node::Constant(truth) => {
                if truth.is_zero() {
                    otherwise
                } else {
                    then
                }
            }
            _ => self.to.add(Node::Ite { condition, then, otherwise }, sort),
        }
    }

    /// Sets the initial and next values of states.
    fn assign(&mut self) {
        for state in self.from.states.iter().filter(|state| self.families.is_needed(state.node)) {
            for (value, is_init) in [(state.init, true), (state.next, false)] {
                let Some(value) = value else { continue };
                let (states, values) = if !self.families.is_large(state.node) {
                    (vec![self.copy(state.node)], vec![self.copy(value)])
                } else {
                    let states = self.cells[&state.node].clone();
                    // A word is the initial value of all cells.
                    let filled = || vec![self.copy(value); states.len()];
                    let values = self.cells.get(&value).cloned().unwrap_or_else(filled);
                    (states, values)
                };
                for (node, value) in states.into_iter().zip(values) {
                    let Node::State(place) = *self.to.node(node) else { unreachable!("copies of states are states") };
                    let state = &mut self.to.states[place];
                    if is_init { state.init = Some(value) } else { state.next = Some(value) }
                }
            }
        }
        for (place, watch) in self.watches.iter().enumerate() {
            let mut latest = self.copy(watch.index);
            for &past in &self.followed[place].past {
                let Node::State(state) = *self.to.node(past) else { unreachable!("the past is kept in states") };
                self.to.states[state].next = Some(std::mem::replace(&mut latest, past));
            }
        }
    }

    fn properties(&mut self) {
        let from = self.from;
        self.to.constraints = from.constraints.iter().map(|&node| self.copy(node)).collect();
        self.to.fairness = from.fairness.iter().map(|&node| self.copy(node)).collect();
        for justice in &from.justice {
            let nodes = justice.nodes.iter().map(|&node| self.copy(node)).collect();
            self.to.justice.push(Justice { nodes, name: justice.name.clone() });
        }
        let mut is_foreseen = vec![];
        for (place, watch) in self.watches.iter().enumerate() {
            let Followed { index, ref past } = self.followed[place];
            let value = past.last().copied().unwrap_or_else(|| self.copy(watch.index));
            is_foreseen.push(self.equal(index, value));
        }
        for bad in &from.bad {
            let mut node = self.copy(bad.node);
            for &truth in &is_foreseen {
                node = self.to.add(Node::Binary(Binary::And, node, truth), Sort::BOOL);
            }
            self.to.bad.push(Bad { node, name: bad.name.clone() });
        }
    }
}

/// The sort of an array's elements.
fn element(model: &Model, array: NodeId) -> Sort {
    match model.sort(array) {
        Sort::Array { element, .. } => Sort::Bits(element),
        Sort::Bits(_) => unreachable!("an array"),
    }
}
