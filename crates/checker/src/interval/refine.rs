//! Environments, restricted by conditions.

use redoubt_base::stack::grow;
use redoubt_program::expr::{BinaryOp, Expr, ExprId, UnaryOp};

use super::evaluate::{Arithmetic, Environment, Source};
use super::{NumberSet, Progression};

/// The numbers of a source are tried one by one if they are not more than this.
const MOST_TRIED: u64 = 64;

impl Arithmetic<'_> {
    /// An environment that has all numbers of this one for which a condition has a truth value; `None` if it never has.
    pub fn refine(&self, condition: ExprId, truth: bool, environment: Environment) -> Option<Environment> {
        let expr = self.program.exprs.get(condition);
        match expr {
            Expr::Unary(UnaryOp::Not, inner) => grow(|| self.refine(inner, !truth, environment)),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => grow(|| {
                if (op == BinaryOp::And) == truth {
                    // Both are as the whole.
                    return self.refine(b, truth, self.refine(a, truth, environment)?);
                }
                // The first is as the whole; or it is not, and the second is.
                let second = self.refine(a, !truth, environment.clone()).and_then(|rest| self.refine(b, truth, rest));
                match (self.refine(a, truth, environment), second) {
                    (Some(first), Some(second)) => Some(first.join(&second)),
                    (first, second) => first.or(second),
                }
            }),
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) => {
                let inside = self.refine_sides(op, [a, b], truth, environment)?;
                let is_leaf = |id| self.program.exprs.get(id).operands().next().is_none();
                if is_leaf(a) && is_leaf(b) { Some(inside) } else { self.refine_one_by_one(condition, truth, inside) }
            }
            _ => {
                let left = self.evaluate(condition, &environment).contains(i32::from(truth));
                left.then(|| self.narrowed(condition, &NumberSet::one(i32::from(truth)), environment))
            }
        }
    }

    /// Narrows the sides of a comparison by each other, where they are sources.
    fn refine_sides(
        &self,
        op: BinaryOp,
        sides: [ExprId; 2],
        truth: bool,
        environment: Environment,
    ) -> Option<Environment> {
        let [left, right] = sides.map(|side| self.evaluate(side, &environment));
        let [kept_left, kept_right] = match (op, truth) {
            (BinaryOp::Less, true) => less(&left, &right),
            (BinaryOp::LessEq, true) => at_most(&left, &right),
            // The negation, with the sides exchanged.
            (BinaryOp::Less, false) => exchanged(at_most(&right, &left)),
            (BinaryOp::LessEq, false) => exchanged(less(&right, &left)),
            (_, true) => {
                let both = left.meet(&right);
                [both.clone(), both]
            }
            (_, false) => [unless_it_is(&left, &right), unless_it_is(&right, &left)],
        };
        if kept_left.is_empty() || kept_right.is_empty() {
            return None;
        }
        let inside = self.narrowed(sides[0], &kept_left, environment);
        Some(self.narrowed(sides[1], &kept_right, inside))
    }

    /// The environment where an expression has some numbers only. Of one that is no source nothing follows.
    fn narrowed(&self, id: ExprId, kept: &NumberSet, mut environment: Environment) -> Environment {
        if let Some(source) = Source::of(self.program.exprs.get(id))
            && let Some(known) = environment.get(source)
        {
            let numbers = known.meet(kept);
            environment.set(source, numbers);
        }
        environment
    }

    /// Keeps the numbers of each source with which a condition may have a truth value.
    fn refine_one_by_one(&self, condition: ExprId, truth: bool, mut environment: Environment) -> Option<Environment> {
        let read: Vec<Source> = self.program.exprs.parts(condition).filter_map(Source::of).collect();
        for source in read {
            let Some(known) = environment.get(source).cloned() else { continue };
            if known.count() < 2 || known.count() > MOST_TRIED {
                continue;
            }
            let mut kept = vec![];
            for number in known.iter() {
                environment.set(source, NumberSet::one(number));
                if self.evaluate(condition, &environment).contains(i32::from(truth)) {
                    kept.push(Progression::single(number));
                }
            }
            if kept.is_empty() {
                return None;
            }
            environment.set(source, NumberSet::covering(kept));
        }
        Some(environment)
    }
}

/// The remaining numbers of both sides of `a < b`.
fn less(a: &NumberSet, b: &NumberSet) -> [NumberSet; 2] {
    let (Some((lowest, _)), Some((_, highest))) = (a.bounds(), b.bounds()) else { return [NumberSet::NONE; 2] };
    match (highest.checked_sub(1), lowest.checked_add(1)) {
        (Some(below), Some(above)) => [a.within(i32::MIN, below), b.within(above, i32::MAX)],
        // Nothing is below the lowest number, or above the highest.
        _ => [NumberSet::NONE; 2],
    }
}

/// The remaining numbers of both sides of `a <= b`.
fn at_most(a: &NumberSet, b: &NumberSet) -> [NumberSet; 2] {
    let (Some((lowest, _)), Some((_, highest))) = (a.bounds(), b.bounds()) else { return [NumberSet::NONE; 2] };
    [a.within(i32::MIN, highest), b.within(lowest, i32::MAX)]
}

fn exchanged([a, b]: [NumberSet; 2]) -> [NumberSet; 2] {
    [b, a]
}

/// The remaining numbers of one side of an equation that is false.
fn unless_it_is(a: &NumberSet, b: &NumberSet) -> NumberSet {
    b.single().map_or_else(|| a.clone(), |number| a.without(number))
}
