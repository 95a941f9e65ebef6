//! What names stand for, and the calls that a run is in.

use rustc_hash::FxHashMap;

use super::Lowerer;
use super::names::Binding;
use crate::expr::VarId;
use crate::flow::{BlockId, End};
use crate::source::c::ast::{Function, StmtId};
use crate::source::c::types::Type;

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

    /// The blocks around the current statement, from the outside in.
    pub fn chain(&mut self) -> Vec<StmtId> {
        self.frame().scopes.iter().filter_map(|scope| scope.block).collect()
    }
}
