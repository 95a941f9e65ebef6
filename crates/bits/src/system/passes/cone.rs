//! Cone of influence: drops the variables that no property, constraint or end of the run depends on.

use crate::expr::{Expr, ExprId};
use crate::system::TransitionSystem;
use crate::system::rewrite::Fate;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::rewrite::rebuild;
    use crate::system::samples::{names, system};

    fn run(system: &TransitionSystem) -> TransitionSystem {
        rebuild(system, &fates(system))
    }

    #[test]
    fn what_no_property_depends_on_goes() {
        let system = system(
            "int x = 0; int through = 0; int unused = 0;",
            "if (x == 1) error(0); x = through; through = input; unused = unused + x;",
        );
        assert_eq!(fates(&system), [Fate::Keep, Fate::Keep, Fate::Drop]);
        assert_eq!(names(&run(&system)), ["x", "through"]);
    }

    #[test]
    fn what_the_end_of_the_run_depends_on_stays() {
        let system = system("int left = 3;", "left = left - 1; if (left == 0) exit(1);");
        assert_eq!(fates(&system), [Fate::Keep]);
    }
}
