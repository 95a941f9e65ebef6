//! Expands reads of tables into choices: a system in, the same system without [`Expr::Cell`] and
//! [`Expr::Length`] out, for formats that have no tables.

use super::{Property, State, TransitionSystem, Write};
use crate::expr::{Expr, ExprId, Exprs, TableId, Type};
use crate::program::Domain;

/// The system with every read of a table written as `index == 0 ? first cell : index == 1 ? ... : 0`, for each
/// table that the pointer may point to.
pub fn expand(system: &TransitionSystem) -> TransitionSystem {
    let mut expander = Expander { system, exprs: Exprs::default(), new: Vec::with_capacity(system.exprs.len()) };
    let mut targets: Vec<Vec<TableId>> = Vec::with_capacity(system.exprs.len());
    for (id, expr) in system.exprs.iter() {
        targets.push(match system.exprs.type_of(id) {
            Type::Pointer => expander.targets(expr, &targets),
            Type::Bool | Type::Int => vec![],
        });
        let new = match expr {
            Expr::Cell(pointer, index) => expander.cell(&targets[pointer.index()], pointer, index),
            Expr::Length(pointer) => expander.length(&targets[pointer.index()], pointer),
            _ => {
                let new = &expander.new;
                expander.exprs.rebuild(expr, system.exprs.type_of(id), |operand| new[operand.index()])
            }
        };
        expander.new.push(new);
    }
    expander.finish()
}

struct Expander<'s> {
    system: &'s TransitionSystem,
    exprs: Exprs,
    /// For each expression of `system` its counterpart in `exprs`.
    new: Vec<ExprId>,
}

impl Expander<'_> {
    /// The tables that a pointer expression may be, ascending.
    fn targets(&self, expr: Expr, targets: &[Vec<TableId>]) -> Vec<TableId> {
        let mut list = match expr {
            Expr::Table(table) => vec![table],
            Expr::Var(var) => {
                let domain = self.system.states[var.index()].domain.iter().flat_map(Domain::iter);
                domain.map(|table| TableId::new(table as usize)).collect()
            }
            Expr::Ite(_, then, otherwise) => {
                [targets[then.index()].as_slice(), targets[otherwise.index()].as_slice()].concat()
            }
            other => unreachable!("{other:?} is not a pointer"),
        };
        list.sort_unstable();
        list.dedup();
        list
    }

    fn cell(&mut self, targets: &[TableId], pointer: ExprId, index: ExprId) -> ExprId {
        let index = self.new[index.index()];
        self.by_table(targets, pointer, |this, table| {
            let outside = this.exprs.int(0);
            // The first cell ends up outermost, so that the text reads in the order of the table.
            let cells = this.system.tables[table.index()].cells.iter().enumerate().rev();
            cells.fold(outside, |otherwise, (place, &value)| {
                let (place, value) = (this.exprs.int(place as i32), this.exprs.int(value));
                let here = this.exprs.eq(index, place);
                this.exprs.ite(here, value, otherwise)
            })
        })
    }

    fn length(&mut self, targets: &[TableId], pointer: ExprId) -> ExprId {
        self.by_table(targets, pointer, |this, table| {
            let length = this.system.tables[table.index()].cells.len();
            this.exprs.int(length as i32)
        })
    }

    /// The value for the table that a pointer points to. It is always one of the targets, so the last one needs
    /// no test.
    fn by_table(
        &mut self,
        targets: &[TableId],
        pointer: ExprId,
        mut value: impl FnMut(&mut Self, TableId) -> ExprId,
    ) -> ExprId {
        let pointer = self.new[pointer.index()];
        let Some((&last, others)) = targets.split_last() else { return self.exprs.int(0) };
        let last = value(self, last);
        others.iter().rev().fold(last, |otherwise, &table| {
            let own = value(self, table);
            let address = self.exprs.table(table);
            let here = self.exprs.eq(pointer, address);
            self.exprs.ite(here, own, otherwise)
        })
    }

    fn finish(self) -> TransitionSystem {
        let Expander { system, exprs, new } = self;
        let at = |id: ExprId| new[id.index()];
        let states = system.states.iter().map(|state| State {
            next: at(state.next),
            writes: (state.writes.iter())
                .map(|write| Write { condition: at(write.condition), value: at(write.value) })
                .collect(),
            ..state.clone()
        });
        let properties = system.properties.iter();
        TransitionSystem {
            name: system.name.clone(),
            sources: system.sources.clone(),
            inputs: system.inputs.clone(),
            tables: system.tables.clone(),
            states: states.collect(),
            properties: properties
                .map(|property| Property { condition: at(property.condition), ..property.clone() })
                .collect(),
            constraints: system.constraints.iter().map(|&id| at(id)).collect(),
            stop: at(system.stop),
            exprs,
        }
    }
}
