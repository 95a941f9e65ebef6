//! The first pass over the tree: every global and table of all files gets its name and its place.

use rustc_hash::FxHashSet;

use super::ast::{
    Declaration, Declarator, Element, ExprId, ExprKind, Ident, Initializer, Specifier, SpecifierKind, StmtKind, Syntax,
    UnaryOperator,
};
use super::emit::Emitter;
use super::functions;
use super::lower::Values;
use super::names::{Binding, Names};
use redoubt_program::expr::{Expr, Type};
use redoubt_program::program::{Scope, Table};
use redoubt_program::text::{Sources, Span};
use redoubt_reading::refused::{Lowered, note, refuse};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostic, Diagnostics};

/// Declares the names outside functions, and the functions.
pub fn declare<'t>(
    syntax: &'t Syntax<'t>,
    out: &mut Emitter,
    diagnostics: &mut Diagnostics,
    watch: &mut Watch,
) -> Lowered<Names<'t>> {
    let written = written_tables(syntax);
    let mut globals = Globals { syntax, names: Names::default(), promised: vec![], out, watch };
    // Tables first, so that pointers may be initialised with one of another file.
    for declaration in syntax.declarations() {
        for table in declaration.declarators.iter().filter(|declarator| declarator.is_table()) {
            let is_written = written.contains(table.name.text);
            note(diagnostics, globals.table(declaration, table, is_written))?;
        }
    }
    for declaration in syntax.declarations() {
        for variable in declaration.declarators.iter().filter(|declarator| !declarator.is_table()) {
            note(diagnostics, globals.variable(declaration, variable))?;
        }
    }
    let promised = std::mem::take(&mut globals.promised);
    let mut names = globals.names;
    for function in syntax.functions() {
        note(diagnostics, functions::declare(function, syntax, &mut names, out))?;
    }
    for name in promised {
        note(diagnostics, keep_promise(name, &mut names, out))?;
    }
    Ok(names)
}

/// The meaning of the specifiers of a declaration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Specifiers {
    pub is_const: bool,
    pub is_extern: bool,
    pub is_void: bool,
}

impl Specifiers {
    pub fn of(list: &[Specifier<'_>]) -> Lowered<Specifiers> {
        let mut found = Specifiers::default();
        for specifier in list {
            match specifier.kind {
                SpecifierKind::Const => found.is_const = true,
                SpecifierKind::Extern => found.is_extern = true,
                SpecifierKind::Void => found.is_void = true,
                SpecifierKind::Int | SpecifierKind::Static => {}
                SpecifierKind::Foreign(other) => {
                    let message = format!("the type `{other}` is not supported");
                    return refuse(
                        Diagnostic::new(specifier.span, message, "not a 32-bit `int`")
                            .help("RERS programs compute with `int` only; nothing else is read as if it were one"),
                    );
                }
            }
        }
        Ok(found)
    }
}

/// The names of the tables that any statement may write; reads of the others can be folded. A store through a pointer
/// may write every table whose name is used as a value.
fn written_tables<'t>(syntax: &'t Syntax<'t>) -> FxHashSet<&'t str> {
    let mut stored = FxHashSet::default();
    let mut values = vec![];
    let locals = syntax.stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Declaration(declaration) => Some(&**declaration),
        _ => None,
    });
    for declarator in syntax.declarations().chain(locals).flat_map(|declaration| &declaration.declarators) {
        if let Some(Initializer::Value(value)) = declarator.initializer {
            values.extend(choices(syntax, value));
        }
    }
    for stmt in &syntax.stmts {
        let (place, value) = match stmt.kind {
            StmtKind::Assign { place, value, .. } => (place, Some(value)),
            StmtKind::Step { place, .. } => (place, None),
            _ => continue,
        };
        match syntax.expr(place).kind {
            ExprKind::Cell(base, _) | ExprKind::Unary(UnaryOperator::Dereference, base) => {
                stored.extend(choices(syntax, base));
            }
            _ => values.extend(value.into_iter().flat_map(|value| choices(syntax, value))),
        }
    }
    let declarators = syntax.declarations().flat_map(|declaration| &declaration.declarators);
    let tables: FxHashSet<&str> =
        declarators.filter(|declarator| declarator.is_table()).map(|table| table.name.text).collect();
    if !stored.is_subset(&tables) {
        stored.extend(values);
    }
    stored
}

/// The names that an expression may be the value of: itself, or the branches of a `?:`.
fn choices<'t>(syntax: &'t Syntax<'t>, value: ExprId) -> Vec<&'t str> {
    let mut names = vec![];
    let mut pending = vec![value];
    while let Some(id) = pending.pop() {
        match syntax.expr(id).kind {
            ExprKind::Name(name) => names.push(name),
            ExprKind::Conditional(_, then, otherwise) => pending.extend([then, otherwise]),
            _ => {}
        }
    }
    names
}

struct Globals<'d, 't> {
    syntax: &'t Syntax<'t>,
    names: Names<'t>,
    /// Names declared `extern`, to be defined elsewhere.
    promised: Vec<Ident<'t>>,
    out: &'d mut Emitter,
    watch: &'d mut Watch,
}

impl<'t> Globals<'_, 't> {
    fn values(&mut self) -> Values<'_, 't> {
        Values::outside(self.syntax, &self.names, self.out, self.watch)
    }

    fn table(&mut self, declaration: &Declaration<'t>, declarator: &Declarator<'t>, written: bool) -> Lowered {
        let specifiers = Specifiers::of(&declaration.specifiers)?;
        let Ident { text: name, span } = declarator.name;
        if specifiers.is_void || declarator.stars > 0 || declarator.dimensions.len() > 1 {
            let message = format!("`{name}` is not a one-dimensional table of `int`");
            return refuse(Diagnostic::new(span, message, "not supported"));
        }
        if specifiers.is_extern {
            self.promised.push(declarator.name);
            return Ok(());
        }
        let cells = self.cells(declarator)?;
        let table = Table { name: name.into(), cells, written, domain: None, span };
        let id = self.out.program.add_table(table);
        bind(&mut self.names, &self.out.program.sources, declarator.name, Binding::Table(id))
    }

    /// The cells of `int name[size] = {...}`: missing ones are 0, as in C.
    fn cells(&mut self, declarator: &Declarator<'t>) -> Lowered<Vec<i32>> {
        let name = declarator.name.text;
        let size = match declarator.dimensions[0] {
            Some(size) => Some(self.values().constant(size)?),
            None => None,
        };
        let mut cells = match &declarator.initializer {
            None => vec![],
            Some(Initializer::List(elements, _)) => self.elements(elements)?,
            Some(Initializer::Value(value)) => {
                let message = format!("the table `{name}` needs a list in braces");
                return refuse(Diagnostic::new(self.syntax.expr(*value).span, message, "expected `{`"));
            }
        };
        const MOST: i32 = 1 << 20;
        let length = size.unwrap_or(cells.len() as i32);
        if !(1..=MOST).contains(&length) || (length as usize) < cells.len() {
            let cell = if length == 1 { "cell" } else { "cells" };
            let message = match cells.len() {
                values if values > 0 => format!("`{name}` has {length} {cell}, but {values} values"),
                _ => format!("`{name}` has {length} {cell}"),
            };
            return refuse(
                Diagnostic::new(declarator.span, message, "expected a size that fits")
                    .help(format!("a table has 1 to {MOST} cells")),
            );
        }
        cells.resize(length as usize, 0);
        Ok(cells)
    }

    fn elements(&mut self, elements: &[Element]) -> Lowered<Vec<i32>> {
        let value = |element: &Element| match *element {
            Element::Value(value) => self.values().constant(value),
            Element::List(span) => refuse(Diagnostic::new(span, "nested tables are not supported", "a table")),
        };
        elements.iter().map(value).collect()
    }

    fn variable(&mut self, declaration: &Declaration<'t>, declarator: &Declarator<'t>) -> Lowered {
        let specifiers = Specifiers::of(&declaration.specifiers)?;
        let Ident { text: name, span } = declarator.name;
        if specifiers.is_void {
            let message = format!("`{name}` cannot have the type `void`");
            return refuse(Diagnostic::new(span, message, "expected `int`"));
        }
        if specifiers.is_extern && declarator.initializer.is_none() {
            self.promised.push(declarator.name);
            return Ok(());
        }
        let (ty, initial) = self.initial_value(declarator)?;
        let binding = if specifiers.is_const && ty == Type::Int {
            Binding::Constant(initial)
        } else {
            Binding::Variable(self.out.variable(name.into(), ty, Scope::Global, initial, span))
        };
        bind(&mut self.names, &self.out.program.sources, declarator.name, binding)
    }

    /// The type of a variable and its value before the program runs.
    fn initial_value(&mut self, declarator: &Declarator<'t>) -> Lowered<(Type, i32)> {
        let value = match declarator.initializer {
            Some(Initializer::List(_, span)) => return refuse(list_for_number(span)),
            Some(Initializer::Value(value)) => Some(value),
            None => None,
        };
        match (declarator.stars, value) {
            (0, None) => Ok((Type::Int, 0)),
            (0, Some(value)) => Ok((Type::Int, self.values().constant(value)?)),
            (1, Some(value)) => {
                let start = self.values().expression(value)?;
                match self.out.program.exprs.get(start) {
                    Expr::Table(table) => Ok((Type::Pointer, table.index() as i32)),
                    _ => {
                        let span = self.syntax.expr(value).span;
                        refuse(Diagnostic::new(span, "a pointer must start at a table", "not a table"))
                    }
                }
            }
            (1, None) => refuse(
                Diagnostic::new(declarator.span, "a pointer that points nowhere at first", "expected `= table`")
                    .help("pointers are read as a choice among the program's tables; there is no null among them"),
            ),
            _ => {
                let message = "pointers to pointers are not supported";
                refuse(Diagnostic::new(declarator.span, message, "not supported"))
            }
        }
    }
}

pub fn list_for_number(span: Span) -> Diagnostic {
    Diagnostic::new(span, "a list, but not for a table", "expected a number")
}

fn bind<'t>(names: &mut Names<'t>, sources: &Sources, name: Ident<'t>, binding: Binding) -> Lowered {
    names.bind(name, binding).or_else(|before| {
        let message = format!("`{}` is defined twice", name.text);
        let help = format!("first at {}", sources.place(before));
        refuse(Diagnostic::new(name.span, message, "defined again here").help(help))
    })
}

/// Checks that some file defines a name declared `extern`.
fn keep_promise<'t>(name: Ident<'t>, names: &mut Names<'t>, out: &mut Emitter) -> Lowered {
    let Ident { text, span } = name;
    if names.global(text).is_some() {
        return Ok(());
    }
    // One message is enough: its uses are read as those of a variable.
    let variable = out.variable(text.into(), Type::Int, Scope::Global, 0, span);
    bind(names, &out.program.sources, name, Binding::Variable(variable))?;
    let message = format!("`{text}` is declared `extern`, but no file defines it");
    let help = "give the file that defines it as a further argument";
    refuse(Diagnostic::new(span, message, "not defined").help(help))
}
