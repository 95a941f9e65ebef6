//! Constant expressions: the numbers of cases and enumerators, the lengths of arrays, and what globals start with.
//!
//! They are computed as they stand, without adding anything to the automaton: nothing is executed there.

use redoubt_base::stack::grow;

use std::rc::Rc;

use super::declare::Declarer;
use super::memory::Key;
use super::names::Binding;
use super::place::Place;
use super::unsupported;
use super::value::{Real, Value};
use crate::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::types::{self, Integer, Type};
use crate::words::{self, Number};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

impl<'s> Declarer<'_, '_, 's> {
    /// The value of a constant expression.
    pub fn constant(&mut self, id: ExprId) -> Lowered<i128> {
        if let Some(value) = self.known_number(id)?.and_then(Number::as_known) {
            return Ok(value);
        }
        let span = self.text.expr(id).span;
        refuse(Diagnostic::new(span, "this is not a constant", "expected a number that is known beforehand"))
    }

    fn known_number(&mut self, id: ExprId) -> Lowered<Option<Number>> {
        grow(|| self.any_known_number(id))
    }

    fn any_known_number(&mut self, id: ExprId) -> Lowered<Option<Number>> {
        self.watch.look()?;
        let expr = self.text.expr(id);
        Ok(match &expr.kind {
            ExprKind::Number(text) if types::is_fraction(text) => None,
            ExprKind::Number(_)
            | ExprKind::Character(_)
            | ExprKind::SizeOf(_)
            | ExprKind::SizeOfType(_)
            | ExprKind::Offset(..) => Some(self.literal(id)?),
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Enumerator(_) | Binding::Refused(_)) | None => match self.named(name, expr.span)? {
                    Value::Number(number) => Some(number),
                    _ => None,
                },
                Some(_) => None,
            },
            ExprKind::Cast(name, operand) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                let Type::Integer(integer) = ty else { return Ok(None) };
                match self.known_number(*operand)? {
                    Some(number) => Some(number.convert(integer, self.out.exprs())),
                    None => match self.known_value(*operand)? {
                        Some(value @ Value::Real(_)) => {
                            Some(self.out.converted(value, &Type::Integer(integer), expr.span)?)
                        }
                        _ => None,
                    },
                }
            }
            ExprKind::Unary(op, operand) => {
                let Some(operand) = self.known_number(*operand)? else { return Ok(None) };
                let exprs = self.out.exprs();
                match op {
                    UnaryOperator::Negate => operand.negate(exprs).ok(),
                    UnaryOperator::BitNot => operand.complement(exprs).ok(),
                    UnaryOperator::Plus => Some(operand.convert(operand.ty.promoted(), exprs)),
                    UnaryOperator::Not => operand.as_known().map(|value| truth(value == 0)),
                    UnaryOperator::Dereference | UnaryOperator::Address => None,
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (Some(a), Some(b)) = (self.known_number(*a)?, self.known_number(*b)?) else { return Ok(None) };
                if has_value(*op, a, b) { words::binary(*op, a, b, self.out.exprs()).ok() } else { None }
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let (Some(a), Some(b)) = (self.known_truth(*a)?, self.known_truth(*b)?) else { return Ok(None) };
                let is_and = matches!(expr.kind, ExprKind::And(..));
                Some(truth(if is_and { a && b } else { a || b }))
            }
            ExprKind::Conditional(condition, a, b) => {
                let condition = self.known_truth(*condition)?;
                let (a, b) = (self.known_number(*a)?, self.known_number(*b)?);
                let (Some(condition), Some(a), Some(b)) = (condition, a, b) else { return Ok(None) };
                let chosen = if condition { a } else { b };
                Some(chosen.convert(a.ty.common(b.ty), self.out.exprs()))
            }
            _ => None,
        })
    }

    fn known_truth(&mut self, id: ExprId) -> Lowered<Option<bool>> {
        Ok(self.known_number(id)?.and_then(Number::as_known).map(|value| value != 0))
    }

    /// A number that is written down, or the size of something.
    pub fn literal(&mut self, id: ExprId) -> Lowered<Number> {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(text) => match types::number(text, self.out.model) {
                Ok((value, ty)) => Ok(Number::known(value, ty)),
                Err(why) => refuse(Diagnostic::new(span, why, "expected an integer")),
            },
            ExprKind::Character(text) => match types::character(text) {
                Some(value) => Ok(Number::known(value, Integer::INT)),
                None => unsupported(span, "this character"),
            },
            ExprKind::SizeOfType(name) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                self.size_of(&ty, span)
            }
            ExprKind::SizeOf(operand) => {
                let ty = self.static_type(*operand)?;
                self.size_of(&ty, span)
            }
            ExprKind::Offset(name, member) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                let (offset, _) = self.offset_in(&ty, *member)?;
                Ok(Number::known(offset.into(), self.out.model.size()))
            }
            _ => unsupported(span, "the size of this"),
        }
    }

    /// Where `member.inner[3]` lies in a type.
    fn offset_in(&mut self, ty: &Type, id: ExprId) -> Lowered<(u32, Type)> {
        let expr = self.text.expr(id);
        let span = expr.span;
        let member = |ty: &Type, name: &str| match ty {
            Type::Record(record) => {
                let (mut offset, mut ty) = (0, ty.clone());
                for position in record.find(name)? {
                    let Type::Record(record) = &ty else { return None };
                    let member = &record.members()[position];
                    offset += member.offset;
                    let inner = member.ty.clone();
                    ty = inner;
                }
                Some((offset, ty))
            }
            _ => None,
        };
        let found = match &expr.kind {
            ExprKind::Name(name) => member(ty, name),
            ExprKind::Member(base, name, false) => {
                let (offset, ty) = self.offset_in(ty, *base)?;
                member(&ty, name).map(|(inner, ty)| (offset + inner, ty))
            }
            ExprKind::Cell(base, index) => {
                let (offset, ty) = self.offset_in(ty, *base)?;
                let index = u32::try_from(self.constant(*index)?).ok();
                match (ty, index) {
                    (Type::Array(element, _), Some(index)) => {
                        let inner = element.bytes(self.out.model).and_then(|bytes| bytes.checked_mul(index));
                        inner.map(|inner| (offset + inner, (*element).clone()))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        found.map_or_else(|| unsupported(span, "the place of this"), Ok)
    }

    /// A number with a fraction that is written down.
    pub fn fraction(&mut self, id: ExprId) -> Lowered<Value> {
        let expr = self.text.expr(id);
        let ExprKind::Number(text) = expr.kind else { return unsupported(expr.span, "this number") };
        match types::fraction(text) {
            Ok((bits, width)) => Ok(Value::Real(Real::known(bits, width))),
            Err(why) => refuse(Diagnostic::new(expr.span, why, "expected a number")),
        }
    }

    /// A text, as the array of its characters.
    pub fn text_place(&mut self, id: ExprId) -> Lowered<Place> {
        let span = self.text.expr(id).span;
        let Some(characters) = types::characters(self.out.builder.sources.text(span)) else {
            return unsupported(span, "this text");
        };
        let ty = Type::Array(Rc::new(Type::Integer(Integer::CHAR)), Some(characters.len() as u32 + 1));
        let mut image: Vec<u8> = characters.iter().map(|&character| character as u8).collect();
        image.push(0);
        let object = self.out.object(Key::Unnamed(id), "text", &ty, Some(&image), None, span)?;
        self.out.memory.is_constant(object);
        Ok(Place::of(object, ty))
    }

    pub fn text_value(&mut self, id: ExprId) -> Lowered<Value> {
        let place = self.text_place(id)?;
        self.out.read_place(&place, self.text.expr(id).span)
    }

    /// The function of a name, if there is one.
    pub fn function_place(&mut self, name: &'s str, span: Span) -> Lowered<Option<Place>> {
        if !self.text.functions.contains_key(name) && self.text.prototype(name).is_none() {
            return Ok(None);
        }
        let result = self.declared_result(name)?.unwrap_or(Type::Void);
        let object = self.out.function_object(name, result, span)?;
        Ok(Some(self.place_of(object)))
    }

    /// What a global starts as: a number, or an address.
    pub fn constant_value(&mut self, id: ExprId) -> Lowered<Value> {
        match self.known_value(id)? {
            Some(value) => Ok(value),
            None => {
                let span = self.text.expr(id).span;
                refuse(Diagnostic::new(span, "this is not a constant", "expected what is known beforehand"))
            }
        }
    }

    fn known_value(&mut self, id: ExprId) -> Lowered<Option<Value>> {
        grow(|| self.any_known_value(id))
    }

    fn any_known_value(&mut self, id: ExprId) -> Lowered<Option<Value>> {
        if let Some(number) = self.known_number(id)? {
            return Ok(Some(Value::Number(number)));
        }
        let expr = self.text.expr(id);
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Number(text) if types::is_fraction(text) => Some(self.fraction(id)?),
            ExprKind::Text => Some(self.text_value(id)?),
            ExprKind::Name(_) | ExprKind::Cell(..) | ExprKind::Member(..) => match self.known_place(id)? {
                Some(place) if matches!(place.ty, Type::Array(..) | Type::Function(_)) => {
                    Some(self.out.read_place(&place, span)?)
                }
                _ => None,
            },
            ExprKind::Unary(UnaryOperator::Address, inner) => match self.known_place(*inner)? {
                Some(place) => Some(self.out.address_of(&place, span)?),
                None => None,
            },
            ExprKind::Unary(UnaryOperator::Negate, inner) => match self.known_value(*inner)? {
                Some(Value::Real(real)) => Some(Value::Real(self.out.negated(real))),
                _ => None,
            },
            ExprKind::Unary(UnaryOperator::Plus, inner) => self.known_value(*inner)?,
            ExprKind::Cast(name, inner) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                match self.known_value(*inner)? {
                    Some(value) => Some(self.out.cast(value, &ty, span)?),
                    None => None,
                }
            }
            ExprKind::Binary(op, a, b) => match (self.known_value(*a)?, self.known_value(*b)?) {
                (Some(a), Some(b)) => self.known_operation(*op, a, b, span)?,
                _ => None,
            },
            ExprKind::Conditional(condition, a, b) => match self.known_truth(*condition)? {
                Some(condition) => self.known_value(if condition { *a } else { *b })?,
                None => None,
            },
            _ => None,
        })
    }

    /// An operator on constants, unless it would have to be executed.
    fn known_operation(&mut self, op: BinaryOperator, a: Value, b: Value, span: Span) -> Lowered<Option<Value>> {
        let since = self.out.since_now();
        let value = self.out.operate(op, a, b, span)?;
        if self.out.is_same(since) {
            return Ok(Some(value));
        }
        self.out.rewind(since);
        Ok(None)
    }

    /// What has an address that is known beforehand.
    fn known_place(&mut self, id: ExprId) -> Lowered<Option<Place>> {
        let expr = self.text.expr(id);
        let span = expr.span;
        Ok(match &expr.kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Object(object)) => Some(self.place_of(object)),
                Some(_) => None,
                None => self.function_place(name, span)?,
            },
            ExprKind::Text => Some(self.text_place(id)?),
            ExprKind::Member(base, name, false) => match self.known_place(*base)? {
                Some(place) => Some(self.out.member(&place, name, span)?),
                None => None,
            },
            ExprKind::Member(base, name, true) => match self.known_value(*base)? {
                Some(value @ Value::Address(_)) => {
                    let place = self.out.pointee(value, span)?;
                    Some(self.out.member(&place, name, span)?)
                }
                _ => None,
            },
            ExprKind::Cell(base, index) => match (self.known_value(*base)?, self.known_number(*index)?) {
                (Some(value @ Value::Address(_)), Some(index)) => {
                    let since = self.out.since_now();
                    let moved = self.out.moved(value, index, false, span)?;
                    match moved {
                        Value::Address(address) if self.out.is_same(since) => {
                            Some(Place::known(address.to, address.sub))
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            ExprKind::Unary(UnaryOperator::Dereference, inner) => match self.known_value(*inner)? {
                Some(value @ Value::Address(_)) => Some(self.out.pointee(value, span)?),
                _ => None,
            },
            ExprKind::Compound(name, initializer) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                let ty = self.completed(ty, Some(initializer), span)?;
                let object = self.out.object(Key::Unnamed(id), "literal", &ty, None, None, span)?;
                self.start(object, initializer, &ty)?;
                Some(Place::of(object, ty))
            }
            _ => None,
        })
    }
}

fn truth(value: bool) -> Number {
    Number::known(i128::from(value), Integer::INT)
}

/// Whether an operator has a value on these constants: not all divisors and amounts of shifts have.
fn has_value(op: BinaryOperator, a: Number, b: Number) -> bool {
    match (op, b.as_known()) {
        (BinaryOperator::Divide | BinaryOperator::Remainder, known) => known != Some(0),
        (BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, Some(amount)) => {
            (0..i128::from(a.ty.promoted().bits)).contains(&amount)
        }
        _ => true,
    }
}
