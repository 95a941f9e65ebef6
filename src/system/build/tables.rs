//! Tables in symbolic execution: which ones a pointer may mean, and reads and writes of their cells.
//!
//! A table that nothing writes stays a table of the system. The cells of a written one are variables of their
//! own, and an access by a computed index is a choice among them.

use super::Executor;
use crate::expr::{Expr, ExprId, Exprs, TableId, Type, VarId};
use crate::program::{Program, Scope, StmtKind};

impl Executor<'_> {
    pub(super) fn store(&mut self, pointer: ExprId, index: ExprId, value: ExprId) {
        let targets = self.targets_of(pointer);
        let (pointer, index, value) = (self.value(pointer), self.value(index), self.value(value));
        for table in targets {
            let Some(slots) = self.cells[table.index()].clone() else { continue };
            for (cell, slot) in slots.enumerate() {
                let hit = self.is_cell(pointer, table, index, cell);
                if self.exprs.as_bool(hit) == Some(false) {
                    continue;
                }
                let running = self.running;
                self.running = self.exprs.and(running, hit);
                self.assign(slot, value);
                self.running = running;
            }
        }
    }

    /// The condition that a pointer and an index pick one cell.
    fn is_cell(&mut self, pointer: ExprId, table: TableId, index: ExprId, cell: usize) -> ExprId {
        let (address, number) = (self.exprs.table(table), self.exprs.int(cell as i32));
        let (this_table, this_cell) = (self.exprs.eq(pointer, address), self.exprs.eq(index, number));
        self.exprs.and(this_table, this_cell)
    }

    pub(super) fn read(&mut self, pointer: ExprId, index: ExprId) -> ExprId {
        let targets = self.targets_of(pointer);
        let (pointer, index) = (self.value(pointer), self.value(index));
        if targets.iter().all(|table| self.cells[table.index()].is_none()) {
            return self.read_constant(pointer, index);
        }
        let mut result = self.exprs.int(0);
        for table in targets {
            let address = self.exprs.table(table);
            let here = self.exprs.eq(pointer, address);
            let value = match self.cells[table.index()].clone() {
                None => self.read_constant(address, index),
                Some(slots) => {
                    let outside = self.exprs.int(0);
                    slots.enumerate().fold(outside, |otherwise, (cell, slot)| {
                        let number = self.exprs.int(cell as i32);
                        let hit = self.exprs.eq(index, number);
                        self.exprs.ite(hit, self.values[slot], otherwise)
                    })
                }
            };
            result = self.exprs.ite(here, value, result);
        }
        result
    }

    /// A read from a table that nothing writes.
    fn read_constant(&mut self, pointer: ExprId, index: ExprId) -> ExprId {
        match (self.exprs.get(pointer), self.exprs.as_int(index)) {
            (Expr::Table(table), Some(index)) => self.exprs.int(self.program.table(table).cell(index)),
            _ => self.exprs.cell(pointer, index),
        }
    }

    pub(super) fn length(&mut self, pointer: ExprId) -> ExprId {
        let targets = self.targets_of(pointer);
        let pointer = self.value(pointer);
        let mut lengths = targets.into_iter().map(|table| (table, self.program.table(table).cells.len() as i32));
        let Some((_, first)) = lengths.next() else { return self.exprs.int(0) };
        let first = self.exprs.int(first);
        lengths.fold(first, |otherwise, (table, length)| {
            let (address, length) = (self.exprs.table(table), self.exprs.int(length));
            let here = self.exprs.eq(pointer, address);
            self.exprs.ite(here, length, otherwise)
        })
    }

    /// The tables that a pointer expression of the program may point to.
    fn targets_of(&self, pointer: ExprId) -> Vec<TableId> {
        let mut found = vec![];
        pointer_leaves(&self.program.exprs, pointer, |leaf| match leaf {
            Expr::Table(table) => found.push(table),
            Expr::Var(var) => found.extend(&self.targets[var.index()]),
            _ => {}
        });
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn pointer_leaves(exprs: &Exprs, pointer: ExprId, mut visit: impl FnMut(Expr)) {
    let mut pending = vec![pointer];
    while let Some(id) = pending.pop() {
        match exprs.get(id) {
            Expr::Ite(_, then, otherwise) => pending.extend([then, otherwise]),
            leaf => visit(leaf),
        }
    }
}

/// Andersen's points-to analysis in its simplest form: what a pointer variable starts with or is ever
/// assigned, whatever the order of statements.
pub(super) fn points_to(program: &Program) -> Vec<Vec<TableId>> {
    let mut targets: Vec<Vec<TableId>> = program
        .variables
        .iter()
        .map(|variable| match (variable.ty, variable.scope) {
            (Type::Pointer, Scope::Global) => vec![TableId::new(variable.initial as usize)],
            _ => vec![],
        })
        .collect();
    let mut copies: Vec<(VarId, VarId)> = vec![];
    for stmt in &program.stmts {
        if let StmtKind::Assign { variable, value } = stmt.kind
            && program.variable(variable).ty == Type::Pointer
        {
            pointer_leaves(&program.exprs, value, |leaf| match leaf {
                Expr::Table(table) => targets[variable.index()].push(table),
                Expr::Var(source) => copies.push((variable, source)),
                _ => {}
            });
        }
    }
    let tidy = |list: &mut Vec<TableId>| {
        list.sort_unstable();
        list.dedup();
    };
    targets.iter_mut().for_each(tidy);
    loop {
        let mut changed = false;
        for &(variable, source) in &copies {
            let before = targets[variable.index()].len();
            let from = targets[source.index()].clone();
            targets[variable.index()].extend(from);
            tidy(&mut targets[variable.index()]);
            changed |= targets[variable.index()].len() > before;
        }
        if !changed {
            return targets;
        }
    }
}
