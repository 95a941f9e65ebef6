//! Andersen's points-to analysis in its simplest form: a program to the tables that each pointer may point to.
//!
//! A pointer variable points to its initial target and to whatever is ever assigned to it, in whichever order the
//! statements run. There are no pointers to pointers, so a pointer expression is a table, a variable, or a choice
//! between two pointers.

use super::{Program, Scope, StmtKind};
use crate::expr::{Expr, ExprId, Exprs, TableId, Type, VarId};

/// Which tables the pointers of a program may point to.
#[derive(Clone, Debug)]
pub struct PointsTo {
    /// Per variable, ascending; empty if it is no pointer.
    variables: Vec<Vec<TableId>>,
}

impl PointsTo {
    pub fn of(program: &Program) -> PointsTo {
        let start = program.variables.iter().map(|variable| match (variable.ty, variable.scope) {
            (Type::Pointer, Scope::Global) => vec![TableId::new(variable.initial as usize)],
            // Locals are written before they are read.
            _ => vec![],
        });
        let mut points_to = PointsTo { variables: start.collect() };
        let mut copies: Vec<(VarId, VarId)> = vec![];
        for stmt in &program.stmts {
            if let StmtKind::Assign { variable, value } = stmt.kind
                && program.variable(variable).ty == Type::Pointer
            {
                leaves(&program.exprs, value, |leaf| match leaf {
                    Expr::Table(table) => points_to.variables[variable.index()].push(table),
                    Expr::Var(source) => copies.push((variable, source)),
                    other => unreachable!("{other:?} is not a pointer"),
                });
            }
        }
        points_to.variables.iter_mut().for_each(tidy);
        points_to.close(&copies);
        points_to
    }

    /// Follows assignments from one pointer variable to another until nothing is added.
    fn close(&mut self, copies: &[(VarId, VarId)]) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(variable, source) in copies {
                let mut joined = [self.variable(variable), self.variable(source)].concat();
                tidy(&mut joined);
                changed |= joined.len() > self.variable(variable).len();
                self.variables[variable.index()] = joined;
            }
        }
    }

    /// The tables that a variable may point to, ascending.
    pub fn variable(&self, variable: VarId) -> &[TableId] {
        &self.variables[variable.index()]
    }

    /// The tables that a pointer expression may point to, ascending.
    pub fn targets(&self, exprs: &Exprs, pointer: ExprId) -> Vec<TableId> {
        let mut found = vec![];
        leaves(exprs, pointer, |leaf| match leaf {
            Expr::Table(table) => found.push(table),
            Expr::Var(variable) => found.extend(self.variable(variable)),
            other => unreachable!("{other:?} is not a pointer"),
        });
        tidy(&mut found);
        found
    }
}

/// The tables and variables that a pointer expression chooses among, each choice looked into once.
fn leaves(exprs: &Exprs, pointer: ExprId, mut visit: impl FnMut(Expr)) {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut pending = vec![pointer];
    while let Some(id) = pending.pop() {
        match exprs.get(id) {
            Expr::Ite(_, then, otherwise) => {
                pending.extend([then, otherwise].into_iter().filter(|&branch| seen.insert(branch)));
            }
            leaf => visit(leaf),
        }
    }
}

fn tidy(tables: &mut Vec<TableId>) {
    tables.sort_unstable();
    tables.dedup();
}
