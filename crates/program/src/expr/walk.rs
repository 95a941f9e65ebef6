//! Folds over expressions: from an operator's function of its operands' values to the value of a whole expression.
//!
//! Expressions nest without limit and share parts, so a fold keeps its own stack and computes each part once. A fold
//! can be used again and again: its memory is forgotten by starting a new round, which costs nothing.

use std::ops::Index;

use super::{Expr, ExprId, Exprs};

/// A fold, with its memory.
#[derive(Clone, Debug)]
pub struct Fold<T> {
    done: Done<T>,
    /// The parts that others wait for, the latest last.
    waiting: Vec<ExprId>,
}

/// The values that are known so far.
#[derive(Clone, Debug)]
pub struct Done<T> {
    round: u32,
    /// Per expression: the round in which it was computed, and its value.
    values: Vec<Option<(u32, T)>>,
}

/// A value that has to be computed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(ExprId);

impl<T> Done<T> {
    /// The value of an expression, if it is known.
    pub fn get(&self, id: ExprId) -> Option<&T> {
        match self.values.get(id.index()) {
            Some(Some((round, value))) if *round == self.round => Some(value),
            _ => None,
        }
    }

    /// The value of an expression that a lazy fold needs.
    pub fn need(&self, id: ExprId) -> Result<&T, Missing> {
        self.get(id).ok_or(Missing(id))
    }

    fn set(&mut self, id: ExprId, value: T) {
        if self.values.len() <= id.index() {
            self.values.resize_with(id.index() + 1, || None);
        }
        self.values[id.index()] = Some((self.round, value));
    }
}

impl<T> Index<ExprId> for Done<T> {
    type Output = T;

    fn index(&self, id: ExprId) -> &T {
        self.get(id).expect("operands are computed before their users")
    }
}

impl<T> Default for Fold<T> {
    fn default() -> Fold<T> {
        Fold { done: Done { round: 0, values: vec![] }, waiting: vec![] }
    }
}

impl<T> Fold<T> {
    /// Starts a new round: the known values belong to another state of the world.
    pub fn forget(&mut self) {
        match self.done.round.checked_add(1) {
            Some(next) => self.done.round = next,
            None => *self = Fold::default(),
        }
    }

    /// The value of an expression; `combine` makes it from those of all operands. The first operand comes first.
    pub fn all(&mut self, exprs: &Exprs, root: ExprId, mut combine: impl FnMut(ExprId, Expr, &Done<T>) -> T) -> &T {
        self.waiting.clear();
        self.waiting.push(root);
        while let Some(&id) = self.waiting.last() {
            if self.done.get(id).is_some() {
                self.waiting.pop();
                continue;
            }
            let (expr, before) = (exprs.get(id), self.waiting.len());
            for operand in expr.operands() {
                let is_next = self.waiting.len() == before;
                match exprs.get(operand) {
                    _ if self.done.get(operand).is_some() => {}
                    // Most operands are leaves; those whose turn it is need not wait.
                    leaf if is_next && leaf.operands().next().is_none() => {
                        let value = combine(operand, leaf, &self.done);
                        self.done.set(operand, value);
                    }
                    _ => self.waiting.push(operand),
                }
            }
            if self.waiting.len() > before {
                self.waiting[before..].reverse();
                continue;
            }
            self.waiting.pop();
            let value = combine(id, expr, &self.done);
            self.done.set(id, value);
        }
        &self.done[root]
    }

    /// The value of an expression where not every operand counts: `combine` asks for those that do with [`Done::need`],
    /// in the order in which it wants them, and hands back the one that is missing. It is called again when that is
    /// known, so it must do nothing else before it has asked for everything.
    pub fn lazy(&mut self, root: ExprId, mut combine: impl FnMut(ExprId, &Done<T>) -> Result<T, Missing>) -> &T {
        self.waiting.clear();
        self.waiting.push(root);
        while let Some(&id) = self.waiting.last() {
            if self.done.get(id).is_some() {
                self.waiting.pop();
                continue;
            }
            match combine(id, &self.done) {
                Ok(value) => {
                    self.waiting.pop();
                    self.done.set(id, value);
                }
                Err(Missing(operand)) => self.waiting.push(operand),
            }
        }
        &self.done[root]
    }
}

#[cfg(test)]
mod tests {
    use redoubt_base::Random;

    use super::*;
    use crate::expr::{BinaryOp, InputId, Type, VarId};

    /// `x + (x + (x + ... ))` with another operator at each level, so that nothing folds.
    fn deep(exprs: &mut Exprs, depth: usize) -> ExprId {
        let x = exprs.var(VarId::new(0), Type::Int);
        (0..depth).fold(exprs.input(InputId::new(0), Type::Int), |inner, level| {
            let op = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::BitXor][level % 3];
            exprs.binary(op, x, inner)
        })
    }

    fn evaluate(expr: Expr, at: impl Fn(ExprId) -> i32) -> i32 {
        match expr {
            Expr::Bool(value) => i32::from(value),
            Expr::Int(value) => value,
            Expr::Input(_) => 5,
            Expr::Var(_) => 3,
            Expr::Unary(op, a) => op.apply(at(a)),
            Expr::Binary(op, a, b) => op.apply(at(a), at(b)),
            Expr::Ite(condition, then, otherwise) => at(if at(condition) != 0 { then } else { otherwise }),
            Expr::Table(_) | Expr::Cell(..) | Expr::Length(_) => unreachable!("there are no tables here"),
        }
    }

    #[test]
    fn nesting_has_no_limit() {
        let mut exprs = Exprs::default();
        let root = deep(&mut exprs, 100_000);
        // Operands precede their users, so a loop by index is another way to compute the same.
        let mut values = vec![];
        for (_, expr) in exprs.iter() {
            values.push(evaluate(expr, |id| values[id.index()]));
        }
        let expected = values[root.index()];
        assert_eq!(*Fold::default().all(&exprs, root, |_, expr, done| evaluate(expr, |id| done[id])), expected);
        let lazily = |id, done: &Done<i32>| match exprs.get(id) {
            Expr::Binary(op, a, b) => Ok(op.apply(*done.need(a)?, *done.need(b)?)),
            leaf => Ok(evaluate(leaf, |_| unreachable!("it has no operands"))),
        };
        assert_eq!(*Fold::default().lazy(root, lazily), expected);
    }

    #[test]
    fn parts_that_are_shared_are_computed_once_and_in_order() {
        let mut exprs = Exprs::default();
        let (x, y) = (exprs.var(VarId::new(0), Type::Int), exprs.var(VarId::new(1), Type::Int));
        // Written out, this has 2^60 operators.
        let mut root = exprs.binary(BinaryOp::Sub, y, x);
        for _ in 0..60 {
            root = exprs.binary(BinaryOp::Mul, root, root);
        }
        let mut order = vec![];
        Fold::default().all(&exprs, root, |id, _, _| order.push(id));
        assert_eq!(order.len(), exprs.len());
        assert_eq!(order[..2], [y, x], "the first operand first");

        let (sum, z) = (exprs.binary(BinaryOp::Add, x, y), exprs.var(VarId::new(2), Type::Int));
        let root = exprs.binary(BinaryOp::Sub, sum, z);
        let mut order = vec![];
        Fold::default().all(&exprs, root, |id, _, _| order.push(id));
        assert_eq!(order, [x, y, sum, z, root], "a leaf waits for what stands before it");
    }

    #[test]
    fn a_lazy_fold_computes_only_what_it_asks_for() {
        let mut exprs = Exprs::default();
        let condition = exprs.var(VarId::new(0), Type::Bool);
        let (then, otherwise) = (exprs.int(1), exprs.var(VarId::new(1), Type::Int));
        let root = exprs.ite(condition, then, otherwise);
        let mut fold = Fold::default();
        let mut value = |truth: i32| {
            fold.forget();
            *fold.lazy(root, |id, done| match exprs.get(id) {
                Expr::Ite(condition, then, otherwise) => {
                    Ok(*done.need(if *done.need(condition)? != 0 { then } else { otherwise })?)
                }
                Expr::Int(value) => Ok(value),
                _ if id == condition => Ok(truth),
                other => unreachable!("nobody asks for {other:?}"),
            })
        };
        assert_eq!(value(1), 1);
    }

    #[test]
    fn a_new_round_forgets_and_the_same_round_does_not() {
        let mut exprs = Exprs::default();
        let root = deep(&mut exprs, 10);
        let mut fold = Fold::default();
        let count = |fold: &mut Fold<()>| {
            let mut steps = 0;
            fold.all(&exprs, root, |_, _, _| steps += 1);
            steps
        };
        assert_eq!((count(&mut fold), count(&mut fold)), (12, 0));
        fold.forget();
        assert_eq!(count(&mut fold), 12);
    }

    #[test]
    fn random_expressions_have_the_values_that_a_loop_by_index_finds() {
        let random = &mut Random::new(7);
        for _ in 0..200 {
            let mut exprs = Exprs::default();
            let mut ids = vec![exprs.var(VarId::new(0), Type::Int), exprs.input(InputId::new(0), Type::Int)];
            for _ in 0..40 {
                let mut pick = || ids[random.bits() as usize % ids.len()];
                let (a, b, c, d) = (pick(), pick(), pick(), pick());
                let less = exprs.binary(BinaryOp::Less, a, b);
                let number = match random.bits() % 3 {
                    0 => exprs.binary(BinaryOp::Add, a, b),
                    1 => exprs.binary(BinaryOp::Mul, c, d),
                    _ => exprs.ite(less, c, d),
                };
                ids.push(number);
            }
            let mut values = vec![];
            for (_, expr) in exprs.iter() {
                values.push(evaluate(expr, |id| values[id.index()]));
            }
            let mut fold = Fold::default();
            for &root in ids.iter().rev() {
                let value = *fold.all(&exprs, root, |_, expr, done| evaluate(expr, |id| done[id]));
                assert_eq!(value, values[root.index()]);
            }
        }
    }
}
