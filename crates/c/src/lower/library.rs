//! Functions of the C library that are computed here.

use super::heap::Content;
use super::value::{Real, Value};
use super::{Lowerer, unsupported};
use crate::ast::{BinaryOperator, ExprId};
use crate::float::{self, Rounding};
use crate::types::{Integer, Type, Width};
use crate::words::Number;
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

impl<'s> Lowerer<'_, 's> {
    /// What a function of the library returns, if it is known.
    pub fn library(
        &mut self,
        callee: ExprId,
        name: &'s str,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowered<Option<Value>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let (base, width) = match plain.strip_suffix('f') {
            Some(base) if REAL.contains(&base) => (base, Width::Single),
            _ => (plain, Width::Double),
        };
        Ok(Some(match (base, arguments) {
            ("malloc" | "kmalloc" | "alloca", [size, ..]) => {
                self.allocate(callee, &[*size], Content::Undefined, span)?
            }
            ("calloc", [_, _]) => self.allocate(callee, arguments, Content::Zero, span)?,
            ("free" | "kfree", [pointer]) => self.free(*pointer, span)?,
            ("memcpy" | "memmove", [_, _, _]) => return self.copy_whole(arguments, span),
            ("memset", [_, _, _]) => return self.clear_whole(arguments, span),
            ("expect", [value, _]) => self.value(*value)?,
            ("abs" | "labs" | "llabs", [value]) => {
                let number = self.number(*value)?;
                let number = self.out.settled_number(number, span)?;
                let zero = Value::Number(Number::known(0, Integer::INT));
                let is_negative = self.out.operate(BinaryOperator::Less, Value::Number(number), zero, span)?;
                let is_negative = self.out.truth_of(is_negative, span)?;
                let negated = number.negate(self.out.exprs()).map_err(super::too_wide(span))?;
                self.out.choose_value(is_negative, Value::Number(negated), Value::Number(number), span)?
            }
            ("fabs", [value]) => {
                let real = self.real_argument(*value, width, span)?;
                Value::Real(self.out.absolute(real))
            }
            ("copysign", [a, b]) => {
                let (a, b) = (self.real_argument(*a, width, span)?, self.real_argument(*b, width, span)?);
                Value::Real(self.out.with_sign_of(a, b, span)?)
            }
            ("sqrt", [value]) => {
                let real = self.real_argument(*value, width, span)?;
                Value::Real(self.out.square_root(real, span)?)
            }
            ("floor" | "ceil" | "trunc" | "round" | "rint" | "nearbyint", [value]) => {
                let real = self.real_argument(*value, width, span)?;
                let rounding = match base {
                    "floor" => Rounding::Down,
                    "ceil" => Rounding::Up,
                    "trunc" => Rounding::Zero,
                    "round" => Rounding::Away,
                    _ => Rounding::Even,
                };
                Value::Real(self.out.rounded(real, rounding, span)?)
            }
            ("fmin" | "fmax", [a, b]) => {
                let (a, b) = (self.real_argument(*a, width, span)?, self.real_argument(*b, width, span)?);
                Value::Real(self.out.extreme(a, b, base == "fmax", span)?)
            }
            (
                "isnan" | "__isnan" | "isinf" | "__isinf" | "isfinite" | "finite" | "__finite" | "isnormal" | "signbit"
                | "__signbit" | "fpclassify" | "__fpclassify" | "isinf_sign",
                [value],
            ) => {
                let Value::Real(real) = self.value(*value)? else { return Ok(None) };
                let real = match real.width {
                    Width::Single if plain != base => real,
                    _ => real,
                };
                self.out.classified(base.trim_start_matches('_'), real, span)?
            }
            ("isgreater" | "isgreaterequal" | "isless" | "islessequal" | "isunordered" | "islessgreater", [a, b]) => {
                let (a, b) = (self.value(*a)?, self.value(*b)?);
                let op = match base {
                    "isgreater" => BinaryOperator::Greater,
                    "isgreaterequal" => BinaryOperator::GreaterEqual,
                    "isless" => BinaryOperator::Less,
                    "islessequal" => BinaryOperator::LessEqual,
                    _ => return Ok(None),
                };
                self.out.operate(op, a, b, span)?
            }
            ("inf" | "huge_val", []) => Value::Real(infinity(width)),
            ("nan", [_]) => Value::Real(not_a_number(width)),
            ("unreachable", []) => {
                self.out.finish(redoubt_program::flow::End::Halt(span));
                Value::Void
            }
            _ => return Ok(None),
        }))
    }

    fn real_argument(&mut self, id: ExprId, width: Width, span: Span) -> Lowered<Real> {
        let value = self.value(id)?;
        match self.out.assigned(value, &Type::Float(width), span)? {
            Value::Real(real) => Ok(real),
            _ => unsupported(span, "this argument"),
        }
    }
}

/// Functions that have an `f` behind their name for `float`.
const REAL: [&str; 21] = [
    "inf",
    "huge_val",
    "nan",
    "fabs",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "round",
    "rint",
    "nearbyint",
    "fmin",
    "fmax",
    "copysign",
    "isnan",
    "__isnan",
    "__isinf",
    "isinf",
    "__finite",
    "__signbit",
    "__fpclassify",
];

fn infinity(width: Width) -> Real {
    Real::known(float::Format::of(width).infinity(), width)
}

fn not_a_number(width: Width) -> Real {
    Real::known(float::Format::of(width).not_a_number(), width)
}
