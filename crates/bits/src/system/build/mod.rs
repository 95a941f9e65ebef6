//! Programs to transition systems, by symbolic execution of one step.
//!
//! The executor keeps, for every variable, an expression for its current value. A choice runs each arm from
//! the same values, notes what the arm changed, and joins: a variable that arm *i* changed becomes
//! `condition_i ? value_i : ...`. Only what changed is touched, so the work is linear in the statements that
//! are executed, however many paths run through them.
//!
//! Paths that have left (by a `return`, or by an error or halt that ended the run) stay in the same values
//! and are told apart by two conditions, both relative to the innermost arm: `running`, under which the next
//! statement is executed, and `alive`, under which the run has not ended. An assignment on a path that may
//! have returned keeps the old value where it has.
//!
//! The next state of a step that ends the run does not matter, so the changes of an arm before it surely ends are
//! forgotten.

mod leaving;
mod tables;

use super::{Property, State, TransitionSystem, Write};
use crate::analysis::Facts;
use crate::base::stack::grow;
use crate::base::{Ended, Interrupt, Walked};
use crate::expr::{Done, Expr, ExprId, Exprs, Fold, TableId, Type, VarId};
use crate::program::points_to::PointsTo;
use crate::program::{Arm, Domain, Place, Program, Scope, StmtId, StmtKind};
use crate::text::Span;

pub fn build(program: &Program) -> Result<TransitionSystem, Ended> {
    build_within(&Facts::new(program), &Interrupt::default())
}

/// Like [`build`], for as long as it may.
pub fn build_within(facts: &Facts, interrupt: &Interrupt) -> Result<TransitionSystem, Ended> {
    let program = facts.program;
    let mut executor = Executor::new(program, facts.points_to(), interrupt);
    executor.execute(program.setup)?;
    let states = executor.start_step();
    executor.execute(program.step)?;
    Ok(executor.finish(states))
}

/// Where a value lives in the executor: the program's variables, then the cells of its written tables.
type Slot = usize;

struct Executor<'p> {
    program: &'p Program,
    exprs: Exprs,
    values: Vec<ExprId>,
    /// The slots that were changed since the start, with their values before.
    trail: Vec<(Slot, ExprId)>,
    /// The assignments that were made: the slot, the condition from the start of the step, the value.
    writes: Vec<(Slot, Write)>,
    /// The slots of each written table's cells.
    cells: Vec<Option<std::ops::Range<Slot>>>,
    /// Whether the slot is dead on a path that has left its function.
    dies: Vec<bool>,
    points_to: &'p PointsTo,
    /// Values of the program's expressions where the executor is.
    fold: Fold<ExprId>,
    /// From the start of the step: the condition of the innermost arm.
    path: ExprId,
    /// Relative to that arm: the path is here.
    running: ExprId,
    /// Relative to that arm: the run has not ended.
    alive: ExprId,
    /// Per property: the condition under which it was reached.
    errors: Vec<ExprId>,
    constraints: Vec<ExprId>,
    walked: Walked<'p>,
    /// A number per slot that says in which join it was last seen.
    seen: Vec<usize>,
    joins: usize,
}

/// The results of an arm. The executor's values are those from before it.
struct ArmResult {
    condition: ExprId,
    changes: Vec<(Slot, ExprId)>,
    running: ExprId,
    alive: ExprId,
}

/// A state variable that is still to get its next value.
struct Started {
    slot: Slot,
    state: State,
}

impl<'p> Executor<'p> {
    fn new(program: &'p Program, points_to: &'p PointsTo, interrupt: &'p Interrupt) -> Executor<'p> {
        let mut exprs = Exprs::default();
        let (yes, no) = (exprs.bool(true), exprs.bool(false));
        let initial = program.variables.iter().map(|variable| exprs.constant_of(variable.ty, variable.initial));
        let mut values: Vec<ExprId> = initial.collect();
        let mut cells = vec![];
        for table in &program.tables {
            let start = values.len();
            if table.written {
                values.extend(table.cells.iter().map(|&value| exprs.int(value)));
            }
            cells.push(table.written.then_some(start..values.len()));
        }
        let mut dies = leaving::die(program);
        dies.resize(values.len(), false);
        Executor {
            program,
            dies,
            seen: vec![0; values.len()],
            joins: 0,
            errors: vec![no; program.properties.len()],
            constraints: vec![],
            values,
            trail: vec![],
            writes: vec![],
            cells,
            points_to,
            fold: Fold::default(),
            path: yes,
            running: yes,
            alive: yes,
            walked: Walked::new(interrupt),
            exprs,
        }
    }

    /// Takes the values that the setup left as initial ones and puts state variables in their place. A setup
    /// that ended the run leaves `alive` false, so that the first step stops at once.
    fn start_step(&mut self) -> Vec<Started> {
        self.trail.clear();
        self.writes.clear();
        self.running = self.alive;
        let mut started = vec![];
        let mut start = |this: &mut Self, slot: Slot, place: Place, name: String, ty, domain, span: Span| {
            let initial = this.exprs.constant(this.values[slot]).expect("the setup computes with constants only");
            let id = VarId::new(started.len());
            this.values[slot] = this.exprs.var(id, ty);
            let state = State { name, place, ty, initial, next: this.values[slot], writes: vec![], domain, span };
            started.push(Started { slot, state });
        };
        for (slot, variable) in self.program.variables.iter().enumerate() {
            if variable.scope == Scope::Global {
                let domain = match variable.ty {
                    Type::Pointer => {
                        let targets = self.points_to.variable(VarId::new(slot)).iter();
                        Some(Domain::List(targets.map(|table| table.index() as i32).collect()))
                    }
                    Type::Int | Type::Bool => variable.domain.clone(),
                };
                let place = Place::Variable(VarId::new(slot));
                start(self, slot, place, variable.name.clone(), variable.ty, domain, variable.span);
            }
        }
        for (index, (table, slots)) in self.program.tables.iter().zip(self.cells.clone()).enumerate() {
            for (cell, slot) in slots.into_iter().flatten().enumerate() {
                let (place, name) = (Place::Cell(TableId::new(index), cell), format!("{}[{cell}]", table.name));
                start(self, slot, place, name, Type::Int, table.domain.clone(), table.span);
            }
        }
        started
    }

    fn finish(mut self, started: Vec<Started>) -> TransitionSystem {
        let mut writes = self.final_writes();
        let states = started.into_iter().map(|Started { slot, state }| {
            let (next, writes) = (self.values[slot], std::mem::take(&mut writes[slot]));
            State { next, writes, ..state }
        });
        let states = states.collect();
        let properties = self.program.properties.iter().zip(&self.errors).map(|(property, &condition)| Property {
            name: property.name.clone(),
            condition,
            span: property.span,
        });
        TransitionSystem {
            name: self.program.name.clone(),
            sources: self.program.sources.clone(),
            inputs: self.program.inputs.clone(),
            tables: self.program.tables.clone(),
            states,
            properties: properties.collect(),
            constraints: self.constraints,
            stop: self.exprs.not(self.alive),
            exprs: self.exprs,
        }
    }

    /// Per slot, its writes with the conditions under which no later one overwrites them.
    fn final_writes(&mut self) -> Vec<Vec<Write>> {
        let no = self.exprs.bool(false);
        let mut overwritten = vec![no; self.values.len()];
        let mut result = vec![vec![]; self.values.len()];
        for (slot, Write { condition, value }) in std::mem::take(&mut self.writes).into_iter().rev() {
            let stays = self.exprs.not(overwritten[slot]);
            let condition_here = self.exprs.and(condition, stays);
            if self.exprs.as_bool(condition_here) != Some(false) {
                result[slot].push(Write { condition: condition_here, value });
            }
            overwritten[slot] = self.exprs.or(overwritten[slot], condition);
        }
        result.iter_mut().for_each(|list| list.reverse());
        result
    }

    fn execute(&mut self, id: StmtId) -> Result<(), Ended> {
        self.walked.one_more()?;
        match &self.program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                let value = self.value(*value);
                self.assign(variable.index(), value);
            }
            StmtKind::Store { pointer, index, value } => self.store(*pointer, *index, *value),
            StmtKind::Assume(condition) => {
                let (here, condition) = (self.here(), self.value(*condition));
                let elsewhere = self.exprs.not(here);
                let constraint = self.exprs.or(elsewhere, condition);
                self.constraints.push(constraint);
            }
            StmtKind::Sequence(list) => {
                for &inner in list {
                    if self.exprs.as_bool(self.running) == Some(false) {
                        break;
                    }
                    self.execute(inner)?;
                }
            }
            StmtKind::Choice(arms) => return self.choice(arms),
            StmtKind::Call(function) => return self.call(self.program.function(*function).body),
            StmtKind::Return => self.running = self.exprs.bool(false),
            StmtKind::Error(property) => {
                self.reach(property.index());
                self.end();
            }
            StmtKind::Reach(property) => self.reach(property.index()),
            StmtKind::Halt(_) => self.end(),
            StmtKind::Print { .. } => {}
        }
        Ok(())
    }

    /// The condition, from the start of the step, under which the current statement is executed.
    fn here(&mut self) -> ExprId {
        self.exprs.and(self.path, self.running)
    }

    fn reach(&mut self, property: usize) {
        let here = self.here();
        self.errors[property] = self.exprs.or(self.errors[property], here);
    }

    fn end(&mut self) {
        let gone = self.exprs.not(self.running);
        self.alive = self.exprs.and(self.alive, gone);
        self.running = self.exprs.bool(false);
    }

    fn assign(&mut self, slot: Slot, value: ExprId) {
        let condition = self.here();
        self.writes.push((slot, Write { condition, value }));
        // Only a path that is here will read a local again; other values are for those that have left too.
        let new = if self.dies[slot] { value } else { self.exprs.ite(self.running, value, self.values[slot]) };
        self.set(slot, new);
    }

    fn set(&mut self, slot: Slot, value: ExprId) {
        self.trail.push((slot, self.values[slot]));
        self.values[slot] = value;
    }

    fn call(&mut self, body: StmtId) -> Result<(), Ended> {
        // A call is a choice with one arm that leaves by returning.
        let (running, alive) = (self.running, self.alive);
        let result = self.arm(running, body)?;
        let stays = result.alive;
        self.join(vec![result], None);
        self.running = self.exprs.and(running, stays);
        let survives = self.exprs.ite(running, stays, alive);
        self.alive = self.exprs.and(alive, survives);
        Ok(())
    }

    fn choice(&mut self, arms: &[Arm]) -> Result<(), Ended> {
        let mut none = self.running;
        let mut results = vec![];
        for arm in arms {
            let guard = self.value(arm.guard);
            let condition = self.exprs.and(none, guard);
            let otherwise = self.exprs.not(guard);
            none = self.exprs.and(none, otherwise);
            if self.exprs.as_bool(condition) != Some(false) {
                results.push(self.arm(condition, arm.body)?);
            }
            if self.exprs.as_bool(none) == Some(false) {
                break;
            }
        }
        let running = self.after(none, self.running, &results, |result| result.running);
        let alive_here = self.after(none, self.running, &results, |result| result.alive);
        let ended = self.exprs.not(alive_here);
        let ended = self.exprs.and(self.running, ended);
        let survives = self.exprs.not(ended);
        self.alive = self.exprs.and(self.alive, survives);
        self.join(results, Some(none));
        self.running = running;
        Ok(())
    }

    /// The condition that one of the results (or no arm at all) left true, written in the shorter way: `none`
    /// and the arms in which it holds, or `before` without the arms in which it does not.
    fn after(
        &mut self,
        none: ExprId,
        before: ExprId,
        results: &[ArmResult],
        which: impl Fn(&ArmResult) -> ExprId,
    ) -> ExprId {
        let is = |this: &Self, result: &ArmResult, value| this.exprs.as_bool(which(result)) == Some(value);
        let may_hold = results.iter().filter(|result| !is(self, result, false)).count();
        let may_fail = results.iter().filter(|result| !is(self, result, true)).count();
        if may_hold < may_fail {
            results.iter().fold(none, |after, result| {
                let holds = self.exprs.and(result.condition, which(result));
                self.exprs.or(after, holds)
            })
        } else {
            results.iter().fold(before, |after, result| {
                let fails = self.exprs.not(which(result));
                let gone = self.exprs.and(result.condition, fails);
                let stays = self.exprs.not(gone);
                self.exprs.and(after, stays)
            })
        }
    }

    /// Runs a body under a condition and takes its changes back.
    fn arm(&mut self, condition: ExprId, body: StmtId) -> Result<ArmResult, Ended> {
        let yes = self.exprs.bool(true);
        let path = self.exprs.and(self.path, condition);
        let path = std::mem::replace(&mut self.path, path);
        let running = std::mem::replace(&mut self.running, yes);
        let alive = std::mem::replace(&mut self.alive, yes);
        let (changed, written) = (self.trail.len(), self.writes.len());

        grow(|| self.execute(body))?;

        self.path = path;
        let running = std::mem::replace(&mut self.running, running);
        let alive = std::mem::replace(&mut self.alive, alive);
        let mut changes = self.take_back(changed);
        if self.exprs.as_bool(alive) == Some(false) {
            changes.clear();
            self.writes.truncate(written);
        }
        Ok(ArmResult { condition, changes, running, alive })
    }

    /// Undoes the changes since the trail had this length and hands out their results.
    fn take_back(&mut self, length: usize) -> Vec<(Slot, ExprId)> {
        self.joins += 1;
        let mut changes = vec![];
        for (slot, old) in self.trail.drain(length..).rev() {
            if self.seen[slot] != self.joins {
                self.seen[slot] = self.joins;
                changes.push((slot, self.values[slot]));
            }
            self.values[slot] = old;
        }
        changes
    }

    /// Merges the arms' changes. With `none` false, one of the arms is taken in any case.
    fn join(&mut self, results: Vec<ArmResult>, none: Option<ExprId>) {
        let exhaustive = none.is_some_and(|none| self.exprs.as_bool(none) == Some(false))
            && self.exprs.as_bool(self.running) == Some(true);
        let arms = results.len();
        let mut changes: Vec<(Slot, usize, ExprId, ExprId)> = vec![];
        for (arm, result) in results.into_iter().enumerate() {
            let condition = result.condition;
            changes.extend(result.changes.into_iter().map(|(slot, value)| (slot, arm, condition, value)));
        }
        changes.sort_unstable_by_key(|&(slot, arm, ..)| (slot, arm));
        for group in changes.chunk_by(|a, b| a.0 == b.0) {
            let (slot, _, _, last) = group[group.len() - 1];
            let (base, rest) = match exhaustive && group.len() == arms {
                true => (last, &group[..group.len() - 1]),
                false => (self.values[slot], group),
            };
            let merged = rest
                .iter()
                .rev()
                .fold(base, |otherwise, &(_, _, condition, value)| self.exprs.ite(condition, value, otherwise));
            self.set(slot, merged);
        }
    }

    /// A program expression under the current values.
    fn value(&mut self, id: ExprId) -> ExprId {
        match self.program.exprs.get(id) {
            Expr::Bool(value) => self.exprs.bool(value),
            Expr::Int(value) => self.exprs.int(value),
            Expr::Table(table) => self.exprs.table(table),
            Expr::Input(input) => self.exprs.input(input, self.program.exprs.type_of(id)),
            Expr::Var(var) => self.values[var.index()],
            _ => {
                let mut fold = std::mem::take(&mut self.fold);
                fold.forget();
                let value = *fold.all(&self.program.exprs, id, |id, expr, done| self.combine(id, expr, done));
                self.fold = fold;
                value
            }
        }
    }

    fn combine(&mut self, id: ExprId, expr: Expr, done: &Done<ExprId>) -> ExprId {
        match expr {
            Expr::Unary(op, a) => self.exprs.unary(op, done[a]),
            Expr::Binary(op, a, b) => self.exprs.binary(op, done[a], done[b]),
            Expr::Ite(condition, then, otherwise) => self.exprs.ite(done[condition], done[then], done[otherwise]),
            Expr::Cell(pointer, index) => self.read(pointer, done[pointer], done[index]),
            Expr::Length(pointer) => self.length(pointer, done[pointer]),
            Expr::Bool(_) | Expr::Int(_) | Expr::Table(_) | Expr::Input(_) | Expr::Var(_) => self.value(id),
        }
    }
}
