//! What names stand for.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::memory::ObjectId;
use super::text::Text;
use super::value::Value;
use crate::ast::{self, Function, Ident, StmtId};
use crate::record::Record;
use crate::types::{Integer, Type};
use redoubt_reading::Diagnostics;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Binding {
    Object(ObjectId),
    /// A parameter that keeps the address that it was given.
    Value(Value),
    /// A name of an enumeration.
    Enumerator(i128),
    /// Something that cannot be used, and its kind.
    Foreign(&'static str),
    /// The same, and the message to its users.
    Refused(Rc<Diagnostics>),
}

/// The meaning of a program's names, as far as they have been used. It is made at the first use, and then stays.
#[derive(Default)]
pub struct Names<'s> {
    /// By the names of enumerations: whether one of their numbers is below zero.
    pub signed_tags: FxHashMap<&'s str, bool>,
    pub globals: FxHashMap<&'s str, Binding>,
    /// The meaning of the declarations inside functions: functions are not entered twice at a time, so one place for
    /// each is enough.
    pub locals: FxHashMap<(StmtId, usize), Binding>,
    /// Structures and unions, by where they are defined, or by their name if that is nowhere.
    pub records: FxHashMap<RecordKey<'s>, Rc<Record>>,
    /// Per function: the blocks around each label.
    labels: FxHashMap<&'s str, FxHashMap<&'s str, Vec<StmtId>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKey<'s> {
    /// The file, and the place in it.
    Defined(u32, u32),
    Named(&'s str),
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
