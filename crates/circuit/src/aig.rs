//! And-inverter graphs with structural hashing: Boolean functions in, shared two-input gates out.
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
    #[inline]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The plain signal of a node.
    #[inline]
    pub fn from_node(node: usize) -> Signal {
        Signal((node as u32) << 1)
    }

    pub fn constant(value: bool) -> Signal {
        if value { Signal::TRUE } else { Signal::FALSE }
    }

    pub fn is_constant(self) -> bool {
        self.node() == 0
    }

    /// The value of a constant signal.
    pub fn as_constant(self) -> Option<bool> {
        self.is_constant().then_some(self == Signal::TRUE)
    }

    /// The node, not complemented.
    pub fn plain(self) -> Signal {
        Signal(self.0 & !1)
    }

    #[inline]
    pub fn complement_if(self, flip: bool) -> Signal {
        Signal(self.0 ^ u32::from(flip))
    }

    /// The AIGER literal: twice the node, plus one if complemented.
    pub fn code(self) -> u32 {
        self.0
    }
}

impl std::ops::Not for Signal {
    type Output = Signal;

    #[inline]
    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}n{}", if self.is_complemented() { "!" } else { "" }, self.node())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    False,
    Leaf,
    And(Signal, Signal),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aig {
    nodes: Vec<Node>,
    unique: FxHashMap<(Signal, Signal), Signal>,
}

impl Default for Aig {
    fn default() -> Self {
        Aig { nodes: vec![Node::False], unique: FxHashMap::default() }
    }
}

impl Aig {
    /// A fresh leaf: an input or a latch.
    pub fn leaf(&mut self) -> Signal {
        self.push(Node::Leaf)
    }

    /// Nodes in topological order; the constant is node 0.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn node(&self, signal: Signal) -> Node {
        self.nodes[signal.node()]
    }

    pub fn is_gate(&self, signal: Signal) -> bool {
        matches!(self.node(signal), Node::And(..))
    }

    /// The number of conjunctions in the graph, dead ones included; see [`Aig::cone`] for live ones.
    pub fn gate_count(&self) -> usize {
        self.unique.len()
    }

    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    pub fn implies(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(a, !b)
    }

    pub fn iff(&mut self, a: Signal, b: Signal) -> Signal {
        !self.xor(a, b)
    }

    /// Exclusive or, in three gates at most.
    ///
    /// Two shapes cost the same: `!(a & b) & !(!a & !b)` and the complement of `!(a & !b) & !(!a & b)`. The
    /// one of which more gates exist is taken, so that an adder's `a & b` or a comparator's `a & !b`
    /// serves here too.
    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        if a.is_constant() || b.is_constant() || a.node() == b.node() {
            return match (a, b) {
                (Signal::FALSE, other) | (other, Signal::FALSE) => other,
                (Signal::TRUE, other) | (other, Signal::TRUE) => !other,
                _ => Signal::constant(a != b),
            };
        }
        let flip = a.is_complemented() ^ b.is_complemented();
        let (a, b) = (a.plain(), b.plain());
        let found = |x, y| usize::from(self.find(x, y).is_some());
        let alike = found(a, b) + found(!a, !b);
        let unlike = found(a, !b) + found(!a, b);
        let xor = if unlike > alike {
            let (left, right) = (self.and(a, !b), self.and(!a, b));
            self.or(left, right)
        } else {
            let (both, neither) = (self.and(a, b), self.and(!a, !b));
            self.and(!both, !neither)
        };
        xor.complement_if(flip)
    }

    /// `condition ? then : otherwise`.
    pub fn mux(&mut self, condition: Signal, then: Signal, otherwise: Signal) -> Signal {
        // One shape for an if-then-else and its complement, so that hashing finds either.
        if condition.is_complemented() {
            return self.mux(!condition, otherwise, then);
        }
        if then.is_complemented() {
            return !self.mux(condition, !then, !otherwise);
        }
        match (then, otherwise) {
            _ if condition == Signal::FALSE => otherwise,
            _ if then == otherwise => then,
            _ if then == !otherwise => self.xor(condition, otherwise),
            (Signal::FALSE, _) => self.and(!condition, otherwise),
            (_, Signal::TRUE) => self.implies(condition, then),
            (_, Signal::FALSE) => self.and(condition, then),
            _ => {
                let left = self.and(condition, then);
                let right = self.and(!condition, otherwise);
                self.or(left, right)
            }
        }
    }

    /// The conjunction of all signals as a balanced tree; true for none.
    pub fn and_all(&mut self, signals: &[Signal]) -> Signal {
        match signals {
            [] => Signal::TRUE,
            [one] => *one,
            _ => {
                let (low, high) = signals.split_at(signals.len() / 2);
                let (low, high) = (self.and_all(low), self.and_all(high));
                self.and(low, high)
            }
        }
    }

    /// The disjunction of all signals as a balanced tree; false for none.
    pub fn or_all(&mut self, signals: &[Signal]) -> Signal {
        let complements: Vec<Signal> = signals.iter().map(|&signal| !signal).collect();
        !self.and_all(&complements)
    }

    /// The gates that the roots depend on, operands first.
    pub fn cone(&self, roots: impl IntoIterator<Item = Signal>) -> Vec<usize> {
        let marked = self.mark_cone(roots);
        (0..self.nodes.len()).filter(|&node| marked[node] && matches!(self.nodes[node], Node::And(..))).collect()
    }

    /// For each node, whether some root depends on it.
    pub fn mark_cone(&self, roots: impl IntoIterator<Item = Signal>) -> Vec<bool> {
        let mut marked = vec![false; self.nodes.len()];
        for root in roots {
            marked[root.node()] = true;
        }
        for node in (0..self.nodes.len()).rev() {
            if let Node::And(a, b) = self.nodes[node]
                && marked[node]
            {
                marked[a.node()] = true;
                marked[b.node()] = true;
            }
        }
        marked
    }

    /// The gate `a & b` as it is, apart from sharing: the operands must not be simplifiable.
    pub(super) fn gate(&mut self, a: Signal, b: Signal) -> Signal {
        let key = ordered(a, b);
        if let Some(&known) = self.unique.get(&key) {
            return known;
        }
        let gate = self.push(Node::And(key.0, key.1));
        self.unique.insert(key, gate);
        gate
    }

    pub(super) fn known_gate(&self, a: Signal, b: Signal) -> Option<Signal> {
        self.unique.get(&ordered(a, b)).copied()
    }

    fn push(&mut self, node: Node) -> Signal {
        let index = self.nodes.len();
        assert!(index < 1 << 31, "a graph has at most 2^31 nodes");
        self.nodes.push(node);
        Signal::from_node(index)
    }
}

fn ordered(a: Signal, b: Signal) -> (Signal, Signal) {
    if a <= b { (a, b) } else { (b, a) }
}
