//! Demands on conditions.

use super::{Pull, Reads, clamped};
use crate::base::stack::grow;
use crate::expr::{BinaryOp, ExprId};

impl Pull<'_> {
    /// Sees to it that a condition keeps its truth value.
    pub(super) fn require_truth(&mut self, op: BinaryOp, (a, b): (ExprId, ExprId), reads: Reads) {
        let (va, vb) = (self.value_of(a, reads), self.value_of(b, reads));
        let truth = op.apply(va, vb) != 0;
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let deciding = i32::from(op == BinaryOp::Or);
                match (va == deciding, vb == deciding) {
                    (true, _) => self.pin(a, reads),
                    (_, true) => self.pin(b, reads),
                    _ => {
                        self.pin(a, reads);
                        self.pin(b, reads);
                    }
                }
            }
            BinaryOp::Eq if truth => {
                self.pin(a, reads);
                self.pin(b, reads);
            }
            BinaryOp::Eq => {
                let (left, right) = (self.range(a, reads), self.range(b, reads));
                match (left.single(), right.single()) {
                    (_, Some(c)) => self.require_other(a, c, reads),
                    (Some(c), _) => self.require_other(b, c, reads),
                    _ if va < vb => self.require_order((a, va), (b, vb), true, reads),
                    _ => self.require_order((b, vb), (a, va), true, reads),
                }
            }
            BinaryOp::Less | BinaryOp::LessEq => match truth {
                true => self.require_order((a, va), (b, vb), op == BinaryOp::Less, reads),
                false => self.require_order((b, vb), (a, va), op == BinaryOp::LessEq, reads),
            },
            _ => unreachable!("no truth value"),
        }
    }

    fn require_other(&mut self, id: ExprId, than: i32, reads: Reads) {
        let one = self.sets.one(than);
        let set = self.sets.complement(one);
        grow(|| self.require(id, reads, set));
    }

    /// Sees to it that `a < b`, or `a <= b`, by a number between them.
    fn require_order(&mut self, (a, va): (ExprId, i32), (b, vb): (ExprId, i32), strict: bool, reads: Reads) {
        let gap = i64::from(strict);
        let (left, right) = (self.range(a, reads), self.range(b, reads));
        let (Some((_, high)), Some((low, _))) = (left.bounds(), right.bounds()) else { return };
        // The highest that `a` may be: as high as `b` is at least, or `a` at most, or something between.
        let middle = if i64::from(low) - gap >= i64::from(va) {
            i64::from(low) - gap
        } else if i64::from(high) + gap <= i64::from(vb) {
            i64::from(high)
        } else {
            i64::from(va)
        };
        let below = self.sets.of_intervals(clamped(i64::from(i32::MIN), middle).into_iter().collect());
        let above = self.sets.of_intervals(clamped(middle + gap, i64::from(i32::MAX)).into_iter().collect());
        grow(|| self.require(a, reads, below));
        grow(|| self.require(b, reads, above));
    }
}
