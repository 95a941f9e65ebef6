//! Every operator against Rust's own arithmetic, as values and as gates; whole models against the simulator.

use redoubt_circuit::random::Random;
use redoubt_circuit::{Aig, Circuit};

use super::*;
use crate::evaluate;
use crate::operator::{Binary, Unary};
use crate::random::{Shape, bits, model};
use crate::simulate::{Flaw, Simulator};

/// The expected result of an operator on numbers of at most 64 bits.
fn expected_unary(operator: Unary, width: u32, a: u64) -> u64 {
    let ones = u64::MAX >> (64 - width);
    ones & match operator {
        Unary::Not => !a,
        Unary::Inc => a.wrapping_add(1),
        Unary::Dec => a.wrapping_sub(1),
        Unary::Neg => a.wrapping_neg(),
        Unary::Redand => u64::from(a == ones),
        Unary::Redor => u64::from(a != 0),
        Unary::Redxor => u64::from(a.count_ones() % 2 == 1),
    }
}

/// The same for binary operators; the result of a concatenation has twice the width.
fn expected_binary(operator: Binary, width: u32, a: u64, b: u64) -> u128 {
    use Binary::*;
    let ones = u128::from(u64::MAX >> (64 - width));
    let signed = |value: u64| i128::from((value << (64 - width)) as i64 >> (64 - width));
    let (x, y, ua, ub) = (signed(a), signed(b), u128::from(a), u128::from(b));
    let (least, most) = (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1);
    let overflows = |exact: i128| u128::from(exact < least || exact > most);
    let turns = ub % u128::from(width);
    let shift = |by: u128, wide: u128| if by < wide { by as u32 } else { 127 };
    let word = match operator {
        And => ua & ub,
        Nand => !(ua & ub),
        Or => ua | ub,
        Nor => !(ua | ub),
        Xor => ua ^ ub,
        Xnor => !(ua ^ ub),
        Rol => ua << turns | ua >> (u128::from(width) - turns),
        Ror => ua >> turns | ua << (u128::from(width) - turns),
        Sll => {
            if ub < u128::from(width) {
                ua << ub
            } else {
                0
            }
        }
        Srl => ua >> shift(ub, 127),
        Sra => (x >> shift(ub, 127)) as u128,
        Add => ua + ub,
        Sub => ua.wrapping_sub(ub),
        Mul => ua.wrapping_mul(ub),
        Udiv => ua.checked_div(ub).unwrap_or(ones),
        Urem => ua.checked_rem(ub).unwrap_or(ua),
        Sdiv => x.checked_div(y).unwrap_or(if x < 0 { 1 } else { -1 }) as u128,
        Srem => x.checked_rem(y).unwrap_or(x) as u128,
        // The remainder that is below the divisor's magnitude and has its sign.
        Smod if y == 0 => x as u128,
        Smod => (((x % y) + y) % y) as u128,
        Concat => return ua << width | ub,
        Iff | Eq => u128::from(a == b),
        Neq => u128::from(a != b),
        Implies => u128::from(a <= b),
        Sgt => u128::from(x > y),
        Sgte => u128::from(x >= y),
        Slt => u128::from(x < y),
        Slte => u128::from(x <= y),
        Ugt => u128::from(a > b),
        Ugte => u128::from(a >= b),
        Ult => u128::from(a < b),
        Ulte => u128::from(a <= b),
        Saddo => overflows(x + y),
        Ssubo => overflows(x - y),
        Smulo => overflows(x * y),
        Sdivo => overflows(x.checked_div(y).unwrap_or(0)),
        Uaddo => u128::from(ua + ub > ones),
        Usubo => u128::from(a < b),
        Umulo => u128::from(ua.checked_mul(ub).is_none_or(|exact| exact > ones)),
    };
    word & ones
}

/// Gates of an operator on two words of leaves.
struct Gates {
    gates: Aig,
    a: Word,
    b: Word,
    results: Vec<Word>,
}

impl Gates {
    fn all(width: u32) -> Gates {
        let mut gates = Aig::default();
        let [a, b] = [0, 1].map(|_| word::leaves(&mut gates, width as usize));
        let mut results: Vec<Word> =
            Unary::ALL.iter().map(|&operator| operators::unary(&mut gates, operator, &a)).collect();
        for &operator in binaries(width) {
            results.push(operators::binary(&mut gates, operator, &a, &b));
        }
        Gates { gates, a, b, results }
    }

    /// The results for a pair of operands.
    fn evaluate(&self, a: &Bits, b: &Bits) -> Vec<Bits> {
        let mut leaves = FxHashMap::default();
        for (word, bits) in [(&self.a, a), (&self.b, b)] {
            leaves.extend((0..).zip(word).map(|(index, leaf)| (leaf.node(), u64::from(bits.bit(index)))));
        }
        let values = self.gates.evaluate(|node| leaves[&node]);
        let bits = |word: &Word| Bits::from_bools(word.iter().map(|&signal| values.bit(signal)));
        self.results.iter().map(bits).collect()
    }
}

/// The operators that words of this width have.
fn binaries(width: u32) -> &'static [Binary] {
    if width == 1 { Binary::ALL } else { &Binary::ALL[2..] }
}

fn check_operators(gates: &Gates, width: u32, a: &Bits, b: &Bits) {
    let values: Vec<Bits> = Unary::ALL
        .iter()
        .map(|&operator| evaluate::unary(operator, a))
        .chain(binaries(width).iter().map(|&operator| evaluate::binary(operator, a, b)))
        .collect();
    assert_eq!(values, gates.evaluate(a, b), "{a} and {b}");
    let (Some(x), Some(y)) = (a.to_u64(), b.to_u64()) else { return };
    if width > 64 {
        return;
    }
    for (value, &operator) in values.iter().zip(Unary::ALL) {
        assert_eq!(value.to_u64(), Some(expected_unary(operator, width, x)), "{operator:?} {a}");
    }
    for (value, &operator) in values[Unary::ALL.len()..].iter().zip(binaries(width)) {
        let expected = expected_binary(operator, width, x, y);
        let low = value.resize(64).to_u64().expect("64 bits");
        let high = value.shr(64).resize(64).to_u64().expect("64 bits");
        assert_eq!(u128::from(high) << 64 | u128::from(low), expected, "{operator:?} {a} {b}");
    }
}

#[test]
fn the_names_of_the_first_two_are_about_single_bits() {
    assert_eq!(Binary::ALL[..2], [Binary::Iff, Binary::Implies]);
}

#[test]
fn operators_are_right_on_all_short_words() {
    for width in 1..=5 {
        let gates = Gates::all(width);
        for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
            check_operators(&gates, width, &Bits::from_u64(width, a), &Bits::from_u64(width, b));
        }
    }
}

#[test]
fn operators_are_right_on_some_long_words() {
    for (seed, width) in [6, 7, 8, 13, 31, 32, 33, 63, 64, 65, 100, 128, 129].into_iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let gates = Gates::all(width);
        for _ in 0..40 {
            let (a, b) = (bits(&mut random, width), bits(&mut random, width));
            check_operators(&gates, width, &a, &b);
        }
    }
}

#[test]
fn constant_operands_give_the_same() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let width = 1 + random.below(12) as u32;
        let (a, b) = (bits(&mut random, width), bits(&mut random, width));
        for &operator in binaries(width) {
            let mut gates = Aig::default();
            let leaves = word::leaves(&mut gates, width as usize);
            let word = operators::binary(&mut gates, operator, &leaves, &constant(&b));
            let values = gates.evaluate(|node| {
                u64::from(a.bit(leaves.iter().position(|leaf| leaf.node() == node).expect("a leaf") as u32))
            });
            let result = Bits::from_bools(word.iter().map(|&signal| values.bit(signal)));
            assert_eq!(result, evaluate::binary(operator, &a, &b), "{operator:?} {a} {b}");
        }
    }
}

/// A random run, on the circuit and on the words: all properties and constraints agree in every step.
fn agrees(seed: u64, shape: Shape) {
    let mut random = Random::new(seed);
    let model = model(&mut random, shape);
    let blasted = blast(&model).expect("a small one");
    let circuit: &Circuit = &blasted.circuit;
    circuit.check().expect("well-formed");
    let initial: Vec<bool> = circuit
        .latches
        .iter()
        .map(|latch| match latch.reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Free => random.below(2) == 1,
        })
        .collect();
    let inputs: Vec<Vec<bool>> =
        (0..6).map(|_| circuit.inputs.iter().map(|_| random.below(2) == 1).collect()).collect();
    let run = blasted.places.run(&model, &initial, &inputs);
    let numbers = |values: &[bool]| -> Vec<u64> { values.iter().map(|&value| u64::from(value)).collect() };
    let mut bits = redoubt_circuit::Simulator::new(circuit, |_| 0);
    bits.set_state(&numbers(&initial));
    let mut words = Simulator::new(&model);
    for (number, step) in run.steps.iter().enumerate() {
        if number > 0 {
            bits.advance();
        }
        let values = bits.evaluate(&numbers(&inputs[number])).clone();
        let taken = words.take(number, step);
        assert!(!matches!(taken, Err(Flaw::State { .. })), "{taken:?}");
        assert_eq!(taken.is_ok(), bits.constraints() & 1 == 1);
        for (index, bad) in model.bad.iter().enumerate() {
            assert_eq!(words.value(bad.node).is_true(), bits.bad(index) & 1 == 1, "step {number}, bad {index}");
        }
        for (justice, signals) in model.justice.iter().zip(&blasted.justice) {
            for (&node, &signal) in justice.nodes.iter().zip(signals) {
                assert_eq!(words.value(node).is_true(), values.bit(signal), "step {number}");
            }
        }
    }
}

#[test]
fn circuits_run_as_their_models() {
    for seed in 0..1000 {
        agrees(seed, Shape { widest: 6, inputs: 2, states: 3, operators: 25, arrays: seed as usize % 3 });
    }
    for seed in 1000..1100 {
        agrees(seed, Shape { widest: 90, inputs: 2, states: 3, operators: 25, arrays: seed as usize % 2 });
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let text = "1 sort bitvec 40\n2 sort bitvec 8\n3 sort array 1 2\n4 state 3\n5 state 1\n6 read 2 4 5\n7 sort bitvec 1\n8 redor 7 6\n";
    let model = crate::read(format!("{text}9 bad 8\n").as_bytes()).expect("well-formed");
    let refused = blast(&model).expect_err("2^40 cells");
    assert_eq!(refused.sort, Sort::Array { index: 40, element: 8 });
    // Expressions that no property depends on are not built.
    let model = crate::read(text.as_bytes()).expect("well-formed");
    assert!(blast(&model).is_ok());
}
