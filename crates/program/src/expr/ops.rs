//! The operators and their meaning on machine integers: gcc's with `-fwrapv`, made total.
//!
//! | case | gcc | here |
//! |---|---|---|
//! | overflow of `+ - *`, negation | wraps (`-fwrapv`) | wraps |
//! | `INT_MIN / -1`, `INT_MIN % -1` | wraps to `INT_MIN` and 0 or traps, as the processor likes | `INT_MIN`, 0 |
//! | `x / 0`, `x % 0` | undefined | 0, `x`, after the check that ends the run |
//! | shift by less than 0 or more than 31 | undefined | the amount's low five bits count |
//! | `>>` of a negative number | arithmetic | arithmetic |

use super::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Negate,
    BitNot,
    /// Truth value to truth value.
    Not,
    /// Truth value to 0 or 1.
    ToInt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Truncates toward zero.
    Div,
    /// Has the sign of the dividend.
    Rem,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    /// On operands of any one type.
    Eq,
    Less,
    LessEq,
    And,
    Or,
}

impl BinaryOp {
    pub fn result(self) -> Type {
        use BinaryOp::*;
        match self {
            Add | Sub | Mul | Div | Rem | ShiftLeft | ShiftRight | BitAnd | BitOr | BitXor => Type::Int,
            Eq | Less | LessEq | And | Or => Type::Bool,
        }
    }

    pub fn is_commutative(self) -> bool {
        use BinaryOp::*;
        matches!(self, Add | Mul | BitAnd | BitOr | BitXor | Eq | And | Or)
    }
}

impl UnaryOp {
    pub fn result(self) -> Type {
        match self {
            UnaryOp::Negate | UnaryOp::BitNot | UnaryOp::ToInt => Type::Int,
            UnaryOp::Not => Type::Bool,
        }
    }

    /// The value of the operator; a truth value is 0 or 1.
    pub fn apply(self, a: i32) -> i32 {
        match self {
            UnaryOp::Negate => a.wrapping_neg(),
            UnaryOp::BitNot => !a,
            UnaryOp::Not => i32::from(a == 0),
            UnaryOp::ToInt => a,
        }
    }
}

impl BinaryOp {
    /// The value of the operator; a truth value is 0 or 1, a pointer its table's number.
    pub fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div if b == 0 => 0,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem if b == 0 => a,
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::ShiftLeft => a.wrapping_shl(b as u32),
            BinaryOp::ShiftRight => a.wrapping_shr(b as u32),
            BinaryOp::BitAnd | BinaryOp::And => a & b,
            BinaryOp::BitOr | BinaryOp::Or => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Eq => i32::from(a == b),
            BinaryOp::Less => i32::from(a < b),
            BinaryOp::LessEq => i32::from(a <= b),
        }
    }
}
