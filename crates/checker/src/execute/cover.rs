//! The boxes of a certificate, and which of them have what a path ends in.
//!
//! For each variable that any box restricts, its numbers are cut where a side begins or ends, and for each region
//! between two cuts it is known which boxes have it, as a set of bits. The boxes that include what a variable may be are
//! those that have all regions it touches; those that meet it have one of them. Sides with steps are few, and each is
//! compared by itself.

use std::rc::Rc;

use redoubt_program::expr::VarId;
use rustc_hash::FxHashMap;

use super::path::{Path, VersionId};
use super::sources::{SourceId, Sources};
use crate::columns::{bits, cut_at_ends};
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
    owners: Vec<Box<[u64]>>,
    /// Sides with steps, and the boxes that have them. These are in no region's set.
    stepped: Vec<(NumberSet, Box<[u64]>)>,
    /// The sides of the boxes that have one.
    sides: FxHashMap<usize, NumberSet>,
    /// What the variable may be when nothing is known about it, and the answer for that.
    known: Rc<NumberSet>,
    answer: Answer,
}

/// The boxes that include some numbers of a variable, and those that have any of them.
#[derive(Clone, Default)]
struct Answer {
    including: Box<[u64]>,
    meeting: Box<[u64]>,
}

/// How what a path ends in lies to the boxes.
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

    /// How the end of a path lies to the boxes. No boxes restrict nothing, and so do boxes without sides.
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
        let mut meeting = all(self.boxes);
        for answer in &answers {
            meeting.iter_mut().zip(&answer.meeting).for_each(|(all, one)| *all &= one);
        }
        match meeting.iter().all(|&word| word == 0) {
            true => Covered::Outside,
            false => self.apart(path, &meeting, &answers),
        }
    }

    /// The first box that has all that a path ends in.
    fn including(&self, path: &Path) -> Option<usize> {
        let mut including = all(self.boxes);
        let mut keep = |owners: &[u64]| {
            including.iter_mut().zip(owners).for_each(|(all, one)| *all &= one);
            including.iter().any(|&word| word != 0)
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
        is_in_one.then(|| bits(&including).next()).flatten()
    }

    /// Chooses the box that lacks the fewest variables, and of those the one that most boxes lack.
    fn apart(&self, path: &Path, meeting: &[u64], answers: &[&Answer]) -> Covered {
        let mut lacking = vec![0_u32; self.boxes];
        let mut lacked = vec![0_u32; self.columns.len()];
        for (index, count) in lacked.iter_mut().enumerate() {
            let lack: Vec<u64> =
                meeting.iter().zip(&answers[index].including).map(|(meet, have)| meet & !have).collect();
            for one in bits(&lack) {
                lacking[one] += 1;
                *count += 1;
            }
        }
        let nearest = bits(meeting).min_by_key(|&one| lacking[one]).expect("some box has some of it");
        let lacks = |&index: &usize| answers[index].including[nearest / 64] >> (nearest % 64) & 1 == 0;
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
        let mut free = all(boxes);
        sides.keys().for_each(|one| free[one / 64] &= !(1 << (one % 64)));
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
                        column.owners[region][one / 64] |= 1 << (one % 64);
                    }
                }
                continue;
            }
            let index = column.stepped.iter().position(|(other, _)| other == side).unwrap_or_else(|| {
                column.stepped.push((side.clone(), vec![0; boxes.div_ceil(64)].into()));
                column.stepped.len() - 1
            });
            column.stepped[index].1[one / 64] |= 1 << (one % 64);
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
    fn owners_of<'a>(&'a self, values: &'a NumberSet) -> impl Iterator<Item = &'a [u64]> {
        values.runs().iter().flat_map(move |run| {
            let is_touched = move |region: usize| {
                let low = self.starts[region];
                let high = self.starts.get(region + 1).map_or(i32::MAX, |next| next - 1);
                // A run with steps may leap over a region.
                run.step == 1 || run.within(low, high).is_some()
            };
            let regions = self.touched(run.low, run.high).filter(move |&region| is_touched(region));
            regions.map(|region| &*self.owners[region])
        })
    }

    fn answer(&self, values: &NumberSet, boxes: usize) -> Answer {
        let mut including = all(boxes);
        let mut meeting: Box<[u64]> = vec![0; including.len()].into();
        for owners in self.owners_of(values) {
            including.iter_mut().zip(owners).for_each(|(all, one)| *all &= one);
            meeting.iter_mut().zip(owners).for_each(|(any, one)| *any |= one);
        }
        for (side, owners) in &self.stepped {
            let add = |set: &mut [u64]| set.iter_mut().zip(owners).for_each(|(word, one)| *word |= one);
            if values.is_subset(side) {
                add(&mut including);
            }
            if values.meets(side) {
                add(&mut meeting);
            }
        }
        Answer { including, meeting }
    }
}

/// A set of all boxes.
fn all(boxes: usize) -> Box<[u64]> {
    let word = |index: usize| match boxes - 64 * index {
        rest if rest >= 64 => u64::MAX,
        rest => (1 << rest) - 1,
    };
    (0..boxes.div_ceil(64)).map(word).collect()
}
