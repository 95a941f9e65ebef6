//! Expressions: their effects, and values that are computed when they are used.

use redoubt_base::stack::grow;

use super::memory::Key;
use super::names::Binding;
use super::order::check_order;
use super::place::Place;
use super::value::Value;
use super::{Lowerer, unsupported};
use crate::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::types::{self, Integer};
use crate::words::Number;
use redoubt_program::expr;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, Refused, refuse};

impl<'s> Lowerer<'_, 's> {
    /// An expression for its effect only.
    pub fn effect(&mut self, id: ExprId) -> Lowered {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Step(place, op, _) => {
                let place = self.place(*place)?;
                self.step(&place, *op, span)
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
            Value::Real(_) => unsupported(span, "a number with a fraction here"),
            Value::Record(_) | Value::Parts(..) => unsupported(span, "computing with a structure"),
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
            ExprKind::Number(text) if types::is_fraction(text) => return self.declarer().fraction(id),
            ExprKind::Number(_)
            | ExprKind::Character(_)
            | ExprKind::SizeOf(_)
            | ExprKind::SizeOfType(_)
            | ExprKind::Offset(..) => self.declarer().literal(id)?,
            ExprKind::Text => return self.declarer().text_value(id),
            ExprKind::Name(name) => return self.declarer().named(name, span),
            ExprKind::Cell(..)
            | ExprKind::Unary(UnaryOperator::Dereference, _)
            | ExprKind::Member(..)
            | ExprKind::Compound(..) => {
                let place = self.place(id)?;
                return self.out.read_place(&place, span);
            }
            ExprKind::Statements(block) => return self.statements(*block),
            ExprKind::Call(function, arguments) => return self.call(*function, arguments, span),
            ExprKind::Unary(op, operand) => return self.unary(*op, *operand, span),
            ExprKind::Binary(op, a, b) => return self.binary(*op, *a, *b, span),
            ExprKind::And(..) | ExprKind::Or(..) => self.logical(id)?,
            ExprKind::Conditional(a, b, c) => return self.conditional(id, *a, *b, *c, span),
            ExprKind::Assign(place, op, value) => return self.assignment(*place, *op, *value, span),
            ExprKind::Step(place, op, is_after) => {
                let place = self.place(*place)?;
                let before = self.out.read_place(&place, span)?;
                let before = if *is_after { self.out.settle(before, span)? } else { before };
                self.step(&place, *op, span)?;
                return if *is_after { Ok(before) } else { self.out.read_place(&place, span) };
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

    fn step(&mut self, place: &Place, op: BinaryOperator, span: Span) -> Lowered {
        let old = self.out.read_place(place, span)?;
        let new = self.out.operate(op, old, Value::Number(Number::known(1, Integer::INT)), span)?;
        self.out.write_place(place, new, span)
    }

    /// Where something is: what stands on the left of an assignment, or has an address.
    pub fn place(&mut self, id: ExprId) -> Lowered<Place> {
        grow(|| self.any_place(id))
    }

    fn any_place(&mut self, id: ExprId) -> Lowered<Place> {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => match self.declarer().find(name) {
                Some(Binding::Object(object)) => Ok(self.declarer().place_of(object)),
                Some(Binding::Foreign(what)) => unsupported(span, what),
                Some(Binding::Refused(why)) => Err(Refused::Mistakes((*why).clone())),
                Some(_) => unsupported(span, "assigning an array or an address"),
                None => match self.declarer().function_place(name, span)? {
                    Some(place) => Ok(place),
                    None => refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "expected a variable")),
                },
            },
            ExprKind::Member(base, name, is_arrow) => {
                let base = if *is_arrow {
                    let pointer = self.value(*base)?;
                    self.out.pointee(pointer, span)?
                } else {
                    self.record_place(*base)?
                };
                self.out.member(&base, name, span)
            }
            ExprKind::Cell(base, index) => {
                let (pointer, number) = self.indexed(*base, *index, span)?;
                self.out.cell_place(pointer, number, span)
            }
            ExprKind::Unary(UnaryOperator::Dereference, base) => {
                let pointer = self.value(*base)?;
                self.out.pointee(pointer, span)
            }
            ExprKind::Compound(name, initializer) => {
                let ty = self.declarer().type_of(&name.specifiers, &name.declarator)?;
                let ty = self.declarer().completed(ty, Some(initializer), span)?;
                let owner = self.out.routine();
                let object = self.out.object(Key::Unnamed(id), "literal", &ty, None, owner, span)?;
                self.initialize_object(object, initializer, span)?;
                Ok(Place::of(object, ty))
            }
            ExprKind::Text => self.declarer().text_place(id),
            _ => refuse(Diagnostic::new(span, "this cannot be assigned", "expected a variable or a cell")),
        }
    }

    /// A structure of which a member is wanted: a place, or a value that is kept for a while.
    fn record_place(&mut self, id: ExprId) -> Lowered<Place> {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(_)
            | ExprKind::Member(..)
            | ExprKind::Cell(..)
            | ExprKind::Compound(..)
            | ExprKind::Unary(UnaryOperator::Dereference, _) => self.place(id),
            _ => match self.value(id)? {
                Value::Record(place) => Ok((*place).clone()),
                value @ Value::Parts(..) => {
                    let Value::Parts(ty, _) = &value else { return unsupported(span, "a member of this") };
                    let (ty, owner) = (ty.clone(), self.out.routine());
                    let object = self.out.object(Key::Unnamed(id), "value", &ty, None, owner, span)?;
                    let place = Place::of(object, ty);
                    self.out.write_place(&place, value, span)?;
                    Ok(place)
                }
                _ => unsupported(span, "a member of this"),
            },
        }
    }

    /// The pointer and the number of `a[i]`, or of `i[a]`.
    fn indexed(&mut self, base: ExprId, index: ExprId, span: Span) -> Lowered<(Value, Number)> {
        let mut address = self.value(base)?;
        let other = if self.text.has_effect(index) {
            let before = self.out.accesses(self.out.since_now(), &address);
            address = self.out.settle(address, span)?;
            let since = self.out.since_now();
            let number = self.value(index)?;
            check_order(&[before, self.out.accesses(since, &number)], span)?;
            number
        } else {
            self.value(index)?
        };
        match (address, other) {
            (Value::Number(number), pointer @ (Value::Pointer(_) | Value::Address(_))) => Ok((pointer, number)),
            (pointer, Value::Number(number)) => Ok((pointer, number)),
            _ => unsupported(span, "an index of this type"),
        }
    }

    /// `&` of something: nothing is read or written there.
    pub fn address(&mut self, operand: ExprId) -> Lowered<Value> {
        let expr = self.text.expr(operand);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Unary(UnaryOperator::Dereference, pointer) => self.value(*pointer),
            ExprKind::Cell(base, index) => {
                let (pointer, number) = self.indexed(*base, *index, span)?;
                self.out.moved(pointer, number, false, span)
            }
            ExprKind::Member(base, name, true) => {
                let pointer = self.value(*base)?;
                if let Value::Address(_) = pointer {
                    let place = self.out.pointee(pointer, span)?;
                    let place = self.out.member(&place, name, span)?;
                    return self.out.address_of(&place, span);
                }
                self.out.member_address(pointer, name, span)
            }
            _ => {
                let place = self.place(operand)?;
                self.out.address_of(&place, span)
            }
        }
    }

    pub fn assignment(
        &mut self,
        place: ExprId,
        op: Option<BinaryOperator>,
        value: ExprId,
        span: Span,
    ) -> Lowered<Value> {
        let begun = self.out.since_now();
        let is_plain = matches!(self.text.expr(place).kind, ExprKind::Name(_));
        let mut place = self.place(place)?;
        let new = match op {
            None => {
                if self.text.has_effect(value) {
                    self.out.settle_place(&mut place, span);
                }
                let (before, index) = (self.out.all_accesses(begun, &Value::Void), self.out.index_accesses(&place));
                let since = self.out.since_now();
                let new = self.value(value)?;
                if let ExprKind::Call(..) = self.text.expr(value).kind {
                    check_order(&[index, self.out.accesses(since, &new)], span)?;
                } else if !is_plain {
                    let accesses = self.out.all_accesses(since, &new);
                    self.out.check_either_order(begun, &before, &accesses, span)?;
                }
                new
            }
            Some(op) => {
                let mut old = self.out.read_place(&place, span)?;
                let before = self.out.all_accesses(begun, &old);
                if self.text.has_effect(value) {
                    self.out.settle_place(&mut place, span);
                    old = self.out.settle(old, span)?;
                }
                let since = self.out.since_now();
                let operand = self.value(value)?;
                let accesses = self.out.all_accesses(since, &operand);
                self.out.check_either_order(begun, &before, &accesses, span)?;
                self.out.operate(op, old, operand, span)?
            }
        };
        self.out.write_place(&place, new, span)?;
        self.out.read_place(&place, span)
    }
}
