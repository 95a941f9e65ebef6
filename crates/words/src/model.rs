//! Word-level models.

use std::fmt;

use rustc_hash::FxHashSet;

use crate::bits::Bits;
use crate::operator::{Binary, Unary};

/// The kind of value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// A word of this many bits.
    Bits(u32),
    /// A word of `element` bits for each index of `index` bits.
    Array { index: u32, element: u32 },
}

impl Sort {
    pub const BOOL: Sort = Sort::Bits(1);

    /// The number of bits of a value, unless it is astronomical.
    pub fn size(self) -> Option<usize> {
        match self {
            Sort::Bits(width) => Some(width as usize),
            Sort::Array { index, element } => {
                1_usize.checked_shl(index).filter(|_| index < usize::BITS)?.checked_mul(element as usize)
            }
        }
    }
}

/// As messages have it.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bits(1) => write!(f, "1 bit"),
            Sort::Bits(width) => write!(f, "{width} bits"),
            Sort::Array { index, element } => write!(f, "an array of {element}-bit words with {index}-bit indices"),
        }
    }
}

/// The place of an expression in [`Model::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    pub(crate) fn new(index: usize) -> NodeId {
        NodeId(index as u32)
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression over earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Constant(Bits),
    /// The input of this number.
    Input(usize),
    /// The state of this number.
    State(usize),
    Unary(Unary, NodeId),
    Binary(Binary, NodeId, NodeId),
    Slice {
        of: NodeId,
        high: u32,
        low: u32,
    },
    /// Bits above the most significant one: copies of it, or zeros.
    Extend {
        of: NodeId,
        by: u32,
        signed: bool,
    },
    Ite {
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
    },
    Read {
        array: NodeId,
        index: NodeId,
    },
    Write {
        array: NodeId,
        index: NodeId,
        value: NodeId,
    },
}

impl Node {
    /// The expressions it is made of, in the order of the format.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let operands = match *self {
            Node::Constant(_) | Node::Input(_) | Node::State(_) => [None; 3],
            Node::Unary(_, of) | Node::Slice { of, .. } | Node::Extend { of, .. } => [Some(of), None, None],
            Node::Binary(_, a, b) => [Some(a), Some(b), None],
            Node::Ite { condition, then, otherwise } => [Some(condition), Some(then), Some(otherwise)],
            Node::Read { array, index } => [Some(array), Some(index), None],
            Node::Write { array, index, value } => [Some(array), Some(index), Some(value)],
        };
        operands.into_iter().flatten()
    }

    /// The same of other operands.
    pub fn map(&self, mut other: impl FnMut(NodeId) -> NodeId) -> Node {
        match *self {
            Node::Constant(_) | Node::Input(_) | Node::State(_) => self.clone(),
            Node::Unary(operator, a) => Node::Unary(operator, other(a)),
            Node::Binary(operator, a, b) => Node::Binary(operator, other(a), other(b)),
            Node::Slice { of, high, low } => Node::Slice { of: other(of), high, low },
            Node::Extend { of, by, signed } => Node::Extend { of: other(of), by, signed },
            Node::Ite { condition, then, otherwise } => {
                Node::Ite { condition: other(condition), then: other(then), otherwise: other(otherwise) }
            }
            Node::Read { array, index } => Node::Read { array: other(array), index: other(index) },
            Node::Write { array, index, value } => {
                Node::Write { array: other(array), index: other(index), value: other(value) }
            }
        }
    }
}

/// A value that is fresh in every step.
#[derive(Clone, Debug)]
pub struct Input {
    pub node: NodeId,
    pub name: String,
}

#[derive(Clone, Debug)]
pub struct State {
    pub node: NodeId,
    /// Its value at the start, over states before it; any if `None`. For an array it may be a word, which all its elements are then.
    pub init: Option<NodeId>,
    /// Its value in the next step; any if `None`, in every step anew.
    pub next: Option<NodeId>,
    pub name: String,
}

/// A property: one bit that should never be set.
#[derive(Clone, Debug)]
pub struct Bad {
    pub node: NodeId,
    pub name: String,
}

/// A property: these bits should not all be set infinitely often.
#[derive(Clone, Debug)]
pub struct Justice {
    pub nodes: Vec<NodeId>,
    pub name: String,
}

/// A transition system over words and arrays. Runs and properties are defined as for
/// [circuits](redoubt_circuit::Circuit): constraints hold in every step, the last one included.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Operands come before their users.
    pub nodes: Vec<Node>,
    /// By node.
    pub sorts: Vec<Sort>,
    pub inputs: Vec<Input>,
    pub states: Vec<State>,
    pub constraints: Vec<NodeId>,
    pub bad: Vec<Bad>,
    pub justice: Vec<Justice>,
    pub fairness: Vec<NodeId>,
}

impl Model {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn sort(&self, id: NodeId) -> Sort {
        self.sorts[id.index()]
    }

    pub(crate) fn add(&mut self, node: Node, sort: Sort) -> NodeId {
        self.nodes.push(node);
        self.sorts.push(sort);
        NodeId::new(self.nodes.len() - 1)
    }

    /// The bits that a run that violates a justice property has infinitely often: its own, and those of fairness.
    pub fn recurring(&self, justice: usize) -> Vec<NodeId> {
        self.justice[justice].nodes.iter().chain(&self.fairness).copied().collect()
    }

    /// By node: whether these depend on it, now, later or at the start.
    pub fn cone(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<bool> {
        let mut is_needed = vec![false; self.nodes.len()];
        let mut pending: Vec<NodeId> = roots.into_iter().collect();
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut is_needed[id.index()], true) {
                continue;
            }
            pending.extend(self.node(id).operands());
            if let Node::State(state) = *self.node(id) {
                pending.extend(self.states[state].init);
                pending.extend(self.states[state].next);
            }
        }
        is_needed
    }

    /// Everything that a property or a constraint is about.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        let bad = self.bad.iter().map(|bad| bad.node);
        let justice = self.justice.iter().flat_map(|justice| justice.nodes.iter().copied());
        self.constraints.iter().copied().chain(bad).chain(justice).chain(self.fairness.iter().copied())
    }

    /// The parts of an expression, operands first, without those that are done already.
    pub(crate) fn order(&self, root: NodeId, is_done: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let mut begun = FxHashSet::default();
        let mut order = vec![];
        let mut stack = vec![(root, false)];
        while let Some((id, is_ready)) = stack.pop() {
            if is_ready {
                order.push(id);
            } else if !is_done(id) && begun.insert(id) {
                stack.push((id, true));
                stack.extend(self.node(id).operands().map(|operand| (operand, false)));
            }
        }
        order
    }
}
