//! Every operator against Rust's wrapping arithmetic.

use super::*;
use crate::random::Random;
use crate::simulate::Values;

/// One binary operator and what it must compute, on signed values of some width.
struct Operator {
    name: &'static str,
    build: fn(&mut Aig, &[Signal], &[Signal]) -> Word,
    expected: fn(i64, i64, u32) -> i64,
}

fn bit(signal: Signal) -> Word {
    vec![signal]
}

fn unsigned(value: i64, width: u32) -> u64 {
    value as u64 & (u64::MAX >> (64 - width))
}

fn shifted(amount: i64, width: u32, by: impl Fn(u64) -> i64, out: i64) -> i64 {
    let amount = unsigned(amount, width);
    if amount < u64::from(width) { by(amount) } else { out }
}

const OPERATORS: &[Operator] = &[
    Operator { name: "add", build: add, expected: |a, b, _| a + b },
    Operator { name: "sub", build: sub, expected: |a, b, _| a - b },
    Operator { name: "neg", build: |g, a, _| neg(g, a), expected: |a, _, _| -a },
    Operator { name: "not", build: |_, a, _| not(a), expected: |a, _, _| !a },
    Operator { name: "mul", build: mul, expected: |a, b, _| a.wrapping_mul(b) },
    Operator { name: "square", build: |g, a, _| mul(g, a, a), expected: |a, _, _| a.wrapping_mul(a) },
    Operator { name: "div", build: div, expected: |a, b, _| if b == 0 { 0 } else { a / b } },
    Operator { name: "rem", build: rem, expected: |a, b, _| if b == 0 { a } else { a % b } },
    Operator {
        name: "divrem",
        build: |g, a, b| {
            let (mut quotient, remainder) = divrem(g, a, b);
            quotient.extend(remainder);
            quotient
        },
        expected: |a, b, width| {
            let (quotient, remainder) = if b == 0 { (0, a) } else { (a / b, a % b) };
            unsigned(quotient, width) as i64 | remainder << width
        },
    },
    Operator { name: "and", build: and, expected: |a, b, _| a & b },
    Operator { name: "or", build: or, expected: |a, b, _| a | b },
    Operator { name: "xor", build: xor, expected: |a, b, _| a ^ b },
    Operator { name: "shl", build: shl, expected: |a, b, w| shifted(b, w, |n| a.wrapping_shl(n as u32), 0) },
    Operator { name: "lshr", build: lshr, expected: |a, b, w| shifted(b, w, |n| (unsigned(a, w) >> n) as i64, 0) },
    Operator { name: "ashr", build: ashr, expected: |a, b, w| shifted(b, w, |n| a >> n, if a < 0 { -1 } else { 0 }) },
    Operator { name: "eq", build: |g, a, b| bit(eq(g, a, b)), expected: |a, b, _| (a == b).into() },
    Operator { name: "ne", build: |g, a, b| bit(ne(g, a, b)), expected: |a, b, _| (a != b).into() },
    Operator { name: "signed_lt", build: |g, a, b| bit(signed_lt(g, a, b)), expected: |a, b, _| (a < b).into() },
    Operator { name: "signed_le", build: |g, a, b| bit(signed_le(g, a, b)), expected: |a, b, _| (a <= b).into() },
    Operator {
        name: "unsigned_lt",
        build: |g, a, b| bit(unsigned_lt(g, a, b)),
        expected: |a, b, w| (unsigned(a, w) < unsigned(b, w)).into(),
    },
    Operator {
        name: "unsigned_le",
        build: |g, a, b| bit(unsigned_le(g, a, b)),
        expected: |a, b, w| (unsigned(a, w) <= unsigned(b, w)).into(),
    },
    Operator {
        name: "mux",
        build: |g, a, b| {
            let condition = signed_lt(g, a, b);
            mux(g, condition, a, b)
        },
        expected: |a, b, _| a.min(b),
    },
];

/// The values of a word in one of 64 patterns, as a signed number.
fn read(values: &Values, word: &[Signal], pattern: usize) -> i64 {
    let mut number = 0;
    for (bit, &signal) in word.iter().enumerate() {
        number |= ((values.get(signal) >> pattern & 1) as i64) << bit;
    }
    number
}

/// Where an operand of the circuit under test comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Variable,
    Constant(i64),
    /// A variable of fewer bits, sign-extended.
    Narrow(usize),
}

struct Bench {
    gates: Aig,
    a: Word,
    b: Word,
    result: Word,
}

fn operand(gates: &mut Aig, source: Source, width: u32) -> Word {
    let width = width as usize;
    match source {
        Source::Variable => leaves(gates, width),
        Source::Constant(value) => constant(value, width),
        Source::Narrow(bits) => sign_extend(&leaves(gates, bits), width),
    }
}

impl Bench {
    fn new(operator: &Operator, width: u32, a: Source, b: Source) -> Bench {
        let mut gates = Aig::default();
        let a = operand(&mut gates, a, width);
        let b = operand(&mut gates, b, width);
        let result = (operator.build)(&mut gates, &a, &b);
        Bench { gates, a, b, result }
    }

    /// Checks up to 64 operand pairs at once.
    fn check(&self, operator: &Operator, width: u32, pairs: &[(i64, i64)]) {
        let mut leaf_values = vec![0u64; self.gates.nodes().len()];
        for (pattern, &(a, b)) in pairs.iter().enumerate() {
            for (word, value) in [(&self.a, a), (&self.b, b)] {
                for (bit, signal) in word.iter().enumerate() {
                    leaf_values[signal.node()] &= !(1 << pattern);
                    leaf_values[signal.node()] |= ((value >> bit & 1) as u64) << pattern;
                }
            }
        }
        let values = self.gates.evaluate(|node| leaf_values[node]);
        for (pattern, &(a, b)) in pairs.iter().enumerate() {
            let found = read(&values, &self.result, pattern);
            let expected = (operator.expected)(a, b, width);
            let expected = unsigned(expected, self.result.len() as u32) as i64;
            assert_eq!(found, expected, "{} of {a} and {b} at width {width}", operator.name);
        }
    }

    fn check_all(&self, operator: &Operator, width: u32, pairs: &[(i64, i64)]) {
        for chunk in pairs.chunks(64) {
            self.check(operator, width, chunk);
        }
    }
}

fn all_values(width: u32) -> std::ops::Range<i64> {
    -(1 << (width - 1))..1 << (width - 1)
}

fn all_pairs(values: &[i64]) -> Vec<(i64, i64)> {
    let partners = |&a: &i64| values.iter().map(move |&b| (a, b)).collect::<Vec<_>>();
    values.iter().flat_map(partners).collect()
}

fn edge_values() -> Vec<i64> {
    let mut values = vec![3, -3, 5, 7, 9, 10, 65, 89, 100, 299_993, -299_993];
    for power in 0..32 {
        let power = 1i64 << power;
        values.extend([power - 1, power, power + 1, -power, 1 - power, -1 - power]);
    }
    let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
    values.retain(|value| (min..=max).contains(value));
    values.sort_unstable();
    values.dedup();
    values
}

#[test]
fn exhaustive_at_small_widths() {
    for operator in OPERATORS {
        for width in [1, 2, 3, 4, 6] {
            let values: Vec<i64> = all_values(width).collect();
            let bench = Bench::new(operator, width, Source::Variable, Source::Variable);
            bench.check_all(operator, width, &all_pairs(&values));
        }
    }
}

#[test]
fn exhaustive_with_a_constant_operand() {
    for operator in OPERATORS {
        for width in [1, 3, 6] {
            for k in all_values(width) {
                let right = Bench::new(operator, width, Source::Variable, Source::Constant(k));
                let pairs: Vec<_> = all_values(width).map(|a| (a, k)).collect();
                right.check_all(operator, width, &pairs);
                let left = Bench::new(operator, width, Source::Constant(k), Source::Variable);
                let pairs: Vec<_> = all_values(width).map(|b| (k, b)).collect();
                left.check_all(operator, width, &pairs);
            }
        }
    }
}

#[test]
fn exhaustive_with_sign_extended_operands() {
    for operator in OPERATORS {
        for (narrow_a, narrow_b) in [(1, 3), (3, 1), (2, 4), (4, 4), (3, 5), (5, 2)] {
            let (a, b) = (Source::Narrow(narrow_a), Source::Narrow(narrow_b));
            let bench = Bench::new(operator, 6, a, b);
            let mut pairs = Vec::new();
            for a in all_values(narrow_a as u32) {
                pairs.extend(all_values(narrow_b as u32).map(|b| (a, b)));
            }
            bench.check_all(operator, 6, &pairs);
            for k in all_values(6) {
                let bench = Bench::new(operator, 6, Source::Narrow(narrow_a), Source::Constant(k));
                let pairs: Vec<_> = all_values(narrow_a as u32).map(|a| (a, k)).collect();
                bench.check_all(operator, 6, &pairs);
            }
        }
    }
}

#[test]
fn edges_at_32_bits() {
    let pairs = all_pairs(&edge_values());
    for operator in OPERATORS {
        let bench = Bench::new(operator, 32, Source::Variable, Source::Variable);
        bench.check_all(operator, 32, &pairs);
    }
}

#[test]
fn random_at_32_bits() {
    let mut random = Random::new(1);
    let mut operand = || random.operand(32);
    let pairs: Vec<(i64, i64)> = (0..100_000).map(|_| (operand(), operand())).collect();
    for operator in OPERATORS {
        let bench = Bench::new(operator, 32, Source::Variable, Source::Variable);
        bench.check_all(operator, 32, &pairs);
    }
}

#[test]
fn constant_operands_at_32_bits() {
    let mut random = Random::new(1);
    let edges = edge_values();
    let random_constants: Vec<i64> = (0..300).map(|_| random.operand(32)).collect();
    for operator in OPERATORS {
        for &k in edges.iter().chain(&random_constants) {
            let mut others = edges.clone();
            others.extend((0..64).map(|_| random.operand(32)));
            others.extend([k, k.wrapping_neg() as i32 as i64]);
            let right = Bench::new(operator, 32, Source::Variable, Source::Constant(k));
            let pairs: Vec<_> = others.iter().map(|&a| (a, k)).collect();
            right.check_all(operator, 32, &pairs);
            let left = Bench::new(operator, 32, Source::Constant(k), Source::Variable);
            let pairs: Vec<_> = others.iter().map(|&b| (k, b)).collect();
            left.check_all(operator, 32, &pairs);
        }
    }
}

/// Wide enough for remainders to be folded.
#[test]
fn division_by_every_constant_of_ten_bits() {
    for operator in OPERATORS {
        if !["mul", "div", "rem", "divrem"].contains(&operator.name) {
            continue;
        }
        for k in all_values(10) {
            let bench = Bench::new(operator, 10, Source::Variable, Source::Constant(k));
            let pairs: Vec<_> = all_values(10).map(|a| (a, k)).collect();
            bench.check_all(operator, 10, &pairs);
        }
    }
}

#[test]
fn wider_than_any_constant() {
    // At more than 64 bits constants have no special forms, but the same meaning.
    let mut gates = Aig::default();
    let x = leaves(&mut gates, 70);
    let (three, minus_seven) = (constant(3, 70), constant(-7, 70));
    let product = mul(&mut gates, &x, &three);
    let (quotient, remainder) = divrem(&mut gates, &x, &minus_seven);
    let below = signed_lt(&mut gates, &x, &minus_seven);
    let mut random = Random::new(1);
    for _ in 0..100 {
        let value = random.operand(60);
        let leaf = |node: usize| (value >> (node - 1).min(63) & 1) as u64;
        let values = gates.evaluate(leaf);
        let low = |word: &[Signal]| read(&values, &word[..64], 0);
        assert_eq!(low(&product), value * 3);
        assert_eq!((low(&quotient), low(&remainder)), (value / -7, value % -7));
        assert_eq!(values.bit(below), value < -7);
    }
}

#[test]
fn the_least_number_of_64_bits_as_a_constant() {
    let mut gates = Aig::default();
    let x = leaves(&mut gates, 64);
    let min = constant(i64::MIN, 64);
    let product = mul(&mut gates, &x, &min);
    let (quotient, remainder) = divrem(&mut gates, &x, &min);
    for value in [0, 1, -1, 2, i64::MAX, i64::MIN, i64::MIN + 1] {
        let values = gates.evaluate(|node| (value >> (node - 1) & 1) as u64);
        let low = |word: &[Signal]| read(&values, word, 0);
        assert_eq!(low(&product), value.wrapping_mul(i64::MIN));
        assert_eq!(low(&quotient), value.wrapping_div(i64::MIN));
        assert_eq!(low(&remainder), value.wrapping_rem(i64::MIN));
    }
}
