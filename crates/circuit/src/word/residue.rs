//! The residue of a signed word modulo an odd constant: a word in, its remainder in `0..d` out.
//!
//! Without a quotient to compute, most of the division array can be replaced by an addition: bit `i` of
//! the word contributes `2^i mod d`, a constant of few digits, and the sum of all contributions is a number
//! of a few bits more than `d` with the same residue. Modulo 65, for one, `2^6 = -1`, so every power of
//! two is plus or minus one of the first six, and each bit takes one full adder. This is done for as long
//! as it is estimated to save gates; the array does the rest.
//!
//! Gates for a 32-bit word, folded and by the array alone: modulo 25, 397 and 605; 65, 317 and 777; 89, 486
//! and 837; 14999, 1003 and 1293; 299993, 886 and 1292.
//!
//! The choice is by gates; the effect on solvers is mixed. Conflicts of BatSat 0.6 on single queries over these five
//! divisors, compact clauses: `x % d >= d` is refuted with 4 to 29 times fewer, but
//! `0 <= x < 1000 && (x + d) % d != x % d` takes 2 to 21 times as many, and so do questions with `x` in a small range,
//! where the array sees that the quotient is zero. The remainder of [`divrem`](super::divrem) has the array's
//! behaviour.

use super::columns::Columns;
use super::divide_by_constant::{bits, floor_divrem_odd, has_bit};
use super::multiply::non_adjacent_form;
use super::{Aig, Signal, Word};

/// Gates of a full adder.
const ADDER: usize = 7;

pub(super) fn residue(gates: &mut Aig, a: &[Signal], divisor: u64) -> Word {
    let mut word = a.to_vec();
    while let Some(folded) = fold_if_cheaper(gates, &word, divisor) {
        word = folded;
    }
    floor_divrem_odd(gates, &word, divisor).1
}

/// The sum of all bits' contributions, as a signed word that is never negative.
fn fold_if_cheaper(gates: &mut Aig, word: &[Signal], divisor: u64) -> Option<Word> {
    // Room for the sums below in 128 bits.
    if bits(divisor) > 60 || word.len() > 1 << 16 {
        return None;
    }
    let d = i128::from(divisor);
    let (mut lowest, mut highest) = (0, 0);
    let mut terms = Vec::new();
    let mut power = 1;
    for (index, &bit) in word.iter().enumerate() {
        let is_sign = index + 1 == word.len();
        let (contribution, digits) = shortest(if is_sign { d - power } else { power }, d);
        lowest += contribution.min(0);
        highest += contribution.max(0);
        terms.extend(digits.into_iter().map(|digit| (bit, digit)));
        power = 2 * power % d;
    }
    // A multiple of d that makes every sum non-negative.
    let lift = ((d - 1 - lowest) / d * d) as u128;
    let width = 128 - (highest as u128 + lift).leading_zeros() as usize;
    let cost = ADDER * terms.len().saturating_sub(width) + array_cost(width + 1, divisor);
    if width + 1 >= word.len() || cost >= array_cost(word.len(), divisor) {
        return None;
    }
    let mut columns = Columns::new(width);
    columns.add_constant(lift);
    for (bit, (weight, negative)) in terms {
        if negative {
            columns.subtract(bit, weight);
        } else {
            columns.add(bit, weight);
        }
    }
    let mut sum = columns.sum(gates);
    sum.push(Signal::FALSE);
    Some(sum)
}

/// The representative of a residue, `r` or `r - d`, that has fewer digits, and these.
fn shortest(residue: i128, d: i128) -> (i128, Vec<(usize, bool)>) {
    let digits = |number: i128| non_adjacent_form(number as i64, 64);
    let residue = residue % d;
    let (up, down) = (digits(residue), digits(residue - d));
    if up.len() <= down.len() { (residue, up) } else { (residue - d, down) }
}

/// About how many gates the array takes.
fn array_cost(width: usize, divisor: u64) -> usize {
    let m = bits(divisor);
    let changes = (1..m).filter(|&bit| has_bit(divisor, bit) != has_bit(divisor, bit - 1));
    width.saturating_sub(m) * (4 * m + changes.count())
}
