//! Operators on values, and the errors that they may cause.

use super::emit::Emitter;
use super::too_wide;
use super::value::Value;
use crate::ast::BinaryOperator;
use crate::types::{Integer, Width};
use crate::words::{self, Number, Scratch};
use redoubt_program::expr;
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// Computes where the automaton is being built; kept operands get variables.
pub struct InPlace<'o> {
    pub out: &'o mut Emitter,
    pub span: Span,
}

impl Scratch for InPlace<'_> {
    fn exprs(&mut self) -> &mut expr::Exprs {
        self.out.exprs()
    }

    fn keep(&mut self, word: expr::ExprId) -> expr::ExprId {
        match self.exprs().get(word) {
            expr::Expr::Var(_) => word,
            _ => self.out.settled(word, self.span),
        }
    }
}

impl Emitter {
    /// An operator on numbers, with what may go wrong checked before.
    pub fn compute(&mut self, op: BinaryOperator, mut a: Number, mut b: Number, span: Span) -> Lowered<Number> {
        use BinaryOperator as Op;
        if a.ty.bits > 32 || b.ty.bits > 32 {
            // Checks and operators of 64 bits read their operands many times: they must not be computed as often.
            (a, b) = (self.settled_number(a, span)?, self.settled_number(b, span)?);
        }
        match op {
            Op::Divide | Op::Remainder => self.check_divisor(a, b, span)?,
            Op::ShiftLeft | Op::ShiftRight => self.check_amount(a, b, span)?,
            _ => {}
        }
        words::binary(op, a, b, &mut InPlace { out: self, span }).map_err(too_wide(span))
    }

    /// The processor traps on a zero divisor, and on the lowest number divided by -1 unless gcc sees the -1.
    fn check_divisor(&mut self, a: Number, b: Number, span: Span) -> Lowered {
        let truth = b.to_truth(self.exprs());
        let is_zero = self.exprs().not(truth);
        self.check(is_zero, PropertyKind::DivisionByZero, span);
        let ty = a.ty.common(b.ty);
        if b.as_known().is_some() || !ty.signed {
            return Ok(());
        }
        let (lowest, minus_one) = (Number::known(ty.low(), ty), Number::known(-1, ty));
        let is_lowest = words::binary(BinaryOperator::Equal, a, lowest, self.exprs()).map_err(too_wide(span))?;
        let is_minus_one = words::binary(BinaryOperator::Equal, b, minus_one, self.exprs()).map_err(too_wide(span))?;
        let (is_lowest, is_minus_one) = (is_lowest.to_truth(self.exprs()), is_minus_one.to_truth(self.exprs()));
        let overflows = self.exprs().and(is_lowest, is_minus_one);
        self.check(overflows, PropertyKind::DivisionOverflow, span);
        Ok(())
    }

    fn check_amount(&mut self, a: Number, b: Number, span: Span) -> Lowered {
        let bits = a.ty.promoted().bits;
        if let Some(amount) = b.as_known() {
            let wrong = self.exprs().bool(!(0..i128::from(bits)).contains(&amount));
            self.check(wrong, PropertyKind::ShiftOutOfRange, span);
            return Ok(());
        }
        let outside = self.is_outside(b, bits, span)?;
        self.check(outside, PropertyKind::ShiftOutOfRange, span);
        Ok(())
    }

    /// Whether a number lies outside 0 to `count` - 1.
    pub fn is_outside(&mut self, number: Number, count: u32, span: Span) -> Lowered<expr::ExprId> {
        let (zero, count) = (Number::known(0, Integer::INT), Number::known(count.into(), Integer::INT));
        let below = words::binary(BinaryOperator::Less, number, zero, self.exprs()).map_err(too_wide(span))?;
        let above = words::binary(BinaryOperator::LessEqual, count, number, self.exprs()).map_err(too_wide(span))?;
        let (below, above) = (below.to_truth(self.exprs()), above.to_truth(self.exprs()));
        Ok(self.exprs().or(below, above))
    }

    /// Two numbers in the type in which they meet; other values as they are.
    pub fn met(&mut self, a: Value, b: Value, span: Span) -> Lowered<(Value, Value)> {
        Ok(match (a, b) {
            (Value::Number(a), Value::Number(b)) => {
                let ty = a.ty.common(b.ty);
                let exprs = self.exprs();
                (Value::Number(a.convert(ty, exprs)), Value::Number(b.convert(ty, exprs)))
            }
            (Value::Real(a), Value::Number(b)) => {
                (Value::Real(a), Value::Real(self.integer_to_real(b, a.width, span)?))
            }
            (Value::Number(a), Value::Real(b)) => {
                (Value::Real(self.integer_to_real(a, b.width, span)?), Value::Real(b))
            }
            (Value::Real(a), Value::Real(b)) => {
                let width = if a.width == b.width { a.width } else { Width::Double };
                (Value::Real(self.resized(a, width, span)?), Value::Real(self.resized(b, width, span)?))
            }
            others => others,
        })
    }

    /// An operator on two values.
    pub fn operate(&mut self, op: BinaryOperator, a: Value, b: Value, span: Span) -> Lowered<Value> {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => self.compute(op, a, b, span).map(Value::Number),
            (Value::Real(a), Value::Real(b)) => self.compute_reals(op, a, b, span),
            (Value::Real(a), Value::Number(b)) => {
                let b = self.integer_to_real(b, a.width, span)?;
                self.compute_reals(op, a, b, span)
            }
            (Value::Number(a), Value::Real(b)) => {
                let a = self.integer_to_real(a, b.width, span)?;
                self.compute_reals(op, a, b, span)
            }
            (Value::Void, _) | (_, Value::Void) => {
                refuse(Diagnostic::new(span, "this has no value", "expected a number"))
            }
            (a, b) => self.compute_pointers(op, a, b, span),
        }
    }
}
