//! Expressions: what they do, and values that are computed when they are used.

use redoubt_base::stack::grow;

use super::place::Lvalue;
use super::scope::Binding;
use super::value::Value;
use super::{Lowerer, unsupported};
use crate::expr::{self};
use crate::source::Diagnostic;
use crate::source::c::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::source::c::types::{self, Integer, Type};
use crate::source::c::words::Number;
use crate::source::refused::{Lowered, Refused, refuse};
use crate::text::Span;

impl<'s> Lowerer<'_, 's> {
    /// Whether evaluating an expression does anything but compute: assign, call, or end the run.
    pub fn has_effect(&mut self, id: ExprId) -> bool {
        self.effects.resize(self.effects.len().max(id.index() + 1), None);
        if let Some(known) = self.effects[id.index()] {
            return known;
        }
        let syntax = self.syntax;
        let result = grow(|| match &syntax.expr(id).kind {
            ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Cell(..) => true,
            ExprKind::Statements(_) | ExprKind::Member => true,
            ExprKind::Unary(UnaryOperator::Dereference, _) => true,
            ExprKind::Binary(op, a, b) => {
                let number = match &syntax.expr(*b).kind {
                    ExprKind::Number(text) => types::number(text).ok(),
                    _ => None,
                };
                may_end_run(*op, number.map(|(value, _)| value)) || self.has_effect(*a) || self.has_effect(*b)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.has_effect(*a) || self.has_effect(*b),
            ExprKind::Conditional(a, b, c) => self.has_effect(*a) || self.has_effect(*b) || self.has_effect(*c),
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => self.has_effect(*a),
            ExprKind::Comma(list) => list.iter().any(|&part| self.has_effect(part)),
            ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::Text => false,
            ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) => false,
        });
        self.effects[id.index()] = Some(result);
        result
    }

    /// An expression for its effect only.
    pub fn effect(&mut self, id: ExprId) -> Lowered {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        match &syntax.expr(id).kind {
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
        let span = self.syntax.expr(id).span;
        match self.value(id)? {
            Value::Number(number) => Ok(number),
            Value::Pointer(_) | Value::Address(_) => unsupported(span, "computing with a pointer"),
            Value::Void => refuse(Diagnostic::new(span, "this has no value", "expected a number")),
        }
    }

    pub fn truth(&mut self, id: ExprId) -> Lowered<expr::ExprId> {
        let value = self.value(id)?;
        self.out.truth_of(value, self.syntax.expr(id).span)
    }

    pub fn value(&mut self, id: ExprId) -> Lowered<Value> {
        grow(|| self.any_value(id))
    }

    fn any_value(&mut self, id: ExprId) -> Lowered<Value> {
        self.watch.look()?;
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        Ok(Value::Number(match &syntax.expr(id).kind {
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
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        match &syntax.expr(id).kind {
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
        if self.functions.contains_key(name) {
            return unsupported(span, "a function as a value");
        }
        refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "expected a name that is known here"))
    }
}

/// Whether an operator with this number on the right may end the run: by some divisors, and shifted by more bits than words have.
fn may_end_run(op: BinaryOperator, right: Option<i128>) -> bool {
    match op {
        BinaryOperator::Divide | BinaryOperator::Remainder => right.is_none_or(|divisor| divisor == 0),
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => right.is_none_or(|amount| amount >= 32),
        _ => false,
    }
}
