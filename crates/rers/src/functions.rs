//! Declares functions: their parameters and results get their places, so that any function can call them.

use super::ast::{self, ExprKind, Function, Ident, StmtKind, Syntax};
use super::declare::Specifiers;
use super::emit::Emitter;
use super::names::{Names, Routine};
use redoubt_program::expr::{Type, VarId};
use redoubt_program::program::Scope;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// Functions of C's and the verifiers' libraries: a program's own definition of them is not looked into, because their
/// meaning is known.
const KNOWN_BY_NAME: &[&str] = &["reach_error", "__VERIFIER_error"];

pub fn declare<'t>(
    function: &'t Function<'t>,
    syntax: &'t Syntax<'t>,
    names: &mut Names<'t>,
    out: &mut Emitter,
) -> Lowered {
    let Ident { text: name, span } = function.name;
    let Some(body) = &function.body else { return Ok(()) };
    if KNOWN_BY_NAME.contains(&name) {
        return Ok(());
    }
    let specifiers = Specifiers::of(&function.specifiers)?;
    if function.returns_pointer {
        let message = format!("`{name}` returns a pointer");
        return refuse(Diagnostic::new(span, message, "expected `int` or `void`"));
    }
    let parameters = parameters(function, out)?;
    if name == "main" {
        names.main = Some(function);
        return Ok(());
    }
    if let Some(before) = names.function(name) {
        let program = &out.program;
        let place = program.sources.place(program.function(before).span);
        let message = format!("the function `{name}` is defined twice");
        return refuse(Diagnostic::new(span, message, "defined again here").help(format!("first at {place}")));
    }
    let result =
        (!specifiers.is_void).then(|| out.variable(format!("{name}.result"), Type::Int, Scope::Local, 0, span));
    let variables = parameters.iter().map(|(_, parameter)| *parameter).collect();
    let id = out.program.declare_function(name, variables, result, span);
    names.add_function(name, id, Routine { parameters, body, inline: single_return(syntax, body) });
    Ok(())
}

fn parameters<'t>(function: &Function<'t>, out: &mut Emitter) -> Lowered<Vec<(&'t str, VarId)>> {
    let mut list: Vec<(&str, VarId)> = vec![];
    for parameter in &function.parameters {
        let specifiers = Specifiers::of(&parameter.specifiers)?;
        if specifiers.is_void && parameter.name.is_none() && !parameter.is_pointer {
            continue;
        }
        if specifiers.is_void || parameter.is_pointer || parameter.is_table {
            let message = "parameters must be of type `int`";
            return refuse(Diagnostic::new(parameter.span, message, "not supported"));
        }
        let Some(Ident { text: name, span }) = parameter.name else {
            return refuse(Diagnostic::new(parameter.span, "a parameter without a name", "expected a name"));
        };
        if list.iter().any(|(other, _)| *other == name) {
            let message = format!("two parameters are called `{name}`");
            return refuse(Diagnostic::new(span, message, "declared again here"));
        }
        let full_name = format!("{}.{name}", function.name.text);
        list.push((name, out.variable(full_name, Type::Int, Scope::Local, 0, span)));
    }
    Ok(list)
}

/// The expression of a body that is nothing but `return expression;` and calls nothing: such a function is put in place
/// of its calls, so that `check7(3)` is read as the comparison that it stands for.
fn single_return(syntax: &Syntax<'_>, body: &[ast::StmtId]) -> Option<ast::ExprId> {
    const LARGEST: usize = 200;
    let [only] = body else { return None };
    let StmtKind::Return(Some(value)) = syntax.stmt(*only).kind else { return None };
    let mut pending = vec![value];
    let mut size = 0;
    while let Some(id) = pending.pop() {
        size += 1;
        if size > LARGEST {
            return None;
        }
        match syntax.expr(id).kind {
            ExprKind::Call(..) => return None,
            ExprKind::Name(_)
            | ExprKind::Number(_)
            | ExprKind::Character(_)
            | ExprKind::Text(_)
            | ExprKind::Truth(_) => {}
            ExprKind::Unary(_, a) => pending.push(a),
            ExprKind::Cell(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Logical(_, a, b)
            | ExprKind::SameText(a, b) => pending.extend([a, b]),
            ExprKind::Conditional(a, b, c) => pending.extend([a, b, c]),
        }
    }
    Some(value)
}
