//! The values of all variables at one point of a program: expressions are evaluated in it, conditions refine it.

use super::domain::{Values, binary, unary, with_itself};
use crate::base::stack::grow;
use crate::expr::{BinaryOp, Expr, ExprId, InputId, TableId, UnaryOp, VarId};
use crate::program::Program;

/// Values per variable, with a trail of the changes so that a branch can be taken back.
#[derive(Clone, Debug)]
pub struct Env<'p> {
    pub program: &'p Program,
    values: Vec<Values>,
    trail: Vec<(VarId, Values)>,
    /// Per table that is written: all values that any of its cells may have, at any time.
    cells: Vec<Values>,
    inputs: Vec<Values>,
    /// Per variable: the number of the last call of [`Env::take_back`] that saw it.
    seen: Vec<usize>,
    returns: usize,
}

/// The new values of some variables after a branch.
pub type Changes = Vec<(VarId, Values)>;

/// A place on the trail.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

/// A variable with more values than this is not refined value by value.
const MOST_TRIED: u64 = 64;

impl<'p> Env<'p> {
    /// The values before the setup.
    pub fn new(program: &'p Program) -> Env<'p> {
        let values = program.variables.iter().map(|variable| Values::one(variable.initial));
        let cells = program.tables.iter().map(|table| match table.written {
            true => Values::from_list(table.cells.clone()),
            false => Values::NONE,
        });
        Env {
            program,
            values: values.collect(),
            trail: vec![],
            cells: cells.collect(),
            inputs: program.inputs.iter().map(|input| Values::of(&input.alphabet)).collect(),
            seen: vec![0; program.variables.len()],
            returns: 0,
        }
    }

    pub fn get(&self, variable: VarId) -> &Values {
        &self.values[variable.index()]
    }

    pub fn input(&self, input: InputId) -> &Values {
        &self.inputs[input.index()]
    }

    /// Lets an input have some values only; hands out those that it had.
    pub fn fix_input(&mut self, input: InputId, values: Values) -> Values {
        std::mem::replace(&mut self.inputs[input.index()], values)
    }

    /// All values that the cells of written tables may have, by table.
    pub fn cells(&self) -> &[Values] {
        &self.cells
    }

    pub fn set(&mut self, variable: VarId, values: Values) {
        let slot = &mut self.values[variable.index()];
        if *slot != values {
            self.trail.push((variable, std::mem::replace(slot, values)));
        }
    }

    /// Takes note that a cell of a table may get some values; whether that is news.
    pub fn add_to_cells(&mut self, table: TableId, values: &Values) -> bool {
        let cells = &mut self.cells[table.index()];
        let joined = cells.join(values);
        let news = joined != *cells;
        *cells = joined;
        news
    }

    /// The cells of a written table have some values only.
    pub fn set_cells(&mut self, table: TableId, values: Values) {
        self.cells[table.index()] = values;
    }

    /// The cells of a written table may have any value.
    pub fn widen_cells(&mut self) {
        for (table, cells) in self.program.tables.iter().zip(&mut self.cells) {
            if table.written {
                *cells = Values::ANY;
            }
        }
    }

    pub fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    pub fn undo(&mut self, mark: Mark) {
        for (variable, old) in self.trail.drain(mark.0..).rev() {
            self.values[variable.index()] = old;
        }
    }

    /// Takes back all changes since a mark and hands out their results.
    pub fn take_back(&mut self, mark: Mark) -> Changes {
        let changes = self.changes(mark);
        self.undo(mark);
        changes
    }

    /// The new values of the variables that changed since a mark.
    pub fn changes(&mut self, mark: Mark) -> Changes {
        self.returns += 1;
        let mut changes = vec![];
        for &(variable, _) in &self.trail[mark.0..] {
            if self.seen[variable.index()] != self.returns {
                self.seen[variable.index()] = self.returns;
                changes.push((variable, self.values[variable.index()].clone()));
            }
        }
        changes
    }

    /// Goes on with all that some branches led to. Each started from the values here.
    pub fn join(&mut self, branches: Vec<Changes>) {
        let ends = branches.len();
        let mut changes: Changes = branches.into_iter().flatten().collect();
        changes.sort_by_key(|(variable, _)| *variable);
        for group in changes.chunk_by(|a, b| a.0 == b.0) {
            let variable = group[0].0;
            let start = if group.len() < ends { self.get(variable).clone() } else { Values::NONE };
            let joined = group.iter().fold(start, |all, (_, values)| all.join(values));
            self.set(variable, joined);
        }
    }

    /// The values that an expression can have.
    pub fn evaluate(&mut self, id: ExprId) -> Values {
        match self.program.exprs.get(id) {
            Expr::Bool(value) => Values::one(i32::from(value)),
            Expr::Int(value) => Values::one(value),
            Expr::Table(table) => Values::one(table.index() as i32),
            Expr::Input(input) => self.inputs[input.index()].clone(),
            Expr::Var(var) => self.get(var).clone(),
            compound => grow(|| self.evaluate_compound(compound)),
        }
    }

    fn evaluate_compound(&mut self, expr: Expr) -> Values {
        match expr {
            Expr::Unary(op, a) => unary(op, &self.evaluate(a)),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)
                if let Some(condition) = self.program.exprs.condition_of_amount(a, b) =>
            {
                // A counter whose step depends on its value must not lose sight of that.
                self.evaluate_cases(condition, |env, _| binary(op, &env.evaluate(a), &env.evaluate(b)))
            }
            Expr::Binary(op, a, b) if a == b => with_itself(op, &self.evaluate(a)),
            Expr::Binary(op, a, b) => {
                let a = self.evaluate(a);
                match (op, a.single()) {
                    (BinaryOp::And, Some(0)) | (BinaryOp::Or, Some(1)) => a,
                    _ => binary(op, &a, &self.evaluate(b)),
                }
            }
            Expr::Ite(condition, then, otherwise) => {
                self.evaluate_cases(condition, |env, truth| env.evaluate(if truth { then } else { otherwise }))
            }
            Expr::Cell(pointer, index) => {
                let (pointer, index) = (self.evaluate(pointer), self.evaluate(index));
                self.read(&pointer, &index)
            }
            Expr::Length(pointer) => {
                let tables = self.evaluate(pointer);
                let lengths = tables.iter().map(|table| self.program.tables[table as usize].cells.len() as i32);
                Values::from_list(lengths.collect())
            }
            leaf => unreachable!("{leaf:?} has no operands"),
        }
    }

    /// The values of something if a condition holds, and if it does not, each with the consequences of that.
    fn evaluate_cases(&mut self, condition: ExprId, evaluate: impl Fn(&mut Env<'p>, bool) -> Values) -> Values {
        let mut result = Values::NONE;
        for truth in [true, false] {
            let mark = self.mark();
            if self.refine(condition, truth) {
                result = result.join(&evaluate(self, truth));
            }
            self.undo(mark);
        }
        result
    }

    /// The cells that can be read; 0 stands for those outside.
    fn read(&self, pointer: &Values, index: &Values) -> Values {
        let mut found = Values::NONE;
        for table in pointer.iter() {
            let cells = &self.program.tables[table as usize].cells;
            if self.program.tables[table as usize].written {
                found = found.join(&self.cells[table as usize]);
            } else {
                let inside = cells.iter().enumerate().filter(|(at, _)| index.contains(*at as i32));
                found = found.join(&Values::from_list(inside.map(|(_, &value)| value).collect()));
            }
            if index.bounds().is_some_and(|(low, high)| low < 0 || high as usize >= cells.len()) {
                found = found.join(&Values::one(0));
            }
        }
        found
    }

    /// Keeps only values under which a condition may have this truth value; whether any are left. Nothing is lost:
    /// every assignment of values that was possible before and gives the condition this truth value stays possible.
    pub fn refine(&mut self, condition: ExprId, truth: bool) -> bool {
        match self.program.exprs.get(condition) {
            Expr::Var(var) => {
                let possible = self.get(var).contains(i32::from(truth));
                self.set(var, Values::one(i32::from(truth)));
                possible
            }
            Expr::Unary(UnaryOp::Not, inner) => grow(|| self.refine(inner, !truth)),
            Expr::Binary(BinaryOp::And, a, b) => grow(|| self.refine_both(a, b, truth, truth)),
            Expr::Binary(BinaryOp::Or, a, b) => grow(|| self.refine_both(a, b, truth, !truth)),
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) => {
                self.refine_comparison(condition, op, a, b, truth)
            }
            _ => self.evaluate(condition).contains(i32::from(truth)),
        }
    }

    /// Refines by two conditions that both have a truth value, or of which at least one has it.
    fn refine_both(&mut self, a: ExprId, b: ExprId, truth: bool, both: bool) -> bool {
        if both {
            return self.refine(a, truth) && self.refine(b, truth);
        }
        let mut parts = vec![];
        self.alternatives(a, truth, &mut parts);
        self.alternatives(b, truth, &mut parts);
        self.refine_some(&parts)
    }

    /// The parts of a condition that has a truth value if and only if one of them has its own.
    fn alternatives(&self, condition: ExprId, truth: bool, parts: &mut Vec<(ExprId, bool)>) {
        let op = if truth { BinaryOp::Or } else { BinaryOp::And };
        match self.program.exprs.get(condition) {
            Expr::Binary(other, a, b) if other == op => {
                grow(|| self.alternatives(a, truth, parts));
                grow(|| self.alternatives(b, truth, parts));
            }
            _ => parts.push((condition, truth)),
        }
    }

    /// Refines by conditions of which at least one has its truth value. The consequence is the union of the
    /// consequences of each that may: of most conditions, which ask for different things, nothing, and that is clear
    /// after the first two.
    fn refine_some(&mut self, parts: &[(ExprId, bool)]) -> bool {
        let mut common: Option<Changes> = None;
        for &(part, truth) in parts {
            let mark = self.mark();
            let possible = self.refine(part, truth);
            let changes = self.take_back(mark);
            if !possible {
                continue;
            }
            let left = match common {
                None => changes,
                Some(common) => self.in_both(common, &changes),
            };
            if left.is_empty() {
                return true;
            }
            common = Some(left);
        }
        let Some(common) = common else { return false };
        common.into_iter().for_each(|(variable, values)| self.set(variable, values));
        true
    }

    /// The union of two branches' new values of variables, where that says something.
    fn in_both(&self, mut some: Changes, others: &Changes) -> Changes {
        some.retain_mut(|(variable, values)| {
            let other = others.iter().find(|(other, _)| other == variable);
            let joined = other.map(|(_, other)| values.join(other)).filter(|joined| joined != self.get(*variable));
            joined.map(|joined| *values = joined).is_some()
        });
        some
    }

    fn refine_comparison(&mut self, condition: ExprId, op: BinaryOp, a: ExprId, b: ExprId, truth: bool) -> bool {
        let (left, right) = (self.evaluate(a), self.evaluate(b));
        let (op, swapped) = match (op, truth) {
            (BinaryOp::Less, false) => (BinaryOp::LessEq, true),
            (BinaryOp::LessEq, false) => (BinaryOp::Less, true),
            (op, _) => (op, false),
        };
        let (a, b, left, right) = if swapped { (b, a, right, left) } else { (a, b, left, right) };
        let mut simple = true;
        for (side, values, other, is_left) in [(a, &left, &right, true), (b, &right, &left, false)] {
            let kept = restrict(op, values, other, is_left, truth);
            if kept.is_empty() {
                return false;
            }
            simple &= self.narrow(side, kept);
        }
        simple || self.try_values(condition, truth)
    }

    /// Takes note of the values that an expression is left with; whether that says all that can be said.
    fn narrow(&mut self, id: ExprId, kept: Values) -> bool {
        match self.program.exprs.get(id) {
            Expr::Var(var) => {
                self.set(var, kept);
                true
            }
            expr => expr.operands().next().is_none(),
        }
    }

    /// Tries the values of each variable in a condition one by one.
    fn try_values(&mut self, condition: ExprId, truth: bool) -> bool {
        for variable in self.program.exprs.variables(condition) {
            let values = self.get(variable).clone();
            if values.count() < 2 || values.count() > MOST_TRIED {
                continue;
            }
            let mark = self.mark();
            let mut kept = vec![];
            for value in values.iter() {
                self.set(variable, Values::one(value));
                if self.evaluate(condition).contains(i32::from(truth)) {
                    kept.push(value);
                }
                self.undo(mark);
            }
            if kept.is_empty() {
                return false;
            }
            self.set(variable, Values::from_list(kept));
        }
        true
    }
}

/// The values of one side of a comparison for which it can hold (or, of an equation that is false, fail).
fn restrict(op: BinaryOp, values: &Values, other: &Values, is_left: bool, truth: bool) -> Values {
    let Some((low, high)) = other.bounds() else { return Values::NONE };
    match (op, is_left) {
        (BinaryOp::Eq, _) if truth => values.meet(other),
        (BinaryOp::Eq, _) => other.single().map_or_else(|| values.clone(), |value| values.without(value)),
        (BinaryOp::LessEq, true) => values.within(i32::MIN, high),
        (BinaryOp::LessEq, false) => values.within(low, i32::MAX),
        (BinaryOp::Less, true) => high.checked_sub(1).map_or(Values::NONE, |high| values.within(i32::MIN, high)),
        (BinaryOp::Less, false) => low.checked_add(1).map_or(Values::NONE, |low| values.within(low, i32::MAX)),
        _ => values.clone(),
    }
}
