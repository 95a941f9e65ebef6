//! Expressions: names, cells and numbers, their types, and the checks that they need to be safe.
//!
//! An index outside its array, a value outside its range and a division by zero end the run, so a check stands before
//! the statement that needs the value.

use super::ast::{Expr, ExprKind, Ident};
use super::lower::{Lowered, Lowering, Refused};
use super::names::{ArrayKind, Entity};
use super::scope::Moment;
use super::types::{Dims, Ty, Value};
use redoubt_base::stack::grow;
use redoubt_program::expr::{BinaryOp, ExprId};
use redoubt_program::program::{Arm, PropertyId, PropertyKind, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

impl<'m> Lowering<'m> {
    pub fn value(&mut self, expr: &'m Expr) -> Lowered<Value> {
        grow(|| self.any_value(expr))
    }

    fn any_value(&mut self, expr: &'m Expr) -> Lowered<Value> {
        let span = expr.span;
        if let Some(operator) = self.operator_ahead(expr) {
            return self.out_of_place(operator, span);
        }
        match &expr.kind {
            ExprKind::Truth(value) => Ok(self.make.truth_value(*value)),
            ExprKind::Number(text) => self.number(text, false, span),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Cell(name, indices) => self.cell(name, indices, span),
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
            ExprKind::Quantified { word, name, range, body } => match word.text.as_str() {
                "all" => self.quantified(true, name, range, body),
                "any" => self.quantified(false, name, range, body),
                "count" => self.summed(name, range, body, true),
                "sum" => self.summed(name, range, body, false),
                other => {
                    let message = format!("`{other}` says nothing about a range");
                    self.refuse(Diagnostic::new(word.span, message, "expected `all`, `any`, `count` or `sum`"))
                }
            },
            ExprKind::Select(name, index, values) => self.selected(name, index, values, span),
            ExprKind::List(_) => self.refuse(Diagnostic::new(span, "a list of cells", "expected a single value")),
            ExprKind::Broken => Err(Refused),
            ExprKind::At(_) | ExprKind::CallAt(..) => unreachable!("elaborated away"),
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
            Entity::Let(variable, ty) => {
                if self.scope.moment != Moment::Now || self.scope.depth > 0 {
                    let message = format!("`{name}` is a value of this step and has no past");
                    return self.refuse(Diagnostic::new(span, message, "not under an operator that looks back"));
                }
                return Ok(Value { expr: self.make.exprs().var(variable, ty.machine()), ty });
            }
            Entity::Argument(argument) => return self.argument(argument),
            Entity::Input(input, ty) => {
                return Ok(match self.scope.moment {
                    Moment::Now => self.make.input_value(input, ty),
                    Moment::Before => self.last_input(input, ty, span),
                    Moment::Initial => self.make.constant_value(ty, ty.default()),
                });
            }
            Entity::Define(define) if define.parameters.is_empty() => return self.define(name, &define.body, span),
            Entity::Define(_) => "a function; it needs its arguments: `name(...)`",
            Entity::Array { .. } => "an array; say which cell: `name[index]`",
            Entity::Proc(_) => "a procedure and has no value",
            Entity::Enumeration(_) => "a type; say which of its values",
            Entity::Type(_) => "a type and has no value",
            Entity::Broken => unreachable!("lookup refuses it"),
        };
        self.refuse(Diagnostic::new(span, format!("`{name}` is {what}"), "expected a value"))
    }

    fn cell(&mut self, name: &'m Ident, indices: &'m [Expr], span: Span) -> Lowered<Value> {
        let values: Vec<_> = indices.iter().map(|index| (self.value(index), index.span)).collect();
        let Entity::Array { table, element, dims, kind } = self.lookup(&name.text, name.span)? else {
            let message = format!("`{}` is not an array", name.text);
            return self.refuse(Diagnostic::new(name.span, message, "only arrays have cells"));
        };
        let at = self.cell_number(&name.text, &dims, values, span)?;
        if kind == ArrayKind::Input && self.scope.moment == Moment::Initial {
            return Ok(self.make.constant_value(element, element.default()));
        }
        let pointer = self.make.exprs().table(table);
        let cell = self.make.exprs().cell(pointer, at);
        let is_constant = (kind == ArrayKind::Constant).then(|| self.make.program.exprs.as_int(at)).flatten();
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

    /// The number of a cell among all, the last index counting fastest. `index(a)`: the run ends if one of them is
    /// outside the array.
    pub fn cell_number(
        &mut self,
        name: &str,
        dims: &Dims,
        indices: Vec<(Lowered<Value>, Span)>,
        span: Span,
    ) -> Lowered<ExprId> {
        if indices.len() != dims.len() {
            let wanted = if dims.len() == 1 { "1 index".into() } else { format!("{} indices", dims.len()) };
            let message = format!("`{name}` has {wanted}, not {}", indices.len());
            return self.refuse(Diagnostic::new(span, message, format!("expected {wanted}")));
        }
        let mut number = self.make.exprs().int(0);
        for (dim, (index, at)) in dims.iter().zip(indices) {
            let index = index?;
            self.expect_like(index.ty, dim.index, at)?;
            let property = format!("index({name})");
            self.check_bounds(index, 0, dim.size as i32 - 1, &property, PropertyKind::IndexOutOfBounds, span);
            let exprs = self.make.exprs();
            let size = exprs.int(dim.size as i32);
            let row = exprs.binary(BinaryOp::Mul, number, size);
            number = exprs.binary(BinaryOp::Add, row, index.expr);
        }
        Ok(number)
    }

    /// The expression with this number, of one for each instance in an array of them.
    fn selected(&mut self, name: &'m Ident, index: &'m Expr, values: &'m [Expr], span: Span) -> Lowered<Value> {
        let at = self.instance_number(name, index, values.len())?;
        if let Some(known) = self.make.program.exprs.as_int(at) {
            return usize::try_from(known)
                .ok()
                .and_then(|known| values.get(known))
                .map_or(Err(Refused), |value| self.value(value));
        }
        let lowered: Vec<_> = values.iter().map(|value| self.aside(|this| this.value(value))).collect();
        let mut options = vec![];
        for (block, value) in lowered {
            options.push((block, value?));
        }
        let Some(first) = options.first() else { return Err(Refused) };
        let ty = options.iter().fold(first.1.ty, |ty, (_, value)| ty.join(value.ty));
        let variable = self.make.temporary(ty, span);
        let mut arms = vec![];
        for (number, (block, value)) in options.into_iter().enumerate() {
            let body = self.make.body(block, StmtKind::Assign { variable, value: value.expr }, span);
            let number = self.make.exprs().int(number as i32);
            arms.push(Arm { guard: self.make.exprs().eq(at, number), body, span });
        }
        if let Some(last) = arms.last_mut() {
            last.guard = self.make.exprs().bool(true);
        }
        self.make.push(StmtKind::Choice(arms), span);
        Ok(Value { expr: self.make.exprs().var(variable, ty.machine()), ty })
    }

    /// The number of an instance; the run ends if there is none.
    pub fn instance_number(&mut self, name: &'m Ident, index: &'m Expr, size: usize) -> Lowered<ExprId> {
        let value = self.value(index)?;
        let property = format!("index({})", name.text);
        if value.ty == Ty::Bool {
            self.expect_like(value.ty, Ty::INT, index.span)?;
        }
        self.check_bounds(value, 0, size as i32 - 1, &property, PropertyKind::IndexOutOfBounds, index.span);
        Ok(value.expr)
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
