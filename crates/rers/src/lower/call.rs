//! Calls of the program's own functions, and the reading of the input.

use super::Values;
use crate::ast::{self, Call};
use crate::names::{Binding, Scope, Section};
use redoubt_program::expr::{ExprId, InputId, Type, VarId};
use redoubt_program::program::{FunctionId, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

impl<'t> Values<'_, 't> {
    /// A call whose value is used.
    pub fn call_value(&mut self, call: &Call<'_>, span: Span) -> Lowered<ExprId> {
        let Call { name, arguments } = call;
        if let Some(function) = self.names.function(name) {
            let Some(value) = self.call_own(function, arguments, span)? else {
                let message = format!("`{name}` returns nothing");
                return refuse(Diagnostic::new(span, message, "expected a value"));
            };
            return Ok(value);
        }
        match (*name, arguments.as_slice()) {
            ("__VERIFIER_nondet_int", []) => self.read_input(span),
            _ => unknown(name, arguments.len(), span),
        }
    }

    /// Calls a function of the program; the value is its result variable, to be copied before the next call.
    pub fn call_own(&mut self, id: FunctionId, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<ExprId>> {
        let names = self.names;
        let routine = names.routine(id);
        if routine.parameters.len() != arguments.len() {
            let (wants, gets) = (routine.parameters.len(), arguments.len());
            let name = &self.out.program.function(id).name;
            let message = format!("`{name}` takes {wants} argument{}", if wants == 1 { "" } else { "s" });
            return refuse(Diagnostic::new(span, message, format!("called with {gets}")));
        }
        let values = self.arguments(arguments, span)?;
        let result = self.out.program.function(id).result;
        if let (Some(body), Some(_)) = (routine.inline, result) {
            return self.inline(&routine.parameters, values, body).map(Some);
        }
        for (&(_, variable), value) in routine.parameters.iter().zip(values) {
            self.out.assign(variable, value, span);
        }
        self.out.push(StmtKind::Call(id), span);
        self.calls += 1;
        Ok(result.map(|result| self.out.exprs().var(result, Type::Int)))
    }

    pub fn arguments(&mut self, arguments: &[ast::ExprId], span: Span) -> Lowered<Vec<ExprId>> {
        let calls = self.calls;
        let values = arguments.iter().map(|&argument| self.integer(argument)).collect::<Lowered<Vec<_>>>()?;
        let others = values.iter().filter(|&&value| self.out.program.exprs.constant(value).is_none()).count();
        if self.calls > calls && others > 1 {
            let message = "the order in which C evaluates these arguments is not defined";
            return refuse(Diagnostic::new(span, message, "a call with effects among them"));
        }
        Ok(values)
    }

    /// Puts the function's one expression in place of the call, arguments for parameters.
    fn inline(&mut self, parameters: &[(&'t str, VarId)], values: Vec<ExprId>, body: ast::ExprId) -> Lowered<ExprId> {
        let span = self.syntax.expr(body).span;
        let mut bindings = vec![];
        for (&(name, _), value) in parameters.iter().zip(values) {
            // An argument that is computed is computed once, however often the function uses it.
            let is_leaf = self.out.program.exprs.get(value).operands().next().is_none();
            let value = if is_leaf { value } else { self.out.copied(value, span) };
            bindings.push((name, Binding::Value(value)));
        }
        let scope = Scope::new(self.scope.section, bindings);
        let outer = std::mem::replace(&mut self.scope, scope);
        let value = self.integer(body);
        self.scope = outer;
        value
    }

    /// The step's input. It is read once, in every step, so that a step is the reaction to one input.
    pub fn read_input(&mut self, span: Span) -> Lowered<ExprId> {
        if self.scope.section != Section::Step || self.conditions > 0 {
            let message = "an input is read outside the main loop's own statements";
            return refuse(
                Diagnostic::new(span, message, "expected in every turn of the loop")
                    .help("each turn of `while(1)` in `main` reads one input, unconditionally"),
            );
        }
        if let Some(before) = self.input_read.replace(span) {
            let place = self.out.program.sources.place(before);
            return refuse(
                Diagnostic::new(span, "one step reads two inputs", "the second input")
                    .help(format!("the first one is read at {place}")),
            );
        }
        Ok(self.out.exprs().input(InputId::new(0), Type::Int))
    }
}

pub fn unknown<T>(name: &str, arguments: usize, span: Span) -> Lowered<T> {
    let plural = if arguments == 1 { "" } else { "s" };
    let message = format!("unknown function `{name}` with {arguments} argument{plural}");
    refuse(
        Diagnostic::new(span, message, "no file defines it")
            .help("give the file that defines it as a further argument"),
    )
}
