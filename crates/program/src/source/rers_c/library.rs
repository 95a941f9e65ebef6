//! Calls: of the program's own functions, of C's library and of the verifiers' conventions.

use rustc_hash::FxHashMap;

use super::lower::{Binding, Lowered, Lowering, Place, Refused};
use super::tree::Tree;
use super::value::{Form, escape};
use crate::expr::{ExprId, InputId, Type, VarId};
use crate::program::{Piece, PropertyId, PropertyKind, StmtKind, Stream};
use crate::source::Diagnostic;
use crate::text::Span;

/// What the shell sees of a program that `abort` ended: 128 plus the signal.
const ABORTED: i32 = 134;

impl<'t> Lowering<'t> {
    /// A call that stands as a statement.
    pub fn call_statement(&mut self, name: &'t str, arguments: &[Tree<'t>], span: Span) -> Lowered {
        if self.functions.contains_key(name) {
            return self.call_own(name, arguments, span).map(|_| ());
        }
        match (name, arguments) {
            ("printf", [format, values @ ..]) => self.print(Stream::Output, *format, values, "", span),
            ("puts", [text]) => self.print(Stream::Output, *text, &[], "\n", span),
            ("fprintf", [stream, format, values @ ..]) => {
                let stream = self.stream(*stream)?;
                self.print(stream, *format, values, "", span)
            }
            ("fflush", [stream]) => self.stream(*stream).map(|_| ()),
            ("scanf", [format, target]) => self.scanf(*format, *target, span),
            ("assert", _) => {
                let name = format!("assert_{}", self.program.line(span));
                let property = self.property(&name, PropertyKind::Assertion, span);
                self.assert(arguments, property, span)
            }
            ("__assert_fail", _) => {
                let name = format!("assert_{}", self.program.line(span));
                let property = self.property(&name, PropertyKind::Assertion, span);
                self.push(StmtKind::Error(property), span);
                Ok(())
            }
            ("__VERIFIER_assume", [condition]) => {
                let condition = self.condition(*condition)?;
                self.push(StmtKind::Assume(condition), span);
                Ok(())
            }
            ("exit", [code]) => {
                let code = self.integer(*code)?;
                self.push(StmtKind::Halt(code), span);
                Ok(())
            }
            ("abort", []) => {
                let code = self.program.exprs_mut().int(ABORTED);
                self.push(StmtKind::Halt(code), span);
                Ok(())
            }
            _ => match self.error_name(name, arguments)? {
                Some(name) => {
                    let property = self.property(&name, PropertyKind::Label, span);
                    self.push(StmtKind::Error(property), span);
                    Ok(())
                }
                None => self.unknown(name, arguments.len(), span),
            },
        }
    }

    fn stream(&mut self, tree: Tree<'t>) -> Lowered<Stream> {
        match Form::of(tree) {
            Form::Name("stdout") => Ok(Stream::Output),
            Form::Name("stderr") => Ok(Stream::Diagnostic),
            _ => self.refuse(Diagnostic::new(tree.span(), "unknown stream", "expected `stdout` or `stderr`")),
        }
    }

    /// The property that a call of an error function reaches, if it is one.
    fn error_name(&mut self, name: &str, arguments: &[Tree<'t>]) -> Lowered<Option<String>> {
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

    /// A call whose value is used.
    pub fn call_value(&mut self, name: &'t str, arguments: &[Tree<'t>], span: Span) -> Lowered<ExprId> {
        if self.functions.contains_key(name) {
            let Some(value) = self.call_own(name, arguments, span)? else {
                let message = format!("`{name}` returns nothing");
                return self.refuse(Diagnostic::new(span, message, "expected a value"));
            };
            return Ok(value);
        }
        match (name, arguments) {
            ("__VERIFIER_nondet_int", []) => self.read_input(span),
            _ => self.unknown(name, arguments.len(), span),
        }
    }

    fn unknown<T>(&mut self, name: &str, arguments: usize, span: Span) -> Lowered<T> {
        let message =
            format!("unknown function `{name}` with {arguments} argument{}", if arguments == 1 { "" } else { "s" });
        self.refuse(
            Diagnostic::new(span, message, "no file defines it")
                .help("give the file that defines it as a further argument"),
        )
    }

    /// Calls a function of the program; the value is its result variable, to be copied before the next call.
    fn call_own(&mut self, name: &'t str, arguments: &[Tree<'t>], span: Span) -> Lowered<Option<ExprId>> {
        let Some(entry) = self.functions.get(name).cloned() else { return Err(Refused) };
        if entry.parameters.len() != arguments.len() {
            let (wants, gets) = (entry.parameters.len(), arguments.len());
            let message = format!("`{name}` takes {wants} argument{}", if wants == 1 { "" } else { "s" });
            return self.refuse(Diagnostic::new(span, message, format!("called with {gets}")));
        }
        let values = self.arguments(arguments, span)?;
        let result = self.program.function(entry.id).result;
        if let (Some(body), Some(_)) = (entry.inline, result) {
            return self.inline(&entry.parameters, values, body).map(Some);
        }
        for (&(_, variable), value) in entry.parameters.iter().zip(values) {
            self.push(StmtKind::Assign { variable, value }, span);
        }
        self.push(StmtKind::Call(entry.id), span);
        self.calls += 1;
        Ok(result.map(|result| self.program.exprs_mut().var(result, Type::Int)))
    }

    fn arguments(&mut self, arguments: &[Tree<'t>], span: Span) -> Lowered<Vec<ExprId>> {
        let calls = self.calls;
        let mut values = vec![];
        for argument in arguments {
            values.push(self.integer(*argument)?);
        }
        let others = values.iter().filter(|&&value| self.program.exprs.constant(value).is_none()).count();
        if self.calls > calls && others > 1 {
            let message = "the order in which C evaluates these arguments is not defined";
            return self.refuse(Diagnostic::new(span, message, "a call with effects among them"));
        }
        Ok(values)
    }

    /// Puts the function's one expression in place of the call, arguments for parameters.
    fn inline(&mut self, parameters: &[(&'t str, VarId)], values: Vec<ExprId>, body: Tree<'t>) -> Lowered<ExprId> {
        let mut scope = FxHashMap::default();
        for (&(name, _), value) in parameters.iter().zip(values) {
            // An argument that is computed is computed once, however often the function uses it.
            let is_leaf = self.program.exprs.get(value).operands().next().is_none();
            let value = if is_leaf { value } else { self.copied(value, body.span()) };
            scope.insert(name, Binding::Value(value));
        }
        let outer = std::mem::replace(&mut self.scopes, vec![scope]);
        let value = self.integer(body);
        self.scopes = outer;
        value
    }

    pub fn assert(&mut self, arguments: &[Tree<'t>], property: PropertyId, span: Span) -> Lowered {
        let [condition] = arguments else {
            return self.refuse(Diagnostic::new(span, "`assert` takes one argument", "expected a condition"));
        };
        let holds = self.condition(*condition)?;
        let fails = self.program.exprs_mut().not(holds);
        self.error_if(fails, property, span);
        Ok(())
    }

    fn scanf(&mut self, format: Tree<'t>, target: Tree<'t>, span: Span) -> Lowered {
        let is_number = matches!(Form::of(format), Form::Text(parts) if parts == ["\"%d\""]);
        let Form::Unary("&", place) = Form::of(target) else {
            return self.refuse(Diagnostic::new(target.span(), "`scanf` needs an address", "expected `&variable`"));
        };
        if !is_number {
            return self.refuse(Diagnostic::new(format.span(), "`scanf` with another format", "expected \"%d\""));
        }
        let value = self.read_input(span)?;
        self.assign(place, span, |_, _| Ok(value))
    }

    /// The step's input. It is read once, in every step, so that a step is what one input does.
    fn read_input(&mut self, span: Span) -> Lowered<ExprId> {
        if self.place != Place::Step || self.conditions > 0 {
            let message = "an input is read outside the main loop's own statements";
            return self.refuse(
                Diagnostic::new(span, message, "expected in every turn of the loop")
                    .help("each turn of `while(1)` in `main` reads one input, unconditionally"),
            );
        }
        if let Some(before) = self.read.replace(span) {
            let place = self.program.sources.place(before);
            let diagnostic = Diagnostic::new(span, "one step reads two inputs", "the second input")
                .help(format!("the first one is read at {place}"));
            return self.refuse(diagnostic);
        }
        Ok(self.program.exprs_mut().input(InputId::new(0), Type::Int))
    }

    fn print(&mut self, stream: Stream, format: Tree<'t>, values: &[Tree<'t>], end: &str, span: Span) -> Lowered {
        let Form::Text(parts) = Form::of(format) else {
            return self.refuse(Diagnostic::new(
                format.span(),
                "the format is not a text",
                "expected a text in quotes",
            ));
        };
        let values = self.arguments(values, span)?;
        let mut values = values.into_iter();
        let mut text = vec![Piece::Text(String::new())];
        for part in parts {
            let mut chars = part[1..part.len() - 1].chars();
            while let Some(next) = chars.next() {
                let plain = match next {
                    // C's texts end at a zero, which may also begin an octal number.
                    '\\' => chars.next().and_then(escape).filter(|&escaped| escaped != '\0'),
                    // `puts` prints its text as it is.
                    '%' if end.is_empty() => match chars.next() {
                        Some('%') => Some('%'),
                        Some('d' | 'i') => {
                            let Some(value) = values.next() else {
                                let message = "the format asks for more values than there are";
                                return self.refuse(Diagnostic::new(span, message, "expected another value"));
                            };
                            text.push(Piece::Number(value));
                            continue;
                        }
                        _ => None,
                    },
                    other => Some(other),
                };
                let Some(plain) = plain else {
                    let message = "this format is not supported";
                    return self.refuse(Diagnostic::new(format.span(), message, "expected `%d` and plain text"));
                };
                match text.last_mut() {
                    Some(Piece::Text(last)) => last.push(plain),
                    _ => text.push(Piece::Text(plain.into())),
                }
            }
        }
        if values.next().is_some() {
            let message = "the format asks for fewer values than there are";
            return self.refuse(Diagnostic::new(span, message, "a value too many"));
        }
        if !end.is_empty() {
            text.push(Piece::Text(end.into()));
        }
        text.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        self.push(StmtKind::Print { stream, text }, span);
        Ok(())
    }
}
