//! Which variables a check has to follow.

use redoubt_program::expr::{ExprId, VarId};
use redoubt_program::program::{Program, StmtKind};

use crate::Certificate;

/// Per variable: whether a guard, a claim of a certificate or the contents of a table depend on it, or the output, if
/// that counts.
pub fn relevant(program: &Program, certificate: &Certificate, output_counts: bool) -> Vec<bool> {
    let mut relevant = vec![false; program.variables.len()];
    let mut sources: Vec<Vec<ExprId>> = vec![vec![]; program.variables.len()];
    let mut pending: Vec<VarId> = certificate.variables().collect();
    for stmt in &program.stmts {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => sources[variable.index()].push(*value),
            StmtKind::Print { .. } if !output_counts => {}
            StmtKind::Halt(_) => {}
            kind => pending.extend(kind.expressions().into_iter().flat_map(|id| program.exprs.variables(id))),
        }
    }
    while let Some(variable) = pending.pop() {
        if !std::mem::replace(&mut relevant[variable.index()], true) {
            pending.extend(sources[variable.index()].iter().flat_map(|&id| program.exprs.variables(id)));
        }
    }
    relevant
}
