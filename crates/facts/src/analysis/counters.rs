//! Which variables count.

use crate::expr::{BinaryOp, Expr};
use crate::program::{Program, StmtKind};

/// By variable, and then by input, which do not: whether it goes on from its value by an amount that is itself a
/// choice, as the counters of RERS programs do: `a += (a + 20) > a ? 3 : 0`.
pub fn counters(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.variables.len() + program.inputs.len()];
    for stmt in &program.stmts {
        if let StmtKind::Assign { variable, value } = stmt.kind
            && let Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) = program.exprs.get(value)
        {
            let is_itself = |side| program.exprs.get(side) == Expr::Var(variable);
            found[variable.index()] |=
                [a, b].into_iter().any(is_itself) && program.exprs.condition_of_amount(a, b).is_some();
        }
    }
    found
}
