//! Division by a number that is known: a multiplication and a shift in its place (Granlund and Montgomery, Division by
//! Invariant Integers using Multiplication, PLDI 1994; the computation of the factor follows Warren, Hacker's Delight,
//! chapter 10).

use super::assembler::{Arithmetic, Assembler, Operand, Register, Shift};

/// `n / d` is the upper half of `factor * n`, with n added or taken away where the factor did not fit, shifted, and
/// rounded toward zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reciprocal {
    factor: i32,
    shift: u8,
}

/// Of any divisor but -1, 0, 1.
fn reciprocal(divisor: i32) -> Reciprocal {
    const HALF: u64 = 1 << 31;
    let magnitude = u64::from(divisor.unsigned_abs());
    // The largest dividend whose remainder is the largest, in absolute value.
    let limit = HALF + u64::from(divisor < 0);
    let limit = limit - 1 - limit % magnitude;
    // The least power with 2^power > limit * (magnitude - 2^power mod magnitude) gives the factor by rounding up.
    let power = (32..64).find(|&power| {
        let two: u128 = 1 << power;
        two > u128::from(limit) * (u128::from(magnitude) - two % u128::from(magnitude))
    });
    let power = power.expect("a power of two is large enough");
    let two: u128 = 1 << power;
    let factor = (two / u128::from(magnitude) + 1) as u32 as i32;
    Reciprocal { factor: if divisor < 0 { factor.wrapping_neg() } else { factor }, shift: (power - 32) as u8 }
}

/// Puts the quotient of a register by a number other than -1, 0, 1 into eax. Overwrites ecx.
pub fn quotient(assembler: &mut Assembler, dividend: Register, divisor: i32) {
    use Register::{Eax, Ecx};
    let Reciprocal { factor, shift } = reciprocal(divisor);
    assembler.extend_sign(Eax, dividend);
    assembler.multiply_immediate(true, Eax, factor);
    assembler.shift_immediate(true, Shift::RightArithmetic, Eax, 32);
    if divisor > 0 && factor < 0 {
        assembler.arithmetic(Arithmetic::Add, Eax, Operand::Register(dividend));
    }
    if divisor < 0 && factor > 0 {
        assembler.arithmetic(Arithmetic::Sub, Eax, Operand::Register(dividend));
    }
    if shift > 0 {
        assembler.shift_immediate(false, Shift::RightArithmetic, Eax, shift);
    }
    assembler.load(Ecx, Operand::Register(Eax));
    assembler.shift_immediate(false, Shift::RightLogical, Ecx, 31);
    assembler.arithmetic(Arithmetic::Add, Eax, Operand::Register(Ecx));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instructions of [`quotient`], in Rust.
    fn by_multiplication(n: i32, divisor: i32) -> i32 {
        let Reciprocal { factor, shift } = reciprocal(divisor);
        let mut upper = ((i64::from(n) * i64::from(factor)) >> 32) as i32;
        if divisor > 0 && factor < 0 {
            upper = upper.wrapping_add(n);
        }
        if divisor < 0 && factor > 0 {
            upper = upper.wrapping_sub(n);
        }
        let upper = upper >> shift;
        upper.wrapping_add((upper as u32 >> 31) as i32)
    }

    #[test]
    fn quotients_are_those_of_division() {
        let mut random = crate::base::Random::new(7);
        let edges = [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX];
        let divisors = (2..2000).flat_map(|d| [d, -d]).chain((1..31).flat_map(|k| [1 << k, (1 << k) + 1, -(1 << k)]));
        let divisors: Vec<i32> = divisors.chain([i32::MIN, i32::MIN + 1, i32::MAX, 715_827_883]).collect();
        for divisor in divisors.into_iter().filter(|d| ![-1, 0, 1].contains(d)) {
            let multiples = (-3..=3).flat_map(|k: i32| (-1..=1).map(move |e| divisor.wrapping_mul(k).wrapping_add(e)));
            let any: Vec<i32> = (0..100).map(|_| random.bits() as i32).collect();
            for n in edges.into_iter().chain(multiples).chain(any) {
                assert_eq!(by_multiplication(n, divisor), n.wrapping_div(divisor), "{n} / {divisor}");
            }
        }
    }

    /// Factors from the table in Hacker's Delight.
    #[test]
    fn factors_are_those_of_the_book() {
        let known =
            [(3, 0x5555_5556, 0), (5, 0x6666_6667, 1), (7, 0x9249_2493_u32 as i32, 2), (-5, 0x9999_9999_u32 as i32, 1)];
        for (divisor, factor, shift) in known {
            assert_eq!(reciprocal(divisor), Reciprocal { factor, shift }, "{divisor}");
        }
    }
}
