//! A certificate checked by execution: the program's statements run on sets of states.
//!
//! Each box is a cube (see `super::columns`). A guard splits a cube into the part where it holds and the part where
//! it does not; an assignment splits it by the regions that the value then has. Each way must end in boxes again,
//! within the facts, and none may reach what is claimed to be out of reach. What an expression can be on a combination
//! of regions is found by arithmetic on sets of 32-bit numbers, and by halving the sets where that says too little;
//! each combination is evaluated once.
//!
//! Nothing is shared with the search that found the boxes: not its abstract program, its decision trees, its machine
//! code, its arithmetic. Only the parsed program serves both.

mod conditions;
mod cover;
mod images;
mod part;

use std::rc::Rc;

use redoubt_base::Interrupt;
use redoubt_base::stack::grow;
use redoubt_program::expr::{ExprId, InputId, VarId};
use redoubt_program::program::{Arm, Place, Program, StmtId, StmtKind};
use rustc_hash::FxHashSet;

use super::columns::{ColumnId, Cube};
use super::evaluate::Evaluator;
use super::interval::Environment;
use super::relevant::relevant;
use super::{Certificate, Fact, Judgement, NumberSet};
use cover::Cover;
use images::Images;
use part::{Part, Pool};

/// Whether a certificate holds of a program, as far as execution can tell. Boxes and facts about single places are
/// followed; clauses and equalities are not.
pub fn confirm(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
    if let Some(judgement) = super::judge_start(program, certificate) {
        return judgement;
    }
    let is_simple = |fact: &Fact| matches!(fact, Fact::In(Place::Variable(_), _) | Fact::Cells(..));
    let mut told = FxHashSet::default();
    let is_simple = certificate.facts.iter().all(is_simple)
        && variables_with_facts(certificate).iter().all(|one| told.insert(*one));
    if !is_simple || !certificate.clauses.is_empty() {
        return Judgement::Undecided("only boxes and one fact for each variable can be executed".into());
    }
    let Some(evaluator) = Evaluator::new(program, certificate) else {
        return Judgement::Undecided("a fact is in a form that cannot be executed".into());
    };
    let mut executor = Executor::new(program, certificate, evaluator, interrupt);
    executor.run(certificate)
}

/// What is to be executed behind a statement.
enum Rest<'p> {
    End,
    /// These statements, and then more.
    Then(&'p [StmtId], Rc<Rest<'p>>),
    /// The end of a function's body.
    Leave(Rc<Rest<'p>>),
}

struct Executor<'c, 'p> {
    program: &'p Program,
    evaluator: Evaluator<'p>,
    cover: Cover,
    images: Images,
    pool: Pool,
    /// Per property: whether it is claimed to be unreachable.
    claims: Vec<bool>,
    /// Per variable: whether anything depends on it.
    relevant: Vec<bool>,
    /// The cube of all states that the facts allow.
    all: Cube,
    /// The variables that facts are about.
    with_facts: Vec<VarId>,
    interrupt: &'c Interrupt,
    steps: u64,
    reason: String,
}

impl<'c, 'p> Executor<'c, 'p> {
    fn new(
        program: &'p Program,
        certificate: &Certificate,
        evaluator: Evaluator<'p>,
        interrupt: &'c Interrupt,
    ) -> Executor<'c, 'p> {
        let mut claims = vec![false; program.properties.len()];
        certificate.excluded.iter().for_each(|property| claims[property.index()] = true);
        let columns = &evaluator.columns;
        let all = columns.all();
        let cubes = certificate.boxes.iter().map(|state_box| columns.of_box(&all, &state_box.sides)).collect();
        let mut constrained: Vec<VarId> = certificate.sides().map(|(variable, _)| *variable).collect();
        constrained.sort_unstable();
        constrained.dedup();
        let constrained = constrained.into_iter().map(|variable| columns.of_variable(variable)).collect();
        Executor {
            program,
            cover: Cover::new(cubes, constrained, columns),
            images: Images::new(program),
            pool: Pool::default(),
            claims,
            relevant: relevant(program, certificate),
            all,
            with_facts: variables_with_facts(certificate),
            evaluator,
            interrupt,
            steps: 0,
            reason: String::new(),
        }
    }

    fn run(&mut self, certificate: &Certificate) -> Judgement {
        let starts = match certificate.boxes[..] {
            [] => vec![self.all.clone()],
            _ => self.cover.cubes().to_vec(),
        };
        for (index, cube) in starts.into_iter().enumerate() {
            // A side that no fact allows makes the box empty.
            if self
                .evaluator
                .columns
                .iter()
                .any(|(_, column)| cube[column.from..column.to].iter().all(|&word| word == 0))
            {
                continue;
            }
            if !self.for_each_input(Part::new(cube), 0) {
                if self.interrupt.is_raised() {
                    return Judgement::Undecided("time is up".into());
                }
                let from =
                    if certificate.boxes.is_empty() { String::new() } else { format!("from box {}: ", index + 1) };
                return Judgement::Undecided(format!("{from}{}", self.reason));
            }
        }
        Judgement::Confirmed
    }

    /// Takes a step for each region of each input: most programs decide by their inputs first.
    fn for_each_input(&mut self, part: Part, index: usize) -> bool {
        if index == self.program.inputs.len() {
            let step = std::slice::from_ref(&self.program.step);
            return self.execute(Rc::new(Rest::Then(step, Rc::new(Rest::End))), part, false);
        }
        let id = self.evaluator.columns.of_input(InputId::new(index));
        let regions: Vec<usize> = part.regions(self.evaluator.columns.get(id)).collect();
        regions.into_iter().all(|region| {
            let inner = part.restricted(self.evaluator.columns.get(id), &[region]);
            self.for_each_input(inner, index + 1)
        })
    }

    /// Whether all ways from here lead into boxes, without a claimed property. `claimed`: one was passed on the way.
    fn execute(&mut self, rest: Rc<Rest<'p>>, part: Part, claimed: bool) -> bool {
        grow(|| self.execute_here(rest, part, claimed))
    }

    fn execute_here(&mut self, mut rest: Rc<Rest<'p>>, mut part: Part, mut claimed: bool) -> bool {
        self.steps += 1;
        if self.steps.is_multiple_of(256) && self.interrupt.is_raised() {
            return false;
        }
        let program = self.program;
        // The statements that come next; `rest` is behind them.
        let mut list: &[StmtId] = &[];
        loop {
            let Some((&id, behind)) = list.split_first() else {
                rest = match &*rest {
                    Rest::End => return self.end(&part, claimed),
                    Rest::Leave(outer) => Rc::clone(outer),
                    Rest::Then(next, outer) => {
                        list = next;
                        Rc::clone(outer)
                    }
                };
                continue;
            };
            list = behind;
            match &program.stmt(id).kind {
                StmtKind::Sequence(inner) => {
                    rest = Rc::new(Rest::Then(list, rest));
                    list = inner;
                }
                StmtKind::Call(function) => {
                    rest = Rc::new(Rest::Leave(Rc::new(Rest::Then(list, rest))));
                    list = std::slice::from_ref(&program.function(*function).body);
                }
                StmtKind::Return => {
                    rest = behind_function(&rest);
                    list = &[];
                }
                StmtKind::Error(property) => {
                    if self.claims[property.index()] {
                        return self.fail(format!("{} may be reached", program.property(*property).name));
                    }
                    return !claimed || self.fail("a property may be reached before the run ends".into());
                }
                StmtKind::Halt(_) => return !claimed || self.fail("a property may be reached before the end".into()),
                StmtKind::Reach(property) => claimed |= self.claims[property.index()],
                StmtKind::Assume(condition) => {
                    let parts = self.refine(part, *condition, true);
                    return self.execute_all(parts, Rest::Then(list, rest), claimed);
                }
                StmtKind::Choice(arms) => match self.first_possible(&part, arms) {
                    None => {}
                    Some((index, false)) => {
                        rest = Rc::new(Rest::Then(list, rest));
                        list = std::slice::from_ref(&arms[index].body);
                    }
                    Some((index, true)) => {
                        return self.choose(arms, index, &Rc::new(Rest::Then(list, rest)), part, claimed);
                    }
                },
                StmtKind::Assign { variable, value } => {
                    let mut parts = self.assign(part, id, *variable, *value);
                    if parts.len() != 1 {
                        return self.execute_all(parts, Rest::Then(list, rest), claimed);
                    }
                    part = parts.swap_remove(0);
                }
                StmtKind::Store { pointer, value, .. } => {
                    if !self.store(&part, *pointer, *value) {
                        return false;
                    }
                }
                StmtKind::Print { .. } => {}
            }
        }
    }

    fn execute_all(&mut self, parts: Vec<Part>, rest: Rest<'p>, claimed: bool) -> bool {
        let rest = Rc::new(rest);
        parts.into_iter().all(|part| self.execute(Rc::clone(&rest), part, claimed))
    }

    /// The first arm whose guard may hold, and whether it may fail too.
    fn first_possible(&mut self, part: &Part, arms: &[Arm]) -> Option<(usize, bool)> {
        arms.iter().enumerate().find_map(|(index, arm)| match self.may(part, arm.guard) {
            [_, false] => None,
            [may_fail, true] => Some((index, may_fail)),
        })
    }

    /// A choice whose arm at `first` may be taken or not.
    fn choose(&mut self, arms: &'p [Arm], first: usize, behind: &Rc<Rest<'p>>, part: Part, claimed: bool) -> bool {
        let body = |index: usize| Rc::new(Rest::Then(std::slice::from_ref(&arms[index].body), Rc::clone(behind)));
        let mut pending = vec![(part, first, true)];
        while let Some((part, index, may_fail)) = pending.pop() {
            let outside = match may_fail {
                true => self.refine(part.clone(), arms[index].guard, false),
                false => vec![],
            };
            let inside = if may_fail { self.refine(part, arms[index].guard, true) } else { vec![part] };
            if !inside.into_iter().all(|part| self.execute(body(index), part, claimed)) {
                return false;
            }
            for part in outside {
                match self.first_possible(&part, &arms[index + 1..]) {
                    Some((further, may_fail)) => pending.push((part, index + 1 + further, may_fail)),
                    None if !self.execute(Rc::clone(behind), part, claimed) => return false,
                    None => {}
                }
            }
        }
        true
    }

    /// The parts of what an assignment leads to, told apart by the region of the new value.
    fn assign(&mut self, mut part: Part, stmt: StmtId, variable: VarId, value: ExprId) -> Vec<Part> {
        let id = self.evaluator.columns.of_variable(variable);
        if !self.relevant[variable.index()] {
            let column = self.evaluator.columns.get(id);
            part.set(column, &self.all[column.from..column.to]);
            part.forget(id);
            return vec![part];
        }
        let columns = self.columns_of(stmt, value);
        let mut parts = vec![];
        for (mut part, image) in self.split(part, value, &columns, Some(variable)) {
            part.set(self.evaluator.columns.get(id), &image.mask);
            self.tell(&mut part, id, &image.values);
            parts.push(part);
        }
        parts
    }

    /// Whether what is stored is among what a table is claimed to hold.
    fn store(&mut self, part: &Part, pointer: ExprId, value: ExprId) -> bool {
        let columns = self.evaluator.columns.read_by(self.program, pointer);
        let tables = self.evaluator.arithmetic.targets(pointer, &self.environment(part, &columns));
        let values = self.evaluate_hull(part, value);
        let holds = tables.into_iter().all(|table| values.is_subset(self.evaluator.arithmetic.cells(table)));
        holds || self.fail("a table may get a number that the facts exclude".into())
    }

    fn end(&mut self, part: &Part, claimed: bool) -> bool {
        if claimed {
            return self.fail("a property may be reached".into());
        }
        let outside = self.with_facts.iter().find(|&&variable| {
            let id = self.evaluator.columns.of_variable(variable);
            let column = self.evaluator.columns.get(id);
            match part.told(id) {
                None => !part.is_within(column, &self.all),
                Some(told) => {
                    let within = |region| self.pool.within(told, column.bounds(region)).is_subset(&column.known);
                    !part.regions(column).all(within)
                }
            }
        });
        if let Some(variable) = outside {
            let name = &self.program.variable(*variable).name;
            return self.fail(format!("{name} may be left with a number that the facts exclude"));
        }
        self.cover.covers(&part.cube, &self.evaluator.columns) || self.fail("a step may lead out of the boxes".into())
    }

    fn fail(&mut self, reason: String) -> bool {
        self.reason = reason;
        false
    }

    /// What an expression can be on a part, its columns taken one by one.
    fn evaluate_hull(&self, part: &Part, id: ExprId) -> NumberSet {
        let columns = self.evaluator.columns.read_by(self.program, id);
        self.evaluator.arithmetic.evaluate(id, &self.environment(part, &columns))
    }

    /// The numbers of some columns on a part.
    fn environment(&self, part: &Part, columns: &[ColumnId]) -> Environment {
        self.evaluator.environment(columns.iter().map(|&column| (column, self.hull(part, column))))
    }
}

/// The variables that facts are about.
fn variables_with_facts(certificate: &Certificate) -> Vec<VarId> {
    let of_fact = |fact: &Fact| match fact {
        Fact::In(Place::Variable(variable), _) => Some(*variable),
        _ => None,
    };
    certificate.facts.iter().filter_map(of_fact).collect()
}

/// What comes behind the call of the innermost function.
fn behind_function<'p>(rest: &Rc<Rest<'p>>) -> Rc<Rest<'p>> {
    let mut rest = Rc::clone(rest);
    loop {
        rest = match &*rest {
            Rest::End => return rest,
            Rest::Leave(behind) => return Rc::clone(behind),
            Rest::Then(_, behind) => Rc::clone(behind),
        };
    }
}
