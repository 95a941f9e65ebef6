//! What an expression can be on a combination of regions, remembered.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::columns::ColumnId;
use super::part::Part;
use super::{Executor, conditions::Atom};
use crate::analysis::Values;
use crate::expr::{ExprId, VarId};
use crate::program::{Program, StmtId};

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

    fn add(&mut self, other: &Image) {
        self.mask.iter_mut().zip(&other.mask).for_each(|(own, other)| *own |= other);
        self.values = self.values.join(&other.values);
    }
}

/// Images by combination: the region of each column, and the number of what is told of it beyond that.
type Known = FxHashMap<Box<[u32]>, Rc<Image>>;

pub struct Images {
    /// Per expression that is a condition.
    pub atoms: Vec<Option<Rc<Atom>>>,
    /// Per expression and, for an assignment, its target.
    known: FxHashMap<(ExprId, Option<VarId>), Known>,
    /// Per assignment: the columns that its value reads.
    reads: FxHashMap<StmtId, Rc<[ColumnId]>>,
}

impl Images {
    pub fn new(program: &Program) -> Images {
        Images { atoms: vec![None; program.exprs.len()], known: FxHashMap::default(), reads: FxHashMap::default() }
    }
}

impl Executor<'_, '_> {
    /// The columns that the value of an assignment reads.
    pub fn columns_of(&mut self, stmt: StmtId, value: ExprId) -> Rc<[ColumnId]> {
        let columns = self.images.reads.entry(stmt);
        Rc::clone(columns.or_insert_with(|| self.columns.read_by(self.program, value).into()))
    }

    /// Parts on which an expression falls into the same regions, and what it can be there.
    pub fn split(
        &mut self,
        part: Part,
        id: ExprId,
        columns: &[ColumnId],
        target: Option<VarId>,
    ) -> Vec<(Part, Rc<Image>)> {
        let mut options: Vec<(ColumnId, Vec<usize>)> = columns
            .iter()
            .map(|&column| {
                let regions = part.regions(self.columns.get(column));
                (column, regions.filter(|&region| !self.values(&part, column, region).is_empty()).collect())
            })
            .collect();
        let combinations = options.iter().try_fold(1_usize, |all, (_, regions)| all.checked_mul(regions.len()));
        if combinations.is_none_or(|combinations| combinations > MOST_COMBINATIONS) {
            let values = self.evaluate_hull(&part, id);
            return vec![(part, Rc::new(self.image_of(values, target)))];
        }
        if combinations == Some(1) {
            let regions: Vec<usize> = options.iter().map(|(_, regions)| regions[0]).collect();
            let image = self.image(&part, id, columns, &regions, target);
            return vec![(part, image)];
        }
        // The column with most regions last: parts that differ only there and have one image stay together.
        options.sort_by_key(|(column, regions)| (regions.len(), *column));
        let mut parts = vec![];
        self.split_further(&part, id, columns, target, &options, &mut parts);
        if parts.iter().all(|(_, image)| image.mask == parts[0].1.mask) {
            // Nothing to tell apart.
            let image = parts.into_iter().map(|(_, image)| image).reduce(joined);
            return image.map(|image| (part, image)).into_iter().collect();
        }
        parts
    }

    fn split_further(
        &mut self,
        part: &Part,
        id: ExprId,
        columns: &[ColumnId],
        target: Option<VarId>,
        options: &[(ColumnId, Vec<usize>)],
        parts: &mut Vec<(Part, Rc<Image>)>,
    ) {
        let Some(((column, regions), rest)) = options.split_first() else { return };
        if !rest.is_empty() {
            for &region in regions {
                let inner = part.restricted(self.columns.get(*column), &[region]);
                self.split_further(&inner, id, columns, target, rest, parts);
            }
            return;
        }
        let mut groups: Vec<(Rc<Image>, Vec<usize>)> = vec![];
        for &region in regions {
            let of_column = |&other: &ColumnId| match other == *column {
                true => region,
                false => part.regions(self.columns.get(other)).next().expect("restricted to one region"),
            };
            let combination: Vec<usize> = columns.iter().map(of_column).collect();
            let image = self.image(part, id, columns, &combination, target);
            match groups.iter_mut().find(|group| group.0.mask == image.mask) {
                Some(group) => {
                    group.0 = joined(Rc::clone(&group.0), image);
                    group.1.push(region);
                }
                None => groups.push((image, vec![region])),
            }
        }
        for (image, regions) in groups {
            parts.push((part.restricted(self.columns.get(*column), &regions), image));
        }
    }

    /// What an expression can be where its columns are in some regions.
    pub fn image(
        &mut self,
        part: &Part,
        id: ExprId,
        columns: &[ColumnId],
        regions: &[usize],
        target: Option<VarId>,
    ) -> Rc<Image> {
        let told = |&column: &ColumnId| part.told(column).map_or(0, |values| values.0 + 1);
        let key: Box<[u32]> =
            columns.iter().zip(regions).flat_map(|(column, &region)| [region as u32, told(column)]).collect();
        if let Some(image) = self.images.known.get(&(id, target)).and_then(|known| known.get(&key)) {
            return Rc::clone(image);
        }
        let values: Vec<Values> =
            columns.iter().zip(regions).map(|(&column, &region)| self.values(part, column, region)).collect();
        let image = Rc::new(self.possible(id, columns, values, target));
        self.images.known.entry((id, target)).or_default().insert(key, Rc::clone(&image));
        image
    }

    /// What an expression can be where its columns have some values. Where that is vague, the values are halved.
    fn possible(&mut self, id: ExprId, columns: &[ColumnId], values: Vec<Values>, target: Option<VarId>) -> Image {
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

    fn image_of(&self, values: Values, target: Option<VarId>) -> Image {
        let mask = match target {
            None => vec![values.iter().fold(0, |mask, truth| mask | 1 << truth)],
            Some(variable) => self.columns.get(self.columns.of_variable(variable)).touched(&values),
        };
        Image { mask, values }
    }
}

fn joined(a: Rc<Image>, b: Rc<Image>) -> Rc<Image> {
    if a == b {
        return a;
    }
    let mut all = (*a).clone();
    all.add(&b);
    Rc::new(all)
}
