//! The possible values of an expression on a combination of regions.
//!
//! Arithmetic on sets of numbers bounds them; where that is vague, the operands' sets are halved.

use redoubt_base::BitSet;
use redoubt_program::expr::{ExprId, VarId};
use redoubt_program::program::Program;
use rustc_hash::FxHashSet;

use super::columns::{ColumnId, Columns};
use super::interval::{Arithmetic, Environment};
use super::{Certificate, Fact, NumberSet};

/// The most combinations of regions that are distinguished at one place; beyond that, all of them are taken together.
pub const MOST_COMBINATIONS: usize = 4096;

/// The most halvings of sets to find the values of an expression on a combination.
const MOST_HALVINGS: usize = 256;

/// The possible values of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The regions of a variable that its values fall into, or the truth values of a condition.
    pub regions: BitSet,
    pub values: NumberSet,
}

impl Image {
    fn is_within(&self, other: &Image) -> bool {
        self.regions.is_subset(&other.regions) && self.values.is_subset(&other.values)
    }

    fn is_vague(&self) -> bool {
        self.regions.count() > 1
    }

    pub fn add(&mut self, other: &Image) {
        self.regions.unite(&other.regions);
        self.values = self.values.join(&other.values);
    }
}

/// Evaluates expressions of a program on the regions of a certificate.
pub struct Evaluator<'p> {
    pub columns: Columns,
    pub arithmetic: Arithmetic<'p>,
}

impl<'p> Evaluator<'p> {
    /// `None` if a claim is in a form that cannot be told by regions, or two are about one table.
    pub fn new(program: &'p Program, certificate: &Certificate) -> Option<Evaluator<'p>> {
        let columns = Columns::new(program, certificate)?;
        let mut arithmetic = Arithmetic::new(program);
        let mut told = FxHashSet::default();
        for fact in &certificate.facts {
            if let Fact::Cells(table, numbers) = fact {
                // A stored value is compared with one fact only.
                told.insert(*table).then(|| arithmetic.set_cells(*table, numbers.clone()))?;
            }
        }
        Some(Evaluator { columns, arithmetic })
    }

    /// An environment in which columns have some numbers.
    pub fn environment(&self, columns: impl Iterator<Item = (ColumnId, NumberSet)>) -> Environment {
        columns.map(|(column, numbers)| (self.columns.source(column), numbers)).collect()
    }

    /// The possible values of an expression in an environment. Where they are vague, generations of ever smaller parts
    /// follow each other: a part that is vague itself, and adds a possibility, is halved.
    pub fn possible(&self, id: ExprId, environment: Environment, target: Option<VarId>) -> Image {
        let whole = self.image_of(self.arithmetic.evaluate(id, &environment), target);
        if !whole.is_vague() {
            return whole;
        }
        let mut found = Image { regions: self.no_regions(target), values: NumberSet::NONE };
        let mut generation = vec![(environment, whole)];
        let mut halvings = 0;
        while !generation.is_empty() {
            let mut next = vec![];
            for (part, image) in generation {
                if image.is_within(&found) {
                    continue;
                }
                let halves = if image.is_vague() && halvings < MOST_HALVINGS { part.halves() } else { None };
                let Some(halves) = halves else {
                    found.add(&image);
                    continue;
                };
                halvings += 1;
                next.extend(halves.map(|half| {
                    let image = self.image_of(self.arithmetic.evaluate(id, &half), target);
                    (half, image)
                }));
            }
            generation = next;
        }
        found
    }

    fn image_of(&self, values: NumberSet, target: Option<VarId>) -> Image {
        let regions = match target {
            None => {
                let mut truths = self.no_regions(target);
                values.iter().for_each(|truth| truths.insert(truth as usize));
                truths
            }
            Some(variable) => self.columns.get(self.columns.of_variable(variable)).touched(&values),
        };
        Image { regions, values }
    }

    /// No regions of a variable, or no truth values.
    fn no_regions(&self, target: Option<VarId>) -> BitSet {
        let count = target.map_or(2, |variable| self.columns.get(self.columns.of_variable(variable)).regions());
        BitSet::none(count)
    }
}
