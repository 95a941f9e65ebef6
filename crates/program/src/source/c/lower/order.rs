//! The order of operands, which C leaves open.
//!
//! Calls are made in gcc's order: those in operands of an operator from left to right, those in arguments from right to left. But gcc
//! reads what needs no computing as late as it can: `g` in `g + f()` after the call. So where a variable or an array that stands in
//! one operand is written by one that comes later, the program is refused.

use rustc_hash::FxHashSet;

use super::expression::Value;
use super::place::Lvalue;
use super::scope::Target;
use super::{Lowerer, high_table, high_word, is_wide};
use crate::expr::{Expr, ExprId, TableId, VarId};
use crate::flow::{ActionKind, BlockId};
use crate::source::Diagnostic;
use crate::source::c::types::Type;
use crate::source::c::words::{Number, Repr};
use crate::source::refused::{Lowered, refuse};
use crate::text::Span;

/// Where a value is kept: in a variable, or somewhere in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    Variable(VarId),
    Table(TableId),
}

/// What an operand reads where it is used, and what was written when it was computed.
#[derive(Debug, Default)]
pub struct Accesses {
    reads: FxHashSet<Store>,
    writes: FxHashSet<Store>,
}

/// How far the automaton was built.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    blocks: usize,
    current: BlockId,
    actions: usize,
}

impl<'s> Lowerer<'_, 's> {
    /// A function keeps something for itself while it runs: no call of it sees what another had there.
    pub fn own(&mut self, variable: VarId, ty: &Type, function: &'s str) {
        self.owners.insert(Store::Variable(variable), function);
        if is_wide(ty) {
            self.owners.insert(Store::Variable(high_word(variable)), function);
        }
    }

    pub fn own_table(&mut self, table: TableId, bits: u32, function: &'s str) {
        self.owners.insert(Store::Table(table), function);
        if bits > 32 {
            self.owners.insert(Store::Table(high_table(table)), function);
        }
    }

    pub fn since_now(&self) -> Since {
        let actions = self.automaton.blocks[self.current.index()].actions.len();
        Since { blocks: self.automaton.blocks.len(), current: self.current, actions }
    }

    /// What a value that was computed since then reads, and what was written for it.
    pub fn accesses(&self, since: Since, value: &Value) -> Accesses {
        let writes = self.actions(since).filter_map(|action| match *action {
            ActionKind::Assign { variable, .. } | ActionKind::Choose { variable, .. } => {
                Some(Store::Variable(variable))
            }
            ActionKind::Store { table, .. } => Some(Store::Table(table)),
            ActionKind::Assume(_) => None,
        });
        Accesses { reads: self.read_by(words_of(value)), writes: self.shared(writes) }
    }

    /// What was read to find the place that a value is in, and what it is read from.
    pub fn accesses_of_place(&self, since: Since, value: &Value) -> Accesses {
        let assigned = self.actions(since).filter_map(|action| match *action {
            ActionKind::Assign { value, .. } => Some(value),
            _ => None,
        });
        Accesses { reads: self.read_by(assigned.chain(words_of(value))), ..self.accesses(since, value) }
    }

    /// What was read last, to find the place that something is about to be assigned to.
    pub fn index_accesses(&self, place: &Lvalue) -> Accesses {
        let actions = &self.automaton.blocks[self.current.index()].actions;
        let reads = match (place, actions.last().map(|action| &action.kind)) {
            (Lvalue::Cell { index, .. }, Some(ActionKind::Assign { variable, value }))
                if self.builder.exprs.get(*index) == Expr::Var(*variable) =>
            {
                self.read_by([*value])
            }
            _ => FxHashSet::default(),
        };
        Accesses { reads, writes: FxHashSet::default() }
    }

    fn actions(&self, since: Since) -> impl Iterator<Item = &ActionKind> {
        let blocks = &self.automaton.blocks;
        let begun = &blocks[since.current.index()].actions[since.actions..];
        let new = blocks[since.blocks..].iter().flat_map(|block| &block.actions);
        begun.iter().chain(new).map(|action| &action.kind)
    }

    fn read_by(&self, words: impl IntoIterator<Item = ExprId>) -> FxHashSet<Store> {
        let parts = words.into_iter().flat_map(|word| self.builder.exprs.parts(word));
        self.shared(parts.filter_map(|part| match part {
            Expr::Var(variable) => Some(Store::Variable(variable)),
            Expr::Table(table) => Some(Store::Table(table)),
            _ => None,
        }))
    }

    /// Those that more than one call of a function can see.
    fn shared(&self, stores: impl Iterator<Item = Store>) -> FxHashSet<Store> {
        let is_running = |name: &str| self.frames.iter().any(|frame| frame.name == name);
        stores.filter(|store| self.owners.get(store).is_none_or(|&name| is_running(name))).collect()
    }

    /// Refuses operands, in the order in which they were computed, if it matters when they are read.
    pub fn check_order(&self, operands: &[Accesses], span: Span) -> Lowered {
        for (number, one) in operands.iter().enumerate() {
            if operands[number + 1..].iter().any(|later| !later.writes.is_disjoint(&one.reads)) {
                let message = "the order in which C computes these operands is not defined";
                return refuse(Diagnostic::new(span, message, "one of them changes what another one uses"));
            }
        }
        Ok(())
    }
}

/// The words that a value is made of.
fn words_of(value: &Value) -> Vec<ExprId> {
    match value {
        Value::Number(Number { value: Repr::Pair(pair), .. }) => vec![pair.low, pair.high],
        Value::Number(Number { value: Repr::Word(word) | Repr::Truth(word), .. }) => vec![*word],
        Value::Pointer(word) => vec![*word],
        Value::Address(Target::Cells { offset, position, .. }) => vec![*offset, *position],
        _ => vec![],
    }
}
