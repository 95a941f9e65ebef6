//! Expressions to machine code. Nothing here can trap: operators are as total as [`crate::expr::ops`] says.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, MemFlagsData, Value, types};

use super::super::grow;
use super::statement::{PieceBuilder, offset};
use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};

/// Up to this weight an operand is computed whether it is needed or not.
const CHEAP: u64 = 6;

impl PieceBuilder<'_, '_, '_> {
    /// Goes to one of two blocks; the current one is finished.
    pub(super) fn condition(&mut self, id: ExprId, then: Block, otherwise: Block) {
        match self.compiler.program.exprs.get(id) {
            Expr::Bool(value) => {
                self.builder.ins().jump(if value { then } else { otherwise }, &[]);
            }
            Expr::Unary(UnaryOp::Not, a) => grow(|| self.condition(a, otherwise, then)),
            Expr::Binary(BinaryOp::And, a, b) => {
                let next = self.builder.create_block();
                grow(|| self.condition(a, next, otherwise));
                self.builder.switch_to_block(next);
                grow(|| self.condition(b, then, otherwise));
            }
            Expr::Binary(BinaryOp::Or, a, b) => {
                let next = self.builder.create_block();
                grow(|| self.condition(a, then, next));
                self.builder.switch_to_block(next);
                grow(|| self.condition(b, then, otherwise));
            }
            Expr::Ite(condition, a, b) => {
                let (first, second) = (self.builder.create_block(), self.builder.create_block());
                grow(|| self.condition(condition, first, second));
                self.builder.switch_to_block(first);
                grow(|| self.condition(a, then, otherwise));
                self.builder.switch_to_block(second);
                grow(|| self.condition(b, then, otherwise));
            }
            _ => {
                let truth = self.truth(id);
                self.builder.ins().brif(truth, then, &[], otherwise, &[]);
            }
        }
    }

    /// A truth value in any width, as Cranelift's comparisons yield it.
    fn truth(&mut self, id: ExprId) -> Value {
        let Expr::Binary(op, a, b) = self.compiler.program.exprs.get(id) else { return self.value(id) };
        let comparison = match op {
            BinaryOp::Eq => IntCC::Equal,
            BinaryOp::Less => IntCC::SignedLessThan,
            BinaryOp::LessEq => IntCC::SignedLessThanOrEqual,
            _ => return self.value(id),
        };
        let (a, b) = grow(|| (self.value(a), self.value(b)));
        self.builder.ins().icmp(comparison, a, b)
    }

    /// A value of 32 bits: the number, the truth value as 0 or 1, or the number of the table.
    pub(super) fn value(&mut self, id: ExprId) -> Value {
        let program = self.compiler.program;
        match program.exprs.get(id) {
            Expr::Bool(value) => self.int(i32::from(value)),
            Expr::Int(value) => self.int(value),
            Expr::Table(table) => self.int(table.index() as i32),
            Expr::Input(input) => {
                if let Some(marks) = self.compiler.layout.mark(input) {
                    let one = self.int(1);
                    marks.into_iter().for_each(|mark| self.store_word(mark, one));
                }
                self.load_word(self.compiler.layout.input(input))
            }
            Expr::Var(var) => match self.compiler.layout.constant(var) {
                Some(value) => self.int(value),
                None => self.load_word(self.compiler.layout.variable(var)),
            },
            Expr::Unary(op, a) => {
                let a = grow(|| self.value(a));
                match op {
                    UnaryOp::Negate => self.builder.ins().ineg(a),
                    UnaryOp::BitNot => self.builder.ins().bnot(a),
                    UnaryOp::Not => self.builder.ins().bxor_imm_s(a, 1),
                    UnaryOp::ToInt => a,
                }
            }
            Expr::Binary(BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq, ..) => {
                let truth = self.truth(id);
                self.builder.ins().uextend(types::I32, truth)
            }
            Expr::Binary(BinaryOp::And | BinaryOp::Or, _, b) if !self.is_cheap(b) => self.by_branches(id),
            Expr::Binary(op, a, b) => {
                let (a, b) = grow(|| (self.value(a), self.value(b)));
                self.binary(op, a, b)
            }
            Expr::Ite(condition, a, b) => self.ite(condition, a, b),
            Expr::Cell(pointer, index) => {
                let (address, inside) = self.cell(pointer, index);
                let cell = self.builder.ins().load(types::I32, MemFlagsData::trusted(), address, 0);
                let zero = self.int(0);
                self.builder.ins().select(inside, cell, zero)
            }
            Expr::Length(pointer) => match program.exprs.get(pointer) {
                Expr::Table(table) => self.int(program.table(table).cells.len() as i32),
                _ => {
                    let pointer = grow(|| self.value(pointer));
                    self.directory(pointer).1
                }
            },
        }
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ins = self.builder.ins();
        match op {
            BinaryOp::Add => ins.iadd(a, b),
            BinaryOp::Sub => ins.isub(a, b),
            BinaryOp::Mul => ins.imul(a, b),
            BinaryOp::Div | BinaryOp::Rem => self.division(op, a, b),
            // Cranelift takes the low five bits of the amount, too.
            BinaryOp::ShiftLeft => ins.ishl(a, b),
            BinaryOp::ShiftRight => ins.sshr(a, b),
            BinaryOp::BitAnd | BinaryOp::And => ins.band(a, b),
            BinaryOp::BitOr | BinaryOp::Or => ins.bor(a, b),
            BinaryOp::BitXor => ins.bxor(a, b),
            BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq => unreachable!("comparisons are done by `truth`"),
        }
    }

    /// Divides by 1 where the processor would trap, and puts the right result in place of that.
    fn division(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let constant =
            self.builder.func.dfg.value_def(b).inst().and_then(|inst| match self.builder.func.dfg.insts[inst] {
                cranelift_codegen::ir::InstructionData::UnaryImm { imm, .. } => Some(imm.bits() as i32),
                _ => None,
            });
        if constant.is_some_and(|constant| constant != 0 && constant != -1) {
            // The code generator multiplies instead.
            return match op {
                BinaryOp::Div => self.builder.ins().sdiv(a, b),
                _ => self.builder.ins().srem(a, b),
            };
        }
        let (zero, one) = (self.int(0), self.int(1));
        let by_zero = self.builder.ins().icmp(IntCC::Equal, b, zero);
        let by_minus_one = self.builder.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let special = self.builder.ins().bor(by_zero, by_minus_one);
        let divisor = self.builder.ins().select(special, one, b);
        match op {
            BinaryOp::Div => {
                let quotient = self.builder.ins().sdiv(a, divisor);
                let negated = self.builder.ins().ineg(a);
                let otherwise = self.builder.ins().select(by_minus_one, negated, quotient);
                self.builder.ins().select(by_zero, zero, otherwise)
            }
            // The remainder by 1 is 0, as that by -1.
            _ => {
                let remainder = self.builder.ins().srem(a, divisor);
                self.builder.ins().select(by_zero, a, remainder)
            }
        }
    }

    fn ite(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> Value {
        if [condition, a, b].iter().all(|&id| self.is_cheap(id)) {
            let condition = self.truth(condition);
            let (a, b) = grow(|| (self.value(a), self.value(b)));
            return self.builder.ins().select(condition, a, b);
        }
        let (then, otherwise) = (self.builder.create_block(), self.builder.create_block());
        let join = self.builder.create_block();
        let result = self.builder.append_block_param(join, types::I32);
        grow(|| self.condition(condition, then, otherwise));
        for (block, value) in [(then, a), (otherwise, b)] {
            self.builder.switch_to_block(block);
            let value = grow(|| self.value(value));
            self.builder.ins().jump(join, &[BlockArg::Value(value)]);
        }
        self.builder.switch_to_block(join);
        result
    }

    /// Whether to compute an operand in advance, needed or not. An input counts as read then.
    fn is_cheap(&self, id: ExprId) -> bool {
        let weights = self.compiler.weights;
        weights.expr(id) <= CHEAP && (self.compiler.program.inputs.len() <= 1 || !weights.reads_input(id))
    }

    /// A truth value whose computation is better cut short.
    fn by_branches(&mut self, id: ExprId) -> Value {
        debug_assert_eq!(self.compiler.program.exprs.type_of(id), Type::Bool);
        let (then, otherwise) = (self.builder.create_block(), self.builder.create_block());
        let join = self.builder.create_block();
        let result = self.builder.append_block_param(join, types::I32);
        grow(|| self.condition(id, then, otherwise));
        for (block, value) in [(then, 1), (otherwise, 0)] {
            self.builder.switch_to_block(block);
            let value = self.int(value);
            self.builder.ins().jump(join, &[BlockArg::Value(value)]);
        }
        self.builder.switch_to_block(join);
        result
    }

    /// The address of a cell and whether the index is inside its table; if it is not, the address is that of some word
    /// of the frame, which may be read but not written.
    pub(super) fn cell(&mut self, pointer: ExprId, index: ExprId) -> (Value, Value) {
        let program = self.compiler.program;
        let known = match program.exprs.get(pointer) {
            Expr::Table(table) => Some(table),
            _ => None,
        };
        let (first, length) = match known {
            Some(table) => {
                let first = self.compiler.layout.table(table);
                (self.int(first as i32), self.int(program.table(table).cells.len() as i32))
            }
            None => {
                let pointer = grow(|| self.value(pointer));
                self.directory(pointer)
            }
        };
        let index = grow(|| self.value(index));
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, length);
        let zero = self.int(0);
        let index = self.builder.ins().select(inside, index, zero);
        let word = self.builder.ins().iadd(first, index);
        (self.address(word, 0), inside)
    }

    /// Where the table of a pointer begins and how many cells it has.
    fn directory(&mut self, pointer: Value) -> (Value, Value) {
        let pair = self.builder.ins().ishl_imm_u(pointer, 1);
        let address = self.address(pair, self.compiler.layout.directory());
        let flags = MemFlagsData::trusted();
        let first = self.builder.ins().load(types::I32, flags, address, 0);
        let length = self.builder.ins().load(types::I32, flags, address, 4);
        (first, length)
    }

    /// The address of the frame's word `base + word`.
    pub(super) fn address(&mut self, word: Value, base: usize) -> Value {
        let pointer_type = self.builder.func.dfg.value_type(self.frame);
        let word = self.builder.ins().uextend(pointer_type, word);
        let bytes = self.builder.ins().ishl_imm_u(word, 2);
        let address = self.builder.ins().iadd(self.frame, bytes);
        self.builder.ins().iadd_imm_s(address, i64::from(offset(base)))
    }
}
