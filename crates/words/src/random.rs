//! Random models for tests.

use redoubt_circuit::random::Random;

use crate::bits::Bits;
use crate::model::{Bad, Input, Justice, Model, Node, NodeId, Sort, State};
use crate::operator::{Binary, Unary};

/// The ingredients of a random model.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The largest number of bits of a word.
    pub widest: u32,
    pub inputs: usize,
    pub states: usize,
    pub operators: usize,
    /// States that are arrays, with indices of at most two bits.
    pub arrays: usize,
}

/// A number of this width: often a small one, or one with many ones.
pub fn bits(random: &mut Random, width: u32) -> Bits {
    let any = Bits::from_bools((0..width).map(|_| random.below(2) == 1).collect::<Vec<_>>().into_iter());
    match random.below(6) {
        0 => Bits::zero(width),
        1 => Bits::ones(width),
        2 => Bits::from_u64(width, random.below(4) as u64),
        3 => any.shr(random.below(width as usize) as u64),
        _ => any,
    }
}

/// A model with a few of everything.
pub fn model(random: &mut Random, shape: Shape) -> Model {
    let mut growing = Growing { random, shape, model: Model::default() };
    growing.leaves();
    for _ in 0..shape.operators {
        growing.operator();
    }
    growing.finish()
}

struct Growing<'r> {
    random: &'r mut Random,
    shape: Shape,
    model: Model,
}

impl Growing<'_> {
    fn width(&mut self) -> u32 {
        1 + self.random.below(self.shape.widest as usize) as u32
    }

    fn leaves(&mut self) {
        for index in 0..self.shape.states + self.shape.arrays {
            let width = self.width();
            let sort = match index < self.shape.states {
                true => Sort::Bits(width),
                false => Sort::Array { index: 1 + self.random.below(2) as u32, element: width },
            };
            // Over constants and the states before.
            let init = match self.random.below(4) {
                0 => None,
                1 => Some(self.expression(Sort::Bits(width))),
                _ => Some(self.constant(width)),
            };
            let node = self.model.add(Node::State(index), sort);
            self.model.states.push(State { node, init, next: None, name: format!("s{index}") });
        }
        for index in 0..self.shape.inputs {
            let sort = Sort::Bits(self.width());
            let node = self.model.add(Node::Input(index), sort);
            self.model.inputs.push(Input { node, name: String::new() });
        }
    }

    fn constant(&mut self, width: u32) -> NodeId {
        let bits = bits(self.random, width);
        self.model.add(Node::Constant(bits), Sort::Bits(width))
    }

    /// Any expression that there is and that fits, preferably a late one.
    fn pick(&mut self, fits: impl Fn(Sort) -> bool) -> Option<NodeId> {
        let all: Vec<usize> = (0..self.model.nodes.len()).filter(|&index| fits(self.model.sorts[index])).collect();
        if all.is_empty() {
            return None;
        }
        let late = &all[all.len().saturating_sub(8)..];
        let from = if self.random.below(2) == 0 { late } else { &all };
        Some(NodeId::new(from[self.random.below(from.len())]))
    }

    /// An expression of this sort of words, made of another one if need be.
    fn expression(&mut self, sort: Sort) -> NodeId {
        let Sort::Bits(width) = sort else { unreachable!("of words") };
        if let Some(id) = self.pick(|other| other == sort).filter(|_| self.random.below(4) > 0) {
            return id;
        }
        let Some(of) = self.pick(|sort| matches!(sort, Sort::Bits(_))) else { return self.constant(width) };
        let Sort::Bits(have) = self.model.sort(of) else { unreachable!("it was picked") };
        if have < width {
            let signed = self.random.below(2) == 0;
            return self.model.add(Node::Extend { of, by: width - have, signed }, sort);
        }
        let low = self.random.below((have - width + 1) as usize) as u32;
        self.model.add(Node::Slice { of, high: low + width - 1, low }, sort)
    }

    fn operator(&mut self) -> NodeId {
        let width = self.width();
        let sort = Sort::Bits(width);
        match self.random.below(10) {
            0 => self.constant(width),
            1 => {
                let operator = Unary::ALL[self.random.below(Unary::ALL.len())];
                let a = self.expression(sort);
                let result = operator.sort(sort).expect("words fit");
                self.model.add(Node::Unary(operator, a), result)
            }
            2 => {
                let condition = self.expression(Sort::BOOL);
                let (then, otherwise) = (self.expression(sort), self.expression(sort));
                self.model.add(Node::Ite { condition, then, otherwise }, sort)
            }
            3 | 4 if self.shape.arrays > 0 => self.array(),
            _ => self.binary(sort),
        }
    }

    fn binary(&mut self, sort: Sort) -> NodeId {
        let operator = Binary::ALL[self.random.below(Binary::ALL.len())];
        let sort = if matches!(operator, Binary::Iff | Binary::Implies) { Sort::BOOL } else { sort };
        let (a, b) = (self.expression(sort), self.expression(sort));
        let result = operator.sort(sort, sort).expect("words of one width fit");
        self.model.add(Node::Binary(operator, a, b), result)
    }

    fn array(&mut self) -> NodeId {
        let array = self.pick(|sort| matches!(sort, Sort::Array { .. })).expect("there are some");
        let sort = self.model.sort(array);
        let Sort::Array { index, element } = sort else { unreachable!("it was picked") };
        match self.random.below(6) {
            0 | 1 => {
                let index = self.expression(Sort::Bits(index));
                self.model.add(Node::Read { array, index }, Sort::Bits(element))
            }
            2 | 3 => {
                let (index, value) = (self.expression(Sort::Bits(index)), self.expression(Sort::Bits(element)));
                self.model.add(Node::Write { array, index, value }, sort)
            }
            choice => {
                let other = self.pick(|other| other == sort).expect("the array itself");
                if choice == 4 {
                    return self.model.add(Node::Binary(Binary::Eq, array, other), Sort::BOOL);
                }
                let condition = self.expression(Sort::BOOL);
                self.model.add(Node::Ite { condition, then: array, otherwise: other }, sort)
            }
        }
    }

    fn finish(mut self) -> Model {
        for state in 0..self.model.states.len() {
            if self.random.below(5) == 0 {
                continue;
            }
            let sort = self.model.sort(self.model.states[state].node);
            let next = match sort {
                Sort::Bits(_) => self.expression(sort),
                Sort::Array { .. } => self.pick(|other| other == sort).expect("the state itself"),
            };
            self.model.states[state].next = Some(next);
        }
        for index in 0..2 {
            let node = self.expression(Sort::BOOL);
            self.model.bad.push(Bad { node, name: format!("bad{index}") });
        }
        let nodes = vec![self.expression(Sort::BOOL), self.expression(Sort::BOOL)];
        self.model.justice.push(Justice { nodes, name: String::new() });
        if self.random.below(3) == 0 {
            let node = self.expression(Sort::BOOL);
            self.model.fairness.push(node);
        }
        if self.random.below(2) == 0 {
            let node = self.expression(Sort::BOOL);
            self.model.constraints.push(node);
        }
        self.model
    }
}
