//! Which arrays hang together, so that a cell that is followed in one is followed in all, and which are large.

use crate::model::{Model, Node, NodeId, Sort};
use crate::operator::Binary;

/// The arrays of a model: those of a family become each other by writes, choices and steps.
#[derive(Clone, Debug)]
pub struct Families {
    /// By node: one of its family; itself if it is no array.
    representative: Vec<usize>,
    /// By representative: whether the family is abstracted.
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
            representative: (0..number).collect(),
            is_large: vec![false; number],
            is_needed: model.cone(model.roots()),
        };
        let is_array = |id: &NodeId| matches!(model.sort(*id), Sort::Array { .. });
        for (index, node) in model.nodes.iter().enumerate() {
            let id = NodeId::new(index);
            match *node {
                Node::Write { array, .. } => families.join(id, array),
                Node::Ite { then, otherwise, .. } if is_array(&id) => {
                    families.join(id, then);
                    families.join(id, otherwise);
                }
                Node::State(state) if is_array(&id) => {
                    let state = &model.states[state];
                    state.init.iter().chain(&state.next).filter(|&id| is_array(id)).for_each(|&other| families.join(id, other));
                }
                _ => {}
            }
        }
        let mut bits = vec![0_usize; number];
        let mut is_compared = vec![false; number];
        for (index, node) in model.nodes.iter().enumerate() {
            if !families.is_needed[index] {
                continue;
            }
            match *node {
                Node::State(_) | Node::Input(_) if is_array(&NodeId::new(index)) => {
                    let bits = &mut bits[families.find(index)];
                    *bits = bits.saturating_add(model.sorts[index].size().unwrap_or(usize::MAX));
                }
                Node::Binary(Binary::Eq | Binary::Neq, a, b) if is_array(&a) => {
                    [a, b].into_iter().for_each(|array| is_compared[families.find(array.index())] = true);
                }
                _ => {}
            }
        }
        families.is_large = (0..number).map(|index| bits[index] > most_bits && !is_compared[index]).collect();
        families.representative = (0..number).map(|index| families.find(index)).collect();
        families
    }

    fn find(&self, mut index: usize) -> usize {
        while self.representative[index] != index {
            index = self.representative[index];
        }
        index
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.find(a.index()), self.find(b.index()));
        // Chains stay short enough: expressions are joined with earlier ones, whose representative is the lowest.
        self.representative[a.max(b)] = a.min(b);
    }

    pub fn is_needed(&self, id: NodeId) -> bool {
        self.is_needed[id.index()]
    }

    pub fn has_large(&self) -> bool {
        self.is_large.contains(&true)
    }

    /// Whether this is an array that is abstracted.
    pub fn is_large(&self, id: NodeId) -> bool {
        self.is_large[self.representative[id.index()]]
    }

    pub fn are_one(&self, a: NodeId, b: NodeId) -> bool {
        self.representative[a.index()] == self.representative[b.index()]
    }
}
