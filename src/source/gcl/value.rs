//! Expressions: their types, and the statements that they need to be safe.
//!
//! An index outside its array and a division by zero end the run, so a check stands before the statement
//! that needs the value. Where an operator evaluates its second operand only sometimes (`&&`, `||`, `->`, `if`),
//! the checks of that operand run only then.

use super::ast::{Expr, ExprKind, Ident};
use super::lower::{ArrayKind, Entity, Lowered, Lowering, Moment};
use super::types::{Ty, Value};
use crate::expr::{BinaryOp, ExprId, Type, UnaryOp};
use crate::program::{Arm, PropertyId, PropertyKind, StmtKind};
use crate::source::{Diagnostic, Span};

impl<'m> Lowering<'m> {
    pub fn value(&mut self, expr: &'m Expr) -> Lowered<Value> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.any_value(expr))
    }

    fn any_value(&mut self, expr: &'m Expr) -> Lowered<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Truth(value) => Ok(self.truth_value(*value)),
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
            ExprKind::Quantified { all, name, low, high, body } => self.quantified(*all, name, low, high, body),
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

    pub fn truth_value(&mut self, value: bool) -> Value {
        Value { expr: self.program.exprs.bool(value), ty: Ty::Bool }
    }

    pub fn constant_value(&mut self, ty: Ty, value: i32) -> Value {
        let ty = if let Ty::Int { .. } = ty { Ty::Int { low: value, high: value } } else { ty };
        Value { expr: self.program.exprs.constant_of(ty.machine(), value), ty }
    }

    pub fn describe(&self, ty: Ty) -> String {
        match ty {
            Ty::Bool => "`bool`".into(),
            Ty::INT => "`int`".into(),
            Ty::Int { low, high } => format!("a number from {low} to {high}"),
            Ty::Enum(index) => {
                let is_this = |entity: &Entity<'_>| matches!(entity, Entity::Enumeration(other) if *other == index);
                let name = self.names.iter().find(|(_, (entity, _))| is_this(entity)).map(|(name, _)| *name);
                format!("`{}`", name.unwrap_or("an enumeration"))
            }
        }
    }

    /// What kind of value it is, whatever its bounds.
    pub fn describe_kind(&self, ty: Ty) -> String {
        match ty {
            Ty::Int { .. } => self.describe(Ty::INT),
            other => self.describe(other),
        }
    }

    pub fn expect_like(&mut self, found: Ty, wanted: Ty, span: Span) -> Lowered {
        if found.is_like(wanted) {
            return Ok(());
        }
        let message = format!("this is {}, not {}", self.describe_kind(found), self.describe_kind(wanted));
        let label = format!("expected {}", self.describe_kind(wanted));
        let diagnostic = Diagnostic::new(span, message, label);
        self.refuse(match (found, wanted) {
            (Ty::Int { .. }, Ty::Bool) => diagnostic.help("compare it with something, such as `!= 0`"),
            (Ty::Bool, Ty::Int { .. }) => diagnostic.help("write `if ... then 1 else 0` for a number"),
            _ => diagnostic,
        })
    }

    fn number(&mut self, text: &str, negative: bool, span: Span) -> Lowered<Value> {
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        let magnitude = i64::from_str_radix(digits, radix).map(|value| if negative { -value } else { value });
        match magnitude.map(i32::try_from) {
            Ok(Ok(value)) => Ok(self.constant_value(Ty::INT, value)),
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
            Entity::Constant(ty, value) => return Ok(self.constant_value(ty, value)),
            Entity::Variable(variable, ty) => {
                return Ok(Value { expr: self.program.exprs.var(variable, ty.machine()), ty });
            }
            Entity::Parameter(variable, ty) => {
                if self.moment != Moment::Now || self.past.depth > 0 {
                    let message = format!("`{name}` is a parameter and has no past");
                    return self.refuse(Diagnostic::new(span, message, "not under an operator that looks back"));
                }
                return Ok(Value { expr: self.program.exprs.var(variable, ty.machine()), ty });
            }
            Entity::Input(input, ty) => {
                return Ok(match self.moment {
                    Moment::Now => self.input_value(input, ty),
                    Moment::Before => self.last_input(input, ty, span),
                    Moment::Initial => self.constant_value(ty, ty.default()),
                });
            }
            Entity::Define(body) => return self.define(name, body, span),
            Entity::Array { .. } => "an array; say which cell: `name[index]`",
            Entity::Proc(_) => "a procedure and has no value",
            Entity::Enumeration(_) => "a type; say which of its values",
            Entity::Broken => unreachable!("lookup refuses it"),
        };
        self.refuse(Diagnostic::new(span, format!("`{name}` is {what}"), "expected a value"))
    }

    /// A definition stands for its expression, in which only the model's own names count.
    fn define(&mut self, name: &'m str, body: &'m Expr, span: Span) -> Lowered<Value> {
        if self.inlining.contains(&name) {
            let message = format!("`{name}` is defined by itself");
            self.circular.push(name);
            return self.refuse(Diagnostic::new(span, message, "this use closes the circle"));
        }
        let key = (name.to_string(), self.moment);
        if let Some(&known) = self.past.defined.get(&key) {
            return Ok(known);
        }
        let scopes = std::mem::take(&mut self.scopes);
        self.inlining.push(name);
        let before = self.block.len();
        let result = self.value(body);
        self.inlining.pop();
        self.scopes = scopes;
        if let Ok(value) = result
            && self.block.len() == before
        {
            self.past.defined.insert(key, value);
        }
        result
    }

    fn cell(&mut self, name: &'m Ident, index: &'m Expr, span: Span) -> Lowered<Value> {
        let at = self.integer(index);
        let Entity::Array { table, element, kind } = self.lookup(&name.text, name.span)? else {
            let message = format!("`{}` is not an array", name.text);
            return self.refuse(Diagnostic::new(name.span, message, "only arrays have cells"));
        };
        let at = at?;
        if kind == ArrayKind::Input && self.moment == Moment::Initial {
            return Ok(self.constant_value(element, element.default()));
        }
        self.check_index(&name.text, table, at, span);
        let pointer = self.program.exprs.table(table);
        let cell = self.program.exprs.cell(pointer, at.expr);
        let is_constant = (kind == ArrayKind::Constant).then(|| self.program.exprs.as_int(at.expr)).flatten();
        if let Some(index) = is_constant {
            let value = self.program.table(table).cell(index);
            return Ok(self.constant_value(element, value));
        }
        Ok(Value { expr: self.from_cell(cell, element), ty: element })
    }

    /// `index(a)`: the run ends if an index is outside the array.
    pub fn check_index(&mut self, name: &str, table: crate::expr::TableId, at: Value, span: Span) {
        let cells = self.program.table(table).cells.len() as i32;
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
        let exprs = &mut self.program.exprs;
        let (from, to) = (exprs.int(low), exprs.int(high));
        let (below, above) =
            (exprs.binary(BinaryOp::Less, value.expr, from), exprs.binary(BinaryOp::Less, to, value.expr));
        let (below, above) =
            (if least < low { below } else { exprs.bool(false) }, if most > high { above } else { exprs.bool(false) });
        let outside = exprs.or(below, above);
        let property = self.property(name, kind, span);
        self.fail_if(outside, property, span);
    }

    /// Ends the run if a condition holds; in an expression about the past, where it is used.
    fn fail_if(&mut self, condition: ExprId, property: PropertyId, span: Span) {
        if self.program.exprs.as_bool(condition) == Some(false) {
            return;
        }
        if self.moment == Moment::Before {
            let failed = self.note_failure(property, span);
            let yes = self.program.exprs.bool(true);
            let body = self.collect(|this| this.push(StmtKind::Assign { variable: failed, value: yes }, span));
            self.push(StmtKind::Choice(vec![Arm { guard: condition, body, span }]), span);
            return;
        }
        self.do_if(condition, StmtKind::Error(property), span);
    }

    /// A statement under a condition.
    pub fn do_if(&mut self, condition: ExprId, kind: StmtKind, span: Span) {
        match self.program.exprs.as_bool(condition) {
            Some(false) => {}
            Some(true) => self.push(kind, span),
            None => {
                let body = self.collect(|this| this.push(kind, span));
                self.push(StmtKind::Choice(vec![Arm { guard: condition, body, span }]), span);
            }
        }
    }

    fn unary(&mut self, expr: &'m Expr, operator: &str, operand: &'m Expr) -> Lowered<Value> {
        match (operator, &operand.kind) {
            ("!", _) => {
                let value = self.condition(operand)?;
                Ok(Value { expr: self.program.exprs.not(value), ty: Ty::Bool })
            }
            ("once", _) => self.once(expr, operand, true),
            ("historically", _) => self.once(expr, operand, false),
            ("-", ExprKind::Number(text)) => self.number(text, true, expr.span),
            ("-", _) => {
                let value = self.integer(operand)?;
                let ty = match value.ty {
                    Ty::Int { low, high } => Ty::between(-i64::from(high), -i64::from(low)),
                    other => other,
                };
                Ok(Value { expr: self.program.exprs.unary(UnaryOp::Negate, value.expr), ty })
            }
            ("~", _) => {
                let value = self.integer(operand)?;
                Ok(Value { expr: self.program.exprs.unary(UnaryOp::BitNot, value.expr), ty: Ty::INT })
            }
            _ => self.integer(operand),
        }
    }

    fn binary(&mut self, left: &'m Expr, operator: &str, right: &'m Expr, span: Span) -> Lowered<Value> {
        if matches!(operator, "==" | "!=" | "<->") {
            return self.equality(left, operator, right);
        }
        let operands = (self.integer(left), self.integer(right));
        let (a, b) = (operands.0?, operands.1?);
        let (Ty::Int { low: al, high: ah }, Ty::Int { low: bl, high: bh }) = (a.ty, b.ty) else {
            unreachable!("both are integers");
        };
        let (al, ah, bl, bh) = (i64::from(al), i64::from(ah), i64::from(bl), i64::from(bh));
        let (op, ty) = match operator {
            "<" | "<=" | ">" | ">=" => {
                let op = if operator.len() == 1 { BinaryOp::Less } else { BinaryOp::LessEq };
                let (a, b) = if operator.starts_with('<') { (a, b) } else { (b, a) };
                return Ok(Value { expr: self.program.exprs.binary(op, a.expr, b.expr), ty: Ty::Bool });
            }
            "+" => (BinaryOp::Add, Ty::between(al + bl, ah + bh)),
            "-" => (BinaryOp::Sub, Ty::between(al - bh, ah - bl)),
            "*" => {
                let products = [al * bl, al * bh, ah * bl, ah * bh];
                let (low, high) = products.iter().fold((i64::MAX, i64::MIN), |(l, h), &p| (l.min(p), h.max(p)));
                (BinaryOp::Mul, Ty::between(low, high))
            }
            "/" | "%" => {
                let zero = self.program.exprs.int(0);
                let is_zero = self.program.exprs.eq(b.expr, zero);
                if bl <= 0 && bh >= 0 {
                    let property = self.property("division_by_zero", PropertyKind::DivisionByZero, span);
                    self.fail_if(is_zero, property, span);
                }
                match operator {
                    "/" if bl > 0 => (BinaryOp::Div, Ty::between(al.min(0), ah.max(0))),
                    "/" => (BinaryOp::Div, Ty::INT),
                    _ if bl > 0 => (BinaryOp::Rem, Ty::between(al.min(0).max(1 - bh), ah.max(0).min(bh - 1))),
                    _ => (BinaryOp::Rem, Ty::INT),
                }
            }
            "<<" => (BinaryOp::ShiftLeft, Ty::INT),
            ">>" => (BinaryOp::ShiftRight, Ty::INT),
            "&" if al >= 0 && bl >= 0 => (BinaryOp::BitAnd, Ty::between(0, ah.min(bh))),
            "&" => (BinaryOp::BitAnd, Ty::INT),
            "|" => (BinaryOp::BitOr, Ty::INT),
            "^" => (BinaryOp::BitXor, Ty::INT),
            other => unreachable!("the grammar has no operator `{other}`"),
        };
        let expr = self.program.exprs.binary(op, a.expr, b.expr);
        // A constant is its own bound.
        match self.program.exprs.as_int(expr) {
            Some(value) => Ok(self.constant_value(Ty::INT, value)),
            None => Ok(Value { expr, ty }),
        }
    }

    fn equality(&mut self, left: &'m Expr, operator: &str, right: &'m Expr) -> Lowered<Value> {
        let operands = (self.value(left), self.value(right));
        let (a, b) = (operands.0?, operands.1?);
        if operator == "<->" {
            self.expect_like(a.ty, Ty::Bool, left.span)?;
        }
        self.expect_like(b.ty, a.ty, right.span)?;
        let equal = self.program.exprs.eq(a.expr, b.expr);
        let expr = if operator == "!=" { self.program.exprs.not(equal) } else { equal };
        Ok(Value { expr, ty: Ty::Bool })
    }

    fn short_circuit(&mut self, left: &'m Expr, is_and: bool, right: &'m Expr) -> Lowered<Value> {
        let first = self.condition(left);
        let (statements, second) = self.aside(|this| this.condition(right));
        let (first, second) = (first?, second?);
        Ok(self.connect(first, is_and, statements, second, right.span))
    }

    fn implies(&mut self, left: &'m Expr, right: &'m Expr) -> Lowered<Value> {
        let first = self.condition(left);
        let (statements, second) = self.aside(|this| this.condition(right));
        let (first, second) = (first?, second?);
        let fails = self.program.exprs.not(first);
        Ok(self.connect(fails, false, statements, second, right.span))
    }

    /// `a && b` or `a || b`, where `b` needs some statements first.
    fn connect(
        &mut self,
        a: ExprId,
        is_and: bool,
        statements: Vec<crate::program::StmtId>,
        b: ExprId,
        span: Span,
    ) -> Value {
        let ty = Ty::Bool;
        if self.program.exprs.as_bool(a) == Some(!is_and) {
            return Value { expr: a, ty };
        }
        if statements.is_empty() || self.program.exprs.as_bool(a) == Some(is_and) {
            self.block.extend(statements);
            let operator = if is_and { BinaryOp::And } else { BinaryOp::Or };
            return Value { expr: self.program.exprs.binary(operator, a, b), ty };
        }
        let variable = self.temporary(Ty::Bool, span);
        self.push(StmtKind::Assign { variable, value: a }, span);
        let current = self.program.exprs.var(variable, Type::Bool);
        let guard = if is_and { current } else { self.program.exprs.not(current) };
        let body = self.collect(|this| {
            this.block = statements;
            this.push(StmtKind::Assign { variable, value: b }, span);
        });
        self.push(StmtKind::Choice(vec![Arm { guard, body, span }]), span);
        Value { expr: current, ty }
    }

    fn within(&mut self, value: &'m Expr, low: &'m Expr, high: &'m Expr) -> Lowered<Value> {
        let parts = (self.integer(value), self.integer(low), self.integer(high));
        let (value, low, high) = (parts.0?.expr, parts.1?.expr, parts.2?.expr);
        let exprs = &mut self.program.exprs;
        let above = exprs.binary(BinaryOp::LessEq, low, value);
        let below = exprs.binary(BinaryOp::LessEq, value, high);
        Ok(Value { expr: exprs.and(above, below), ty: Ty::Bool })
    }

    fn choice(&mut self, condition: &'m Expr, then: &'m Expr, otherwise: &'m Expr, span: Span) -> Lowered<Value> {
        let guard = self.condition(condition);
        let (then_block, a) = self.aside(|this| this.value(then));
        let (else_block, b) = self.aside(|this| this.value(otherwise));
        let (guard, a, b) = (guard?, a?, b?);
        self.expect_like(b.ty, a.ty, otherwise.span)?;
        let ty = a.ty.join(b.ty);
        if let Some(known) = self.program.exprs.as_bool(guard) {
            self.block.extend(if known { then_block } else { else_block });
            return Ok(if known { a } else { b });
        }
        if then_block.is_empty() && else_block.is_empty() {
            return Ok(Value { expr: self.program.exprs.ite(guard, a.expr, b.expr), ty });
        }
        let variable = self.temporary(ty, span);
        let always = self.program.exprs.bool(true);
        let arms = [(guard, then_block, a), (always, else_block, b)].map(|(guard, block, value)| {
            let body = self.collect(|this| {
                this.block = block;
                this.push(StmtKind::Assign { variable, value: value.expr }, span);
            });
            Arm { guard, body, span }
        });
        self.push(StmtKind::Choice(arms.into()), span);
        Ok(Value { expr: self.program.exprs.var(variable, ty.machine()), ty })
    }

    fn quantified(
        &mut self,
        all: bool,
        name: &'m Ident,
        low: &'m Expr,
        high: &'m Expr,
        body: &'m Expr,
    ) -> Lowered<Value> {
        let bounds = (self.constant_number(low), self.constant_number(high));
        let (low, high) = (bounds.0?, bounds.1?);
        let mut result = self.truth_value(all);
        let mut failed = false;
        for number in low..=high {
            if failed || self.is_too_much(name.span) {
                break;
            }
            self.scopes.push((&name.text, Entity::Constant(Ty::INT, number)));
            let (statements, value) = self.aside(|this| this.condition(body));
            self.scopes.pop();
            match value {
                Ok(value) => result = self.connect(result.expr, all, statements, value, body.span),
                Err(_) => failed = true,
            }
        }
        if failed || self.budget_exceeded { Err(super::lower::Refused) } else { Ok(result) }
    }

    /// A cell holds a number.
    pub fn to_cell(&mut self, value: Value) -> ExprId {
        match value.ty {
            Ty::Bool => self.program.exprs.unary(UnaryOp::ToInt, value.expr),
            _ => value.expr,
        }
    }
}
