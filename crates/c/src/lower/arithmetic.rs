//! What operators compute with values, and what may go wrong in them.

use super::emit::Emitter;
use super::value::Value;
use super::{too_wide, unsupported};
use crate::ast::BinaryOperator;
use crate::types::{Integer, Type};
use crate::words::{self, Number, Scratch};
use redoubt_program::expr;
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

/// Computes where the automaton is being built; what is kept gets a variable.
struct InPlace<'o> {
    out: &'o mut Emitter,
    span: Span,
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

    /// Whether a number is none of the first so many from 0 on.
    pub fn is_outside(&mut self, number: Number, count: u32, span: Span) -> Lowered<expr::ExprId> {
        let (zero, count) = (Number::known(0, Integer::INT), Number::known(count.into(), Integer::INT));
        let below = words::binary(BinaryOperator::Less, number, zero, self.exprs()).map_err(too_wide(span))?;
        let above = words::binary(BinaryOperator::LessEqual, count, number, self.exprs()).map_err(too_wide(span))?;
        let (below, above) = (below.to_truth(self.exprs()), above.to_truth(self.exprs()));
        Ok(self.exprs().or(below, above))
    }

    pub fn compare_pointers(&mut self, op: BinaryOperator, a: Value, b: Value, span: Span) -> Lowered<Value> {
        if !matches!(op, BinaryOperator::Equal | BinaryOperator::NotEqual) {
            return unsupported(span, "computing with pointers");
        }
        // Nothing that is known lies at null.
        let is_null = |value: &Value, this: &Self| match value {
            Value::Number(number) => number.as_known() == Some(0),
            Value::Pointer(word) => this.builder.exprs.as_int(*word) == Some(0),
            _ => false,
        };
        let known = match (&a, &b) {
            (Value::Address(_), other) | (other, Value::Address(_)) if is_null(other, self) => Some(false),
            (Value::Address(_), _) | (_, Value::Address(_)) => return unsupported(span, "comparing addresses"),
            _ => None,
        };
        let number = match known {
            Some(equal) => Number::known(i128::from(equal == (op == BinaryOperator::Equal)), Integer::INT),
            None => {
                let pointer = Type::Pointer(std::rc::Rc::new(Type::Void));
                let a = self.converted_word(a, &pointer, span)?;
                let b = self.converted_word(b, &pointer, span)?;
                let (a, b) = (Number::word(a, Integer::UINT), Number::word(b, Integer::UINT));
                words::binary(op, a, b, self.exprs()).map_err(too_wide(span))?
            }
        };
        Ok(Value::Number(number))
    }
}
