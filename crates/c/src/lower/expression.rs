//! Expressions: what they do, and values that are computed when they are used.

use redoubt_base::stack::grow;

use super::value::Value;
use super::{Lowerer, unsupported};
use crate::ast::{ExprId, ExprKind, UnaryOperator};
use crate::words::Number;
use redoubt_program::expr;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

impl<'s> Lowerer<'_, 's> {
    /// An expression for its effect only.
    pub fn effect(&mut self, id: ExprId) -> Lowered {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Step(place, op, _) => {
                let place = self.place(*place)?;
                self.out.step(&place, *op, span)
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, span).map(drop),
            ExprKind::Comma(list) => list.iter().try_for_each(|&part| self.effect(part)),
            ExprKind::Cast(_, inner) => self.effect(*inner),
            _ => self.value(id).map(drop),
        }
    }

    /// A number; pointers are none.
    pub fn number(&mut self, id: ExprId) -> Lowered<Number> {
        let span = self.text.expr(id).span;
        match self.value(id)? {
            Value::Number(number) => Ok(number),
            Value::Pointer(_) | Value::Address(_) => unsupported(span, "computing with a pointer"),
            Value::Void => refuse(Diagnostic::new(span, "this has no value", "expected a number")),
        }
    }

    pub fn truth(&mut self, id: ExprId) -> Lowered<expr::ExprId> {
        let value = self.value(id)?;
        self.out.truth_of(value, self.text.expr(id).span)
    }

    pub fn value(&mut self, id: ExprId) -> Lowered<Value> {
        grow(|| self.any_value(id))
    }

    fn any_value(&mut self, id: ExprId) -> Lowered<Value> {
        self.watch.look()?;
        let expr = self.text.expr(id);
        let span = expr.span;
        Ok(Value::Number(match &expr.kind {
            ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) => {
                self.declarer().literal(id)?
            }
            ExprKind::Text => {
                let address = self.out.text_address();
                return Ok(Value::Pointer(self.out.exprs().int(address)));
            }
            ExprKind::Name(name) => return self.declarer().named(name, span),
            ExprKind::Cell(..) | ExprKind::Unary(UnaryOperator::Dereference, _) => return self.indirect(id),
            ExprKind::Member => return unsupported(span, "a member of a structure"),
            ExprKind::Statements(block) => return self.statements(*block),
            ExprKind::Call(function, arguments) => return self.call(*function, arguments, span),
            ExprKind::Unary(op, operand) => return self.unary(*op, *operand, span),
            ExprKind::Binary(op, a, b) => return self.binary(*op, *a, *b, span),
            ExprKind::And(..) | ExprKind::Or(..) => self.logical(id)?,
            ExprKind::Conditional(a, b, c) => return self.conditional(*a, *b, *c, span),
            ExprKind::Assign(place, op, value) => return self.assignment(*place, *op, *value, span),
            ExprKind::Step(place, op, is_after) => {
                let place = self.place(*place)?;
                let before = self.out.read_place(&place);
                let before = if *is_after { self.out.settle(before, span)? } else { before };
                self.out.step(&place, *op, span)?;
                return Ok(if *is_after { before } else { self.out.read_place(&place) });
            }
            ExprKind::Cast(name, operand) => {
                let ty = self.declarer().type_of(&name.specifiers, &name.declarator)?;
                let value = self.value(*operand)?;
                return self.out.cast(value, &ty, span);
            }
            ExprKind::Comma(list) => {
                let Some((last, others)) = list.split_last() else { return Ok(Value::Void) };
                others.iter().try_for_each(|&part| self.effect(part))?;
                return self.value(*last);
            }
        }))
    }
}
