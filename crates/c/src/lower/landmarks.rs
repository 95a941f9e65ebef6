//! Heads of loops and labels, with what the text can name there.

use rustc_hash::FxHashMap;

use super::Lowerer;
use super::names::{Binding, Names, Target};
use super::text::Text;
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
    /// What can be named once all globals are known that somebody uses.
    pub fn landmark(self, text: &Text<'_, 's>, names: &Names<'s>) -> Landmark {
        let Mark { block, span, kind, function, locals } = self;
        let mut landmark =
            Landmark { block: Some(block), span, kind, function: function.into(), variables: vec![], tables: vec![] };
        for (name, binding) in &names.globals {
            if !locals.contains_key(name) && text.is_declared_before(name, span) {
                add(name, binding, &mut landmark);
            }
        }
        locals.iter().for_each(|(name, binding)| add(name, binding, &mut landmark));
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

    /// Likewise for a body that comes before the first test of its loop: its first statement.
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

/// Adds what has a name.
fn add(name: &str, binding: &Binding, landmark: &mut Landmark) {
    match binding {
        Binding::Variable(variable, Type::Integer(ty)) => words(*variable, *ty, name, &mut landmark.variables),
        Binding::Address(Target::Variable(variable, Type::Integer(ty))) => {
            words(*variable, *ty, &format!("*{name}"), &mut landmark.variables);
        }
        Binding::Array(table, Type::Array(element, _)) => {
            // The high words of an array have no name that an index could stand behind.
            if let Type::Integer(ty) = **element {
                landmark.tables.push((*table, cast(ty, name)));
            }
        }
        _ => {}
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
