//! Tables in symbolic execution: reads and writes of their cells.
//!
//! A table that nothing writes stays a table of the system. The cells of a written one are variables of their
//! own, and an access by a computed index is a choice among them.

use super::Executor;
use crate::expr::{Expr, ExprId, TableId};

impl Executor<'_> {
    pub(super) fn store(&mut self, pointer: ExprId, index: ExprId, value: ExprId) {
        let targets = self.points_to.targets(&self.program.exprs, pointer);
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

    /// The cell that a pointer of the program picks, given its value and the index.
    pub(super) fn read(&mut self, place: ExprId, pointer: ExprId, index: ExprId) -> ExprId {
        let targets = self.points_to.targets(&self.program.exprs, place);
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

    /// The length of the table that a pointer of the program points to, given its value.
    pub(super) fn length(&mut self, place: ExprId, pointer: ExprId) -> ExprId {
        let targets = self.points_to.targets(&self.program.exprs, place);
        let mut lengths = targets.into_iter().map(|table| (table, self.program.table(table).cells.len() as i32));
        let Some((_, first)) = lengths.next() else { return self.exprs.int(0) };
        let first = self.exprs.int(first);
        lengths.fold(first, |otherwise, (table, length)| {
            let (address, length) = (self.exprs.table(table), self.exprs.int(length));
            let here = self.exprs.eq(pointer, address);
            self.exprs.ite(here, length, otherwise)
        })
    }
}
