//! What names stand for, and the addresses that values may be.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::text::Text;
use crate::ast::{self, Function, Ident, StmtId};
use crate::types::{Integer, Type};
use redoubt_program::expr::{ExprId, TableId, VarId};
use redoubt_reading::Diagnostics;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// An integer or a pointer.
    Variable(VarId, Type),
    Array(TableId, Type),
    /// A parameter that was given the address of something.
    Address(Target),
    /// A name of an enumeration.
    Enumerator(i128),
    /// Something that cannot be used, and what it is.
    Foreign(&'static str),
    /// Likewise, and what is said to those who use it.
    Refused(Rc<Diagnostics>),
}

/// What an address points to.
#[derive(Clone, Debug)]
pub enum Target {
    Variable(VarId, Type),
    /// One of the elements of an array, and with it all: the array has so many elements of which type, in the cells of a table from an offset on.
    Cells {
        table: TableId,
        offset: ExprId,
        element: Type,
        count: u32,
        /// Which of them is meant.
        position: ExprId,
    },
}

impl Target {
    /// Whether a pointer to this type may point here: to the very type, or to none, which is no type to read.
    pub fn may_be_seen_as(&self, pointee: &Type) -> bool {
        let (Target::Variable(_, ty) | Target::Cells { element: ty, .. }) = self;
        ty == pointee || *pointee == Type::Void
    }
}

/// What the names of a program stand for, as far as somebody has asked. It is made when it is first used, and then stays.
#[derive(Default)]
pub struct Names<'s> {
    /// By the names of enumerations: whether one of their numbers is below zero.
    pub signed_tags: FxHashMap<&'s str, bool>,
    pub globals: FxHashMap<&'s str, Binding>,
    /// What the declarations inside functions stand for: functions are not entered twice at a time, so one place for
    /// each is enough.
    pub locals: FxHashMap<(StmtId, usize), Binding>,
    /// The results and parameters of functions.
    pub results: FxHashMap<&'s str, Option<(VarId, Type)>>,
    pub parameters: FxHashMap<(&'s str, usize), Binding>,
    /// Per function: the blocks around each label.
    labels: FxHashMap<&'s str, FxHashMap<&'s str, Vec<StmtId>>>,
}

impl<'s> Names<'s> {
    /// Whether one of these names is below zero, if there are any and their numbers are known.
    pub fn is_signed(&self, names: &[(Ident<'s>, Option<ast::ExprId>)]) -> Option<bool> {
        let numbers = names.iter().map(|(name, _)| match self.globals.get(name.text) {
            Some(Binding::Enumerator(number)) => Some(*number),
            _ => None,
        });
        let lowest = numbers.collect::<Option<Vec<i128>>>()?.into_iter().min()?;
        Some(lowest < 0)
    }

    pub fn enumeration_type(&self, tag: Option<Ident<'s>>, names: &[(Ident<'s>, Option<ast::ExprId>)]) -> Type {
        let by_tag = |this: &Self| tag.and_then(|tag| this.signed_tags.get(tag.text).copied());
        match self.is_signed(names).or_else(|| by_tag(self)) {
            Some(signed) => Type::Integer(Integer { signed, ..Integer::INT }),
            None => Type::Foreign("an enumeration whose numbers are not known"),
        }
    }

    /// The blocks around a label of a function, if there is one.
    pub fn label_chain(
        &mut self,
        text: &Text<'_, 's>,
        name: &'s str,
        function: &Function<'s>,
        label: &str,
    ) -> Option<Vec<StmtId>> {
        let labels = self.labels.entry(name).or_insert_with(|| text.labels(function.body));
        labels.get(label).cloned()
    }
}
