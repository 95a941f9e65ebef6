//! What an expression can be on a combination of regions.
//!
//! Interval arithmetic says what is possible; where that is vague, the values that are read are halved.

use std::collections::VecDeque;

use super::columns::{ColumnId, Columns};
use super::{Certificate, Fact, Place};
use crate::analysis::{Env, Values};
use crate::expr::{ExprId, VarId};
use crate::program::Program;

/// So many combinations of regions are told apart at one place; beyond that, all of them are taken together.
pub const MOST_COMBINATIONS: usize = 4096;

/// A combination is split into at most so many pieces to see what an expression can be there.
const MOST_PIECES: usize = 256;

/// What an expression can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The regions of a variable that its values fall into, or the truth values of a condition.
    pub mask: Vec<u64>,
    pub values: Values,
}

impl Image {
    fn is_within(&self, other: &Image) -> bool {
        self.mask.iter().zip(&other.mask).all(|(own, other)| own & !other == 0) && self.values.is_subset(&other.values)
    }

    fn is_vague(&self) -> bool {
        self.mask.iter().map(|word| word.count_ones()).sum::<u32>() > 1
    }

    pub fn add(&mut self, other: &Image) {
        self.mask.iter_mut().zip(&other.mask).for_each(|(own, other)| *own |= other);
        self.values = self.values.join(&other.values);
    }
}

/// Evaluates expressions of a program on the regions of a certificate.
pub struct Evaluator<'p> {
    pub columns: Columns,
    /// What it holds between two evaluations does not matter, but for the cells of tables.
    pub env: Env<'p>,
}

impl<'p> Evaluator<'p> {
    /// `None` if a fact is in a form that expressions cannot be evaluated with.
    pub fn new(program: &'p Program, certificate: &Certificate) -> Option<Evaluator<'p>> {
        let columns = Columns::new(program, certificate)?;
        let mut env = Env::new(program);
        env.widen_cells();
        for fact in &certificate.facts {
            if let Fact::In(Place::Cells(table), numbers) = fact {
                env.set_cells(*table, numbers.values()?);
            }
        }
        Some(Evaluator { columns, env })
    }

    /// Gives a column some values, for expressions to be evaluated with.
    pub fn fix(&mut self, column: ColumnId, values: Values) {
        match self.columns.source(column) {
            Ok(variable) => self.env.set(variable, values),
            Err(input) => {
                self.env.fix_input(input, values);
            }
        }
    }

    /// What an expression can be where its columns have some values. Where that is vague, the values are halved.
    pub fn possible(&mut self, id: ExprId, columns: &[ColumnId], values: Vec<Values>, target: Option<VarId>) -> Image {
        let first = self.image_at(id, columns, &values, target);
        if !first.is_vague() {
            return first;
        }
        let mut found = Image { mask: vec![0; first.mask.len()], values: Values::NONE };
        let mut pieces = VecDeque::from([values]);
        let mut evaluations = 0;
        while let Some(values) = pieces.pop_front() {
            evaluations += 1;
            let image = self.image_at(id, columns, &values, target);
            if image.is_within(&found) {
                continue;
            }
            let widest = (0..values.len()).max_by_key(|&index| values[index].count());
            match widest.filter(|&index| image.is_vague() && values[index].count() > 1) {
                Some(index) if evaluations < MOST_PIECES => {
                    let (low, high) = values[index].bounds().expect("more than one value");
                    let middle = (i64::from(low) + i64::from(high)).div_euclid(2) as i32;
                    for half in [values[index].within(low, middle), values[index].within(middle + 1, high)] {
                        let mut smaller = values.clone();
                        smaller[index] = half;
                        pieces.push_back(smaller);
                    }
                }
                _ => found.add(&image),
            }
        }
        found
    }

    fn image_at(&mut self, id: ExprId, columns: &[ColumnId], values: &[Values], target: Option<VarId>) -> Image {
        let mark = self.env.mark();
        for (&column, values) in columns.iter().zip(values) {
            self.fix(column, values.clone());
        }
        let result = self.env.evaluate(id);
        self.env.undo(mark);
        self.image_of(result, target)
    }

    pub fn image_of(&self, values: Values, target: Option<VarId>) -> Image {
        let mask = match target {
            None => vec![values.iter().fold(0, |mask, truth| mask | 1 << truth)],
            Some(variable) => self.columns.get(self.columns.of_variable(variable)).touched(&values),
        };
        Image { mask, values }
    }
}
