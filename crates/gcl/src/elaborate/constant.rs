//! The values of constant expressions, as far as the number of cells and instances depends on them. Expressions that
//! this does not understand are no constants to it; the next stage, which knows all operators, refuses those that are
//! none.

use super::Elaborator;
use super::scope::{Local, Meaning};
use crate::ast::{Expr, ExprKind};

impl Elaborator<'_> {
    /// The number that an expression stands for here.
    pub fn number(&self, expr: &Expr) -> Option<i64> {
        self.evaluate(expr, &|name| match self.local(name) {
            Some(Local::Value(value)) => self.plain_number(value),
            Some(_) => None,
            None => match self.scopes.meaning(self.here, name)? {
                Meaning::Plain(flat) => self.constants.get(flat).copied(),
                _ => None,
            },
        })
    }

    /// The number that an expression of the plain model stands for.
    pub fn plain_number(&self, expr: &Expr) -> Option<i64> {
        self.evaluate(expr, &|name| self.constants.get(name).copied())
    }

    fn evaluate(&self, expr: &Expr, named: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        let number = |expr: &Expr| self.evaluate(expr, named);
        let value = match &expr.kind {
            ExprKind::Number(text) => match text.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16).ok()?,
                None => text.parse().ok()?,
            },
            ExprKind::Name(name) => named(name)?,
            ExprKind::Unary(operator, operand) => match operator.as_str() {
                "-" => -number(operand)?,
                "+" => number(operand)?,
                _ => return None,
            },
            ExprKind::Binary(left, operator, right) => {
                let (a, b) = (number(left)?, number(right)?);
                match operator.as_str() {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a.checked_mul(b)?,
                    "/" => a.checked_div(b)?,
                    "%" => a.checked_rem(b)?,
                    _ => return None,
                }
            }
            ExprKind::Call(name, arguments) => {
                let mut values = arguments.iter().map(number);
                match name.text.as_str() {
                    "min" => values.try_fold(i64::MAX, |least, value| Some(least.min(value?)))?,
                    "max" => values.try_fold(i64::MIN, |most, value| Some(most.max(value?)))?,
                    _ => return None,
                }
            }
            _ => return None,
        };
        // Beyond that, numbers wrap around: the next stage computes them.
        i32::try_from(value).ok().map(i64::from)
    }
}
