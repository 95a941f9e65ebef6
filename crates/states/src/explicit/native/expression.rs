//! Expressions to machine code. Nothing here can trap: operators are as total as [`crate::expr::ops`] says.
//!
//! Operands are computed into the registers of [`POOL`], one above the other: an expression at some depth leaves its
//! value in the register of that depth and keeps those below. The operand that needs more registers comes first (Sethi
//! and Ullman, The Generation of Optimal Code for Arithmetic Expressions, 1970), so that they hardly ever run out; if
//! they do, a value waits on the stack. Registers eax, ecx and edx are for use inside one operation.

use super::Emitter;
use super::assembler::{Arithmetic, Condition, Label, Operand, Register, Shift, Single};
use super::division::quotient;
use crate::explicit::grow;
use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};

use Register::{Eax, Ecx, Edx};

/// Where operands are computed.
pub(super) const POOL: [Register; 10] = [
    Register::Esi,
    Register::Ebx,
    Register::Ebp,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
];

/// Up to this weight an operand is computed whether it is needed or not.
const CHEAP: u64 = 6;

impl Emitter<'_> {
    /// Goes to a label if a condition has that truth value, and on otherwise.
    pub(super) fn branch(&mut self, id: ExprId, sense: bool, to: Label, depth: usize) {
        match self.program.exprs.get(id) {
            Expr::Bool(value) => {
                if value == sense {
                    self.assembler.jump(to);
                }
            }
            Expr::Unary(UnaryOp::Not, a) => grow(|| self.branch(a, !sense, to, depth)),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                // One operand decides: a false one for `and`, a true one for `or`.
                let decides = op == BinaryOp::Or;
                if sense == decides {
                    grow(|| self.branch(a, sense, to, depth));
                    grow(|| self.branch(b, sense, to, depth));
                } else {
                    let on = self.assembler.label();
                    grow(|| self.branch(a, decides, on, depth));
                    grow(|| self.branch(b, sense, to, depth));
                    self.assembler.bind(on);
                }
            }
            Expr::Ite(condition, a, b) => {
                let (otherwise, on) = (self.assembler.label(), self.assembler.label());
                grow(|| self.branch(condition, false, otherwise, depth));
                grow(|| self.branch(a, sense, to, depth));
                self.assembler.jump(on);
                self.assembler.bind(otherwise);
                grow(|| self.branch(b, sense, to, depth));
                self.assembler.bind(on);
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) => {
                let found = self.compare(op, a, b, depth);
                self.assembler.jump_if(if sense { found } else { found.negated() }, to);
            }
            _ => {
                match self.operand(id) {
                    Some(place @ Operand::Memory(_)) => {
                        self.assembler.arithmetic_immediate(Arithmetic::Compare, place, 0);
                    }
                    _ => {
                        self.value(id, depth);
                        self.assembler.test(self.register(depth));
                    }
                }
                self.assembler.jump_if(if sense { Condition::NotEqual } else { Condition::Equal }, to);
            }
        }
    }

    /// Compares two values; the operation is true if the comparison has the returned result.
    fn compare(&mut self, op: BinaryOp, a: ExprId, b: ExprId, depth: usize) -> Condition {
        let (plain, swapped) = match op {
            BinaryOp::Eq => (Condition::Equal, Condition::Equal),
            BinaryOp::Less => (Condition::Less, Condition::Greater),
            BinaryOp::LessEq => (Condition::LessEq, Condition::GreaterEq),
            _ => unreachable!("only comparisons are compared"),
        };
        if self.is_constant(a) && !self.is_constant(b) {
            self.compare_in_order(b, a, depth);
            swapped
        } else if !self.is_leaf(b) && self.is_leaf(a) {
            let register = self.value(b, depth);
            let with = self.operand(a).expect("a leaf is an operand");
            self.assembler.arithmetic(Arithmetic::Compare, register, with);
            swapped
        } else {
            self.compare_in_order(a, b, depth);
            plain
        }
    }

    fn compare_in_order(&mut self, a: ExprId, b: ExprId, depth: usize) {
        if self.is_constant(b)
            && !self.is_constant(a)
            && let Some(place) = self.operand(a)
        {
            let Some(Operand::Immediate(value)) = self.operand(b) else { unreachable!("constants are numbers") };
            self.assembler.arithmetic_immediate(Arithmetic::Compare, place, value);
            return;
        }
        let (register, with) = self.operands(a, b, depth);
        self.assembler.arithmetic(Arithmetic::Compare, register, with);
    }

    /// Puts a value of 32 bits into the register of a depth: the number, the truth value as 0 or 1, or the number of the table.
    pub(super) fn value(&mut self, id: ExprId, depth: usize) -> Register {
        let to = self.register(depth);
        if let Some(operand) = self.operand(id) {
            self.assembler.load(to, operand);
            return to;
        }
        match self.program.exprs.get(id) {
            Expr::Unary(op, a) => {
                grow(|| self.value(a, depth));
                match op {
                    UnaryOp::Negate => self.assembler.single(Single::Negate, to),
                    UnaryOp::BitNot => self.assembler.single(Single::Not, to),
                    UnaryOp::Not => self.assembler.arithmetic(Arithmetic::Xor, to, Operand::Immediate(1)),
                    UnaryOp::ToInt => {}
                }
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) => {
                let found = grow(|| self.compare(op, a, b, depth));
                self.assembler.truth(found, to);
            }
            Expr::Binary(BinaryOp::And | BinaryOp::Or, _, b) if !self.is_cheap(b) => self.by_branches(id, depth),
            Expr::Binary(op, a, b) => grow(|| self.binary(op, a, b, depth)),
            Expr::Ite(condition, a, b) => grow(|| self.ite(condition, a, b, depth)),
            Expr::Cell(pointer, index) => grow(|| self.cell(pointer, index, depth)),
            Expr::Length(pointer) => match self.program.exprs.get(pointer) {
                Expr::Table(table) => {
                    let length = self.program.table(table).cells.len() as i32;
                    self.assembler.load(to, Operand::Immediate(length));
                }
                _ => {
                    grow(|| self.value(pointer, depth));
                    let length = self.word(self.layout.directory() + 1).indexed(to, 3);
                    self.assembler.load(to, Operand::Memory(length));
                }
            },
            _ => unreachable!("all else is an operand"),
        }
        to
    }

    pub(super) fn register(&self, depth: usize) -> Register {
        POOL[depth]
    }

    /// An operand that an instruction can take directly: a constant or a word of the frame. An input counts as read.
    fn operand(&mut self, id: ExprId) -> Option<Operand> {
        Some(match self.program.exprs.get(id) {
            Expr::Bool(value) => Operand::Immediate(i32::from(value)),
            Expr::Int(value) => Operand::Immediate(value),
            Expr::Table(table) => Operand::Immediate(table.index() as i32),
            Expr::Var(var) => match self.layout.constant(var) {
                Some(value) => Operand::Immediate(value),
                None => Operand::Memory(self.word(self.layout.variable(var))),
            },
            Expr::Input(input) => {
                for mark in self.layout.mark(input).into_iter().flatten() {
                    let mark = self.word(mark);
                    self.assembler.store_immediate(mark, 1);
                }
                Operand::Memory(self.word(self.layout.input(input)))
            }
            _ => return None,
        })
    }

    fn is_leaf(&self, id: ExprId) -> bool {
        self.program.exprs.get(id).operands().next().is_none()
    }

    fn is_constant(&self, id: ExprId) -> bool {
        match self.program.exprs.get(id) {
            Expr::Bool(_) | Expr::Int(_) | Expr::Table(_) => true,
            Expr::Var(var) => self.layout.constant(var).is_some(),
            _ => false,
        }
    }

    /// Whether to compute an operand in advance, needed or not. An input counts as read then.
    fn is_cheap(&self, id: ExprId) -> bool {
        self.weights.expr(id) <= CHEAP && (self.program.inputs.len() <= 1 || !self.weights.reads_input(id))
    }

    /// Two values: the first one in a register, which may be overwritten, the second one wherever it is.
    fn operands(&mut self, a: ExprId, b: ExprId, depth: usize) -> (Register, Operand) {
        if self.is_leaf(b) {
            let register = grow(|| self.value(a, depth));
            return (register, self.operand(b).expect("a leaf is an operand"));
        }
        let (first, second) = self.pair(a, b, depth);
        (first, Operand::Register(second))
    }

    /// Two values in registers.
    fn pair(&mut self, a: ExprId, b: ExprId, depth: usize) -> (Register, Register) {
        let swap = self.weights.need(b) > self.weights.need(a);
        let (first, second) = if swap { (b, a) } else { (a, b) };
        let one = grow(|| self.value(first, depth));
        let other = if depth + 1 < self.registers {
            grow(|| self.value(second, depth + 1))
        } else {
            self.assembler.push(one);
            grow(|| self.value(second, depth));
            self.assembler.load(Edx, Operand::Register(one));
            self.assembler.pop(one);
            Edx
        };
        if swap { (other, one) } else { (one, other) }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, depth: usize) {
        if let BinaryOp::Div | BinaryOp::Rem = op {
            return self.division(op, a, b, depth);
        }
        let swap = op.is_commutative() && self.is_leaf(a) && !self.is_leaf(b);
        let (register, with) = if swap { self.operands(b, a, depth) } else { self.operands(a, b, depth) };
        match op {
            BinaryOp::Add => self.assembler.arithmetic(Arithmetic::Add, register, with),
            BinaryOp::Sub => self.assembler.arithmetic(Arithmetic::Sub, register, with),
            BinaryOp::Mul => self.assembler.multiply(register, with),
            BinaryOp::BitAnd | BinaryOp::And => self.assembler.arithmetic(Arithmetic::And, register, with),
            BinaryOp::BitOr | BinaryOp::Or => self.assembler.arithmetic(Arithmetic::Or, register, with),
            BinaryOp::BitXor => self.assembler.arithmetic(Arithmetic::Xor, register, with),
            BinaryOp::ShiftLeft => self.shift(Shift::Left, register, with),
            BinaryOp::ShiftRight => self.shift(Shift::RightArithmetic, register, with),
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq => {
                unreachable!("these are done elsewhere")
            }
        }
        self.assembler.load(self.register(depth), Operand::Register(register));
    }

    /// The processor takes the low five bits of the amount, as is meant.
    fn shift(&mut self, shift: Shift, register: Register, by: Operand) {
        match by {
            Operand::Immediate(bits) => self.assembler.shift_immediate(false, shift, register, bits as u8 & 31),
            _ => {
                self.assembler.load(Ecx, by);
                self.assembler.shift(shift, register);
            }
        }
    }

    fn division(&mut self, op: BinaryOp, a: ExprId, b: ExprId, depth: usize) {
        let (dividend, divisor) = self.operands(a, b, depth);
        match divisor {
            Operand::Immediate(divisor) => self.division_by_constant(op, dividend, divisor),
            _ => self.division_by_any(op, self.register(depth), dividend, divisor),
        }
    }

    fn division_by_constant(&mut self, op: BinaryOp, register: Register, divisor: i32) {
        let is_quotient = op == BinaryOp::Div;
        match divisor {
            0 if is_quotient => self.assembler.load(register, Operand::Immediate(0)),
            -1 if is_quotient => self.assembler.single(Single::Negate, register),
            0 => {}
            1 if is_quotient => {}
            1 | -1 => self.assembler.load(register, Operand::Immediate(0)),
            _ => {
                quotient(&mut self.assembler, register, divisor);
                if is_quotient {
                    self.assembler.load(register, Operand::Register(Eax));
                } else {
                    self.assembler.multiply_immediate(false, Eax, divisor);
                    self.assembler.arithmetic(Arithmetic::Sub, register, Operand::Register(Eax));
                }
            }
        }
    }

    /// By 0 and by -1 the processor would trap. There the quotient is the dividend times the divisor, and the remainder the
    /// dividend times one more than that.
    fn division_by_any(&mut self, op: BinaryOp, to: Register, dividend: Register, divisor: Operand) {
        let (special, done) = (self.assembler.label(), self.assembler.label());
        self.assembler.load(Ecx, divisor);
        self.assembler.load(Eax, Operand::Register(dividend));
        self.assembler.load(Edx, Operand::Register(Ecx));
        self.assembler.arithmetic(Arithmetic::Add, Edx, Operand::Immediate(1));
        self.assembler.arithmetic(Arithmetic::Compare, Edx, Operand::Immediate(2));
        self.assembler.jump_if(Condition::Below, special);
        self.assembler.sign_to_edx();
        self.assembler.single(Single::Divide, Ecx);
        let (result, factor) = if op == BinaryOp::Div { (Eax, Ecx) } else { (Edx, Edx) };
        self.assembler.load(to, Operand::Register(result));
        self.assembler.jump(done);
        self.assembler.bind(special);
        self.assembler.multiply(Eax, Operand::Register(factor));
        self.assembler.load(to, Operand::Register(Eax));
        self.assembler.bind(done);
    }

    fn ite(&mut self, condition: ExprId, a: ExprId, b: ExprId, depth: usize) {
        let to = self.register(depth);
        let plain = |id| self.is_leaf(id) && self.is_cheap(id);
        if let Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), left, right) =
            self.program.exprs.get(condition)
            && plain(a)
            && plain(b)
            && self.is_cheap(condition)
            && depth + 2 < self.registers
        {
            self.value(b, depth);
            let value = self.value(a, depth + 1);
            let found = self.compare(op, left, right, depth + 2);
            self.assembler.load_if(found, to, value);
            return;
        }
        let (otherwise, done) = (self.assembler.label(), self.assembler.label());
        self.branch(condition, false, otherwise, depth);
        self.value(a, depth);
        self.assembler.jump(done);
        self.assembler.bind(otherwise);
        self.value(b, depth);
        self.assembler.bind(done);
    }

    /// A truth value whose computation is better cut short.
    fn by_branches(&mut self, id: ExprId, depth: usize) {
        debug_assert_eq!(self.program.exprs.type_of(id), Type::Bool);
        let (otherwise, done) = (self.assembler.label(), self.assembler.label());
        grow(|| self.branch(id, false, otherwise, depth));
        self.assembler.load(self.register(depth), Operand::Immediate(1));
        self.assembler.jump(done);
        self.assembler.bind(otherwise);
        self.assembler.load(self.register(depth), Operand::Immediate(0));
        self.assembler.bind(done);
    }

    /// A cell, or 0 if the index is outside its table. Then the first word of the table's place is read and dropped, which
    /// is part of the frame even if the table has no cells.
    fn cell(&mut self, pointer: ExprId, index: ExprId, depth: usize) {
        let to = self.register(depth);
        if let Expr::Table(table) = self.program.exprs.get(pointer) {
            let length = self.program.table(table).cells.len() as i32;
            self.value(index, depth);
            self.assembler.load(Ecx, Operand::Immediate(0));
            self.assembler.arithmetic(Arithmetic::Compare, to, Operand::Immediate(length));
            self.assembler.load_if(Condition::AboveEq, to, Ecx);
            let cell = self.word(self.layout.table(table)).indexed(to, 2);
            self.assembler.load(to, Operand::Memory(cell));
        } else {
            let (pointer, index) = self.pair(pointer, index, depth);
            self.load_first(pointer, index);
            self.assembler.load(Ecx, Operand::Immediate(0));
            self.assembler.load_if(Condition::AboveEq, index, Ecx);
            let cell = self.behind_first(index);
            self.assembler.load(to, Operand::Memory(cell));
        }
        self.assembler.load_if(Condition::AboveEq, to, Ecx);
    }

    /// Compares an index with the length of a pointer's table, and puts the number of the table's first word into eax.
    fn load_first(&mut self, pointer: Register, index: Register) {
        let directory = self.layout.directory();
        let [first, length] = [0, 1].map(|part| Operand::Memory(self.word(directory + part).indexed(pointer, 3)));
        self.assembler.arithmetic(Arithmetic::Compare, index, length);
        self.assembler.load(Eax, first);
    }

    /// The word of the frame at a distance from that in eax. The result of the last comparison stays known.
    fn behind_first(&mut self, index: Register) -> super::assembler::Memory {
        self.assembler.address(Eax, super::assembler::Memory::new(Eax, 0).indexed(index, 0));
        self.word(0).indexed(Eax, 2)
    }

    /// Writes a cell, unless the index is outside its table.
    pub(super) fn store_cell(&mut self, pointer: ExprId, index: ExprId, value: ExprId) {
        let outside = self.assembler.label();
        if let Expr::Table(table) = self.program.exprs.get(pointer) {
            let length = self.program.table(table).cells.len() as i32;
            let (index, value) = self.pair(index, value, 0);
            self.assembler.arithmetic(Arithmetic::Compare, index, Operand::Immediate(length));
            self.assembler.jump_if(Condition::AboveEq, outside);
            let cell = self.word(self.layout.table(table)).indexed(index, 2);
            self.assembler.store(cell, value);
        } else {
            let value = self.value(value, 0);
            self.assembler.push(value);
            let (pointer, index) = self.pair(pointer, index, 0);
            self.assembler.pop(Ecx);
            self.load_first(pointer, index);
            self.assembler.jump_if(Condition::AboveEq, outside);
            let cell = self.behind_first(index);
            self.assembler.store(cell, Ecx);
        }
        self.assembler.bind(outside);
    }
}
