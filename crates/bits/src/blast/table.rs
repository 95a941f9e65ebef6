//! Reads from constant tables: by pointer, by index, or both.

use super::code::select;
use super::{Blaster, WORD};
use crate::circuit::word::{self, Word};
use crate::expr::{Expr, ExprId, Type};
use crate::program::Domain;

impl Blaster<'_> {
    /// Notes which tables a pointer expression may be.
    pub(super) fn find_targets(&mut self, id: ExprId, expr: Expr) {
        if self.system.exprs.type_of(id) != Type::Pointer {
            return;
        }
        let mut list = match expr {
            Expr::Table(table) => vec![table.index() as i32],
            Expr::Var(var) => self.system.states[var.index()].domain.iter().flat_map(Domain::iter).collect(),
            Expr::Ite(_, then, otherwise) => {
                [self.targets[then.index()].as_slice(), &self.targets[otherwise.index()]].concat()
            }
            other => unreachable!("{other:?} is not a pointer"),
        };
        list.sort_unstable();
        list.dedup();
        self.targets[id.index()] = list;
    }

    /// The cell at an index of the table that a pointer points to; 0 outside.
    pub(super) fn cell(&mut self, pointer: ExprId, index: ExprId) -> Word {
        let index = self.word(index).clone();
        self.by_table(pointer, |this, table| {
            let cells = &this.system.tables[table as usize].cells;
            let words: Vec<Word> = cells.iter().map(|&cell| word::constant(i64::from(cell), WORD)).collect();
            let gates = &mut this.circuit.gates;
            let bits = usize::BITS as usize - (words.len() - 1).leading_zeros() as usize;
            let cell = select(gates, &words, &index[..bits]);
            let length = word::constant(words.len() as i64, WORD);
            let inside = word::unsigned_lt(gates, &index, &length);
            word::mux(gates, inside, &cell, &word::constant(0, WORD))
        })
    }

    pub(super) fn length(&mut self, pointer: ExprId) -> Word {
        self.by_table(pointer, |this, table| {
            word::constant(this.system.tables[table as usize].cells.len() as i64, WORD)
        })
    }

    /// The value for the table that a pointer points to; it is always one of its targets, so the last one
    /// needs no test.
    fn by_table(&mut self, pointer: ExprId, mut value: impl FnMut(&mut Self, i32) -> Word) -> Word {
        let targets = self.targets[pointer.index()].clone();
        let Some((&last, others)) = targets.split_last() else { return word::constant(0, WORD) };
        let mut result = value(self, last);
        for &table in others {
            let here = match self.system.exprs.get(pointer) {
                Expr::Var(var) => {
                    let (code, bits) = (&self.states[var.index()], &self.state_bits[var.index()]);
                    code.is_value(&mut self.circuit.gates, bits, table)
                }
                _ => None,
            };
            let here = here.unwrap_or_else(|| {
                let word = self.word(pointer).clone();
                word::eq(&mut self.circuit.gates, &word, &word::constant(i64::from(table), WORD))
            });
            let own = value(self, table);
            result = word::mux(&mut self.circuit.gates, here, &own, &result);
        }
        result
    }
}
