//! Search with abstract matching: real runs, of which those that look alike are not told apart.
//!
//! States are visited as in [`super::search()`], but a state counts as known if an abstraction of it is, for example
//! with each value seen only as the number of its region (Pasareanu, Pelanek and Visser, "Concrete model checking with
//! abstract matching and refinement", 2005). Properties that it reaches are reachable; others may be reachable all the
//! same.
//!
//! A [`Goal`] drives one variable towards some values: of states that look alike the one that is closest is kept, and
//! the closest ones are visited first. That is how a counter is brought to a bound that takes a thousand steps.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::inputs::{LOOK_AROUND, Tape};
use super::layout::{Layout, Storage};
use super::machine::{Execution, Machine};
use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::expr::VarId;
use crate::program::PropertyId;

/// A program made ready to be searched again and again.
#[derive(Debug)]
pub struct Matcher<'p> {
    machine: Machine<'p>,
    tape: Option<Tape>,
    frame: Vec<i32>,
    places: Vec<Storage>,
}

/// The view of states, and how far to go.
pub struct View<'v> {
    /// The numbers that tell a state from others.
    pub look: &'v dyn Fn(&[i32], &mut [u16]),
    pub width: usize,
    pub goal: Option<Goal>,
    /// The most states to visit.
    pub most: usize,
}

/// Values that a variable is to be brought to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The variable's position in the state.
    pub position: usize,
    /// The first and the last value.
    pub values: (i32, i32),
}

impl Goal {
    fn distance(&self, state: &[i32]) -> u32 {
        let value = state[self.position];
        if value < self.values.0 { self.values.0.abs_diff(value) } else { value.abs_diff(value.min(self.values.1)) }
    }
}

/// Hears which property a step reached, and by which inputs if it asks, unless the work is to end; says whether to go
/// on.
pub type Reached<'r> = dyn FnMut(PropertyId, &dyn Fn() -> Option<Vec<Vec<i32>>>) -> bool + 'r;

/// The end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matched {
    /// Whether all states that could be told apart were visited.
    pub closed: bool,
    pub states: usize,
    pub steps: u64,
}

impl<'p> Matcher<'p> {
    pub fn new(facts: &Facts<'p>, execution: Execution) -> Matcher<'p> {
        let (program, simulator) = (facts.program, facts.setup());
        let slice = Arc::clone(facts.slice());
        let (layout, places) = Layout::of_state(program, &slice, simulator);
        let tape = Tape::of(program, &slice, &layout).filter(|tape| tape.is_possible() && simulator.end().is_none());
        let machine = Machine::new(program, slice, layout, execution);
        let frame = machine.layout.frame(program, simulator);
        Matcher { machine, tape, frame, places }
    }

    /// The number of numbers in a state.
    pub fn size(&self) -> usize {
        self.machine.layout.state
    }

    /// The variables of a state, in order; then come the cells of written tables.
    pub fn variables(&self) -> Vec<VarId> {
        let variables = self.places.iter().filter_map(|place| match place {
            Storage::Variable(variable) => Some(*variable),
            Storage::Table(_) => None,
        });
        variables.collect()
    }

    /// Visits states; `reached` hears of every step that reaches a property, and says whether to go on.
    pub fn search(&mut self, view: &View, interrupt: &Interrupt, reached: &mut Reached) -> Matched {
        let Some(tape) = &mut self.tape else { return Matched { closed: false, states: 0, steps: 0 } };
        let (machine, frame) = (&self.machine, &mut self.frame);
        let size = machine.layout.state;
        let first = frame[..size].to_vec();
        let mut seen = Seen::new(size, view.width);
        let distance = |state: &[i32]| view.goal.map_or(0, |goal| goal.distance(state));
        let mut pending = Pending::default();
        seen.add(&first, view.look, 0);
        pending.add(0, distance(&first));
        let mut steps = 0;
        let mut state = first.clone();
        let closed = loop {
            let Some(parent) = pending.take() else { break true };
            if seen.len() >= view.most {
                break false;
            }
            state.copy_from_slice(seen.state(parent));
            tape.start(frame);
            let mut go_on = true;
            loop {
                if steps % LOOK_AROUND == 0 && interrupt.is_raised() {
                    go_on = false;
                    break;
                }
                steps += 1;
                frame[..size].copy_from_slice(&state);
                let status = machine.run(frame);
                if machine.may_reach(status) {
                    for property in machine.take_reached(status, frame) {
                        let last = tape.values(frame).to_vec();
                        let way = || {
                            let mut way = seen.way_to(machine, tape.clone(), frame.clone(), parent, interrupt)?;
                            way.push(last.clone());
                            Some(way)
                        };
                        go_on &= reached(property, &way);
                    }
                }
                if status == 0 && frame[..size] != state[..] {
                    let distance = distance(&frame[..size]);
                    if let Some(new) = seen.add_from(&frame[..size], view.look, distance, parent) {
                        pending.add(new, distance);
                    }
                }
                if !tape.advance(frame) {
                    break;
                }
            }
            if !go_on {
                break false;
            }
        };
        frame[..size].copy_from_slice(&first);
        Matched { closed, states: seen.len(), steps }
    }
}

/// The states that are still to be stepped from: the closest first, and of these the oldest.
#[derive(Default)]
struct Pending {
    by_distance: BTreeMap<u32, VecDeque<usize>>,
}

impl Pending {
    fn add(&mut self, state: usize, distance: u32) {
        self.by_distance.entry(distance).or_default().push_back(state);
    }

    fn take(&mut self) -> Option<usize> {
        let mut closest = self.by_distance.first_entry()?;
        let state = closest.get_mut().pop_front();
        if closest.get().is_empty() {
            closest.remove();
        }
        state
    }
}

/// The states that were found, with the numbers that tell them apart.
struct Seen {
    size: usize,
    states: Vec<i32>,
    parents: Vec<u32>,
    distances: Vec<u32>,
    keys: Vec<u16>,
    table: HashTable<u32>,
    key: Vec<u16>,
}

impl Seen {
    fn new(size: usize, width: usize) -> Seen {
        Seen {
            size,
            states: vec![],
            parents: vec![],
            distances: vec![],
            keys: vec![],
            table: HashTable::new(),
            key: vec![0; width],
        }
    }

    fn len(&self) -> usize {
        self.parents.len()
    }

    fn state(&self, index: usize) -> &[i32] {
        &self.states[index * self.size..(index + 1) * self.size]
    }

    fn add(&mut self, state: &[i32], look: &dyn Fn(&[i32], &mut [u16]), distance: u32) {
        self.insert(state, look, distance, u32::MAX);
    }

    /// Adds a state, unless one that looks the same is known and no further away.
    fn add_from(
        &mut self,
        state: &[i32],
        look: &dyn Fn(&[i32], &mut [u16]),
        distance: u32,
        parent: usize,
    ) -> Option<usize> {
        self.insert(state, look, distance, parent as u32)
    }

    fn insert(
        &mut self,
        state: &[i32],
        look: &dyn Fn(&[i32], &mut [u16]),
        distance: u32,
        parent: u32,
    ) -> Option<usize> {
        look(state, &mut self.key);
        let hasher: BuildHasherDefault<rustc_hash::FxHasher> = BuildHasherDefault::default();
        let (keys, width, key) = (&self.keys, self.key.len(), &self.key);
        let at = |index: u32| &keys[index as usize * width..(index as usize + 1) * width];
        let hash = |key: &[u16]| hasher.hash_one(key);
        let new = self.parents.len();
        match self.table.entry(hash(key), |&index| at(index) == key, |&index| hash(at(index))) {
            Entry::Occupied(mut known) => {
                if self.distances[*known.get() as usize] <= distance {
                    return None;
                }
                *known.get_mut() = new as u32;
            }
            Entry::Vacant(place) => {
                place.insert(new as u32);
            }
        }
        self.parents.push(parent);
        self.distances.push(distance);
        self.states.extend_from_slice(state);
        self.keys.extend_from_slice(&self.key);
        Some(new)
    }

    /// The inputs from the first state to another, looked for again.
    fn way_to(
        &self,
        machine: &Machine,
        mut tape: Tape,
        mut frame: Vec<i32>,
        mut state: usize,
        interrupt: &Interrupt,
    ) -> Option<Vec<Vec<i32>>> {
        let mut way = vec![];
        while self.parents[state] != u32::MAX {
            let parent = self.parents[state] as usize;
            way.push(tape.between(self.state(parent), self.state(state), machine, &mut frame, interrupt)?);
            state = parent;
        }
        way.reverse();
        Some(way)
    }
}
