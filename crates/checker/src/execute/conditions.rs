//! Conditions in negation normal form, with conjunctions and disjunctions as flat lists.
//!
//! `a == 3 && (b < 5 && c != 1)` becomes a list of three, and its negation a list of three alternatives. A comparison
//! of a single variable with a constant becomes two sets of numbers: those with which it may hold, and those with which
//! it may fail. A guard that has not been met on any path costs nothing.

use std::rc::Rc;

use redoubt_base::id;
use redoubt_base::stack::grow;
use redoubt_program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use redoubt_program::program::Program;

use super::images::Images;
use super::path::Signature;
use super::sources::{SourceId, Sources};
use crate::interval::Environment;
use crate::{NumberSet, Progression};

id!(/// A condition that has been met.
    ConditionId);

pub enum Condition {
    Always,
    Never,
    /// It may hold if the source is among `yes`, and fail if it is among `no`.
    Member {
        source: SourceId,
        yes: NumberSet,
        no: NumberSet,
    },
    /// An expression that has this truth value, and the sources that it reads.
    Joint {
        expr: ExprId,
        truth: bool,
        sources: Rc<[SourceId]>,
    },
    All(Box<[ConditionId]>),
    Any(Box<[ConditionId]>),
}

/// A source that has no more numbers than this is tried number by number.
const MOST_TRIED: u64 = 64;

pub struct Conditions<'p> {
    program: &'p Program,
    list: Vec<Rc<Condition>>,
    /// Per condition: the sources that it reads.
    reads: Vec<Signature>,
    /// Per expression and truth value.
    known: Vec<[Option<ConditionId>; 2]>,
}

impl<'p> Conditions<'p> {
    pub fn new(program: &'p Program) -> Conditions<'p> {
        Conditions { program, list: vec![], reads: vec![], known: vec![[None; 2]; program.exprs.len()] }
    }

    pub fn get(&self, id: ConditionId) -> &Rc<Condition> {
        &self.list[id.index()]
    }

    /// The sources that a condition reads.
    pub fn reads(&self, id: ConditionId) -> Signature {
        self.reads[id.index()]
    }

    pub fn add(&mut self, condition: Condition) -> ConditionId {
        let reads = match &condition {
            Condition::Always | Condition::Never => Signature::NONE,
            Condition::Member { source, .. } => Signature::of(*source),
            Condition::Joint { sources, .. } => {
                sources.iter().fold(Signature::NONE, |all, &source| all.with(Signature::of(source)))
            }
            Condition::All(list) | Condition::Any(list) => {
                list.iter().fold(Signature::NONE, |all, part| all.with(self.reads[part.index()]))
            }
        };
        self.reads.push(reads);
        self.list.push(Rc::new(condition));
        ConditionId::new(self.list.len() - 1)
    }

    /// The condition that an expression has a truth value.
    pub fn of(&mut self, sources: &Sources, images: &Images, expr: ExprId, truth: bool) -> ConditionId {
        if let Some(id) = self.known[expr.index()][usize::from(truth)] {
            return id;
        }
        let condition = self.made(sources, images, expr, truth);
        let id = self.add(condition);
        self.known[expr.index()][usize::from(truth)] = Some(id);
        id
    }

    fn made(&mut self, sources: &Sources, images: &Images, expr: ExprId, truth: bool) -> Condition {
        match self.program.exprs.get(expr) {
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                let (inner, truth) = self.without_not(expr, truth);
                let is_all = truth != matches!(self.program.exprs.get(inner), Expr::Binary(BinaryOp::Or, ..));
                let parts = self.flat(inner, truth, is_all);
                let list = parts.into_iter().map(|(part, truth)| grow(|| self.of(sources, images, part, truth)));
                let list = list.collect();
                if is_all { Condition::All(list) } else { Condition::Any(list) }
            }
            atom => self.atom(sources, images, (expr, atom), truth),
        }
    }

    fn without_not(&self, mut expr: ExprId, mut truth: bool) -> (ExprId, bool) {
        while let Expr::Unary(UnaryOp::Not, inner) = self.program.exprs.get(expr) {
            (expr, truth) = (inner, !truth);
        }
        (expr, truth)
    }

    /// The parts of a conjunction (or disjunction), those of its parts that are of the same kind, and so on, in order.
    fn flat(&self, expr: ExprId, truth: bool, is_all: bool) -> Vec<(ExprId, bool)> {
        let mut parts = vec![];
        let mut pending = vec![(expr, truth)];
        while let Some((expr, truth)) = pending.pop() {
            let (expr, truth) = self.without_not(expr, truth);
            match self.program.exprs.get(expr) {
                Expr::Binary(BinaryOp::And, a, b) if truth == is_all => pending.extend([(b, truth), (a, truth)]),
                Expr::Binary(BinaryOp::Or, a, b) if truth != is_all => pending.extend([(b, truth), (a, truth)]),
                _ => parts.push((expr, truth)),
            }
        }
        parts
    }

    fn atom(&self, sources: &Sources, images: &Images, (id, expr): (ExprId, Expr), truth: bool) -> Condition {
        let read = images.reads(sources, id);
        let member = |source, [no, yes]: [NumberSet; 2]| match truth {
            true => Condition::Member { source, yes, no },
            false => Condition::Member { source, yes: no, no: yes },
        };
        match read[..] {
            [] => {
                let values = images.arithmetic.evaluate(id, &Environment::default());
                match [truth, !truth].map(|truth| values.contains(i32::from(truth))) {
                    [true, false] => Condition::Always,
                    [false, _] => Condition::Never,
                    _ => Condition::Joint { expr: id, truth, sources: read },
                }
            }
            [source] => match self.compared(sources, expr).or_else(|| self.tried(sources, images, id, source)) {
                Some(sets) => member(source, sets),
                None => Condition::Joint { expr: id, truth, sources: read },
            },
            _ => Condition::Joint { expr: id, truth, sources: read },
        }
    }

    /// The numbers with which a comparison of a source with a constant fails, and those with which it holds.
    fn compared(&self, sources: &Sources, expr: Expr) -> Option<[NumberSet; 2]> {
        let (op, a, b) = match expr {
            // A truth value by itself.
            Expr::Var(_) | Expr::Input(_) => {
                return Some([NumberSet::one(0), NumberSet::all().outside(&NumberSet::one(0))]);
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) => (op, a, b),
            _ => return None,
        };
        let at_most = |high| NumberSet::between(i32::MIN, high);
        let at_least = |low| NumberSet::between(low, i32::MAX);
        let is_source = |id| sources.of_expr(self.program.exprs.get(id)).is_some();
        let (number, source_first) = match (self.constant(a), self.constant(b)) {
            (None, Some(number)) if is_source(a) => (number, true),
            (Some(number), None) if is_source(b) => (number, false),
            _ => return None,
        };
        let yes = match (op, source_first) {
            (BinaryOp::Eq, _) => NumberSet::one(number),
            (BinaryOp::Less, true) => number.checked_sub(1).map_or(NumberSet::NONE, at_most),
            (BinaryOp::Less, false) => number.checked_add(1).map_or(NumberSet::NONE, at_least),
            (_, true) => at_most(number),
            (_, false) => at_least(number),
        };
        Some([NumberSet::all().outside(&yes), yes])
    }

    fn constant(&self, id: ExprId) -> Option<i32> {
        match self.program.exprs.get(id) {
            Expr::Int(number) => Some(number),
            Expr::Bool(value) => Some(i32::from(value)),
            Expr::Table(table) => Some(table.index() as i32),
            _ => None,
        }
    }

    /// The same for any condition on a source that cannot have many numbers, whenever a step reads it.
    fn tried(&self, sources: &Sources, images: &Images, id: ExprId, source: SourceId) -> Option<[NumberSet; 2]> {
        let numbers = sources.always(self.program, source).filter(|numbers| numbers.count() <= MOST_TRIED)?;
        let results: Vec<(i32, NumberSet)> = numbers
            .iter()
            .map(|number| {
                let here = [(sources.name(source), NumberSet::one(number))].into_iter().collect();
                (number, images.arithmetic.evaluate(id, &here))
            })
            .collect();
        let with = |truth: i32| {
            let having = results.iter().filter(|(_, values)| values.contains(truth));
            NumberSet::covering(having.map(|(number, _)| Progression::single(*number)).collect())
        };
        Some([with(0), with(1)])
    }
}
