//! An automaton to the values that can still matter, block by block.
//!
//! A variable is live if its value may decide a branch or an assumption later, or the value of a live variable; a value
//! that is only passed on to dead variables is dead. Tables count as wholes. The sets shrink to nothing behind the last
//! reachable property, so dead actions need no other reason to go.

use redoubt_base::BitSet;

use super::{Action, ActionKind, Automaton, End};
use crate::expr::{Expr, ExprId, Exprs, TableId, VarId};

/// Per block, the variables and tables that are live at its beginning and at its end.
pub struct Liveness {
    pub at_start: Vec<Live>,
    pub at_end: Vec<Live>,
}

/// A set of variables and tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// The variables, and behind them the tables.
    numbers: BitSet,
    variables: usize,
}

impl Live {
    fn new(variables: usize, tables: usize) -> Live {
        Live { numbers: BitSet::none(variables + tables), variables }
    }

    pub fn has(&self, variable: VarId) -> bool {
        self.numbers.contains(variable.index())
    }

    pub fn has_table(&self, table: TableId) -> bool {
        self.numbers.contains(self.variables + table.index())
    }

    pub fn read(&mut self, exprs: &Exprs, value: ExprId) {
        for part in exprs.parts(value) {
            match part {
                Expr::Var(variable) => self.numbers.insert(variable.index()),
                Expr::Table(table) => self.numbers.insert(self.variables + table.index()),
                _ => {}
            }
        }
    }

    /// Whether the action affects anything that is live after it.
    pub fn wants(&self, action: &Action) -> bool {
        match &action.kind {
            ActionKind::Assign { variable, .. } => self.has(*variable),
            ActionKind::Store { table, .. } => self.has_table(*table),
            ActionKind::Choose { variable, name, .. } => name.is_some() || self.has(*variable),
            ActionKind::Assume(_) => true,
        }
    }

    /// From the live variables after an action to those before it.
    pub fn go_back(&mut self, action: &Action, exprs: &Exprs) {
        if !self.wants(action) {
            return;
        }
        match &action.kind {
            ActionKind::Assign { variable, value } => {
                self.numbers.remove(variable.index());
                self.read(exprs, *value);
            }
            ActionKind::Store { index, value, .. } => {
                self.read(exprs, *index);
                self.read(exprs, *value);
            }
            ActionKind::Choose { variable, .. } => self.numbers.remove(variable.index()),
            ActionKind::Assume(condition) => self.read(exprs, *condition),
        }
    }
}

impl Liveness {
    pub fn of(automaton: &Automaton, exprs: &Exprs, tables: usize) -> Liveness {
        let nothing = Live::new(automaton.variables.len(), tables);
        let mut at_start = vec![nothing.clone(); automaton.blocks.len()];
        let mut at_end = vec![nothing; automaton.blocks.len()];
        let predecessors = automaton.predecessors();
        // Blocks are mostly numbered in the order of runs, and liveness comes from behind.
        let mut waiting: Vec<_> = automaton.ids().collect();
        let mut is_waiting = vec![true; automaton.blocks.len()];
        while let Some(id) = waiting.pop() {
            is_waiting[id.index()] = false;
            let block = automaton.block(id);
            let mut live = at_end[id.index()].clone();
            block.end.successors().for_each(|next| live.numbers.unite(&at_start[next.index()].numbers));
            at_end[id.index()] = live.clone();
            if let End::Branch { condition, .. } = &block.end {
                live.read(exprs, *condition);
            }
            block.actions.iter().rev().for_each(|action| live.go_back(action, exprs));
            if live != at_start[id.index()] {
                at_start[id.index()] = live;
                for &before in &predecessors[id.index()] {
                    if !std::mem::replace(&mut is_waiting[before.index()], true) {
                        waiting.push(before);
                    }
                }
            }
        }
        Liveness { at_start, at_end }
    }
}
