//! Operators on values: the meaning of every expression.

use std::collections::BTreeMap;

use crate::bits::Bits;
use crate::model::{Model, Node, NodeId, Sort};
use crate::operator::{Binary, Unary};

/// A word or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Bits(Bits),
    Array(Array),
}

/// An array, by the values written to it.
#[derive(Clone, Debug)]
pub struct Array {
    index: u32,
    /// The value of all cells that are not listed.
    default: Bits,
    cells: BTreeMap<Bits, Bits>,
}

impl Array {
    pub fn filled(index: u32, default: Bits) -> Array {
        Array { index, default, cells: BTreeMap::new() }
    }

    pub fn get(&self, index: &Bits) -> &Bits {
        self.cells.get(index).unwrap_or(&self.default)
    }

    pub fn set(&mut self, index: Bits, value: Bits) {
        assert_eq!((index.width(), value.width()), (self.index, self.default.width()), "sorts fit");
        self.cells.insert(index, value);
    }

    /// The cells that are not 0, where the others are.
    pub fn nonzero(&self) -> impl Iterator<Item = (&Bits, &Bits)> {
        self.cells.iter().filter(|(_, value)| !value.is_zero())
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Array) -> bool {
        let listed: std::collections::BTreeSet<&Bits> = self.cells.keys().chain(other.cells.keys()).collect();
        let has_others = 1_usize.checked_shl(self.index).is_none_or(|cells| listed.len() < cells);
        (!has_others || self.default == other.default)
            && listed.into_iter().all(|index| self.get(index) == other.get(index))
    }
}

impl Eq for Array {}

impl Value {
    /// All bits 0.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bits(width) => Value::Bits(Bits::zero(width)),
            Sort::Array { index, element } => Value::Array(Array::filled(index, Bits::zero(element))),
        }
    }

    pub fn has_sort(&self, sort: Sort) -> bool {
        match (self, sort) {
            (Value::Bits(bits), Sort::Bits(width)) => bits.width() == width,
            (Value::Array(array), Sort::Array { index, element }) => {
                array.index == index && array.default.width() == element
            }
            _ => false,
        }
    }

    /// Of a word.
    pub fn bits(&self) -> &Bits {
        match self {
            Value::Bits(bits) => bits,
            Value::Array(_) => panic!("an array where a word is"),
        }
    }

    fn array(&self) -> &Array {
        match self {
            Value::Array(array) => array,
            Value::Bits(_) => panic!("a word where an array is"),
        }
    }

    pub fn is_true(&self) -> bool {
        !self.bits().is_zero()
    }
}

impl Model {
    /// The value of an expression that is neither an input nor a state, given those of its operands.
    pub(crate) fn evaluate<'v>(&self, id: NodeId, value: impl Fn(NodeId) -> &'v Value) -> Value {
        let bits = |id| value(id).bits();
        Value::Bits(match *self.node(id) {
            Node::Input(_) | Node::State(_) => unreachable!("their values are given"),
            Node::Constant(ref constant) => constant.clone(),
            Node::Unary(operator, a) => unary(operator, bits(a)),
            Node::Binary(Binary::Eq, a, b) => Bits::from_bool(value(a) == value(b)),
            Node::Binary(Binary::Neq, a, b) => Bits::from_bool(value(a) != value(b)),
            Node::Binary(operator, a, b) => binary(operator, bits(a), bits(b)),
            Node::Slice { of, high, low } => bits(of).slice(high, low),
            Node::Extend { of, by, signed: false } => bits(of).resize(bits(of).width() + by),
            Node::Extend { of, by, signed: true } => bits(of).resize_signed(bits(of).width() + by),
            Node::Read { array, index } => value(array).array().get(bits(index)).clone(),
            Node::Ite { condition, then, otherwise } => {
                return value(if value(condition).is_true() { then } else { otherwise }).clone();
            }
            Node::Write { array, index, value: new } => {
                let mut array = value(array).array().clone();
                array.set(bits(index).clone(), bits(new).clone());
                return Value::Array(array);
            }
        })
    }
}

pub(crate) fn unary(operator: Unary, a: &Bits) -> Bits {
    let one = || Bits::from_u64(a.width(), 1);
    match operator {
        Unary::Not => a.not(),
        Unary::Inc => a.add(&one()),
        Unary::Dec => a.sub(&one()),
        Unary::Neg => a.neg(),
        Unary::Redand => Bits::from_bool(a.not().is_zero()),
        Unary::Redor => Bits::from_bool(!a.is_zero()),
        Unary::Redxor => Bits::from_bool(a.parity()),
    }
}

pub(crate) fn binary(operator: Binary, a: &Bits, b: &Bits) -> Bits {
    use Binary::*;
    match operator {
        And => a.and(b),
        Nand => a.and(b).not(),
        Nor => a.or(b).not(),
        Or => a.or(b),
        Xnor => a.xor(b).not(),
        Xor => a.xor(b),
        Rol => a.rotate_left(b),
        Ror => a.rotate_right(b),
        Sll => a.shift_left(b),
        Sra => a.shift_right_signed(b),
        Srl => a.shift_right(b),
        Add => a.add(b),
        Mul => a.mul(b),
        Sdiv => a.signed_div(b),
        Udiv => a.divide(b).0,
        Smod => a.signed_mod(b),
        Srem => a.signed_rem(b),
        Urem => a.divide(b).1,
        Sub => a.sub(b),
        Concat => a.concat(b),
        _ => Bits::from_bool(truth(operator, a, b)),
    }
}

fn truth(operator: Binary, a: &Bits, b: &Bits) -> bool {
    use Binary::*;
    // Whether a result of twice the width, where nothing wraps, is more than the operands' width holds.
    let exact = |signed: bool, result: fn(&Bits, &Bits) -> Bits| {
        let (width, wide) = (a.width(), 2 * a.width() + 2);
        let resize = |bits: &Bits, width| if signed { bits.resize_signed(width) } else { bits.resize(width) };
        let exact = result(&resize(a, wide), &resize(b, wide));
        resize(&exact.resize(width), wide) != exact
    };
    match operator {
        Iff | Eq => a == b,
        Neq => a != b,
        Implies => a.is_zero() || !b.is_zero(),
        Slt => a.is_less(b),
        Slte => !b.is_less(a),
        Sgt => b.is_less(a),
        Sgte => !a.is_less(b),
        Ult => a.is_below(b),
        Ulte => !b.is_below(a),
        Ugt => b.is_below(a),
        Ugte => !a.is_below(b),
        Saddo => exact(true, Bits::add),
        Uaddo => exact(false, Bits::add),
        Ssubo => exact(true, Bits::sub),
        Usubo => exact(false, Bits::sub),
        Smulo => exact(true, Bits::mul),
        Umulo => exact(false, Bits::mul),
        // Only the least number has a quotient that does not fit: by -1. By zero nothing overflows.
        Sdivo => !b.is_zero() && exact(true, Bits::signed_div),
        And | Nand | Nor | Or | Xnor | Xor | Rol | Ror | Sll | Sra | Srl | Add | Mul | Sdiv | Udiv | Smod | Srem
        | Urem | Sub | Concat => unreachable!("these have words for results"),
    }
}
