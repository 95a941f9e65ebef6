//! Statements to machine code.

use super::Emitter;
use super::assembler::{Arithmetic, Operand, Register};
use crate::explicit::grow;
use crate::explicit::layout::MOST_PRINTED;
use crate::explicit::machine::END;
use crate::expr::{Expr, ExprId};
use crate::program::{Arm, Piece, StmtId, StmtKind, Stream};

/// Whether the program goes on behind a statement, for all that can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Left,
}

impl Emitter<'_> {
    /// A function, or the step: its body and the way back.
    pub(super) fn body(&mut self, id: StmtId) {
        if self.stmt(id) == Flow::On {
            self.assembler.ret();
        }
    }

    fn stmt(&mut self, id: StmtId) -> Flow {
        if !self.slice.keeps(id) {
            return Flow::On;
        }
        match &self.program.stmt(id).kind {
            StmtKind::Sequence(list) => return self.sequence(list),
            StmtKind::Choice(arms) => return self.choice(arms),
            StmtKind::Assign { variable, value } => self.assign(self.layout.variable(*variable), *value),
            StmtKind::Store { pointer, index, value } => self.store_cell(*pointer, *index, *value),
            StmtKind::Assume(condition) => {
                let on = self.assembler.label();
                self.branch(*condition, true, on, 0);
                self.end(id);
                self.assembler.bind(on);
            }
            StmtKind::Call(function) => {
                let function = self.function(*function);
                self.assembler.call(function);
            }
            StmtKind::Return => {
                self.assembler.ret();
                return Flow::Left;
            }
            StmtKind::Reach(property) => {
                if let Some(flag) = self.layout.flag(*property) {
                    self.assembler.store_immediate(self.word(flag), 1);
                }
            }
            StmtKind::Error(_) => {
                self.end(id);
                return Flow::Left;
            }
            StmtKind::Halt(code) => {
                self.assign(self.layout.halt, *code);
                self.end(id);
                return Flow::Left;
            }
            StmtKind::Print { stream: Stream::Diagnostic, .. } => {
                self.assembler.store_immediate(self.word(self.layout.complaint), 1);
            }
            StmtKind::Print { stream: Stream::Output, text } => {
                for piece in text {
                    if let Piece::Number(value) = piece {
                        self.print(*value);
                    }
                }
            }
        }
        Flow::On
    }

    fn assign(&mut self, word: usize, value: ExprId) {
        let place = self.word(word);
        match self.program.exprs.get(value) {
            Expr::Int(number) => self.assembler.store_immediate(place, number),
            _ => {
                let register = self.value(value, 0);
                self.assembler.store(place, register);
            }
        }
    }

    /// Ends the run with the status of a statement, however deep in functions it is.
    fn end(&mut self, id: StmtId) {
        self.assembler.load(Register::Eax, Operand::Immediate(END + id.index() as i32));
        self.assembler.jump(self.exit);
    }

    /// Notes a number that is printed, and that there is one more.
    fn print(&mut self, value: ExprId) {
        let value = self.value(value, 0);
        let (number, place) = (Register::Eax, Register::Ecx);
        let printed = self.word(self.layout.printed);
        self.assembler.load(number, Operand::Memory(printed));
        self.assembler.load(place, Operand::Register(number));
        self.assembler.arithmetic(Arithmetic::And, place, Operand::Immediate(MOST_PRINTED as i32 - 1));
        self.assembler.store(self.word(self.layout.printed + 1).indexed(place, 2), value);
        self.assembler.arithmetic(Arithmetic::Add, number, Operand::Immediate(1));
        self.assembler.store(printed, number);
    }

    fn sequence(&mut self, list: &[StmtId]) -> Flow {
        let left = list.iter().any(|&inner| grow(|| self.stmt(inner)) == Flow::Left);
        if left { Flow::Left } else { Flow::On }
    }

    fn choice(&mut self, arms: &[Arm]) -> Flow {
        // Guards have no effects: behind the last arm that does something there is nothing to decide.
        let Some(last) = arms.iter().rposition(|arm| self.slice.keeps(arm.body)) else { return Flow::On };
        let join = self.assembler.label();
        for (index, arm) in arms.iter().enumerate().take(last + 1) {
            let otherwise = self.assembler.label();
            self.branch(arm.guard, false, otherwise, 0);
            if grow(|| self.stmt(arm.body)) == Flow::On && index < last {
                self.assembler.jump(join);
            }
            self.assembler.bind(otherwise);
        }
        self.assembler.bind(join);
        // No guard may have been true.
        Flow::On
    }
}
