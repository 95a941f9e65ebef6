//! The size of the code for expressions, and the effort to compute them.

use crate::analysis::slice::Slice;
use crate::expr::{Expr, ExprId};
use crate::program::{Program, StmtId};

/// Sizes of all expressions of a program.
pub struct Weights {
    /// Per expression: its operations as a tree, which is how it is compiled.
    exprs: Vec<u64>,
    /// Per expression: how many registers it takes, roughly (Ershov's number).
    needs: Vec<u8>,
    /// Per expression: whether an input is part of it.
    inputs: Vec<bool>,
}

impl Weights {
    pub fn of(program: &Program) -> Weights {
        let number = program.exprs.len();
        let mut weights = Weights {
            exprs: Vec::with_capacity(number),
            needs: Vec::with_capacity(number),
            inputs: Vec::with_capacity(number),
        };
        for (_, expr) in program.exprs.iter() {
            let operands = || expr.operands();
            weights.exprs.push(operands().map(|operand| weights.expr(operand)).fold(1, u64::saturating_add));
            let most = operands().map(|operand| weights.need(operand)).max().unwrap_or(0);
            let rivals = operands().filter(|&operand| weights.need(operand) == most).count();
            // Each level needs twice as many operations as the one before it, so that a byte is plenty.
            weights.needs.push(if rivals == 1 && most > 0 { most } else { most.saturating_add(1) });
            let reads = matches!(expr, Expr::Input(_)) || operands().any(|operand| weights.reads_input(operand));
            weights.inputs.push(reads);
        }
        weights
    }

    pub fn expr(&self, id: ExprId) -> u64 {
        self.exprs[id.index()]
    }

    pub fn need(&self, id: ExprId) -> u8 {
        self.needs[id.index()]
    }

    pub fn reads_input(&self, id: ExprId) -> bool {
        self.inputs[id.index()]
    }

    /// The operations of all statements that a slice keeps.
    pub fn total(&self, program: &Program, slice: &Slice) -> u64 {
        let kept = (0..program.stmts.len()).map(StmtId::new).filter(|&id| slice.keeps(id));
        let expressions = kept.flat_map(|id| program.stmt(id).kind.expressions());
        expressions.map(|expr| self.expr(expr)).fold(program.stmts.len() as u64, u64::saturating_add)
    }
}
