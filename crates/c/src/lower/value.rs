//! What expressions stand for: how that is kept, and taken for something of another type.

use super::emit::Emitter;
use super::names::Target;
use super::{high_word, integer_of, is_wide, too_wide, unsupported};
use crate::types::{Integer, Type};
use crate::wide::Pair;
use crate::words::{Number, Repr};
use redoubt_program::expr::{ExprId, VarId};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// What an expression stands for.
#[derive(Clone, Debug)]
pub enum Value {
    Number(Number),
    /// A word that is null, or points to what nobody knows.
    Pointer(ExprId),
    /// The address of something that is known.
    Address(Target),
    Void,
}

impl Emitter {
    pub fn truth_of(&mut self, value: Value, span: Span) -> Lowered<ExprId> {
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
    pub fn converted_word(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<ExprId> {
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
            _ if is_wide(integer_of(ty)) => {
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

    pub fn settled(&mut self, word: ExprId, span: Span) -> ExprId {
        if self.builder.exprs.as_int(word).is_some() {
            return word;
        }
        let variable = self.temporary(span);
        self.assign(variable, word, span);
        self.read(variable)
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

    pub fn settled_number(&mut self, number: Number, span: Span) -> Lowered<Number> {
        match self.settle(Value::Number(number), span)? {
            Value::Number(number) => Ok(number),
            _ => unreachable!("a number stays one"),
        }
    }
}
