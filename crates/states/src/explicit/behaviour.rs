//! Programs to machines: the answers of a program to its inputs, by visiting its states.
//!
//! A state has the variables that decide about the ends of runs and about the output; these are more than labels need.
//! A step that prints nothing on its output but complains (`Invalid input`) is not part of a run.

use std::sync::Arc;

use super::layout::{Layout, MOST_PRINTED, Storage};
use super::machine::{Execution, Machine as Step};
use super::rows::Rows;
use crate::analysis::Facts;
use crate::base::Limits;
use crate::base::progress::Stage;
use crate::program::{Piece, Program, StmtKind, Stream};
use crate::simulate::Simulator;
use crate::temporal::machine::{Answer, Builder, Machine, Symbol};
use crate::temporal::properties::Mapping;

/// Why there is no machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// The program has no inputs and outputs of the kind that runs consist of.
    #[error("{0}")]
    Unsuitable(String),
    #[error("memory was full")]
    Memory,
    #[error("the work was ended before it was done")]
    Interrupted,
}

/// More inputs than this are too many to try in every state.
const MOST_INPUTS: usize = 1 << 10;
/// The number of states after which the search looks whether it is still wanted.
const LOOK_AROUND: usize = 64;

/// The inputs of a program that reads one number in each step.
pub fn alphabet(program: &Program) -> Result<Vec<i32>, Unknown> {
    let [input] = &program.inputs[..] else {
        return Err(Unknown::Unsuitable("the program does not read one number in each step".into()));
    };
    let list = input.alphabet.list(MOST_INPUTS);
    list.ok_or_else(|| Unknown::Unsuitable(format!("the input has more than {MOST_INPUTS} values")))
}

/// Whether all that is printed are numbers, each apart from the next.
pub fn check_prints(program: &Program) -> Result<(), Unknown> {
    let is_space = |text: &str| text.chars().all(char::is_whitespace);
    for stmt in &program.stmts {
        let StmtKind::Print { stream: Stream::Output, text } = &stmt.kind else { continue };
        let mut needs_space = false;
        for piece in text {
            let is_fine = match piece {
                Piece::Text(text) => is_space(text),
                Piece::Number(_) => !needs_space,
            };
            if !is_fine {
                let place = program.sources.place(stmt.span);
                return Err(Unknown::Unsuitable(format!("the program prints something else than numbers ({place})")));
            }
            needs_space = matches!(piece, Piece::Number(_));
        }
        if needs_space {
            let place = program.sources.place(stmt.span);
            return Err(Unknown::Unsuitable(format!("the program prints a number without an end ({place})")));
        }
    }
    Ok(())
}

/// The part of a simulator's state that decides about all later output, and about the end of the run.
pub fn essence(facts: &Facts) -> impl Fn(&Simulator) -> Vec<i32> {
    let (_, places) = Layout::of_state(facts.program, facts.behaviour(), facts.setup());
    move |simulator: &Simulator| {
        let mut values = vec![];
        for place in &places {
            match place {
                Storage::Variable(variable) => values.push(simulator.state().variables[variable.index()]),
                Storage::Table(table) => values.extend_from_slice(simulator.cells(*table)),
            }
        }
        values
    }
}

/// A machine, and the states that its nodes stand for.
pub struct Explored {
    pub machine: Machine,
    /// The variables and cells of a state.
    pub places: Vec<Storage>,
    /// The words of each state, one after the other.
    pub rows: Vec<i32>,
    /// The node of each state.
    pub nodes: Vec<usize>,
    /// Whether all states were looked at. If not, memory was full; runs of the machine are runs of the program all the same, but
    /// there may be others.
    pub is_complete: bool,
}

/// The machine behind a program, with the names that the mapping gives to numbers; its states may take `memory` bytes.
pub fn machine(facts: &Facts, mapping: &Mapping, memory: usize, limits: &Limits) -> Result<Machine, Unknown> {
    let explored = explore(facts, mapping, memory, limits, Execution::Fast)?;
    if explored.is_complete { Ok(explored.machine) } else { Err(Unknown::Memory) }
}

/// The same, executed in this way, with the states.
pub fn explore(
    facts: &Facts,
    mapping: &Mapping,
    memory: usize,
    limits: &Limits,
    execution: Execution,
) -> Result<Explored, Unknown> {
    let (program, setup) = (facts.program, facts.setup());
    let alphabet = alphabet(program)?;
    check_prints(program)?;
    let mut builder = Builder::new(alphabet.iter().map(|&input| mapping.symbol('i', input)).collect());
    if setup.end().is_some() {
        let machine = builder.finish();
        return Ok(Explored { machine, places: vec![], rows: vec![], nodes: vec![], is_complete: true });
    }
    if !setup.opening().output.is_empty() {
        return Err(Unknown::Unsuitable("the program prints before it reads".into()));
    }
    let slice = Arc::clone(facts.behaviour());
    let (layout, places) = Layout::of_state(program, &slice, setup);
    let step = Step::new(program, slice, layout, execution);
    let mut frame = step.layout.frame(program, setup);
    let mut states = Rows::new(&frame[..step.layout.state]);
    let (mut outputs, mut edges, mut state) = (Outputs::default(), 0, 0);
    builder.reserve(1);
    while state < states.number() {
        if state.is_multiple_of(LOOK_AROUND) {
            limits.progress.level(Stage::Search, state);
            if limits.interrupt.is_raised() {
                return Err(Unknown::Interrupted);
            }
            // An edge takes as much as four words, and so does the node of an output at most.
            if states.bytes() + 32 * edges > memory {
                break;
            }
        }
        for (index, &input) in alphabet.iter().enumerate() {
            frame[..step.layout.state].copy_from_slice(states.row(state));
            step.set_inputs(&mut frame, &[input]);
            (frame[step.layout.printed], frame[step.layout.complaint]) = (0, 0);
            let status = step.run(&mut frame);
            let printed = outputs.of(&frame[step.layout.printed..], mapping, &mut builder)?;
            let is_ignored = printed.is_empty() && frame[step.layout.complaint] != 0;
            let answer = match status {
                0 if is_ignored => Answer::Ignores { next: states.find(&frame[..step.layout.state]) },
                0 => Answer::Prints { outputs: printed, next: states.find(&frame[..step.layout.state]) },
                _ => Answer::Ends,
            };
            builder.step(state, Symbol::new(index), answer);
            edges += 1;
        }
        state += 1;
    }
    let nodes = builder.nodes().to_vec();
    let is_complete = state == states.number();
    Ok(Explored { machine: builder.finish(), places, rows: states.into_values(), nodes, is_complete })
}

/// The symbols of steps' output.
#[derive(Default)]
struct Outputs {
    known: Vec<(i32, Symbol)>,
    printed: Vec<Symbol>,
}

impl Outputs {
    /// The symbols of the output in the words of a frame.
    fn of(&mut self, words: &[i32], mapping: &Mapping, builder: &mut Builder) -> Result<&[Symbol], Unknown> {
        let number = words[0] as usize;
        if number > MOST_PRINTED {
            return Err(Unknown::Unsuitable(format!("a step prints more than {MOST_PRINTED} numbers")));
        }
        self.printed.clear();
        for &value in &words[1..=number] {
            let known = self.known.iter().find(|(other, _)| *other == value).map(|(_, symbol)| *symbol);
            let symbol = known.unwrap_or_else(|| {
                let symbol = builder.output(&mapping.symbol('o', value));
                self.known.push((value, symbol));
                symbol
            });
            self.printed.push(symbol);
        }
        if self.known.len() > MOST_INPUTS {
            return Err(Unknown::Unsuitable(format!("the program prints more than {MOST_INPUTS} different numbers")));
        }
        Ok(&self.printed)
    }
}
