//! Breadth-first search over packed states.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::inputs::Tape;
use super::layout::{Layout, Place};
use super::live::live_at_start;
use super::machine::{Execution, Machine};
use super::pack::{Changed, Packing, Ranges, TooNarrow};
use super::slice::Slice;
use super::store::{Batch, Full, Store};
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
    /// How many random steps to make from the last states when the memory is full.
    pub sweep: u64,
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
            sweep: 0,
            execution: Execution::default(),
        }
    }
}

/// What the search found out about a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// These inputs reach it, one list per step; no fewer steps do, unless a sweep found it.
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
    /// Random steps that were made in the end.
    pub swept: u64,
    /// The number of steps to the last state that was stepped from.
    pub depth: usize,
    /// The variables and cells that make up a state, and the bits that they took.
    pub columns: usize,
    pub bits: u32,
    /// How often values that did not fit made it necessary to pack all states anew.
    pub repackings: usize,
    /// The memory of the states in bytes.
    pub bytes: usize,
    /// The size of the machine code; `None` if steps were interpreted.
    pub code: Option<usize>,
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Statistics { states, expanded, steps, swept, depth, columns, bits, repackings, bytes, code } = self;
        writeln!(
            f,
            "{states} states of {columns} values in {bits} bits, {bytes} bytes in all, packed anew {repackings} times"
        )?;
        writeln!(f, "{steps} steps from {expanded} states, up to {depth} steps from the first")?;
        if *swept > 0 {
            writeln!(f, "{swept} random steps from the last ones")?;
        }
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
            open.reach(property, report, vec![]);
        }
        open.close(0, report);
        return Outcome { stop: Stop::Closed, statistics: Statistics::default() };
    }
    let slice = Slice::of_ends(program);
    let layout = layout(program, &slice, &simulator);
    let Some(tape) = Tape::of(program, &slice, &layout) else {
        return Outcome { stop: Stop::Inputs, statistics: Statistics::default() };
    };
    let machine = Machine::new(program, slice, layout, options.execution);
    let frame = machine.layout.frame(program, &simulator);
    match Search::new(&machine, tape, frame, options, open) {
        Ok(search) => search.run(report),
        Err(Full) => Outcome { stop: Stop::Memory, statistics: Statistics::default() },
    }
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
pub(super) struct Open {
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

    pub(super) fn wants(&self, property: PropertyId) -> bool {
        self.wanted[property.index()]
    }

    /// A property was reached by these inputs.
    pub(super) fn reach(
        &mut self,
        property: PropertyId,
        report: &mut dyn FnMut(PropertyId, Verdict),
        inputs: Vec<Vec<i32>>,
    ) {
        if std::mem::take(&mut self.wanted[property.index()]) {
            self.left -= 1;
            report(property, Verdict::Reachable { inputs });
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
pub(super) const LOOK_AROUND: u64 = 512;
/// How many random steps are made beforehand to see which values occur.
const SCOUTING: usize = 5000;
const SCOUTING_WALK: usize = 100;
/// From so many states on, packing them anew is dear.
const MANY: usize = 100_000;

pub(super) struct Search<'s> {
    pub(super) machine: &'s Machine<'s>,
    pub(super) tape: Tape,
    pub(super) options: &'s Options,
    pub(super) open: Open,
    pub(super) packing: Packing,
    pub(super) store: Store,
    batch: Batch,
    pub(super) frame: Vec<i32>,
    /// The state that is stepped from, also packed.
    pub(super) state: Vec<i32>,
    state_row: Vec<u64>,
    /// The state that a step led to, packed.
    next_row: Vec<u64>,
    pub(super) statistics: Statistics,
}

impl<'s> Search<'s> {
    fn new(
        machine: &'s Machine<'s>,
        tape: Tape,
        mut frame: Vec<i32>,
        options: &'s Options,
        open: Open,
    ) -> Result<Search<'s>, Full> {
        let state = frame[..machine.layout.state].to_vec();
        let packing = scout(machine, &tape, &mut frame);
        let mut row = vec![0; packing.words];
        packing.pack(&state, &mut row).expect("the columns were made for the first state");
        let store = Store::new(&row, options.memory)?;
        Ok(Search {
            machine,
            tape,
            options,
            open,
            packing,
            store,
            batch: Batch::new(),
            frame,
            state,
            state_row: row.clone(),
            next_row: row,
            statistics: Statistics::default(),
        })
    }

    fn run(mut self, report: &mut dyn FnMut(PropertyId, Verdict)) -> Outcome {
        let mut stop = self.expand_all(report).err().unwrap_or(Stop::Closed);
        if stop == Stop::Memory {
            stop = self.sweep(report).err().unwrap_or(stop);
        }
        if stop == Stop::Closed {
            self.open.close(self.store.len(), report);
        }
        self.statistics.states = self.store.len();
        self.statistics.columns = self.state.len();
        self.statistics.bits = self.packing.bits();
        self.statistics.bytes = self.store.bytes();
        self.statistics.code = self.machine.code_size();
        Outcome { stop, statistics: self.statistics }
    }

    /// Steps from all states in the order in which they are found. Not every stop is an error, but each ends this.
    fn expand_all(&mut self, report: &mut dyn FnMut(PropertyId, Verdict)) -> Result<(), Stop> {
        let mut layer_end = 1;
        while self.statistics.expanded < layer_end {
            if self.options.depth.is_some_and(|most| self.statistics.depth >= most) {
                return Err(Stop::Depth);
            }
            while self.statistics.expanded < layer_end {
                self.expand(self.statistics.expanded, report)?;
                self.statistics.expanded += 1;
            }
            self.store.add(&mut self.batch)?;
            layer_end = self.store.len();
            self.statistics.depth += usize::from(self.statistics.expanded < layer_end);
        }
        Ok(())
    }

    /// Steps from a state on all inputs.
    fn expand(&mut self, parent: usize, report: &mut dyn FnMut(PropertyId, Verdict)) -> Result<(), Stop> {
        if !self.tape.is_possible() {
            return Ok(());
        }
        self.state_row.copy_from_slice(self.store.row(parent));
        self.packing.unpack(&self.state_row, &mut self.state);
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
                && self.open.wants(property)
            {
                let last = self.tape.values(&self.frame).to_vec();
                let inputs = self.way_to(parent).into_iter().chain([last]).collect();
                self.open.reach(property, report, inputs);
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
    pub(super) fn way_to(&self, state: usize) -> Vec<Vec<i32>> {
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
                    return tape.values(&frame).to_vec();
                }
                assert!(tape.advance(&mut frame), "the step was made before");
            }
        });
        steps.collect()
    }

    pub(super) fn look_around(&mut self) -> Result<(), Stop> {
        self.open.drop_settled();
        if self.open.left == 0 {
            return Err(Stop::Decided);
        }
        if self.options.steps.is_some_and(|most| self.statistics.steps + self.statistics.swept >= most) {
            return Err(Stop::Steps);
        }
        if self.options.interrupt.is_raised() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// Adds the state that a step led to.
    fn add(&mut self, parent: usize) -> Result<(), Stop> {
        let next = &self.frame[..self.state.len()];
        match self.packing.pack_changes(&self.state, &self.state_row, next, &mut self.next_row) {
            // Most programs ignore most inputs.
            Ok(Changed(false)) => return Ok(()),
            Ok(Changed(true)) => {}
            Err(TooNarrow) => self.widen()?,
        }
        self.batch.add(&self.next_row, parent);
        if self.batch.is_full() {
            self.store.add(&mut self.batch)?;
        }
        Ok(())
    }

    /// Makes room for the values of the state in the frame, and packs that.
    fn widen(&mut self) -> Result<(), Full> {
        self.store.add(&mut self.batch)?;
        let next = &self.frame[..self.state.len()];
        let mut ranges = self.store.ranges(&self.packing);
        ranges.include(next);
        // With many states, doing this once more costs more than a word.
        let wider = Packing::covering(&ranges, usize::from(self.store.len() > MANY));
        self.store.repack(&self.packing, &wider)?;
        self.packing = wider;
        self.statistics.repackings += 1;
        for (state, row) in [(&*self.state, &mut self.state_row), (next, &mut self.next_row)] {
            row.resize(self.packing.words, 0);
            self.packing.pack(state, row).expect("the columns were widened for it");
        }
        Ok(())
    }
}

impl From<Full> for Stop {
    fn from(_: Full) -> Stop {
        Stop::Memory
    }
}

/// Walks about at random to see how wide the columns should be, so that few have to be widened later.
fn scout(machine: &Machine, tape: &Tape, frame: &mut [i32]) -> Packing {
    let initial = frame[..machine.layout.state].to_vec();
    let mut ranges = Ranges::of(&initial);
    let mut random = Random::new(0);
    for step in 0..if tape.is_possible() { SCOUTING } else { 0 } {
        tape.choose(frame, |count| random.below(count));
        let ended = machine.run(frame) != 0;
        let state = &mut frame[..initial.len()];
        if ended || step % SCOUTING_WALK == SCOUTING_WALK - 1 {
            state.copy_from_slice(&initial);
        } else {
            ranges.include(state);
        }
    }
    Packing::covering(&ranges, 0)
}
