//! Expressions made one by one: equal ones are one, constants are computed, and what is plainly equal to an operand is that
//! operand. For those who make models of something else than text.

use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::evaluate::{binary, unary};
use crate::model::{Input, Model, Node, NodeId, Sort, State};
use crate::operator::{Binary, Unary};

/// A model on the way.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    pub model: Model,
    known: FxHashMap<Node, NodeId>,
}

impl Builder {
    pub fn sort(&self, id: NodeId) -> Sort {
        self.model.sort(id)
    }

    /// The width of a word.
    pub fn width(&self, id: NodeId) -> u32 {
        match self.model.sort(id) {
            Sort::Bits(width) => width,
            Sort::Array { element, .. } => element,
        }
    }

    fn make(&mut self, node: Node, sort: Sort) -> NodeId {
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let id = self.model.add(node.clone(), sort);
        self.known.insert(node, id);
        id
    }

    pub fn input(&mut self, name: impl Into<String>, sort: Sort) -> NodeId {
        let node = self.model.add(Node::Input(self.model.inputs.len()), sort);
        self.model.inputs.push(Input { node, name: name.into() });
        node
    }

    /// A state without initial and next values.
    pub fn state(&mut self, name: impl Into<String>, sort: Sort) -> NodeId {
        let node = self.model.add(Node::State(self.model.states.len()), sort);
        self.model.states.push(State { node, init: None, next: None, name: name.into() });
        node
    }

    pub fn constant(&mut self, bits: Bits) -> NodeId {
        let sort = Sort::Bits(bits.width());
        self.make(Node::Constant(bits), sort)
    }

    pub fn bool(&mut self, value: bool) -> NodeId {
        self.constant(Bits::from_bool(value))
    }

    pub fn as_constant(&self, id: NodeId) -> Option<&Bits> {
        match self.model.node(id) {
            Node::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// The truth value of a single bit, if it is a constant.
    pub fn as_bool(&self, id: NodeId) -> Option<bool> {
        self.as_constant(id).map(|bits| !bits.is_zero())
    }

    fn is_ones(&self, id: NodeId) -> bool {
        self.as_constant(id).is_some_and(|bits| bits.not().is_zero())
    }

    fn is_zero(&self, id: NodeId) -> bool {
        self.as_constant(id).is_some_and(Bits::is_zero)
    }

    pub fn unary(&mut self, operator: Unary, a: NodeId) -> NodeId {
        if let Some(bits) = self.as_constant(a) {
            let bits = unary(operator, bits);
            return self.constant(bits);
        }
        if let (Unary::Not, &Node::Unary(Unary::Not, inner)) = (operator, self.model.node(a)) {
            return inner;
        }
        let sort = operator.sort(self.sort(a)).expect("the operand fits");
        self.make(Node::Unary(operator, a), sort)
    }

    pub fn not(&mut self, a: NodeId) -> NodeId {
        self.unary(Unary::Not, a)
    }

    /// The operand of a negation.
    fn negated(&self, id: NodeId) -> Option<NodeId> {
        match *self.model.node(id) {
            Node::Unary(Unary::Not, inner) => Some(inner),
            _ => None,
        }
    }

    pub fn binary(&mut self, operator: Binary, a: NodeId, b: NodeId) -> NodeId {
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            let bits = binary(operator, x, y);
            return self.constant(bits);
        }
        let is_bit = self.sort(a) == Sort::BOOL;
        let opposite = self.negated(a) == Some(b) || self.negated(b) == Some(a);
        match operator {
            Binary::And if a == b || self.is_ones(b) || self.is_zero(a) => return a,
            Binary::And if self.is_ones(a) || self.is_zero(b) => return b,
            Binary::And if opposite && is_bit => return self.bool(false),
            Binary::Or if a == b || self.is_zero(b) || self.is_ones(a) => return a,
            Binary::Or if self.is_zero(a) || self.is_ones(b) => return b,
            Binary::Or if opposite && is_bit => return self.bool(true),
            Binary::Iff | Binary::Eq if a == b => return self.bool(true),
            Binary::Iff | Binary::Eq if is_bit && self.is_ones(a) => return b,
            Binary::Iff | Binary::Eq if is_bit && self.is_ones(b) => return a,
            Binary::Iff | Binary::Eq if is_bit && self.is_zero(a) => return self.not(b),
            Binary::Iff | Binary::Eq if is_bit && self.is_zero(b) => return self.not(a),
            Binary::Xor if self.is_zero(a) => return b,
            Binary::Xor if self.is_zero(b) => return a,
            Binary::Xor if is_bit && self.is_ones(a) => return self.not(b),
            Binary::Xor if is_bit && self.is_ones(b) => return self.not(a),
            Binary::Neq => {
                let equal = self.binary(Binary::Eq, a, b);
                return self.not(equal);
            }
            Binary::Implies => {
                let not = self.not(a);
                return self.or(not, b);
            }
            Binary::Add | Binary::Sub if self.is_zero(b) => return a,
            Binary::Add if self.is_zero(a) => return b,
            _ => {}
        }
        let is_symmetric = matches!(
            operator,
            Binary::And
                | Binary::Or
                | Binary::Xor
                | Binary::Xnor
                | Binary::Eq
                | Binary::Iff
                | Binary::Add
                | Binary::Mul
        );
        let (a, b) = if is_symmetric && b < a { (b, a) } else { (a, b) };
        let operator = if operator == Binary::Iff { Binary::Eq } else { operator };
        let sort = operator.sort(self.sort(a), self.sort(b)).expect("the operands fit");
        self.make(Node::Binary(operator, a, b), sort)
    }

    pub fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::And, a, b)
    }

    pub fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::Or, a, b)
    }

    pub fn equal(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.binary(Binary::Eq, a, b)
    }

    pub fn all(&mut self, nodes: impl IntoIterator<Item = NodeId>) -> NodeId {
        let start = self.bool(true);
        nodes.into_iter().fold(start, |all, node| self.and(all, node))
    }

    pub fn any(&mut self, nodes: impl IntoIterator<Item = NodeId>) -> NodeId {
        let start = self.bool(false);
        nodes.into_iter().fold(start, |all, node| self.or(all, node))
    }

    pub fn ite(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        if then == otherwise {
            return then;
        }
        if let Some(value) = self.as_bool(condition) {
            return if value { then } else { otherwise };
        }
        if self.sort(then) == Sort::BOOL {
            match (self.as_bool(then), self.as_bool(otherwise)) {
                (Some(true), Some(false)) => return condition,
                (Some(false), Some(true)) => return self.not(condition),
                (Some(true), None) => return self.or(condition, otherwise),
                (None, Some(false)) => return self.and(condition, then),
                (Some(false), None) => {
                    let not = self.not(condition);
                    return self.and(not, otherwise);
                }
                (None, Some(true)) => {
                    let not = self.not(condition);
                    return self.or(not, then);
                }
                _ => {}
            }
        }
        if let Some(inner) = self.negated(condition) {
            return self.ite(inner, otherwise, then);
        }
        let sort = self.sort(then);
        self.make(Node::Ite { condition, then, otherwise }, sort)
    }

    pub fn slice(&mut self, of: NodeId, high: u32, low: u32) -> NodeId {
        if low == 0 && high + 1 == self.width(of) {
            return of;
        }
        if let Some(bits) = self.as_constant(of) {
            let bits = bits.slice(high, low);
            return self.constant(bits);
        }
        if let Node::Extend { of: inner, .. } = *self.model.node(of)
            && high < self.width(inner)
        {
            return self.slice(inner, high, low);
        }
        self.make(Node::Slice { of, high, low }, Sort::Bits(high - low + 1))
    }

    pub fn extend(&mut self, of: NodeId, by: u32, signed: bool) -> NodeId {
        if by == 0 {
            return of;
        }
        let width = self.width(of) + by;
        if let Some(bits) = self.as_constant(of) {
            let bits = if signed { bits.resize_signed(width) } else { bits.resize(width) };
            return self.constant(bits);
        }
        self.make(Node::Extend { of, by, signed }, Sort::Bits(width))
    }

    /// A word of this width with the same value: cut, or extended.
    pub fn resize(&mut self, of: NodeId, width: u32, signed: bool) -> NodeId {
        match self.width(of) {
            now if now >= width => self.slice(of, width - 1, 0),
            now => self.extend(of, width - now, signed),
        }
    }

    pub fn read(&mut self, array: NodeId, index: NodeId) -> NodeId {
        let width = self.width(array);
        self.make(Node::Read { array, index }, Sort::Bits(width))
    }

    pub fn write(&mut self, array: NodeId, index: NodeId, value: NodeId) -> NodeId {
        let sort = self.sort(array);
        self.make(Node::Write { array, index, value }, sort)
    }

    /// The same expression of other operands.
    pub fn remake(&mut self, node: &Node) -> NodeId {
        match *node {
            Node::Constant(ref bits) => self.constant(bits.clone()),
            Node::Input(_) | Node::State(_) => unreachable!("leaves are made by themselves"),
            Node::Unary(operator, a) => self.unary(operator, a),
            Node::Binary(operator, a, b) => self.binary(operator, a, b),
            Node::Slice { of, high, low } => self.slice(of, high, low),
            Node::Extend { of, by, signed } => self.extend(of, by, signed),
            Node::Ite { condition, then, otherwise } => self.ite(condition, then, otherwise),
            Node::Read { array, index } => self.read(array, index),
            Node::Write { array, index, value } => self.write(array, index, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rewriting changes no value: every operator on all words of two bits.
    #[test]
    fn rewriting_changes_no_value() {
        for operator in Binary::ALL.iter().copied().filter(|&operator| operator != Binary::Concat) {
            let truth = matches!(operator, Binary::Iff | Binary::Implies);
            let width = if truth { 1 } else { 2 };
            for (a, b) in (0..1u64 << width).flat_map(|a| (0..1u64 << width).map(move |b| (a, b))) {
                let mut builder = Builder::default();
                let x = builder.state("x", Sort::Bits(width));
                let constant = builder.constant(Bits::from_u64(width, b));
                let not = builder.not(x);
                for (left, right) in [(x, constant), (constant, x), (x, x), (x, not), (not, x)] {
                    let id = builder.binary(operator, left, right);
                    let value = |builder: &Builder, id: NodeId| {
                        let mut model = builder.model.clone();
                        model.bad.clear();
                        let mut simulator = crate::simulate::Simulator::new(&model);
                        let state = Some(crate::Value::Bits(Bits::from_u64(width, a)));
                        let stimulus = crate::Stimulus { states: vec![state], inputs: vec![] };
                        simulator.take(0, &stimulus).expect("no constraint");
                        simulator.value(id).bits().clone()
                    };
                    let (l, r) = (value(&builder, left), value(&builder, right));
                    assert_eq!(value(&builder, id), binary(operator, &l, &r), "{operator:?} {a} {b}");
                }
            }
        }
    }
}
