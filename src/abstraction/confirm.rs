//! A proof by exploration, checked again on the program itself.
//!
//! The states of the abstraction that were visited are boxes: an interval for each variable, within the values that the
//! flow of values found for it. That they are an inductive
//! invariant is confirmed without the abstract program, the tables of its expressions and the machine code that
//! visited them: the program's own statements are executed on each box, for each input, with interval arithmetic on
//! 32-bit numbers. Where a guard can go either way, both ways are followed; where a result falls into several regions,
//! the box is halved. Each path must end in a box of the set, and none may reach what is claimed to be unreachable.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::regions::Partition;
use super::relation::{self, Source};
use crate::analysis::flow::Flow;
use crate::analysis::{Env, Values};
use crate::expr::{InputId, Type, VarId};
use crate::program::{Program, PropertyId, Scope, StmtId, StmtKind};
use crate::sat::Interrupt;
use crate::simulate::Simulator;

/// An invariant: in every state of every run, the variables lie in the regions of one of the boxes.
pub struct Boxes<'b> {
    /// The variables that are told apart.
    pub variables: &'b [VarId],
    pub partitions: &'b [Partition],
    /// The numbers of the variables' regions, box after box.
    pub numbers: &'b [i32],
}

/// How many times a box may be halved on a path; more only where less did not do.
const HALVINGS: [usize; 4] = [0, 3, 7, 12];

/// A path may end in at most so many boxes.
const MOST_ENDS: usize = 4096;

/// Whether the boxes are an invariant that excludes some properties; false also if that could not be shown, or time is
/// up.
pub fn confirm(flow: &Flow, boxes: &Boxes, excluded: &[PropertyId], interrupt: &Interrupt) -> bool {
    let program = flow.head.program;
    let width = boxes.variables.len();
    let list: Vec<&[i32]> = boxes.numbers.chunks(width.max(1)).collect();
    let mut claims = vec![false; program.properties.len()];
    excluded.iter().for_each(|property| claims[property.index()] = true);
    let mut checker = Checker {
        program,
        head: &flow.head,
        env: flow.head.clone(),
        boxes,
        set: list.iter().copied().collect(),
        claims,
        halvings: 0,
    };

    let start = Simulator::new(program);
    if start.end().is_some() {
        return false;
    }
    let first: Vec<i32> = (boxes.variables.iter())
        .map(|&variable| checker.number(variable, start.state().variables[variable.index()]))
        .collect();
    let is_claimed = |(index, &value): (usize, &i32)| {
        let is_global = program.variables[index].scope == Scope::Global;
        !is_global || flow.head.get(VarId::new(index)).contains(value)
    };
    if !start.state().variables.iter().enumerate().all(is_claimed) {
        return false;
    }
    if width > 0 && !checker.set.contains(&first[..]) {
        return false;
    }
    list.iter()
        .enumerate()
        .all(|(index, numbers)| (index % 64 != 0 || !interrupt.is_raised()) && checker.step_from(numbers))
}

/// What is to be executed behind a statement.
enum Rest {
    End,
    Then(StmtId, Rc<Rest>),
    /// The end of a function's body.
    Leave(Rc<Rest>),
}

struct Checker<'c, 'p> {
    program: &'p Program,
    /// Values that the variables are claimed to have in all states: a part of the invariant.
    head: &'c Env<'p>,
    env: Env<'p>,
    boxes: &'c Boxes<'c>,
    set: FxHashSet<&'c [i32]>,
    /// Per property: whether it is claimed to be unreachable.
    claims: Vec<bool>,
    /// How many times a box may be halved on a path.
    halvings: usize,
}

impl Checker<'_, '_> {
    fn number(&self, variable: VarId, value: i32) -> i32 {
        match self.program.variable(variable).ty {
            Type::Bool => value,
            _ => self.boxes.partitions[variable.index()].index_of(value) as i32,
        }
    }

    /// Whether all steps from a box lead into boxes.
    fn step_from(&mut self, numbers: &[i32]) -> bool {
        let mark = self.env.mark();
        for (&variable, &number) in self.boxes.variables.iter().zip(numbers) {
            let values = match self.program.variable(variable).ty {
                Type::Bool => Values::one(number),
                _ => {
                    let (low, high) = self.boxes.partitions[variable.index()].region(number as usize);
                    self.env.get(variable).within(low, high)
                }
            };
            self.env.set(variable, values);
        }
        let closed = HALVINGS.into_iter().any(|halvings| {
            self.halvings = halvings;
            self.for_each_input(0)
        });
        self.env.undo(mark);
        closed
    }

    fn for_each_input(&mut self, index: usize) -> bool {
        if index == self.program.inputs.len() {
            return self.execute(Rc::new(Rest::Then(self.program.step, Rc::new(Rest::End))), 0, false);
        }
        let input = InputId::new(index);
        let values = self.env.input(input).clone();
        // Inputs with many values are left to the guards.
        if values.count() > 64 {
            return self.for_each_input(index + 1);
        }
        let closed = values.iter().all(|value| {
            self.env.fix_input(input, Values::one(value));
            self.for_each_input(index + 1)
        });
        self.env.fix_input(input, values);
        closed
    }

    /// Whether all ways from here lead into boxes, without a claimed property. `claimed`: one was passed on the way.
    fn execute(&mut self, rest: Rc<Rest>, halvings: usize, claimed: bool) -> bool {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.execute_here(rest, halvings, claimed))
    }

    fn execute_here(&mut self, mut rest: Rc<Rest>, halvings: usize, mut claimed: bool) -> bool {
        loop {
            let (id, behind) = match &*rest {
                Rest::End => return !claimed && self.ends_in_boxes(),
                Rest::Leave(behind) => {
                    rest = Rc::clone(behind);
                    continue;
                }
                Rest::Then(id, behind) => (*id, Rc::clone(behind)),
            };
            let program = self.program;
            match &program.stmt(id).kind {
                StmtKind::Sequence(list) => {
                    rest = list.iter().rev().fold(behind, |rest, &inner| Rc::new(Rest::Then(inner, rest)));
                    continue;
                }
                StmtKind::Call(function) => {
                    let body = program.function(*function).body;
                    rest = Rc::new(Rest::Then(body, Rc::new(Rest::Leave(behind))));
                    continue;
                }
                StmtKind::Return => {
                    rest = behind_function(&behind);
                    continue;
                }
                StmtKind::Error(property) => return !claimed && !self.claims[property.index()],
                StmtKind::Halt(_) => return !claimed,
                StmtKind::Reach(property) => claimed |= self.claims[property.index()],
                StmtKind::Assume(condition) => {
                    if !self.env.refine(*condition, true) {
                        return true;
                    }
                }
                StmtKind::Choice(arms) => return self.choose(arms, behind, halvings, claimed),
                StmtKind::Assign { variable, value } => {
                    let values = self.env.evaluate(*value);
                    let partition = &self.boxes.partitions[variable.index()];
                    if halvings < self.halvings
                        && partition.touched(&values).len() > 1
                        && let Some(halves) = self.halves(*value)
                    {
                        return self.execute_halves(halves, &rest, halvings, claimed);
                    }
                    self.env.set(*variable, values);
                }
                // Tables that are written may hold whatever was ever stored.
                StmtKind::Store { .. } | StmtKind::Print { .. } => {}
            }
            rest = behind;
        }
    }

    /// The halves of the widest variable that an expression reads.
    fn halves(&self, value: crate::expr::ExprId) -> Option<(VarId, [Values; 2])> {
        let variables = relation::sources(&self.env, value).into_iter().filter_map(|source| match source {
            Source::Variable(variable) => Some(variable),
            Source::Input(_) => None,
        });
        let widest = variables.max_by_key(|&variable| self.env.get(variable).count())?;
        let values = self.env.get(widest);
        let (low, high) = values.bounds().filter(|(low, high)| low < high)?;
        let middle = (i64::from(low) + i64::from(high)).div_euclid(2) as i32;
        Some((widest, [values.within(low, middle), values.within(middle + 1, high)]))
    }

    fn execute_halves(
        &mut self,
        (variable, halves): (VarId, [Values; 2]),
        rest: &Rc<Rest>,
        halvings: usize,
        claimed: bool,
    ) -> bool {
        halves.into_iter().filter(|half| !half.is_empty()).all(|half| {
            let mark = self.env.mark();
            self.env.set(variable, half);
            let closed = self.execute(Rc::clone(rest), halvings + 1, claimed);
            self.env.undo(mark);
            closed
        })
    }

    fn choose(&mut self, arms: &[crate::program::Arm], behind: Rc<Rest>, halvings: usize, claimed: bool) -> bool {
        let mark = self.env.mark();
        for arm in arms {
            let body = || Rc::new(Rest::Then(arm.body, Rc::clone(&behind)));
            match self.env.evaluate(arm.guard).single() {
                Some(0) => continue,
                Some(_) => {
                    let closed = self.execute(body(), halvings, claimed);
                    self.env.undo(mark);
                    return closed;
                }
                None => {}
            }
            let here = self.env.mark();
            let closed = !self.env.refine(arm.guard, true) || self.execute(body(), halvings, claimed);
            self.env.undo(here);
            if !closed {
                self.env.undo(mark);
                return false;
            }
            if !self.env.refine(arm.guard, false) {
                self.env.undo(mark);
                return true;
            }
        }
        let closed = self.execute(behind, halvings, claimed);
        self.env.undo(mark);
        closed
    }

    /// Whether every combination of regions that the variables may be in is a box.
    fn ends_in_boxes(&self) -> bool {
        let mut globals =
            self.program.variables.iter().enumerate().filter(|(_, variable)| variable.scope == Scope::Global);
        if !globals.all(|(index, _)| self.env.get(VarId::new(index)).is_subset(self.head.get(VarId::new(index)))) {
            return false;
        }
        let options: Vec<Vec<i32>> = (self.boxes.variables.iter())
            .map(|&variable| {
                let values = self.env.get(variable);
                match self.program.variable(variable).ty {
                    Type::Bool => values.iter().collect(),
                    _ => {
                        let touched = self.boxes.partitions[variable.index()].touched(values);
                        touched.into_iter().map(|number| number as i32).collect()
                    }
                }
            })
            .collect();
        let ends = options.iter().try_fold(1_usize, |ends, options| ends.checked_mul(options.len()));
        if ends.is_none_or(|ends| ends > MOST_ENDS) {
            return false;
        }
        let mut places = vec![0; options.len()];
        loop {
            let end: Vec<i32> =
                options.iter().zip(&places).map(|(options, &place): (_, &usize)| options[place]).collect();
            if !end.is_empty() && !self.set.contains(&end[..]) {
                return false;
            }
            let Some(next) = (0..places.len()).rev().find(|&index| places[index] + 1 < options[index].len()) else {
                return true;
            };
            places[next] += 1;
            places[next + 1..].fill(0);
        }
    }
}

/// What comes behind the call of the innermost function.
fn behind_function(rest: &Rc<Rest>) -> Rc<Rest> {
    let mut rest = Rc::clone(rest);
    loop {
        rest = match &*rest {
            Rest::End => return rest,
            Rest::Leave(behind) => return Rc::clone(behind),
            Rest::Then(_, behind) => Rc::clone(behind),
        };
    }
}
