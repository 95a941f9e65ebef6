//! Cone of influence: drops the variables that no property, constraint or end of the run depends on.

use crate::expr::{Expr, ExprId};
use crate::system::TransitionSystem;
use crate::system::rewrite::{Fate, rebuild};

pub fn run(system: &TransitionSystem) -> TransitionSystem {
    rebuild(system, &fates(system))
}

pub fn fates(system: &TransitionSystem) -> Vec<Fate> {
    let mut needed = vec![false; system.states.len()];
    let mut seen = vec![false; system.exprs.len()];
    let properties = system.properties.iter().map(|property| property.condition);
    let mut pending: Vec<ExprId> = properties.chain(system.constraints.iter().copied()).chain([system.stop]).collect();
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        let expr = system.exprs.get(id);
        pending.extend(expr.operands());
        if let Expr::Var(var) = expr
            && !std::mem::replace(&mut needed[var.index()], true)
        {
            pending.push(system.states[var.index()].next);
            // The frame encoding reads these instead of the next value.
            pending.extend(system.states[var.index()].writes.iter().flat_map(|write| [write.condition, write.value]));
        }
    }
    needed.iter().map(|needed| if *needed { Fate::Keep } else { Fate::Drop }).collect()
}
