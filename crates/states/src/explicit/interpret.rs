//! The step by interpretation, for machines without a code generator and programs too large for it.
//!
//! It works on the same frame as [`super::native`] and returns the same status, so that either can stand in for the
//! other; the tests compare both with the simulator.

use super::grow;
use super::layout::{Layout, MOST_PRINTED};
use super::machine::{END, RETURN};
use crate::analysis::slice::Slice;
use crate::expr::{BinaryOp, Expr, ExprId, TableId};
use crate::program::{Piece, Program, StmtId, StmtKind, Stream};

/// The data for interpreting a step.
#[derive(Clone, Copy)]
pub struct Interpreter<'p> {
    pub program: &'p Program,
    pub slice: &'p Slice,
    pub layout: &'p Layout,
}

impl Interpreter<'_> {
    /// Executes one step on a frame: 0 or [`END`] and a statement.
    pub fn run(self, frame: &mut [i32]) -> i32 {
        let status = self.execute(self.program.step, frame);
        if status == RETURN { 0 } else { status }
    }

    fn execute(self, id: StmtId, frame: &mut [i32]) -> i32 {
        if !self.slice.keeps(id) {
            return 0;
        }
        let end = END + id.index() as i32;
        match &self.program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                let value = self.value(*value, frame);
                frame[self.layout.variable(*variable)] = value;
            }
            StmtKind::Store { pointer, index, value } => {
                let (pointer, index) = (self.value(*pointer, frame), self.value(*index, frame));
                let value = self.value(*value, frame);
                if let Some(word) = self.cell(pointer, index) {
                    frame[word] = value;
                }
            }
            StmtKind::Assume(condition) => return if self.value(*condition, frame) == 0 { end } else { 0 },
            StmtKind::Sequence(list) => {
                for &inner in list {
                    let status = self.execute(inner, frame);
                    if status != 0 {
                        return status;
                    }
                }
            }
            StmtKind::Choice(arms) => {
                if let Some(arm) = arms.iter().find(|arm| self.value(arm.guard, frame) != 0) {
                    return grow(|| self.execute(arm.body, frame));
                }
            }
            StmtKind::Call(function) => {
                let body = self.program.function(*function).body;
                let status = grow(|| self.execute(body, frame));
                return if status == RETURN { 0 } else { status };
            }
            StmtKind::Return => return RETURN,
            StmtKind::Reach(property) => {
                if let Some(flag) = self.layout.flag(*property) {
                    frame[flag] = 1;
                }
            }
            StmtKind::Error(_) => return end,
            StmtKind::Halt(code) => {
                let code = self.value(*code, frame);
                frame[self.layout.halt] = code;
                return end;
            }
            StmtKind::Print { stream: Stream::Diagnostic, .. } => frame[self.layout.complaint] = 1,
            StmtKind::Print { stream: Stream::Output, text } => {
                for piece in text {
                    if let Piece::Number(value) = piece {
                        let value = self.value(*value, frame);
                        let number = frame[self.layout.printed];
                        frame[self.layout.printed + 1 + number as usize % MOST_PRINTED] = value;
                        frame[self.layout.printed] = number + 1;
                    }
                }
            }
        }
        0
    }

    fn cell(self, pointer: i32, index: i32) -> Option<usize> {
        let table = TableId::new(pointer as usize);
        let index = usize::try_from(index).ok()?;
        (index < self.program.table(table).cells.len()).then(|| self.layout.table(table) + index)
    }

    fn value(self, id: ExprId, frame: &mut [i32]) -> i32 {
        match self.program.exprs.get(id) {
            Expr::Bool(value) => i32::from(value),
            Expr::Int(value) => value,
            Expr::Table(table) => table.index() as i32,
            Expr::Input(input) => {
                if let Some(marks) = self.layout.mark(input) {
                    marks.into_iter().for_each(|mark| frame[mark] = 1);
                }
                frame[self.layout.input(input)]
            }
            Expr::Var(var) => frame[self.layout.variable(var)],
            Expr::Unary(op, a) => op.apply(grow(|| self.value(a, frame))),
            Expr::Binary(BinaryOp::And, a, b) => {
                i32::from(grow(|| self.value(a, frame) != 0 && self.value(b, frame) != 0))
            }
            Expr::Binary(BinaryOp::Or, a, b) => {
                i32::from(grow(|| self.value(a, frame) != 0 || self.value(b, frame) != 0))
            }
            Expr::Binary(op, a, b) => grow(|| op.apply(self.value(a, frame), self.value(b, frame))),
            Expr::Ite(condition, then, otherwise) => grow(|| {
                let taken = if self.value(condition, frame) != 0 { then } else { otherwise };
                self.value(taken, frame)
            }),
            Expr::Cell(pointer, index) => {
                let (pointer, index) = grow(|| (self.value(pointer, frame), self.value(index, frame)));
                self.cell(pointer, index).map_or(0, |word| frame[word])
            }
            Expr::Length(pointer) => {
                let table = grow(|| self.value(pointer, frame));
                self.program.tables[table as usize].cells.len() as i32
            }
        }
    }
}
