//! Breadth-first search over packed states.

use std::sync::Arc;

use super::distributed;
use super::divided::PIECE;
use super::inputs::{LOOK_AROUND, Tape};
use super::layout::Layout;
use super::machine::Machine;
use super::open::Open;
use super::outcome::{Outcome, SearchOptions, SearchVerdict, Statistics, Stop};
use super::pack::{Changed, Packing, Ranges, TooNarrow};
use super::store::{Batch, Full, NOWHERE, Store, hash};
use crate::analysis::Facts;
use crate::base::Random;
use crate::base::progress::Stage;
use crate::program::PropertyId;

/// Decides properties by visiting states; `report` hears of each verdict at the moment it is known.
pub fn search(facts: &Facts, options: &SearchOptions, report: &mut dyn FnMut(PropertyId, SearchVerdict)) -> Outcome {
    let program = facts.program;
    let mut open = Open::new(program, options);
    let simulator = facts.setup();
    for property in (0..program.properties.len()).map(PropertyId::new) {
        if simulator.opening().reaches(property) {
            open.reach(property, report, vec![]);
        }
    }
    if simulator.end().is_some() {
        open.close(0, report);
        return Outcome { stop: Stop::Closed, statistics: Statistics::default(), visited: vec![], trouble: None };
    }
    let nothing = |stop| Outcome { stop, statistics: Statistics::default(), visited: vec![], trouble: None };
    let Some(ready) = Ready::new(facts, options) else { return nothing(Stop::Inputs) };
    if let Some(cluster) = &options.cluster {
        return distributed::search(facts, &ready, options, cluster, open, report);
    }
    match Search::new(&ready, options, open) {
        Ok(search) => search.run(report),
        Err(Full) => nothing(Stop::Memory),
    }
}

/// A program made ready to be searched.
pub(super) struct Ready<'p> {
    pub(super) machine: Machine<'p>,
    pub(super) tape: Tape,
    /// The first state.
    pub(super) frame: Vec<i32>,
}

impl<'p> Ready<'p> {
    /// `None` if an input has too many values.
    fn new(facts: &Facts<'p>, options: &SearchOptions) -> Option<Ready<'p>> {
        let (program, simulator) = (facts.program, facts.setup());
        let slice = Arc::clone(facts.slice());
        let (layout, _) = Layout::of_state(program, &slice, simulator);
        let tape = Tape::of(program, &slice, &layout)?;
        let machine = Machine::new(program, slice, layout, options.execution);
        let frame = machine.layout.frame(program, simulator);
        Some(Ready { machine, tape, frame })
    }

    /// The values of the first state.
    pub(super) fn ranges(&self) -> Ranges {
        Ranges::of(&self.frame[..self.machine.layout.state])
    }

    /// Walks about at random to see how wide the columns should be, so that few have to be widened later.
    pub(super) fn scout(&self) -> Packing {
        // On a frame of its own: the search does not find the states of random steps.
        let (mut tape, mut frame) = (self.tape.clone(), self.frame.clone());
        let size = self.machine.layout.state;
        let mut ranges = self.ranges();
        let mut random = Random::new(0);
        for step in 0..if tape.is_possible() { SCOUTING } else { 0 } {
            tape.choose(&mut frame, |count| random.below(count));
            let ended = self.machine.run(&mut frame) != 0;
            let state = &mut frame[..size];
            if ended || step % SCOUTING_WALK == SCOUTING_WALK - 1 {
                state.copy_from_slice(&self.frame[..size]);
            } else {
                ranges.include(state);
            }
        }
        Packing::covering(&ranges, 0)
    }
}

/// The number of random steps made beforehand to see which values occur.
const SCOUTING: usize = 5000;
const SCOUTING_WALK: usize = 100;
/// The number of states from which on packing them anew is expensive.
pub(super) const MANY: usize = 100_000;

/// The number of packings after which all cells of a table get room for the values of one of them.
const PATIENCE: usize = 16;

pub(super) struct Search<'s> {
    pub(super) machine: &'s Machine<'s>,
    pub(super) tape: Tape,
    pub(super) options: &'s SearchOptions,
    pub(super) open: Open,
    pub(super) packing: Packing,
    pub(super) store: Store<u32>,
    pub(super) batch: Batch<u32>,
    pub(super) frame: Vec<i32>,
    /// The state that is stepped from, also packed.
    pub(super) state: Vec<i32>,
    state_row: Vec<u64>,
    /// The state that a step led to, packed.
    next_row: Vec<u64>,
    pub(super) statistics: Statistics,
}

impl<'s> Search<'s> {
    fn new(ready: &'s Ready<'s>, options: &'s SearchOptions, open: Open) -> Result<Search<'s>, Full> {
        let (machine, tape, frame) = (&ready.machine, ready.tape.clone(), ready.frame.clone());
        let state = frame[..machine.layout.state].to_vec();
        let packing = ready.scout();
        let mut row = vec![0; packing.words];
        packing.pack(&state, &mut row).expect("the columns were made for the first state");
        let (mut store, mut batch) = (Store::new(packing.words, options.memory), Batch::new());
        batch.add(&row, hash(&row), NOWHERE);
        store.add(&mut batch)?;
        Ok(Search {
            machine,
            tape,
            options,
            open,
            packing,
            store,
            batch,
            frame,
            state,
            state_row: row.clone(),
            next_row: row,
            statistics: Statistics::default(),
        })
    }

    fn run(mut self, report: &mut dyn FnMut(PropertyId, SearchVerdict)) -> Outcome {
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
        let mut visited = vec![];
        if self.options.keep && stop == Stop::Closed {
            for index in 0..self.store.len() {
                self.packing.unpack(self.store.row(index), &mut self.state);
                visited.extend_from_slice(&self.state);
            }
        }
        Outcome { stop, statistics: self.statistics, visited, trouble: None }
    }

    /// Steps from all states in the order in which they are found. Not every stop is an error, but each ends this.
    fn expand_all(&mut self, report: &mut dyn FnMut(PropertyId, SearchVerdict)) -> Result<(), Stop> {
        let mut layer_end = 1;
        while self.statistics.expanded < layer_end {
            if self.options.depth.is_some_and(|most| self.statistics.depth >= most) {
                return Err(Stop::Depth);
            }
            self.options.progress.level(Stage::Search, self.statistics.depth);
            while self.statistics.expanded < layer_end {
                if !self.expand_together(layer_end, report)? {
                    self.expand_up_to(layer_end.min(self.statistics.expanded + PIECE), report)?;
                }
            }
            self.store.add(&mut self.batch)?;
            layer_end = self.store.len();
            self.statistics.depth += usize::from(self.statistics.expanded < layer_end);
        }
        Ok(())
    }

    /// Steps from the next states, one after the other.
    pub(super) fn expand_up_to(
        &mut self,
        end: usize,
        report: &mut dyn FnMut(PropertyId, SearchVerdict),
    ) -> Result<(), Stop> {
        while self.statistics.expanded < end {
            self.expand(self.statistics.expanded, report)?;
            self.statistics.expanded += 1;
        }
        Ok(())
    }

    /// Steps from a state on all inputs.
    fn expand(&mut self, parent: usize, report: &mut dyn FnMut(PropertyId, SearchVerdict)) -> Result<(), Stop> {
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
            if self.machine.may_reach(status) {
                for property in self.machine.take_reached(status, &mut self.frame) {
                    if self.open.wants(property) {
                        self.reach(property, parent, self.tape.values(&self.frame).to_vec(), report)?;
                    }
                }
                if self.open.left == 0 {
                    return Err(Stop::Decided);
                }
            }
            if status == 0 {
                self.add(parent)?;
            }
            if !self.tape.advance(&mut self.frame) {
                return Ok(());
            }
        }
    }

    /// A property was reached from a state by these inputs.
    pub(super) fn reach(
        &mut self,
        property: PropertyId,
        parent: usize,
        last: Vec<i32>,
        report: &mut dyn FnMut(PropertyId, SearchVerdict),
    ) -> Result<(), Stop> {
        if self.open.wants(property) {
            let inputs = self.way_to(parent)?.into_iter().chain([last]).collect();
            self.open.reach(property, report, inputs);
        }
        Ok(())
    }

    /// The inputs from the beginning to a state: each step is looked for again, which spares noting them all.
    pub(super) fn way_to(&self, state: usize) -> Result<Vec<Vec<i32>>, Stop> {
        let (mut tape, mut frame) = (self.tape.clone(), self.frame.clone());
        let size = self.state.len();
        let (mut from, mut to) = (vec![0; size], vec![0; size]);
        let way = self.store.way_to(state);
        let steps = way.windows(2).map(|step| {
            self.packing.unpack(self.store.row(step[0]), &mut from);
            self.packing.unpack(self.store.row(step[1]), &mut to);
            let inputs = tape.between(&from, &to, self.machine, &mut frame, &self.options.interrupt);
            inputs.ok_or(Stop::Interrupted)
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
        self.batch.add(&self.next_row, hash(&self.next_row), parent as u32);
        if self.batch.is_full() {
            self.store.add(&mut self.batch)?;
        }
        Ok(())
    }

    /// Makes room for the values of the state in the frame, and packs that.
    fn widen(&mut self) -> Result<(), Stop> {
        self.store.add(&mut self.batch)?;
        let next = &self.frame[..self.state.len()];
        let mut ranges = Ranges::of(next);
        self.store.include_in(&mut ranges, &self.packing);
        // Cells that are filled one after the other would each ask for this.
        if self.statistics.repackings > PATIENCE {
            ranges.unite(&self.machine.layout.arrays);
        }
        // With many states, doing this once more costs more than a word.
        let wider = Packing::covering(&ranges, usize::from(self.store.len() > MANY));
        self.store.repack(&self.packing, &wider, &self.options.interrupt, |_, row| hash(row))?;
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
