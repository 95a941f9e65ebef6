//! Expressions to linear forms, so that equal sums become the same expression.
//!
//! That `a + b = 3i` survives `a++, b += 2, i++` is plain once the sums are written out, and hard for a solver that has
//! only the bits of three adders. A form is a tree: conditions, in the order of their ids, and sums of multiples of
//! other expressions at the leaves.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::certificate::{Comparison, Relation, Sum};
use crate::expr::{BinaryOp, Expr, ExprId, Exprs, UnaryOp};
use crate::program::Place;

/// Expressions that are known to be others.
pub type Known = FxHashMap<ExprId, ExprId>;

/// A comparison over given values of its places.
pub fn truth(
    exprs: &mut Exprs,
    comparison: &Comparison,
    at: &mut impl FnMut(&mut Exprs, Place) -> ExprId,
    known: &Known,
) -> ExprId {
    let (left, right) = (form(exprs, &comparison.left, at), form(exprs, &comparison.right, at));
    let difference = match comparison.relation {
        Relation::Equal => left.clone().and_then(|left| left.minus(right.clone()?)),
        Relation::LessEqual => None,
    };
    match (difference, left, right) {
        (Some(difference), ..) => difference.compare(exprs, &Form::number(0), Relation::Equal, known),
        (None, Some(left), Some(right)) if left.leaves() * right.leaves() <= MOST_LEAVES => {
            left.compare(exprs, &right, comparison.relation, known)
        }
        _ => plain(exprs, comparison, at),
    }
}

/// The same, as it is written: the sums may also occur in the program.
pub fn plain(exprs: &mut Exprs, comparison: &Comparison, at: &mut impl FnMut(&mut Exprs, Place) -> ExprId) -> ExprId {
    let mut total = |exprs: &mut Exprs, sum: &Sum| {
        let mut total = None;
        for &(factor, place) in &sum.terms {
            let (factor, value) = (exprs.int(factor), at(exprs, place));
            let term = exprs.binary(BinaryOp::Mul, value, factor);
            total = Some(match total {
                None => term,
                Some(total) => exprs.binary(BinaryOp::Add, total, term),
            });
        }
        let constant = exprs.int(sum.constant);
        match total {
            None => constant,
            Some(total) => exprs.binary(BinaryOp::Add, total, constant),
        }
    };
    let (left, right) = (total(exprs, &comparison.left), total(exprs, &comparison.right));
    related(exprs, left, comparison.relation, right)
}

/// Larger forms are not written out.
const MOST_LEAVES: usize = 128;
/// Expressions that nest deeper are taken as they are.
const DEEPEST: usize = 64;

#[derive(Clone, Debug)]
enum Form {
    Sum(BTreeMap<ExprId, i32>, i32),
    Ite(ExprId, Box<Form>, Box<Form>),
}

fn related(exprs: &mut Exprs, left: ExprId, relation: Relation, right: ExprId) -> ExprId {
    match relation {
        Relation::Equal => exprs.eq(left, right),
        Relation::LessEqual => exprs.binary(BinaryOp::LessEq, left, right),
    }
}

fn form(exprs: &mut Exprs, sum: &Sum, at: &mut impl FnMut(&mut Exprs, Place) -> ExprId) -> Option<Form> {
    let mut total = Form::number(sum.constant);
    for &(factor, place) in &sum.terms {
        let value = at(exprs, place);
        total = total.plus(linear(exprs, value, 0)?.times(factor))?;
    }
    Some(total)
}

fn linear(exprs: &Exprs, id: ExprId, depth: usize) -> Option<Form> {
    let part = |operand: ExprId| linear(exprs, operand, depth + 1);
    if depth >= DEEPEST {
        return Some(Form::atom(id));
    }
    match exprs.get(id) {
        Expr::Int(value) => Some(Form::number(value)),
        Expr::Unary(UnaryOp::Negate, a) => Some(part(a)?.times(-1)),
        Expr::Binary(BinaryOp::Add, a, b) => part(a)?.plus(part(b)?),
        Expr::Binary(BinaryOp::Sub, a, b) => part(a)?.minus(part(b)?),
        Expr::Binary(BinaryOp::Mul, a, b) => match (exprs.as_int(a), exprs.as_int(b)) {
            (_, Some(factor)) => Some(part(a)?.times(factor)),
            (Some(factor), _) => Some(part(b)?.times(factor)),
            _ => Some(Form::atom(id)),
        },
        Expr::Ite(condition, then, otherwise) => {
            let form = Form::choice(condition, part(then)?, part(otherwise)?)?;
            (form.leaves() <= MOST_LEAVES).then_some(form)
        }
        _ => Some(Form::atom(id)),
    }
}

impl Form {
    fn number(value: i32) -> Form {
        Form::Sum(BTreeMap::new(), value)
    }

    fn atom(id: ExprId) -> Form {
        Form::Sum(BTreeMap::from([(id, 1)]), 0)
    }

    fn leaves(&self) -> usize {
        match self {
            Form::Sum(..) => 1,
            Form::Ite(_, then, otherwise) => then.leaves() + otherwise.leaves(),
        }
    }

    fn is_sum(&self, other: &Form) -> bool {
        matches!((self, other), (Form::Sum(a, x), Form::Sum(b, y)) if a == b && x == y)
    }

    fn times(self, factor: i32) -> Form {
        match self {
            Form::Sum(terms, constant) => {
                let terms = terms.into_iter().map(|(id, old)| (id, old.wrapping_mul(factor)));
                Form::Sum(terms.filter(|(_, factor)| *factor != 0).collect(), constant.wrapping_mul(factor))
            }
            Form::Ite(condition, then, otherwise) => {
                Form::Ite(condition, Box::new(then.times(factor)), Box::new(otherwise.times(factor)))
            }
        }
    }

    /// `condition ? then : otherwise`, with conditions in their order.
    fn choice(condition: ExprId, then: Form, otherwise: Form) -> Option<Form> {
        let (yes, no) = (then.given(condition, true), otherwise.given(condition, false));
        if yes.is_sum(&no) {
            return Some(yes);
        }
        let first = |form: &Form| match form {
            Form::Ite(other, ..) if *other < condition => Some(*other),
            _ => None,
        };
        match [first(&yes), first(&no)].into_iter().flatten().min() {
            None => Some(Form::Ite(condition, Box::new(yes), Box::new(no))),
            Some(outer) => {
                let side = |value| Form::choice(condition, yes.given(outer, value), no.given(outer, value));
                Form::joined(outer, side(true)?, side(false)?)
            }
        }
    }

    fn joined(condition: ExprId, then: Form, otherwise: Form) -> Option<Form> {
        if then.is_sum(&otherwise) {
            return Some(then);
        }
        let form = Form::Ite(condition, Box::new(then), Box::new(otherwise));
        (form.leaves() <= MOST_LEAVES).then_some(form)
    }

    /// The form that remains where a condition is known.
    fn given(&self, condition: ExprId, value: bool) -> Form {
        match self {
            Form::Ite(other, then, otherwise) if *other == condition => {
                if value {
                    then.given(condition, value)
                } else {
                    otherwise.given(condition, value)
                }
            }
            Form::Ite(other, then, otherwise) => {
                Form::Ite(*other, Box::new(then.given(condition, value)), Box::new(otherwise.given(condition, value)))
            }
            Form::Sum(..) => self.clone(),
        }
    }

    fn minus(self, other: Form) -> Option<Form> {
        self.plus(other.times(-1))
    }

    fn plus(self, other: Form) -> Option<Form> {
        let outer = match (&self, &other) {
            (Form::Sum(a, x), Form::Sum(b, y)) => {
                let mut terms = a.clone();
                for (id, factor) in b {
                    let sum = terms.get(id).copied().unwrap_or(0).wrapping_add(*factor);
                    terms.insert(*id, sum);
                }
                terms.retain(|_, factor| *factor != 0);
                return Some(Form::Sum(terms, x.wrapping_add(*y)));
            }
            (Form::Ite(a, ..), Form::Ite(b, ..)) => *a.min(b),
            (Form::Ite(a, ..), _) | (_, Form::Ite(a, ..)) => *a,
        };
        let side = |value| self.given(outer, value).plus(other.given(outer, value));
        Form::joined(outer, side(true)?, side(false)?)
    }

    fn compare(&self, exprs: &mut Exprs, other: &Form, relation: Relation, known: &Known) -> ExprId {
        let outer = match (self, other) {
            (Form::Sum(..), Form::Sum(..)) => {
                let (left, right) = (self.sum(exprs), other.sum(exprs));
                let compared = related(exprs, left, relation, right);
                return known.get(&compared).copied().unwrap_or(compared);
            }
            (Form::Ite(a, ..), Form::Ite(b, ..)) => *a.min(b),
            (Form::Ite(a, ..), _) | (_, Form::Ite(a, ..)) => *a,
        };
        let then = self.given(outer, true).compare(exprs, &other.given(outer, true), relation, known);
        let otherwise = self.given(outer, false).compare(exprs, &other.given(outer, false), relation, known);
        exprs.ite(outer, then, otherwise)
    }

    /// A leaf as an expression, always in the same order.
    fn sum(&self, exprs: &mut Exprs) -> ExprId {
        let Form::Sum(terms, constant) = self else { return exprs.int(0) };
        let mut total = None;
        for (&id, &factor) in terms {
            let factor = exprs.int(factor);
            let term = exprs.binary(BinaryOp::Mul, id, factor);
            total = Some(match total {
                None => term,
                Some(total) => exprs.binary(BinaryOp::Add, total, term),
            });
        }
        let constant = exprs.int(*constant);
        match total {
            None => constant,
            Some(total) => exprs.binary(BinaryOp::Add, total, constant),
        }
    }
}
