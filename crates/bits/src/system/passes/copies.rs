//! Copy propagation over the steps: variables that start equal and always get equal values become one.
//!
//! Optimistic partition refinement: all variables with the same type and initial value are taken for equal,
//! and a class is split when, under that assumption, its members have different next expressions. Equality of
//! expressions is that of value numbering (Alpern, Wegman and Zadeck, "Detecting equality of variables in
//! programs", 1988).

use rustc_hash::FxHashMap;

use crate::expr::{Expr, ExprId, VarId};
use crate::system::TransitionSystem;
use crate::system::rewrite::Fate;

pub fn fates(system: &TransitionSystem) -> Vec<Fate> {
    let mut class = partition(system.states.iter().map(|state| (state.ty, state.initial)));
    loop {
        let number = number_expressions(system, &class);
        let next = system.states.iter().zip(&class).map(|(state, &class)| (class, number[state.next.index()]));
        let refined = partition(next);
        if refined == class {
            break;
        }
        class = refined;
    }
    class
        .iter()
        .enumerate()
        .map(|(index, &first)| if first == index { Fate::Keep } else { Fate::SameAs(VarId::new(first)) })
        .collect()
}

/// For each item the index of the first one that equals it.
fn partition<K: Eq + std::hash::Hash>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut first = FxHashMap::default();
    keys.enumerate().map(|(index, key)| *first.entry(key).or_insert(index)).collect()
}

/// A number per expression, the same for expressions that are equal if variables of one class are.
fn number_expressions(system: &TransitionSystem, class: &[usize]) -> Vec<ExprId> {
    let mut known: FxHashMap<Expr, ExprId> = FxHashMap::default();
    let mut number: Vec<ExprId> = Vec::with_capacity(system.exprs.len());
    for (id, expr) in system.exprs.iter() {
        let at = |id: ExprId| number[id.index()];
        let canonical = match expr {
            Expr::Var(var) => Expr::Var(VarId::new(class[var.index()])),
            Expr::Unary(op, a) => Expr::Unary(op, at(a)),
            Expr::Binary(op, a, b) if op.is_commutative() => Expr::Binary(op, at(a).min(at(b)), at(a).max(at(b))),
            Expr::Binary(op, a, b) => Expr::Binary(op, at(a), at(b)),
            Expr::Ite(a, b, c) => Expr::Ite(at(a), at(b), at(c)),
            Expr::Cell(a, b) => Expr::Cell(at(a), at(b)),
            Expr::Length(a) => Expr::Length(at(a)),
            Expr::Bool(_) | Expr::Int(_) | Expr::Table(_) | Expr::Input(_) => expr,
        };
        let same = *known.entry(canonical).or_insert(id);
        number.push(same);
    }
    number
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
    fn variables_that_always_get_equal_values_become_one() {
        let system = system("int a = 0; int b = 0;", "a = input; b = input; if (a != b) error(0);");
        assert_eq!(fates(&system), [Fate::Keep, Fate::SameAs(VarId::new(0))]);
        let after = run(&system);
        assert_eq!(names(&after), ["a"]);
        assert_eq!(after.exprs.as_bool(after.properties[0].condition), Some(false));
    }

    /// Each is the successor of itself, and equal as long as both are.
    #[test]
    fn counters_in_step_become_one() {
        let system = system("int a = 0; int b = 0;", "if (input == 2) { a = a + 1; b = b + 1; } if (a == 7) error(0);");
        assert_eq!(fates(&system), [Fate::Keep, Fate::SameAs(VarId::new(0))]);
    }

    #[test]
    fn different_starts_or_updates_keep_variables_apart() {
        let system = system(
            "int a = 0; int b = 1; int c = 0;",
            "a = input; b = input; if (input == 2) c = input; if (a + b + c == 9) error(0);",
        );
        assert_eq!(fates(&system), [Fate::Keep; 3]);
    }
}
