//! Operators: the order of their operands, and those that decide what else is evaluated.

use redoubt_base::stack::grow;

use super::order::check_order;
use super::value::Value;
use super::{Lowerer, too_wide, unsupported};
use crate::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::wide::Pair;
use crate::words::Number;
use redoubt_program::flow::BlockId;
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

impl Lowerer<'_, '_> {
    pub fn unary(&mut self, op: UnaryOperator, operand: ExprId, span: Span) -> Lowered<Value> {
        if op == UnaryOperator::Address {
            return self.address(operand);
        }
        if op == UnaryOperator::Not {
            let truth = self.truth(operand)?;
            let not = self.out.exprs().not(truth);
            return Ok(Value::Number(Number::truth(not, &self.out.builder.exprs)));
        }
        let outside = std::mem::replace(&mut self.frame.is_inside_operator, true);
        let number = self.number(operand);
        self.frame.is_inside_operator = outside;
        let number = number?;
        let exprs = self.out.exprs();
        let result = match op {
            UnaryOperator::Negate => number.negate(exprs),
            UnaryOperator::BitNot => number.complement(exprs),
            _ => Ok(number.convert(number.ty.promoted(), exprs)),
        };
        result.map(Value::Number).map_err(too_wide(span))
    }

    pub fn binary(&mut self, op: BinaryOperator, a: ExprId, b: ExprId, span: Span) -> Lowered<Value> {
        let is_in_order = self.text.is_in_order(op, a, b, self.frame.is_inside_operator);
        let outside = std::mem::replace(&mut self.frame.is_inside_operator, true);
        let result = self.binary_of(op, a, b, is_in_order, span);
        self.frame.is_inside_operator = outside;
        result
    }

    fn binary_of(&mut self, op: BinaryOperator, a: ExprId, b: ExprId, is_in_order: bool, span: Span) -> Lowered<Value> {
        let begun = self.out.since_now();
        let mut left = self.value(a)?;
        let has_effect = self.text.has_effect(b);
        let is_rearranged = !is_in_order && (has_effect || self.text.has_effect(a));
        let first = is_rearranged.then(|| self.out.all_accesses(begun, &left));
        let before = self.out.accesses(self.out.since_now(), &left);
        if has_effect {
            left = self.out.settle(left, span)?;
        }
        let since = self.out.since_now();
        let right = self.value(b)?;
        if has_effect {
            check_order(&[before, self.out.accesses(since, &right)], span)?;
        }
        if let Some(first) = first {
            let second = self.out.all_accesses(since, &right);
            self.out.check_either_order(begun, &first, &second, span)?;
        }
        let (left, right) = match (left, right) {
            (Value::Number(left), Value::Number(right)) => (left, right),
            (left, right) => return self.out.compare_pointers(op, left, right, span),
        };
        self.out.compute(op, left, right, span).map(Value::Number)
    }

    /// `&&` and `||`: branches where the second operand does something, and else plain operators.
    pub fn logical(&mut self, id: ExprId) -> Lowered<Number> {
        let expr = self.text.expr(id);
        let span = expr.span;
        let (a, b, is_and) = match &expr.kind {
            ExprKind::And(a, b) => (*a, *b, true),
            ExprKind::Or(a, b) => (*a, *b, false),
            _ => return unsupported(span, "this condition"),
        };
        if !self.text.has_effect(b) {
            let a = self.truth(a)?;
            let b = self.truth(b)?;
            let exprs = self.out.exprs();
            let both = if is_and { exprs.and(a, b) } else { exprs.or(a, b) };
            return Ok(Number::truth(both, exprs));
        }
        let (yes, no, after) = (self.out.new_block(), self.out.new_block(), self.out.new_block());
        self.test(id, yes, no)?;
        let result = self.out.temporary(span);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.out.current = block;
            let value = self.out.exprs().int(value);
            self.out.assign(result, value, span);
            self.out.jump(after, after);
        }
        let word = self.out.read(result);
        let zero = self.out.exprs().int(0);
        let is_zero = self.out.exprs().eq(word, zero);
        let truth = self.out.exprs().not(is_zero);
        Ok(Number::truth(truth, &self.out.builder.exprs))
    }

    /// Goes one way or the other. The current block is over afterwards.
    pub fn condition(&mut self, id: ExprId, yes: BlockId, no: BlockId) -> Lowered {
        grow(|| self.any_condition(id, yes, no))
    }

    fn any_condition(&mut self, id: ExprId, yes: BlockId, no: BlockId) -> Lowered {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::And(a, b) if self.text.has_effect(*b) => {
                let next = self.out.new_block();
                self.condition(*a, next, no)?;
                self.out.current = next;
                self.condition(*b, yes, no)
            }
            ExprKind::Or(a, b) if self.text.has_effect(*b) => {
                let next = self.out.new_block();
                self.condition(*a, yes, next)?;
                self.out.current = next;
                self.condition(*b, yes, no)
            }
            ExprKind::Unary(UnaryOperator::Not, inner) => self.condition(*inner, no, yes),
            _ => {
                let condition = self.truth(id)?;
                self.out.branch(condition, yes, no, span, yes);
                Ok(())
            }
        }
    }

    pub fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, span: Span) -> Lowered<Value> {
        if !self.text.has_effect(then) && !self.text.has_effect(otherwise) {
            let condition = self.truth(condition)?;
            let (a, b) = (self.value(then)?, self.value(otherwise)?);
            return match (a, b) {
                (Value::Number(a), Value::Number(b)) => {
                    let ty = a.ty.common(b.ty);
                    let exprs = self.out.exprs();
                    let (a, b) = (a.convert(ty, exprs), b.convert(ty, exprs));
                    if ty.bits > 32 {
                        let (a, b) = (a.to_pair(exprs), b.to_pair(exprs));
                        return Ok(Value::Number(Number::pair(Pair::choose(condition, a, b, exprs), ty)));
                    }
                    let a = a.to_word(exprs).map_err(too_wide(span))?;
                    let b = b.to_word(exprs).map_err(too_wide(span))?;
                    Ok(Value::Number(Number::word(exprs.ite(condition, a, b), ty)))
                }
                (Value::Pointer(a), Value::Pointer(b)) => Ok(Value::Pointer(self.out.exprs().ite(condition, a, b))),
                _ => unsupported(span, "a choice between such values"),
            };
        }
        let (yes, no, after) = (self.out.new_block(), self.out.new_block(), self.out.new_block());
        self.condition(condition, yes, no)?;
        let (result, result_high) = (self.out.temporary(span), self.out.temporary(span));
        let mut types = vec![];
        for (block, value) in [(yes, then), (no, otherwise)] {
            self.out.current = block;
            match self.value(value)? {
                Value::Void => {}
                Value::Number(number) => {
                    let pair = number.to_pair(self.out.exprs());
                    self.out.assign(result, pair.low, span);
                    self.out.assign(result_high, pair.high, span);
                    types.push(number.ty);
                }
                _ => return unsupported(span, "a choice between such values"),
            }
            self.out.jump(after, after);
        }
        let (low, high) = (self.out.read(result), self.out.read(result_high));
        match types.as_slice() {
            [] => Ok(Value::Void),
            // In a word, or two, every number of both types is what it will be in the common one.
            [a, b] if a.common(*b).bits > 32 => Ok(Value::Number(Number::pair(Pair { low, high }, a.common(*b)))),
            [a, b] => Ok(Value::Number(Number::word(low, a.common(*b)))),
            _ => unsupported(span, "a choice between such values"),
        }
    }
}
