//! The mistakes that a program can have, whatever made it.

use std::fmt;

use crate::expr::{ExprId, TableId};
use crate::program::{FunctionId, StmtId};

/// Why something is not a program. The name or number says where to look.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("{part} {index} is referred to, but does not exist")]
    NoSuch { part: Part, index: usize },
    #[error("more than one {part} is called `{name}`")]
    SameName { part: Part, name: String },
    #[error("the values of `{0}` are not listed in ascending order, or there are none")]
    Domain(String),
    #[error("`{0}` starts with a value that it cannot have")]
    Start(String),
    #[error("the table `{0}` has no cells, or more than a number can count")]
    Length(String),
    #[error("expression {} has operands of the wrong type", .0.index())]
    Operands(ExprId),
    #[error("expression {} has another type than its operator", .0.index())]
    ExprType(ExprId),
    #[error("statement {} is given an expression of the wrong type", .0.index())]
    StmtType(StmtId),
    #[error("statement {} contains one that was made after it", .0.index())]
    StmtOrder(StmtId),
    #[error("statement {} stands in two places", .0.index())]
    Shared(StmtId),
    #[error("statement {} returns, but is in no function", .0.index())]
    ReturnOutside(StmtId),
    #[error("statement {} may write table {}, which is said not to be written", .stmt.index(), .table.index())]
    Constant { stmt: StmtId, table: TableId },
    #[error("the function `{0}` has no body")]
    NoBody(String),
    #[error("`{variable}` is not a local that belongs to the function `{function}` alone")]
    Foreign { function: String, variable: String },
    #[error("function {} can call itself", .0.index())]
    Recursion(FunctionId),
    #[error("the setup reads an input")]
    SetupInput,
    #[error("the legend does not say something of each {0}")]
    Legend(Part),
    #[error("the head of the loop does not say something of each {0}")]
    Head(Part),
}

/// A kind of thing that programs are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A variable or a table.
    Place,
    Input,
    Variable,
    Table,
    Function,
    Property,
    Enumeration,
    Expression,
    Statement,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Place => "place",
            Part::Input => "input",
            Part::Variable => "variable",
            Part::Table => "table",
            Part::Function => "function",
            Part::Property => "property",
            Part::Enumeration => "enumeration",
            Part::Expression => "expression",
            Part::Statement => "statement",
        })
    }
}
