//! Words of 32 literals, and the operators on them as one does them by hand.

use super::gates::{Gates, Lit};

const WIDTH: usize = 32;

/// Two's complement, the lowest bit first. A truth value is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word([Lit; WIDTH]);

impl Word {
    pub fn bit(&self, index: usize) -> Lit {
        self.0[index]
    }

    /// The number that it is, if it is always the same.
    pub fn number(&self) -> Option<i32> {
        self.0.iter().enumerate().try_fold(0, |number, (bit, &lit)| match lit {
            Lit::TRUE => Some(number | 1 << bit),
            Lit::FALSE => Some(number),
            _ => None,
        })
    }

    fn sign(&self) -> Lit {
        self.0[WIDTH - 1]
    }
}

pub fn constant(number: i32) -> Word {
    Word(std::array::from_fn(|bit| Lit::constant(number >> bit & 1 == 1)))
}

pub fn truth(lit: Lit) -> Word {
    let mut word = constant(0);
    word.0[0] = lit;
    word
}

pub fn fresh(gates: &mut Gates) -> Word {
    Word(std::array::from_fn(|_| gates.fresh()))
}

pub fn not(a: &Word) -> Word {
    Word(a.0.map(|lit| !lit))
}

pub fn bitwise(a: &Word, b: &Word, mut gate: impl FnMut(Lit, Lit) -> Lit) -> Word {
    Word(std::array::from_fn(|bit| gate(a.0[bit], b.0[bit])))
}

pub fn choose(gates: &mut Gates, condition: Lit, then: &Word, otherwise: &Word) -> Word {
    match condition {
        Lit::TRUE => then.clone(),
        Lit::FALSE => otherwise.clone(),
        _ => bitwise(then, otherwise, |then, otherwise| gates.choose(condition, then, otherwise)),
    }
}

/// A chain of full adders.
pub fn add(gates: &mut Gates, a: &Word, b: &Word, mut carry: Lit) -> Word {
    bitwise(a, b, |a, b| {
        let half = gates.xor(a, b);
        let sum = gates.xor(half, carry);
        let (both, passed) = (gates.and(a, b), gates.and(half, carry));
        carry = gates.or(both, passed);
        sum
    })
}

pub fn negate(gates: &mut Gates, a: &Word) -> Word {
    add(gates, &not(a), &constant(0), Lit::TRUE)
}

/// The sum of the shifted multiplicands.
pub fn multiply(gates: &mut Gates, a: &Word, b: &Word) -> Word {
    let mut product = constant(0);
    for shift in 0..WIDTH {
        let selected = Word(std::array::from_fn(|bit| match bit.checked_sub(shift) {
            Some(bit) => gates.and(a.0[bit], b.0[shift]),
            None => Lit::FALSE,
        }));
        product = add(gates, &product, &selected, Lit::FALSE);
    }
    product
}

/// Quotient and remainder of numbers without a sign, as on paper.
fn unsigned_divide(gates: &mut Gates, dividend: &Word, divisor: &Word) -> (Word, Word) {
    let mut rest = constant(0);
    let mut quotient = constant(0);
    for bit in (0..WIDTH).rev() {
        // The rest is below the divisor, so its doubled value fits 33 bits; the highest one is kept apart.
        let highest = rest.0[WIDTH - 1];
        rest = Word(std::array::from_fn(|index| if index == 0 { dividend.0[bit] } else { rest.0[index - 1] }));
        let below = unsigned_less(gates, &rest, divisor);
        let fits = gates.or(highest, !below);
        let reduced = add(gates, &rest, &not(divisor), Lit::TRUE);
        rest = choose(gates, fits, &reduced, &rest);
        quotient.0[bit] = fits;
    }
    (quotient, rest)
}

/// Quotient and remainder: the magnitudes divided, then the signs.
pub fn divide(gates: &mut Gates, a: &Word, b: &Word) -> (Word, Word) {
    let magnitude = |gates: &mut Gates, word: &Word| {
        let negated = negate(gates, word);
        choose(gates, word.sign(), &negated, word)
    };
    let (dividend, divisor) = (magnitude(gates, a), magnitude(gates, b));
    let (quotient, rest) = unsigned_divide(gates, &dividend, &divisor);
    let signs_differ = gates.xor(a.sign(), b.sign());
    let negated = negate(gates, &quotient);
    let signed_quotient = choose(gates, signs_differ, &negated, &quotient);
    let negated = negate(gates, &rest);
    let signed_rest = choose(gates, a.sign(), &negated, &rest);
    // By zero: 0, and the dividend.
    let by_zero = equal(gates, b, &constant(0));
    (choose(gates, by_zero, &constant(0), &signed_quotient), choose(gates, by_zero, a, &signed_rest))
}

/// By the amount's low five bits.
pub fn shift_left(gates: &mut Gates, a: &Word, amount: &Word) -> Word {
    (0..5).fold(a.clone(), |word, stage| {
        let moved = Word(std::array::from_fn(|bit| bit.checked_sub(1 << stage).map_or(Lit::FALSE, |bit| word.0[bit])));
        choose(gates, amount.0[stage], &moved, &word)
    })
}

/// The sign fills up.
pub fn shift_right(gates: &mut Gates, a: &Word, amount: &Word) -> Word {
    (0..5).fold(a.clone(), |word, stage| {
        let moved = Word(std::array::from_fn(|bit| word.0[(bit + (1 << stage)).min(WIDTH - 1)]));
        choose(gates, amount.0[stage], &moved, &word)
    })
}

pub fn equal(gates: &mut Gates, a: &Word, b: &Word) -> Lit {
    let differ: Vec<Lit> = (0..WIDTH).map(|bit| gates.xor(a.0[bit], b.0[bit])).collect();
    !gates.any(&differ)
}

fn unsigned_less(gates: &mut Gates, a: &Word, b: &Word) -> Lit {
    (0..WIDTH).fold(Lit::FALSE, |below, bit| {
        let differ = gates.xor(a.0[bit], b.0[bit]);
        gates.choose(differ, b.0[bit], below)
    })
}

pub fn less(gates: &mut Gates, a: &Word, b: &Word) -> Lit {
    let below = unsigned_less(gates, a, b);
    let signs_differ = gates.xor(a.sign(), b.sign());
    gates.choose(signs_differ, a.sign(), below)
}

pub fn between(gates: &mut Gates, a: &Word, low: i32, high: i32) -> Lit {
    let (below, above) = (less(gates, a, &constant(low)), less(gates, &constant(high), a));
    gates.and(!below, !above)
}

/// The number is `low` plus a multiple of `step`; it is known not to be below `low`.
pub fn fits_step(gates: &mut Gates, a: &Word, low: i32, step: u32) -> Lit {
    let distance = add(gates, a, &not(&constant(low)), Lit::TRUE);
    if step.is_power_of_two() {
        let low_bits: Vec<Lit> = (0..step.trailing_zeros() as usize).map(|bit| distance.0[bit]).collect();
        return !gates.any(&low_bits);
    }
    // The distance may need all 32 bits, so it is divided without a sign.
    let (_, rest) = unsigned_divide(gates, &distance, &constant(step as i32));
    equal(gates, &rest, &constant(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use redoubt_base::Random;
    use redoubt_program::expr::BinaryOp;

    /// With constants for operands every gate folds, so the operators can be compared with the machine's.
    fn value(word: &Word) -> i32 {
        let bit = |(index, lit): (usize, &Lit)| match *lit {
            Lit::TRUE => 1 << index,
            Lit::FALSE => 0,
            other => panic!("{other:?} is not a constant"),
        };
        word.0.iter().enumerate().map(bit).fold(0, |number, bit: i32| number | bit)
    }

    #[test]
    fn operators_agree_with_the_machine() {
        let edges = [0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, 10, 14999, -14999, i32::MIN, i32::MIN + 1, i32::MAX];
        let mut random = Random::new(17);
        let mut pairs: Vec<(i32, i32)> = edges.iter().flat_map(|&a| edges.map(|b| (a, b))).collect();
        pairs.extend((0..300).map(|_| (random.bits() as i32, random.bits() as i32)));
        pairs.extend((0..300).map(|_| (random.bits() as i32, random.bits() as i32 >> (random.bits() % 31))));
        let gates = &mut Gates::default();
        for (a, b) in pairs {
            let (x, y) = (constant(a), constant(b));
            let check = |op: BinaryOp, word: Word| assert_eq!(value(&word), op.apply(a, b), "{op:?} of {a} and {b}");
            check(BinaryOp::Add, add(gates, &x, &y, Lit::FALSE));
            check(BinaryOp::Sub, add(gates, &x, &not(&y), Lit::TRUE));
            check(BinaryOp::Mul, multiply(gates, &x, &y));
            let (quotient, rest) = divide(gates, &x, &y);
            check(BinaryOp::Div, quotient);
            check(BinaryOp::Rem, rest);
            check(BinaryOp::ShiftLeft, shift_left(gates, &x, &y));
            check(BinaryOp::ShiftRight, shift_right(gates, &x, &y));
            check(BinaryOp::Eq, truth(equal(gates, &x, &y)));
            check(BinaryOp::Less, truth(less(gates, &x, &y)));
            assert_eq!(value(&negate(gates, &x)), a.wrapping_neg());
            if a <= b {
                for step in [1, 3, 4, 6] {
                    let expected = i32::from(b.abs_diff(a) % step == 0);
                    assert_eq!(value(&truth(fits_step(gates, &y, a, step))), expected, "{a}..{b} by {step}");
                }
            }
        }
    }
}
