//! Expressions with other values for their variables.

use std::collections::BTreeMap;

use crate::expr::{Expr, ExprId, Exprs, VarId};

/// Values of variables; those that are missing keep theirs.
pub type Values = BTreeMap<VarId, ExprId>;

/// The expression over the given values.
pub fn substitute(exprs: &mut Exprs, root: ExprId, values: &Values) -> ExprId {
    let is_concerned = |part: Expr| matches!(part, Expr::Var(variable) if values.contains_key(&variable));
    if values.is_empty() || !exprs.parts(root).any(is_concerned) {
        return root;
    }
    // Operands have smaller ids than their users.
    let mut wanted = std::collections::BTreeSet::from([root]);
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        pending.extend(exprs.get(id).operands().filter(|&operand| wanted.insert(operand)));
    }
    let mut done: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    for id in wanted {
        let new = match exprs.get(id) {
            Expr::Var(variable) => values.get(&variable).copied().unwrap_or(id),
            expr => {
                let ty = exprs.type_of(id);
                exprs.rebuild(expr, ty, |operand| done[&operand])
            }
        };
        done.insert(id, new);
    }
    done[&root]
}
