//! Expressions: what they do, and values that are computed when they are used.

use redoubt_base::stack::grow;

use super::place::Lvalue;
use super::scope::Binding;
use super::value::Value;
use super::{Lowerer, unsupported};
use crate::expr::{self};
use crate::source::Diagnostic;
use crate::source::c::ast::{ExprId, ExprKind, UnaryOperator};
use crate::source::c::types::{self, Integer, Type};
use crate::source::c::words::Number;
use crate::source::refused::{Lowered, Refused, refuse};
use crate::text::Span;

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
            ExprKind::Number(text) => match types::number(text) {
                Ok((value, ty)) => Number::known(value, ty),
                Err(why) => return refuse(Diagnostic::new(span, why, "expected an integer")),
            },
            ExprKind::Character(text) => match types::character(text) {
                Some(value) => Number::known(value, Integer::INT),
                None => return unsupported(span, "this character"),
            },
            ExprKind::Text => {
                let address = self.out.text_address();
                return Ok(Value::Pointer(self.out.exprs().int(address)));
            }
            ExprKind::Name(name) => return self.named(name, span),
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
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                let value = self.value(*operand)?;
                return self.out.cast(value, &ty, span);
            }
            ExprKind::SizeOfType(name) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                self.size(&ty, span)?
            }
            ExprKind::SizeOf(operand) => {
                let ty = self.static_type(*operand)?;
                self.size(&ty, span)?
            }
            ExprKind::Comma(list) => {
                let Some((last, others)) = list.split_last() else { return Ok(Value::Void) };
                others.iter().try_for_each(|&part| self.effect(part))?;
                return self.value(*last);
            }
        }))
    }

    fn size(&mut self, ty: &Type, span: Span) -> Lowered<Number> {
        match ty.bytes() {
            Some(bytes) => Ok(Number::known(bytes.into(), Integer::UINT)),
            None => unsupported(span, "the size of this type"),
        }
    }

    /// The type of an expression that is not evaluated, where it is easily seen.
    fn static_type(&mut self, id: ExprId) -> Lowered<Type> {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Variable(_, ty) | Binding::Array(_, ty)) => Ok(ty),
                _ => unsupported(span, "the size of this"),
            },
            ExprKind::Cell(base, _) => match self.static_type(*base)? {
                Type::Array(element, _) | Type::Pointer(element) => Ok((*element).clone()),
                _ => unsupported(span, "the size of this"),
            },
            ExprKind::Number(text) => match types::number(text) {
                Ok((_, ty)) => Ok(Type::Integer(ty)),
                Err(why) => refuse(Diagnostic::new(span, why, "expected an integer")),
            },
            _ => unsupported(span, "the size of this"),
        }
    }

    fn named(&mut self, name: &'s str, span: Span) -> Lowered<Value> {
        if let Some(binding) = self.find(name) {
            return match binding {
                Binding::Variable(variable, ty) => Ok(self.out.read_place(&Lvalue::Variable(variable, ty))),
                Binding::Array(table, ty) => Ok(self.out.start_of(table, &ty)),
                Binding::Address(target) => Ok(Value::Address(target)),
                Binding::Enumerator(number) => Ok(Value::Number(Number::known(number, Integer::INT))),
                Binding::Foreign(what) => unsupported(span, what),
                Binding::Refused(why) => Err(Refused::Mistakes((*why).clone())),
            };
        }
        if self.text.functions.contains_key(name) {
            return unsupported(span, "a function as a value");
        }
        refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "expected a name that is known here"))
    }
}
