//! What a walk demands of the box that it begins in, from its end to its beginning.
//!
//! At every moment there is an interval for each variable about which something is demanded; the number that it has is in it.
//! An assignment hands the demand on its variable to what it reads, a test adds its own. A condition that is false since one part
//! of it is needs only that part; of several the one is taken whose variable is demanded already, or explains most.
//! Where arithmetic is in between, the intervals of what is read grow around what they are, by bisection, as far as the
//! result stays where it should.

use rustc_hash::FxHashMap;

use super::walk::{Event, Walk, concrete};
use super::{Side, precise, whole};
use crate::analysis::{Env, Values};
use crate::base::stack::grow;
use crate::expr::{BinaryOp, Expr, ExprId, InputId, UnaryOp, VarId};
use crate::program::Program;

type Interval = (i32, i32);

const ALL: Interval = (i32::MIN, i32::MAX);

pub struct Demands<'d, 'p> {
    program: &'p Program,
    env: &'d mut Env<'p>,
    walk: &'d Walk,
    input: i32,
    /// Of all variables, at the moment that is looked at.
    values: Vec<i32>,
    demanded: FxHashMap<usize, Interval>,
    /// By variable: how many false conditions it could explain.
    merits: FxHashMap<usize, usize>,
}

impl<'d, 'p> Demands<'d, 'p> {
    pub fn new(env: &'d mut Env<'p>, walk: &'d Walk, input: i32) -> Demands<'d, 'p> {
        env.fix_input(InputId::new(0), Values::one(input));
        let program = env.program;
        let values = walk.values.clone();
        Demands { program, env, walk, input, values, demanded: FxHashMap::default(), merits: FxHashMap::default() }
    }

    /// Goes through the walk, with what the box of its end demands.
    pub fn carry_back(&mut self, after: &[Side]) {
        if self.walk.outcome.goes_on() {
            self.demanded.extend(after.iter().map(|&(variable, low, high)| (variable, (low, high))));
        }
        self.count_merits();
        for event in self.walk.events.iter().rev() {
            match *event {
                Event::Assigned { variable, value, before } => {
                    let demand = self.demanded.remove(&variable);
                    self.values[variable] = before;
                    if let Some(interval) = demand {
                        self.require(value, interval);
                    }
                }
                Event::Tested(condition, truth) => self.require_truth(condition, truth),
                Event::Printed(value, number) => self.require(value, (number, number)),
            }
        }
    }

    /// What is demanded in the end, that is, in the beginning.
    pub fn finish(self) -> Vec<Side> {
        let is_open = |variable, interval| interval == whole(self.program, variable);
        let demanded = self.demanded.into_iter().filter(|&(variable, interval)| !is_open(variable, interval));
        let mut sides: Vec<Side> = demanded.map(|(variable, (low, high))| (variable, low, high)).collect();
        sides.sort_unstable();
        sides
    }

    /// Which variables could explain many conditions that are false. The values of the beginning tell nearly as well as
    /// those of each moment.
    fn count_merits(&mut self) {
        for event in &self.walk.events {
            if let Event::Tested(condition, false) = *event {
                let mut pending = vec![condition];
                while let Some(id) = pending.pop() {
                    match self.program.exprs.get(id) {
                        Expr::Binary(BinaryOp::And, a, b) => pending.extend([a, b]),
                        _ if self.value(id) == 0 => {
                            if let Some(variable) = self.only_variable(id) {
                                *self.merits.entry(variable).or_default() += 1;
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn only_variable(&self, id: ExprId) -> Option<usize> {
        match self.program.exprs.get(id) {
            Expr::Var(var) => Some(var.index()),
            Expr::Unary(_, a) => self.only_variable(a),
            Expr::Binary(_, a, b) => match (self.program.exprs.get(a), self.program.exprs.get(b)) {
                (Expr::Var(var), Expr::Int(_)) | (Expr::Int(_), Expr::Var(var)) => Some(var.index()),
                _ => None,
            },
            _ => None,
        }
    }

    fn value(&self, id: ExprId) -> i32 {
        concrete(self.program, id, &self.values, self.input)
    }

    fn interval(&self, variable: usize) -> Interval {
        self.demanded.get(&variable).copied().unwrap_or_else(|| whole(self.program, variable))
    }

    fn demand(&mut self, variable: usize, (low, high): Interval) {
        debug_assert!((low..=high).contains(&self.values[variable]), "the state itself is in its box");
        let known = self.interval(variable);
        self.demanded.insert(variable, (known.0.max(low), known.1.min(high)));
    }

    /// The values that an expression can have where its variables have these intervals, and others what is demanded.
    fn evaluate(&mut self, id: ExprId, intervals: &[(usize, Interval)]) -> Values {
        let mark = self.env.mark();
        for &(variable, (low, high)) in intervals {
            self.env.set(VarId::new(variable), Values::interval(low, high));
        }
        let values = precise::evaluate(self.env, id);
        self.env.undo(mark);
        values
    }

    /// Whether an expression is in an interval whatever else is true, with what is demanded already.
    fn is_met(&mut self, id: ExprId, interval: Interval) -> bool {
        let intervals: Vec<(usize, Interval)> =
            self.variables(id).into_iter().map(|variable| (variable, self.interval(variable))).collect();
        is_within(&self.evaluate(id, &intervals), interval)
    }

    /// The variables that an expression reads, each once.
    fn variables(&self, root: ExprId) -> Vec<usize> {
        let (mut found, mut pending) = (vec![], vec![root]);
        while let Some(id) = pending.pop() {
            let expr = self.program.exprs.get(id);
            if let Expr::Var(var) = expr
                && !found.contains(&var.index())
            {
                found.push(var.index());
            }
            pending.extend(expr.operands());
        }
        found
    }

    /// An expression must be in an interval.
    fn require(&mut self, id: ExprId, interval: Interval) {
        match self.program.exprs.get(id) {
            _ if interval == ALL => {}
            Expr::Bool(_) | Expr::Int(_) | Expr::Table(_) | Expr::Input(_) => {}
            Expr::Var(var) => self.demand(var.index(), interval),
            Expr::Ite(condition, then, otherwise) => {
                if !self.is_met(id, interval) {
                    let truth = self.value(condition) != 0;
                    self.require_truth(condition, truth);
                    grow(|| self.require(if truth { then } else { otherwise }, interval));
                }
            }
            Expr::Unary(UnaryOp::ToInt | UnaryOp::Not, a) => {
                if !self.is_met(id, interval) {
                    let truth = self.value(a) != 0;
                    self.require_truth(a, truth);
                }
            }
            Expr::Binary(BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq | BinaryOp::And | BinaryOp::Or, ..) => {
                if !self.is_met(id, interval) {
                    let truth = self.value(id) != 0;
                    self.require_truth(id, truth);
                }
            }
            _ => self.grow_around(id, interval),
        }
    }

    /// A condition must be as true, or as false, as it is.
    fn require_truth(&mut self, id: ExprId, truth: bool) {
        let number = i32::from(truth);
        match self.program.exprs.get(id) {
            Expr::Bool(_) | Expr::Input(_) => {}
            Expr::Var(var) => self.demand(var.index(), (number, number)),
            Expr::Unary(UnaryOp::Not, a) => grow(|| self.require_truth(a, !truth)),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                // Both parts decide, or one is enough.
                if truth == (op == BinaryOp::And) {
                    grow(|| self.require_truth(a, truth));
                    grow(|| self.require_truth(b, truth));
                } else if !self.is_met(id, (number, number)) {
                    self.require_one(op, id, truth);
                }
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) => {
                match (self.program.exprs.get(a), self.program.exprs.get(b)) {
                    (Expr::Var(var), Expr::Int(number)) => {
                        let interval = compared(op, self.values[var.index()], number, truth, false);
                        self.demand(var.index(), interval);
                    }
                    (Expr::Int(number), Expr::Var(var)) => {
                        let interval = compared(op, self.values[var.index()], number, truth, true);
                        self.demand(var.index(), interval);
                    }
                    _ => self.grow_around(id, (number, number)),
                }
            }
            Expr::Ite(condition, then, otherwise) => {
                let which = self.value(condition) != 0;
                self.require_truth(condition, which);
                grow(|| self.require_truth(if which { then } else { otherwise }, truth));
            }
            _ => self.grow_around(id, (number, number)),
        }
    }

    /// One part of a conjunction that is false, or of a disjunction that is true, is enough: the best of them.
    fn require_one(&mut self, op: BinaryOp, id: ExprId, truth: bool) {
        let (mut parts, mut pending) = (vec![], vec![id]);
        while let Some(part) = pending.pop() {
            match self.program.exprs.get(part) {
                Expr::Binary(other, a, b) if other == op => pending.extend([b, a]),
                _ if (self.value(part) != 0) == truth => parts.push(part),
                _ => {}
            }
        }
        let merit = |demands: &Self, part: ExprId| match demands.only_variable(part) {
            Some(variable) => {
                (2, demands.demanded.contains_key(&variable), demands.merits.get(&variable).copied().unwrap_or(0))
            }
            None => (if demands.variables(part).len() == 1 { 1 } else { 0 }, false, 0),
        };
        let mut best = parts[0];
        for &part in &parts[1..] {
            if merit(self, part) > merit(self, best) {
                best = part;
            }
        }
        grow(|| self.require_truth(best, truth));
    }

    /// Lets the variables of an expression have as many values around their own as keep it in an interval.
    fn grow_around(&mut self, id: ExprId, target: Interval) {
        if self.is_met(id, target) {
            return;
        }
        let variables = self.variables(id);
        let mut intervals: Vec<(usize, Interval)> =
            variables.iter().map(|&variable| (variable, (self.values[variable], self.values[variable]))).collect();
        for place in 0..intervals.len() {
            let (low, high) = self.interval(intervals[place].0);
            let own = self.values[intervals[place].0];
            let up = self.furthest(own, high, &mut |demands, end| {
                intervals[place].1.1 = end;
                is_within(&demands.evaluate(id, &intervals), target)
            });
            intervals[place].1.1 = up;
            let down = self.furthest(own, low, &mut |demands, end| {
                intervals[place].1.0 = end;
                is_within(&demands.evaluate(id, &intervals), target)
            });
            intervals[place].1.0 = down;
        }
        for (variable, interval) in intervals {
            self.demand(variable, interval);
        }
    }

    /// The number furthest from one that is fine, towards another, that is fine too.
    fn furthest(&mut self, fine: i32, end: i32, is_fine: &mut dyn FnMut(&mut Self, i32) -> bool) -> i32 {
        if fine == end || is_fine(self, end) {
            return end;
        }
        let (mut fine, mut bad) = (i64::from(fine), i64::from(end));
        while (bad - fine).abs() > 1 {
            let middle = (fine + bad) / 2;
            if is_fine(self, middle as i32) {
                fine = middle;
            } else {
                bad = middle;
            }
        }
        fine as i32
    }
}

fn is_within(values: &Values, (low, high): Interval) -> bool {
    values.bounds().is_some_and(|(least, most)| low <= least && most <= high)
}

/// The numbers around a variable's own for which its comparison with a constant has the same result.
fn compared(op: BinaryOp, own: i32, number: i32, truth: bool, is_reversed: bool) -> Interval {
    let below = (i32::MIN, number.saturating_sub(1));
    let above = (number.saturating_add(1), i32::MAX);
    let (up_to, from) = ((i32::MIN, number), (number, i32::MAX));
    match (op, truth, is_reversed) {
        (BinaryOp::Eq, true, _) => (number, number),
        (BinaryOp::Eq, false, _) => {
            if own < number {
                below
            } else {
                above
            }
        }
        // x < n, and n <= x is the opposite.
        (BinaryOp::Less, true, false) | (BinaryOp::LessEq, false, true) => below,
        (BinaryOp::Less, false, false) | (BinaryOp::LessEq, true, true) => from,
        // x <= n, and n < x is the opposite.
        (BinaryOp::LessEq, true, false) | (BinaryOp::Less, false, true) => up_to,
        _ => above,
    }
}
