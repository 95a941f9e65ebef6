//! Which arrays hang together, so that a cell that is followed in one is followed in all, and which are large.

use crate::classes::Classes;
use crate::model::{Model, Node, NodeId, Sort, State};
use crate::operator::Binary;

/// The arrays of a model: those of a family become each other by writes, choices and steps.
#[derive(Clone, Debug)]
pub struct Families {
    /// Nodes that are no arrays are alone.
    classes: Classes,
    /// By the first of a family: whether it is abstracted.
    is_large: Vec<bool>,
    /// By node: whether a property depends on it. The rest is left out.
    is_needed: Vec<bool>,
}

impl Families {
    /// Large are those whose states and inputs take more bits than this, as far as a property depends on them, if no array among them
    /// is compared with another: cells do not tell whether all are equal.
    pub fn of(model: &Model, most_bits: usize) -> Families {
        let number = model.nodes.len();
        let mut families = Families {
            classes: Classes::new(number),
            is_large: vec![false; number],
            is_needed: model.cone(model.roots()),
        };
        families.join_arrays(model);
        families.is_large = families.large(model, most_bits);
        families
    }

    fn join_arrays(&mut self, model: &Model) {
        for id in (0..model.nodes.len()).map(NodeId::new).filter(|&id| is_array(model, id)) {
            match *model.node(id) {
                Node::Write { array, .. } => self.classes.join(id, array),
                Node::Ite { then, otherwise, .. } => {
                    [then, otherwise].into_iter().for_each(|part| self.classes.join(id, part));
                }
                Node::State(state) => {
                    let State { init, next, .. } = model.states[state];
                    let arrays = init.into_iter().chain(next).filter(|&value| is_array(model, value));
                    arrays.for_each(|value| self.classes.join(id, value));
                }
                _ => {}
            }
        }
    }

    /// By the first of a family: whether it is large.
    fn large(&self, model: &Model, most_bits: usize) -> Vec<bool> {
        let mut bits = vec![0_usize; model.nodes.len()];
        let mut is_compared = vec![false; model.nodes.len()];
        for id in (0..model.nodes.len()).map(NodeId::new).filter(|&id| self.is_needed(id)) {
            match *model.node(id) {
                Node::State(_) | Node::Input(_) if is_array(model, id) => {
                    let bits = &mut bits[self.classes.first(id)];
                    *bits = bits.saturating_add(model.sort(id).size().unwrap_or(usize::MAX));
                }
                Node::Binary(Binary::Eq | Binary::Neq, a, b) if is_array(model, a) => {
                    [a, b].into_iter().for_each(|array| is_compared[self.classes.first(array)] = true);
                }
                _ => {}
            }
        }
        bits.into_iter().zip(is_compared).map(|(bits, is_compared)| bits > most_bits && !is_compared).collect()
    }

    pub fn is_needed(&self, id: NodeId) -> bool {
        self.is_needed[id.index()]
    }

    pub fn has_large(&self) -> bool {
        self.is_large.contains(&true)
    }

    /// Whether this is an array that is abstracted.
    pub fn is_large(&self, id: NodeId) -> bool {
        self.is_large[self.classes.first(id)]
    }

    pub fn are_one(&self, a: NodeId, b: NodeId) -> bool {
        self.classes.first(a) == self.classes.first(b)
    }
}

fn is_array(model: &Model, id: NodeId) -> bool {
    matches!(model.sort(id), Sort::Array { .. })
}
