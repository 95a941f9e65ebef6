//! Operators: what they compute, what may go wrong in them, and those that decide what else is evaluated.

use redoubt_base::stack::grow;

use super::expression::Value;
use super::{Lowerer, too_wide, unsupported};
use crate::expr;
use crate::flow::BlockId;
use crate::program::PropertyKind;
use crate::source::c::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::source::c::types::{Integer, Type};
use crate::source::c::wide::Pair;
use crate::source::c::words::{self, Number, Scratch};
use crate::source::refused::Lowered;
use crate::text::Span;

/// Computes where the automaton is being built; what is kept gets a variable.
struct InPlace<'l, 'a, 's> {
    lowerer: &'l mut Lowerer<'a, 's>,
    span: Span,
}

impl Scratch for InPlace<'_, '_, '_> {
    fn exprs(&mut self) -> &mut expr::Exprs {
        self.lowerer.exprs()
    }

    fn keep(&mut self, word: expr::ExprId) -> expr::ExprId {
        match self.exprs().get(word) {
            expr::Expr::Var(_) => word,
            _ => self.lowerer.settled(word, self.span),
        }
    }
}

impl Lowerer<'_, '_> {
    pub fn unary(&mut self, op: UnaryOperator, operand: ExprId, span: Span) -> Lowered<Value> {
        if op == UnaryOperator::Address {
            return self.address(operand);
        }
        if op == UnaryOperator::Not {
            let truth = self.truth(operand)?;
            let not = self.exprs().not(truth);
            return Ok(Value::Number(Number::truth(not, &self.builder.exprs)));
        }
        let outside = std::mem::replace(&mut self.is_inside_operator, true);
        let number = self.number(operand);
        self.is_inside_operator = outside;
        let number = number?;
        let exprs = self.exprs();
        let result = match op {
            UnaryOperator::Negate => number.negate(exprs),
            UnaryOperator::BitNot => number.complement(exprs),
            _ => Ok(number.convert(number.ty.promoted(), exprs)),
        };
        result.map(Value::Number).map_err(too_wide(span))
    }

    pub fn binary(&mut self, op: BinaryOperator, a: ExprId, b: ExprId, span: Span) -> Lowered<Value> {
        let is_in_order = self.is_in_order(op, a, b);
        let outside = std::mem::replace(&mut self.is_inside_operator, true);
        let result = self.binary_of(op, a, b, is_in_order, span);
        self.is_inside_operator = outside;
        result
    }

    fn binary_of(&mut self, op: BinaryOperator, a: ExprId, b: ExprId, is_in_order: bool, span: Span) -> Lowered<Value> {
        let begun = self.since_now();
        let mut left = self.value(a)?;
        let has_effect = self.has_effect(b);
        let is_rearranged = !is_in_order && (has_effect || self.has_effect(a));
        let first = is_rearranged.then(|| self.all_accesses(begun, &left));
        let before = self.accesses(self.since_now(), &left);
        if has_effect {
            left = self.settle(left, span)?;
        }
        let since = self.since_now();
        let right = self.value(b)?;
        if has_effect {
            self.check_order(&[before, self.accesses(since, &right)], span)?;
        }
        if let Some(first) = first {
            let second = self.all_accesses(since, &right);
            self.check_either_order(begun, &first, &second, span)?;
        }
        let (left, right) = match (left, right) {
            (Value::Number(left), Value::Number(right)) => (left, right),
            (left, right) => return self.compare_pointers(op, left, right, span),
        };
        self.compute(op, left, right, span).map(Value::Number)
    }

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
        words::binary(op, a, b, &mut InPlace { lowerer: self, span }).map_err(too_wide(span))
    }

    pub fn settled_number(&mut self, number: Number, span: Span) -> Lowered<Number> {
        match self.settle(Value::Number(number), span)? {
            Value::Number(number) => Ok(number),
            _ => unreachable!("a number stays one"),
        }
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

    fn compare_pointers(&mut self, op: BinaryOperator, a: Value, b: Value, span: Span) -> Lowered<Value> {
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

    /// `&&` and `||`: branches where the second operand does something, and else plain operators.
    pub fn logical(&mut self, id: ExprId) -> Lowered<Number> {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        let (a, b, is_and) = match &syntax.expr(id).kind {
            ExprKind::And(a, b) => (*a, *b, true),
            ExprKind::Or(a, b) => (*a, *b, false),
            _ => return unsupported(span, "this condition"),
        };
        if !self.has_effect(b) {
            let a = self.truth(a)?;
            let b = self.truth(b)?;
            let exprs = self.exprs();
            let both = if is_and { exprs.and(a, b) } else { exprs.or(a, b) };
            return Ok(Number::truth(both, exprs));
        }
        let (yes, no, after) = (self.new_block(), self.new_block(), self.new_block());
        self.test(id, yes, no)?;
        let result = self.temporary(span);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.current = block;
            let value = self.exprs().int(value);
            self.assign(result, value, span);
            self.jump(after, after);
        }
        let word = self.read(result);
        let zero = self.exprs().int(0);
        let is_zero = self.exprs().eq(word, zero);
        let truth = self.exprs().not(is_zero);
        Ok(Number::truth(truth, &self.builder.exprs))
    }

    /// Goes one way or the other. The current block is over afterwards.
    pub fn condition(&mut self, id: ExprId, yes: BlockId, no: BlockId) -> Lowered {
        grow(|| self.any_condition(id, yes, no))
    }

    fn any_condition(&mut self, id: ExprId, yes: BlockId, no: BlockId) -> Lowered {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        match &syntax.expr(id).kind {
            ExprKind::And(a, b) if self.has_effect(*b) => {
                let next = self.new_block();
                self.condition(*a, next, no)?;
                self.current = next;
                self.condition(*b, yes, no)
            }
            ExprKind::Or(a, b) if self.has_effect(*b) => {
                let next = self.new_block();
                self.condition(*a, yes, next)?;
                self.current = next;
                self.condition(*b, yes, no)
            }
            ExprKind::Unary(UnaryOperator::Not, inner) => self.condition(*inner, no, yes),
            _ => {
                let condition = self.truth(id)?;
                self.branch(condition, yes, no, span, yes);
                Ok(())
            }
        }
    }

    pub fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, span: Span) -> Lowered<Value> {
        if !self.has_effect(then) && !self.has_effect(otherwise) {
            let condition = self.truth(condition)?;
            let (a, b) = (self.value(then)?, self.value(otherwise)?);
            return match (a, b) {
                (Value::Number(a), Value::Number(b)) => {
                    let ty = a.ty.common(b.ty);
                    let exprs = self.exprs();
                    let (a, b) = (a.convert(ty, exprs), b.convert(ty, exprs));
                    if ty.bits > 32 {
                        let (a, b) = (a.to_pair(exprs), b.to_pair(exprs));
                        return Ok(Value::Number(Number::pair(Pair::choose(condition, a, b, exprs), ty)));
                    }
                    let a = a.to_word(exprs).map_err(too_wide(span))?;
                    let b = b.to_word(exprs).map_err(too_wide(span))?;
                    Ok(Value::Number(Number::word(exprs.ite(condition, a, b), ty)))
                }
                (Value::Pointer(a), Value::Pointer(b)) => Ok(Value::Pointer(self.exprs().ite(condition, a, b))),
                _ => unsupported(span, "a choice between such values"),
            };
        }
        let (yes, no, after) = (self.new_block(), self.new_block(), self.new_block());
        self.condition(condition, yes, no)?;
        let (result, result_high) = (self.temporary(span), self.temporary(span));
        let mut types = vec![];
        for (block, value) in [(yes, then), (no, otherwise)] {
            self.current = block;
            match self.value(value)? {
                Value::Void => {}
                Value::Number(number) => {
                    let pair = number.to_pair(self.exprs());
                    self.assign(result, pair.low, span);
                    self.assign(result_high, pair.high, span);
                    types.push(number.ty);
                }
                _ => return unsupported(span, "a choice between such values"),
            }
            self.jump(after, after);
        }
        let (low, high) = (self.read(result), self.read(result_high));
        match types.as_slice() {
            [] => Ok(Value::Void),
            // In a word, or two, every number of both types is what it will be in the common one.
            [a, b] if a.common(*b).bits > 32 => Ok(Value::Number(Number::pair(Pair { low, high }, a.common(*b)))),
            [a, b] => Ok(Value::Number(Number::word(low, a.common(*b)))),
            _ => unsupported(span, "a choice between such values"),
        }
    }
}
