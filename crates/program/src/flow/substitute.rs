//! Expressions with other values for their variables, and the numbers that blocks know while they run.

use std::collections::BTreeMap;

use super::{ActionKind, Automaton, End};
use crate::expr::{Expr, ExprId, Exprs, VarId};

/// Values of variables; those that are missing keep theirs.
pub type Values = BTreeMap<VarId, ExprId>;

/// The expression over the given values.
pub fn substitute(exprs: &mut Exprs, root: ExprId, values: &Values) -> ExprId {
    if values.is_empty() {
        return root;
    }
    // Operands have smaller ids than what is made of them.
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

/// Puts numbers in place of variables that have just been given them, block by block.
pub fn propagate_numbers(automaton: &mut Automaton, exprs: &mut Exprs) {
    for block in &mut automaton.blocks {
        let mut known = Values::new();
        for action in &mut block.actions {
            match &mut action.kind {
                ActionKind::Assign { variable, value } => {
                    *value = substitute(exprs, *value, &known);
                    if exprs.as_int(*value).is_some() {
                        known.insert(*variable, *value);
                    } else {
                        known.remove(variable);
                    }
                }
                ActionKind::Store { index, value, .. } => {
                    *index = substitute(exprs, *index, &known);
                    *value = substitute(exprs, *value, &known);
                }
                ActionKind::Choose { variable, .. } => {
                    known.remove(variable);
                }
                ActionKind::Assume(condition) => *condition = substitute(exprs, *condition, &known),
            }
        }
        if let End::Branch { condition, .. } = &mut block.end {
            *condition = substitute(exprs, *condition, &known);
        }
    }
}
