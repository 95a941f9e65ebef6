//! The demands of a walk on the box that it begins in, from its end to its beginning.
//!
//! At every moment there is an interval for each variable about which something is demanded; the number that it has is in it.
//! An assignment hands the demand on its variable to what it reads, a test adds its own. A condition that is false since one part
//! of it is needs only that part; of several the one is taken whose variable is demanded already, or explains most.
//!
//! Where arithmetic is in between, what made the author of a program sure of the result is mostly coarse: a number is positive, or
//! lies between two constants that guards compare it with. So the variables that are read begin with their cells, if need be
//! without numbers that are so large that products wrap around, or have the other sign, and grow as long as the result stays
//! where it should. If cells are not enough, intervals grow around the numbers themselves, by bisection.

use rustc_hash::FxHashMap;

use super::walk::{Event, Walk, concrete};
use super::{Side, precise};
use crate::analysis::env::Mark;
use crate::analysis::{Cells, Env, Values};
use crate::base::stack::grow;
use crate::expr::{BinaryOp, Expr, ExprId, InputId, UnaryOp, VarId};
use crate::program::Program;

type Interval = (i32, i32);

const ALL: Interval = (i32::MIN, i32::MAX);

/// Products of two numbers up to this one do not wrap around.
const MODERATE: i32 = 46_340;

/// The facts about a number that arithmetic may need, from few to many.
const PARTS: [fn(i32) -> Interval; 4] = [
    |_| ALL,
    moderate,
    |number| if number < 0 { (i32::MIN, -1) } else { (0, i32::MAX) },
    |number| meet(moderate(number), if number < 0 { (i32::MIN, -1) } else { (0, i32::MAX) }),
];

fn moderate(number: i32) -> Interval {
    if (-MODERATE..=MODERATE).contains(&number) { (-MODERATE, MODERATE) } else { ALL }
}

pub struct Demands<'d, 'p> {
    program: &'p Program,
    /// The possible values of variables at the current moment, in all states.
    env: &'d mut Env<'p>,
    /// Before each assignment of the walk that is still ahead.
    marks: Vec<Mark>,
    cells: &'d Cells,
    /// By variable: whether it counts.
    counts: &'d [bool],
    walk: &'d Walk,
    input: i32,
    /// Of all variables, at the moment that is looked at.
    values: Vec<i32>,
    demanded: FxHashMap<usize, Interval>,
    /// By variable: how many false conditions it could explain.
    merits: FxHashMap<usize, usize>,
}

impl<'d, 'p> Demands<'d, 'p> {
    /// `env` has the possible values of variables at the beginning.
    pub fn new(
        env: &'d mut Env<'p>,
        cells: &'d Cells,
        counts: &'d [bool],
        walk: &'d Walk,
        input: i32,
    ) -> Demands<'d, 'p> {
        env.fix_input(InputId::new(0), Values::one(input));
        let mut marks = vec![];
        for event in &walk.events {
            if let Event::Assigned { variable, value, .. } = *event {
                marks.push(env.mark());
                let values = precise::evaluate(env, value);
                env.set(VarId::new(variable), values);
            }
        }
        let (program, values) = (env.program, walk.values.clone());
        let (demanded, merits) = Default::default();
        Demands { program, env, marks, cells, counts, walk, input, values, demanded, merits }
    }

    /// Goes through the walk, with the demands of the box at its end.
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
                    if let Some(mark) = self.marks.pop() {
                        self.env.undo(mark);
                    }
                    if let Some(interval) = demand {
                        self.require(value, interval);
                    }
                }
                Event::Tested(condition, truth) => self.require_truth(condition, truth),
                Event::Printed(value, number) => self.require(value, (number, number)),
            }
        }
    }

    /// The demands at the beginning of the step.
    pub fn finish(self) -> Vec<Side> {
        let is_open = |variable, interval| self.env.get(VarId::new(variable)).bounds() == Some(interval);
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
        let known = || self.env.get(VarId::new(variable)).bounds().unwrap_or(ALL);
        self.demanded.get(&variable).copied().unwrap_or_else(known)
    }

    fn demand(&mut self, variable: usize, (low, high): Interval) {
        debug_assert!((low..=high).contains(&self.values[variable]), "the state itself is in its box");
        let known = self.interval(variable);
        self.demanded.insert(variable, meet(known, (low, high)));
    }

    /// The possible values of an expression where its variables have these intervals, and others the demanded ones.
    fn evaluate(&mut self, id: ExprId, intervals: &[(usize, Interval)]) -> Values {
        let mark = self.env.mark();
        for &(variable, (low, high)) in intervals {
            let variable = VarId::new(variable);
            let values = self.env.get(variable).within(low, high);
            self.env.set(variable, values);
        }
        let values = precise::evaluate(self.env, id);
        self.env.undo(mark);
        values
    }

    /// Whether an expression is in an interval in any case, given the demands so far.
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
                } else {
                    self.require_one(op, id, truth);
                }
            }
            Expr::Binary(BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq, ..) => match self.comparison(id, truth) {
                Some((variable, interval)) => self.demand(variable, interval),
                None => self.grow_around(id, (number, number)),
            },
            Expr::Ite(condition, then, otherwise) => {
                let which = self.value(condition) != 0;
                self.require_truth(condition, which);
                grow(|| self.require_truth(if which { then } else { otherwise }, truth));
            }
            _ => self.grow_around(id, (number, number)),
        }
    }

    /// A variable that is compared with a constant, and the numbers around its own for which the result is the same.
    fn comparison(&self, id: ExprId, truth: bool) -> Option<(usize, Interval)> {
        let Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) = self.program.exprs.get(id)
        else {
            return None;
        };
        let (variable, number, is_reversed) = match (self.program.exprs.get(a), self.program.exprs.get(b)) {
            (Expr::Var(var), Expr::Int(number)) => (var.index(), number, false),
            (Expr::Int(number), Expr::Var(var)) => (var.index(), number, true),
            _ => return None,
        };
        Some((variable, compared(op, self.values[variable], number, truth, is_reversed)))
    }

    /// Whether a condition has its truth value in any case, given the demands so far.
    fn is_certain(&mut self, id: ExprId, truth: bool) -> bool {
        match self.comparison(id, truth) {
            Some((variable, interval)) => {
                let known = self.interval(variable);
                meet(known, interval) == known
            }
            None => self.is_met(id, (i32::from(truth), i32::from(truth))),
        }
    }

    /// One part of a conjunction that is false, or of a disjunction that is true, is enough: the best of them, unless one is
    /// certain anyway.
    fn require_one(&mut self, op: BinaryOp, id: ExprId, truth: bool) {
        let (mut parts, mut pending) = (vec![], vec![id]);
        while let Some(part) = pending.pop() {
            match self.program.exprs.get(part) {
                Expr::Binary(other, a, b) if other == op => pending.extend([b, a]),
                _ if (self.value(part) != 0) == truth => parts.push(part),
                _ => {}
            }
        }
        if parts.iter().any(|&part| self.is_certain(part, truth)) {
            return;
        }
        let merit = |demands: &Self, part: ExprId| match demands.only_variable(part) {
            // A demand on a counter has to be repeated for each number that it comes from.
            Some(variable) => {
                let merits = demands.merits.get(&variable).copied().unwrap_or(0);
                (!demands.counts[variable], 2, demands.demanded.contains_key(&variable), merits)
            }
            None => {
                let variables = demands.variables(part);
                let counts = variables.iter().any(|&variable| demands.counts[variable]);
                (!counts, if variables.len() == 1 { 1 } else { 0 }, false, 0)
            }
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
        let by_cells = PARTS.iter().find_map(|part| self.by_cells(id, &variables, *part, target));
        let bounds = by_cells.unwrap_or_else(|| self.by_bisection(id, &variables, target));
        for (variable, interval) in bounds {
            self.demand(variable, interval);
        }
    }

    /// Intervals made of cells, or of the part of them that a number is in.
    fn by_cells(
        &mut self,
        id: ExprId,
        variables: &[usize],
        part: fn(i32) -> Interval,
        target: Interval,
    ) -> Option<Vec<(usize, Interval)>> {
        let start = |&variable: &usize| {
            let own = self.values[variable];
            let cell = meet(self.cells.around(variable, own), self.interval(variable));
            (variable, meet(cell, part(own)))
        };
        let mut bounds: Vec<(usize, Interval)> = variables.iter().map(start).collect();
        if !is_within(&self.evaluate(id, &bounds), target) {
            return None;
        }
        for part in PARTS {
            for at in 0..bounds.len() {
                let wider = part(self.values[bounds[at].0]);
                self.widen(id, target, &mut bounds, at, wider);
            }
        }
        for at in 0..bounds.len() {
            loop {
                let (variable, (low, high)) = bounds[at];
                let below = low.checked_sub(1).map_or(low, |below| self.cells.around(variable, below).0);
                let above = high.checked_add(1).map_or(high, |above| self.cells.around(variable, above).1);
                if !self.widen(id, target, &mut bounds, at, (below, high))
                    && !self.widen(id, target, &mut bounds, at, (low, above))
                {
                    break;
                }
            }
        }
        Some(bounds)
    }

    /// Lets a variable have a wider interval, if the expression stays where it should; whether that changes anything.
    fn widen(
        &mut self,
        id: ExprId,
        target: Interval,
        bounds: &mut [(usize, Interval)],
        at: usize,
        wider: Interval,
    ) -> bool {
        let (variable, old) = bounds[at];
        let wider = meet((old.0.min(wider.0), old.1.max(wider.1)), self.interval(variable));
        if wider == old {
            return false;
        }
        bounds[at].1 = wider;
        let fits = is_within(&self.evaluate(id, bounds), target);
        if !fits {
            bounds[at].1 = old;
        }
        fits
    }

    /// Intervals around the numbers themselves.
    fn by_bisection(&mut self, id: ExprId, variables: &[usize], target: Interval) -> Vec<(usize, Interval)> {
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
        intervals
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

/// The intersection; they have a number in common.
fn meet(a: Interval, b: Interval) -> Interval {
    (a.0.max(b.0), a.1.min(b.1))
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
