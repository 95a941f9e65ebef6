//! Functions: `min`, `max` and `abs` of numbers, `succ` and `pred` of the values of an enumeration, `count` and `sum`
//! over a range, and those that the model defines.
//!
//! The arguments of a function that the model defines are evaluated first. Where it looks back at one of its
//! parameters, it looks back at the argument: `define rising(x: bool) = x && !prev(x)`.

use super::ast::{Define, Expr, Ident, Parameter, Range};
use super::lower::{Lowered, Lowering, Refused};
use super::names::Entity;
use super::scope::{Moment, Scope};
use super::types::{Ty, Value};
use redoubt_base::suggest;
use redoubt_program::expr::{BinaryOp, UnaryOp};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

const FUNCTIONS: [&str; 5] = ["min", "max", "abs", "succ", "pred"];

/// The meaning of a parameter while its function is put in place of a call.
#[derive(Clone, Debug)]
pub struct Argument<'m> {
    value: Value,
    /// The moment that the value is about, and how many operators that look back stand around the call.
    at: (Moment, usize),
    /// The expression and where it stands, for other moments; none where a function is only looked at for mistakes.
    origin: Option<Origin<'m>>,
}

/// An argument, and where it stands.
type Origin<'m> = (&'m Expr, Scope<'m>);

impl<'m> Lowering<'m> {
    pub fn call_function(&mut self, name: &'m Ident, arguments: &'m [Expr], span: Span) -> Lowered<Value> {
        let text = name.text.as_str();
        if let Some(Entity::Define(define)) = self.names().get(text)
            && !define.parameters.is_empty()
        {
            return self.call_definition(define, arguments, span);
        }
        if matches!(self.names().get(text), Some(Entity::Broken)) {
            return Err(Refused);
        }
        if !FUNCTIONS.contains(&text) {
            return self.no_function(name);
        }
        let is_of_one = matches!(text, "abs" | "succ" | "pred");
        let wanted = if is_of_one { 1..=1 } else { 2..=usize::MAX };
        if !wanted.contains(&arguments.len()) {
            let wanted = if is_of_one { "1 value" } else { "2 values or more" };
            let message = format!("`{text}` takes {wanted}, not {}", arguments.len());
            return self.refuse(Diagnostic::new(span, message, format!("expected {wanted}")));
        }
        if let ("succ" | "pred", [argument]) = (text, arguments) {
            return self.neighbour(argument, text == "succ");
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
                let help = nearest.map_or("there are `min`, `max`, `abs`, `succ` and `pred`".into(), |nearest| {
                    format!("did you mean `{nearest}`?")
                });
                Diagnostic::new(name.span, format!("`{text}` is not a function"), "unknown function").help(help)
            }
        };
        self.refuse(diagnostic)
    }

    /// The next or the last value of an enumeration; after the last comes the first.
    fn neighbour(&mut self, argument: &'m Expr, is_next: bool) -> Lowered<Value> {
        let value = self.value(argument)?;
        let Ty::Enum(index) = value.ty else {
            let message = format!("this is {}, not a value of an enumeration", self.names().describe_kind(value.ty));
            return self.refuse(Diagnostic::new(argument.span, message, "expected a value of an enumeration"));
        };
        let last = self.make.legend.enumerations[index].len() as i32 - 1;
        let (end, beyond, by) = if is_next { (last, 0, 1) } else { (0, last, -1) };
        let exprs = self.make.exprs();
        let (end, beyond, by) = (exprs.int(end), exprs.int(beyond), exprs.int(by));
        let is_end = exprs.eq(value.expr, end);
        let other = exprs.binary(BinaryOp::Add, value.expr, by);
        Ok(Value { expr: exprs.ite(is_end, beyond, other), ty: value.ty })
    }

    /// Puts a definition with parameters in place of a call.
    fn call_definition(&mut self, define: &'m Define, arguments: &'m [Expr], span: Span) -> Lowered<Value> {
        let (name, wanted) = (define.name.text.as_str(), define.parameters.len());
        let values: Vec<Lowered<Value>> = arguments.iter().map(|argument| self.value(argument)).collect();
        if arguments.len() != wanted {
            let message = format!("`{name}` takes {wanted} arguments, not {}", arguments.len());
            return self.refuse(Diagnostic::new(span, message, format!("expected {wanted} arguments")));
        }
        let mut bound = vec![];
        for ((parameter, argument), value) in define.parameters.iter().zip(arguments).zip(values) {
            let (mut value, ty) = (value?, self.simple_type(&parameter.ty)?);
            self.expect_like(value.ty, ty, argument.span)?;
            self.check_range(&parameter.name.text, ty, value, argument.span);
            // An index outside has ended the run; in the past, only where it is used.
            if self.scope.moment != Moment::Before {
                value.ty = ty;
            }
            bound.push((parameter, value, Some((argument, self.scope.clone()))));
        }
        self.apply(define, bound, span)
    }

    /// Looks for mistakes in a definition with parameters.
    pub fn apply_alone(&mut self, define: &'m Define) {
        let mut bound = vec![];
        for (index, parameter) in define.parameters.iter().enumerate() {
            let name = &parameter.name;
            if let Some(first) = define.parameters[..index].iter().find(|other| other.name.text == name.text) {
                let _ = self.refuse::<()>(self.make.twice(&name.text, name.span, first.name.span));
            }
            let Ok(ty) = self.simple_type(&parameter.ty) else { return };
            let variable = self.make.temporary(ty, name.span);
            bound.push((parameter, Value { expr: self.make.exprs().var(variable, ty.machine()), ty }, None));
        }
        let _ = self.apply(define, bound, define.name.span);
    }

    fn apply(
        &mut self,
        define: &'m Define,
        arguments: Vec<(&'m Parameter, Value, Option<Origin<'m>>)>,
        span: Span,
    ) -> Lowered<Value> {
        let name = define.name.text.as_str();
        if self.scope.inlining.contains(&name) {
            let message = format!("`{name}` is defined by itself");
            self.definitions.circular.push(name);
            return self.refuse(Diagnostic::new(span, message, "this use closes the circle"));
        }
        if self.make.is_too_much(span) {
            return Err(Refused);
        }
        let at = (self.scope.moment, self.scope.depth);
        let mut bound = vec![];
        for (parameter, value, origin) in arguments {
            self.arguments.push(Argument { value, at, origin });
            bound.push((parameter.name.text.as_str(), Entity::Argument(self.arguments.len() - 1)));
        }
        let outer = std::mem::replace(&mut self.scope.bound, bound);
        self.scope.inlining.push(name);
        let result = self.value(&define.body);
        self.scope.inlining.pop();
        self.scope.bound = outer;
        let result = result?;
        self.check_size(name, result.expr, span)?;
        Ok(result)
    }

    /// The value of a parameter, at the moment that is being looked at.
    pub fn argument(&mut self, number: usize) -> Lowered<Value> {
        let Argument { value, at, origin } = &self.arguments[number];
        let Some((expr, origin)) = origin.clone().filter(|_| *at != (self.scope.moment, self.scope.depth)) else {
            return Ok(*value);
        };
        let here = Scope { moment: self.scope.moment, depth: self.scope.depth, ..origin };
        let outer = std::mem::replace(&mut self.scope, here);
        let result = self.value(expr);
        self.scope = outer;
        result
    }

    /// The meaning of a parameter, wherever it is used.
    pub fn argument_origin(&self, number: usize) -> Option<&Origin<'m>> {
        self.arguments[number].origin.as_ref()
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
    pub fn summed(&mut self, name: &'m Ident, range: &'m Range, body: &'m Expr, counts: bool) -> Lowered<Value> {
        let (index, low, high) = self.range(range)?;
        let mut result = self.make.constant_value(Ty::Int { low: 0, high: 0 }, 0);
        for number in low..=high {
            if self.make.is_too_much(name.span) {
                return Err(Refused);
            }
            self.scope.bound.push((&name.text, Entity::Constant(index, number)));
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
