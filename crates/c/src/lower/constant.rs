//! Constant expressions: the numbers of cases and enumerators, the lengths of arrays, and what globals start with.
//!
//! They are computed as they stand, without adding anything to the automaton: nothing is executed there.

use redoubt_base::stack::grow;

use super::declare::Declarer;
use super::names::Binding;
use super::type_name::size_of;
use super::unsupported;
use super::value::Value;
use crate::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::types::{self, Integer, Type};
use crate::words::{self, Number};
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

impl Declarer<'_, '_, '_> {
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
            ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) => {
                Some(self.literal(id)?)
            }
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
                let operand = self.known_number(*operand)?;
                operand.map(|number| number.convert(integer, self.out.exprs()))
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
            ExprKind::Number(text) => match types::number(text) {
                Ok((value, ty)) => Ok(Number::known(value, ty)),
                Err(why) => refuse(Diagnostic::new(span, why, "expected an integer")),
            },
            ExprKind::Character(text) => match types::character(text) {
                Some(value) => Ok(Number::known(value, Integer::INT)),
                None => unsupported(span, "this character"),
            },
            ExprKind::SizeOfType(name) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                size_of(&ty, span)
            }
            ExprKind::SizeOf(operand) => {
                let ty = self.static_type(*operand)?;
                size_of(&ty, span)
            }
            _ => unsupported(span, "the size of this"),
        }
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
