//! Machines that run step by step and can go back: programs and circuits, each with the property that is looked for.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::analysis::Facts;
use crate::circuit::{Circuit, Simulator as CircuitSimulator};
use crate::expr::TableId;
use crate::program::{Program, PropertyId, Scope};
use crate::simulate::{Simulator, State};

/// No more than this many other inputs are tried at each state.
const MOST_ALTERNATIVES: u64 = 32;

/// The effect of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    On,
    Reached,
    /// The run ended without the property, or does not exist.
    Over,
}

/// Something that runs step by step and can go back.
pub trait Machine {
    type Inputs: Clone;
    type State: Clone;
    fn start(&mut self);
    fn save(&self) -> Self::State;
    fn restore(&mut self, state: &Self::State);
    /// A hash of everything that the rest of a run can depend on.
    fn fingerprint(&self) -> u64;
    fn step(&mut self, inputs: &Self::Inputs) -> Stepped;
    /// Inputs to try in place of others.
    fn alternatives(&self) -> &[Self::Inputs];
}

/// A program and a property that is looked for.
pub struct Stepping<'p> {
    pub program: &'p Program,
    simulator: Simulator<'p>,
    first: State,
    property: PropertyId,
    /// The variables that are kept from step to step and matter.
    variables: Vec<usize>,
    tables: Vec<TableId>,
    alternatives: Vec<Vec<i32>>,
}

/// A step of a program with more statements than this counts twice, and so on; but of the largest programs, too, a step executes few.
const STATEMENTS: usize = 5_000;
const DEAREST: u64 = 5;
/// The same for gates, all of which are evaluated.
const GATES: usize = 2_000;

impl<'p> Stepping<'p> {
    /// The cost of a step.
    pub fn cost(program: &Program) -> u64 {
        (1 + (program.stmts.len() / STATEMENTS) as u64).min(DEAREST)
    }

    pub fn new(facts: &Facts<'p>, property: PropertyId) -> Stepping<'p> {
        let (program, needed) = (facts.program, facts.needed_variables());
        let simulator = facts.setup().clone();
        let matters = |index: &usize| program.variables[*index].scope == Scope::Global && needed[*index];
        let written = |table: &TableId| program.table(*table).written;
        Stepping {
            program,
            first: simulator.state().clone(),
            simulator,
            property,
            variables: (0..program.variables.len()).filter(matters).collect(),
            tables: (0..program.tables.len()).map(TableId::new).filter(written).collect(),
            alternatives: alternatives(program),
        }
    }
}

/// All ways to give each input a value, if they are few.
fn alternatives(program: &Program) -> Vec<Vec<i32>> {
    let sizes = program.inputs.iter().map(|input| input.alphabet.size());
    if sizes.fold(1, u64::saturating_mul) > MOST_ALTERNATIVES {
        return vec![];
    }
    program.inputs.iter().fold(vec![vec![]], |lists, input| {
        let with = |list: &Vec<i32>| input.alphabet.iter().map(|value| [list.as_slice(), &[value]].concat()).collect();
        lists.iter().flat_map(|list| -> Vec<Vec<i32>> { with(list) }).collect()
    })
}

impl Machine for Stepping<'_> {
    type Inputs = Vec<i32>;
    type State = State;

    fn start(&mut self) {
        self.simulator.restore(self.first.clone());
    }

    fn save(&self) -> State {
        self.simulator.state().clone()
    }

    fn restore(&mut self, state: &State) {
        self.simulator.restore(state.clone());
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        let values = &self.simulator.state().variables;
        self.variables.iter().for_each(|&index| values[index].hash(&mut hasher));
        self.tables.iter().for_each(|&table| self.simulator.cells(table).hash(&mut hasher));
        hasher.finish()
    }

    fn step(&mut self, inputs: &Vec<i32>) -> Stepped {
        let step = self.simulator.step(inputs);
        match step.end {
            _ if step.reaches(self.property) => Stepped::Reached,
            Some(_) => Stepped::Over,
            None => Stepped::On,
        }
    }

    fn alternatives(&self) -> &[Vec<i32>] {
        &self.alternatives
    }
}

/// A circuit and a property that is looked for.
pub struct Clocked<'c> {
    simulator: CircuitSimulator<'c>,
    initial: Vec<u64>,
    property: usize,
}

impl<'c> Clocked<'c> {
    /// The cost of a step.
    pub fn cost(circuit: &Circuit) -> u64 {
        1 + (circuit.live_gates() / GATES) as u64
    }

    pub fn new(circuit: &'c Circuit, property: usize, initial: &[bool]) -> Clocked<'c> {
        let initial = initial.iter().map(|&value| u64::from(value)).collect();
        Clocked { simulator: CircuitSimulator::new(circuit, |_| 0), initial, property }
    }
}

impl Machine for Clocked<'_> {
    type Inputs = Vec<bool>;
    type State = Vec<u64>;

    fn start(&mut self) {
        self.simulator.set_state(&self.initial);
    }

    fn save(&self) -> Vec<u64> {
        self.simulator.state().to_vec()
    }

    fn restore(&mut self, state: &Vec<u64>) {
        self.simulator.set_state(state);
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.simulator.state().iter().for_each(|value| (value & 1).hash(&mut hasher));
        hasher.finish()
    }

    fn step(&mut self, inputs: &Vec<bool>) -> Stepped {
        self.simulator.evaluate(&inputs.iter().map(|&value| u64::from(value)).collect::<Vec<_>>());
        let now = |patterns: u64| patterns & 1 == 1;
        if !now(self.simulator.constraints()) {
            return Stepped::Over;
        }
        if now(self.simulator.bad(self.property)) {
            return Stepped::Reached;
        }
        if now(self.simulator.stop()) {
            return Stepped::Over;
        }
        self.simulator.advance();
        Stepped::On
    }

    fn alternatives(&self) -> &[Vec<bool>] {
        &[]
    }
}
