//! C's operators, and the signs that they are written with.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    Negate,
    Plus,
    Not,
    BitNot,
    /// `*pointer`
    Dereference,
    /// `&place`
    Address,
}

/// An operator that evaluates both operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
}

impl UnaryOperator {
    /// The operator that a grammar lets stand in front of an operand.
    pub fn of(sign: &str) -> UnaryOperator {
        match sign {
            "-" => UnaryOperator::Negate,
            "+" => UnaryOperator::Plus,
            "!" => UnaryOperator::Not,
            "~" => UnaryOperator::BitNot,
            "*" => UnaryOperator::Dereference,
            _ => UnaryOperator::Address,
        }
    }
}

impl BinaryOperator {
    pub fn of(sign: &str) -> Option<BinaryOperator> {
        Some(match sign {
            "*" => BinaryOperator::Multiply,
            "/" => BinaryOperator::Divide,
            "%" => BinaryOperator::Remainder,
            "+" => BinaryOperator::Add,
            "-" => BinaryOperator::Subtract,
            "<<" => BinaryOperator::ShiftLeft,
            ">>" => BinaryOperator::ShiftRight,
            "<" => BinaryOperator::Less,
            "<=" => BinaryOperator::LessEqual,
            ">" => BinaryOperator::Greater,
            ">=" => BinaryOperator::GreaterEqual,
            "==" => BinaryOperator::Equal,
            "!=" => BinaryOperator::NotEqual,
            "&" => BinaryOperator::BitAnd,
            "^" => BinaryOperator::BitXor,
            "|" => BinaryOperator::BitOr,
            _ => return None,
        })
    }

    /// The operator of `+=` and its like; a plain `=` has none.
    pub fn of_assignment(sign: &str) -> Option<BinaryOperator> {
        sign.strip_suffix('=').and_then(BinaryOperator::of)
    }

    /// The operator of `++` or `--`.
    pub fn of_step(sign: &str) -> BinaryOperator {
        if sign == "++" { BinaryOperator::Add } else { BinaryOperator::Subtract }
    }
}
