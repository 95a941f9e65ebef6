//! Operators: their types, the bounds of their results, and operands that are evaluated only sometimes.
//!
//! Where an operator looks at its second operand only if it matters (`&&`, `||`, `->`, `if`), the checks that this operand
//! needs run only then.

use super::ast::{Expr, ExprKind, Ident, Range};
use super::lower::{Lowered, Lowering, Refused};
use super::make::Maker;
use super::names::Entity;
use super::types::{Ty, Value};
use redoubt_program::expr::{BinaryOp, ExprId, Type, UnaryOp};
use redoubt_program::program::{Arm, PropertyKind, StmtId, StmtKind};
use redoubt_program::text::Span;

impl<'m> Lowering<'m> {
    pub fn unary(&mut self, expr: &'m Expr, operator: &str, operand: &'m Expr) -> Lowered<Value> {
        match (operator, &operand.kind) {
            ("!", _) => {
                let value = self.condition(operand)?;
                Ok(Value { expr: self.make.exprs().not(value), ty: Ty::Bool })
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
                Ok(Value { expr: self.make.exprs().unary(UnaryOp::Negate, value.expr), ty })
            }
            ("~", _) => {
                let value = self.integer(operand)?;
                Ok(Value { expr: self.make.exprs().unary(UnaryOp::BitNot, value.expr), ty: Ty::INT })
            }
            _ => self.integer(operand),
        }
    }

    pub fn binary(&mut self, left: &'m Expr, operator: &str, right: &'m Expr, span: Span) -> Lowered<Value> {
        match operator {
            "==" | "!=" | "<->" => return self.equality(left, operator, right),
            "<" | "<=" | ">" | ">=" => return self.order(left, operator, right),
            _ => {}
        }
        let operands = (self.integer(left), self.integer(right));
        let (a, b) = (operands.0?, operands.1?);
        let (Ty::Int { low: al, high: ah }, Ty::Int { low: bl, high: bh }) = (a.ty, b.ty) else {
            unreachable!("both are integers");
        };
        let (al, ah, bl, bh) = (i64::from(al), i64::from(ah), i64::from(bl), i64::from(bh));
        let (op, ty) = match operator {
            "+" => (BinaryOp::Add, Ty::between(al + bl, ah + bh)),
            "-" => (BinaryOp::Sub, Ty::between(al - bh, ah - bl)),
            "*" => {
                let products = [al * bl, al * bh, ah * bl, ah * bh];
                let (low, high) = products.iter().fold((i64::MAX, i64::MIN), |(l, h), &p| (l.min(p), h.max(p)));
                (BinaryOp::Mul, Ty::between(low, high))
            }
            "/" | "%" => {
                let zero = self.make.exprs().int(0);
                let is_zero = self.make.exprs().eq(b.expr, zero);
                if bl <= 0 && bh >= 0 {
                    let property = self.make.property("division_by_zero", PropertyKind::DivisionByZero, span);
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
        let expr = self.make.exprs().binary(op, a.expr, b.expr);
        // A constant is its own bound.
        match self.make.program.exprs.as_int(expr) {
            Some(value) => Ok(self.make.constant_value(Ty::INT, value)),
            None => Ok(Value { expr, ty }),
        }
    }

    /// Numbers, or values of one enumeration, in the order in which that lists them.
    fn order(&mut self, left: &'m Expr, operator: &str, right: &'m Expr) -> Lowered<Value> {
        let operands = (self.ordered(left), self.ordered(right));
        let (a, b) = (operands.0?, operands.1?);
        self.expect_like(b.ty, a.ty, right.span)?;
        let op = if operator.len() == 1 { BinaryOp::Less } else { BinaryOp::LessEq };
        let (a, b) = if operator.starts_with('<') { (a, b) } else { (b, a) };
        Ok(Value { expr: self.make.exprs().binary(op, a.expr, b.expr), ty: Ty::Bool })
    }

    fn ordered(&mut self, expr: &'m Expr) -> Lowered<Value> {
        let value = self.value(expr)?;
        if value.ty == Ty::Bool {
            self.expect_like(value.ty, Ty::INT, expr.span)?;
        }
        Ok(value)
    }

    fn equality(&mut self, left: &'m Expr, operator: &str, right: &'m Expr) -> Lowered<Value> {
        let operands = (self.value(left), self.value(right));
        let (a, b) = (operands.0?, operands.1?);
        if operator == "<->" {
            self.expect_like(a.ty, Ty::Bool, left.span)?;
        }
        self.expect_like(b.ty, a.ty, right.span)?;
        let equal = self.make.exprs().eq(a.expr, b.expr);
        let expr = if operator == "!=" { self.make.exprs().not(equal) } else { equal };
        Ok(Value { expr, ty: Ty::Bool })
    }

    pub fn short_circuit(&mut self, left: &'m Expr, is_and: bool, right: &'m Expr) -> Lowered<Value> {
        let first = self.condition(left);
        let (statements, second) = self.aside(|this| this.condition(right));
        let (first, second) = (first?, second?);
        Ok(self.make.connect(first, is_and, statements, second, right.span))
    }

    pub fn implies(&mut self, left: &'m Expr, right: &'m Expr) -> Lowered<Value> {
        let first = self.condition(left);
        let (statements, second) = self.aside(|this| this.condition(right));
        let (first, second) = (first?, second?);
        let fails = self.make.exprs().not(first);
        Ok(self.make.connect(fails, false, statements, second, right.span))
    }

    pub fn within(&mut self, value: &'m Expr, low: &'m Expr, high: &'m Expr) -> Lowered<Value> {
        let parts = (self.ordered(value), self.ordered(low), self.ordered(high));
        let (found, from, to) = (parts.0?, parts.1?, parts.2?);
        self.expect_like(from.ty, found.ty, low.span)?;
        self.expect_like(to.ty, found.ty, high.span)?;
        let (value, low, high) = (found.expr, from.expr, to.expr);
        let exprs = self.make.exprs();
        let above = exprs.binary(BinaryOp::LessEq, low, value);
        let below = exprs.binary(BinaryOp::LessEq, value, high);
        Ok(Value { expr: exprs.and(above, below), ty: Ty::Bool })
    }

    pub fn choice(&mut self, condition: &'m Expr, then: &'m Expr, otherwise: &'m Expr, span: Span) -> Lowered<Value> {
        let guard = self.condition(condition);
        let (then_block, a) = self.aside(|this| this.value(then));
        let (else_block, b) = self.aside(|this| this.value(otherwise));
        let (guard, a, b) = (guard?, a?, b?);
        self.expect_like(b.ty, a.ty, otherwise.span)?;
        let ty = a.ty.join(b.ty);
        if let Some(known) = self.make.program.exprs.as_bool(guard) {
            self.make.block.extend(if known { then_block } else { else_block });
            return Ok(if known { a } else { b });
        }
        if then_block.is_empty() && else_block.is_empty() {
            return Ok(Value { expr: self.make.exprs().ite(guard, a.expr, b.expr), ty });
        }
        let variable = self.make.temporary(ty, span);
        let always = self.make.exprs().bool(true);
        let arms = [(guard, then_block, a), (always, else_block, b)].map(|(guard, block, value)| {
            let body = self.make.body(block, StmtKind::Assign { variable, value: value.expr }, span);
            Arm { guard, body, span }
        });
        self.make.push(StmtKind::Choice(arms.into()), span);
        Ok(Value { expr: self.make.exprs().var(variable, ty.machine()), ty })
    }

    pub fn quantified(&mut self, all: bool, name: &'m Ident, range: &'m Range, body: &'m Expr) -> Lowered<Value> {
        let (ty, low, high) = self.range(range)?;
        let mut result = self.make.truth_value(all);
        let mut failed = false;
        for number in low..=high {
            if failed || self.make.is_too_much(name.span) {
                break;
            }
            self.scope.bound.push((&name.text, Entity::Constant(ty, number)));
            let (statements, value) = self.aside(|this| this.condition(body));
            self.scope.bound.pop();
            match value {
                Ok(value) => result = self.make.connect(result.expr, all, statements, value, body.span),
                Err(_) => failed = true,
            }
        }
        if failed || self.make.is_exceeded() { Err(Refused) } else { Ok(result) }
    }
}

impl Maker {
    /// `a && b` or `a || b`, where `b` needs some statements first.
    fn connect(&mut self, a: ExprId, is_and: bool, statements: Vec<StmtId>, b: ExprId, span: Span) -> Value {
        let ty = Ty::Bool;
        if self.program.exprs.as_bool(a) == Some(!is_and) {
            return Value { expr: a, ty };
        }
        if statements.is_empty() || self.program.exprs.as_bool(a) == Some(is_and) {
            self.block.extend(statements);
            let operator = if is_and { BinaryOp::And } else { BinaryOp::Or };
            return Value { expr: self.exprs().binary(operator, a, b), ty };
        }
        let variable = self.temporary(Ty::Bool, span);
        self.push(StmtKind::Assign { variable, value: a }, span);
        let current = self.exprs().var(variable, Type::Bool);
        let guard = if is_and { current } else { self.exprs().not(current) };
        let body = self.body(statements, StmtKind::Assign { variable, value: b }, span);
        self.push(StmtKind::Choice(vec![Arm { guard, body, span }]), span);
        Value { expr: current, ty }
    }
}
