//! Places: cells of tables, and assignments to them and to variables.

use super::lower::{Binding, Lowered, Lowering};
use super::tree::Tree;
use super::value::Form;
use crate::expr::{BinaryOp, Expr, ExprId, Type};
use crate::program::{PropertyKind, StmtKind};
use crate::source::Diagnostic;
use crate::text::Span;

impl<'t> Lowering<'t> {
    pub fn pointer(&mut self, tree: Tree<'t>) -> Lowered<ExprId> {
        let value = self.expression(tree)?;
        if self.program.exprs.type_of(value) == Type::Pointer {
            return Ok(value);
        }
        self.refuse(Diagnostic::new(tree.span(), "not a table or a pointer to one", "expected a table"))
    }

    pub fn cell(&mut self, base: Tree<'t>, index: Tree<'t>, span: Span) -> Lowered<ExprId> {
        let pointer = self.pointer(base)?;
        let index = self.integer(index)?;
        self.read_cell(pointer, index, span)
    }

    pub fn read_cell(&mut self, pointer: ExprId, index: ExprId, span: Span) -> Lowered<ExprId> {
        self.check_index(pointer, index, span);
        if let (Expr::Table(table), Some(index)) = (self.program.exprs.get(pointer), self.program.exprs.as_int(index)) {
            let table = self.program.table(table);
            if !table.written
                && let Some(value) = table.get(index)
            {
                return Ok(self.program.exprs_mut().int(value));
            }
        }
        Ok(self.program.exprs_mut().cell(pointer, index))
    }

    fn check_index(&mut self, pointer: ExprId, index: ExprId, span: Span) {
        // Whatever a pointer points to has at least as many cells as the shortest table.
        let known_length = match self.program.exprs.get(pointer) {
            Expr::Table(table) => Some(self.program.table(table).cells.len()),
            _ => None,
        };
        let shortest = self.program.tables.iter().map(|table| table.cells.len()).min().unwrap_or(0);
        let safe = known_length.unwrap_or(shortest);
        if self.program.exprs.as_int(index).is_some_and(|index| usize::try_from(index).is_ok_and(|index| index < safe))
        {
            return;
        }
        let length = match known_length {
            Some(length) => self.program.exprs_mut().int(length as i32),
            None => self.program.exprs_mut().length(pointer),
        };
        let exprs = self.program.exprs_mut();
        let zero = exprs.int(0);
        let (below, above) = (exprs.binary(BinaryOp::Less, index, zero), exprs.binary(BinaryOp::LessEq, length, index));
        let outside = exprs.or(below, above);
        self.check(outside, PropertyKind::IndexOutOfBounds, span);
    }

    /// `left operator= right`; a plain assignment has no operator.
    pub fn assignment(&mut self, left: Tree<'t>, operator: &'t str, right: Tree<'t>, span: Span) -> Lowered {
        if let Form::Name(name) = Form::of(left)
            && let Some(Binding::Variable(variable)) = self.lookup(name)
            && operator.is_empty()
        {
            let value = match self.program.variable(variable).ty {
                Type::Pointer => self.pointer(right)?,
                _ => self.whole_value(right)?,
            };
            self.push(StmtKind::Assign { variable, value }, span);
            return Ok(());
        }
        let calls = self.calls;
        let value = self.integer(right)?;
        let calls_of_right = self.calls;
        self.assign(left, span, |this, old| match operator {
            "" => Ok(value),
            _ => this.arithmetic(operator, old, value, span),
        })?;
        let right_matters = calls_of_right > calls && !(operator.is_empty() && matches!(Form::of(left), Form::Name(_)));
        let left_matters = self.calls > calls_of_right && self.program.exprs.constant(value).is_none();
        if right_matters || left_matters {
            let message = "the order of a call and the rest of this assignment is not defined in C";
            return self.refuse(
                Diagnostic::new(span, message, "a call with effects beside another operand")
                    .help("assign the result of the call to a variable first"),
            );
        }
        Ok(())
    }

    /// Assigns what `new` makes of the old value. A plain assignment ignores that; nothing reads it then.
    pub fn assign(
        &mut self,
        left: Tree<'t>,
        span: Span,
        new: impl FnOnce(&mut Self, ExprId) -> Lowered<ExprId>,
    ) -> Lowered {
        let (pointer, index) = match Form::of(left) {
            Form::Name(name) => {
                // A name that nobody knows gets the same message here as on the right of an assignment.
                let old = self.name(name, left.span())?;
                let Some(Binding::Variable(variable)) = self.lookup(name) else {
                    let message = format!("`{name}` is not a variable that can be assigned");
                    return self.refuse(Diagnostic::new(left.span(), message, "expected a variable"));
                };
                let old = self.as_integer(old, left.span())?;
                let value = new(self, old)?;
                self.push(StmtKind::Assign { variable, value }, span);
                return Ok(());
            }
            Form::Cell(base, index) => (self.pointer(base)?, self.integer(index)?),
            Form::Unary("*", base) => (self.pointer(base)?, self.program.exprs_mut().int(0)),
            _ => {
                let diagnostic =
                    Diagnostic::new(left.span(), "this cannot be assigned", "expected a variable or a cell");
                return self.refuse(diagnostic);
            }
        };
        let old = self.read_cell(pointer, index, span)?;
        let value = new(self, old)?;
        self.push(StmtKind::Store { pointer, index, value }, span);
        Ok(())
    }
}
