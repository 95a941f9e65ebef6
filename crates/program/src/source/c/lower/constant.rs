//! Constant expressions: the numbers of cases and enumerators, the lengths of arrays, and what globals start with.
//!
//! They are computed as they stand, without adding anything to the automaton: nothing is executed there.

use redoubt_base::stack::grow;

use super::Lowerer;
use super::scope::Binding;
use crate::source::Diagnostic;
use crate::source::c::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::source::c::types::{Integer, Type};
use crate::source::c::words::{self, Number};
use crate::source::refused::{Lowered, refuse};

impl Lowerer<'_, '_> {
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
        Ok(match &self.text.expr(id).kind {
            ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) => {
                Some(self.number(id)?)
            }
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Enumerator(_) | Binding::Refused(_)) | None => Some(self.number(id)?),
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
                let is_and = matches!(self.text.expr(id).kind, ExprKind::And(..));
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
