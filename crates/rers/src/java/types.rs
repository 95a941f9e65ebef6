//! Whether every part of a program has the type that it needs.
//!
//! The operands of an expression stand before it in the tree, so that one pass over all expressions is enough.

use rustc_hash::FxHashMap;

use super::build::{Classes, NONDETERMINISTIC, PRINT, Unit};
use crate::ast::{
    BinaryOperator, Branch, Element, Expr, ExprId, ExprKind, Initializer, Stmt, StmtKind, Syntax, UnaryOperator,
};
use redoubt_program::text::Span;
use redoubt_reading::{Diagnostic, Diagnostics};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    Boolean,
    Text,
    Ints,
    Texts,
    Void,
}

impl Type {
    pub fn name(self) -> &'static str {
        match self {
            Type::Int => "int",
            Type::Boolean => "boolean",
            Type::Text => "String",
            Type::Ints => "int[]",
            Type::Texts => "String[]",
            Type::Void => "void",
        }
    }
}

/// Reports what has another type than it should have.
pub fn check(syntax: &Syntax<'_>, classes: &Classes<'_>, diagnostics: &mut Diagnostics) {
    let fields = classes.fields.iter().map(|(name, ty)| (name.text, *ty)).collect();
    let methods = classes.units.iter().map(|unit| (unit.name.text, unit)).collect();
    let mut checker = Checker { syntax, fields, methods, types: Vec::with_capacity(syntax.exprs.len()), diagnostics };
    let mut units = classes.units.iter().peekable();
    for (index, expr) in syntax.exprs.iter().enumerate() {
        while units.next_if(|unit| unit.exprs.end <= index).is_some() {}
        let unit = units.peek().copied().filter(|unit| unit.exprs.contains(&index));
        let ty = checker.expression(expr, unit);
        checker.types.push(ty);
    }
    for declaration in syntax.declarations() {
        for declarator in &declaration.declarators {
            let Some(&ty) = checker.fields.get(declarator.name.text) else { continue };
            match &declarator.initializer {
                Some(Initializer::Value(value)) => checker.expect(*value, ty),
                Some(Initializer::List(elements, _)) => {
                    let of_cells = if ty == Type::Texts { Type::Text } else { Type::Int };
                    for element in elements {
                        if let Element::Value(value) = element {
                            checker.expect(*value, of_cells);
                        }
                    }
                }
                None => {}
            }
        }
    }
    for unit in &classes.units {
        syntax.stmts[unit.stmts.clone()].iter().for_each(|stmt| checker.statement(stmt, unit));
    }
}

struct Checker<'c, 's> {
    syntax: &'c Syntax<'s>,
    fields: FxHashMap<&'s str, Type>,
    methods: FxHashMap<&'s str, &'c Unit<'s>>,
    /// Per expression; `None` where that was reported, or will be.
    types: Vec<Option<Type>>,
    diagnostics: &'c mut Diagnostics,
}

impl<'s> Checker<'_, 's> {
    fn expect(&mut self, id: ExprId, wanted: Type) {
        if let Some(found) = self.types[id.index()].filter(|found| *found != wanted) {
            let message = format!("`{}` where `{}` is needed", found.name(), wanted.name());
            self.complain(self.syntax.expr(id).span, message, format!("expected `{}`", wanted.name()));
        }
    }

    fn complain(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(span, message, label));
    }

    fn name(&self, name: &str, unit: Option<&Unit<'s>>) -> Option<Type> {
        let local = unit.and_then(|unit| unit.locals.iter().find(|(local, _)| local.text == name));
        local.map(|(_, ty)| *ty).or_else(|| self.fields.get(name).copied())
    }

    fn expression(&mut self, expr: &Expr<'_>, unit: Option<&Unit<'s>>) -> Option<Type> {
        let of = |id: ExprId| self.types[id.index()];
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, unit),
            ExprKind::Number(_) | ExprKind::Character(_) => Some(Type::Int),
            ExprKind::Text(_) => Some(Type::Text),
            ExprKind::Truth(_) => Some(Type::Boolean),
            ExprKind::SameText(a, b) => {
                [*a, *b].into_iter().for_each(|id| self.expect(id, Type::Text));
                Some(Type::Boolean)
            }
            ExprKind::Call(call) => self.call(call.name, &call.arguments, expr.span),
            ExprKind::Cell(base, index) => {
                self.expect(*index, Type::Int);
                match self.types[base.index()] {
                    Some(Type::Texts) => Some(Type::Text),
                    Some(other) => {
                        if other != Type::Ints {
                            let span = self.syntax.expr(*base).span;
                            self.complain(span, format!("`{}` has no cells", other.name()), "expected a table");
                        }
                        Some(Type::Int)
                    }
                    None => None,
                }
            }
            ExprKind::Unary(operator, a) => {
                let ty = if *operator == UnaryOperator::Not { Type::Boolean } else { Type::Int };
                self.expect(*a, ty);
                Some(ty)
            }
            ExprKind::Binary(operator @ (BinaryOperator::Equal | BinaryOperator::NotEqual), a, b) => {
                match (of(*a), of(*b)) {
                    (Some(Type::Text), _) => {
                        let message = format!("texts are compared with `equals`, not with `{}`", sign(*operator));
                        self.complain(expr.span, message, "compares references");
                    }
                    (Some(ty), _) => self.expect(*b, ty),
                    (None, _) => {}
                }
                Some(Type::Boolean)
            }
            ExprKind::Binary(operator, a, b) => {
                [*a, *b].into_iter().for_each(|id| self.expect(id, Type::Int));
                use BinaryOperator::{Greater, GreaterEqual, Less, LessEqual};
                let compares = matches!(operator, Less | LessEqual | Greater | GreaterEqual);
                Some(if compares { Type::Boolean } else { Type::Int })
            }
            ExprKind::Logical(_, a, b) => {
                [*a, *b].into_iter().for_each(|id| self.expect(id, Type::Boolean));
                Some(Type::Boolean)
            }
            ExprKind::Conditional(condition, a, b) => {
                let ty = of(*a);
                self.expect(*condition, Type::Boolean);
                if let Some(ty) = ty {
                    self.expect(*b, ty);
                }
                ty
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Option<Type> {
        match name {
            NONDETERMINISTIC => return Some(Type::Text),
            PRINT => {
                if let [text] = arguments {
                    self.expect(*text, Type::Text);
                }
                return Some(Type::Void);
            }
            "__VERIFIER_error" => return Some(Type::Void),
            _ => {}
        }
        let Some(&unit) = self.methods.get(name) else {
            self.diagnostics.push(
                Diagnostic::new(span, format!("unknown method `{name}`"), "no class has it")
                    .help("give the file that defines it as a further argument"),
            );
            return None;
        };
        for (&argument, (_, ty)) in arguments.iter().zip(&unit.locals) {
            self.expect(argument, *ty);
        }
        Some(unit.result)
    }

    fn statement(&mut self, stmt: &Stmt<'_>, unit: &Unit<'s>) {
        match &stmt.kind {
            StmtKind::If { branches, .. } => {
                branches.iter().for_each(|Branch { condition, .. }| self.expect(*condition, Type::Boolean));
            }
            StmtKind::While { condition, .. } => self.expect(*condition, Type::Boolean),
            StmtKind::Return(Some(value)) => self.expect(*value, unit.result),
            StmtKind::Assign { place, operator, value } => {
                let ExprKind::Name(_) = self.syntax.expr(*place).kind else {
                    let span = self.syntax.expr(*place).span;
                    return self.complain(span, "only fields can be assigned", "expected a field");
                };
                match (self.types[place.index()], operator) {
                    (Some(Type::Texts), _) => self.complain(stmt.span, "a list of texts is assigned", "not supported"),
                    (Some(ty), None) => self.expect(*value, ty),
                    (_, Some(_)) => [*place, *value].into_iter().for_each(|id| self.expect(id, Type::Int)),
                    (None, None) => {}
                }
            }
            _ => {}
        }
    }
}

fn sign(operator: BinaryOperator) -> &'static str {
    if operator == BinaryOperator::Equal { "==" } else { "!=" }
}
