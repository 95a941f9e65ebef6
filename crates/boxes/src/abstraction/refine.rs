//! From the place where an abstract run parts from the program to finer regions.
//!
//! At that place some expression gives one region for the values that the program has, and other regions for other
//! values of the same regions. For each variable that it reads, the largest interval around its value is found on
//! which the result is the program's; cutting its region at the ends of that interval rules the abstract step out.
//!
//! A variable that is changed by a constant is cut again and again at that distance, back to its start: otherwise a
//! counter would need one refinement for each value that it counts.

use super::concretise::Parting;
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

/// The result of a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// Nothing could be cut.
    Nothing,
    /// Some regions were.
    Cut,
    /// A variable that was hidden is cut again as the program's comparisons ask for, and split into single values.
    Shown(VarId),
}

/// Adds the cuts that a place asks for.
pub fn refine(flow: &Flow, base: &Cuts, partitions: &[Partition], place: &Parting, cuts: &mut Cuts) -> Refinement {
    let program = flow.head.program;
    let mut refiner = Refiner { program, env: flow.head.clone(), base, partitions, place, cuts };
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
    /// The cuts that the program's comparisons ask for.
    base: &'r Cuts,
    partitions: &'r [Partition],
    place: &'r Parting,
    cuts: &'r mut Cuts,
}

impl Refiner<'_, '_> {
    /// Refines by the first comparison of a condition that allows it.
    fn condition(&mut self, id: ExprId) -> Refinement {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match self.program.exprs.get(id) {
                Expr::Unary(UnaryOp::Not, a) => pending.push(a),
                Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => pending.extend([b, a]),
                _ => match self.expression(id, Target::Truth) {
                    Refinement::Nothing => {}
                    done => return done,
                },
            }
        }
        Refinement::Nothing
    }

    fn expression(&mut self, id: ExprId, target: Target) -> Refinement {
        for (index, &value) in self.place.inputs.iter().enumerate().take(self.program.inputs.len()) {
            self.env.fix_input(InputId::new(index), Values::one(value));
        }
        // With the others at their values first; if each variable alone is innocent, with the others anywhere in their
        // regions.
        match self.cut_one(id, target, false) {
            Refinement::Nothing => self.cut_one(id, target, true),
            done => done,
        }
    }

    /// Cuts one of the variables that an expression reads, with the others at their values or anywhere in their regions.
    fn cut_one(&mut self, id: ExprId, target: Target, anywhere: bool) -> Refinement {
        let variables = self.program.exprs.variables(id);
        let at = |variable: VarId| self.place.variables[variable.index()];
        let region = |variable: VarId| {
            let partition = &self.partitions[variable.index()];
            partition.region(partition.index_of(at(variable)))
        };
        variables.iter().for_each(|&variable| self.env.set(variable, Values::one(at(variable))));
        let result = target.touched(&self.env.evaluate(id));
        if anywhere {
            for &variable in &variables {
                let (low, high) = region(variable);
                self.env.set(variable, Values::interval(low, high));
            }
        }
        let mut candidates: Vec<(u32, VarId, (i32, i32))> = vec![];
        for &variable in &variables {
            let value = at(variable);
            let (low, high) = region(variable);
            let same = |env: &mut Env, end: i32| {
                let mark = env.mark();
                env.set(variable, Values::interval(value.min(end), value.max(end)));
                let same = target.touched(&env.evaluate(id)) == result;
                env.undo(mark);
                same
            };
            if !same(&mut self.env, value) {
                continue;
            }
            let first = furthest(&mut self.env, value, low, &same);
            let last = furthest(&mut self.env, value, high, &same);
            if (first, last) != (low, high) {
                candidates.push((last.abs_diff(first), variable, (first, last)));
            }
        }
        // The widest interval splits the least.
        candidates.sort_by_key(|&(width, variable, _)| (std::cmp::Reverse(width), variable));
        let mut outcomes = candidates.into_iter().map(|(_, variable, interval)| self.cut(id, variable, interval));
        outcomes.find(|&outcome| outcome != Refinement::Nothing).unwrap_or(Refinement::Nothing)
    }

    /// Cuts a variable's region at the ends of an interval.
    fn cut(&mut self, id: ExprId, variable: VarId, (first, last): (i32, i32)) -> Refinement {
        if self.cuts.copy(self.base, variable) {
            // It was hidden since it counts; so it is counted from its start to where it is compared.
            let start = self.program.variable(variable).initial;
            for cut in self.base.of_variable(variable).clone() {
                self.count_between(variable, start, cut);
            }
            return Refinement::Shown(variable);
        }
        let partition = &self.partitions[variable.index()];
        let (low, high) = partition.region(partition.index_of(self.place.variables[variable.index()]));
        let mut news = false;
        for cut in [(first > low).then_some(first), (last < high).then(|| last + 1)].into_iter().flatten() {
            news |= self.cuts.add(variable, cut);
            self.repeat(id, variable, cut);
        }
        if news { Refinement::Cut } else { Refinement::Nothing }
    }

    /// A variable that is changed by a constant is split into single values between its own and the cut, and beyond: the
    /// further, the more often that was asked for.
    fn repeat(&mut self, id: ExprId, variable: VarId, cut: i32) {
        if self.place.target == Some(variable) && self.program.exprs.variables(id) == [variable] {
            self.count_between(variable, self.place.variables[variable.index()], cut);
        }
    }

    /// Splits a variable into single values between two of them and around.
    fn count_between(&mut self, variable: VarId, a: i32, b: i32) {
        let margin = FIRST_MARGIN << self.cuts.ask(variable).min(5);
        self.cuts.split(variable, a.min(b).saturating_sub(margin), a.max(b).saturating_add(margin), FURTHEST);
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
