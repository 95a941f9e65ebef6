//! The boxes of a certificate, and which of them contain the end of a path.
//!
//! For each variable that any box restricts, its numbers are cut where a side begins or ends, and for each region
//! between two cuts it is known which boxes have it, as a set of bits. The boxes that include a variable's possible
//! numbers are those that have all regions it touches; those that meet it have one of them. Sides with steps are few,
//! and each is compared by itself.

use std::rc::Rc;

use redoubt_base::BitSet;
use redoubt_program::expr::VarId;
use rustc_hash::FxHashMap;

use super::path::{Path, VersionId};
use super::sources::{SourceId, Sources};
use crate::columns::cut_at_ends;
use crate::{NumberSet, StateBox};

pub struct Cover {
    boxes: usize,
    columns: Vec<Column>,
}

/// A variable that some boxes restrict.
struct Column {
    source: SourceId,
    /// The first number of each region.
    starts: Vec<i32>,
    /// Per region: the boxes that have it.
    owners: Vec<BitSet>,
    /// Sides with steps, and the boxes that have them. These are in no region's set.
    stepped: Vec<(NumberSet, BitSet)>,
    /// The sides of the boxes that have one.
    sides: FxHashMap<usize, NumberSet>,
    /// The possible numbers of the variable when nothing is known about it, and the answer for that.
    known: Rc<NumberSet>,
    answer: Answer,
}

/// The boxes that include some numbers of a variable, and those that have any of them.
#[derive(Clone, Default)]
struct Answer {
    including: BitSet,
    meeting: BitSet,
}

/// The position of the end of a path relative to the boxes.
pub enum Covered {
    /// One box has it all, this one; or there are none.
    Yes(usize),
    /// No box has any of it.
    Outside,
    /// Some boxes have some of it. It helps to tell apart whether this version is within these numbers.
    Partly(VersionId, NumberSet),
}

impl Cover {
    /// `None` if a box says two things about one variable that cannot be said in one.
    pub fn new(boxes: &[StateBox], sources: &Sources) -> Option<Cover> {
        let mut sides: FxHashMap<VarId, FxHashMap<usize, NumberSet>> = FxHashMap::default();
        for (index, state_box) in boxes.iter().enumerate() {
            for (variable, numbers) in &state_box.sides {
                let of_variable = sides.entry(*variable).or_default();
                let both = match of_variable.get(&index) {
                    None => numbers.clone(),
                    Some(other) if other.is_without_steps() && numbers.is_without_steps() => other.meet(numbers),
                    Some(_) => return None,
                };
                of_variable.insert(index, both);
            }
        }
        let mut list: Vec<_> = sides.into_iter().collect();
        list.sort_unstable_by_key(|(variable, _)| *variable);
        let column = |(variable, sides)| {
            let source = Sources::of_variable(variable);
            Column::new(source, Rc::clone(sources.known(source)), sides, boxes.len())
        };
        Some(Cover { boxes: boxes.len(), columns: list.into_iter().map(column).collect() })
    }

    /// The position of the end of a path relative to the boxes. No boxes restrict nothing, and neither do boxes without
    /// sides.
    pub fn covers(&self, path: &Path) -> Covered {
        if self.boxes == 0 {
            return Covered::Yes(0);
        }
        if let Some(one) = self.including(path) {
            return Covered::Yes(one);
        }
        let answer = |column: &'_ Column| {
            let values = path.values(path.current(column.source));
            (!Rc::ptr_eq(values, &column.known)).then(|| column.answer(values, self.boxes))
        };
        let made: Vec<Option<Answer>> = self.columns.iter().map(answer).collect();
        let answers = made.iter().zip(&self.columns).map(|(made, column)| made.as_ref().unwrap_or(&column.answer));
        let answers: Vec<&Answer> = answers.collect();
        let mut meeting = BitSet::all(self.boxes);
        for answer in &answers {
            meeting.intersect(&answer.meeting);
        }
        match meeting.is_empty() {
            true => Covered::Outside,
            false => self.apart(path, &meeting, &answers),
        }
    }

    /// The first box that has all that a path ends in.
    fn including(&self, path: &Path) -> Option<usize> {
        let mut including = BitSet::all(self.boxes);
        let mut keep = |owners: &BitSet| {
            including.intersect(owners);
            !including.is_empty()
        };
        let is_in_one = self.columns.iter().all(|column| {
            let values = path.values(path.current(column.source));
            if Rc::ptr_eq(values, &column.known) {
                keep(&column.answer.including)
            } else if column.stepped.is_empty() {
                column.owners_of(values).all(&mut keep)
            } else {
                keep(&column.answer(values, self.boxes).including)
            }
        });
        is_in_one.then(|| including.iter().next()).flatten()
    }

    /// Chooses the box that lacks the fewest variables, and of those the one that most boxes lack.
    fn apart(&self, path: &Path, meeting: &BitSet, answers: &[&Answer]) -> Covered {
        let mut lacking = vec![0_u32; self.boxes];
        let mut lacked = vec![0_u32; self.columns.len()];
        for (index, count) in lacked.iter_mut().enumerate() {
            let mut lack = meeting.clone();
            lack.subtract(&answers[index].including);
            for one in lack.iter() {
                lacking[one] += 1;
                *count += 1;
            }
        }
        let nearest = meeting.iter().min_by_key(|&one| lacking[one]).expect("some box has some of it");
        let lacks = |&index: &usize| !answers[index].including.contains(nearest);
        let column = (0..self.columns.len()).filter(lacks).max_by_key(|&index| lacked[index]);
        let column = &self.columns[column.expect("the box does not include it all")];
        Covered::Partly(path.current(column.source), column.sides[&nearest].clone())
    }
}

impl Column {
    fn new(source: SourceId, known: Rc<NumberSet>, sides: FxHashMap<usize, NumberSet>, boxes: usize) -> Column {
        let mut cuts = [i32::MIN].into();
        let plain = |side: &NumberSet| side.is_without_steps();
        sides.values().filter(|side| plain(side)).for_each(|side| cut_at_ends(&mut cuts, side));
        let starts: Vec<i32> = cuts.into_iter().collect();
        let mut free = BitSet::all(boxes);
        sides.keys().for_each(|&one| free.remove(one));
        let mut column = Column {
            source,
            owners: vec![free; starts.len()],
            starts,
            stepped: vec![],
            sides: FxHashMap::default(),
            known: Rc::clone(&known),
            answer: Answer::default(),
        };
        for (&one, side) in &sides {
            if plain(side) {
                for run in side.runs() {
                    for region in column.touched(run.low, run.high) {
                        column.owners[region].insert(one);
                    }
                }
                continue;
            }
            let index = column.stepped.iter().position(|(other, _)| other == side).unwrap_or_else(|| {
                column.stepped.push((side.clone(), BitSet::none(boxes)));
                column.stepped.len() - 1
            });
            column.stepped[index].1.insert(one);
        }
        column.sides = sides;
        column.answer = column.answer(&known, boxes);
        column
    }

    fn region_of(&self, number: i32) -> usize {
        self.starts.partition_point(|&start| start <= number) - 1
    }

    fn touched(&self, low: i32, high: i32) -> std::ops::RangeInclusive<usize> {
        self.region_of(low)..=self.region_of(high)
    }

    /// The owners of each region that some numbers touch.
    fn owners_of<'a>(&'a self, values: &'a NumberSet) -> impl Iterator<Item = &'a BitSet> {
        values.runs().iter().flat_map(move |run| {
            let is_touched = move |region: usize| {
                let low = self.starts[region];
                let high = self.starts.get(region + 1).map_or(i32::MAX, |next| next - 1);
                // A run with steps may leap over a region.
                run.step == 1 || run.within(low, high).is_some()
            };
            let regions = self.touched(run.low, run.high).filter(move |&region| is_touched(region));
            regions.map(|region| &self.owners[region])
        })
    }

    fn answer(&self, values: &NumberSet, boxes: usize) -> Answer {
        let (mut including, mut meeting) = (BitSet::all(boxes), BitSet::none(boxes));
        for owners in self.owners_of(values) {
            including.intersect(owners);
            meeting.unite(owners);
        }
        for (side, owners) in &self.stepped {
            if values.is_subset(side) {
                including.unite(owners);
            }
            if values.meets(side) {
                meeting.unite(owners);
            }
        }
        Answer { including, meeting }
    }
}
