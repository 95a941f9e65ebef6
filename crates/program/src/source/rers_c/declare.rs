//! The first pass over the parse trees: every global, table and function gets its name and its place.

use super::grammar::parser as g;
use super::lower::{Binding, FunctionEntry, Lowered, Lowering, Refused};
use super::tree::{Child, Tree};
use super::value::Form;
use crate::expr::{Type, VarId};
use crate::program::{Scope, Table, Variable};
use crate::source::Diagnostic;
use crate::text::Span;

/// Functions of C's and the verifiers' libraries: a program's own definition of them is not looked into,
/// because their meaning is known.
const KNOWN_BY_NAME: &[&str] = &["reach_error", "__VERIFIER_error"];

/// What the specifiers of a declaration say.
struct Specifiers {
    is_const: bool,
    is_extern: bool,
    is_void: bool,
}

impl<'t> Lowering<'t> {
    pub fn declare_all(&mut self, trees: &[Tree<'t>]) {
        let items = || trees.iter().flat_map(|tree| tree.all(g::RULE_ITEM)).flat_map(|item| item.rules());
        self.find_stores(trees);
        // Tables first, so that pointers may be initialised with one of another file.
        for item in items().filter(|item| item.rule() == g::RULE_DECLARATION) {
            let _ = self.declare_tables(item);
        }
        for item in items().filter(|item| item.rule() == g::RULE_DECLARATION) {
            let _ = self.declare_globals(item);
        }
        for item in items().filter(|item| item.rule() == g::RULE_ROUTINE) {
            let _ = self.declare_function(item);
        }
        self.check_extern_names();
    }

    /// Notes which tables any statement may write, so that reads of the others can be folded. A store
    /// through a pointer may write every table whose name is used as a value.
    fn find_stores(&mut self, trees: &[Tree<'t>]) {
        let mut values = vec![];
        let mut pending = trees.to_vec();
        while let Some(tree) = pending.pop() {
            match tree.rule() {
                g::RULE_EFFECT if tree.children().count() > 2 => {
                    let mut sides = tree.all(g::RULE_EXPRESSION);
                    match sides.next().map(Form::of) {
                        Some(Form::Cell(base, _) | Form::Unary("*", base)) => self.stored.extend(choices(base)),
                        _ => values.extend(sides.flat_map(choices)),
                    }
                }
                g::RULE_INITIALIZER => values.extend(tree.all(g::RULE_EXPRESSION).flat_map(choices)),
                g::RULE_EXPRESSION => {}
                _ => pending.extend(tree.rules()),
            }
        }
        let is_table = |name: &str| trees.iter().any(|tree| declares_table(*tree, name));
        if !self.stored.iter().all(|name| is_table(name)) {
            self.stored.extend(values);
        }
    }

    fn specifiers(&mut self, tree: Tree<'t>) -> Lowered<Specifiers> {
        let mut found = Specifiers { is_const: false, is_extern: false, is_void: false };
        for specifier in tree.all(g::RULE_SPECIFIER) {
            match specifier.tokens().next().unwrap_or_default() {
                "const" => found.is_const = true,
                "extern" => found.is_extern = true,
                "void" => found.is_void = true,
                "int" | "static" => {}
                other => {
                    let message = format!("the type `{other}` is not supported");
                    return self.refuse(
                        Diagnostic::new(specifier.span(), message, "not a 32-bit `int`")
                            .help("RERS programs compute with `int` only; nothing else is read as if it were one"),
                    );
                }
            }
        }
        Ok(found)
    }

    fn declare_tables(&mut self, tree: Tree<'t>) -> Lowered {
        for declarator in tree.all(g::RULE_DECLARATOR).filter(|declarator| declarator.has_token("[")) {
            let specifiers = self.specifiers(tree)?;
            let (name, span) = (declarator.name().unwrap_or_default(), declarator.name_span());
            if specifiers.is_void || declarator.has_token("*") || declarator.tokens().filter(|t| *t == "[").count() > 1
            {
                let message = format!("`{name}` is not a one-dimensional table of `int`");
                let _ = self.refuse::<()>(Diagnostic::new(span, message, "not supported"));
                continue;
            }
            if specifiers.is_extern {
                self.extern_names.push((name, span));
                continue;
            }
            let Ok(cells) = self.table_cells(declarator, name) else { continue };
            let written = self.stored.contains(name);
            let id = self.program.add_table(Table { name: name.into(), cells, written, domain: None, span });
            let _ = self.bind_global(name, span, Binding::Table(id));
        }
        Ok(())
    }

    /// The cells of `int name[size] = {...}`: missing ones are 0, as in C.
    fn table_cells(&mut self, declarator: Tree<'t>, name: &str) -> Lowered<Vec<i32>> {
        let size = match declarator.find(g::RULE_EXPRESSION) {
            Some(size) => Some(self.constant(size)?),
            None => None,
        };
        let mut cells = vec![];
        if let Some(initializer) = declarator.find(g::RULE_INITIALIZER) {
            for inner in initializer.all(g::RULE_INITIALIZER) {
                let Some(value) = inner.find(g::RULE_EXPRESSION) else {
                    return self.refuse(Diagnostic::new(inner.span(), "nested tables are not supported", "a table"));
                };
                cells.push(self.constant(value)?);
            }
            if initializer.find(g::RULE_EXPRESSION).is_some() {
                let message = format!("the table `{name}` needs a list in braces");
                return self.refuse(Diagnostic::new(initializer.span(), message, "expected `{`"));
            }
        }
        const MOST: i32 = 1 << 20;
        let length = size.unwrap_or(cells.len() as i32);
        if !(1..=MOST).contains(&length) || (length as usize) < cells.len() {
            let cell = if length == 1 { "cell" } else { "cells" };
            let message = match cells.len() {
                values if values > 0 => format!("`{name}` has {length} {cell}, but {values} values"),
                _ => format!("`{name}` has {length} {cell}"),
            };
            return self.refuse(
                Diagnostic::new(declarator.span(), message, "expected a size that fits")
                    .help(format!("a table has 1 to {MOST} cells")),
            );
        }
        cells.resize(length as usize, 0);
        Ok(cells)
    }

    fn declare_globals(&mut self, tree: Tree<'t>) -> Lowered {
        let specifiers = self.specifiers(tree)?;
        for declarator in tree.all(g::RULE_DECLARATOR).filter(|declarator| !declarator.has_token("[")) {
            let (name, span) = (declarator.name().unwrap_or_default(), declarator.name_span());
            if specifiers.is_void {
                let message = format!("`{name}` cannot have the type `void`");
                let _ = self.refuse::<()>(Diagnostic::new(span, message, "expected `int`"));
            } else if specifiers.is_extern && declarator.find(g::RULE_INITIALIZER).is_none() {
                self.extern_names.push((name, span));
            } else if let Ok((ty, initial)) = self.initial_value(declarator) {
                let binding = if specifiers.is_const && ty == Type::Int {
                    Binding::Constant(initial)
                } else {
                    Binding::Variable(self.new_variable(name.into(), ty, Scope::Global, initial, span))
                };
                let _ = self.bind_global(name, span, binding);
            }
        }
        Ok(())
    }

    /// The type of a variable and its value before the program runs.
    pub fn initial_value(&mut self, declarator: Tree<'t>) -> Lowered<(Type, i32)> {
        let value = declarator
            .find(g::RULE_INITIALIZER)
            .map(|initializer| initializer.find(g::RULE_EXPRESSION).ok_or_else(|| initializer.span()));
        match (declarator.tokens().filter(|token| *token == "*").count(), value) {
            (_, Some(Err(span))) => self.refuse_list(span),
            (0, None) => Ok((Type::Int, 0)),
            (0, Some(Ok(value))) => Ok((Type::Int, self.constant(value)?)),
            (1, Some(Ok(value))) => match self.expression(value).map(|id| self.program.exprs.get(id))? {
                crate::expr::Expr::Table(table) => Ok((Type::Pointer, table.index() as i32)),
                _ => self.refuse(Diagnostic::new(value.span(), "a pointer must start at a table", "not a table")),
            },
            (1, None) => self.refuse(
                Diagnostic::new(declarator.span(), "a pointer that points nowhere at first", "expected `= table`")
                    .help("pointers are read as a choice among the program's tables; there is no null among them"),
            ),
            _ => self.refuse(Diagnostic::new(
                declarator.span(),
                "pointers to pointers are not supported",
                "not supported",
            )),
        }
    }

    pub fn refuse_list<T>(&mut self, span: Span) -> Lowered<T> {
        self.refuse(Diagnostic::new(span, "a list, but not for a table", "expected a number"))
    }

    pub fn new_variable(&mut self, name: String, ty: Type, scope: Scope, initial: i32, span: Span) -> VarId {
        self.program.add_variable(Variable { name, ty, scope, initial, domain: None, span })
    }

    fn bind_global(&mut self, name: &'t str, span: Span, binding: Binding) -> Lowered {
        if let Some((_, before)) = self.globals.get(name) {
            let place = self.program.sources.place(*before);
            let message = format!("`{name}` is defined twice");
            return self.refuse(Diagnostic::new(span, message, "defined again here").help(format!("first at {place}")));
        }
        self.globals.insert(name, (binding, span));
        Ok(())
    }

    fn check_extern_names(&mut self) {
        for (name, span) in std::mem::take(&mut self.extern_names) {
            if !self.globals.contains_key(name) {
                let message = format!("`{name}` is declared `extern`, but no file defines it");
                let help = "give the file that defines it as a further argument";
                let _ = self.refuse::<()>(Diagnostic::new(span, message, "not defined").help(help));
                // One message is enough: its uses are read as those of a variable.
                let variable = self.new_variable(name.into(), Type::Int, Scope::Global, 0, span);
                let _ = self.bind_global(name, span, Binding::Variable(variable));
            }
        }
    }

    fn declare_function(&mut self, tree: Tree<'t>) -> Lowered {
        let (name, span) = (tree.name().unwrap_or_default(), tree.name_span());
        let Some(body) = tree.find(g::RULE_BLOCK) else { return Ok(()) };
        if KNOWN_BY_NAME.contains(&name) {
            return Ok(());
        }
        let specifiers = self.specifiers(tree)?;
        if tree.has_token("*") {
            let message = format!("`{name}` returns a pointer");
            return self.refuse(Diagnostic::new(span, message, "expected `int` or `void`"));
        }
        let parameters = self.declare_parameters(tree, name)?;
        if name == "main" {
            self.main = Some(tree);
            return Ok(());
        }
        let result = (!specifiers.is_void)
            .then(|| self.new_variable(format!("{name}.result"), Type::Int, Scope::Local, 0, span));
        let inline = single_return(body);
        if let Some(before) = self.functions.get(name) {
            let place = self.program.sources.place(before.tree.name_span());
            let message = format!("the function `{name}` is defined twice");
            return self.refuse(Diagnostic::new(span, message, "defined again here").help(format!("first at {place}")));
        }
        let own = parameters.iter().map(|(_, parameter)| *parameter).collect();
        let id = self.program.declare_function(name, own, result, span);
        self.functions.insert(name, FunctionEntry { id, tree, parameters, inline });
        self.function_order.push(name);
        Ok(())
    }

    fn declare_parameters(&mut self, tree: Tree<'t>, function: &str) -> Lowered<Vec<(&'t str, VarId)>> {
        let mut list = vec![];
        for parameter in tree.find(g::RULE_PARAMETERS).into_iter().flat_map(|list| list.all(g::RULE_PARAMETER)) {
            let specifiers = self.specifiers(parameter)?;
            if specifiers.is_void && parameter.name().is_none() && !parameter.has_token("*") {
                continue;
            }
            if specifiers.is_void || parameter.has_token("*") || parameter.has_token("[") {
                let message = "parameters must be of type `int`";
                return self.refuse(Diagnostic::new(parameter.span(), message, "not supported"));
            }
            let Some(name) = parameter.name() else {
                return self.refuse(Diagnostic::new(parameter.span(), "a parameter without a name", "expected a name"));
            };
            let span = parameter.name_span();
            if list.iter().any(|(other, _)| *other == name) {
                let message = format!("two parameters are called `{name}`");
                return self.refuse(Diagnostic::new(span, message, "declared again here"));
            }
            let variable = self.new_variable(format!("{function}.{name}"), Type::Int, Scope::Local, 0, span);
            list.push((name, variable));
        }
        Ok(list)
    }
}

/// The names that an expression may be the value of: itself, or the branches of a `?:`.
fn choices(tree: Tree<'_>) -> Vec<&str> {
    let mut names = vec![];
    let mut pending = vec![tree];
    while let Some(tree) = pending.pop() {
        match Form::of(tree) {
            Form::Name(name) => names.push(name),
            Form::Ternary(_, then, otherwise) => pending.extend([then, otherwise]),
            _ => {}
        }
    }
    names
}

/// Whether a file declares a table of this name.
fn declares_table(file: Tree<'_>, name: &str) -> bool {
    let declarations = file.all(g::RULE_ITEM).filter_map(|item| item.find(g::RULE_DECLARATION));
    declarations
        .flat_map(|declaration| declaration.all(g::RULE_DECLARATOR))
        .any(|declarator| declarator.name() == Some(name) && declarator.has_token("["))
}

/// The expression of a body that is nothing but `return expression;` and calls nothing: such a function is
/// put in place of its calls, so that `check7(3)` is read as the comparison that it stands for.
fn single_return(body: Tree<'_>) -> Option<Tree<'_>> {
    const LARGEST: usize = 200;
    let mut statements = body.all(g::RULE_STATEMENT);
    let (only, None) = (statements.next()?, statements.next()) else { return None };
    let value = only.rules().next()?.find(g::RULE_RETURN_STATEMENT)?.find(g::RULE_EXPRESSION)?;
    let mut pending = vec![value];
    let mut size = 0;
    while let Some(tree) = pending.pop() {
        size += 1;
        if size > LARGEST || matches!(Form::of(tree), Form::Call(..)) {
            return None;
        }
        pending.extend(tree.children().filter_map(|child| match child {
            Child::Rule(tree) => Some(tree),
            Child::Token(_) => None,
        }));
    }
    Some(value)
}

impl<'t> Lowering<'t> {
    /// Reports a mistake; the caller gives up on the smallest part that it can.
    pub fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Lowered<T> {
        self.diagnostics.push(diagnostic);
        Err(Refused)
    }
}
