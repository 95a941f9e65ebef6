//! The parts of the program that lowering makes: statements, variables, inputs, tables and properties.

use super::ast::{Stmt as AstStmt, StmtKind as AstKind};
use super::lower::Lowering;
use super::types::{Ty, Value};
use crate::expr::{ExprId, InputId, TableId, Type, UnaryOp, VarId};
use crate::program::legend::{Lint, LintKind, Role};
use crate::program::{Domain, Input, Property, PropertyId, PropertyKind, Scope, StmtId, StmtKind, Table, Variable};
use crate::source::Diagnostic;
use crate::text::Span;

/// So many statements may a model have once procedures are inlined and loops unrolled.
const MOST_STATEMENTS: usize = 300_000;

impl<'m> Lowering<'m> {
    pub fn push(&mut self, kind: StmtKind, span: Span) {
        if self.program.stmts.len() >= MOST_STATEMENTS {
            return self.exceed(span);
        }
        let id = self.program.add_stmt(kind, span);
        self.block.push(id);
    }

    /// Whether loops and procedures have been unrolled too often; called at every copy of a body.
    pub fn is_too_much(&mut self, span: Span) -> bool {
        self.copies += 1;
        if self.copies > MOST_STATEMENTS {
            self.exceed(span);
        }
        self.budget_exceeded
    }

    fn exceed(&mut self, span: Span) {
        if !std::mem::replace(&mut self.budget_exceeded, true) {
            let message = format!("more than {MOST_STATEMENTS} statements once everything is unrolled");
            self.diagnostics.push(Diagnostic::new(span, message, "this one is too many"));
        }
    }

    /// Runs `fill` with an empty block and makes one statement of what it leaves there.
    pub fn collect(&mut self, fill: impl FnOnce(&mut Self)) -> StmtId {
        let (inner, ()) = self.aside(fill);
        self.program.add_sequence(inner)
    }

    /// Lowers something into a block of its own and hands that back.
    pub fn aside<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<StmtId>, T) {
        let outer = std::mem::take(&mut self.block);
        let result = lower(self);
        (std::mem::replace(&mut self.block, outer), result)
    }

    pub fn variable(&mut self, name: &str, ty: Ty, initial: i32, scope: Scope, span: Span) -> VarId {
        let domain = (ty != Ty::INT && ty != Ty::Bool).then(|| ty.domain(&self.legend.enumerations));
        let (name, ty) = (name.to_string(), ty.machine());
        self.legend.variables.push(None);
        self.program.add_variable(Variable { name, ty, scope, initial, domain, span })
    }

    /// A variable that is no variable of the author's.
    pub fn hidden_variable(&mut self, name: String, ty: Ty, initial: i32, scope: Scope, span: Span) -> VarId {
        let name = self.numbered(&name);
        self.variable(&name, ty, initial, scope, span)
    }

    /// A new variable that lives within the step.
    pub fn temporary(&mut self, ty: Ty, span: Span) -> VarId {
        let name = format!("@{}", self.program.variables.len());
        self.hidden_variable(name, ty, ty.default(), Scope::Local, span)
    }

    pub fn input(&mut self, name: String, alphabet: Domain, role: Role) -> InputId {
        self.legend.inputs.push(role);
        self.program.add_input(Input { name, alphabet })
    }

    /// A name that a copy of a statement or an operator adds a number to.
    fn numbered(&mut self, name: &str) -> String {
        let copies = self.hidden.entry(name.to_string()).or_insert(0);
        *copies += 1;
        if *copies == 1 { name.to_string() } else { format!("{name}#{copies}") }
    }

    /// An input that stands for something that the model leaves open.
    pub fn open_value(&mut self, name: &str, ty: Ty, role: Role) -> Value {
        let name = self.numbered(name);
        let alphabet = ty.domain(&self.legend.enumerations);
        let input = self.input(name, alphabet, role);
        self.input_value(input, ty)
    }

    pub fn input_value(&mut self, input: InputId, ty: Ty) -> Value {
        let number = self.program.exprs_mut().input(input, Type::Int);
        Value { expr: self.cell_value(number, ty), ty }
    }

    /// Inputs and cells hold numbers; a truth value is 1 or 0 there.
    pub fn cell_value(&mut self, number: ExprId, ty: Ty) -> ExprId {
        if ty != Ty::Bool {
            return number;
        }
        let one = self.program.exprs_mut().int(1);
        self.program.exprs_mut().eq(number, one)
    }

    pub fn table(&mut self, name: &str, element: Ty, cells: Vec<i32>, span: Span) -> TableId {
        let domain = (element != Ty::INT).then(|| element.domain(&self.legend.enumerations));
        self.legend.tables.push(None);
        self.program.add_table(Table { name: name.into(), cells, written: false, domain, span })
    }

    /// The property of a name, made when it is first met.
    pub fn property(&mut self, name: &str, kind: PropertyKind, span: Span) -> PropertyId {
        self.program.add_property(Property { name: name.into(), kind, span, expected: None })
    }

    /// Marks a place that some run ought to visit.
    pub fn lint(&mut self, kind: LintKind, span: Span) -> PropertyId {
        let property = match self.lints.get(&span) {
            Some(&known) => known,
            None => {
                let name = format!("visited {}", self.program.sources.place(span));
                let property = self.property(&name, PropertyKind::Lint, span);
                self.lints.insert(span, property);
                self.legend.lints.push(Lint { property, kind, span, after: self.after });
                property
            }
        };
        self.push(StmtKind::Reach(property), span);
        property
    }

    /// Lowers the body of a branch, behind the mark that says it was taken.
    pub fn branch_body(&mut self, span: Span, body: &'m [AstStmt]) -> StmtId {
        let after = self.after;
        // That an error cannot be reached is what its author hopes for, and no reason for a warning.
        let is_error = matches!(body, [AstStmt { kind: AstKind::Error(_), .. }]);
        let result = self.collect(|this| {
            if !is_error {
                this.after = Some(this.lint(LintKind::Branch, span));
            }
            this.statements(body);
        });
        self.after = after;
        result
    }

    /// Writes a cell, which holds a number.
    pub fn store(&mut self, table: TableId, index: ExprId, value: Value, span: Span) {
        let exprs = self.program.exprs_mut();
        let pointer = exprs.table(table);
        let value = match value.ty {
            Ty::Bool => exprs.unary(UnaryOp::ToInt, value.expr),
            _ => value.expr,
        };
        self.program.mark_written(table);
        self.push(StmtKind::Store { pointer, index, value }, span);
    }
}
