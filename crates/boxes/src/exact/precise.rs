//! The possible values of expressions, with care where counters come to their ends.
//!
//! Counters of the challenge stop some steps before an overflow: `a -= (a - 20) < a ? 2 : 0`. On an interval that reaches to the least
//! number, `a - 20` may be anything, and so may be the result; number by number it is clear that nothing wraps around.

use crate::analysis::{Env, Values};
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};

/// The number of integers at either end that are looked at one by one.
const ENDS: i32 = 32;

/// The values that an expression can have.
pub fn evaluate(env: &mut Env, id: ExprId) -> Values {
    let exprs = &env.program.exprs;
    let Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) = exprs.get(id) else { return env.evaluate(id) };
    // A choice between 1 and 0 is the condition as a number.
    let (Expr::Var(variable), Expr::Ite(..) | Expr::Unary(UnaryOp::ToInt, _)) = (exprs.get(a), exprs.get(b)) else {
        return env.evaluate(id);
    };
    let (first, last) = (i32::MIN + ENDS, i32::MAX - ENDS);
    let known = env.get(variable).clone();
    let Some((low, high)) = known.bounds() else { return Values::NONE };
    if first <= low && high <= last || low == high {
        return env.evaluate(id);
    }
    let middle = Some((low.max(first), high.min(last))).filter(|(low, high)| low <= high);
    let below = (low < first).then(|| low..=high.min(first - 1)).into_iter().flatten();
    let above = (high > last).then(|| low.max(last + 1)..=high).into_iter().flatten();
    let single = |number| (number, number);
    let mut all = Values::NONE;
    for (low, high) in middle.into_iter().chain(below.map(single)).chain(above.map(single)) {
        // A counter by threes need not stop where every number would have to.
        let within = known.within(low, high);
        if within.is_empty() {
            continue;
        }
        let mark = env.mark();
        env.set(variable, within);
        all = all.join(&env.evaluate(id));
        env.undo(mark);
    }
    all
}
