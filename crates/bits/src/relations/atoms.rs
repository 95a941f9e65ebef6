//! A program to the comparisons that it makes itself, as far as they are between sums of kept variables.
//!
//! The comparison that a loop needs is mostly written down somewhere: in its condition, in a test before it, in the
//! assertion behind it (Graf and Saïdi, "Construction of abstract state graphs with PVS", CAV 1997, start from the
//! guards, too). A variable with a single assignment stands for the assigned value.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::certificate::{Comparison, Relation, Sum};
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp, VarId};
use crate::program::{Place, Program, StmtKind};

/// Sums with more terms are chance.
const MOST_TERMS: usize = 5;
/// Expressions that nest deeper are not looked into.
const DEEPEST: usize = 32;
/// More comparisons are not looked for.
const MOST: usize = 200;

/// The comparisons of these places, each once, in the order of the text.
#[derive(Default)]
pub struct Atoms {
    /// The comparisons of order and of equality in the program, as orders.
    pub orders: Vec<Comparison>,
    /// Sums of several places that it asks to be the same.
    pub equations: Vec<(Sum, Sum)>,
}

pub fn atoms(program: &Program, places: &[Place]) -> Atoms {
    let reader = Reader { program, kept: places.iter().copied().collect(), meanings: meanings(program) };
    let mut found = Atoms::default();
    let (mut orders, mut differences) = (FxHashSet::default(), FxHashSet::default());
    for (_, expr) in program.exprs.iter() {
        let Expr::Binary(op @ (BinaryOp::Less | BinaryOp::LessEq | BinaryOp::Eq), a, b) = expr else { continue };
        if program.exprs.type_of(a) != crate::expr::Type::Int || found.orders.len() >= MOST {
            continue;
        }
        let (Some(left), Some(right)) = (reader.sum(a, 0), reader.sum(b, 0)) else { continue };
        if !(1..=MOST_TERMS).contains(&(left.terms.len() + right.terms.len())) {
            continue;
        }
        let difference = difference(&left, &right);
        if op == BinaryOp::Eq && difference.terms.len() > 1 && differences.insert(difference) {
            found.equations.push((left.clone(), right.clone()));
        }
        let order = Comparison { left, relation: Relation::LessEqual, right };
        if orders.insert(order.clone()) {
            found.orders.push(order);
        }
    }
    found
}

/// The difference of two sums.
pub fn difference(left: &Sum, right: &Sum) -> Sum {
    plus(left.clone(), times(right.clone(), -1))
}

/// The value of each variable that is assigned once.
fn meanings(program: &Program) -> FxHashMap<VarId, ExprId> {
    let mut found: FxHashMap<VarId, Option<ExprId>> = FxHashMap::default();
    for stmt in &program.stmts {
        if let StmtKind::Assign { variable, value } = stmt.kind {
            found.entry(variable).and_modify(|known| *known = None).or_insert(Some(value));
        }
    }
    found.into_iter().filter_map(|(variable, value)| Some((variable, value?))).collect()
}

struct Reader<'p> {
    program: &'p Program,
    kept: FxHashSet<Place>,
    meanings: FxHashMap<VarId, ExprId>,
}

impl Reader<'_> {
    fn sum(&self, id: ExprId, depth: usize) -> Option<Sum> {
        if depth > DEEPEST {
            return None;
        }
        let exprs = &self.program.exprs;
        let part = |id: ExprId| self.sum(id, depth + 1);
        match exprs.get(id) {
            Expr::Int(value) => Some(Sum::number(value)),
            Expr::Var(variable) if self.kept.contains(&Place::Variable(variable)) => {
                Some(Sum::of(Place::Variable(variable)))
            }
            Expr::Var(variable) => part(*self.meanings.get(&variable)?),
            Expr::Unary(UnaryOp::Negate, a) => Some(times(part(a)?, -1)),
            Expr::Binary(BinaryOp::Add, a, b) => Some(plus(part(a)?, part(b)?)),
            Expr::Binary(BinaryOp::Sub, a, b) => Some(plus(part(a)?, times(part(b)?, -1))),
            Expr::Binary(BinaryOp::Mul, a, b) => match (exprs.as_int(a), exprs.as_int(b)) {
                (_, Some(factor)) => Some(times(part(a)?, factor)),
                (Some(factor), _) => Some(times(part(b)?, factor)),
                _ => None,
            },
            _ => None,
        }
    }
}

fn times(sum: Sum, factor: i32) -> Sum {
    let terms = sum.terms.into_iter().map(|(old, place)| (old.wrapping_mul(factor), place));
    Sum { terms: terms.filter(|(factor, _)| *factor != 0).collect(), constant: sum.constant.wrapping_mul(factor) }
}

fn plus(a: Sum, b: Sum) -> Sum {
    let mut terms = a.terms;
    for (factor, place) in b.terms {
        match terms.iter_mut().find(|(_, other)| *other == place) {
            Some((old, _)) => *old = old.wrapping_add(factor),
            None => terms.push((factor, place)),
        }
    }
    terms.retain(|(factor, _)| *factor != 0);
    Sum { terms, constant: a.constant.wrapping_add(b.constant) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_of_sums_are_found() {
        let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
            int main(void) {
              int n = __VERIFIER_nondet_int(), i = 0, s = 0, t;
              if (n < 0 || 2 * n > 1000) return 0;
              while (i < n) { t = s + 2; s = t; i++; }
              if (t * i == n) return 1;
              if (s > 2 * n) reach_error();
            }";
        let program =
            redoubt_languages::parse(vec![crate::text::SourceFile::new("program.c", text)]).expect("a program");
        let named = |name: &str| {
            let index = program.variables.iter().position(|variable| variable.name == name).expect("it is kept");
            Place::Variable(VarId::new(index))
        };
        let (n, i, s) = (named("n"), named("i"), named("s"));
        let found = atoms(&program, &[n, i, s]).orders;
        let has = |left: Sum, right: Sum| {
            assert!(found.contains(&Comparison { left, relation: Relation::LessEqual, right }), "{found:?}");
        };
        has(Sum::of(i), Sum::of(n));
        has(Sum { terms: vec![(2, n)], constant: 0 }, Sum::of(s));
        has(Sum::number(1000), Sum { terms: vec![(2, n)], constant: 0 });
        assert!(found.iter().all(|atom| atom.left.terms.len() + atom.right.terms.len() <= 2), "no products: {found:?}");
    }
}
