//! The frame: one block of 32-bit words on which a step works, however it is executed.
//!
//! It begins with the state, so that saving and restoring a state is one copy; then come the inputs, with a mark for
//! each that says whether it was read and one for each group of them, all other variables and tables, the place and the
//! length of each table (for pointers), the code of a halt, and the output.

use std::ops::Range;

use super::live::live_at_start;
use crate::analysis::slice::Slice;
use crate::expr::{InputId, TableId, VarId};
use crate::program::{Program, PropertyId, Scope, StmtKind};
use crate::simulate::Simulator;

/// Something that has words of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Variable(VarId),
    Table(TableId),
}

/// The places in the frame.
#[derive(Clone, Debug)]
pub struct Layout {
    variables: Vec<usize>,
    tables: Vec<usize>,
    inputs: usize,
    marks: usize,
    groups: usize,
    number_of_inputs: usize,
    directory: usize,
    /// The properties that a step may reach without ending the run, each with the word where it notes that.
    pub flags: Vec<(PropertyId, usize)>,
    /// The exit code of a halt, written before a step ends with it.
    pub halt: usize,
    /// The output of a step, if the slice keeps that: the count, then the numbers themselves.
    pub printed: usize,
    /// Whether a step complains, if the slice keeps that.
    pub complaint: usize,
    /// The number of words at the beginning that form the state.
    pub state: usize,
    /// Those of them that are the cells of a table, table by table.
    pub arrays: Vec<Range<usize>>,
    /// The length of the frame.
    pub words: usize,
    /// Per variable: its value, where that never changes.
    constants: Vec<Option<i32>>,
}

/// The number of inputs that share a mark that one of them was read.
pub const GROUP: usize = 64;

/// The number of printed numbers that are kept, a power of two; where there are more, none is to be relied on.
pub const MOST_PRINTED: usize = 8;

/// No place in the frame yet.
const NOWHERE: usize = usize::MAX;

impl Layout {
    /// The given places first, in order: they are the state.
    pub fn new(program: &Program, state: &[Storage]) -> Layout {
        let mut layout = Layout {
            variables: vec![NOWHERE; program.variables.len()],
            tables: vec![NOWHERE; program.tables.len()],
            inputs: 0,
            marks: 0,
            groups: 0,
            number_of_inputs: program.inputs.len(),
            directory: 0,
            flags: vec![],
            halt: 0,
            printed: 0,
            complaint: 0,
            state: 0,
            arrays: vec![],
            words: 0,
            constants: vec![None; program.variables.len()],
        };
        state.iter().for_each(|&place| layout.add(program, place));
        layout.state = layout.words;
        let starts = layout.tables.iter().zip(&program.tables).filter(|(start, _)| **start != NOWHERE);
        layout.arrays = starts.map(|(&start, table)| start..start + table.cells.len()).collect();
        layout.inputs = layout.claim(program.inputs.len());
        layout.marks = layout.claim(program.inputs.len());
        layout.groups = layout.claim(program.inputs.len().div_ceil(GROUP));
        all_places(program).for_each(|place| layout.add(program, place));
        layout.directory = layout.claim(2 * program.tables.len());
        layout.halt = layout.claim(1);
        layout.printed = layout.claim(1 + MOST_PRINTED);
        layout.complaint = layout.claim(1);
        for stmt in &program.stmts {
            if let StmtKind::Reach(property) = stmt.kind
                && layout.flag(property).is_none()
            {
                let word = layout.claim(1);
                layout.flags.push((property, word));
            }
        }
        layout
    }

    /// A frame that begins with the variables that steps carry on, which are listed too: live variables that steps
    /// assign, and tables that they write.
    pub fn of_state(program: &Program, slice: &Slice, simulator: &Simulator) -> (Layout, Vec<Storage>) {
        let live = live_at_start(program, slice);
        let variables = (0..program.variables.len()).filter(|&index| live[index] && slice.assigned[index]);
        let tables = (0..program.tables.len()).filter(|&index| slice.tables[index] && slice.stored[index]);
        let variables = variables.map(|index| Storage::Variable(VarId::new(index)));
        let places: Vec<Storage> = variables.chain(tables.map(|index| Storage::Table(TableId::new(index)))).collect();
        let mut layout = Layout::new(program, &places);
        for (index, variable) in program.variables.iter().enumerate() {
            if variable.scope == Scope::Global && !slice.assigned[index] {
                layout.set_constant(VarId::new(index), simulator.state().variables[index]);
            }
        }
        (layout, places)
    }

    /// All variables and tables as the state, in the program's order.
    pub fn of_everything(program: &Program) -> Layout {
        let places: Vec<Storage> = all_places(program).collect();
        let mut layout = Layout::new(program, &places);
        let mut assigned = vec![false; program.variables.len()];
        for stmt in &program.stmts {
            if let StmtKind::Assign { variable, .. } = stmt.kind {
                assigned[variable.index()] = true;
            }
        }
        for (index, variable) in program.variables.iter().enumerate().filter(|(index, _)| !assigned[*index]) {
            layout.constants[index] = Some(variable.initial);
        }
        layout
    }

    fn add(&mut self, program: &Program, place: Storage) {
        match place {
            Storage::Variable(var) if self.variables[var.index()] == NOWHERE => {
                self.variables[var.index()] = self.claim(1);
            }
            Storage::Table(table) if self.tables[table.index()] == NOWHERE => {
                self.tables[table.index()] = self.claim(program.table(table).cells.len());
            }
            _ => {}
        }
    }

    fn claim(&mut self, words: usize) -> usize {
        let start = self.words;
        self.words += words;
        start
    }

    /// Says of a variable that no step changes it.
    fn set_constant(&mut self, var: VarId, value: i32) {
        self.constants[var.index()] = Some(value);
    }

    pub fn constant(&self, var: VarId) -> Option<i32> {
        self.constants[var.index()]
    }

    pub fn variable(&self, var: VarId) -> usize {
        self.variables[var.index()]
    }

    /// The first cell of a table.
    pub fn table(&self, table: TableId) -> usize {
        self.tables[table.index()]
    }

    pub fn input(&self, input: InputId) -> usize {
        self.inputs + input.index()
    }

    /// Where a step notes that it read an input, and one of its group; it does not if there is only one, which hardly any
    /// step ignores.
    pub fn mark(&self, input: InputId) -> Option<[usize; 2]> {
        let index = input.index();
        (self.number_of_inputs > 1).then(|| [self.marks + index, self.groups + index / GROUP])
    }

    /// Where the marks are, one for each input.
    pub fn marks(&self) -> usize {
        self.marks
    }

    /// Where the marks of groups are.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Where a step notes that it reached a property and went on.
    pub fn flag(&self, property: PropertyId) -> Option<usize> {
        self.flags.iter().find(|(flagged, _)| *flagged == property).map(|(_, word)| *word)
    }

    /// Where each table begins and how many cells it has, in pairs.
    pub fn directory(&self) -> usize {
        self.directory
    }

    /// The frame of a program in the simulator's current state.
    pub fn frame(&self, program: &Program, simulator: &Simulator) -> Vec<i32> {
        let mut frame = vec![0; self.words];
        for (&word, &value) in self.variables.iter().zip(&simulator.state().variables) {
            frame[word] = value;
        }
        for (index, &word) in self.tables.iter().enumerate() {
            let cells = simulator.cells(TableId::new(index));
            frame[word..word + cells.len()].copy_from_slice(cells);
            frame[self.directory + 2 * index] = word as i32;
            frame[self.directory + 2 * index + 1] = program.tables[index].cells.len() as i32;
        }
        frame
    }
}

fn all_places(program: &Program) -> impl Iterator<Item = Storage> {
    let variables = (0..program.variables.len()).map(|index| Storage::Variable(VarId::new(index)));
    let tables = (0..program.tables.len()).map(|index| Storage::Table(TableId::new(index)));
    variables.chain(tables)
}
