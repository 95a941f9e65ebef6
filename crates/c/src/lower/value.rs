//! The values of expressions: how they are kept, and converted to other types.

use std::rc::Rc;

use super::emit::Emitter;
use super::memory::{Targets, takes_two};
use super::place::{Place, Sub};
use super::{high_word, too_wide, unsupported};
use crate::float;
use crate::types::{Integer, Type, Width};
use crate::wide::Pair;
use crate::words::{Number, Repr};
use redoubt_program::expr::{ExprId, VarId};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The value of an expression.
#[derive(Clone, Debug)]
pub enum Value {
    Number(Number),
    /// A number with a fraction.
    Real(Real),
    /// A word that is null, or an address.
    Pointer(Pointer),
    /// The address of something that is known.
    Address(Address),
    /// A structure that is kept somewhere.
    Record(Rc<Place>),
    /// A structure that is kept nowhere: its scalars.
    Parts(Type, Rc<Vec<Value>>),
    Void,
}

/// A `float` or a `double`, as its bits.
#[derive(Clone, Copy, Debug)]
pub struct Real {
    pub bits: Number,
    pub width: Width,
}

#[derive(Clone, Debug)]
pub struct Pointer {
    pub word: ExprId,
    pub to: Type,
    pub targets: Rc<Targets>,
}

#[derive(Clone, Debug)]
pub struct Address {
    pub sub: Sub,
    /// The type of what is there.
    pub ty: Type,
    /// The type that it is seen as.
    pub to: Type,
}

impl Real {
    pub fn known(bits: u64, width: Width) -> Real {
        Real { bits: Number::known(i128::from(bits), width.bits()), width }
    }
}

impl Emitter {
    pub fn null(&mut self, to: Type) -> Value {
        Value::Pointer(Pointer { word: self.exprs().int(0), to, targets: Rc::default() })
    }

    pub fn truth_of(&mut self, value: Value, span: Span) -> Lowered<ExprId> {
        match value {
            Value::Number(number) => Ok(number.to_truth(self.exprs())),
            Value::Real(real) => Ok(float::is_not_zero(real.bits, real.width, self.exprs())),
            Value::Pointer(pointer) => Ok(Number::word(pointer.word, Integer::UINT).to_truth(self.exprs())),
            Value::Address(_) => Ok(self.exprs().bool(true)),
            Value::Record(_) | Value::Parts(..) => unsupported(span, "a structure as a condition"),
            Value::Void => refuse(Diagnostic::new(span, "this has no value", "expected a condition")),
        }
    }

    /// The value that a scalar of a type has after this one is assigned to it.
    pub fn assigned(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<Value> {
        match (value, ty) {
            (Value::Void, _) => refuse(Diagnostic::new(span, "this has no value", "expected a value")),
            (Value::Number(number), Type::Integer(integer)) => {
                Ok(Value::Number(number.convert(*integer, self.exprs())))
            }
            (Value::Real(real), Type::Integer(integer)) => self.real_to_integer(real, *integer, span),
            (value @ (Value::Pointer(_) | Value::Address(_)), Type::Integer(Integer::BOOL)) => {
                let truth = self.truth_of(value, span)?;
                let number = Number::truth(truth, self.exprs());
                Ok(Value::Number(number.convert(Integer::BOOL, self.exprs())))
            }
            (value @ (Value::Pointer(_) | Value::Address(_)), Type::Integer(integer)) => {
                let word = self.word_of(&value, span)?;
                let number = Number::word(word, Integer::UINT).convert(self.model.size(), self.exprs());
                Ok(Value::Number(number.convert(*integer, self.exprs())))
            }
            (Value::Number(number), Type::Float(width)) => self.integer_to_real(number, *width, span).map(Value::Real),
            (Value::Real(real), Type::Float(width)) => self.resized(real, *width, span).map(Value::Real),
            (Value::Number(number), Type::Pointer(to)) => {
                let word = number.convert(Integer::UINT, self.exprs());
                let word = word.to_word(self.exprs()).map_err(too_wide(span))?;
                let targets = self.targets_of_word(word);
                Ok(Value::Pointer(Pointer { word, to: (**to).clone(), targets }))
            }
            (value @ (Value::Pointer(_) | Value::Address(_)), Type::Pointer(to)) => Ok(self.pointing_to(value, to)),
            (value @ (Value::Record(_) | Value::Parts(..)), Type::Record(_)) => Ok(value),
            (_, Type::Foreign(what)) => unsupported(span, what),
            (_, ty) => unsupported(span, &format!("a value of this type ({ty:?})")),
        }
    }

    /// The number that a variable of a type holds after the value is assigned to it; pointers are numbers here.
    pub fn converted(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<Number> {
        let value = self.assigned(value, ty, span)?;
        self.kept(value, span)
    }

    /// What a pointer may be, if it is this word.
    pub fn targets_of_word(&self, word: ExprId) -> Rc<Targets> {
        if self.builder.exprs.as_int(word) == Some(0) { Rc::default() } else { Targets::unknown() }
    }

    /// What a value that is kept as a pointer may point to.
    pub fn targets_of(&self, value: &Value) -> Rc<Targets> {
        match value {
            Value::Pointer(pointer) => Rc::clone(&pointer.targets),
            Value::Address(address) => Targets::one(self.target_of(address)),
            Value::Number(number) if number.as_known() == Some(0) => Rc::default(),
            _ => Targets::unknown(),
        }
    }

    /// The word that a pointer is.
    pub fn word_of(&mut self, value: &Value, span: Span) -> Lowered<ExprId> {
        match value {
            Value::Pointer(pointer) => Ok(pointer.word),
            Value::Address(address) => Ok(self.address_word(address)),
            Value::Number(number) => {
                let word = number.convert(Integer::UINT, self.exprs());
                word.to_word(self.exprs()).map_err(too_wide(span))
            }
            _ => unsupported(span, "this as a pointer"),
        }
    }

    /// Gives a variable a number of its type.
    pub fn put_number(&mut self, variable: VarId, number: Number, span: Span) -> Lowered {
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

    /// The number that a variable of an integer type has.
    pub fn get(&mut self, variable: VarId, ty: Integer) -> Number {
        let low = self.read(variable);
        if takes_two(&Type::Integer(ty)) {
            let high = self.read(high_word(variable));
            return Number::pair(Pair { low, high }, ty);
        }
        Number::word(low, ty)
    }

    /// Takes a value now, so that what happens later does not change it.
    pub fn settle(&mut self, value: Value, span: Span) -> Lowered<Value> {
        Ok(match value {
            Value::Number(number) => Value::Number(self.settled_number(number, span)?),
            Value::Real(Real { bits, width }) => Value::Real(Real { bits: self.settled_number(bits, span)?, width }),
            Value::Pointer(pointer) => Value::Pointer(Pointer { word: self.settled(pointer.word, span), ..pointer }),
            Value::Address(mut address) => {
                for index in &mut address.sub.indices {
                    index.value = self.settled(index.value, span);
                }
                Value::Address(address)
            }
            Value::Record(place) => Value::Parts(place.ty.clone(), Rc::new(self.snapshot(&place, span)?)),
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

    pub fn settled_number(&mut self, number: Number, span: Span) -> Lowered<Number> {
        Ok(match number {
            Number { value: Repr::Pair(pair), ty } => {
                let (low, high) = (self.settled(pair.low, span), self.settled(pair.high, span));
                Number::pair(Pair { low, high }, ty)
            }
            number if number.as_known().is_none() => {
                let word = number.to_word(self.exprs()).map_err(too_wide(span))?;
                Number::word(self.settled(word, span), number.ty)
            }
            known => known,
        })
    }

    pub fn cast(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<Value> {
        match ty {
            Type::Void => Ok(Value::Void),
            ty => self.assigned(value, ty, span),
        }
    }

    /// One value or another, of one type.
    pub fn choose_value(&mut self, condition: ExprId, a: Value, b: Value, span: Span) -> Lowered<Value> {
        match self.builder.exprs.as_bool(condition) {
            Some(true) => return Ok(a),
            Some(false) => return Ok(b),
            None => {}
        }
        match (a, b) {
            (Value::Void, Value::Void) => Ok(Value::Void),
            (Value::Number(a), Value::Number(b)) => {
                let ty = if a.ty == b.ty { a.ty } else { a.ty.common(b.ty) };
                self.choose_number(condition, a, b, ty, span).map(Value::Number)
            }
            (Value::Real(a), Value::Real(b)) => {
                let width = if a.width == b.width { a.width } else { Width::Double };
                let (a, b) = (self.resized(a, width, span)?, self.resized(b, width, span)?);
                let bits = self.choose_number(condition, a.bits, b.bits, width.bits(), span)?;
                Ok(Value::Real(Real { bits, width }))
            }
            (Value::Real(a), Value::Number(b)) => {
                let b = self.integer_to_real(b, a.width, span)?;
                self.choose_value(condition, Value::Real(a), Value::Real(b), span)
            }
            (Value::Number(a), Value::Real(b)) => {
                let a = self.integer_to_real(a, b.width, span)?;
                self.choose_value(condition, Value::Real(a), Value::Real(b), span)
            }
            (
                a @ (Value::Pointer(_) | Value::Address(_) | Value::Number(_)),
                b @ (Value::Pointer(_) | Value::Address(_) | Value::Number(_)),
            ) => {
                let targets = Targets::union(&self.targets_of(&a), &self.targets_of(&b));
                let to = match (&a, &b) {
                    (Value::Pointer(Pointer { to, .. }) | Value::Address(Address { to, .. }), Value::Number(_)) => to,
                    (_, Value::Pointer(Pointer { to, .. }) | Value::Address(Address { to, .. }))
                        if *to != Type::Void =>
                    {
                        to
                    }
                    (Value::Pointer(Pointer { to, .. }) | Value::Address(Address { to, .. }), _) => to,
                    _ => &Type::Void,
                }
                .clone();
                let (a, b) = (self.word_of(&a, span)?, self.word_of(&b, span)?);
                Ok(Value::Pointer(Pointer { word: self.exprs().ite(condition, a, b), to, targets }))
            }
            _ => unsupported(span, "a choice between such values"),
        }
    }

    fn choose_number(&mut self, condition: ExprId, a: Number, b: Number, ty: Integer, span: Span) -> Lowered<Number> {
        let exprs = self.exprs();
        let (a, b) = (a.convert(ty, exprs), b.convert(ty, exprs));
        if ty.bits > 32 {
            let (a, b) = (a.to_pair(exprs), b.to_pair(exprs));
            return Ok(Number::pair(Pair::choose(condition, a, b, exprs), ty));
        }
        let a = a.to_word(exprs).map_err(too_wide(span))?;
        let b = b.to_word(exprs).map_err(too_wide(span))?;
        Ok(Number::word(exprs.ite(condition, a, b), ty))
    }

    /// Ends the run where a dereference has no meaning.
    pub fn invalid(&mut self, is_wrong: ExprId, span: Span) {
        self.check(is_wrong, PropertyKind::InvalidDereference, span);
    }
}
