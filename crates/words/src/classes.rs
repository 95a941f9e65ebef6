//! Expressions that hang together, found by joining them two by two.

use crate::model::NodeId;

#[derive(Clone, Debug)]
pub struct Classes {
    /// By node: an earlier one of its class; itself if it is the first.
    earlier: Vec<usize>,
}

impl Classes {
    /// Each of `number` nodes is alone.
    pub fn new(number: usize) -> Classes {
        Classes { earlier: (0..number).collect() }
    }

    /// The first node of a class. Most are joined with that one, so the way is short.
    pub fn first(&self, id: NodeId) -> usize {
        let mut index = id.index();
        while self.earlier[index] != index {
            index = self.earlier[index];
        }
        index
    }

    pub fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.first(a), self.first(b));
        self.earlier[a.max(b)] = a.min(b);
    }
}
