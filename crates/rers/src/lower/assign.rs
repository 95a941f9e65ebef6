//! Assignments to variables and to cells of tables.

use super::Values;
use crate::ast::{self, BinaryOperator, ExprKind, UnaryOperator};
use crate::emit::Emitter;
use crate::names::Binding;
use redoubt_program::expr::{ExprId, Type};
use redoubt_program::program::StmtKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

impl Values<'_, '_> {
    /// `place operator= value`; a plain assignment has no operator.
    pub fn assignment(
        &mut self,
        place: ast::ExprId,
        operator: Option<BinaryOperator>,
        value: ast::ExprId,
        span: Span,
    ) -> Lowered {
        if let ExprKind::Name(name) = self.syntax.expr(place).kind
            && let Some(Binding::Variable(variable)) = self.lookup(name)
            && operator.is_none()
        {
            let value = match self.out.program.variable(variable).ty {
                Type::Pointer => self.pointer(value)?,
                _ => self.whole_value(value)?,
            };
            self.out.assign(variable, value, span);
            return Ok(());
        }
        let calls = self.calls;
        let value = self.integer(value)?;
        let calls_of_right = self.calls;
        self.assign(place, span, |out, old| match operator {
            None => Ok(value),
            Some(operator) => out.arithmetic(operator, old, value, span),
        })?;
        let is_plain = operator.is_none() && matches!(self.syntax.expr(place).kind, ExprKind::Name(_));
        let right_matters = calls_of_right > calls && !is_plain;
        let left_matters = self.calls > calls_of_right && self.out.program.exprs.constant(value).is_none();
        if right_matters || left_matters {
            let message = "the order of a call and the rest of this assignment is not defined in C";
            return refuse(
                Diagnostic::new(span, message, "a call with effects beside another operand")
                    .help("assign the result of the call to a variable first"),
            );
        }
        Ok(())
    }

    /// `place++` or `place--`.
    pub fn step_by_one(&mut self, place: ast::ExprId, operator: BinaryOperator, span: Span) -> Lowered {
        let one = self.out.exprs().int(1);
        self.assign(place, span, |out, old| out.arithmetic(operator, old, one, span))
    }

    /// Assigns the result of `new` on the old value. A plain assignment ignores that; nothing reads it then.
    pub fn assign(
        &mut self,
        place: ast::ExprId,
        span: Span,
        new: impl FnOnce(&mut Emitter, ExprId) -> Lowered<ExprId>,
    ) -> Lowered {
        let left = self.syntax.expr(place);
        let (pointer, index) = match left.kind {
            ExprKind::Name(name) => {
                // An unknown name gets the same message here as on the right of an assignment.
                let old = self.name(name, left.span)?;
                let Some(Binding::Variable(variable)) = self.lookup(name) else {
                    let message = format!("`{name}` is not a variable that can be assigned");
                    return refuse(Diagnostic::new(left.span, message, "expected a variable"));
                };
                let old = self.out.as_integer(old, left.span)?;
                let value = new(self.out, old)?;
                self.out.assign(variable, value, span);
                return Ok(());
            }
            ExprKind::Cell(base, index) => (self.pointer(base)?, self.integer(index)?),
            ExprKind::Unary(UnaryOperator::Dereference, base) => (self.pointer(base)?, self.out.exprs().int(0)),
            _ => {
                let message = "this cannot be assigned";
                return refuse(Diagnostic::new(left.span, message, "expected a variable or a cell"));
            }
        };
        let old = self.out.read_cell(pointer, index, span);
        let value = new(self.out, old)?;
        self.out.push(StmtKind::Store { pointer, index, value }, span);
        Ok(())
    }
}
