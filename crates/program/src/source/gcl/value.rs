//! Expressions: names, cells and numbers, their types, and the checks that they need to be safe.
//!
//! An index outside its array, a value outside its range and a division by zero end the run, so a check stands before
//! the statement that needs the value.

use super::ast::{Expr, ExprKind, Ident};
use super::lower::{Lowered, Lowering};
use super::names::{ArrayKind, Entity};
use super::scope::Moment;
use super::types::{Ty, Value};
use crate::expr::{BinaryOp, ExprId, TableId};
use crate::program::{Arm, PropertyId, PropertyKind, StmtKind};
use crate::source::Diagnostic;
use crate::text::Span;
use redoubt_base::stack::grow;

impl<'m> Lowering<'m> {
    pub fn value(&mut self, expr: &'m Expr) -> Lowered<Value> {
        grow(|| self.any_value(expr))
    }

    fn any_value(&mut self, expr: &'m Expr) -> Lowered<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Truth(value) => Ok(self.make.truth_value(*value)),
            ExprKind::Number(text) => self.number(text, false, span),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Cell(name, index) => self.cell(name, index, span),
            ExprKind::Previous(inner) => self.previous(expr, inner),
            ExprKind::Unary(operator, operand) => self.unary(expr, operator, operand),
            ExprKind::Binary(left, operator, right) => match operator.as_str() {
                "&&" => self.short_circuit(left, true, right),
                "||" => self.short_circuit(left, false, right),
                "->" => self.implies(left, right),
                "since" => self.since(expr, left, right),
                _ => self.binary(left, operator, right, span),
            },
            ExprKind::Within(value, low, high) => self.within(value, low, high),
            ExprKind::If(condition, then, otherwise) => self.choice(condition, then, otherwise, span),
            ExprKind::Call(name, arguments) => self.call_function(name, arguments, span),
            ExprKind::Quantified { word, name, low, high, body } => match word.text.as_str() {
                "all" => self.quantified(true, name, low, high, body),
                "any" => self.quantified(false, name, low, high, body),
                "count" => self.summed(name, low, high, body, true),
                "sum" => self.summed(name, low, high, body, false),
                other => {
                    let message = format!("`{other}` says nothing about a range");
                    self.refuse(Diagnostic::new(word.span, message, "expected `all`, `any`, `count` or `sum`"))
                }
            },
        }
    }

    /// A truth value.
    pub fn condition(&mut self, expr: &'m Expr) -> Lowered<ExprId> {
        let value = self.value(expr)?;
        self.expect_like(value.ty, Ty::Bool, expr.span)?;
        Ok(value.expr)
    }

    /// An integer, with its bounds.
    pub fn integer(&mut self, expr: &'m Expr) -> Lowered<Value> {
        let value = self.value(expr)?;
        self.expect_like(value.ty, Ty::INT, expr.span)?;
        Ok(value)
    }

    pub fn expect_like(&mut self, found: Ty, wanted: Ty, span: Span) -> Lowered {
        if found.is_like(wanted) {
            return Ok(());
        }
        let message =
            format!("this is {}, not {}", self.names().describe_kind(found), self.names().describe_kind(wanted));
        let label = format!("expected {}", self.names().describe_kind(wanted));
        let diagnostic = Diagnostic::new(span, message, label);
        self.refuse(match (found, wanted) {
            (Ty::Int { .. }, Ty::Bool) => diagnostic.help("compare it with something, such as `!= 0`"),
            (Ty::Bool, Ty::Int { .. }) => diagnostic.help("write `if ... then 1 else 0` for a number"),
            _ => diagnostic,
        })
    }

    pub fn number(&mut self, text: &str, negative: bool, span: Span) -> Lowered<Value> {
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        let magnitude = i64::from_str_radix(digits, radix).map(|value| if negative { -value } else { value });
        match magnitude.map(i32::try_from) {
            Ok(Ok(value)) => Ok(self.make.constant_value(Ty::INT, value)),
            other => {
                let sign = if negative { "-" } else { "" };
                let label = match other.is_ok() || digits.chars().all(|digit| digit.is_digit(radix)) {
                    true => "expected a number from -2147483648 to 2147483647",
                    false => "expected a whole number",
                };
                self.refuse(Diagnostic::new(span, format!("`{sign}{text}` is not an `int`"), label))
            }
        }
    }

    fn name(&mut self, name: &'m str, span: Span) -> Lowered<Value> {
        let what = match self.lookup(name, span)? {
            Entity::Constant(ty, value) => return Ok(self.make.constant_value(ty, value)),
            Entity::Variable(variable, ty) => {
                return Ok(Value { expr: self.make.exprs().var(variable, ty.machine()), ty });
            }
            Entity::Parameter(variable, ty) => {
                if self.scope.moment != Moment::Now || self.scope.depth > 0 {
                    let message = format!("`{name}` is a parameter and has no past");
                    return self.refuse(Diagnostic::new(span, message, "not under an operator that looks back"));
                }
                return Ok(Value { expr: self.make.exprs().var(variable, ty.machine()), ty });
            }
            Entity::Input(input, ty) => {
                return Ok(match self.scope.moment {
                    Moment::Now => self.make.input_value(input, ty),
                    Moment::Before => self.last_input(input, ty, span),
                    Moment::Initial => self.make.constant_value(ty, ty.default()),
                });
            }
            Entity::Define(body) => return self.define(name, body, span),
            Entity::Array { .. } => "an array; say which cell: `name[index]`",
            Entity::Proc(_) => "a procedure and has no value",
            Entity::Enumeration(_) => "a type; say which of its values",
            Entity::Type(_) => "a type and has no value",
            Entity::Broken => unreachable!("lookup refuses it"),
        };
        self.refuse(Diagnostic::new(span, format!("`{name}` is {what}"), "expected a value"))
    }

    fn cell(&mut self, name: &'m Ident, index: &'m Expr, span: Span) -> Lowered<Value> {
        let at = self.integer(index);
        let Entity::Array { table, element, kind } = self.lookup(&name.text, name.span)? else {
            let message = format!("`{}` is not an array", name.text);
            return self.refuse(Diagnostic::new(name.span, message, "only arrays have cells"));
        };
        let at = at?;
        if kind == ArrayKind::Input && self.scope.moment == Moment::Initial {
            return Ok(self.make.constant_value(element, element.default()));
        }
        self.check_index(&name.text, table, at, span);
        let pointer = self.make.exprs().table(table);
        let cell = self.make.exprs().cell(pointer, at.expr);
        let is_constant = (kind == ArrayKind::Constant).then(|| self.make.program.exprs.as_int(at.expr)).flatten();
        if let Some(index) = is_constant {
            let value = self.make.program.table(table).cell(index);
            return Ok(self.make.constant_value(element, value));
        }
        // A bad index of the past is no error until its value is used; until then the cell counts as 0.
        let ty = match (element, self.scope.moment) {
            (Ty::Int { .. }, Moment::Before) => element.join(Ty::Int { low: 0, high: 0 }),
            _ => element,
        };
        Ok(Value { expr: self.make.cell_value(cell, element), ty })
    }

    /// `index(a)`: the run ends if an index is outside the array.
    pub fn check_index(&mut self, name: &str, table: TableId, at: Value, span: Span) {
        let cells = self.make.program.table(table).cells.len() as i32;
        self.check_bounds(at, 0, cells - 1, &format!("index({name})"), PropertyKind::IndexOutOfBounds, span);
    }

    /// `range(x)`: the run ends if a value is outside the variable's type.
    pub fn check_range(&mut self, name: &str, ty: Ty, value: Value, span: Span) {
        if let Ty::Int { low, high } = ty {
            self.check_bounds(value, low, high, &format!("range({name})"), PropertyKind::OutOfRange, span);
        }
    }

    fn check_bounds(&mut self, value: Value, low: i32, high: i32, name: &str, kind: PropertyKind, span: Span) {
        let Ty::Int { low: least, high: most } = value.ty else { return };
        if least >= low && most <= high {
            return;
        }
        let exprs = self.make.exprs();
        let (from, to) = (exprs.int(low), exprs.int(high));
        let (below, above) =
            (exprs.binary(BinaryOp::Less, value.expr, from), exprs.binary(BinaryOp::Less, to, value.expr));
        let (below, above) =
            (if least < low { below } else { exprs.bool(false) }, if most > high { above } else { exprs.bool(false) });
        let outside = exprs.or(below, above);
        let property = self.make.property(name, kind, span);
        self.fail_if(outside, property, span);
    }

    /// Ends the run if a condition holds; in an expression about the past, where it is used.
    pub fn fail_if(&mut self, condition: ExprId, property: PropertyId, span: Span) {
        if self.make.program.exprs.as_bool(condition) == Some(false) {
            return;
        }
        if self.scope.moment == Moment::Before {
            let failed = self.note_failure(property, span);
            let yes = self.make.exprs().bool(true);
            let body = self.make.body(vec![], StmtKind::Assign { variable: failed, value: yes }, span);
            self.make.push(StmtKind::Choice(vec![Arm { guard: condition, body, span }]), span);
            return;
        }
        self.make.do_if(condition, StmtKind::Error(property), span);
    }
}
