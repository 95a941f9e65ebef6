//! The exceptions of Java: an end of the run, or a complaint.

use super::Body;
use super::statement::is_error_label;
use crate::ast::Thrown;
use crate::names::Section;
use redoubt_program::program::{Piece, PropertyKind, StmtKind, Stream};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The exit code of a program that an exception ended.
const UNCAUGHT: i32 = 1;

impl Body<'_, '_> {
    pub fn throw(&mut self, thrown: Thrown<'_>, span: Span) -> Lowered {
        let out = &mut *self.values.out;
        match (thrown, self.values.scope.section) {
            (Thrown::Label(label), _) if is_error_label(label) => {
                let property = out.property(label, PropertyKind::Label, span);
                out.push(StmtKind::Error(property), span);
            }
            (Thrown::Label(label), _) => {
                let message = format!("`{label}` is no label");
                return refuse(Diagnostic::new(span, message, "expected `error_` and a number, or `globalError`"));
            }
            // `main` catches what the method throws that it calls, and says so; the loop goes on.
            (Thrown::Invalid(text), Section::Function(id))
                if self.values.syntax.reaction == Some(out.program.function(id).name.as_str()) =>
            {
                let text = vec![Piece::Text(format!("Invalid input: {text}\n"))];
                out.push(StmtKind::Print { stream: Stream::Diagnostic, text }, span);
                out.push(StmtKind::Return, span);
            }
            (Thrown::Invalid(_), Section::Setup | Section::Step) => {
                let code = out.exprs().int(UNCAUGHT);
                out.push(StmtKind::Halt(code), span);
            }
            (Thrown::Invalid(_), Section::Function(_)) => {
                let message = "an exception that leaves several calls";
                return refuse(Diagnostic::new(span, message, "expected in the method that `main` calls"));
            }
        }
        Ok(())
    }
}
