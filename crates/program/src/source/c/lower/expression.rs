//! Expressions: what they do, and values that are computed when they are used.

use redoubt_base::stack::grow;

use super::place::Lvalue;
use super::scope::{Binding, Target};
use super::{Lowerer, high_word, integer_of, is_wide, too_wide, unsupported};
use crate::expr::{self, VarId};
use crate::source::Diagnostic;
use crate::source::c::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::source::c::types::{self, Integer, Type};
use crate::source::c::wide::Pair;
use crate::source::c::words::{Number, Repr};
use crate::source::refused::{Lowered, Refused, refuse};
use crate::text::Span;

/// What an expression stands for.
#[derive(Clone, Debug)]
pub enum Value {
    Number(Number),
    /// A word that is null, or points to what nobody knows.
    Pointer(expr::ExprId),
    /// The address of something that is known.
    Address(Target),
    Void,
}

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
        let span = self.syntax.expr(id).span;
        match self.value(id)? {
            Value::Number(number) => Ok(number),
            Value::Pointer(_) | Value::Address(_) => unsupported(span, "computing with a pointer"),
            Value::Void => refuse(Diagnostic::new(span, "this has no value", "expected a number")),
        }
    }

    pub fn truth(&mut self, id: ExprId) -> Lowered<expr::ExprId> {
        let value = self.value(id)?;
        self.truth_of(value, self.syntax.expr(id).span)
    }

    pub fn truth_of(&mut self, value: Value, span: Span) -> Lowered<expr::ExprId> {
        match value {
            Value::Number(number) => Ok(number.to_truth(self.exprs())),
            Value::Pointer(word) => Ok(Number::word(word, Integer::UINT).to_truth(self.exprs())),
            Value::Address(_) => Ok(self.exprs().bool(true)),
            Value::Void => refuse(Diagnostic::new(span, "this has no value", "expected a condition")),
        }
    }

    /// The number that a variable of a type holds after the value is assigned to it; pointers are numbers here.
    pub fn converted(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<Number> {
        match (value, ty) {
            (Value::Number(number), Type::Integer(integer)) => Ok(number.convert(*integer, self.exprs())),
            (Value::Number(number), Type::Pointer(_)) => Ok(number.convert(Integer::UINT, self.exprs())),
            (Value::Pointer(word), Type::Pointer(_)) => Ok(Number::word(word, Integer::UINT)),
            (Value::Pointer(word), Type::Integer(integer)) => {
                Ok(Number::word(word, Integer::UINT).convert(*integer, self.exprs()))
            }
            (Value::Address(_), _) => unsupported(span, "keeping the address of a variable"),
            (Value::Void, _) => refuse(Diagnostic::new(span, "this has no value", "expected a value")),
            (_, ty) => unsupported(span, &format!("a value of this type ({ty:?})")),
        }
    }

    /// Likewise, where it takes one word.
    pub fn converted_word(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<expr::ExprId> {
        let number = self.converted(value, ty, span)?;
        number.to_word(self.exprs()).map_err(too_wide(span))
    }

    /// Gives a variable of a type a value.
    pub fn put(&mut self, variable: VarId, ty: &Type, value: Value, span: Span) -> Lowered {
        let number = self.converted(value, ty, span)?;
        if number.ty.bits <= 32 {
            let word = number.to_word(self.exprs()).map_err(too_wide(span))?;
            self.assign(variable, word, span);
            return Ok(());
        }
        // Each word may be computed from both.
        let pair = number.to_pair(self.exprs());
        let low = self.settled(pair.low, span);
        self.assign(high_word(variable), pair.high, span);
        self.assign(variable, low, span);
        Ok(())
    }

    /// The value that a variable of a type has.
    pub fn get(&mut self, variable: VarId, ty: &Type) -> Value {
        let low = self.read(variable);
        match ty {
            Type::Pointer(_) => Value::Pointer(low),
            _ if is_wide(ty) => {
                let high = self.read(high_word(variable));
                Value::Number(Number::pair(Pair { low, high }, integer_of(ty)))
            }
            _ => Value::Number(Number::word(low, integer_of(ty))),
        }
    }

    /// Takes a value now, so that what happens later does not change it.
    pub fn settle(&mut self, value: Value, span: Span) -> Lowered<Value> {
        Ok(match value {
            Value::Number(Number { value: Repr::Pair(pair), ty }) => {
                let (low, high) = (self.settled(pair.low, span), self.settled(pair.high, span));
                Value::Number(Number::pair(Pair { low, high }, ty))
            }
            Value::Number(number) if number.as_known().is_none() => {
                let word = number.to_word(self.exprs()).map_err(too_wide(span))?;
                Value::Number(Number::word(self.settled(word, span), number.ty))
            }
            Value::Pointer(word) => Value::Pointer(self.settled(word, span)),
            Value::Address(Target::Cells { table, offset, element, count, position }) => {
                let (offset, position) = (self.settled(offset, span), self.settled(position, span));
                Value::Address(Target::Cells { table, offset, element, count, position })
            }
            other => other,
        })
    }

    pub fn settled(&mut self, word: expr::ExprId, span: Span) -> expr::ExprId {
        if self.builder.exprs.as_int(word).is_some() {
            return word;
        }
        let variable = self.temporary(span);
        self.assign(variable, word, span);
        self.read(variable)
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
                let address = self.text_address();
                return Ok(Value::Pointer(self.exprs().int(address)));
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
                let before = self.read_place(&place);
                let before = if *is_after { self.settle(before, span)? } else { before };
                self.step(&place, *op, span)?;
                return Ok(if *is_after { before } else { self.read_place(&place) });
            }
            ExprKind::Cast(name, operand) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                let value = self.value(*operand)?;
                return self.cast(value, &ty, span);
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
                Binding::Variable(variable, ty) => Ok(self.read_place(&Lvalue::Variable(variable, ty))),
                Binding::Array(table, ty) => Ok(self.start_of(table, &ty)),
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

    pub fn cast(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<Value> {
        match (value, ty) {
            (_, Type::Void) => Ok(Value::Void),
            (Value::Number(number), Type::Integer(integer)) => {
                Ok(Value::Number(number.convert(*integer, self.exprs())))
            }
            (Value::Pointer(word), Type::Integer(integer)) => {
                Ok(Value::Number(Number::word(word, Integer::UINT).convert(*integer, self.exprs())))
            }
            (Value::Number(number), Type::Pointer(_)) => {
                let word = number.convert(Integer::UINT, self.exprs());
                word.to_word(self.exprs()).map(Value::Pointer).map_err(too_wide(span))
            }
            (Value::Address(target), Type::Pointer(to)) if !target.may_be_seen_as(to) => {
                unsupported(span, "looking at a variable as if it had another type")
            }
            (value @ (Value::Pointer(_) | Value::Address(_)), Type::Pointer(_)) => Ok(value),
            (Value::Address(_), _) => unsupported(span, "an address as a number"),
            (_, Type::Foreign(what)) => unsupported(span, what),
            _ => unsupported(span, "this conversion"),
        }
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
