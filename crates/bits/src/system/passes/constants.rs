//! Constant propagation over the steps: a variable that starts with a value and never gets another is that
//! value.
//!
//! Optimistic, as in Wegman and Zadeck, "Constant propagation with conditional branches" (1991): all variables are
//! taken for constants at first, and those whose next value is then not the same constant are given up, until nothing
//! changes. The remaining assumption is inductive.

use crate::expr::{BinaryOp, Expr, ExprId};
use crate::system::TransitionSystem;
use crate::system::rewrite::Fate;

pub fn fates(system: &TransitionSystem) -> Vec<Fate> {
    let mut known: Vec<Option<i32>> = system.states.iter().map(|state| Some(state.initial)).collect();
    loop {
        let values = evaluate(system, &known);
        let mut changed = false;
        for (known, state) in known.iter_mut().zip(&system.states) {
            if known.is_some() && values[state.next.index()] != *known {
                *known = None;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    known.iter().map(|known| known.map_or(Fate::Keep, Fate::Constant)).collect()
}

/// The value of every expression that follows from the known variables.
fn evaluate(system: &TransitionSystem, known: &[Option<i32>]) -> Vec<Option<i32>> {
    let mut values: Vec<Option<i32>> = Vec::with_capacity(system.exprs.len());
    for (_, expr) in system.exprs.iter() {
        let at = |id: ExprId| values[id.index()];
        let value = match expr {
            Expr::Bool(value) => Some(i32::from(value)),
            Expr::Int(value) => Some(value),
            Expr::Table(table) => Some(table.index() as i32),
            Expr::Input(_) => None,
            Expr::Var(var) => known[var.index()],
            Expr::Unary(op, a) => at(a).map(|a| op.apply(a)),
            Expr::Binary(op, a, b) => match (op, at(a), at(b)) {
                (_, Some(a), Some(b)) => Some(op.apply(a, b)),
                (BinaryOp::And | BinaryOp::Mul, Some(0), _) | (BinaryOp::And | BinaryOp::Mul, _, Some(0)) => Some(0),
                (BinaryOp::Or, Some(1), _) | (BinaryOp::Or, _, Some(1)) => Some(1),
                _ => None,
            },
            Expr::Ite(condition, then, otherwise) => match at(condition) {
                Some(0) => at(otherwise),
                Some(_) => at(then),
                None if at(then) == at(otherwise) => at(then),
                None => None,
            },
            Expr::Cell(pointer, index) => match (at(pointer), at(index)) {
                (Some(table), Some(index)) => Some(system.tables[table as usize].cell(index)),
                _ => None,
            },
            Expr::Length(pointer) => at(pointer).map(|table| system.tables[table as usize].cells.len() as i32),
        };
        values.push(value);
    }
    values
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
    fn a_variable_that_keeps_its_initial_value_goes() {
        let system = system("int limit = 3; int x = 0;", "if (x < limit) x = x + 1; if (x == 9) error(0);");
        assert_eq!(fates(&system), [Fate::Constant(3), Fate::Keep]);
        assert_eq!(names(&run(&system)), ["x"]);
    }

    /// Each of the two is constant only if the other is.
    #[test]
    fn constants_that_depend_on_each_other_are_found() {
        let system = system("int a = 1; int b = 1;", "if (b == 2) a = 2; if (a == 2) b = 2; if (a == 2) error(0);");
        assert_eq!(fates(&system), [Fate::Constant(1), Fate::Constant(1)]);
        let after = run(&system);
        assert_eq!(after.exprs.as_bool(after.properties[0].condition), Some(false));
    }

    #[test]
    fn a_value_that_comes_back_is_not_constant() {
        let system = system("int a = 1;", "a = 3 - a; if (a == 2) error(0);");
        assert_eq!(fates(&system), [Fate::Keep]);
    }
}
