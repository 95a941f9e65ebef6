//! What names stand for, and the calls that a run is in.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Lowerer;
use crate::expr::{ExprId, TableId, VarId};
use crate::flow::{BlockId, End};
use crate::source::Diagnostics;
use crate::source::c::ast::{Function, StmtId};
use crate::source::c::types::Type;

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

/// A call that the run is in.
pub struct Frame<'a, 's> {
    pub name: &'s str,
    pub function: &'a Function<'s>,
    pub scopes: Vec<Scope<'s>>,
    pub labels: FxHashMap<&'s str, BlockId>,
    /// Where `return` leads.
    pub exit: BlockId,
    pub result: Option<(VarId, Type)>,
    pub breaks: Vec<BlockId>,
    pub continues: Vec<BlockId>,
    pub switches: Vec<Cases>,
}

/// A block and the names that it has declared so far.
#[derive(Default)]
pub struct Scope<'s> {
    pub block: Option<StmtId>,
    pub names: FxHashMap<&'s str, Binding>,
}

/// The labels of a `switch`.
#[derive(Default)]
pub struct Cases {
    pub values: Vec<(i128, Case)>,
    pub default: Option<Case>,
    /// Why it is not known when another case is meant: a refusal.
    pub unclear: Option<End>,
}

/// Where a `case` leads, and the blocks around that.
pub struct Case {
    pub block: BlockId,
    pub around: Vec<StmtId>,
}

impl<'a, 's> Lowerer<'a, 's> {
    pub fn frame(&mut self) -> &mut Frame<'a, 's> {
        self.frames.last_mut().expect("statements stand in functions")
    }

    /// What a name stands for here, if it is declared.
    pub fn find(&mut self, name: &'s str) -> Option<Binding> {
        let scopes = self.frames.last().into_iter().flat_map(|frame| frame.scopes.iter().rev());
        let local = scopes.filter_map(|scope| scope.names.get(name)).next().cloned();
        local.or_else(|| self.global(name))
    }

    /// The blocks around the current statement, from the outside in.
    pub fn chain(&mut self) -> Vec<StmtId> {
        self.frame().scopes.iter().filter_map(|scope| scope.block).collect()
    }

    /// The blocks around a label of the current function, if there is one.
    pub fn label_chain(&mut self, label: &str) -> Option<Vec<StmtId>> {
        let (name, body) = (self.frame().name, self.frame().function.body);
        if !self.labels.contains_key(name) {
            let mut found = FxHashMap::default();
            self.text.find_labels(body, &mut found);
            self.labels.insert(name, found);
        }
        self.labels.get(name).and_then(|labels| labels.get(label)).cloned()
    }
}
