//! Runs to labels, found with a map: the parts, and how far each is from a label.
//!
//! What the parts do not exclude may well be reached, but behind a dozen steps or more, where a search that knows no direction
//! is lost among values that nobody needs. Here states are visited best first: those whose part is near the label, by steps
//! between parts, and of which not many have been visited. That is directed model checking (Edelkamp, Leue and
//! Lluch-Lafuente 2004) with an estimate from an abstraction (Qian and Nymeyer 2004). States are those of the simulator, so
//! each run is one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashSet;

use super::part::Part;
use super::tree::Tree;
use super::{PartId, State};
use crate::base::{Ended, Interrupt};
use crate::program::{Domain, Program, PropertyId};
use crate::simulate::{self, Simulator};

/// The parts and the ways between them.
pub struct Map {
    pub(super) state: State,
    pub(super) tree: Tree,
    pub(super) parts: Vec<Part>,
}

/// What to look for, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Quest<'q> {
    pub interrupt: &'q Interrupt,
    /// Steps towards each label.
    pub steps: usize,
}

/// Properties, and the inputs that lead to each.
type Runs = Vec<(PropertyId, Vec<Vec<i32>>)>;

struct Visited {
    values: simulate::State,
    /// Where it comes from, and by which combination of inputs.
    parent: Option<(usize, usize)>,
}

/// Programs with more combinations of inputs are left to others.
const MOST_COMBINATIONS: u64 = 256;

impl Map {
    /// Looks for runs to some properties; `reached` gets them.
    pub fn search(
        &self,
        program: &Program,
        wanted: &[PropertyId],
        quest: Quest,
        reached: &mut dyn FnMut(PropertyId, Vec<Vec<i32>>),
    ) -> Result<(), Ended> {
        let Some(inputs) = combinations(program) else { return Ok(()) };
        let mut open: Vec<PropertyId> = wanted.iter().rev().copied().collect();
        while let Some(label) = open.pop() {
            let found = self.towards(program, label, &open, &inputs, quest)?;
            open.retain(|property| found.iter().all(|(other, _)| other != property));
            found.into_iter().for_each(|(property, run)| reached(property, run));
        }
        Ok(())
    }

    /// Per part: how many steps it is from those that may reach a label.
    fn distances(&self, label: PropertyId) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.parts.len()];
        let is_last = |id: &PartId| self.parts[id.index()].labels.contains(&label);
        let mut queue: VecDeque<PartId> = (0..self.parts.len()).map(PartId::new).filter(is_last).collect();
        queue.iter().for_each(|id| distances[id.index()] = Some(0));
        while let Some(id) = queue.pop_front() {
            let next = distances[id.index()].map(|distance| distance + 1);
            for source in &self.parts[id.index()].sources {
                if distances[source.index()].is_none() {
                    distances[source.index()] = next;
                    queue.push_back(*source);
                }
            }
        }
        distances
    }

    /// Visits states on the way to a label; the runs to that label and to other open ones that were found on the way.
    fn towards(
        &self,
        program: &Program,
        label: PropertyId,
        open: &[PropertyId],
        inputs: &[Vec<i32>],
        quest: Quest,
    ) -> Result<Runs, Ended> {
        let distances = self.distances(label);
        let mut simulator = Simulator::new(program);
        let mut visited = vec![Visited { values: simulator.state().clone(), parent: None }];
        let mut known = FxHashSet::default();
        let mut crowd = vec![0_u32; self.parts.len()];
        let mut heap = BinaryHeap::from([Reverse((0, 0))]);
        let mut found: Runs = vec![];
        let mut steps = 0;
        while let Some(Reverse((_, at))) = heap.pop() {
            quest.interrupt.check()?;
            for (number, values) in inputs.iter().enumerate() {
                steps += 1;
                simulator.restore(visited[at].values.clone());
                let step = simulator.step(values);
                for &property in open.iter().chain([&label]) {
                    if step.reaches(property) && found.iter().all(|(other, _)| *other != property) {
                        found.push((property, run_to(&visited, at, number, inputs)));
                    }
                }
                if found.iter().any(|(property, _)| *property == label) {
                    return Ok(found);
                }
                if step.end.is_some() {
                    continue;
                }
                let next = simulator.state();
                let key: Box<[i32]> =
                    self.state.variables.iter().map(|variable| next.variables[variable.index()]).collect();
                let Some(part) = self.tree.locate(&self.state, &key) else { continue };
                let Some(distance) = distances[part.index()] else { continue };
                if known.insert(key) {
                    let others = &mut crowd[part.index()];
                    *others += 1;
                    heap.push(Reverse((distance + others.ilog2(), visited.len())));
                    visited.push(Visited { values: next.clone(), parent: Some((at, number)) });
                }
            }
            if steps > quest.steps {
                break;
            }
        }
        Ok(found)
    }
}

/// The inputs that led to a state, and those of one step more.
fn run_to(visited: &[Visited], at: usize, last: usize, inputs: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let mut run = vec![inputs[last].clone()];
    let mut next = visited[at].parent;
    while let Some((parent, number)) = next {
        run.push(inputs[number].clone());
        next = visited[parent].parent;
    }
    run.reverse();
    run
}

/// All combinations of inputs, if they are not too many.
fn combinations(program: &Program) -> Option<Vec<Vec<i32>>> {
    let count = program.inputs.iter().try_fold(1_u64, |all, input| all.checked_mul(input.alphabet.size()));
    if count.is_none_or(|count| count > MOST_COMBINATIONS) {
        return None;
    }
    let mut all = vec![vec![]];
    for input in &program.inputs {
        let values: Vec<i32> = match &input.alphabet {
            Domain::List(list) => list.clone(),
            Domain::Range(low, high) => (*low..=*high).collect(),
        };
        all = all.iter().flat_map(|begun| values.iter().map(|&value| [begun.as_slice(), &[value]].concat())).collect();
    }
    Some(all)
}
