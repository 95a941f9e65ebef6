//! Expressions of C to expressions of the program, with statements that must run before them.
//!
//! Calls, and the checks for a zero divisor or a bad index, become statements in front of the one that holds the
//! expression. Where C evaluates an operand only sometimes (`&&`, `||`, `?:`), so do they: a check then asks as well
//! whether that operand is evaluated, and the expression stays whole, for analyses that look for conditions on a
//! variable in a guard; a call stands in a branch, which leaves its value in a variable of its own.

use redoubt_base::stack::grow;

use crate::ast::{self, BinaryOperator, Connective, ExprKind, Syntax, UnaryOperator};
use crate::emit::Emitter;
use crate::names::{Binding, Names, Scope, Section};
use redoubt_program::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use redoubt_program::program::StmtId;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::c_common::{escape, radix};
use redoubt_reading::refused::{Lowered, both, refuse};
use redoubt_reading::watch::Watch;

/// Lowers expressions: reads the tree and its names, writes to the program.
pub struct Values<'b, 't> {
    pub(super) syntax: &'t Syntax<'t>,
    pub(super) names: &'b Names<'t>,
    pub(super) out: &'b mut Emitter,
    pub(super) watch: &'b mut Watch,
    pub(super) scope: Scope<'t>,
    /// The number of conditions that enclose the expression.
    pub(super) conditions: usize,
    /// The number of lowered calls with side effects.
    pub(super) calls: usize,
    /// Where the step reads its input, once it does.
    pub(super) input_read: Option<Span>,
}

impl<'b, 't> Values<'b, 't> {
    pub(super) fn new(
        syntax: &'t Syntax<'t>,
        names: &'b Names<'t>,
        out: &'b mut Emitter,
        watch: &'b mut Watch,
        scope: Scope<'t>,
    ) -> Values<'b, 't> {
        Values { syntax, names, out, watch, scope, conditions: 0, calls: 0, input_read: None }
    }

    /// For expressions outside functions.
    pub fn outside(
        syntax: &'t Syntax<'t>,
        names: &'b Names<'t>,
        out: &'b mut Emitter,
        watch: &'b mut Watch,
    ) -> Values<'b, 't> {
        Values::new(syntax, names, out, watch, Scope::new(Section::Setup, []))
    }

    /// An expression of any type.
    pub fn expression(&mut self, id: ast::ExprId) -> Lowered<ExprId> {
        self.watch.look()?;
        grow(|| self.expression_kind(id))
    }

    fn expression_kind(&mut self, id: ast::ExprId) -> Lowered<ExprId> {
        let expr = self.syntax.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(text) => self.number(text, span),
            ExprKind::Character(text) => self.character(text, span),
            ExprKind::Text(parts) if self.out.is_java() => {
                let number = self.out.words.inputs.number(unquoted(parts));
                Ok(self.out.exprs().int(number))
            }
            ExprKind::Text(_) => refuse(Diagnostic::new(span, "a text is not a number", "expected a number")),
            ExprKind::Truth(value) => Ok(self.out.exprs().bool(*value)),
            ExprKind::SameText(a, b) => {
                let (a, b) = (self.integer(*a)?, self.integer(*b)?);
                Ok(self.out.exprs().eq(a, b))
            }
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Cell(base, index) => {
                let (pointer, index) = (self.pointer(*base)?, self.integer(*index)?);
                Ok(self.out.read_cell(pointer, index, span))
            }
            ExprKind::Unary(operator, operand) => self.unary(*operator, *operand, span),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, *left, *right, span),
            ExprKind::Logical(connective, left, right) => self.logical(*connective, *left, *right, span),
            ExprKind::Conditional(condition, then, otherwise) => self.ternary(*condition, [*then, *otherwise], span),
            ExprKind::Call(call) => {
                let value = self.call_value(call, span)?;
                // The result variable may be overwritten by the next call, so it is copied at once.
                match self.out.program.exprs.get(value) {
                    Expr::Var(_) => Ok(self.out.copied(value, span)),
                    _ => Ok(value),
                }
            }
        }
    }

    pub fn integer(&mut self, id: ast::ExprId) -> Lowered<ExprId> {
        let value = self.expression(id)?;
        self.out.as_integer(value, self.syntax.expr(id).span)
    }

    pub fn condition(&mut self, id: ast::ExprId) -> Lowered<ExprId> {
        let value = self.expression(id)?;
        self.out.as_condition(value, self.syntax.expr(id).span)
    }

    pub fn pointer(&mut self, id: ast::ExprId) -> Lowered<ExprId> {
        let value = self.expression(id)?;
        if self.out.program.exprs.type_of(value) == Type::Pointer {
            return Ok(value);
        }
        let span = self.syntax.expr(id).span;
        refuse(Diagnostic::new(span, "not a table or a pointer to one", "expected a table"))
    }

    /// The integer that a whole right-hand side yields: a call need not be copied there.
    pub fn whole_value(&mut self, id: ast::ExprId) -> Lowered<ExprId> {
        let expr = self.syntax.expr(id);
        match &expr.kind {
            ExprKind::Call(call) => self.call_value(call, expr.span),
            _ => self.integer(id),
        }
    }

    /// A constant expression.
    pub fn constant(&mut self, id: ast::ExprId) -> Lowered<i32> {
        let (statements, value) = self.aside(false, |this| this.integer(id));
        match self.out.program.exprs.as_int(value?) {
            Some(value) if statements.is_empty() => Ok(value),
            _ => {
                let span = self.syntax.expr(id).span;
                refuse(Diagnostic::new(span, "not a constant", "expected a constant expression"))
            }
        }
    }

    /// Lowers something into a block of its own and hands that back.
    pub fn aside<T>(&mut self, conditional: bool, lower: impl FnOnce(&mut Self) -> T) -> (Vec<StmtId>, T) {
        let outer = self.out.open();
        self.conditions += usize::from(conditional);
        let result = lower(self);
        self.conditions -= usize::from(conditional);
        (self.out.close(outer), result)
    }

    fn number(&mut self, text: &str, span: Span) -> Lowered<ExprId> {
        let (radix, digits) = radix(text);
        if let Ok(value) = i32::from_str_radix(digits, radix) {
            return Ok(self.out.exprs().int(value));
        }
        let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        let label = if is_number { "larger than 2147483647" } else { "not a whole number of type `int`" };
        refuse(Diagnostic::new(span, format!("`{text}` is not a 32-bit `int`"), label))
    }

    fn character(&mut self, text: &str, span: Span) -> Lowered<ExprId> {
        let mut inner = text[1..text.len() - 1].chars();
        let value = match (inner.next(), inner.next()) {
            (Some('\\'), Some(escaped)) => escape(escaped),
            (Some(plain), None) if plain.is_ascii() => Some(plain),
            _ => None,
        };
        match value {
            Some(value) => Ok(self.out.exprs().int(value as i32)),
            None => refuse(Diagnostic::new(span, format!("{text} is not supported"), "not an ASCII character")),
        }
    }

    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.scope.find(name).or_else(|| self.names.global(name))
    }

    pub fn name(&mut self, name: &str, span: Span) -> Lowered<ExprId> {
        let Some(binding) = self.lookup(name) else {
            return refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "unknown name"));
        };
        Ok(match binding {
            Binding::Constant(value) => self.out.exprs().int(value),
            Binding::Table(table) => self.out.exprs().table(table),
            Binding::Value(value) => value,
            Binding::Variable(variable) => {
                let ty = self.out.program.variable(variable).ty;
                self.out.exprs().var(variable, ty)
            }
        })
    }

    fn unary(&mut self, operator: UnaryOperator, operand: ast::ExprId, span: Span) -> Lowered<ExprId> {
        match operator {
            UnaryOperator::Not => {
                let value = self.condition(operand)?;
                Ok(self.out.exprs().not(value))
            }
            UnaryOperator::Negate => {
                let value = self.integer(operand)?;
                Ok(self.out.exprs().unary(UnaryOp::Negate, value))
            }
            UnaryOperator::BitNot => {
                let value = self.integer(operand)?;
                Ok(self.out.exprs().unary(UnaryOp::BitNot, value))
            }
            UnaryOperator::Plus => self.integer(operand),
            UnaryOperator::Dereference => {
                let zero = self.out.exprs().int(0);
                let pointer = self.pointer(operand)?;
                Ok(self.out.read_cell(pointer, zero, span))
            }
            UnaryOperator::Address => {
                refuse(Diagnostic::new(span, "addresses are not supported", "only `scanf` takes one"))
            }
        }
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let calls = self.calls;
        let a = self.expression(left)?;
        let calls_of_left = self.calls;
        let b = self.expression(right)?;
        self.check_order(calls_of_left > calls, b, span)?;
        self.check_order(self.calls > calls_of_left, a, span)?;
        let both_pointers = [a, b].map(|id| self.out.program.exprs.type_of(id)) == [Type::Pointer; 2];
        if both_pointers && matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual) {
            let exprs = self.out.exprs();
            let equal = exprs.eq(a, b);
            return Ok(if operator == BinaryOperator::Equal { equal } else { exprs.not(equal) });
        }
        let a = self.out.as_integer(a, self.syntax.expr(left).span)?;
        let b = self.out.as_integer(b, self.syntax.expr(right).span)?;
        self.out.arithmetic(operator, a, b, span)
    }

    /// C does not say whether a call or its sibling operand comes first; that must not matter.
    fn check_order(&self, called: bool, sibling: ExprId, span: Span) -> Lowered {
        if called && self.out.program.exprs.constant(sibling).is_none() {
            let message = "the order of a call and the rest of this expression is not defined in C";
            return refuse(
                Diagnostic::new(span, message, "a call with effects among other operands")
                    .help("assign the result of the call to a variable first"),
            );
        }
        Ok(())
    }

    fn logical(
        &mut self,
        connective: Connective,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let is_and = connective == Connective::And;
        let a = self.condition(left)?;
        let (statements, b) = self.aside(true, |this| this.condition(right));
        let b = b?;
        let known = self.out.program.exprs.as_bool(a);
        if known == Some(!is_and) {
            return Ok(a);
        }
        let operator = if is_and { BinaryOp::And } else { BinaryOp::Or };
        if statements.is_empty() || known == Some(is_and) {
            self.out.append(statements);
            return Ok(self.out.exprs().binary(operator, a, b));
        }
        if self.out.are_checks(&statements) {
            let reached = if is_and { a } else { self.out.exprs().not(a) };
            self.out.append_checks(statements, reached);
            return Ok(self.out.exprs().binary(operator, a, b));
        }
        let variable = self.out.temporary(Type::Bool, span);
        self.out.assign(variable, a, span);
        let exprs = self.out.exprs();
        let current = exprs.var(variable, Type::Bool);
        let guard = if is_and { current } else { exprs.not(current) };
        self.out.assign_by_choice(variable, vec![(guard, statements, b)], span);
        Ok(current)
    }

    fn ternary(&mut self, condition: ast::ExprId, branches: [ast::ExprId; 2], span: Span) -> Lowered<ExprId> {
        let guard = self.condition(condition)?;
        let [then, otherwise] = branches;
        let (then_block, a) = self.aside(true, |this| this.expression(then));
        let (else_block, b) = self.aside(true, |this| this.expression(otherwise));
        let (mut a, mut b) = both(a, b)?;
        if self.out.program.exprs.type_of(a) != self.out.program.exprs.type_of(b) {
            a = self.out.as_integer(a, self.syntax.expr(then).span)?;
            b = self.out.as_integer(b, self.syntax.expr(otherwise).span)?;
        }
        if let Some(known) = self.out.program.exprs.as_bool(guard) {
            self.out.append(if known { then_block } else { else_block });
            return Ok(if known { a } else { b });
        }
        if self.out.are_checks(&then_block) && self.out.are_checks(&else_block) {
            let other = self.out.exprs().not(guard);
            self.out.append_checks(then_block, guard);
            self.out.append_checks(else_block, other);
            return Ok(self.out.exprs().ite(guard, a, b));
        }
        let ty = self.out.program.exprs.type_of(a);
        let variable = self.out.temporary(ty, span);
        let always = self.out.exprs().bool(true);
        self.out.assign_by_choice(variable, vec![(guard, then_block, a), (always, else_block, b)], span);
        Ok(self.out.exprs().var(variable, ty))
    }
}

/// The word that a text of Java is.
pub fn unquoted<'t>(parts: &[&'t str]) -> &'t str {
    parts.first().map_or("", |text| &text[1..text.len() - 1])
}
