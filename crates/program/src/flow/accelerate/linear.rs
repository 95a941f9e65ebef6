//! Expressions as sums: multiples of other expressions, and a number. All of it wraps, as words do.

use std::collections::BTreeMap;

use crate::expr::{BinaryOp, Expr, ExprId, Exprs, UnaryOp};

#[derive(Clone, Debug, Default)]
pub struct Linear {
    pub terms: BTreeMap<ExprId, i32>,
    pub constant: i32,
}

/// Deeper sums are taken as they are.
const DEEPEST: usize = 64;

impl Linear {
    pub fn of(exprs: &Exprs, id: ExprId) -> Linear {
        let mut sum = Linear::default();
        sum.add(exprs, id, 1, 0);
        sum.terms.retain(|_, factor| *factor != 0);
        sum
    }

    /// The sum as an expression.
    pub fn build(&self, exprs: &mut Exprs) -> ExprId {
        let mut total = None;
        // Subtracted terms come after a term to subtract them from.
        let (most, rest): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(_, factor)| **factor != -1);
        for (&term, &factor) in most.into_iter().chain(rest) {
            total = Some(match (total, factor) {
                (Some(total), -1) => exprs.binary(BinaryOp::Sub, total, term),
                (total, factor) => {
                    let factor = exprs.int(factor);
                    let product = exprs.binary(BinaryOp::Mul, term, factor);
                    match total {
                        None => product,
                        Some(total) => exprs.binary(BinaryOp::Add, total, product),
                    }
                }
            });
        }
        let constant = exprs.int(self.constant);
        match total {
            None => constant,
            Some(total) => exprs.binary(BinaryOp::Add, total, constant),
        }
    }

    fn add(&mut self, exprs: &Exprs, id: ExprId, factor: i32, depth: usize) {
        match exprs.get(id) {
            Expr::Int(value) => self.constant = self.constant.wrapping_add(value.wrapping_mul(factor)),
            Expr::Unary(UnaryOp::Negate, a) if depth < DEEPEST => self.add(exprs, a, factor.wrapping_neg(), depth + 1),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) if depth < DEEPEST => {
                self.add(exprs, a, factor, depth + 1);
                let second = if op == BinaryOp::Add { factor } else { factor.wrapping_neg() };
                self.add(exprs, b, second, depth + 1);
            }
            Expr::Binary(BinaryOp::Mul, a, b) if depth < DEEPEST && exprs.as_int(b).is_some() => {
                let times = exprs.as_int(b).unwrap_or(1);
                self.add(exprs, a, factor.wrapping_mul(times), depth + 1);
            }
            _ => {
                let old = self.terms.entry(id).or_insert(0);
                *old = old.wrapping_add(factor);
            }
        }
    }
}
