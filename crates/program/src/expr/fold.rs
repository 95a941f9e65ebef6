//! Constructors that fold constants and identities while an expression is built.
//!
//! Only rules that hold for wrapping arithmetic and that keep or shrink the expression stand here.

use super::{BinaryOp, Expr, ExprId, Exprs, TableId, Type, UnaryOp};

impl Exprs {
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let operand = match op {
            UnaryOp::Negate | UnaryOp::BitNot => Type::Int,
            UnaryOp::Not | UnaryOp::ToInt => Type::Bool,
        };
        debug_assert_eq!(self.type_of(a), operand);
        if let Some(value) = self.constant(a) {
            return self.constant_of(op.result(), op.apply(value));
        }
        match (op, self.get(a)) {
            // Complement and wrapping negation undo themselves.
            (UnaryOp::Not | UnaryOp::Negate | UnaryOp::BitNot, Expr::Unary(inner, b)) if inner == op => b,
            _ => self.intern(Expr::Unary(op, a), op.result()),
        }
    }

    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        debug_assert_eq!(self.type_of(a), self.type_of(b));
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            return self.constant_of(op.result(), op.apply(x, y));
        }
        let simpler = match op {
            BinaryOp::And => self.fold_and(a, b),
            BinaryOp::Or => self.fold_or(a, b),
            BinaryOp::Eq => self.fold_eq(a, b),
            BinaryOp::Less if a == b => Some(self.bool(false)),
            BinaryOp::LessEq if a == b => Some(self.bool(true)),
            BinaryOp::Less | BinaryOp::LessEq => self.fold_overflow_test(a, b),
            _ => self.fold_arithmetic(op, a, b),
        };
        simpler.unwrap_or_else(|| {
            // One order for both spellings of a commutative operator, constants on the right.
            let swap = op.is_commutative() && (self.constant(a).is_some(), a) > (self.constant(b).is_some(), b);
            let (a, b) = if swap { (b, a) } else { (a, b) };
            self.intern(Expr::Binary(op, a, b), op.result())
        })
    }

    pub fn ite(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        debug_assert_eq!(self.type_of(condition), Type::Bool);
        debug_assert_eq!(self.type_of(then), self.type_of(otherwise));
        if then == otherwise {
            return then;
        }
        match self.get(condition) {
            Expr::Bool(true) => return then,
            Expr::Bool(false) => return otherwise,
            Expr::Unary(UnaryOp::Not, inner) => return self.ite(inner, otherwise, then),
            _ => {}
        }
        match (self.get(then), self.get(otherwise)) {
            (Expr::Bool(true), _) => return self.or(condition, otherwise),
            (Expr::Bool(false), _) => {
                let not = self.not(condition);
                return self.and(not, otherwise);
            }
            (_, Expr::Bool(true)) => {
                let not = self.not(condition);
                return self.or(not, then);
            }
            (_, Expr::Bool(false)) => return self.and(condition, then),
            (Expr::Int(1), Expr::Int(0)) => return self.unary(UnaryOp::ToInt, condition),
            _ => {}
        }
        let ty = self.type_of(then);
        self.intern(Expr::Ite(condition, then, otherwise), ty)
    }

    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Not, a)
    }

    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::And, a, b)
    }

    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Or, a, b)
    }

    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Eq, a, b)
    }

    /// The machine value of a constant of any type.
    pub fn constant(&self, id: ExprId) -> Option<i32> {
        match self.get(id) {
            Expr::Int(value) => Some(value),
            Expr::Bool(value) => Some(i32::from(value)),
            Expr::Table(table) => i32::try_from(table.index()).ok(),
            _ => None,
        }
    }

    /// The constant of a type with a machine value, as [`Exprs::constant`] reads it.
    pub fn constant_of(&mut self, ty: Type, value: i32) -> ExprId {
        match ty {
            Type::Bool => self.bool(value != 0),
            Type::Int => self.int(value),
            Type::Pointer => self.table(TableId::new(value as usize)),
        }
    }

    fn fold_and(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        match (self.get(a), self.get(b)) {
            (Expr::Bool(true), _) => Some(b),
            (_, Expr::Bool(true)) => Some(a),
            (Expr::Bool(false), _) | (_, Expr::Bool(false)) => Some(self.bool(false)),
            _ if a == b => Some(a),
            _ if self.are_opposite(a, b) => Some(self.bool(false)),
            _ => None,
        }
    }

    fn fold_or(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        match (self.get(a), self.get(b)) {
            (Expr::Bool(false), _) => Some(b),
            (_, Expr::Bool(false)) => Some(a),
            (Expr::Bool(true), _) | (_, Expr::Bool(true)) => Some(self.bool(true)),
            _ if a == b => Some(a),
            _ if self.are_opposite(a, b) => Some(self.bool(true)),
            _ => None,
        }
    }

    fn fold_eq(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if a == b {
            return Some(self.bool(true));
        }
        let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
        match (self.get(a), self.get(b)) {
            (_, Expr::Bool(true)) => Some(a),
            (_, Expr::Bool(false)) => Some(self.not(a)),
            // C compares the 0 or 1 of a condition; the condition itself says the same.
            (Expr::Unary(UnaryOp::ToInt, condition), Expr::Int(1)) => Some(condition),
            (Expr::Unary(UnaryOp::ToInt, condition), Expr::Int(0)) => Some(self.not(condition)),
            (Expr::Unary(UnaryOp::ToInt, _), Expr::Int(_)) => Some(self.bool(false)),
            _ => None,
        }
    }

    /// A number compared with itself plus a constant: the question is whether the sum wraps, that is, on which side
    /// of a constant the number lies. RERS programs guard their counters so: `a += (a + 20) > a ? 4 : 0`.
    fn fold_overflow_test(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let offset = |id: ExprId| match self.get(id) {
            Expr::Binary(BinaryOp::Add, base, offset) => Some((base, self.as_int(offset)?)),
            Expr::Binary(BinaryOp::Sub, base, offset) => Some((base, self.as_int(offset)?.wrapping_neg())),
            _ => None,
        };
        let (base, offset, larger) = match (offset(a), offset(b)) {
            (_, Some((base, offset))) if base == a && offset != 0 => (base, offset, true),
            (Some((base, offset)), _) if base == b && offset != 0 => (base, offset, false),
            _ => return None,
        };
        // The sum is larger if it did not wrap above, or if it wrapped below: up to the same limit, computed modulo 2^32.
        let limit = self.int(i32::MAX.wrapping_sub(offset));
        let sum_is_larger = self.binary(BinaryOp::LessEq, base, limit);
        Some(if larger { sum_is_larger } else { self.not(sum_is_larger) })
    }

    fn fold_arithmetic(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        use BinaryOp::*;
        match (op, self.as_int(a), self.as_int(b)) {
            (Add | BitOr | BitXor, Some(0), _) | (Mul, Some(1), _) | (BitAnd, Some(-1), _) => Some(b),
            (Add | Sub | BitOr | BitXor | ShiftLeft | ShiftRight, _, Some(0))
            | (Mul | Div, _, Some(1))
            | (BitAnd, _, Some(-1)) => Some(a),
            (Mul | BitAnd, Some(0), _) | (Div | ShiftLeft | ShiftRight, Some(0), _) => Some(a),
            (Mul | BitAnd, _, Some(0)) => Some(b),
            (Rem, _, Some(1 | -1)) | (Rem, Some(0), _) => Some(self.int(0)),
            (Sub | BitXor, ..) if a == b => Some(self.int(0)),
            (BitAnd | BitOr, ..) if a == b => Some(a),
            _ => None,
        }
    }

    fn are_opposite(&self, a: ExprId, b: ExprId) -> bool {
        self.get(a) == Expr::Unary(UnaryOp::Not, b) || self.get(b) == Expr::Unary(UnaryOp::Not, a)
    }
}
