//! From the place where an abstract run parts from the program to finer regions.
//!
//! At that place some expression gives one region for the values that the program has, and other regions for other
//! values of the same regions. For each variable that it reads, the largest interval around its value is found on
//! which the result is the program's; cutting its region at the ends of that interval rules the abstract step out.
//!
//! A variable that is changed by a constant is cut again and again at that distance, back to its start: otherwise a
//! counter would need one refinement for each value that it counts.

use super::concretise::Place;
use super::regions::{Cuts, Partition};
use super::relation::Target;
use crate::analysis::flow::Flow;
use crate::analysis::{Env, Values};
use crate::expr::{BinaryOp, Expr, ExprId, InputId, Type, UnaryOp, VarId};
use crate::program::Program;

/// A counter is split so far beyond the values in question at first.
const FIRST_MARGIN: i32 = 4;

/// Values further than this from those in question are not split.
const FURTHEST: i32 = 512;

/// Adds the cuts that a place asks for; whether there was any.
pub fn refine(flow: &Flow, partitions: &[Partition], place: &Place, cuts: &mut Cuts) -> bool {
    let program = flow.head.program;
    let mut refiner = Refiner { program, env: flow.head.clone(), partitions, place, cuts };
    match place.target {
        Some(variable) if program.variable(variable).ty != Type::Bool => {
            refiner.expression(place.expr, Target::Regions(&partitions[variable.index()]))
        }
        _ => refiner.condition(place.expr),
    }
}

struct Refiner<'r, 'p> {
    program: &'p Program,
    env: Env<'p>,
    partitions: &'r [Partition],
    place: &'r Place,
    cuts: &'r mut Cuts,
}

impl Refiner<'_, '_> {
    fn condition(&mut self, id: ExprId) -> bool {
        match self.program.exprs.get(id) {
            Expr::Unary(UnaryOp::Not, a) => self.condition(a),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                let first = stacker::maybe_grow(64 << 10, 1 << 20, || self.condition(a));
                first | stacker::maybe_grow(64 << 10, 1 << 20, || self.condition(b))
            }
            _ => self.expression(id, Target::Truth),
        }
    }

    fn expression(&mut self, id: ExprId, target: Target) -> bool {
        for (index, &value) in self.place.inputs.iter().enumerate().take(self.program.inputs.len()) {
            self.env.fix_input(InputId::new(index), Values::one(value));
        }
        let variables = self.program.exprs.variables(id);
        let at = |variable: VarId| self.place.variables[variable.index()];
        for &variable in &variables {
            self.env.set(variable, Values::one(at(variable)));
        }
        let result = target.touched(&self.env.evaluate(id));
        // The widest interval splits the least.
        let mut best: Option<(u32, VarId, (i32, i32))> = None;
        for &variable in &variables {
            let value = at(variable);
            let partition = &self.partitions[variable.index()];
            let (low, high) = partition.region(partition.index_of(value));
            let reaches = |env: &mut Env, end: i32| {
                let mark = env.mark();
                env.set(variable, Values::interval(value.min(end), value.max(end)));
                let same = target.touched(&env.evaluate(id)) == result;
                env.undo(mark);
                same
            };
            let first = furthest(&mut self.env, value, low, &reaches);
            let last = furthest(&mut self.env, value, high, &reaches);
            let width = last.abs_diff(first);
            if (first, last) != (low, high) && best.is_none_or(|(widest, ..)| width > widest) {
                best = Some((width, variable, (first, last)));
            }
        }
        let Some((_, variable, (first, last))) = best else { return false };
        let partition = &self.partitions[variable.index()];
        let (low, high) = partition.region(partition.index_of(at(variable)));
        let mut news = false;
        for cut in [(first > low).then_some(first), (last < high).then(|| last + 1)].into_iter().flatten() {
            news |= self.cuts.add(variable, cut);
            self.repeat(id, variable, cut);
        }
        news
    }

    /// A variable that is changed by a constant is split into single values between its own and the cut, and beyond: the
    /// further, the more often that was asked for.
    fn repeat(&mut self, id: ExprId, variable: VarId, cut: i32) {
        if self.place.target != Some(variable) || self.program.exprs.variables(id) != [variable] {
            return;
        }
        let times = self.cuts.ask(variable);
        let margin = i64::from(FIRST_MARGIN << times.min(5));
        let value = i64::from(self.place.variables[variable.index()]);
        let cut = i64::from(cut);
        let (low, high) = (value.min(cut) - margin, value.max(cut) + margin);
        // What is too far to be counted step by step is left alone in the middle.
        let near = |at: i64| (at - value).abs() <= i64::from(FURTHEST) || (at - cut).abs() <= i64::from(FURTHEST);
        let low = low.max(value.min(cut) - i64::from(FURTHEST));
        let mut at = low;
        while at <= high {
            if near(at) {
                if let Ok(at) = i32::try_from(at) {
                    self.cuts.add(variable, at);
                }
                at += 1;
            } else {
                at = value.max(cut) - i64::from(FURTHEST);
            }
        }
    }
}

/// The number furthest from `from` on the way to `to` that still passes the test, which holds at `from`; found by
/// bisection, so a test that holds again further away may be missed.
fn furthest(env: &mut Env, from: i32, to: i32, holds: &impl Fn(&mut Env, i32) -> bool) -> i32 {
    let (mut good, mut bad) = (i64::from(from), i64::from(to));
    if holds(env, to) {
        return to;
    }
    while good.abs_diff(bad) > 1 {
        let middle = (good + bad).div_euclid(2);
        let middle = if middle == good || middle == bad { bad } else { middle };
        if middle == bad {
            break;
        }
        if holds(env, middle as i32) { good = middle } else { bad = middle }
    }
    good as i32
}
