//! Operators and cells of C on expressions of the program, with the checks that belong to them.

use super::ast::BinaryOperator;
use super::emit::Emitter;
use redoubt_program::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

impl Emitter {
    /// An integer; the truth value of a condition counts as 0 or 1.
    pub fn as_integer(&mut self, value: ExprId, span: Span) -> Lowered<ExprId> {
        match self.program.exprs.type_of(value) {
            Type::Int => Ok(value),
            Type::Bool => Ok(self.exprs().unary(UnaryOp::ToInt, value)),
            Type::Pointer => refuse(Diagnostic::new(span, "a table is not a number", "expected a number")),
        }
    }

    /// A truth value: an integer counts as true if it is not 0.
    pub fn as_condition(&mut self, value: ExprId, span: Span) -> Lowered<ExprId> {
        match self.program.exprs.type_of(value) {
            Type::Bool => Ok(value),
            Type::Int => {
                let exprs = self.exprs();
                let zero = exprs.int(0);
                let is_zero = exprs.eq(value, zero);
                Ok(exprs.not(is_zero))
            }
            Type::Pointer => refuse(Diagnostic::new(span, "a table is not a condition", "expected a condition")),
        }
    }

    /// A binary operator on two integers.
    pub fn arithmetic(&mut self, operator: BinaryOperator, a: ExprId, b: ExprId, span: Span) -> Lowered<ExprId> {
        use BinaryOperator as Op;
        match operator {
            Op::Divide | Op::Remainder => self.check_divisor(a, b, span),
            Op::ShiftLeft | Op::ShiftRight => self.check_amount(b, span)?,
            _ => {}
        }
        let exprs = self.exprs();
        Ok(match operator {
            Op::Multiply => exprs.binary(BinaryOp::Mul, a, b),
            Op::Divide => exprs.binary(BinaryOp::Div, a, b),
            Op::Remainder => exprs.binary(BinaryOp::Rem, a, b),
            Op::Add => exprs.binary(BinaryOp::Add, a, b),
            Op::Subtract => exprs.binary(BinaryOp::Sub, a, b),
            Op::ShiftLeft => exprs.binary(BinaryOp::ShiftLeft, a, b),
            Op::ShiftRight => exprs.binary(BinaryOp::ShiftRight, a, b),
            Op::Less => exprs.binary(BinaryOp::Less, a, b),
            Op::LessEqual => exprs.binary(BinaryOp::LessEq, a, b),
            Op::Greater => exprs.binary(BinaryOp::Less, b, a),
            Op::GreaterEqual => exprs.binary(BinaryOp::LessEq, b, a),
            Op::Equal => exprs.eq(a, b),
            Op::NotEqual => {
                let equal = exprs.eq(a, b);
                exprs.not(equal)
            }
            Op::BitAnd => exprs.binary(BinaryOp::BitAnd, a, b),
            Op::BitXor => exprs.binary(BinaryOp::BitXor, a, b),
            Op::BitOr => exprs.binary(BinaryOp::BitOr, a, b),
        })
    }

    /// A zero divisor ends the run. C's processor also traps on `INT_MIN / -1` unless gcc sees the -1 and negates; Java wraps.
    fn check_divisor(&mut self, a: ExprId, b: ExprId, span: Span) {
        let exprs = self.exprs();
        let (zero, minus_one, lowest) = (exprs.int(0), exprs.int(-1), exprs.int(i32::MIN));
        let is_zero = exprs.eq(b, zero);
        let is_constant = exprs.constant(b).is_some();
        let (is_minus_one, is_lowest) = (exprs.eq(b, minus_one), exprs.eq(a, lowest));
        let overflows = exprs.and(is_minus_one, is_lowest);
        self.check(is_zero, PropertyKind::DivisionByZero, span);
        if !is_constant && !self.is_java() {
            self.check(overflows, PropertyKind::DivisionOverflow, span);
        }
    }

    fn check_amount(&self, amount: ExprId, span: Span) -> Lowered {
        if self.program.exprs.as_int(amount).is_some_and(|amount| (0..32).contains(&amount)) {
            return Ok(());
        }
        let message = "a shift by an amount that may be outside 0..31 is undefined in C";
        refuse(Diagnostic::new(span, message, "expected a constant amount from 0 to 31"))
    }

    pub fn read_cell(&mut self, pointer: ExprId, index: ExprId, span: Span) -> ExprId {
        self.check_index(pointer, index, span);
        let program = &self.program;
        if let (Expr::Table(table), Some(index)) = (program.exprs.get(pointer), program.exprs.as_int(index)) {
            let table = program.table(table);
            if !table.written
                && let Some(value) = table.get(index)
            {
                return self.exprs().int(value);
            }
        }
        self.exprs().cell(pointer, index)
    }

    fn check_index(&mut self, pointer: ExprId, index: ExprId, span: Span) {
        let program = &self.program;
        let known_length = match program.exprs.get(pointer) {
            Expr::Table(table) => Some(program.table(table).cells.len()),
            _ => None,
        };
        if let Some(index) = program.exprs.as_int(index) {
            // Whatever a pointer points to has at least as many cells as the shortest table.
            let shortest = || program.tables.iter().map(|table| table.cells.len()).min().unwrap_or(0);
            let safe = known_length.unwrap_or_else(shortest);
            if usize::try_from(index).is_ok_and(|index| index < safe) {
                return;
            }
        }
        let exprs = self.exprs();
        let length = match known_length {
            Some(length) => exprs.int(length as i32),
            None => exprs.length(pointer),
        };
        let zero = exprs.int(0);
        let (below, above) = (exprs.binary(BinaryOp::Less, index, zero), exprs.binary(BinaryOp::LessEq, length, index));
        let outside = exprs.or(below, above);
        self.check(outside, PropertyKind::IndexOutOfBounds, span);
    }
}
