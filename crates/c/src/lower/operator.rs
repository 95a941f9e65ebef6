//! Operators: the order of their operands, and those that decide what else is evaluated.

use redoubt_base::stack::grow;

use super::memory::Key;
use super::order::check_order;
use super::place::Place;
use super::value::Value;
use super::{Lowerer, too_wide, unsupported};
use crate::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::types::Type;
use crate::words::Number;
use redoubt_program::flow::BlockId;
use redoubt_program::text::Span;
use redoubt_reading::refused::{Lowered, Refused};

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
        let value = self.value(operand);
        self.frame.is_inside_operator = outside;
        let number = match value? {
            Value::Number(number) => number,
            Value::Real(real) => {
                return match op {
                    UnaryOperator::Negate => Ok(Value::Real(self.out.negated(real))),
                    UnaryOperator::Plus => Ok(Value::Real(real)),
                    _ => unsupported(span, "the bits of a number with a fraction"),
                };
            }
            _ => return unsupported(span, "computing with this"),
        };
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
        self.out.operate(op, left, right, span)
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
        if self.only_computes(b)? {
            let a = self.truth(a)?;
            let b = self.truth(b)?;
            let exprs = self.out.exprs();
            let both = if is_and { exprs.and(a, b) } else { exprs.or(a, b) };
            return Ok(Number::truth(both, exprs));
        }
        let (yes, no, after) = (self.out.new_block(), self.out.new_block(), self.out.new_block());
        self.in_turn(is_and, a, b, yes, no)?;
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
            ExprKind::And(a, b) if !self.only_computes(*b)? => self.in_turn(true, *a, *b, yes, no),
            ExprKind::Or(a, b) if !self.only_computes(*b)? => self.in_turn(false, *a, *b, yes, no),
            ExprKind::Unary(UnaryOperator::Not, inner) => self.condition(*inner, no, yes),
            _ => {
                let condition = self.truth(id)?;
                self.out.branch(condition, yes, no, span, yes);
                Ok(())
            }
        }
    }

    /// Whether evaluating a scalar is nothing but computing, wherever it stands: nothing is done, nothing can go wrong, and it is understood.
    fn only_computes(&mut self, id: ExprId) -> Lowered<bool> {
        if self.text.has_effect(id) {
            return Ok(false);
        }
        if self.acting.contains(&id) {
            return Ok(false);
        }
        let since = self.out.since_now();
        let is_plain = match self.value(id) {
            Ok(Value::Record(_) | Value::Parts(..) | Value::Void) => false,
            Ok(_) => self.out.is_same(since),
            Err(Refused::Mistakes(_)) => false,
            Err(interrupted @ Refused::Interrupted) => return Err(interrupted),
        };
        self.out.rewind(since);
        if !is_plain {
            // In another call it may be: then it is a branch all the same.
            self.acting.insert(id);
        }
        Ok(is_plain)
    }

    /// Goes one way or the other by two conditions, the second of which counts only where the first one leaves it open.
    fn in_turn(&mut self, is_and: bool, a: ExprId, b: ExprId, yes: BlockId, no: BlockId) -> Lowered {
        let next = self.out.new_block();
        if is_and {
            self.condition(a, next, no)?
        } else {
            self.condition(a, yes, next)?
        }
        self.out.current = next;
        // What is wrong with the second one matters only where a run comes to it.
        self.test(b, yes, no)
    }

    pub fn conditional(
        &mut self,
        id: ExprId,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        span: Span,
    ) -> Lowered<Value> {
        if self.only_computes(then)? && self.only_computes(otherwise)? {
            let condition = self.truth(condition)?;
            let (a, b) = (self.value(then)?, self.value(otherwise)?);
            // A condition that is known does not change the type.
            let (a, b) = self.out.met(a, b, span)?;
            return self.out.choose_value(condition, a, b, span);
        }
        let (yes, no, after) = (self.out.new_block(), self.out.new_block(), self.out.new_block());
        self.condition(condition, yes, no)?;
        // Both are computed in their own blocks, and meet in the type of the whole.
        let mut ty = match self.declarer().static_type(id) {
            Ok(Type::Array(element, _)) => Type::Pointer(element),
            Ok(ty @ Type::Function(_)) => ty.pointer_to(),
            Ok(ty) => ty,
            // It may still be one of the other, once that has been computed.
            Err(_) => Type::Void,
        };
        if ty == Type::Void {
            ty = match (self.declarer().static_type(then), self.declarer().static_type(otherwise)) {
                (Ok(a), _) if a != Type::Void => a,
                (_, Ok(b)) => b,
                _ => Type::Void,
            };
        }
        let object = match &ty {
            Type::Void => None,
            ty => {
                let owner = self.out.routine();
                Some(self.out.object(Key::Unnamed(id), "value", ty, None, owner, span)?)
            }
        };
        let is_known = |ty: Lowered<Type>| ty.is_ok_and(|ty| !matches!(ty, Type::Foreign(_)));
        let is_typed = is_known(self.declarer().static_type(then)) && is_known(self.declarer().static_type(otherwise));
        for (block, value) in [(yes, then), (no, otherwise)] {
            self.out.current = block;
            let first = self.out.next_block();
            let lowered = self.value(value).and_then(|value| match (object, value) {
                (_, Value::Void) | (None, _) => Ok(()),
                (Some(object), value) => self.out.write_place(&Place::of(object, ty.clone()), value, span),
            });
            // A side that is not understood matters if a run can come there, and its type matters in any case.
            if is_typed {
                self.out.tolerate(lowered, first)?
            } else {
                lowered?
            }
            self.out.jump(after, after);
        }
        match object {
            Some(object) => self.out.read_place(&Place::of(object, ty), span),
            None => Ok(Value::Void),
        }
    }
}
