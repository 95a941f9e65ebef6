//! Expressions of the program, and bounds on their values: interval arithmetic on 32-bit integers.
//!
//! [`Expression::range`] bounds an expression in every state that the surroundings allow. An assignment is written
//! only if those bounds lie within the values that the next state of the hidden machine asks for.

use super::code::{Code, Domain};

#[derive(Clone, Debug)]
pub enum Expression {
    Constant(i32),
    Variable(usize),
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// A cell of a table.
    Cell(usize, Box<Expression>),
    /// A cell of the table that a pointer points to.
    Through(usize, Box<Expression>),
    /// `condition ? first : second`, with a condition that is known to be so.
    Chosen {
        condition: String,
        truth: bool,
        first: Box<Expression>,
        second: Box<Expression>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// All integers from the first to the second.
pub type Range = (i64, i64);

pub const ALL: Range = (i32::MIN as i64, i32::MAX as i64);

/// The known values of variables at some place of the program.
#[derive(Clone, Debug)]
pub struct Surroundings<'c> {
    pub code: &'c Code,
    /// The value of each variable, where it is known.
    pub values: Vec<Option<usize>>,
}

impl Surroundings<'_> {
    pub fn range_of(&self, variable: usize) -> Range {
        let domain = &self.code.variables[variable].domain;
        match self.values[variable] {
            Some(value) => domain.range(value),
            None if matches!(domain, Domain::Regions { .. }) => ALL,
            None => {
                let ranges = (0..domain.len()).map(|value| domain.range(value));
                ranges.reduce(|left, right| (left.0.min(right.0), left.1.max(right.1))).unwrap_or(ALL)
            }
        }
    }
}

impl Expression {
    pub fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    /// The least interval that interval arithmetic finds; `None` if an index may leave its table or a divisor be 0.
    pub fn range(&self, around: &Surroundings) -> Option<Range> {
        match self {
            Expression::Constant(value) => Some((i64::from(*value), i64::from(*value))),
            Expression::Variable(variable) => Some(around.range_of(*variable)),
            Expression::Binary(operator, left, right) => apply(*operator, left.range(around)?, right.range(around)?),
            Expression::Cell(table, index) => cell(around.code, *table, index.range(around)?),
            Expression::Through(pointer, index) => {
                let table = around.range_of(*pointer);
                if table.0 != table.1 {
                    return None;
                }
                cell(around.code, table.0 as usize, index.range(around)?)
            }
            Expression::Chosen { truth, first, second, .. } => if *truth { first } else { second }.range(around),
        }
    }

    pub fn to_c(&self, code: &Code) -> String {
        match self {
            Expression::Constant(value) => value.to_string(),
            Expression::Variable(variable) => code.variables[*variable].name.clone(),
            Expression::Binary(operator, left, right) => {
                let sign = match operator {
                    Operator::Add => "+",
                    Operator::Subtract => "-",
                    Operator::Multiply => "*",
                    Operator::Divide => "/",
                    Operator::Remainder => "%",
                };
                format!("({} {sign} {})", left.to_c(code), right.to_c(code))
            }
            Expression::Cell(table, index) => format!("{}[{}]", code.tables[*table].name, index.to_c(code)),
            Expression::Through(pointer, index) => {
                format!("{}[{}]", code.variables[*pointer].name, index.to_c(code))
            }
            Expression::Chosen { condition, first, second, .. } => {
                format!("(({condition}) ? {} : {})", first.to_c(code), second.to_c(code))
            }
        }
    }
}

fn cell(code: &Code, table: usize, index: Range) -> Option<Range> {
    let table = &code.tables[table];
    let inside = index.0 >= 0 && index.1 < table.length as i64;
    inside.then(|| (i64::from(table.first) + index.0, i64::from(table.first) + index.1))
}

fn apply(operator: Operator, left: Range, right: Range) -> Option<Range> {
    let range = match operator {
        Operator::Add => (left.0 + right.0, left.1 + right.1),
        Operator::Subtract => (left.0 - right.1, left.1 - right.0),
        Operator::Multiply => hull(left, right, |a, b| a * b),
        Operator::Divide | Operator::Remainder if right.0 <= 0 => return None,
        // Truncation is monotone, so the corners bound the quotients.
        Operator::Divide => hull(left, right, |a, b| a / b),
        Operator::Remainder => {
            let most = right.1 - 1;
            let low = if left.0 < 0 { left.0.max(-most) } else { 0 };
            let high = if left.1 > 0 { left.1.min(most) } else { 0 };
            let is_exact = left.0 >= 0 && left.1 < right.0;
            if is_exact {
                left
            } else if left.0 == left.1 && right.0 == right.1 {
                (left.0 % right.0, left.0 % right.0)
            } else {
                (low, high)
            }
        }
    };
    // Overflow wraps, and the result may then be anything.
    Some(if range.0 < ALL.0 || range.1 > ALL.1 { ALL } else { range })
}

fn hull(left: Range, right: Range, operation: impl Fn(i64, i64) -> i64) -> Range {
    let corners = [(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)];
    let values = corners.map(|(a, b)| operation(a, b));
    (values.into_iter().min().unwrap_or(ALL.0), values.into_iter().max().unwrap_or(ALL.1))
}
