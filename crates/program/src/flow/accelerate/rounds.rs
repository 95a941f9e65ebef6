//! The number of rounds of a loop until its condition fails, from a state in which it holds.
//!
//! A counter that approaches a fixed bound in steps of `d` passes it after `gap / d + 1` rounds; one that runs away
//! from it does so when it wraps around, that is, when it passes the end of all numbers. Both are right only if the
//! first value behind the bound does not satisfy the condition again, as the guard demands. Gaps are unsigned: that of
//! two signed words can be as large as `2^32 - 1`.

use super::closed::Forms;
use super::linear::Linear;
use crate::expr::{BinaryOp, Expr, ExprId, Exprs, UnaryOp};
use crate::flow::substitute::Values;

/// A number of rounds that is right where the guard holds.
pub struct Rounds {
    pub count: ExprId,
    pub guard: ExprId,
}

/// Of a loop whose rounds assign these values. There is at least one round, and less than `2^32`.
pub fn until_false(exprs: &mut Exprs, condition: ExprId, values: &Values, forms: &Forms) -> Option<Rounds> {
    let mut all: Option<Rounds> = None;
    let mut pending = vec![condition];
    while let Some(part) = pending.pop() {
        if let Expr::Binary(BinaryOp::And, a, b) = exprs.get(part) {
            pending.extend([a, b]);
            continue;
        }
        if exprs.variables(part).iter().all(|read| !values.contains_key(read)) {
            // It holds now, and so always.
            continue;
        }
        let one = Counting { exprs, values, forms }.part(part)?;
        all = Some(match all {
            None => one,
            Some(other) => earlier(exprs, one, other),
        });
    }
    all
}

/// Whichever ends first.
fn earlier(exprs: &mut Exprs, a: Rounds, b: Rounds) -> Rounds {
    let lowest = exprs.int(i32::MIN);
    let (x, y) = (exprs.binary(BinaryOp::Add, a.count, lowest), exprs.binary(BinaryOp::Add, b.count, lowest));
    let is_less = exprs.binary(BinaryOp::Less, x, y);
    Rounds { count: exprs.ite(is_less, a.count, b.count), guard: exprs.and(a.guard, b.guard) }
}

struct Counting<'e> {
    exprs: &'e mut Exprs,
    values: &'e Values,
    forms: &'e Forms,
}

impl Counting<'_> {
    fn part(&mut self, condition: ExprId) -> Option<Rounds> {
        match self.exprs.get(condition) {
            Expr::Binary(BinaryOp::Less, a, b) => self.order(a, b, true),
            Expr::Binary(BinaryOp::LessEq, a, b) => self.order(a, b, false),
            Expr::Unary(UnaryOp::Not, inner) => match self.exprs.get(inner) {
                Expr::Binary(BinaryOp::Less, a, b) => self.order(b, a, false),
                Expr::Binary(BinaryOp::LessEq, a, b) => self.order(b, a, true),
                Expr::Binary(BinaryOp::Eq, a, b) => self.different(a, b),
                _ => None,
            },
            _ => None,
        }
    }

    /// The amount by which a round changes an expression: a number that is always the same, perhaps 0.
    fn step(&self, id: ExprId) -> Option<i32> {
        let mut total = 0i32;
        for (term, factor) in Linear::of(self.exprs, id).terms {
            let changed: Vec<_> =
                self.exprs.variables(term).into_iter().filter(|read| self.values.contains_key(read)).collect();
            match (changed.as_slice(), self.exprs.get(term)) {
                ([], _) => {}
                (_, Expr::Var(variable)) => {
                    total = total.wrapping_add(factor.wrapping_mul(self.forms.counter(variable)?));
                }
                _ => return None,
            }
        }
        Some(total)
    }

    /// `a < b`, or `a <= b`, as long as it holds.
    fn order(&mut self, a: ExprId, b: ExprId, strict: bool) -> Option<Rounds> {
        // The least distance behind the bound of the first value that may fail.
        let behind = |step: i32| step.checked_abs().map(|size| if strict { size - 1 } else { size });
        let between = |exprs: &mut Exprs| {
            let gap = exprs.binary(BinaryOp::Sub, b, a);
            let one = exprs.int(1);
            if strict { exprs.binary(BinaryOp::Sub, gap, one) } else { gap }
        };
        let distance = |exprs: &mut Exprs, from: ExprId, to: ExprId| exprs.binary(BinaryOp::Sub, from, to);
        let (gap, step, guard) = match (self.step(a)?, self.step(b)?) {
            // The side that moves is below the bound, which must not be too near to the highest number.
            (step, 0) if step != 0 => {
                let most = self.exprs.int(i32::MAX - behind(step)?);
                let guard = self.exprs.binary(BinaryOp::LessEq, b, most);
                let gap = if step > 0 {
                    between(self.exprs)
                } else {
                    let lowest = self.exprs.int(i32::MIN);
                    distance(self.exprs, a, lowest)
                };
                (gap, step, guard)
            }
            (0, step) if step != 0 => {
                let least = self.exprs.int(i32::MIN + behind(step)?);
                let guard = self.exprs.binary(BinaryOp::LessEq, least, a);
                let gap = if step < 0 {
                    between(self.exprs)
                } else {
                    let highest = self.exprs.int(i32::MAX);
                    distance(self.exprs, highest, b)
                };
                (gap, step, guard)
            }
            _ => return None,
        };
        let (quotient, is_exact) = self.divide(gap, step.checked_abs()?);
        let one = self.exprs.int(1);
        let count = self.exprs.binary(BinaryOp::Add, quotient, one);
        Some(Rounds { count, guard: self.exprs.and(guard, is_exact) })
    }

    /// An unsigned word divided by a number above 0, and when that is right.
    fn divide(&mut self, gap: ExprId, by: i32) -> (ExprId, ExprId) {
        let exprs = &mut *self.exprs;
        let always = exprs.bool(true);
        if by == 1 {
            return (gap, always);
        }
        if by.count_ones() == 1 {
            let (amount, mask) =
                (exprs.int(by.trailing_zeros() as i32), exprs.int(i32::MAX >> (by.trailing_zeros() - 1)));
            let shifted = exprs.binary(BinaryOp::ShiftRight, gap, amount);
            return (exprs.binary(BinaryOp::BitAnd, shifted, mask), always);
        }
        let (zero, by) = (exprs.int(0), exprs.int(by));
        (exprs.binary(BinaryOp::Div, gap, by), exprs.binary(BinaryOp::LessEq, zero, gap))
    }

    /// `a != b`: with an odd step every word is met, once in `2^32` rounds.
    fn different(&mut self, a: ExprId, b: ExprId) -> Option<Rounds> {
        let step = self.step(b)?.wrapping_sub(self.step(a)?);
        if step % 2 == 0 {
            return None;
        }
        let exprs = &mut *self.exprs;
        let (distance, factor) = (exprs.binary(BinaryOp::Sub, a, b), exprs.int(inverse(step)));
        let count = exprs.binary(BinaryOp::Mul, distance, factor);
        Some(Rounds { count, guard: exprs.bool(true) })
    }
}

/// The word that an odd one is multiplied with to give 1: Newton's method doubles the bits that are right (Warren,
/// Hacker's Delight, section 10-16).
fn inverse(odd: i32) -> i32 {
    let mut guess = odd;
    for _ in 0..5 {
        guess = guess.wrapping_mul(2i32.wrapping_sub(odd.wrapping_mul(guess)));
    }
    guess
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are_found() {
        for odd in [1, -1, 3, 5, 7, -3, 12345, i32::MAX, i32::MIN + 1] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1, "{odd}");
        }
    }
}
