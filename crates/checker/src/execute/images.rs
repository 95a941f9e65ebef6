//! Parts of states told apart by what an expression can be on them; what it can be is remembered.

use std::rc::Rc;

use redoubt_program::expr::{ExprId, VarId};
use redoubt_program::program::{Program, StmtId};
use rustc_hash::FxHashMap;

use super::part::Part;
use super::{Executor, conditions::Atom};
use crate::columns::ColumnId;
use crate::evaluate::{Image, MOST_COMBINATIONS};

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
        Rc::clone(columns.or_insert_with(|| self.evaluator.columns.read_by(self.program, value).into()))
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
                let regions = part.regions(self.evaluator.columns.get(column));
                (column, regions.filter(|&region| !self.values(&part, column, region).is_empty()).collect())
            })
            .collect();
        let combinations = options.iter().try_fold(1_usize, |all, (_, regions)| all.checked_mul(regions.len()));
        if combinations.is_none_or(|combinations| combinations > MOST_COMBINATIONS) {
            let values = self.evaluate_hull(&part, id);
            return vec![(part, Rc::new(self.evaluator.image_of(values, target)))];
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
                let inner = part.restricted(self.evaluator.columns.get(*column), &[region]);
                self.split_further(&inner, id, columns, target, rest, parts);
            }
            return;
        }
        let mut groups: Vec<(Rc<Image>, Vec<usize>)> = vec![];
        for &region in regions {
            let of_column = |&other: &ColumnId| match other == *column {
                true => region,
                false => part.regions(self.evaluator.columns.get(other)).next().expect("restricted to one region"),
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
            parts.push((part.restricted(self.evaluator.columns.get(*column), &regions), image));
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
        let values = |(&column, &region): (&ColumnId, &usize)| (column, self.values(part, column, region));
        let environment = self.evaluator.environment(columns.iter().zip(regions).map(values));
        let image = Rc::new(self.evaluator.possible(id, environment, target));
        self.images.known.entry((id, target)).or_default().insert(key, Rc::clone(&image));
        image
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
