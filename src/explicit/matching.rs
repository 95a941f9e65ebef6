//! Search with abstract matching: real runs, of which those that look alike are not told apart.
//!
//! States are visited as in [`super::search()`], but a state counts as known if an abstraction of it is: each value is
//! seen only as the number of its region (Pasareanu, Pelanek and Visser, "Concrete model checking with abstract
//! matching and refinement", 2005). What it reaches is reachable; what it does not reach may be reachable all the same.

use hashbrown::HashTable;

use super::inputs::Tape;
use super::layout::{Layout, Place};
use super::live::live_at_start;
use super::machine::{Execution, Machine};
use super::slice::Slice;
use crate::expr::{TableId, VarId};
use crate::program::{Program, PropertyId, Scope};
use crate::sat::Interrupt;
use crate::simulate::Simulator;

/// A program made ready to be searched again and again.
#[derive(Debug)]
pub struct Matcher<'p> {
    machine: Machine<'p>,
    tape: Option<Tape>,
    frame: Vec<i32>,
    places: Vec<Place>,
}

/// How a search came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matched {
    /// Whether all states that could be told apart were visited.
    pub closed: bool,
    pub states: usize,
    pub steps: u64,
}

impl<'p> Matcher<'p> {
    pub fn new(program: &'p Program, execution: Execution) -> Matcher<'p> {
        let slice = Slice::of_ends(program);
        let simulator = Simulator::new(program);
        let live = live_at_start(program, &slice);
        let variables = (0..program.variables.len()).filter(|&index| live[index] && slice.assigned[index]);
        let tables = (0..program.tables.len()).filter(|&index| slice.tables[index] && slice.stored[index]);
        let variables = variables.map(|index| Place::Variable(VarId::new(index)));
        let places: Vec<Place> = variables.chain(tables.map(|index| Place::Table(TableId::new(index)))).collect();
        let mut layout = Layout::new(program, &places);
        for (index, variable) in program.variables.iter().enumerate() {
            if variable.scope == Scope::Global && !slice.assigned[index] {
                layout.set_constant(VarId::new(index), simulator.state().variables[index]);
            }
        }
        let tape = Tape::of(program, &slice, &layout).filter(|tape| tape.is_possible() && simulator.end().is_none());
        let machine = Machine::new(program, slice, layout, execution);
        let frame = machine.layout.frame(program, &simulator);
        Matcher { machine, tape, frame, places }
    }

    /// The variables of a state, in order; then come the cells of written tables.
    pub fn variables(&self) -> Vec<VarId> {
        let variables = self.places.iter().filter_map(|place| match place {
            Place::Variable(variable) => Some(*variable),
            Place::Table(_) => None,
        });
        variables.collect()
    }

    /// Visits at most so many states, seen as `number` has them by position and value; `reached` hears of every step
    /// that reaches a property, and says whether to go on.
    pub fn search(
        &mut self,
        number: &dyn Fn(usize, i32) -> u16,
        most: usize,
        interrupt: &Interrupt,
        reached: &mut dyn FnMut(PropertyId, &dyn Fn() -> Vec<Vec<i32>>) -> bool,
    ) -> Matched {
        let Some(tape) = &mut self.tape else { return Matched { closed: false, states: 0, steps: 0 } };
        let (machine, frame) = (&self.machine, &mut self.frame);
        let (size, known) = (machine.layout.state, self.places.len());
        let first = frame[..size].to_vec();
        let mut seen = Seen { size, states: vec![], parents: vec![], keys: vec![], table: HashTable::new(), width: known };
        let mut key = vec![0; known];
        let view = |state: &[i32], key: &mut [u16]| {
            key.iter_mut().enumerate().for_each(|(position, slot)| *slot = number(position, state[position]));
        };
        view(&first, &mut key);
        seen.add(&first, &key, u32::MAX);
        let (mut expanded, mut steps) = (0, 0);
        let mut state = first.clone();
        let closed = loop {
            if expanded == seen.parents.len() {
                break true;
            }
            if seen.parents.len() >= most || (expanded % 256 == 0 && interrupt.is_raised()) {
                break false;
            }
            state.copy_from_slice(&seen.states[expanded * size..(expanded + 1) * size]);
            tape.start(frame);
            let mut go_on = true;
            loop {
                steps += 1;
                frame[..size].copy_from_slice(&state);
                let status = machine.run(frame);
                if status == 0 {
                    if frame[..size] != state[..] {
                        view(&frame[..size], &mut key);
                        seen.add(&frame[..size], &key, expanded as u32);
                    }
                } else if let Some(property) = machine.property(status) {
                    let last = tape.values(frame).to_vec();
                    let way = || {
                        let mut way = seen.way_to(machine, tape.clone(), frame.clone(), expanded);
                        way.push(last.clone());
                        way
                    };
                    go_on &= reached(property, &way);
                }
                if !tape.advance(frame) {
                    break;
                }
            }
            if !go_on {
                break false;
            }
            expanded += 1;
        };
        frame[..size].copy_from_slice(&first);
        Matched { closed, states: seen.parents.len(), steps }
    }
}

/// The states that were found, with what tells them apart.
struct Seen {
    size: usize,
    states: Vec<i32>,
    parents: Vec<u32>,
    width: usize,
    keys: Vec<u16>,
    table: HashTable<u32>,
}

impl Seen {
    fn add(&mut self, state: &[i32], key: &[u16], parent: u32) {
        use std::hash::{BuildHasher, BuildHasherDefault};
        let hasher: BuildHasherDefault<rustc_hash::FxHasher> = BuildHasherDefault::default();
        let (keys, width) = (&self.keys, self.width);
        let at = |index: u32| &keys[index as usize * width..(index as usize + 1) * width];
        let hash = |key: &[u16]| hasher.hash_one(key);
        let entry = self.table.entry(hash(key), |&index| at(index) == key, |&index| hash(at(index)));
        if let hashbrown::hash_table::Entry::Vacant(place) = entry {
            place.insert(self.parents.len() as u32);
            self.parents.push(parent);
            self.states.extend_from_slice(state);
            self.keys.extend_from_slice(key);
        }
    }

    /// The inputs from the first state to another, looked for again.
    fn way_to(&self, machine: &Machine, mut tape: Tape, mut frame: Vec<i32>, state: usize) -> Vec<Vec<i32>> {
        let row = |index: usize| &self.states[index * self.size..(index + 1) * self.size];
        let mut way = vec![];
        let mut state = state;
        while self.parents[state] != u32::MAX {
            let parent = self.parents[state] as usize;
            tape.start(&mut frame);
            loop {
                frame[..self.size].copy_from_slice(row(parent));
                if machine.run(&mut frame) == 0 && frame[..self.size] == *row(state) {
                    break;
                }
                assert!(tape.advance(&mut frame), "the step was made before");
            }
            way.push(tape.values(&frame).to_vec());
            state = parent;
        }
        way.reverse();
        way
    }
}
