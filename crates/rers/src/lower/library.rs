//! Calls that stand as statements: of C's library and of the verifiers' conventions.

use super::Values;
use super::call::unknown;
use crate::ast::{Call, ExprId, ExprKind, UnaryOperator};
use crate::java;
use redoubt_program::program::{PropertyId, PropertyKind, StmtKind, Stream};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The exit code that the shell sees of a program that `abort` ended: 128 plus the signal.
const ABORTED: i32 = 134;

impl Values<'_, '_> {
    pub fn call_statement(&mut self, call: &Call<'_>, span: Span) -> Lowered {
        let Call { name, arguments } = call;
        if let Some(function) = self.names.function(name) {
            return self.call_own(function, arguments, span).map(|_| ());
        }
        match (*name, arguments.as_slice()) {
            ("printf", [format, values @ ..]) => return self.print(Stream::Output, *format, values, span),
            ("puts", [text]) => return self.puts(*text, span),
            (java::PRINT, [word]) => return self.print_word(*word, span),
            ("fprintf", [stream, format, values @ ..]) => {
                let stream = self.stream(*stream)?;
                return self.print(stream, *format, values, span);
            }
            ("fflush", [stream]) => return self.stream(*stream).map(|_| ()),
            ("scanf", [format, target]) => return self.scanf(*format, *target, span),
            ("assert", _) => {
                let property = self.assertion(span);
                return self.assert(arguments, property, span);
            }
            _ => {}
        }
        let ending = self.ending(name, arguments, span)?;
        self.out.push(ending, span);
        Ok(())
    }

    /// A call that ends the run, perhaps.
    fn ending(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Lowered<StmtKind> {
        Ok(match (name, arguments) {
            ("__assert_fail", _) => StmtKind::Error(self.assertion(span)),
            ("__VERIFIER_assume", [condition]) => StmtKind::Assume(self.condition(*condition)?),
            ("exit", [code]) => StmtKind::Halt(self.integer(*code)?),
            ("abort", []) => StmtKind::Halt(self.out.exprs().int(ABORTED)),
            _ => match self.error_name(name, arguments)? {
                Some(name) => StmtKind::Error(self.out.property(name, PropertyKind::Label, span)),
                None => return unknown(name, arguments.len(), span),
            },
        })
    }

    /// The property of an assertion without a label.
    fn assertion(&mut self, span: Span) -> PropertyId {
        let name = format!("assert_{}", self.out.program.line(span));
        self.out.property(name, PropertyKind::Assertion, span)
    }

    pub fn assert(&mut self, arguments: &[ExprId], property: PropertyId, span: Span) -> Lowered {
        let [condition] = arguments else {
            return refuse(Diagnostic::new(span, "`assert` takes one argument", "expected a condition"));
        };
        let holds = self.condition(*condition)?;
        let fails = self.out.exprs().not(holds);
        self.out.error_if(fails, property, span);
        Ok(())
    }

    /// The property that a call of an error function reaches, if it is one.
    fn error_name(&mut self, name: &str, arguments: &[ExprId]) -> Lowered<Option<String>> {
        Ok(match (name, arguments) {
            ("reach_error" | "__VERIFIER_error", []) => Some("reach_error".into()),
            ("__VERIFIER_error", [number]) => Some(format!("error_{}", self.constant(*number)?)),
            (_, []) => name
                .strip_prefix("__VERIFIER_error_")
                .filter(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
                .map(|number| format!("error_{number}")),
            _ => None,
        })
    }

    fn stream(&self, id: ExprId) -> Lowered<Stream> {
        let expr = self.syntax.expr(id);
        match expr.kind {
            ExprKind::Name("stdout") => Ok(Stream::Output),
            ExprKind::Name("stderr") => Ok(Stream::Diagnostic),
            _ => refuse(Diagnostic::new(expr.span, "unknown stream", "expected `stdout` or `stderr`")),
        }
    }

    fn scanf(&mut self, format: ExprId, target: ExprId, span: Span) -> Lowered {
        let (format, target) = (self.syntax.expr(format), self.syntax.expr(target));
        let ExprKind::Unary(UnaryOperator::Address, place) = target.kind else {
            return refuse(Diagnostic::new(target.span, "`scanf` needs an address", "expected `&variable`"));
        };
        if !matches!(&format.kind, ExprKind::Text(parts) if **parts == ["\"%d\""]) {
            return refuse(Diagnostic::new(format.span, "`scanf` with another format", "expected \"%d\""));
        }
        let value = self.read_input(span)?;
        self.assign(place, span, |_, _| Ok(value))
    }
}
