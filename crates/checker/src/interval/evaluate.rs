//! Expressions on sets of numbers.

use redoubt_base::stack::grow;
use redoubt_program::expr::{BinaryOp, Expr, ExprId, InputId, TableId, VarId};
use redoubt_program::program::Program;

use super::operators::{binary, doubled, unary};
use super::{NumberSet, Progression};

/// A source that an expression reads, beside tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    Variable(VarId),
    Input(InputId),
}

impl Source {
    pub(super) fn of(expr: Expr) -> Option<Source> {
        match expr {
            Expr::Var(variable) => Some(Source::Variable(variable)),
            Expr::Input(input) => Some(Source::Input(input)),
            _ => None,
        }
    }
}

/// The numbers that each source may have. All combinations of them are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    sources: Vec<(Source, NumberSet)>,
}

impl FromIterator<(Source, NumberSet)> for Environment {
    fn from_iter<I: IntoIterator<Item = (Source, NumberSet)>>(sources: I) -> Environment {
        Environment { sources: sources.into_iter().collect() }
    }
}

impl Environment {
    /// The numbers of a source; `None` if nothing is known about it.
    pub fn get(&self, source: Source) -> Option<&NumberSet> {
        self.sources.iter().find(|(known, _)| *known == source).map(|(_, numbers)| numbers)
    }

    /// Lets a source have these numbers. Of one about which nothing was known, still nothing is known.
    pub fn set(&mut self, source: Source, numbers: NumberSet) {
        if let Some((_, known)) = self.sources.iter_mut().find(|(known, _)| *known == source) {
            *known = numbers;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Source, &NumberSet)> {
        self.sources.iter().map(|(source, numbers)| (*source, numbers))
    }

    /// The union of two environments over the same sources, in the same order.
    pub(super) fn join(mut self, other: &Environment) -> Environment {
        for ((source, own), (same, others)) in self.sources.iter_mut().zip(&other.sources) {
            debug_assert_eq!(source, same);
            if own != others {
                *own = own.join(others);
            }
        }
        self
    }

    /// The two halves of the source with most numbers; `None` if each has one.
    pub fn halves(&self) -> Option<[Environment; 2]> {
        let (index, (_, widest)) = self.sources.iter().enumerate().max_by_key(|(_, (_, numbers))| numbers.count())?;
        let half = |numbers: NumberSet| {
            let mut half = self.clone();
            half.sources[index].1 = numbers;
            half
        };
        (widest.count() > 1).then(|| widest.halves().map(half))
    }
}

/// Evaluates the expressions of a program.
pub struct Arithmetic<'p> {
    pub(super) program: &'p Program,
    /// Per table that is written: all numbers that any of its cells may have.
    cells: Vec<NumberSet>,
}

impl<'p> Arithmetic<'p> {
    /// Nothing is known about the cells of tables that are written.
    pub fn new(program: &'p Program) -> Arithmetic<'p> {
        let cells = program.tables.iter().map(|table| if table.written { NumberSet::all() } else { NumberSet::NONE });
        Arithmetic { program, cells: cells.collect() }
    }

    pub fn cells(&self, table: TableId) -> &NumberSet {
        &self.cells[table.index()]
    }

    /// Every cell of a table that is written has one of these numbers.
    pub fn set_cells(&mut self, table: TableId, numbers: NumberSet) {
        self.cells[table.index()] = numbers;
    }

    /// All that an expression can be.
    pub fn evaluate(&self, id: ExprId, environment: &Environment) -> NumberSet {
        match self.program.exprs.get(id) {
            Expr::Bool(value) => NumberSet::one(i32::from(value)),
            Expr::Int(value) => NumberSet::one(value),
            Expr::Table(table) => NumberSet::one(table.index() as i32),
            Expr::Input(input) => environment.get(Source::Input(input)).cloned().unwrap_or(NumberSet::all()),
            Expr::Var(variable) => environment.get(Source::Variable(variable)).cloned().unwrap_or(NumberSet::all()),
            compound => grow(|| self.evaluate_compound(compound, environment)),
        }
    }

    fn evaluate_compound(&self, expr: Expr, environment: &Environment) -> NumberSet {
        match expr {
            Expr::Unary(op, a) => unary(op, &self.evaluate(a, environment)),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b)
                if let Some(condition) = self.program.exprs.condition_of_amount(a, b) =>
            {
                self.in_cases(condition, environment, |_, inside| {
                    binary(op, &self.evaluate(a, inside), &self.evaluate(b, inside))
                })
            }
            Expr::Binary(op, a, b) if a == b => doubled(op, &self.evaluate(a, environment)),
            Expr::Binary(op, a, b) => {
                let a = self.evaluate(a, environment);
                match (op, a.single()) {
                    (BinaryOp::And, Some(0)) | (BinaryOp::Or, Some(1)) => a,
                    _ => binary(op, &a, &self.evaluate(b, environment)),
                }
            }
            Expr::Ite(condition, then, otherwise) => self.in_cases(condition, environment, |truth, inside| {
                self.evaluate(if truth { then } else { otherwise }, inside)
            }),
            Expr::Cell(pointer, index) => {
                let index = self.evaluate(index, environment);
                NumberSet::union(self.targets(pointer, environment).into_iter().map(|table| self.read(table, &index)))
            }
            Expr::Length(pointer) => {
                let length = |table| Progression::single(self.program.table(table).cells.len() as i32);
                NumberSet::covering(self.targets(pointer, environment).into_iter().map(length).collect())
            }
            leaf => unreachable!("{leaf:?} has no operands"),
        }
    }

    /// The possible values where a condition holds, and where it does not.
    fn in_cases(
        &self,
        condition: ExprId,
        environment: &Environment,
        look: impl Fn(bool, &Environment) -> NumberSet,
    ) -> NumberSet {
        let case = |truth| match self.refine(condition, truth, environment.clone()) {
            Some(inside) => look(truth, &inside),
            None => NumberSet::NONE,
        };
        case(true).join(&case(false))
    }

    /// The tables that a pointer can point to.
    pub fn targets(&self, pointer: ExprId, environment: &Environment) -> Vec<TableId> {
        let numbers = self.evaluate(pointer, environment);
        let inside = numbers.within(0, self.program.tables.len() as i32 - 1);
        inside.iter().map(|number| TableId::new(number as usize)).collect()
    }

    /// The possible values read from a table; 0 outside it.
    fn read(&self, id: TableId, index: &NumberSet) -> NumberSet {
        let table = self.program.table(id);
        let inside = index.within(0, table.cells.len() as i32 - 1);
        let mut pieces: Vec<Progression> = match table.written {
            true if inside.is_empty() => vec![],
            true => self.cells(id).runs().to_vec(),
            false => inside.iter().map(|index| Progression::single(table.cells[index as usize])).collect(),
        };
        if inside.count() < index.count() {
            pieces.push(Progression::single(0));
        }
        NumberSet::covering(pieces)
    }
}
