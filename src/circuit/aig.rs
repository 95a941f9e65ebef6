//! And-inverter graphs with structural hashing.
//!
//! A node is the constant, a leaf (an input or a latch, told apart by the [`Circuit`](super::Circuit)
//! that owns the graph) or a conjunction of two signals. Operands always come before the gates that use
//! them, so a walk by index is a walk in topological order.

use rustc_hash::FxHashMap;

/// A node of the graph, possibly complemented: AIGER's literal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u32);

impl Signal {
    pub const FALSE: Signal = Signal(0);
    pub const TRUE: Signal = Signal(1);

    /// The index of the node, complemented or not.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The AIGER literal: twice the node, plus one if complemented.
    pub fn code(self) -> u32 {
        self.0
    }

    pub fn from_code(code: u32) -> Signal {
        Signal(code)
    }
}

impl std::ops::Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}n{}",
            if self.is_complemented() { "!" } else { "" },
            self.node()
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    False,
    Leaf,
    And(Signal, Signal),
}

#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    unique: FxHashMap<(Signal, Signal), Signal>,
}

impl Default for Aig {
    fn default() -> Self {
        Aig {
            nodes: vec![Node::False],
            unique: FxHashMap::default(),
        }
    }
}

impl Aig {
    /// A fresh leaf: an input or a latch.
    pub fn leaf(&mut self) -> Signal {
        self.push(Node::Leaf)
    }

    /// Nodes in topological order; the constant is node 0.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Signal::FALSE || a == !b {
            return Signal::FALSE;
        }
        if a == Signal::TRUE || a == b {
            return b;
        }
        if let Some(&known) = self.unique.get(&(a, b)) {
            return known;
        }
        let gate = self.push(Node::And(a, b));
        self.unique.insert((a, b), gate);
        gate
    }

    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    fn push(&mut self, node: Node) -> Signal {
        let index = u32::try_from(self.nodes.len()).expect("an AIG has at most 2^31 nodes");
        self.nodes.push(node);
        Signal(index << 1)
    }
}
