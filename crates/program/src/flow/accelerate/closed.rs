//! The values of variables after some rounds of a loop, as a formula in the number of rounds.

use std::collections::BTreeMap;

use super::linear::Linear;
use crate::expr::{BinaryOp, Expr, ExprId, Exprs, Type, VarId};
use crate::flow::substitute::{Values, substitute};

/// The effect of a round on a variable.
#[derive(Clone, Debug)]
pub enum Closed {
    /// By the same number each time.
    Counter(i32),
    /// By a number and multiples of counters.
    Sum { constant: i32, counters: Vec<(i32, VarId)> },
    /// To a value that does not depend on the one before: an expression over the state before the last round.
    Copy(ExprId),
}

/// The forms of the variables that have one.
#[derive(Clone, Debug, Default)]
pub struct Forms(BTreeMap<VarId, Closed>);

/// Copies of copies of copies are not followed.
const DEEPEST: usize = 2;

impl Forms {
    /// Of all variables that a round assigns.
    pub fn of(exprs: &Exprs, values: &Values) -> Forms {
        let mut forms = Forms::default();
        for (&variable, &value) in values {
            if let Some((constant, others)) = step(exprs, variable, value)
                && others.is_empty()
            {
                forms.0.insert(variable, Closed::Counter(constant));
            }
        }
        let counters = forms.clone();
        for (&variable, &value) in values.iter().filter(|(variable, _)| counters.get(**variable).is_none()) {
            if let Some((constant, others)) = step(exprs, variable, value)
                && others.iter().all(|(_, other)| counters.counter(*other).is_some())
            {
                forms.0.insert(variable, Closed::Sum { constant, counters: others });
            }
        }
        // Copies of variables with a form, until nothing is added; each is one deeper than its original.
        for _ in 0..DEEPEST {
            let known = forms.clone();
            for (&variable, &value) in values.iter().filter(|(variable, _)| known.get(**variable).is_none()) {
                let read = exprs.variables(value);
                let is_known = |read: &VarId| !values.contains_key(read) || known.get(*read).is_some();
                if read.iter().all(is_known) {
                    forms.0.insert(variable, Closed::Copy(value));
                }
            }
        }
        forms
    }

    pub fn get(&self, variable: VarId) -> Option<&Closed> {
        self.0.get(&variable)
    }

    /// The step of a counter.
    pub fn counter(&self, variable: VarId) -> Option<i32> {
        match self.get(variable) {
            Some(Closed::Counter(step)) => Some(*step),
            _ => None,
        }
    }

    /// The value of a variable after this many rounds, which are not 0, over the values before them.
    pub fn after(&self, exprs: &mut Exprs, variable: VarId, form: &Closed, rounds: ExprId) -> ExprId {
        let before = exprs.var(variable, Type::Int);
        match form {
            Closed::Counter(step) => plus_product(exprs, before, *step, rounds),
            Closed::Sum { constant, counters } => {
                let mut total = plus_product(exprs, before, *constant, rounds);
                let triangle = triangle(exprs, rounds);
                for &(factor, counter) in counters {
                    let start = exprs.var(counter, Type::Int);
                    let starts = exprs.binary(BinaryOp::Mul, start, rounds);
                    total = plus_product(exprs, total, factor, starts);
                    let step = self.counter(counter).unwrap_or(0);
                    total = plus_product(exprs, total, factor.wrapping_mul(step), triangle);
                }
                total
            }
            Closed::Copy(value) => {
                let one = exprs.int(1);
                let before_last = exprs.binary(BinaryOp::Sub, rounds, one);
                let is_first = exprs.eq(rounds, one);
                let mut values = Values::new();
                for read in exprs.variables(*value) {
                    let Some(form) = self.get(read) else { continue };
                    let now = exprs.var(read, Type::Int);
                    let then = self.after(exprs, read, form, before_last);
                    values.insert(read, exprs.ite(is_first, now, then));
                }
                substitute(exprs, *value, &values)
            }
        }
    }
}

/// The amount added to a variable, if there is one: a number, and multiples of other variables.
fn step(exprs: &Exprs, variable: VarId, value: ExprId) -> Option<(i32, Vec<(i32, VarId)>)> {
    let sum = Linear::of(exprs, value);
    let mut others = vec![];
    let mut has_itself = false;
    for (&term, &factor) in &sum.terms {
        match exprs.get(term) {
            Expr::Var(read) if read == variable => has_itself = factor == 1,
            Expr::Var(read) => others.push((factor, read)),
            _ => return None,
        }
    }
    has_itself.then_some((sum.constant, others))
}

fn plus_product(exprs: &mut Exprs, start: ExprId, factor: i32, value: ExprId) -> ExprId {
    let factor = exprs.int(factor);
    let product = exprs.binary(BinaryOp::Mul, value, factor);
    exprs.binary(BinaryOp::Add, start, product)
}

/// `n * (n - 1) / 2`, with the factor that is even halved first, so that nothing is lost.
fn triangle(exprs: &mut Exprs, n: ExprId) -> ExprId {
    let (zero, one) = (exprs.int(0), exprs.int(1));
    let before = exprs.binary(BinaryOp::Sub, n, one);
    let low = exprs.binary(BinaryOp::BitAnd, n, one);
    let is_even = exprs.eq(low, zero);
    let (half, half_before) = (half(exprs, n), half(exprs, before));
    let (first, second) = (exprs.ite(is_even, half, n), exprs.ite(is_even, before, half_before));
    exprs.binary(BinaryOp::Mul, first, second)
}

/// The half of an unsigned word.
fn half(exprs: &mut Exprs, word: ExprId) -> ExprId {
    let (one, mask) = (exprs.int(1), exprs.int(i32::MAX));
    let shifted = exprs.binary(BinaryOp::ShiftRight, word, one);
    exprs.binary(BinaryOp::BitAnd, shifted, mask)
}
