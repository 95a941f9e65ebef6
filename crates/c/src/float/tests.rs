//! Every operator against the processor: on all pairs of special numbers, and on random ones.

use redoubt_base::Random;
use redoubt_program::expr::Exprs;

use super::{Arithmetic, Format, Rounding};
use crate::ast::BinaryOperator as Op;
use crate::types::{Integer, Width};
use crate::words::Number;

/// The smallest and largest numbers of each kind, what lies between two, and random ones that are near in size.
fn specials(width: Width) -> Vec<u64> {
    let format = Format::of(width);
    let (hidden, sign) = (format.hidden() as u64, format.sign() as u64);
    let exponent = |power: i128| ((format.bias + power) as u64) << format.mantissa;
    let mut list = vec![
        0,
        1,
        2,
        3,
        hidden - 1,
        hidden,
        hidden + 1,
        2 * hidden - 1,
        exponent(0),
        exponent(0) + 1,
        exponent(0) - 1,
        exponent(-1),
        exponent(-1) + 1,
        exponent(1),
        exponent(1) + hidden / 2,
        exponent(3) + hidden / 4,
        exponent(i128::from(format.mantissa)),
        exponent(i128::from(format.mantissa)) + 1,
        exponent(i128::from(format.mantissa) - 1) + 1,
        exponent(i128::from(format.mantissa) + 1) + 1,
        exponent(31),
        exponent(31) - 1,
        exponent(-3) + 12345,
        format.infinity() - 1,
        format.infinity() - hidden,
        format.infinity(),
        format.infinity() | hidden >> 1,
        format.infinity() | 1,
    ];
    let negative: Vec<u64> = list.iter().map(|bits| bits | sign).collect();
    list.extend(negative);
    list
}

fn pairs(width: Width, random: &mut Random) -> Vec<(u64, u64)> {
    let all = specials(width);
    let mut list: Vec<(u64, u64)> = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b))).collect();
    let mask = if width == Width::Single { u64::from(u32::MAX) } else { u64::MAX };
    let count = std::env::var("REDOUBT_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(4_000usize);
    for number in 0..count {
        let (a, mut b) = (random.bits() & mask, random.bits() & mask);
        if number % 2 == 0 {
            // Of nearly the same size, so that they meet.
            let low = Format::of(width).hidden() as u64 - 1;
            let near = (a & !low).wrapping_add((random.bits() % 5) << Format::of(width).mantissa);
            b = (near | (b & low)) & mask;
        }
        list.push((a, b));
    }
    list
}

fn computed(width: Width, compute: impl FnOnce(&mut Arithmetic<'_, Exprs>, &dyn Fn(u64) -> Number) -> Number) -> u64 {
    let mut exprs = Exprs::default();
    let ty = width.bits();
    let result = compute(&mut Arithmetic { scratch: &mut exprs, format: Format::of(width) }, &|bits| {
        Number::known(i128::from(bits), ty)
    });
    result.as_known().expect("constants make a constant") as u64
}

fn native(op: Op, a: u64, b: u64, width: Width) -> u64 {
    fn with<T>(op: Op, a: T, b: T) -> T
    where
        T: std::ops::Add<Output = T>
            + std::ops::Sub<Output = T>
            + std::ops::Mul<Output = T>
            + std::ops::Div<Output = T>,
    {
        match op {
            Op::Add => a + b,
            Op::Subtract => a - b,
            Op::Multiply => a * b,
            _ => a / b,
        }
    }
    match width {
        Width::Single => u64::from(with(op, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits()),
        Width::Double => with(op, f64::from_bits(a), f64::from_bits(b)).to_bits(),
    }
}

fn is_nan(bits: u64, width: Width) -> bool {
    match width {
        Width::Single => f32::from_bits(bits as u32).is_nan(),
        Width::Double => f64::from_bits(bits).is_nan(),
    }
}

#[test]
fn operators_are_those_of_the_processor() {
    let random = &mut Random::new(3);
    for width in [Width::Single, Width::Double] {
        for (a, b) in pairs(width, random) {
            for op in [Op::Add, Op::Subtract, Op::Multiply, Op::Divide] {
                let found = computed(width, |this, known| match op {
                    Op::Add => this.add(known(a), known(b)),
                    Op::Subtract => this.subtract(known(a), known(b)),
                    Op::Multiply => this.multiply(known(a), known(b)),
                    _ => this.divide(known(a), known(b)),
                });
                let expected = native(op, a, b, width);
                let same = found == expected || (is_nan(found, width) && is_nan(expected, width));
                assert!(same, "{op:?} {width:?} {a:x} {b:x}: {found:x}, and not {expected:x}");
            }
        }
    }
}

#[test]
fn comparisons_are_those_of_the_processor() {
    let random = &mut Random::new(4);
    for width in [Width::Single, Width::Double] {
        for (a, b) in pairs(width, random) {
            let (x, y) = match width {
                Width::Single => (f64::from(f32::from_bits(a as u32)), f64::from(f32::from_bits(b as u32))),
                Width::Double => (f64::from_bits(a), f64::from_bits(b)),
            };
            let expected = [
                (Op::Equal, x == y),
                (Op::NotEqual, x != y),
                (Op::Less, x < y),
                (Op::LessEqual, x <= y),
                (Op::Greater, x > y),
                (Op::GreaterEqual, x >= y),
            ];
            for (op, expected) in expected {
                let mut exprs = Exprs::default();
                let known = |bits: u64| Number::known(i128::from(bits), width.bits());
                let (a, b) = (known(a), known(b));
                let truth = Arithmetic { scratch: &mut exprs, format: Format::of(width) }.compare(op, a, b);
                assert_eq!(exprs.as_bool(truth), Some(expected), "{x} {op:?} {y}");
            }
        }
    }
}

#[test]
fn roots_and_roundings_are_those_of_the_processor() {
    let random = &mut Random::new(5);
    for width in [Width::Single, Width::Double] {
        let numbers = specials(width).into_iter().chain(pairs(width, random).into_iter().map(|(a, _)| a));
        for a in numbers {
            let check = |name: &str, found: u64, expected: u64| {
                let same = found == expected || (is_nan(found, width) && is_nan(expected, width));
                assert!(same, "{name} {width:?} {a:x}: {found:x}, and not {expected:x}");
            };
            let of = |single: fn(f32) -> f32, double: fn(f64) -> f64| match width {
                Width::Single => u64::from(single(f32::from_bits(a as u32)).to_bits()),
                Width::Double => double(f64::from_bits(a)).to_bits(),
            };
            check("sqrt", computed(width, |this, known| this.square_root(known(a))), of(f32::sqrt, f64::sqrt));
            let roundings = [
                (Rounding::Down, of(f32::floor, f64::floor)),
                (Rounding::Up, of(f32::ceil, f64::ceil)),
                (Rounding::Zero, of(f32::trunc, f64::trunc)),
                (Rounding::Away, of(f32::round, f64::round)),
                (Rounding::Even, of(f32::round_ties_even, f64::round_ties_even)),
            ];
            for (rounding, expected) in roundings {
                let found = computed(width, |this, known| this.rounded(known(a), rounding));
                check(&format!("{rounding:?}"), found, expected);
            }
        }
    }
}

#[test]
fn conversions_are_those_of_the_processor() {
    let random = &mut Random::new(6);
    for (a, b) in pairs(Width::Double, random) {
        let single = computed(Width::Single, |this, known| {
            let wide = Number::known(i128::from(a), Integer::ULONG_LONG);
            let _ = known;
            this.of_other_width(wide, Width::Double)
        });
        let expected = (f64::from_bits(a) as f32).to_bits();
        assert!(single == u64::from(expected) || f64::from_bits(a).is_nan(), "{a:x}: {single:x}, and not {expected:x}");
        let narrow = b as u32;
        let double = computed(Width::Double, |this, _| {
            this.of_other_width(Number::known(i128::from(narrow), Integer::UINT), Width::Single)
        });
        let expected = f64::from(f32::from_bits(narrow));
        assert!(double == expected.to_bits() || expected.is_nan(), "{narrow:x}: {double:x}");
        for integer in [Integer::INT, Integer::UINT, Integer::LONG_LONG, Integer::ULONG_LONG] {
            let number = integer.wrap(i128::from(a) >> (b % 40));
            for width in [Width::Single, Width::Double] {
                let found = computed(width, |this, _| this.of_integer(Number::known(number, integer)));
                let expected = match width {
                    Width::Single => u64::from((number as f32).to_bits()),
                    Width::Double => (number as f64).to_bits(),
                };
                assert_eq!(found, expected, "{number} {width:?}");
                // And back, if it fits.
                let value = match width {
                    Width::Single => f64::from(f32::from_bits(a as u32)),
                    Width::Double => f64::from_bits(a),
                };
                let bits = if width == Width::Single { a & 0xffff_ffff } else { a };
                let mut exprs = Exprs::default();
                let mut this = Arithmetic { scratch: &mut exprs, format: Format::of(width) };
                let known = Number::known(i128::from(bits), width.bits());
                let fits = this.fits(known, integer);
                let whole = this.integer(known, integer);
                let limit = |high: bool| if high { (integer.high() + 1) as f64 } else { integer.low() as f64 };
                let expected = value.trunc() >= limit(false) && value.trunc() < limit(true);
                assert_eq!(exprs.as_bool(fits), Some(expected), "{value} as {integer:?}");
                if expected {
                    assert_eq!(whole.as_known(), Some(value.trunc() as i128), "{value} as {integer:?}");
                }
            }
        }
    }
}
