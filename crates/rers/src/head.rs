//! The names that the text has at the head of `main`'s loop.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Item, Syntax};
use super::emit::Emitter;
use super::names::{Binding, Names};
use redoubt_program::expr::{TableId, VarId};
use redoubt_program::program::{AtHead, HeadKind, LoopHead, assigned};
use redoubt_program::text::Span;

/// `main`'s loop and the locals that can be named at its head.
pub struct Loop<'t> {
    pub span: Span,
    pub locals: FxHashMap<&'t str, Binding>,
}

/// Describes the head of the loop once everything is lowered.
pub fn describe(syntax: &Syntax<'_>, names: &Names<'_>, out: &Emitter, found: &Loop<'_>) -> LoopHead {
    let program = &out.program;
    let mut variables: FxHashMap<VarId, &str> = FxHashMap::default();
    let mut tables: FxHashMap<TableId, &str> = FxHashMap::default();
    let declared = declared_before(syntax, found.span);
    let globals = names.globals().filter(|(name, _)| declared.contains(name) && !found.locals.contains_key(name));
    for (name, binding) in globals.chain(found.locals.iter().map(|(&name, &binding)| (name, binding))) {
        match binding {
            Binding::Variable(variable) => drop(variables.insert(variable, name)),
            Binding::Table(table) => drop(tables.insert(table, name)),
            Binding::Constant(_) | Binding::Value(_) => {}
        }
    }
    let called = |name: Option<&&str>| name.map_or(AtHead::Hidden, |&name| AtHead::Called(name.into()));
    let mut head = LoopHead {
        span: found.span,
        kind: HeadKind::Loop,
        function: "main".into(),
        location: None,
        variables: (0..program.variables.len()).map(|index| called(variables.get(&VarId::new(index)))).collect(),
        tables: (0..program.tables.len()).map(|index| called(tables.get(&TableId::new(index)))).collect(),
    };
    // Locals of functions, and declarations of the setup in inner blocks, are gone when the loop begins.
    let globals = names.variables();
    for (index, at_head) in head.variables.iter_mut().enumerate() {
        if *at_head == AtHead::Hidden && !globals.contains(&VarId::new(index)) {
            *at_head = AtHead::Dead;
        }
    }
    for variable in assigned::unassigned_after_setup(program, &out.uninitialised) {
        head.variables[variable.index()] = AtHead::Dead;
    }
    head
}

/// The names that the file of the loop declares before it, outside functions.
fn declared_before<'t>(syntax: &Syntax<'t>, place: Span) -> FxHashSet<&'t str> {
    let items = syntax.files[place.file as usize].iter().filter_map(Item::declaration);
    let before = items.filter(|declaration| declaration.span.start < place.start);
    before.flat_map(|declaration| &declaration.declarators).map(|declarator| declarator.name.text).collect()
}
