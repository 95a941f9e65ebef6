//! The call that is being put in place, and the names that can be seen in it.

use rustc_hash::FxHashMap;

use super::memory::ObjectId;
use super::names::Binding;
use crate::ast::{Function, StmtId};
use redoubt_program::flow::{BlockId, End};

/// The call that the run is in.
pub struct Frame<'a, 's> {
    pub name: &'s str,
    pub function: &'a Function<'s>,
    pub scopes: Vec<Scope<'s>>,
    pub labels: FxHashMap<&'s str, BlockId>,
    /// Where `return` leads.
    pub exit: BlockId,
    pub result: Option<ObjectId>,
    pub breaks: Vec<BlockId>,
    pub continues: Vec<BlockId>,
    pub switches: Vec<Cases>,
    /// Whether the value is an operand, which gcc may rearrange together with its surroundings.
    pub is_inside_operator: bool,
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

impl<'a, 's> Frame<'a, 's> {
    /// A call that begins, with what its parameters stand for.
    pub fn new(
        name: &'s str,
        function: &'a Function<'s>,
        parameters: FxHashMap<&'s str, Binding>,
        exit: BlockId,
        result: Option<ObjectId>,
    ) -> Frame<'a, 's> {
        Frame {
            name,
            function,
            scopes: vec![Scope { block: None, names: parameters }],
            labels: FxHashMap::default(),
            exit,
            result,
            breaks: vec![],
            continues: vec![],
            switches: vec![],
            is_inside_operator: false,
        }
    }

    /// The blocks around the current statement, from the outside in.
    pub fn chain(&self) -> Vec<StmtId> {
        self.scopes.iter().filter_map(|scope| scope.block).collect()
    }
}
