//! Expressions in, gates out.

use redoubt_circuit::word::{self, Word};
use redoubt_circuit::{Aig, Signal};

use super::{constant, is_zero};
use crate::model::{Model, Node, NodeId, Sort};
use crate::operator::{Binary, Unary};

/// About how many gates an operator takes for each bit of its largest operand or result, at most.
pub fn gates_per_bit(node: &Node, sort: Sort) -> usize {
    let width = sort.size().unwrap_or(usize::MAX);
    match node {
        Node::Binary(Binary::Mul | Binary::Umulo | Binary::Smulo, ..) => width.saturating_mul(14),
        Node::Binary(Binary::Sdiv | Binary::Udiv | Binary::Smod | Binary::Srem | Binary::Urem, ..) => {
            width.saturating_mul(14)
        }
        Node::Binary(Binary::Rol | Binary::Ror | Binary::Sll | Binary::Sra | Binary::Srl, ..) => {
            3 * (2 + width.ilog2() as usize)
        }
        Node::Constant(_) | Node::Slice { .. } | Node::Extend { .. } => 1,
        _ => 7,
    }
}

/// The bits of an expression that is neither an input nor a state, given those of its operands. Arrays are all their cells.
pub fn blast<'w>(gates: &mut Aig, model: &Model, id: NodeId, bits: impl Fn(NodeId) -> &'w Word) -> Word {
    match *model.node(id) {
        Node::Input(_) | Node::State(_) => unreachable!("they have their bits"),
        Node::Constant(ref bits) => constant(bits),
        Node::Unary(operator, a) => unary(gates, operator, bits(a)),
        Node::Binary(operator, a, b) => binary(gates, operator, bits(a), bits(b)),
        Node::Slice { of, high, low } => bits(of)[low as usize..=high as usize].to_vec(),
        Node::Extend { of, by, signed } => {
            let width = bits(of).len() + by as usize;
            if signed { word::sign_extend(bits(of), width) } else { word::zero_extend(bits(of), width) }
        }
        Node::Ite { condition, then, otherwise } => word::mux(gates, bits(condition)[0], bits(then), bits(otherwise)),
        Node::Read { array, index } => read(gates, bits(array), bits(index)),
        Node::Write { array, index, value } => write(gates, bits(array), bits(index), bits(value)),
    }
}

/// Halves the cells for each bit of the index.
fn read(gates: &mut Aig, array: &[Signal], index: &[Signal]) -> Word {
    let element = array.len() >> index.len();
    let mut cells = array.to_vec();
    for &bit in index {
        let pairs = cells.chunks(2 * element);
        cells = pairs.flat_map(|pair| word::mux(gates, bit, &pair[element..], &pair[..element])).collect();
    }
    cells
}

/// Each cell keeps its value, unless the index is its own.
fn write(gates: &mut Aig, array: &[Signal], index: &[Signal], value: &[Signal]) -> Word {
    let mut hits = vec![Signal::TRUE];
    for &bit in index.iter().rev() {
        hits = hits.into_iter().flat_map(|hit| [gates.and(hit, !bit), gates.and(hit, bit)]).collect();
    }
    let cells = array.chunks(value.len()).zip(hits);
    cells.flat_map(|(cell, hit)| word::mux(gates, hit, value, cell)).collect()
}

pub(super) fn unary(gates: &mut Aig, operator: Unary, a: &[Signal]) -> Word {
    let one = || word::zero_extend(&[Signal::TRUE], a.len());
    match operator {
        Unary::Not => word::not(a),
        Unary::Inc => word::add(gates, a, &one()),
        Unary::Dec => word::sub(gates, a, &one()),
        Unary::Neg => word::neg(gates, a),
        Unary::Redand => vec![gates.and_all(a)],
        Unary::Redor => vec![gates.or_all(a)],
        Unary::Redxor => vec![a.iter().fold(Signal::FALSE, |parity, &bit| gates.xor(parity, bit))],
    }
}

pub(super) fn binary(gates: &mut Aig, operator: Binary, a: &[Signal], b: &[Signal]) -> Word {
    use Binary::*;
    match operator {
        And => word::and(gates, a, b),
        Nand => word::not(&word::and(gates, a, b)),
        Nor => word::not(&word::or(gates, a, b)),
        Or => word::or(gates, a, b),
        Xnor => word::not(&word::xor(gates, a, b)),
        Xor => word::xor(gates, a, b),
        Rol => rotate(gates, a, b, |word, turns| word.len() - turns),
        Ror => rotate(gates, a, b, |_, turns| turns),
        Sll => word::shl(gates, a, b),
        Sra => word::ashr(gates, a, b),
        Srl => word::lshr(gates, a, b),
        Add => word::add(gates, a, b),
        Mul => word::mul(gates, a, b),
        Sub => word::sub(gates, a, b),
        Sdiv => signed_div(gates, a, b),
        Udiv => unsigned_div(gates, a, b),
        Smod => signed_mod(gates, a, b),
        Srem => word::rem(gates, a, b),
        Urem => {
            let wide = a.len() + 1;
            word::rem(gates, &word::zero_extend(a, wide), &word::zero_extend(b, wide))[..a.len()].to_vec()
        }
        Concat => [b, a].concat(),
        _ => vec![truth(gates, operator, a, b)],
    }
}

fn truth(gates: &mut Aig, operator: Binary, a: &[Signal], b: &[Signal]) -> Signal {
    use Binary::*;
    match operator {
        Iff | Eq => word::eq(gates, a, b),
        Neq => word::ne(gates, a, b),
        Implies => gates.implies(a[0], b[0]),
        Slt => word::signed_lt(gates, a, b),
        Slte => word::signed_le(gates, a, b),
        Sgt => word::signed_lt(gates, b, a),
        Sgte => word::signed_le(gates, b, a),
        Ult => word::unsigned_lt(gates, a, b),
        Ulte => word::unsigned_le(gates, a, b),
        Ugt => word::unsigned_lt(gates, b, a),
        Ugte => word::unsigned_le(gates, b, a),
        Saddo => overflows(gates, a, b, 1, word::sign_extend, word::add),
        Uaddo => overflows(gates, a, b, 1, word::zero_extend, word::add),
        Ssubo => overflows(gates, a, b, 1, word::sign_extend, word::sub),
        Usubo => word::unsigned_lt(gates, a, b),
        Smulo => overflows(gates, a, b, a.len(), word::sign_extend, word::mul),
        Umulo => overflows(gates, a, b, a.len(), word::zero_extend, word::mul),
        Sdivo => {
            let (sign, rest) = a.split_last().expect("words have a bit");
            let rest = gates.or_all(rest);
            let is_least = gates.and(*sign, !rest);
            let is_minus_one = gates.and_all(b);
            gates.and(is_least, is_minus_one)
        }
        And | Nand | Nor | Or | Xnor | Xor | Rol | Ror | Sll | Sra | Srl | Add | Mul | Sdiv | Udiv | Smod | Srem
        | Urem | Sub | Concat => unreachable!("these have words for results"),
    }
}

/// Whether the result over operands with `more` bits differs from the extension of the short one.
fn overflows(
    gates: &mut Aig,
    a: &[Signal],
    b: &[Signal],
    more: usize,
    extend: fn(&[Signal], usize) -> Word,
    operator: fn(&mut Aig, &[Signal], &[Signal]) -> Word,
) -> Signal {
    let wide = a.len() + more;
    let exact = operator(gates, &extend(a, wide), &extend(b, wide));
    let wrapped = extend(&exact[..a.len()], wide);
    word::ne(gates, &exact, &wrapped)
}

/// By zero all bits are set.
fn unsigned_div(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    let wide = a.len() + 1;
    let quotient = word::div(gates, &word::zero_extend(a, wide), &word::zero_extend(b, wide));
    let by_zero = is_zero(gates, b);
    quotient[..a.len()].iter().map(|&bit| gates.or(bit, by_zero)).collect()
}

/// By zero it is -1, or 1 for a negative dividend.
fn signed_div(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    let quotient = word::div(gates, a, b);
    let sign = *a.last().expect("words have a bit");
    let mut undefined = vec![!sign; a.len()];
    undefined[0] = Signal::TRUE;
    let by_zero = is_zero(gates, b);
    word::mux(gates, by_zero, &undefined, &quotient)
}

/// The remainder, and the divisor added where its sign is the other one.
fn signed_mod(gates: &mut Aig, a: &[Signal], b: &[Signal]) -> Word {
    let remainder = word::rem(gates, a, b);
    let (sign_b, sign) = (*b.last().expect("words have a bit"), *remainder.last().expect("words have a bit"));
    let differs = gates.xor(sign_b, sign);
    let is_zero = is_zero(gates, &remainder);
    let adds = gates.and(differs, !is_zero);
    let sum = word::add(gates, &remainder, b);
    word::mux(gates, adds, &sum, &remainder)
}

/// By the amount modulo the width: for each bit of that, by a power of two. `down` says how far down a turn takes the bits.
fn rotate(gates: &mut Aig, a: &[Signal], amount: &[Signal], down: fn(&[Signal], usize) -> usize) -> Word {
    let width = a.len();
    let stages = width.next_power_of_two().ilog2() as usize;
    let turns = if width.is_power_of_two() {
        amount.to_vec()
    } else {
        let wide = amount.len().max(stages) + 1;
        let modulus = word::constant(width as i64, wide);
        word::rem(gates, &word::zero_extend(amount, wide), &modulus)
    };
    let mut rotated = a.to_vec();
    for (stage, &bit) in turns.iter().take(stages).enumerate() {
        let mut turned = rotated.clone();
        turned.rotate_left(down(a, 1 << stage));
        rotated = word::mux(gates, bit, &turned, &rotated);
    }
    rotated
}
