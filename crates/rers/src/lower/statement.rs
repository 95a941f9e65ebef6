//! Statements of C to statements of the program.

use redoubt_base::stack::grow;

use super::Body;
use crate::ast::{Declaration, ExprId, ExprKind, Ident, Initializer, SpecifierKind, StmtId, StmtKind};
use crate::declare::list_for_number;
use crate::names::Section;
use redoubt_program::expr::{Type, VarId};
use redoubt_program::program::{self, PropertyKind, Scope};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, note, refuse};

impl<'t> Body<'_, 't> {
    pub fn block(&mut self, statements: &'t [StmtId]) -> Lowered {
        self.values.scope.open_block();
        for &statement in statements {
            self.note_statement(statement)?;
        }
        self.values.scope.close_block();
        Ok(())
    }

    /// A statement; mistakes in it are noted.
    pub fn note_statement(&mut self, id: StmtId) -> Lowered {
        let lowered = self.statement(id);
        note(self.diagnostics, lowered).map(|_| ())
    }

    fn statement(&mut self, id: StmtId) -> Lowered {
        self.values.watch.look()?;
        let stmt = self.values.syntax.stmt(id);
        grow(|| match &stmt.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Block(statements) => self.block(statements),
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::If { branches, otherwise } => self.conditional(branches, *otherwise, stmt.span),
            StmtKind::Labelled(label, inner) => self.labelled(*label, *inner),
            StmtKind::Return(value) => self.return_statement(*value, stmt.span),
            StmtKind::Assign { place, operator, value } => self.values.assignment(*place, *operator, *value, stmt.span),
            StmtKind::Step { place, operator } => self.values.step_by_one(*place, *operator, stmt.span),
            StmtKind::Expression(value) => self.effect(*value),
            StmtKind::Throw(thrown) => self.throw(*thrown, stmt.span),
            StmtKind::While { .. } => refuse(
                Diagnostic::new(stmt.span, "a loop inside the program", "only `main` may loop")
                    .help("one turn of `while(1)` in `main` is one step; a step itself must not loop"),
            ),
        })
    }

    fn effect(&mut self, value: ExprId) -> Lowered {
        let expr = self.values.syntax.expr(value);
        match &expr.kind {
            ExprKind::Call(call) => self.values.call_statement(call, expr.span),
            _ => refuse(Diagnostic::new(expr.span, "a statement without effect", "expected a call or `=`")),
        }
    }

    fn declaration(&mut self, declaration: &Declaration<'t>) -> Lowered {
        for specifier in &declaration.specifiers {
            if !matches!(specifier.kind, SpecifierKind::Int | SpecifierKind::Const) {
                let message = "this kind of local is not supported";
                return refuse(Diagnostic::new(specifier.span, message, "expected `int`"));
            }
        }
        for declarator in &declaration.declarators {
            let Ident { text: name, span } = declarator.name;
            if declarator.stars > 0 || declarator.is_table() {
                let message = format!("`{name}` is a local, but not an `int`");
                return refuse(Diagnostic::new(span, message, "not supported"));
            }
            let variable = self.declare_local(declarator.name)?;
            match declarator.initializer {
                Some(Initializer::List(_, span)) => return refuse(list_for_number(span)),
                Some(Initializer::Value(value)) => {
                    let value = self.values.whole_value(value)?;
                    self.values.out.assign(variable, value, span);
                }
                None => self.values.out.uninitialised.push(variable),
            }
        }
        Ok(())
    }

    fn declare_local(&mut self, name: Ident<'t>) -> Lowered<VarId> {
        let out = &mut *self.values.out;
        // A local of `main` that is declared before the loop lives as long as the program.
        let (owner, scope) = match self.values.scope.section {
            Section::Setup => ("main", Scope::Global),
            Section::Step => ("main", Scope::Local),
            Section::Function(id) => (out.program.function(id).name.as_str(), Scope::Local),
        };
        let variable = out.variable(format!("{owner}.{}", name.text), Type::Int, scope, 0, name.span);
        if self.values.scope.declare(name.text, variable) {
            return Ok(variable);
        }
        let message = format!("`{}` is declared twice in one block", name.text);
        refuse(Diagnostic::new(name.span, message, "declared again here"))
    }

    /// `error_7: assert(0);` names the property that the statement reaches.
    fn labelled(&mut self, label: Ident<'t>, inner: StmtId) -> Lowered {
        let syntax = self.values.syntax;
        if let StmtKind::Expression(value) = syntax.stmt(inner).kind
            && let ExprKind::Call(call) = &syntax.expr(value).kind
            && call.name == "assert"
        {
            let property = self.values.out.property(label.text, PropertyKind::Label, label.span);
            return self.values.assert(&call.arguments, property, label.span);
        }
        if !is_error_label(label.text) {
            return self.statement(inner);
        }
        let property = self.values.out.property(label.text, PropertyKind::Label, label.span);
        if syntax.calls_error {
            // In the competition's form of the challenge a call counts, and the run goes on to it.
            self.values.out.push(program::StmtKind::Reach(property), label.span);
            return self.statement(inner);
        }
        // Whatever stands behind such a label, reaching it is the error.
        self.values.out.push(program::StmtKind::Error(property), label.span);
        // It never runs, but it is read all the same, so that a mistake in it is found.
        let outer = self.values.out.open();
        let lowered = self.statement(inner);
        self.values.out.close(outer);
        lowered
    }

    fn return_statement(&mut self, value: Option<ExprId>, span: Span) -> Lowered {
        let value = match value {
            Some(value) => Some(self.values.whole_value(value)?),
            None => None,
        };
        let out = &mut *self.values.out;
        let Section::Function(id) = self.values.scope.section else {
            let code = value.unwrap_or_else(|| out.exprs().int(0));
            out.push(program::StmtKind::Halt(code), span);
            return Ok(());
        };
        match (out.program.function(id).result, value) {
            (Some(variable), Some(value)) => out.assign(variable, value, span),
            (None, Some(_)) => {
                return refuse(Diagnostic::new(span, "a `void` function returns a value", "expected `return;`"));
            }
            (_, None) => {}
        }
        out.push(program::StmtKind::Return, span);
        Ok(())
    }
}

pub fn is_error_label(label: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    label == "globalError" || label.strip_prefix("error_").is_some_and(is_number)
}
