//! Expressions of C to expressions of the program, with what must run before them as statements.
//!
//! Calls, and the checks for a zero divisor or a bad index, become statements in front of the one that holds
//! the expression. Where C evaluates an operand only sometimes (`&&`, `||`, `?:`), so do they.

use super::lower::{Binding, Lowered, Lowering};
use super::tree::{Child, Tree};
use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp, VarId};
use crate::program::{Arm, PropertyKind, Scope, StmtKind};
use crate::source::Diagnostic;
use crate::text::Span;
use redoubt_base::stack::grow;

/// The shape of an expression in the parse tree, parentheses taken off.
#[derive(Clone)]
pub enum Form<'t> {
    Call(&'t str, Vec<Tree<'t>>),
    Cell(Tree<'t>, Tree<'t>),
    Name(&'t str),
    Number(&'t str),
    Character(&'t str),
    Text(Vec<&'t str>),
    Unary(&'t str, Tree<'t>),
    Binary(Tree<'t>, &'t str, Tree<'t>),
    Ternary(Tree<'t>, Tree<'t>, Tree<'t>),
}

impl<'t> Form<'t> {
    pub fn of(mut tree: Tree<'t>) -> Form<'t> {
        use Child::{Rule as R, Token as T};
        loop {
            let children: Vec<Child<'t>> = tree.children().collect();
            return match children.as_slice() {
                [T("("), R(inner), T(")")] => {
                    tree = *inner;
                    continue;
                }
                [T(name), T("("), T(")")] => Form::Call(name, vec![]),
                [T(name), T("("), R(arguments), T(")")] => Form::Call(name, arguments.rules().collect()),
                [R(base), T("["), R(index), T("]")] => Form::Cell(*base, *index),
                [R(a), T("?"), R(b), T(":"), R(c)] => Form::Ternary(*a, *b, *c),
                [R(a), T(operator), R(b)] => Form::Binary(*a, operator, *b),
                [T(operator), R(a)] => Form::Unary(operator, *a),
                [T(text), ..] if text.starts_with('"') => Form::Text(tree.tokens().collect()),
                [T(text)] if text.starts_with('\'') => Form::Character(text),
                [T(text)] if text.starts_with(|c: char| c.is_ascii_digit()) => Form::Number(text),
                [T(name)] => Form::Name(name),
                _ => unreachable!("the grammar has no other expression"),
            };
        }
    }
}

impl<'t> Lowering<'t> {
    /// An expression of any type.
    pub fn expression(&mut self, tree: Tree<'t>) -> Lowered<ExprId> {
        grow(|| self.expression_form(tree))
    }

    fn expression_form(&mut self, tree: Tree<'t>) -> Lowered<ExprId> {
        match Form::of(tree) {
            Form::Number(text) => self.number(text, tree.span()),
            Form::Character(text) => self.character(text, tree.span()),
            Form::Name(name) => self.name(name, tree.span()),
            Form::Cell(base, index) => self.cell(base, index, tree.span()),
            Form::Unary(operator, operand) => self.unary(operator, operand, tree.span()),
            Form::Binary(left, "&&", right) => self.short_circuit(left, right, true, tree.span()),
            Form::Binary(left, "||", right) => self.short_circuit(left, right, false, tree.span()),
            Form::Binary(left, operator, right) => self.binary(left, operator, right, tree.span()),
            Form::Ternary(condition, then, otherwise) => self.ternary(condition, then, otherwise, tree.span()),
            Form::Call(name, arguments) => {
                let value = self.call_value(name, &arguments, tree.span())?;
                // The result variable may be overwritten by the next call, so it is copied at once.
                match self.program.exprs.get(value) {
                    Expr::Var(_) => Ok(self.copied(value, tree.span())),
                    _ => Ok(value),
                }
            }
            Form::Text(_) => self.refuse(Diagnostic::new(tree.span(), "a text is not a number", "expected a number")),
        }
    }

    /// An integer; the truth value of a condition counts as 0 or 1.
    pub fn integer(&mut self, tree: Tree<'t>) -> Lowered<ExprId> {
        let value = self.expression(tree)?;
        self.as_integer(value, tree.span())
    }

    pub fn as_integer(&mut self, value: ExprId, span: Span) -> Lowered<ExprId> {
        match self.program.exprs.type_of(value) {
            Type::Int => Ok(value),
            Type::Bool => Ok(self.program.exprs_mut().unary(UnaryOp::ToInt, value)),
            Type::Pointer => self.refuse(Diagnostic::new(span, "a table is not a number", "expected a number")),
        }
    }

    /// A truth value: an integer counts as true if it is not 0.
    pub fn condition(&mut self, tree: Tree<'t>) -> Lowered<ExprId> {
        let value = self.expression(tree)?;
        match self.program.exprs.type_of(value) {
            Type::Bool => Ok(value),
            Type::Int => {
                let zero = self.program.exprs_mut().int(0);
                let is_zero = self.program.exprs_mut().eq(value, zero);
                Ok(self.program.exprs_mut().not(is_zero))
            }
            Type::Pointer => {
                self.refuse(Diagnostic::new(tree.span(), "a table is not a condition", "expected a condition"))
            }
        }
    }

    /// The integer that a whole right-hand side yields: a call need not be copied there.
    pub fn whole_value(&mut self, tree: Tree<'t>) -> Lowered<ExprId> {
        match Form::of(tree) {
            Form::Call(name, arguments) => self.call_value(name, &arguments, tree.span()),
            _ => self.integer(tree),
        }
    }

    /// A constant expression.
    pub fn constant(&mut self, tree: Tree<'t>) -> Lowered<i32> {
        let (statements, value) = self.aside(false, |this| this.integer(tree));
        match self.program.exprs.as_int(value?) {
            Some(value) if statements.is_empty() => Ok(value),
            _ => self.refuse(Diagnostic::new(tree.span(), "not a constant", "expected a constant expression")),
        }
    }

    fn number(&mut self, text: &str, span: Span) -> Lowered<ExprId> {
        let (digits, radix) = match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&text[2..], 16),
            [b'0', _, ..] => (&text[1..], 8),
            _ => (text, 10),
        };
        match i32::from_str_radix(digits, radix) {
            Ok(value) => Ok(self.program.exprs_mut().int(value)),
            Err(_) => {
                let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
                let label = if is_number { "larger than 2147483647" } else { "not a whole number of type `int`" };
                let message = format!("`{text}` is not a 32-bit `int`");
                self.refuse(Diagnostic::new(span, message, label))
            }
        }
    }

    fn character(&mut self, text: &str, span: Span) -> Lowered<ExprId> {
        let mut inner = text[1..text.len() - 1].chars();
        let value = match (inner.next(), inner.next()) {
            (Some('\\'), Some(escaped)) => escape(escaped),
            (Some(plain), None) if plain.is_ascii() => Some(plain),
            _ => None,
        };
        match value {
            Some(value) => Ok(self.program.exprs_mut().int(value as i32)),
            None => self.refuse(Diagnostic::new(span, format!("{text} is not supported"), "not an ASCII character")),
        }
    }

    pub fn lookup(&self, name: &str) -> Option<Binding> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        local.copied().or_else(|| self.globals.get(name).map(|(binding, _)| *binding))
    }

    pub fn name(&mut self, name: &str, span: Span) -> Lowered<ExprId> {
        let Some(binding) = self.lookup(name) else {
            return self.refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "unknown name"));
        };
        Ok(match binding {
            Binding::Constant(value) => self.program.exprs_mut().int(value),
            Binding::Table(table) => self.program.exprs_mut().table(table),
            Binding::Value(value) => value,
            Binding::Variable(variable) => {
                let ty = self.program.variable(variable).ty;
                self.program.exprs_mut().var(variable, ty)
            }
        })
    }

    fn unary(&mut self, operator: &str, operand: Tree<'t>, span: Span) -> Lowered<ExprId> {
        match operator {
            "!" => {
                let value = self.condition(operand)?;
                Ok(self.program.exprs_mut().not(value))
            }
            "-" => {
                let value = self.integer(operand)?;
                Ok(self.program.exprs_mut().unary(UnaryOp::Negate, value))
            }
            "~" => {
                let value = self.integer(operand)?;
                Ok(self.program.exprs_mut().unary(UnaryOp::BitNot, value))
            }
            "+" => self.integer(operand),
            "*" => {
                let zero = self.program.exprs_mut().int(0);
                let pointer = self.pointer(operand)?;
                self.read_cell(pointer, zero, span)
            }
            _ => self.refuse(Diagnostic::new(span, "addresses are not supported", "only `scanf` takes one")),
        }
    }

    fn binary(&mut self, left: Tree<'t>, operator: &str, right: Tree<'t>, span: Span) -> Lowered<ExprId> {
        let calls = self.calls;
        let a = self.expression(left)?;
        let calls_of_left = self.calls;
        let b = self.expression(right)?;
        self.check_order(calls_of_left > calls, b, span)?;
        self.check_order(self.calls > calls_of_left, a, span)?;
        let both_pointers = [a, b].map(|id| self.program.exprs.type_of(id)) == [Type::Pointer; 2];
        if both_pointers && matches!(operator, "==" | "!=") {
            let equal = self.program.exprs_mut().eq(a, b);
            return Ok(if operator == "==" { equal } else { self.program.exprs_mut().not(equal) });
        }
        let (a, b) = (self.as_integer(a, left.span())?, self.as_integer(b, right.span())?);
        self.arithmetic(operator, a, b, span)
    }

    /// C does not say whether a call or its sibling operand comes first; that must not matter.
    fn check_order(&mut self, called: bool, sibling: ExprId, span: Span) -> Lowered {
        if called && self.program.exprs.constant(sibling).is_none() {
            let message = "the order of a call and the rest of this expression is not defined in C";
            return self.refuse(
                Diagnostic::new(span, message, "a call with effects among other operands")
                    .help("assign the result of the call to a variable first"),
            );
        }
        Ok(())
    }

    /// A binary operator on two integers, with the check that belongs to it.
    pub fn arithmetic(&mut self, operator: &str, a: ExprId, b: ExprId, span: Span) -> Lowered<ExprId> {
        let exprs = self.program.exprs_mut();
        Ok(match operator {
            "+" => exprs.binary(BinaryOp::Add, a, b),
            "-" => exprs.binary(BinaryOp::Sub, a, b),
            "*" => exprs.binary(BinaryOp::Mul, a, b),
            "&" => exprs.binary(BinaryOp::BitAnd, a, b),
            "|" => exprs.binary(BinaryOp::BitOr, a, b),
            "^" => exprs.binary(BinaryOp::BitXor, a, b),
            "<" => exprs.binary(BinaryOp::Less, a, b),
            "<=" => exprs.binary(BinaryOp::LessEq, a, b),
            ">" => exprs.binary(BinaryOp::Less, b, a),
            ">=" => exprs.binary(BinaryOp::LessEq, b, a),
            "==" => exprs.eq(a, b),
            "!=" => {
                let equal = exprs.eq(a, b);
                exprs.not(equal)
            }
            "/" | "%" => {
                self.check_divisor(a, b, span);
                let operator = if operator == "/" { BinaryOp::Div } else { BinaryOp::Rem };
                self.program.exprs_mut().binary(operator, a, b)
            }
            "<<" | ">>" => {
                if !exprs.as_int(b).is_some_and(|amount| (0..32).contains(&amount)) {
                    let message = "a shift by an amount that may be outside 0..31 is undefined in C";
                    return self.refuse(Diagnostic::new(span, message, "expected a constant amount from 0 to 31"));
                }
                exprs.binary(if operator == "<<" { BinaryOp::ShiftLeft } else { BinaryOp::ShiftRight }, a, b)
            }
            _ => {
                return self.refuse(Diagnostic::new(
                    span,
                    format!("`{operator}` is not supported"),
                    "unknown operator",
                ));
            }
        })
    }

    /// The processor traps on a zero divisor, and on `INT_MIN / -1` unless gcc sees the -1 and negates.
    fn check_divisor(&mut self, a: ExprId, b: ExprId, span: Span) {
        let exprs = self.program.exprs_mut();
        let (zero, minus_one, lowest) = (exprs.int(0), exprs.int(-1), exprs.int(i32::MIN));
        let is_zero = exprs.eq(b, zero);
        let is_constant = exprs.constant(b).is_some();
        let (is_minus_one, is_lowest) = (exprs.eq(b, minus_one), exprs.eq(a, lowest));
        let overflows = exprs.and(is_minus_one, is_lowest);
        self.check(is_zero, PropertyKind::DivisionByZero, span);
        if !is_constant {
            self.check(overflows, PropertyKind::DivisionOverflow, span);
        }
    }

    /// `if bad -> error`, unless it can be seen that it never happens.
    pub fn check(&mut self, bad: ExprId, kind: PropertyKind, span: Span) {
        if self.program.exprs.as_bool(bad) == Some(false) {
            return;
        }
        let name = match kind {
            PropertyKind::DivisionByZero => "division_by_zero",
            PropertyKind::DivisionOverflow => "division_overflow",
            _ => "index_out_of_bounds",
        };
        let property = self.property(name, kind, span);
        self.error_if(bad, property, span);
    }

    pub fn error_if(&mut self, condition: ExprId, property: crate::program::PropertyId, span: Span) {
        match self.program.exprs.as_bool(condition) {
            Some(false) => {}
            Some(true) => {
                self.push(StmtKind::Error(property), span);
            }
            None => {
                let body = self.collect(|this| {
                    this.push(StmtKind::Error(property), span);
                });
                self.push(StmtKind::Choice(vec![Arm { guard: condition, body, span }]), span);
            }
        }
    }

    fn short_circuit(&mut self, left: Tree<'t>, right: Tree<'t>, is_and: bool, span: Span) -> Lowered<ExprId> {
        let a = self.condition(left)?;
        let (statements, b) = self.aside(true, |this| this.condition(right));
        let b = b?;
        if self.program.exprs.as_bool(a) == Some(!is_and) {
            return Ok(a);
        }
        if statements.is_empty() || self.program.exprs.as_bool(a) == Some(is_and) {
            self.block.extend(statements);
            let operator = if is_and { BinaryOp::And } else { BinaryOp::Or };
            return Ok(self.program.exprs_mut().binary(operator, a, b));
        }
        let variable = self.temporary(Type::Bool, span);
        self.push(StmtKind::Assign { variable, value: a }, span);
        let current = self.program.exprs_mut().var(variable, Type::Bool);
        let guard = if is_and { current } else { self.program.exprs_mut().not(current) };
        let body = self.collect(|this| {
            this.block = statements;
            this.push(StmtKind::Assign { variable, value: b }, span);
        });
        self.push(StmtKind::Choice(vec![Arm { guard, body, span }]), span);
        Ok(current)
    }

    fn ternary(&mut self, condition: Tree<'t>, then: Tree<'t>, otherwise: Tree<'t>, span: Span) -> Lowered<ExprId> {
        let guard = self.condition(condition)?;
        let (then_block, a) = self.aside(true, |this| this.expression(then));
        let (else_block, b) = self.aside(true, |this| this.expression(otherwise));
        let (mut a, mut b) = (a?, b?);
        if self.program.exprs.type_of(a) != self.program.exprs.type_of(b) {
            (a, b) = (self.as_integer(a, then.span())?, self.as_integer(b, otherwise.span())?);
        }
        if let Some(known) = self.program.exprs.as_bool(guard) {
            self.block.extend(if known { then_block } else { else_block });
            return Ok(if known { a } else { b });
        }
        if then_block.is_empty() && else_block.is_empty() {
            return Ok(self.program.exprs_mut().ite(guard, a, b));
        }
        let ty = self.program.exprs.type_of(a);
        let variable = self.temporary(ty, span);
        let always = self.program.exprs_mut().bool(true);
        let arms = [(guard, then_block, a), (always, else_block, b)].map(|(guard, block, value)| {
            let body = self.collect(|this| {
                this.block = block;
                this.push(StmtKind::Assign { variable, value }, span);
            });
            Arm { guard, body, span }
        });
        self.push(StmtKind::Choice(arms.into()), span);
        Ok(self.program.exprs_mut().var(variable, ty))
    }

    /// A new variable that holds the integer as it is now.
    pub fn copied(&mut self, value: ExprId, span: Span) -> ExprId {
        let copy = self.temporary(Type::Int, span);
        self.push(StmtKind::Assign { variable: copy, value }, span);
        self.program.exprs_mut().var(copy, Type::Int)
    }

    fn temporary(&mut self, ty: Type, span: Span) -> VarId {
        let name = format!("t{}", self.program.variables.len());
        self.new_variable(name, ty, Scope::Local, 0, span)
    }
}

/// The character that a backslash and this one stand for.
pub fn escape(escaped: char) -> Option<char> {
    Some(match escaped {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        '\\' | '\'' | '"' => escaped,
        _ => return None,
    })
}
