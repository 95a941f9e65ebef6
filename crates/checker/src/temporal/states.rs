//! The states of a model in, a [`Graph`] of them out: the simulator's steps from each of them, on all inputs.
//!
//! The list gives the states, as values of some places. It is not believed: the simulator starts where the model does
//! and visits all states, told apart by everything that the model's conditions can depend on, and each has to be in the
//! list. A step's part in a run is the set of atoms that it reaches.

use std::cell::RefCell;
use std::sync::Arc;

use redoubt_base::Interrupt;
use redoubt_program::expr::{InputId, TableId, VarId};
use redoubt_program::program::{Place, Program, PropertyId, Scope, StmtKind};
use redoubt_program::simulate::{Inputs, Simulator, State, Step};
use rustc_hash::FxHashMap;

use super::graph::{Edge, Graph, Symbol};
use crate::relevant::relevant;
use crate::{Certificate, Judgement};

/// States, as the values of places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    pub places: Vec<Place>,
    /// The values of the first state, then those of the second, and so on.
    pub rows: Vec<i32>,
    pub number: usize,
}

impl States {
    pub fn row(&self, state: usize) -> &[i32] {
        &self.rows[state * self.places.len()..][..self.places.len()]
    }
}

/// Which nodes of the graph of a model runs begin in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starts {
    /// If the initial state is a position.
    pub with_initial: u32,
    /// If the first step, or the first one that does not choose the initial state, is the first position.
    pub without: u32,
}

/// More values of an input than this are too many to try.
const MOST_VALUES: usize = 1 << 16;
/// More states than this are too many for the simulator.
const MOST_STATES: usize = 1 << 20;
/// The number of steps between two looks at the interrupt.
const LOOK_AROUND: usize = 256;

/// The graph of a model and of the atoms of its properties, if all its states are in the list.
pub fn graph(
    program: &Program,
    atoms: &[PropertyId],
    list: &States,
    interrupt: &Interrupt,
) -> Result<(Graph, Starts), Judgement> {
    let refuted = |reason: &str| Judgement::Refuted(reason.into());
    if list.places.is_empty() && list.number > 1 || list.rows.len() != list.number * list.places.len() {
        return Err(refuted("the list of states is not one"));
    }
    let mut numbers: FxHashMap<&[i32], u32> = FxHashMap::default();
    for state in 0..list.number {
        numbers.insert(list.row(state), state as u32);
    }
    let bare = only(program, atoms);
    let mut simulator = Simulator::new(&bare);
    let listed = |simulator: &Simulator| {
        let row: Vec<i32> = list.places.iter().map(|&place| simulator.at(place)).collect();
        numbers.get(&row[..]).copied().ok_or_else(|| refuted("a state that can be reached is not in the list"))
    };
    let mut maker = Maker::new(list.number);
    if simulator.end().is_some() {
        return Ok(maker.finish(&bare, 0, simulator.opening()));
    }
    let alphabets: Option<Vec<Vec<i32>>> = bare.inputs.iter().map(|input| input.alphabet.list(MOST_VALUES)).collect();
    let alphabets = alphabets.ok_or_else(|| Judgement::Undecided("an input has too many values".into()))?;
    let identity = Identity::of(&bare);
    let first = listed(&simulator)?;
    let mut known: FxHashMap<Box<[i32]>, u32> = FxHashMap::from_iter([(identity.of_state(&simulator), first)]);
    let mut pending: Vec<(State, u32)> = vec![(simulator.state().clone(), first)];
    let mut steps = 0_usize;
    while let Some((state, class)) = pending.pop() {
        let mut tape = Tape::new(&alphabets);
        while tape.is_open() {
            steps += 1;
            if steps.is_multiple_of(LOOK_AROUND) && interrupt.is_raised() {
                return Err(Judgement::Undecided("time is up".into()));
            }
            simulator.restore(state.clone());
            let step = simulator.step_on(&tape);
            if step.end.is_none() {
                let target = listed(&simulator)?;
                maker.step(class, &step, target);
                let is_new = known.insert(identity.of_state(&simulator), target).is_none();
                if is_new {
                    pending.push((simulator.state().clone(), target));
                }
                if known.len() > MOST_STATES {
                    return Err(Judgement::Undecided("there are too many states".into()));
                }
            }
            tape.advance();
        }
    }
    Ok(maker.finish(&bare, first, Simulator::new(&bare).opening()))
}

/// The program without what reaches other properties than these.
fn only(program: &Program, atoms: &[PropertyId]) -> Program {
    let mut bare = program.clone();
    for stmt in &mut bare.stmts {
        if matches!(&stmt.kind, StmtKind::Reach(property) if !atoms.contains(property)) {
            stmt.kind = StmtKind::Sequence(vec![]);
        }
    }
    // Choices between doing nothing and doing nothing have no conditions that matter.
    let mut is_idle = vec![false; bare.stmts.len()];
    loop {
        let idles = |kind: &StmtKind| {
            matches!(kind, StmtKind::Sequence(_) | StmtKind::Choice(_))
                && kind.children().into_iter().all(|child| is_idle[child.index()])
        };
        let more: Vec<bool> = bare.stmts.iter().map(|stmt| idles(&stmt.kind)).collect();
        if more == is_idle {
            break;
        }
        is_idle = more;
    }
    for (stmt, _) in bare.stmts.iter_mut().zip(is_idle).filter(|(_, is_idle)| *is_idle) {
        stmt.kind = StmtKind::Sequence(vec![]);
    }
    bare
}

/// The places that decide about all that comes.
struct Identity {
    variables: Vec<VarId>,
    tables: Vec<TableId>,
}

impl Identity {
    fn of(program: &Program) -> Identity {
        let is_relevant = relevant(program, &Certificate::default(), false);
        let is_state =
            |variable: &VarId| is_relevant[variable.index()] && program.variable(*variable).scope == Scope::Global;
        let is_written = |table: &TableId| program.table(*table).written;
        Identity {
            variables: (0..program.variables.len()).map(VarId::new).filter(is_state).collect(),
            tables: (0..program.tables.len()).map(TableId::new).filter(is_written).collect(),
        }
    }

    fn of_state(&self, simulator: &Simulator) -> Box<[i32]> {
        let variables = self.variables.iter().map(|&variable| simulator.at(Place::Variable(variable)));
        variables.chain(self.tables.iter().flat_map(|&table| simulator.cells(table).iter().copied())).collect()
    }
}

/// The inputs of a step. Another value of an input that the step did not read leads nowhere else, so only those that it read
/// are changed, the last one first.
struct Tape<'a> {
    alphabets: &'a [Vec<i32>],
    /// By input: the position of its value.
    positions: Vec<usize>,
    /// The inputs that were read, in this order.
    read: RefCell<Vec<usize>>,
    is_open: bool,
}

impl<'a> Tape<'a> {
    fn new(alphabets: &'a [Vec<i32>]) -> Tape<'a> {
        let is_open = alphabets.iter().all(|alphabet| !alphabet.is_empty());
        Tape { alphabets, positions: vec![0; alphabets.len()], read: RefCell::default(), is_open }
    }

    fn is_open(&self) -> bool {
        self.is_open
    }

    fn advance(&mut self) {
        let read = self.read.get_mut();
        while let Some(&input) = read.last() {
            self.positions[input] += 1;
            if self.positions[input] < self.alphabets[input].len() {
                return;
            }
            self.positions[input] = 0;
            read.pop();
        }
        self.is_open = false;
    }
}

impl Inputs for Tape<'_> {
    fn value(&self, input: InputId) -> i32 {
        let index = input.index();
        let mut read = self.read.borrow_mut();
        if !read.contains(&index) {
            read.push(index);
        }
        self.alphabets[index][self.positions[index]]
    }
}

/// A graph as it is made.
pub struct Maker {
    symbols: Vec<Symbol>,
    known: FxHashMap<Box<[PropertyId]>, usize>,
    steps: Vec<Vec<Edge>>,
}

impl Maker {
    pub fn new(states: usize) -> Maker {
        Maker { symbols: vec![], known: FxHashMap::default(), steps: vec![vec![]; states.max(1)] }
    }

    /// Makes room for this many states.
    pub fn reserve(&mut self, states: usize) {
        self.steps.resize(states.max(self.steps.len()), vec![]);
    }

    /// The number of the symbol that stands for these atoms, ascending.
    pub fn symbol(&mut self, atoms: Box<[PropertyId]>) -> usize {
        *self.known.entry(atoms).or_insert_with_key(|atoms| {
            self.symbols.push(Symbol::Atoms(Arc::from(&atoms[..])));
            self.symbols.len() - 1
        })
    }

    fn step(&mut self, from: u32, step: &Step, target: u32) {
        let symbol = self.symbol(reached(step));
        self.add(from, symbol, target);
    }

    pub fn add(&mut self, from: u32, symbol: usize, target: u32) {
        self.steps[from as usize].push(Edge { word: [symbol].into(), target });
    }

    /// The graph whose first state this is. One more node stands for the beginning: if a step of its own chooses the
    /// initial state, for that state without the step's position, and otherwise for the initial state as a position.
    pub fn finish(mut self, program: &Program, first: u32, opening: &Step) -> (Graph, Starts) {
        let before = self.steps.len() as u32;
        let is_open = program.chooses_start();
        let more = if is_open {
            let without = |step: &Edge| Edge { word: [].into(), target: step.target };
            self.steps[first as usize].iter().map(without).collect()
        } else {
            let symbol = self.symbol(reached(opening));
            vec![Edge { word: [symbol].into(), target: first }]
        };
        self.steps.push(more);
        for steps in &mut self.steps {
            steps.sort_unstable();
            steps.dedup();
        }
        let starts = match is_open {
            true => Starts { with_initial: first, without: before },
            false => Starts { with_initial: before, without: first },
        };
        (Graph { symbols: self.symbols, first, steps: self.steps }, starts)
    }
}

/// The properties that a step reached, each once.
fn reached(step: &Step) -> Box<[PropertyId]> {
    let mut reached: Vec<PropertyId> = step.reached.iter().map(|(property, _)| *property).collect();
    reached.sort_unstable();
    reached.dedup();
    reached.into()
}
