//! Breadth-first search over packed states.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::inputs::Tape;
use super::layout::{Layout, Place};
use super::live::live_at_start;
use super::machine::{Execution, Machine};
use super::pack::Packing;
use super::slice::Slice;
use super::store::{Added, Store};
use crate::expr::{TableId, VarId};
use crate::program::{Program, PropertyId, Scope};
use crate::sat::Interrupt;
use crate::simulate::random::Random;
use crate::simulate::{End, Simulator};

/// What to decide, and where to stop.
#[derive(Clone, Debug)]
pub struct Options {
    /// Ends the search.
    pub interrupt: Interrupt,
    /// How many bytes the states may take.
    pub memory: usize,
    /// Go no further than this many steps from the beginning.
    pub depth: Option<usize>,
    /// Make no more than this many steps in all.
    pub steps: Option<u64>,
    /// The properties to decide; all of them if `None`.
    pub properties: Option<Vec<PropertyId>>,
    /// By property: set by others who have decided it. The search then no longer looks for it.
    pub settled: Option<Arc<[AtomicBool]>>,
    pub execution: Execution,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            interrupt: Interrupt::default(),
            memory: 2 << 30,
            depth: None,
            steps: None,
            properties: None,
            settled: None,
            execution: Execution::default(),
        }
    }
}

/// What the search found out about a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// These inputs reach it, one list per step; no fewer steps do.
    Reachable { inputs: Vec<Vec<i32>> },
    /// All reachable states were visited, that many, and none leads to it.
    Unreachable { states: usize },
}

/// Why the search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All reachable states were visited.
    Closed,
    /// All properties are decided.
    Decided,
    Interrupted,
    /// The memory is full.
    Memory,
    /// The greatest depth was reached.
    Depth,
    /// The greatest number of steps was made.
    Steps,
    /// An input has too many values to try them all.
    Inputs,
}

/// What a search leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub stop: Stop,
    pub statistics: Statistics,
}

/// Counts of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The different states that were found.
    pub states: usize,
    /// How many states were stepped from, on all inputs.
    pub expanded: usize,
    pub steps: u64,
    /// The number of steps to the last state that was stepped from.
    pub depth: usize,
    /// The variables and cells that make up a state, and the bits that they took.
    pub columns: usize,
    pub bits: u32,
    /// The memory of the states in bytes.
    pub bytes: usize,
    /// The size of the machine code; `None` if steps were interpreted.
    pub code: Option<usize>,
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Statistics { states, expanded, steps, depth, columns, bits, bytes, code } = self;
        writeln!(f, "{states} states of {columns} values in {bits} bits, {bytes} bytes in all")?;
        writeln!(f, "{steps} steps from {expanded} states, up to {depth} steps from the first")?;
        match code {
            Some(code) => writeln!(f, "{code} bytes of machine code"),
            None => writeln!(f, "interpreted"),
        }
    }
}

/// Decides properties by visiting states; `report` hears of each verdict at the moment it is known.
pub fn search(program: &Program, options: &Options, report: &mut dyn FnMut(PropertyId, Verdict)) -> Outcome {
    let mut open = Open::new(program, options);
    let simulator = Simulator::new(program);
    if let Some(end) = simulator.end() {
        if let End::Error(property, _) = end {
            open.reach(property, report, Vec::new);
        }
        open.close(0, report);
        return Outcome { stop: Stop::Closed, statistics: Statistics::default() };
    }
    let slice = Slice::of_ends(program);
    let layout = layout(program, &slice, &simulator);
    let Some(tape) = Tape::of(program, &layout) else {
        return Outcome { stop: Stop::Inputs, statistics: Statistics::default() };
    };
    let machine = Machine::new(program, slice, layout, options.execution);
    let frame = machine.layout.frame(program, &simulator);
    Search::new(&machine, tape, frame, options, open).run(report)
}

/// A frame that begins with what steps carry on: live variables that steps assign, and tables that they write.
fn layout(program: &Program, slice: &Slice, simulator: &Simulator) -> Layout {
    let live = live_at_start(program, slice);
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
    layout
}

/// The properties that are still to be decided.
struct Open {
    wanted: Vec<bool>,
    left: usize,
    settled: Option<Arc<[AtomicBool]>>,
}

impl Open {
    fn new(program: &Program, options: &Options) -> Open {
        let mut wanted = vec![options.properties.is_none(); program.properties.len()];
        options.properties.iter().flatten().for_each(|property| wanted[property.index()] = true);
        let left = wanted.iter().filter(|wanted| **wanted).count();
        Open { wanted, left, settled: options.settled.clone() }
    }

    /// A property was reached; whoever wants to know how may ask.
    fn reach(
        &mut self,
        property: PropertyId,
        report: &mut dyn FnMut(PropertyId, Verdict),
        inputs: impl FnOnce() -> Vec<Vec<i32>>,
    ) {
        if std::mem::take(&mut self.wanted[property.index()]) {
            self.left -= 1;
            report(property, Verdict::Reachable { inputs: inputs() });
        }
    }

    /// Nothing more can be reached.
    fn close(&mut self, states: usize, report: &mut dyn FnMut(PropertyId, Verdict)) {
        for (index, wanted) in self.wanted.iter_mut().enumerate() {
            if std::mem::take(wanted) {
                report(PropertyId::new(index), Verdict::Unreachable { states });
            }
        }
        self.left = 0;
    }

    /// Drops what others have decided.
    fn drop_settled(&mut self) {
        let Some(settled) = &self.settled else { return };
        for (wanted, settled) in self.wanted.iter_mut().zip(settled.iter()) {
            if settled.load(Ordering::Relaxed) && std::mem::take(wanted) {
                self.left -= 1;
            }
        }
    }
}

/// Every so many steps the search looks whether it is still wanted.
const LOOK_AROUND: u64 = 512;
/// How many random steps are made beforehand to see which values occur.
const SCOUTING: usize = 5000;
const SCOUTING_WALK: usize = 100;

struct Search<'s> {
    machine: &'s Machine<'s>,
    tape: Tape,
    options: &'s Options,
    open: Open,
    packing: Packing,
    store: Store,
    frame: Vec<i32>,
    /// The state that is stepped from.
    state: Vec<i32>,
    /// A packed state.
    row: Vec<u64>,
    statistics: Statistics,
}

impl<'s> Search<'s> {
    fn new(
        machine: &'s Machine<'s>,
        tape: Tape,
        frame: Vec<i32>,
        options: &'s Options,
        open: Open,
    ) -> Search<'s> {
        let state = frame[..machine.layout.state].to_vec();
        let packing = Packing::of(&state);
        let store = Store::new(packing.words, options.memory);
        let statistics = Statistics { columns: state.len(), code: machine.code_size(), ..Statistics::default() };
        let row = vec![0; packing.words];
        Search { machine, tape, options, open, packing, store, frame, state, row, statistics }
    }

    fn run(mut self, report: &mut dyn FnMut(PropertyId, Verdict)) -> Outcome {
        self.scout();
        let stop = self.expand_all(report);
        if stop == Stop::Closed {
            self.open.close(self.store.len(), report);
        }
        self.statistics.states = self.store.len();
        self.statistics.bits = self.packing.bits();
        self.statistics.bytes = self.store.bytes();
        Outcome { stop, statistics: self.statistics }
    }

    /// Walks about at random and makes the columns wide enough for what it sees.
    fn scout(&mut self) {
        let initial = self.state.clone();
        let mut random = Random::new(0);
        if self.tape.is_possible() {
            for step in 0..SCOUTING {
                self.tape.choose(&mut self.frame, |count| random.below(count));
                let ended = self.machine.run(&mut self.frame) != 0;
                let state = &mut self.frame[..initial.len()];
                if ended || step % SCOUTING_WALK == SCOUTING_WALK - 1 {
                    state.copy_from_slice(&initial);
                } else if !self.packing.fits(state) {
                    self.packing.widen(state);
                }
            }
        }
        self.store = Store::new(self.packing.words, self.options.memory);
        self.row = vec![0; self.packing.words];
        self.packing.pack(&initial, &mut self.row).expect("the columns were made for the first state");
        self.state = initial;
    }

    fn expand_all(&mut self, report: &mut dyn FnMut(PropertyId, Verdict)) -> Stop {
        if self.store.add_first(&self.row) == Added::Full {
            return Stop::Memory;
        }
        let mut layer_end = 1;
        while self.statistics.expanded < self.store.len() {
            if self.statistics.expanded == layer_end {
                self.statistics.depth += 1;
                layer_end = self.store.len();
            }
            if self.options.depth.is_some_and(|most| self.statistics.depth >= most) {
                return Stop::Depth;
            }
            if let Err(stop) = self.expand(self.statistics.expanded, report) {
                return stop;
            }
            self.statistics.expanded += 1;
        }
        Stop::Closed
    }

    /// Steps from a state on all inputs.
    fn expand(&mut self, parent: usize, report: &mut dyn FnMut(PropertyId, Verdict)) -> Result<(), Stop> {
        self.packing.unpack(self.store.row(parent), &mut self.state);
        if !self.tape.is_possible() {
            return Ok(());
        }
        self.tape.start(&mut self.frame);
        loop {
            if self.statistics.steps.is_multiple_of(LOOK_AROUND) {
                self.look_around()?;
            }
            self.statistics.steps += 1;
            self.frame[..self.state.len()].copy_from_slice(&self.state);
            let status = self.machine.run(&mut self.frame);
            if status == 0 {
                self.add(parent)?;
            } else if let Some(property) = self.machine.property(status)
                && self.open.wanted[property.index()]
            {
                let last = self.tape.values(&self.frame);
                let inputs = self.way_to(parent).into_iter().chain([last]).collect();
                self.open.reach(property, report, || inputs);
                if self.open.left == 0 {
                    return Err(Stop::Decided);
                }
            }
            if !self.tape.advance(&mut self.frame) {
                return Ok(());
            }
        }
    }

    /// The inputs from the beginning to a state: each step is looked for again, which spares noting them all.
    fn way_to(&self, state: usize) -> Vec<Vec<i32>> {
        let (mut tape, mut frame) = (self.tape.clone(), self.frame.clone());
        let size = self.state.len();
        let (mut from, mut to) = (vec![0; size], vec![0; size]);
        let way = self.store.way_to(state);
        let steps = way.windows(2).map(|step| {
            self.packing.unpack(self.store.row(step[0]), &mut from);
            self.packing.unpack(self.store.row(step[1]), &mut to);
            tape.start(&mut frame);
            loop {
                frame[..size].copy_from_slice(&from);
                if self.machine.run(&mut frame) == 0 && frame[..size] == to {
                    return tape.values(&frame);
                }
                assert!(tape.advance(&mut frame), "the step was made before");
            }
        });
        steps.collect()
    }

    fn look_around(&mut self) -> Result<(), Stop> {
        self.open.drop_settled();
        if self.open.left == 0 {
            return Err(Stop::Decided);
        }
        if self.options.steps.is_some_and(|most| self.statistics.steps >= most) {
            return Err(Stop::Steps);
        }
        if self.options.interrupt.is_raised() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// Adds the state that a step led to.
    fn add(&mut self, parent: usize) -> Result<(), Stop> {
        let next = &self.frame[..self.state.len()];
        // Most programs ignore most inputs.
        if next == self.state {
            return Ok(());
        }
        if self.packing.pack(next, &mut self.row).is_err() {
            self.widen()?;
        }
        match self.store.add(&self.row, parent) {
            Added::New | Added::Known => Ok(()),
            Added::Full => Err(Stop::Memory),
        }
    }

    /// Makes room for the values of the state in the frame.
    fn widen(&mut self) -> Result<(), Stop> {
        let next = &self.frame[..self.state.len()];
        let old = self.packing.clone();
        self.packing.widen(next);
        let mut scratch = vec![0; self.state.len()];
        if !self.store.repack(&old, &self.packing, &mut scratch) {
            self.packing = old;
            return Err(Stop::Memory);
        }
        self.row.resize(self.packing.words, 0);
        self.packing.pack(next, &mut self.row).expect("the columns were widened for it");
        Ok(())
    }
}
