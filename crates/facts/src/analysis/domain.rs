//! Sets of 32-bit values: bounds on the values of expressions.
//!
//! Small sets list their values; beyond that a set is a *strided interval* (Balakrishnan and Reps, "Analyzing memory
//! accesses in x86 executables", 2004): every `stride`-th number from a lowest to a highest. The stride tells a counter
//! that starts at 1 and grows by 4 that it never is 9554.
//!
//! Each operation includes all results of the operator on the members of its operands, for arithmetic that wraps.

use crate::expr::{BinaryOp, UnaryOp};
use crate::program::Domain;

/// Values that include all that an expression can have. A truth value is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// Ascending, at most `MOST` of them.
    Set(Vec<i32>),
    /// More values than one; both ends are among them.
    Range(Range),
}

/// `low`, `low + stride`, ..., `high`, with `low < high` and a stride that divides the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    pub low: i32,
    pub high: i32,
    pub stride: u32,
}

/// Larger sets become ranges.
pub const MOST: usize = 64;

/// The most pairs of values to which an operator is applied.
const PAIRS: usize = 4096;

const LOWEST: i64 = i32::MIN as i64;
const HIGHEST: i64 = i32::MAX as i64;

impl Range {
    fn contains(&self, value: i32) -> bool {
        (self.low..=self.high).contains(&value) && value.abs_diff(self.low).is_multiple_of(self.stride)
    }
}

impl Values {
    pub const ANY: Values = Values::Range(Range { low: i32::MIN, high: i32::MAX, stride: 1 });
    pub const NONE: Values = Values::Set(vec![]);

    pub fn one(value: i32) -> Values {
        Values::Set(vec![value])
    }

    pub fn truth() -> Values {
        Values::Set(vec![0, 1])
    }

    /// These values, or a range that includes them if they are many.
    pub fn from_list(mut list: Vec<i32>) -> Values {
        list.sort_unstable();
        list.dedup();
        if list.len() <= MOST {
            return Values::Set(list);
        }
        let stride = list.windows(2).fold(0, |stride, pair| gcd(stride, pair[1].abs_diff(pair[0])));
        Values::Range(Range { low: list[0], high: list[list.len() - 1], stride })
    }

    /// The values of a domain.
    pub fn of(domain: &Domain) -> Values {
        match domain {
            Domain::List(list) => Values::from_list(list.clone()),
            Domain::Range(low, high) => Values::interval(*low, *high),
        }
    }

    /// The numbers from `low` to `high`, both included; none if there is none.
    pub fn interval(low: i32, high: i32) -> Values {
        Values::strided(i64::from(low), i64::from(high), 1)
    }

    /// The residue class of `low`, from there to at most `high`, for ends that may lie outside the 32-bit numbers: then
    /// the result wraps, and only the power of two in the stride remains.
    fn strided(low: i64, high: i64, stride: u64) -> Values {
        if low > high {
            return Values::NONE;
        }
        let stride = stride.max(1);
        if low < LOWEST || high > HIGHEST {
            let stride = (1u64 << stride.trailing_zeros().min(31)) as i64;
            let low = LOWEST + (low - LOWEST).rem_euclid(stride);
            return Values::strided(low, HIGHEST, stride as u64);
        }
        let high = high - (high - low) % stride as i64;
        if (high - low) as u64 / stride < MOST as u64 {
            return Values::Set((low..=high).step_by(stride as usize).map(|value| value as i32).collect());
        }
        Values::Range(Range { low: low as i32, high: high as i32, stride: stride as u32 })
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Values::Set(list) if list.is_empty())
    }

    /// The only value, if there is just one.
    pub fn single(&self) -> Option<i32> {
        match self {
            Values::Set(list) if list.len() == 1 => Some(list[0]),
            _ => None,
        }
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        match self {
            Values::Set(list) => list.len() as u64,
            Values::Range(range) => u64::from(range.high.abs_diff(range.low) / range.stride) + 1,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        let (list, range): (&[i32], _) = match self {
            Values::Set(list) => (list, None),
            Values::Range(range) => (&[], Some(range)),
        };
        let numbers = range.map(|range| {
            (i64::from(range.low)..=i64::from(range.high)).step_by(range.stride as usize).map(|value| value as i32)
        });
        list.iter().copied().chain(numbers.into_iter().flatten())
    }

    /// The lowest and highest value; `None` if there is none.
    pub fn bounds(&self) -> Option<(i32, i32)> {
        match self {
            Values::Set(list) => Some((*list.first()?, *list.last()?)),
            Values::Range(range) => Some((range.low, range.high)),
        }
    }

    pub fn contains(&self, value: i32) -> bool {
        match self {
            Values::Set(list) => list.binary_search(&value).is_ok(),
            Values::Range(range) => range.contains(value),
        }
    }

    /// Whether every value is one of the other's.
    pub fn is_subset(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Set(list), _) => list.iter().all(|&value| other.contains(value)),
            (Values::Range(_), Values::Set(_)) => false,
            (Values::Range(a), Values::Range(b)) => {
                b.contains(a.low) && b.contains(a.high) && a.stride.is_multiple_of(b.stride)
            }
        }
    }

    /// The common divisor of all distances between values; 0 if there is only one.
    fn stride(&self) -> u64 {
        match self {
            Values::Set(list) => {
                list.windows(2).fold(0, |stride, pair| gcd_long(stride, u64::from(pair[1].abs_diff(pair[0]))))
            }
            Values::Range(range) => u64::from(range.stride),
        }
    }

    /// All values of both.
    pub fn join(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Set(a), Values::Set(b)) => Values::from_list([a.as_slice(), b].concat()),
            (a, b) => match (a.bounds(), b.bounds()) {
                (Some((al, ah)), Some((bl, bh))) => {
                    let stride = gcd_long(gcd_long(a.stride(), b.stride()), u64::from(al.abs_diff(bl)));
                    Values::strided(i64::from(al.min(bl)), i64::from(ah.max(bh)), stride)
                }
                (Some(_), None) => a.clone(),
                (None, _) => b.clone(),
            },
        }
    }

    /// The values that lie between two numbers, both included.
    pub fn within(&self, low: i32, high: i32) -> Values {
        match self {
            Values::Set(list) => {
                Values::Set(list.iter().copied().filter(|value| (low..=high).contains(value)).collect())
            }
            Values::Range(range) if low <= range.low && range.high <= high => self.clone(),
            Values::Range(range) => {
                let (start, stride) = (i64::from(range.low), i64::from(range.stride));
                let low = i64::from(low).max(start);
                let low = low + (start - low).rem_euclid(stride);
                Values::strided(low, i64::from(high.min(range.high)), stride as u64)
            }
        }
    }

    /// Values that include all that both have.
    pub fn meet(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Set(list), set) | (set, Values::Set(list)) => {
                Values::Set(list.iter().copied().filter(|&value| set.contains(value)).collect())
            }
            (a @ Values::Range(x), b @ Values::Range(y)) => {
                if x.stride >= y.stride {
                    a.within(y.low, y.high)
                } else {
                    b.within(x.low, x.high)
                }
            }
        }
    }

    /// These values and all between the two ends that fit their stride.
    pub fn extended(&self, low: i32, high: i32) -> Values {
        let Some((first, last)) = self.bounds() else { return Values::NONE };
        let stride = self.stride().max(1) as i64;
        let (low, high) = (i64::from(low.min(first)), i64::from(high.max(last)));
        Values::strided(low + (i64::from(first) - low).rem_euclid(stride), high, stride as u64)
    }

    /// All values but one, where that can be said.
    pub fn without(&self, value: i32) -> Values {
        match self {
            Values::Set(list) => Values::Set(list.iter().copied().filter(|&other| other != value).collect()),
            Values::Range(range) if range.low == value => self.within(value.saturating_add(1), range.high),
            Values::Range(range) if range.high == value => self.within(range.low, value.saturating_sub(1)),
            Values::Range(_) => self.clone(),
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn gcd_long(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd_long(b, a % b) }
}

/// The values of a unary operator.
pub fn unary(op: UnaryOp, a: &Values) -> Values {
    match (op, a) {
        (_, Values::Set(list)) => Values::from_list(list.iter().map(|&a| op.apply(a)).collect()),
        (UnaryOp::Negate, Values::Range(range)) => {
            Values::strided(-i64::from(range.high), -i64::from(range.low), u64::from(range.stride))
        }
        (UnaryOp::BitNot, Values::Range(range)) => {
            Values::strided(!i64::from(range.high), !i64::from(range.low), u64::from(range.stride))
        }
        (UnaryOp::Not | UnaryOp::ToInt, Values::Range(_)) => Values::truth(),
    }
}

/// The values of a binary operator.
pub fn binary(op: BinaryOp, a: &Values, b: &Values) -> Values {
    if let (Values::Set(a), Values::Set(b)) = (a, b)
        && a.len() * b.len() <= PAIRS
    {
        let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| op.apply(a, b)));
        return Values::from_list(pairs.collect());
    }
    let (Some((al, ah)), Some((bl, bh))) = (a.bounds(), b.bounds()) else {
        return Values::NONE;
    };
    let (al, ah, bl, bh) = (i64::from(al), i64::from(ah), i64::from(bl), i64::from(bh));
    match op {
        BinaryOp::Add => Values::strided(al + bl, ah + bh, gcd_long(a.stride(), b.stride())),
        BinaryOp::Sub => Values::strided(al - bh, ah - bl, gcd_long(a.stride(), b.stride())),
        BinaryOp::Mul => product(a, b),
        BinaryOp::Div => quotient((al, ah), (bl, bh)),
        BinaryOp::Rem => remainder(a, b),
        BinaryOp::BitAnd if bl >= 0 || al >= 0 => {
            // A bit that either operand lacks is not in the result.
            let limit = [(al, ah), (bl, bh)].iter().filter(|(low, _)| *low >= 0).map(|(_, high)| *high).min();
            Values::strided(0, limit.unwrap_or(HIGHEST), 1)
        }
        BinaryOp::ShiftRight if bl == bh && (0..32).contains(&bl) => Values::strided(al >> bl, ah >> bl, 1),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            Values::ANY
        }
        BinaryOp::Less if ah < bl => Values::one(1),
        BinaryOp::Less if al >= bh => Values::one(0),
        BinaryOp::LessEq if ah <= bl => Values::one(1),
        BinaryOp::LessEq if al > bh => Values::one(0),
        BinaryOp::Eq if a.meet(b).is_empty() => Values::one(0),
        BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq | BinaryOp::And | BinaryOp::Or => Values::truth(),
    }
}

/// The results of an operator on a number and itself, for each of some numbers: `x - x` and `x / x` are known whatever
/// `x` is.
pub fn with_itself(op: BinaryOp, a: &Values) -> Values {
    let range = match a {
        Values::Set(list) => return Values::from_list(list.iter().map(|&a| op.apply(a, a)).collect()),
        Values::Range(range) => range,
    };
    let zero = if range.contains(0) { Values::one(op.apply(0, 0)) } else { Values::NONE };
    match op {
        BinaryOp::Sub | BinaryOp::BitXor | BinaryOp::Less => Values::one(0),
        BinaryOp::Eq | BinaryOp::LessEq => Values::one(1),
        BinaryOp::Div => Values::one(1).join(&zero),
        BinaryOp::Rem => Values::one(0).join(&zero),
        BinaryOp::BitAnd | BinaryOp::BitOr => a.clone(),
        BinaryOp::Mul => {
            let squares = [range.low, range.high].map(|end| i64::from(end) * i64::from(end));
            let least = if range.low <= 0 && range.high >= 0 { 0 } else { squares[0].min(squares[1]) };
            match squares[0].max(squares[1]) {
                // All that wraps around may be anything of its class.
                most if most > HIGHEST => product(a, a),
                most => Values::strided(least, most, 1),
            }
        }
        _ => binary(op, a, a),
    }
}

fn product(a: &Values, b: &Values) -> Values {
    let ends = |values: &Values| values.bounds().map_or((0, 0), |(low, high)| (i64::from(low), i64::from(high)));
    let ((al, ah), (bl, bh)) = (ends(a), ends(b));
    let products = [al * bl, al * bh, ah * bl, ah * bh];
    let (low, high) = products.iter().fold((i64::MAX, i64::MIN), |(low, high), &p| (low.min(p), high.max(p)));
    // (al + i*s)(bl + j*t) differs from al*bl by multiples of s*bl, t*al and s*t.
    let (s, t) = (a.stride(), b.stride());
    let parts = [s.checked_mul(bl.unsigned_abs()), t.checked_mul(al.unsigned_abs()), s.checked_mul(t)];
    let stride = parts.iter().fold(0, |stride, part| gcd_long(stride, part.unwrap_or(1)));
    // The class counts from al*bl, which need not be the lowest product.
    let stride = stride.max(1);
    let above = (i128::from(low) - i128::from(al * bl)).rem_euclid(i128::from(stride));
    debug_assert_eq!(above, 0);
    Values::strided(low, high, stride)
}

fn quotient((al, ah): (i64, i64), (bl, bh): (i64, i64)) -> Values {
    // A divisor that may be 0 gives 0 there; the others are at least 1 in size.
    let divisors = [bl, bh, -1, 1].into_iter().filter(|&b| b != 0 && (bl..=bh).contains(&b));
    let quotients = divisors.flat_map(|b| [al / b, ah / b, if al <= 0 && ah >= 0 { 0 } else { al / b }]);
    let zero = (bl <= 0 && bh >= 0).then_some(0);
    let (low, high) = quotients.chain(zero).fold((i64::MAX, i64::MIN), |(low, high), q| (low.min(q), high.max(q)));
    Values::strided(low, high, 1)
}

fn remainder(a: &Values, b: &Values) -> Values {
    let (Some((al, ah)), Some((bl, bh))) = (a.bounds(), b.bounds()) else { return Values::NONE };
    let (al, ah, bl, bh) = (i64::from(al), i64::from(ah), i64::from(bl), i64::from(bh));
    // A remainder has the sign of the dividend and is no larger; `x % 0` is `x`.
    let largest = bl.abs().max(bh.abs()) - 1;
    let zero_divides = bl <= 0 && bh >= 0;
    let smallest_divisor = if zero_divides { 0 } else { bl.abs().min(bh.abs()) };
    if al.abs().max(ah.abs()) < smallest_divisor {
        return a.clone();
    }
    let (mut low, mut high) = (al.min(0), ah.max(0));
    if !zero_divides {
        (low, high) = (low.max(-largest), high.min(largest));
        // Within one turn of a constant divisor nothing is folded back.
        if bl == bh && al / bl == ah / bl && (al >= 0) == (ah >= 0) {
            (low, high) = (al % bl, ah % bl);
        }
    }
    // r = a - q*b stays in a's class modulo what stride and divisor share.
    let shared = if bl == bh { gcd_long(a.stride(), bl.unsigned_abs()) } else { 1 };
    let shared = shared.max(1) as i64;
    let low = low + (al - low).rem_euclid(shared);
    Values::strided(low, high, shared as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Values> {
        let edges = [i32::MIN, i32::MIN + 1, -70, -3, -1, 0, 1, 2, 5, 64, 1000, i32::MAX];
        let mut sets =
            vec![Values::Set(vec![-1, 0, 3]), Values::one(0), Values::one(-1), Values::one(4), Values::one(65)];
        for (index, &low) in edges.iter().enumerate() {
            for &high in &edges[index..] {
                sets.extend([1, 3, 4, 6].map(|stride| Values::strided(i64::from(low), i64::from(high), stride)));
            }
        }
        sets
    }

    /// A few members: the ends, their neighbours, and some in between.
    fn members(set: &Values) -> Vec<i32> {
        let near: Vec<i32> = set.iter().take(3).collect();
        let around = [-71, -65, -2, -1, 0, 1, 2, 3, 4, 5, 63, 65, 130, i32::MIN, i32::MAX, i32::MAX - 1];
        let mut all: Vec<i32> = near.into_iter().chain(around.into_iter().filter(|&v| set.contains(v))).collect();
        all.extend(set.bounds().map(|(_, high)| high));
        all
    }

    /// Every operator includes its results on all members.
    #[test]
    fn operators_include_all_results() {
        use BinaryOp::*;
        let sets = samples();
        for op in [Add, Sub, Mul, Div, Rem, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor, Eq, Less, LessEq] {
            for (a, b) in sets.iter().flat_map(|a| sets.iter().map(move |b| (a, b))) {
                let result = binary(op, a, b);
                for (x, y) in members(a).into_iter().flat_map(|x| members(b).into_iter().map(move |y| (x, y))) {
                    assert!(result.contains(op.apply(x, y)), "{op:?} of {x} in {a:?} and {y} in {b:?}: {result:?}");
                }
            }
        }
        for op in [UnaryOp::Negate, UnaryOp::BitNot] {
            for a in &sets {
                let result = unary(op, a);
                assert!(members(a).into_iter().all(|x| result.contains(op.apply(x))), "{op:?} of {a:?}");
            }
        }
    }

    #[test]
    fn lattice_operations_keep_what_they_must() {
        let sets = samples();
        for (a, b) in sets.iter().flat_map(|a| sets.iter().map(move |b| (a, b))) {
            let (join, meet) = (a.join(b), a.meet(b));
            assert!(a.is_subset(&join) && b.is_subset(&join), "{a:?} and {b:?}: {join:?}");
            for x in members(a) {
                assert!(!b.contains(x) || meet.contains(x), "{x} in {a:?} and {b:?}: {meet:?}");
                assert!(x == 5 || a.without(5).contains(x));
                assert!(!(-3..=70).contains(&x) || a.within(-3, 70).contains(x), "{x} in {a:?}");
            }
        }
    }

    #[test]
    fn a_stride_survives_steps_and_remainders() {
        let counter = Values::strided(1, 9997, 4);
        assert!(!counter.contains(9554));
        let later = binary(BinaryOp::Add, &counter, &Values::one(4));
        assert!(!later.contains(9554) && later.contains(9553));
        let folded = binary(BinaryOp::Rem, &counter, &Values::one(6));
        assert_eq!(folded, Values::Set(vec![1, 3, 5]));
    }

    #[test]
    fn a_remainder_within_one_turn_is_a_shift() {
        let rem = binary(BinaryOp::Rem, &Values::interval(220, 400), &Values::one(200));
        assert_eq!(rem.bounds(), Some((0, 199)));
        let rem = binary(BinaryOp::Rem, &Values::interval(220, 300), &Values::one(200));
        assert_eq!(rem.bounds(), Some((20, 100)));
    }
}
