//! Expressions on single numbers and on sets of them.

use super::guards::Slot;
use crate::analysis::Values;
use crate::analysis::domain::{binary, unary};
use crate::base::stack::grow;
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::program::Program;

/// The value of an expression; `leaf` knows those of variables and inputs. Tables are constant.
pub fn evaluate(program: &Program, id: ExprId, leaf: &dyn Fn(Expr) -> i32) -> i32 {
    let at = |id| grow(|| evaluate(program, id, leaf));
    match program.exprs.get(id) {
        Expr::Bool(value) => i32::from(value),
        Expr::Int(value) => value,
        Expr::Table(table) => table.index() as i32,
        source @ (Expr::Var(_) | Expr::Input(_)) => leaf(source),
        Expr::Unary(op, a) => op.apply(at(a)),
        Expr::Binary(op, a, b) => op.apply(at(a), at(b)),
        Expr::Ite(condition, then, otherwise) => at(if at(condition) != 0 { then } else { otherwise }),
        Expr::Cell(pointer, index) => program.tables[at(pointer) as usize].cell(at(index)),
        Expr::Length(pointer) => program.tables[at(pointer) as usize].cells.len() as i32,
    }
}

/// All values that an expression can have; `leaf` knows those of variables and inputs.
pub fn range_of(program: &Program, id: ExprId, leaf: &dyn Fn(Expr) -> Values) -> Values {
    let at = |id| grow(|| range_of(program, id, leaf));
    match program.exprs.get(id) {
        Expr::Bool(value) => Values::one(i32::from(value)),
        Expr::Int(value) => Values::one(value),
        Expr::Table(table) => Values::one(table.index() as i32),
        source @ (Expr::Var(_) | Expr::Input(_)) => leaf(source),
        Expr::Unary(op, a) => unary(op, &at(a)),
        Expr::Binary(op, a, b) => {
            let a = at(a);
            match (op, a.single()) {
                (BinaryOp::And, Some(0)) | (BinaryOp::Or, Some(1)) => a,
                _ => binary(op, &a, &at(b)),
            }
        }
        Expr::Ite(condition, then, otherwise) => match at(condition).single() {
            Some(0) => at(otherwise),
            Some(_) => at(then),
            None => {
                let then = at(then);
                then.join(&at(otherwise))
            }
        },
        Expr::Cell(pointer, index) => {
            let (tables, index) = (at(pointer), at(index));
            let mut found = Values::NONE;
            for table in tables.iter() {
                let table = &program.tables[table as usize];
                let inside = table.cells.iter().enumerate().filter(|(at, _)| index.contains(*at as i32));
                found = found.join(&Values::from_list(inside.map(|(_, &cell)| cell).collect()));
                if index.bounds().is_some_and(|(low, high)| low < 0 || high as usize >= table.cells.len()) {
                    found = found.join(&Values::one(0));
                }
            }
            found
        }
        Expr::Length(pointer) => {
            let tables = at(pointer);
            Values::from_list(tables.iter().map(|table| program.tables[table as usize].cells.len() as i32).collect())
        }
    }
}

pub fn slot_of(program: &Program, leaf: Expr) -> Slot {
    match leaf {
        Expr::Var(var) => Slot::new(var.index()),
        Expr::Input(input) => Slot::new(program.variables.len() + input.index()),
        other => unreachable!("{other:?} is no leaf"),
    }
}
