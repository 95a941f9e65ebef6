//! One expression over regions: for each combination of regions that it reads, a clause with those that it can give.

use redoubt_base::BitSet;
use redoubt_program::expr::{Expr, ExprId, VarId};

use super::super::{Lit, Memory};
use super::Regions;
use super::word::{RegionWord, runs};
use crate::NumberSet;
use crate::columns::ColumnId;
use crate::evaluate::{Image, MOST_COMBINATIONS};

/// The literals that stand for the result of an expression.
#[derive(Clone, Copy)]
pub enum Target<'w> {
    Truth(Lit),
    Word(VarId, &'w RegionWord),
}

/// A column that an expression reads: its word, and the numbers that it can be, by region.
pub struct Source {
    column: ColumnId,
    word: RegionWord,
    options: Vec<(usize, NumberSet)>,
}

/// A relation that is being written down.
struct Table {
    columns: Vec<ColumnId>,
    /// The values of the first columns.
    values: Vec<NumberSet>,
    /// A clause that holds elsewhere.
    premise: Vec<Lit>,
    hull: NumberSet,
}

impl Regions<'_> {
    pub fn sources(&self, memory: &Memory<RegionWord>, id: ExprId) -> Vec<Source> {
        let source = |column: ColumnId| {
            let word = self.word_of(memory, column);
            let regions = self.column(column);
            let touched = regions.touched(&word.hull);
            let is_possible = |region: &usize| word.below(*region) != Lit::TRUE && word.upto(*region) != Lit::FALSE;
            let within = |region| {
                let (low, high) = regions.bounds(region);
                (region, word.hull.within(low, high))
            };
            let options = touched.iter().filter(is_possible).map(within).collect();
            Source { column, word, options }
        };
        self.evaluator.columns.read_by(self.program, id).into_iter().map(source).collect()
    }

    /// A condition that is not made of others. Asked for again, it is the same if all that it reads is.
    pub fn atom(&mut self, memory: &Memory<RegionWord>, id: ExprId) -> Lit {
        let sources = self.sources(memory, id);
        let key = (id, sources.iter().map(|source| source.word.name).collect());
        if let Some(&lit) = self.known.get(&key) {
            return lit;
        }
        let lit = self.gates.fresh();
        self.tabulate(sources, id, Target::Truth(lit));
        if !self.reads_cells(id) {
            self.known.insert(key, lit);
        }
        lit
    }

    /// Whether an expression reads tables that are written, which no word is for.
    fn reads_cells(&self, id: ExprId) -> bool {
        let is_written = self.program.tables.iter().any(|table| table.written);
        is_written && self.program.exprs.parts(id).any(|expr| matches!(expr, Expr::Cell(..)))
    }

    /// Requires of a target all that follows from the regions that an expression reads. The result is its set of
    /// possible numbers.
    pub fn tabulate(&mut self, mut sources: Vec<Source>, id: ExprId, target: Target) -> NumberSet {
        // Those with few regions first: they are worth most. The regions of those that do not fit are not
        // distinguished.
        sources.sort_by_key(|source| (source.options.len(), source.column));
        let mut combinations = 1_usize;
        for source in &mut sources {
            match combinations.saturating_mul(source.options.len()) {
                more if more <= MOST_COMBINATIONS => combinations = more,
                _ => {
                    let hull = NumberSet::union(source.options.drain(..).map(|(_, values)| values));
                    source.options.push((usize::MAX, hull));
                }
            }
        }
        let columns: Vec<ColumnId> = sources.iter().map(|source| source.column).collect();
        let mut table = Table { columns, values: vec![], premise: vec![], hull: NumberSet::NONE };
        self.fill(&sources, id, target, &mut table);
        table.hull
    }

    fn fill(&mut self, sources: &[Source], id: ExprId, target: Target, table: &mut Table) {
        let Some((source, rest)) = sources.split_first() else {
            let image = self.image(id, target, table);
            self.require(&table.premise, target, &image.regions);
            return;
        };
        let length = table.premise.len();
        if !rest.is_empty() {
            for (region, values) in &source.options {
                if *region != usize::MAX {
                    table.premise.extend(source.word.outside(*region, *region));
                }
                table.values.push(values.clone());
                self.fill(rest, id, target, table);
                table.values.pop();
                table.premise.truncate(length);
            }
            return;
        }
        // Neighbours from which it is the same share a clause, also across regions where the number cannot be.
        let mut groups: Vec<(usize, usize, BitSet)> = vec![];
        for (region, values) in &source.options {
            table.values.push(values.clone());
            let regions = self.image(id, target, table).regions;
            table.values.pop();
            match groups.last_mut() {
                Some((_, last, same)) if *same == regions => *last = *region,
                _ => groups.push((*region, *region, regions)),
            }
        }
        let is_one = groups.len() == 1;
        for (first, last, regions) in groups {
            if !is_one {
                table.premise.extend(source.word.outside(first, last));
            }
            self.require(&table.premise, target, &regions);
            table.premise.truncate(length);
        }
    }

    fn image(&mut self, id: ExprId, target: Target, table: &mut Table) -> Image {
        let variable = match target {
            Target::Truth(_) => None,
            Target::Word(variable, _) => Some(variable),
        };
        let columns = table.columns.iter().copied().zip(table.values.iter().cloned());
        let image = self.evaluator.possible(id, self.evaluator.environment(columns), variable);
        table.hull = table.hull.join(&image.values);
        image
    }

    /// The target lies in one of some regions, or has one of some truth values, unless the premise holds.
    fn require(&mut self, premise: &[Lit], target: Target, regions: &BitSet) {
        let mut clause = premise.to_vec();
        let mut require = |lits: &[Lit]| {
            clause.truncate(premise.len());
            clause.extend(lits);
            if !clause.contains(&Lit::TRUE) {
                clause.retain(|&lit| lit != Lit::FALSE);
                self.gates.require(&clause);
                clause = premise.to_vec();
            }
        };
        match target {
            Target::Truth(lit) => match [0, 1].map(|truth| regions.contains(truth)) {
                [true, false] => require(&[!lit]),
                [false, true] => require(&[lit]),
                _ => {}
            },
            Target::Word(_, word) => {
                let mut next = 0;
                let mut is_empty = true;
                for (first, last) in runs(regions) {
                    if next < first {
                        require(&word.outside(next, first - 1));
                    }
                    (next, is_empty) = (last + 1, false);
                }
                // No run gets to an expression without any value.
                if !is_empty && next <= word.upto.len() {
                    require(&word.outside(next, word.upto.len()));
                }
            }
        }
    }
}
