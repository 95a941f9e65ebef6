//! Guards in a form that says of each variable by itself which of its numbers make a guard true.
//!
//! Nearly all conditions of the programs in question compare one variable with constants, directly, through a constant
//! table, or in a way that can be tried for each of its few values. Such a comparison becomes an [`Test::In`]; others
//! stay expressions.

use rustc_hash::FxHashMap;

use super::sets::{SetId, Sets};
use super::values::evaluate;
use crate::analysis::Values;
use crate::base::id;
use crate::base::stack::grow;
use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp, VarId};
use crate::program::{Program, StmtKind};

id!(/// A test in a [`Tests`] arena.
    TestId);
id!(/// A variable or an input: the variables come first.
    Slot);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    Always(bool),
    /// The variable has one of these numbers.
    In(Slot, SetId),
    All(Box<[TestId]>),
    Any(Box<[TestId]>),
    /// A condition on several variables has this truth value.
    Is(ExprId, bool),
}

/// The most values of a variable that are tried to find out which of them make a condition true.
const TRIED: u64 = 4096;

pub struct Tests<'p> {
    program: &'p Program,
    /// Per variable: all values that it ever has.
    values: Vec<Values>,
    /// Per variable: whether it is written before it is read in each step. Tests of these come first.
    passing: Vec<bool>,
    list: Vec<Test>,
    unique: FxHashMap<Test, TestId>,
    known: FxHashMap<(ExprId, bool), TestId>,
}

impl<'p> Tests<'p> {
    pub fn new(program: &'p Program, values: Vec<Values>, passing: Vec<bool>) -> Tests<'p> {
        Tests { program, values, passing, list: vec![], unique: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// The same, with the tests of all guards.
    pub fn of_all(program: &'p Program, values: Vec<Values>, passing: Vec<bool>, sets: &mut Sets) -> Tests<'p> {
        let mut tests = Tests::new(program, values, passing);
        for stmt in &program.stmts {
            if let StmtKind::Choice(arms) = &stmt.kind {
                for arm in arms {
                    tests.of(sets, arm.guard, true);
                }
            }
        }
        tests
    }

    /// All tests so far.
    pub fn all(&self) -> impl Iterator<Item = &Test> {
        self.list.iter()
    }

    pub fn get(&self, id: TestId) -> &Test {
        &self.list[id.index()]
    }

    fn intern(&mut self, test: Test) -> TestId {
        if let Some(&known) = self.unique.get(&test) {
            return known;
        }
        let id = TestId::new(self.list.len());
        self.list.push(test.clone());
        self.unique.insert(test, id);
        id
    }

    /// The test that a condition has a truth value.
    pub fn of(&mut self, sets: &mut Sets, condition: ExprId, truth: bool) -> TestId {
        if let Some(&known) = self.known.get(&(condition, truth)) {
            return known;
        }
        let test = grow(|| self.make(sets, condition, truth));
        let id = self.intern(test);
        self.known.insert((condition, truth), id);
        id
    }

    fn make(&mut self, sets: &mut Sets, condition: ExprId, truth: bool) -> Test {
        let exprs = &self.program.exprs;
        match exprs.get(condition) {
            Expr::Bool(value) => Test::Always(value == truth),
            Expr::Unary(UnaryOp::Not, inner) => {
                let id = self.of(sets, inner, !truth);
                self.get(id).clone()
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let parts = [self.of(sets, a, truth), self.of(sets, b, truth)];
                self.joined((op == BinaryOp::And) == truth, parts)
            }
            _ => self.atom(sets, condition, truth),
        }
    }

    fn joined(&mut self, all: bool, parts: [TestId; 2]) -> Test {
        let mut list = vec![];
        for part in parts {
            match self.get(part) {
                Test::Always(value) if *value == all => {}
                Test::Always(value) => return Test::Always(*value),
                Test::All(inner) if all => list.extend(inner.iter().copied()),
                Test::Any(inner) if !all => list.extend(inner.iter().copied()),
                _ => list.push(part),
            }
        }
        // The cheapest conditions come first; the order is free since conditions have no effects.
        list.sort_by_key(|&part| match self.get(part) {
            Test::In(slot, _) => usize::from(!self.passing.get(slot.index()).is_none_or(|&passing| passing)),
            _ => 2,
        });
        match list[..] {
            [] => Test::Always(all),
            [only] => self.get(only).clone(),
            _ if all => Test::All(list.into()),
            _ => Test::Any(list.into()),
        }
    }

    fn atom(&mut self, sets: &mut Sets, condition: ExprId, truth: bool) -> Test {
        let exprs = &self.program.exprs;
        let mut sources: Vec<Expr> =
            exprs.parts(condition).filter(|part| matches!(part, Expr::Var(_) | Expr::Input(_))).collect();
        sources.dedup();
        let set = match sources[..] {
            [Expr::Var(var)] => self.numbers(sets, condition, var).map(|set| (Slot::new(var.index()), set)),
            [Expr::Input(input)] => {
                let values = Values::of(&self.program.input(input).alphabet);
                let slot = Slot::new(self.program.variables.len() + input.index());
                self.tried(sets, condition, &values).map(|set| (slot, set))
            }
            _ => None,
        };
        match set {
            Some((slot, set)) => {
                let set = if truth { set } else { sets.complement(set) };
                Test::In(slot, set)
            }
            None => Test::Is(condition, truth),
        }
    }

    /// The numbers of a variable for which a condition on it alone holds.
    fn numbers(&self, sets: &mut Sets, condition: ExprId, var: VarId) -> Option<SetId> {
        let exprs = &self.program.exprs;
        let constant = |id| match exprs.get(id) {
            Expr::Int(value) => Some(value),
            Expr::Bool(value) => Some(i32::from(value)),
            Expr::Table(table) => Some(table.index() as i32),
            _ => None,
        };
        let is_var = |id| exprs.get(id) == Expr::Var(var);
        match exprs.get(condition) {
            Expr::Var(_) if exprs.type_of(condition) == Type::Bool => return Some(sets.one(1)),
            Expr::Binary(op, a, b) => match (is_var(a), constant(a), is_var(b), constant(b)) {
                (true, _, _, Some(value)) => return comparison(sets, op, value, true),
                (_, Some(value), true, _) => return comparison(sets, op, value, false),
                _ => {}
            },
            _ => {}
        }
        self.tried(sets, condition, &self.values[var.index()])
    }

    fn tried(&self, sets: &mut Sets, condition: ExprId, values: &Values) -> Option<SetId> {
        if values.count() > TRIED {
            return None;
        }
        let holds = |value: i32| evaluate(self.program, condition, &|_| value) != 0;
        Some(sets.of_intervals(values.iter().filter(|&value| holds(value)).map(|value| (value, value)).collect()))
    }
}

/// The numbers on one side of a comparison with a constant for which it holds.
fn comparison(sets: &mut Sets, op: BinaryOp, value: i32, is_left: bool) -> Option<SetId> {
    let list = match (op, is_left) {
        (BinaryOp::Eq, _) => vec![(value, value)],
        (BinaryOp::LessEq, true) => vec![(i32::MIN, value)],
        (BinaryOp::LessEq, false) => vec![(value, i32::MAX)],
        (BinaryOp::Less, true) => value.checked_sub(1).map(|high| (i32::MIN, high)).into_iter().collect(),
        (BinaryOp::Less, false) => value.checked_add(1).map(|low| (low, i32::MAX)).into_iter().collect(),
        _ => return None,
    };
    Some(sets.of_intervals(list))
}
