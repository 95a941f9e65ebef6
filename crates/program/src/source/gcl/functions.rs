//! Functions of numbers: `min`, `max` and `abs`, and `count` and `sum` over a range.

use super::ast::{Expr, Ident};
use super::lower::{Lowered, Lowering, Refused};
use super::names::Entity;
use super::types::{Ty, Value};
use crate::expr::{BinaryOp, UnaryOp};
use crate::source::Diagnostic;
use crate::text::Span;
use redoubt_base::suggest;

const FUNCTIONS: [&str; 3] = ["min", "max", "abs"];

impl<'m> Lowering<'m> {
    pub fn call_function(&mut self, name: &'m Ident, arguments: &'m [Expr], span: Span) -> Lowered<Value> {
        let text = name.text.as_str();
        if !FUNCTIONS.contains(&text) {
            return self.no_function(name);
        }
        let wanted = if text == "abs" { 1..=1 } else { 2..=usize::MAX };
        if !wanted.contains(&arguments.len()) {
            let wanted = if text == "abs" { "1 value" } else { "2 values or more" };
            let message = format!("`{text}` takes {wanted}, not {}", arguments.len());
            return self.refuse(Diagnostic::new(span, message, format!("expected {wanted}")));
        }
        // All of them first, so that the mistakes of all are reported.
        let values: Vec<Lowered<Value>> = arguments.iter().map(|argument| self.integer(argument)).collect();
        let values = values.into_iter().collect::<Lowered<Vec<Value>>>()?;
        let (first, others) = values.split_first().expect("the number of arguments was checked");
        Ok(match text {
            "abs" => self.absolute(*first),
            _ => others.iter().fold(*first, |a, b| self.extreme(a, *b, text == "min")),
        })
    }

    fn no_function<T>(&mut self, name: &Ident) -> Lowered<T> {
        let text = name.text.as_str();
        let diagnostic = match self.names().get(text) {
            Some(Entity::Proc(_)) => {
                let message = format!("`{text}` is a procedure and has no value");
                Diagnostic::new(name.span, message, "expected a function").help("call it in a statement of its own")
            }
            Some(Entity::Define(_)) => {
                let message = format!("`{text}` has no parameters");
                Diagnostic::new(name.span, message, "expected a function").help("write the name alone")
            }
            _ => {
                let nearest = suggest::nearest(text, FUNCTIONS.iter().copied());
                let help = nearest
                    .map_or("there are `min`, `max` and `abs`".into(), |nearest| format!("did you mean `{nearest}`?"));
                Diagnostic::new(name.span, format!("`{text}` is not a function"), "unknown function").help(help)
            }
        };
        self.refuse(diagnostic)
    }

    /// The smaller or the larger of two numbers.
    fn extreme(&mut self, a: Value, b: Value, is_least: bool) -> Value {
        let exprs = self.make.exprs();
        let a_is_less = exprs.binary(BinaryOp::LessEq, a.expr, b.expr);
        let (then, otherwise) = if is_least { (a.expr, b.expr) } else { (b.expr, a.expr) };
        let expr = exprs.ite(a_is_less, then, otherwise);
        let ty = match (a.ty, b.ty) {
            (Ty::Int { low: al, high: ah }, Ty::Int { low: bl, high: bh }) if is_least => {
                Ty::Int { low: al.min(bl), high: ah.min(bh) }
            }
            (Ty::Int { low: al, high: ah }, Ty::Int { low: bl, high: bh }) => {
                Ty::Int { low: al.max(bl), high: ah.max(bh) }
            }
            _ => Ty::INT,
        };
        Value { expr, ty }
    }

    /// The number without its sign; the least of all numbers has none without, and stays as it is.
    fn absolute(&mut self, value: Value) -> Value {
        let Ty::Int { low, high } = value.ty else { unreachable!("it is a number") };
        if low >= 0 {
            return value;
        }
        let exprs = self.make.exprs();
        let zero = exprs.int(0);
        let is_negative = exprs.binary(BinaryOp::Less, value.expr, zero);
        let negated = exprs.unary(UnaryOp::Negate, value.expr);
        let expr = exprs.ite(is_negative, negated, value.expr);
        let (low, high) = (i64::from(low), i64::from(high));
        Value { expr, ty: Ty::between(if high < 0 { -high } else { 0 }, high.max(-low)) }
    }

    /// The sum of a number over a range; or for how many numbers of the range a condition holds.
    pub fn summed(
        &mut self,
        name: &'m Ident,
        low: &'m Expr,
        high: &'m Expr,
        body: &'m Expr,
        counts: bool,
    ) -> Lowered<Value> {
        let bounds = (self.constant_number(low), self.constant_number(high));
        let (low, high) = (bounds.0?, bounds.1?);
        let mut result = self.make.constant_value(Ty::Int { low: 0, high: 0 }, 0);
        for number in low..=high {
            if self.make.is_too_much(name.span) {
                return Err(Refused);
            }
            self.scope.bound.push((&name.text, Entity::Constant(Ty::INT, number)));
            let value = if counts { self.one_if(body) } else { self.integer(body) };
            self.scope.bound.pop();
            let value = value?;
            let (Ty::Int { low: al, high: ah }, Ty::Int { low: bl, high: bh }) = (result.ty, value.ty) else {
                unreachable!("both are numbers")
            };
            let ty = Ty::between(i64::from(al) + i64::from(bl), i64::from(ah) + i64::from(bh));
            result = Value { expr: self.make.exprs().binary(BinaryOp::Add, result.expr, value.expr), ty };
        }
        if self.make.is_exceeded() { Err(Refused) } else { Ok(result) }
    }

    /// 1 where a condition holds, else 0.
    fn one_if(&mut self, condition: &'m Expr) -> Lowered<Value> {
        let condition = self.condition(condition)?;
        let exprs = self.make.exprs();
        let (one, zero) = (exprs.int(1), exprs.int(0));
        Ok(Value { expr: exprs.ite(condition, one, zero), ty: Ty::Int { low: 0, high: 1 } })
    }
}
