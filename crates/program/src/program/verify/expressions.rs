//! Expressions: one pass over the arena, which has operands before users however it is filled.
//!
//! With their types right, the shapes of pointers are as [`points_to`](crate::program::points_to) expects: a table, a variable, or a
//! choice, since nothing else has the type of a pointer.

use super::{Malformed, Part, exists};
use crate::expr::{BinaryOp, Expr, ExprId, Exprs, Type, UnaryOp};
use crate::program::Program;

/// The facts about well-formed expressions that statements need.
pub struct Expressions<'p> {
    pub exprs: &'p Exprs,
    /// Per expression.
    pub reads_input: Vec<bool>,
}

pub fn verify(program: &Program) -> Result<Expressions<'_>, Malformed> {
    let exprs = &program.exprs;
    let mut reads_input = Vec::with_capacity(exprs.len());
    for (id, expr) in exprs.iter() {
        if type_of(program, id, expr)? != exprs.type_of(id) {
            return Err(Malformed::ExprType(id));
        }
        let reads = matches!(expr, Expr::Input(_)) || expr.operands().any(|operand| reads_input[operand.index()]);
        reads_input.push(reads);
    }
    Ok(Expressions { exprs, reads_input })
}

/// The type of an expression, from its operands.
fn type_of(program: &Program, id: ExprId, expr: Expr) -> Result<Type, Malformed> {
    let ty = |operand| program.exprs.type_of(operand);
    let has_type = |operand, expected| if ty(operand) == expected { Ok(()) } else { Err(Malformed::Operands(id)) };
    Ok(match expr {
        Expr::Bool(_) => Type::Bool,
        Expr::Int(_) => Type::Int,
        Expr::Table(table) => {
            exists(Part::Table, table.index(), program.tables.len())?;
            Type::Pointer
        }
        Expr::Input(input) => {
            exists(Part::Input, input.index(), program.inputs.len())?;
            Type::Int
        }
        Expr::Var(var) => {
            exists(Part::Variable, var.index(), program.variables.len())?;
            program.variable(var).ty
        }
        Expr::Unary(op, a) => {
            has_type(a, unary_operand(op))?;
            op.result()
        }
        Expr::Binary(op, a, b) => {
            has_type(a, binary_operand(op).unwrap_or(ty(b)))?;
            has_type(b, ty(a))?;
            op.result()
        }
        Expr::Ite(condition, then, otherwise) => {
            has_type(condition, Type::Bool)?;
            has_type(then, ty(otherwise))?;
            ty(then)
        }
        Expr::Cell(pointer, index) => {
            has_type(pointer, Type::Pointer)?;
            has_type(index, Type::Int)?;
            Type::Int
        }
        Expr::Length(pointer) => {
            has_type(pointer, Type::Pointer)?;
            Type::Int
        }
    })
}

fn unary_operand(op: UnaryOp) -> Type {
    match op {
        UnaryOp::Negate | UnaryOp::BitNot => Type::Int,
        UnaryOp::Not | UnaryOp::ToInt => Type::Bool,
    }
}

/// The type of both operands; `None` if any will do.
fn binary_operand(op: BinaryOp) -> Option<Type> {
    match op {
        BinaryOp::Eq => None,
        BinaryOp::And | BinaryOp::Or => Some(Type::Bool),
        _ => Some(Type::Int),
    }
}

impl Expressions<'_> {
    pub fn type_of(&self, id: ExprId) -> Result<Type, Malformed> {
        exists(Part::Expression, id.index(), self.exprs.len())?;
        Ok(self.exprs.type_of(id))
    }
}
