//! A model and atoms in, its states as a graph out: where each step leads, and which of the atoms it reaches.
//!
//! A state has the variables that decide about these atoms and about whether a run goes on; everything else is sliced
//! away. The graph is the one that the checker makes of the same states, so that findings on it can be certified
//! ([`States`]).

use std::sync::Arc;

use super::inputs::{LOOK_AROUND, Tape};
use super::layout::{Layout, Storage};
use super::machine::{Execution, Machine};
use super::rows::Rows;
use crate::analysis::slice::Slice;
use crate::base::progress::Stage;
use crate::base::{Interrupt, Limits};
use crate::certificate::temporal::states::{Maker, Starts, States};
use crate::certificate::temporal::{Edge, Graph, Symbol};
use crate::program::points_to::PointsTo;
use crate::program::{Place, Program, PropertyId, StmtKind};
use crate::simulate::Simulator;

/// The effort for visiting states.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub states: usize,
    pub steps: u64,
    /// The memory that the states and the steps between them may take.
    pub bytes: usize,
}

/// An edge of the graph with its word.
const BYTES_OF_EDGE: usize = 48;

/// Why there is no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unvisited {
    /// There are more states, or more steps from them, than the effort allows.
    TooMany,
    /// An input has too many values to try them all.
    Inputs,
    Interrupted,
}

/// All states that a model can reach, and the steps between them.
pub struct Visited {
    about: Program,
    slice: Arc<Slice>,
    pub atoms: Vec<PropertyId>,
    pub states: Arc<States>,
    pub graph: Graph,
    pub starts: Starts,
}

/// Visits all states that decide about these atoms.
pub fn visit(program: &Program, atoms: Vec<PropertyId>, effort: Effort, limits: &Limits) -> Result<Visited, Unvisited> {
    let about = only(program, &atoms);
    let slice = Arc::new(Slice::of_ends(&about, &PointsTo::of(&about)));
    let start = Simulator::new(&about);
    let (layout, storages) = Layout::of_state(&about, &slice, &start);
    let machine = Machine::new(&about, Arc::clone(&slice), layout, Execution::Fast);
    let mut tape = Tape::of(&about, &slice, &machine.layout).ok_or(Unvisited::Inputs)?;
    let mut frame = machine.layout.frame(&about, &start);
    let mut rows = Rows::new(&frame[..machine.layout.state]);
    let mut maker = Maker::new(1);
    let (mut state, mut steps, mut edges) = (0, 0_u64, 0);
    let goes_on = start.end().is_none() && tape.is_possible();
    while goes_on && state < rows.number() {
        limits.progress.level(Stage::Search, state);
        if rows.bytes() + edges * BYTES_OF_EDGE > effort.bytes {
            return Err(Unvisited::TooMany);
        }
        let mut out: Vec<(usize, u32)> = vec![];
        tape.start(&mut frame);
        loop {
            steps += 1;
            if steps.is_multiple_of(LOOK_AROUND) && limits.interrupt.is_raised() {
                return Err(Unvisited::Interrupted);
            }
            if steps > effort.steps || rows.number() > effort.states {
                return Err(Unvisited::TooMany);
            }
            frame[..machine.layout.state].copy_from_slice(rows.row(state));
            let status = machine.run(&mut frame);
            let reached = machine.take_reached(status, &mut frame);
            if status == 0 {
                let next = rows.find(&frame[..machine.layout.state]);
                out.push((maker.symbol(in_order(reached)), next as u32));
            }
            if !tape.advance(&mut frame) {
                break;
            }
        }
        out.sort_unstable();
        out.dedup();
        edges += out.len();
        maker.reserve(rows.number());
        out.into_iter().for_each(|(symbol, target)| maker.add(state as u32, symbol, target));
        state += 1;
    }
    let places = storages.iter().flat_map(|storage| places(&about, *storage)).collect();
    let (graph, starts) = maker.finish(&about, 0, start.opening());
    let states = Arc::new(States { places, number: rows.number(), rows: rows.into_values() });
    Ok(Visited { about, slice, atoms, states, graph, starts })
}

/// The program without statements that reach other properties than these.
fn only(program: &Program, atoms: &[PropertyId]) -> Program {
    let mut about = program.clone();
    for stmt in &mut about.stmts {
        if matches!(&stmt.kind, StmtKind::Reach(property) if !atoms.contains(property)) {
            stmt.kind = StmtKind::Sequence(vec![]);
        }
    }
    about
}

fn places(program: &Program, storage: Storage) -> Vec<Place> {
    match storage {
        Storage::Variable(variable) => vec![Place::Variable(variable)],
        Storage::Table(table) => (0..program.table(table).cells.len()).map(|cell| Place::Cell(table, cell)).collect(),
    }
}

fn in_order(mut reached: Vec<PropertyId>) -> Box<[PropertyId]> {
    reached.sort_unstable();
    reached.dedup();
    reached.into()
}

impl Visited {
    /// The inputs of steps of the graph, each given by its node and its edge. A step that only stands for the initial state as a position
    /// has none. `None` if the work is to end.
    pub fn inputs(&self, steps: &[(u32, &Edge)], interrupt: &Interrupt) -> Option<Vec<Vec<i32>>> {
        let start = Simulator::new(&self.about);
        let (layout, _) = Layout::of_state(&self.about, &self.slice, &start);
        let machine = Machine::new(&self.about, Arc::clone(&self.slice), layout, Execution::Fast);
        let first_of_all = Tape::of(&self.about, &self.slice, &machine.layout)?;
        let mut frame = machine.layout.frame(&self.about, &start);
        let before = self.states.number as u32;
        let mut inputs = vec![];
        for &(node, edge) in steps {
            if node == before && self.starts.with_initial == before {
                continue;
            }
            let from = if node == before { self.graph.first } else { node };
            // The step that only chooses the initial state is no position, so it may reach anything.
            let atoms = edge.word.first().map(|&symbol| match &self.graph.symbols[symbol] {
                Symbol::Atoms(atoms) => &atoms[..],
                Symbol::Name(_) => &[],
            });
            let target = self.states.row(edge.target as usize);
            let mut tape = first_of_all.clone();
            tape.start(&mut frame);
            for step in 1_u64.. {
                frame[..target.len()].copy_from_slice(self.states.row(from as usize));
                let status = machine.run(&mut frame);
                let reached = in_order(machine.take_reached(status, &mut frame));
                if status == 0 && frame[..target.len()] == *target && atoms.is_none_or(|atoms| *atoms == *reached) {
                    break;
                }
                if step.is_multiple_of(LOOK_AROUND) && interrupt.is_raised() {
                    return None;
                }
                assert!(tape.advance(&mut frame), "the step was made before");
            }
            inputs.push(tape.values(&frame).to_vec());
        }
        Some(inputs)
    }
}
