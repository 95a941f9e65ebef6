//! Heads of loops and labels, with what the text can name there.

use rustc_hash::FxHashMap;

use super::Lowerer;
use super::emit::Emitter;
use super::memory::Home;
use super::names::{Binding, Names};
use super::text::Text;
use super::value::Value;
use crate::ast::{StmtId, StmtKind};
use crate::types::{Integer, Type};
use redoubt_program::expr::VarId;
use redoubt_program::flow::{BlockId, Landmark};
use redoubt_program::program::HeadKind;
use redoubt_program::text::Span;

/// A landmark while not all globals are known yet.
pub struct Mark<'s> {
    block: BlockId,
    span: Span,
    kind: HeadKind,
    function: &'s str,
    locals: FxHashMap<&'s str, Binding>,
}

impl<'s> Mark<'s> {
    /// The names that are visible, once all used globals are known.
    pub fn landmark(self, text: &Text<'_, 's>, names: &Names<'s>, out: &Emitter) -> Landmark {
        let Mark { block, span, kind, function, locals } = self;
        let mut landmark =
            Landmark { block: Some(block), span, kind, function: function.into(), variables: vec![], tables: vec![] };
        for (name, binding) in &names.globals {
            if !locals.contains_key(name) && text.is_declared_before(name, span) {
                add(name, binding, out, &mut landmark);
            }
        }
        locals.iter().for_each(|(name, binding)| add(name, binding, out, &mut landmark));
        landmark.variables.sort_unstable();
        landmark.tables.sort_unstable();
        landmark
    }
}

impl Lowerer<'_, '_> {
    /// Notes that a block begins at a place of the text.
    pub fn mark(&mut self, block: BlockId, span: Span, kind: HeadKind) {
        let scopes = self.frame.scopes.iter().flat_map(|scope| &scope.names);
        let locals = scopes.map(|(&name, binding)| (name, binding.clone())).collect();
        self.marks.push(Mark { block, span, kind, function: self.frame.name, locals });
    }

    /// The same for a body that comes before the first test of its loop: its first statement.
    pub fn mark_body(&mut self, block: BlockId, body: StmtId) {
        let first = match &self.text.stmt(body).kind {
            StmtKind::Block(list) => list.first().copied(),
            StmtKind::Empty => None,
            _ => Some(body),
        };
        if let Some(first) = first {
            self.mark(block, self.text.stmt(first).span, HeadKind::Statement);
        }
    }
}

/// Adds what has a name, and its members.
fn add(name: &str, binding: &Binding, out: &Emitter, landmark: &mut Landmark) {
    let (object, name) = match binding {
        Binding::Object(object) => (*object, name.to_string()),
        Binding::Value(Value::Address(address)) if address.sub.indices.is_empty() && address.sub.offset == 0 => {
            (address.sub.object, format!("(*{name})"))
        }
        _ => return,
    };
    let object = out.memory.object(object);
    let is_plain = object.ty.is_scalar();
    for leaf in &object.leaves {
        let Type::Integer(ty) = leaf.ty else { continue };
        let called = match leaf.home {
            Home::Variable(variable) => &out.automaton.variables[variable.index()].name,
            Home::Table(table) => &out.builder.table(table).name,
        };
        let member = if is_plain { "" } else { called.find('.').map_or("", |at| &called[at..]) };
        match leaf.home {
            _ if leaf.raw => {}
            Home::Variable(variable) => words(variable, ty, &format!("{name}{member}"), &mut landmark.variables),
            Home::Table(table) => {
                // The high words of an array have no name that an index could stand behind, nor do members of its elements.
                if let Type::Array(element, _) = &object.ty
                    && element.is_scalar()
                {
                    landmark.tables.push((table, cast(ty, &name)));
                }
            }
        }
    }
}

/// The words of a number.
fn words(variable: VarId, ty: Integer, name: &str, out: &mut Vec<(VarId, String)>) {
    out.push((variable, cast(ty, name)));
    if ty.bits > 32 {
        out.push((super::high_word(variable), format!("(int) ({name} >> 32)")));
    }
}

/// A value as a number of 32 bits with a sign.
fn cast(ty: Integer, name: &str) -> String {
    if Integer::INT.includes(ty) { name.into() } else { format!("(int) {name}") }
}
