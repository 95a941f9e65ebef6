//! Functions of C to functions of the program; `main`'s endless loop to the step.
//!
//! - [`value`], [`call`]: expressions, which may need statements before them;
//! - [`assign`], [`library`], [`print`]: the effects of statements;
//! - [`statement`], [`conditional`]: statements and how they are composed;
//! - [`throw`]: the exceptions of Java.

mod assign;
mod call;
mod conditional;
mod library;
mod print;
mod statement;
mod throw;
mod value;

use super::ast::{ExprId, Ident, StmtId, StmtKind, Syntax};
use super::emit::Emitter;
use super::head::Loop;
use super::names::{Binding, Names, Scope, Section};
use redoubt_program::text::Span;
use redoubt_reading::refused::{Lowered, note, refuse};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostic, Diagnostics};

pub use value::Values;

/// The facts about `main` once it is lowered.
#[derive(Default)]
pub struct Main<'t> {
    /// Where the step reads its input.
    pub input_read: Option<Span>,
    pub main_loop: Option<Loop<'t>>,
}

/// Lowers all functions, and `main` last.
pub fn bodies<'t>(
    syntax: &'t Syntax<'t>,
    names: &Names<'t>,
    out: &mut Emitter,
    diagnostics: &mut Diagnostics,
    watch: &mut Watch,
) -> Lowered<Main<'t>> {
    for id in names.functions() {
        let routine = names.routine(id);
        let parameters = routine.parameters.iter().map(|&(name, variable)| (name, Binding::Variable(variable)));
        let scope = Scope::new(Section::Function(id), parameters);
        let result = out.program.function(id).result;
        out.uninitialised.extend(result);
        let outer = out.open();
        Body { values: Values::new(syntax, names, out, watch, scope), diagnostics }.block(routine.body)?;
        let body = out.close_body(outer);
        out.program.define_function(id, body);
    }
    let Some(main) = names.main else {
        if diagnostics.is_empty() {
            let whole = Span { file: 0, start: 0, end: 0 };
            diagnostics.push(
                Diagnostic::new(whole, "no function `main`", "in this file")
                    .help("the program needs a `main` with the loop `while(1)` that reads the inputs"),
            );
        }
        return Ok(Main::default());
    };
    let scope = Scope::new(Section::Setup, []);
    let mut body = Body { values: Values::new(syntax, names, out, watch, scope), diagnostics };
    let lowered = body.main(main.name, main.body.as_deref().unwrap_or_default());
    let main_loop = note(body.diagnostics, lowered)?;
    Ok(Main { input_read: body.values.input_read, main_loop })
}

/// A function's body that is being lowered. Mistakes in a statement are noted, and the next one is looked at.
struct Body<'b, 't> {
    values: Values<'b, 't>,
    diagnostics: &'b mut Diagnostics,
}

impl<'t> Body<'_, 't> {
    /// `main`: the statements before the endless loop are the setup, the loop's body is the step.
    fn main(&mut self, name: Ident<'t>, body: &'t [StmtId]) -> Lowered<Loop<'t>> {
        let outer = self.values.out.open();
        let mut step = None;
        for &statement in body {
            let stmt = self.values.syntax.stmt(statement);
            if let StmtKind::While { condition, body } = stmt.kind {
                step = Some((condition, body, stmt.span));
                break;
            }
            self.note_statement(statement)?;
        }
        let setup = self.values.out.close_body(outer);
        self.values.out.program.set_setup(setup);
        let Some((condition, body, span)) = step else {
            return refuse(Diagnostic::new(name.span, "`main` has no endless loop", "expected a `while(1)`"));
        };
        let locals = self.values.scope.visible();
        self.step(condition, body, span)?;
        Ok(Loop { span, locals })
    }

    fn step(&mut self, condition: ExprId, body: StmtId, span: Span) -> Lowered {
        if self.values.constant(condition)? == 0 {
            let span = self.values.syntax.expr(condition).span;
            return refuse(Diagnostic::new(span, "the loop never runs", "expected `1`"));
        }
        self.values.scope.section = Section::Step;
        let outer = self.values.out.open();
        self.note_statement(body)?;
        let step = self.values.out.close_body(outer);
        self.values.out.program.set_step(step);
        if self.values.input_read.is_none() && self.diagnostics.is_empty() {
            return refuse(
                Diagnostic::new(span, "the loop reads no input", "expected `scanf` or `__VERIFIER_nondet_int`")
                    .help("one turn of the loop is one step: it reads one input and reacts to it"),
            );
        }
        Ok(())
    }
}
