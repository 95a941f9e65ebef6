//! The steps of a program, class by class.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use redoubt_base::Interrupt;
use redoubt_formula::properties::Mapping;
use redoubt_program::program::{Program, PropertyId};
use redoubt_program::simulate::Simulator;
use rustc_hash::FxHashMap;

use super::Machine;
use crate::execute::{Move, Moves, Stop, Written};
use crate::{Judgement, execute};

/// A symbol of a run in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// An input or an output: `iA`, `oX` and so on.
    Name(String),
    /// The atoms that it reaches, ascending.
    Atoms(Arc<[PropertyId]>),
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symbol::Name(name) => f.write_str(name),
            Symbol::Atoms(atoms) => {
                let atoms: Vec<String> = atoms.iter().map(|atom| format!("@{}", atom.index())).collect();
                write!(f, "{{{}}}", atoms.join(" "))
            }
        }
    }
}

/// Classes of states, and the steps between them: all that the program can do, and perhaps more.
pub struct Graph {
    pub symbols: Vec<Symbol>,
    /// The class of the state after the setup.
    pub first: u32,
    /// By class.
    pub steps: Vec<Vec<Edge>>,
}

/// A step to a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Its part of the run: the input and the outputs, or nothing, if the program calls the input invalid and stays in
    /// its state.
    pub word: Box<[usize]>,
    pub target: u32,
}

impl Graph {
    pub(super) fn new(
        program: &Program,
        machine: &Machine,
        mapping: &Mapping,
        interrupt: &Interrupt,
    ) -> Result<Graph, Judgement> {
        let Machine { invariant, classes } = machine;
        let refuted = |reason: &str| Judgement::Refuted(reason.into());
        if classes.len() != invariant.boxes.len() || classes.is_empty() {
            return Err(refuted("there is not a class for each box"));
        }
        let number = classes.iter().max().map_or(0, |&last| last as usize + 1);
        if number > classes.len() {
            return Err(refuted("there are more classes than boxes"));
        }
        let start = Simulator::new(program);
        let mut graph = Graph { symbols: vec![], first: 0, steps: vec![vec![]; number] };
        if start.end().is_some() {
            return Ok(graph);
        }
        if !start.opening().output.is_empty() {
            return Err(Judgement::Undecided("the program prints before it reads".into()));
        }
        let steps = execute::steps(program, invariant, interrupt)?;
        let first = invariant.boxes.iter().position(|state_box| state_box.holds_in(&start));
        graph.first = classes[first.ok_or_else(|| refuted("the first state is in no box"))?];
        let mut symbols = Symbols { mapping, numbers: FxHashMap::default(), names: vec![] };
        let alike = alike(&steps, classes, number);
        for (from, (steps, &class)) in steps.iter().zip(classes).enumerate() {
            for step in &steps.list {
                let target = classes[step.target];
                let out = &mut graph.steps[class as usize];
                let is_ignored = is_ignored(step);
                let is_apart = || invariant.boxes[from].is_apart(&invariant.boxes[step.target]);
                // An invalid input is no part of the run if it leaves the state alone, or does not change the later
                // behaviour. Where that cannot be told, there are runs with it and without it.
                let does_the_same = target == class && alike[class as usize];
                if is_ignored && (does_the_same || step.target == from || !is_apart()) {
                    out.push(Edge { word: [].into(), target });
                }
                if !is_ignored || !does_the_same && (step.changes || step.target != from) {
                    out.push(Edge { word: symbols.word(step)?, target });
                }
            }
        }
        for steps in &mut graph.steps {
            steps.sort_unstable();
            steps.dedup();
        }
        graph.symbols = symbols.names.into_iter().map(Symbol::Name).collect();
        Ok(graph)
    }
}

/// Whether the program says that the input of a step is none, and nothing else.
fn is_ignored(step: &Move) -> bool {
    step.written.output.trim().is_empty() && step.written.complains
}

/// The answer of a class to each input, if all its states answer the same: the output, and the class of the next state.
type Answers<'s> = BTreeMap<&'s [i32], (&'s Written, u32)>;

/// By class: whether it is known that its states do the same for ever. To each input they give the same answer, or end the run,
/// and come to a class of which that is known as well: so being in one class is a bisimulation.
fn alike(steps: &[Moves], classes: &[u32], number: usize) -> Vec<bool> {
    let mut answers: Vec<Option<Answers>> = vec![None; number];
    let mut alike = vec![true; number];
    for (moves, &class) in steps.iter().zip(classes) {
        let known = answers_of(moves, classes);
        let of_class = &mut answers[class as usize];
        let is_same = known.is_some() && of_class.as_ref().is_none_or(|others| Some(others) == known.as_ref());
        alike[class as usize] &= is_same;
        *of_class = known;
    }
    loop {
        let stays = |class: usize| {
            let leads = |answers: &Answers| answers.values().all(|&(_, target)| alike[target as usize]);
            alike[class] && answers[class].as_ref().is_none_or(leads)
        };
        let fewer: Vec<bool> = (0..number).map(stays).collect();
        if fewer == alike {
            return alike;
        }
        alike = fewer;
    }
}

/// The answers of all states of a box, if they agree for each input.
fn answers_of<'s>(moves: &'s Moves, classes: &[u32]) -> Option<Answers<'s>> {
    let mut answers = Answers::new();
    for step in &moves.list {
        let answer = (&step.written, classes[step.target]);
        if moves.ends.iter().any(|stop| stop.inputs.is_none())
            || *answers.entry(&step.inputs).or_insert(answer) != answer
        {
            return None;
        }
    }
    let may_end_too = |stop: &Stop| stop.inputs.as_ref().is_some_and(|inputs| answers.contains_key(&inputs[..]));
    (!moves.ends.iter().any(may_end_too)).then_some(answers)
}

struct Symbols<'m> {
    mapping: &'m Mapping,
    numbers: FxHashMap<(char, i32), usize>,
    names: Vec<String>,
}

impl Symbols<'_> {
    /// The input and the outputs of a step.
    fn word(&mut self, step: &Move) -> Result<Box<[usize]>, Judgement> {
        let [input] = step.inputs[..] else {
            return Err(Judgement::Undecided("a step does not read one number".into()));
        };
        let printed: Result<Vec<i32>, _> = step.written.output.split_whitespace().map(str::parse).collect();
        let Ok(printed) = printed else {
            return Err(Judgement::Undecided(format!("a step prints `{}`", step.written.output.trim())));
        };
        let input = self.symbol('i', input);
        Ok(std::iter::once(input).chain(printed.into_iter().map(|number| self.symbol('o', number))).collect())
    }

    fn symbol(&mut self, kind: char, number: i32) -> usize {
        *self.numbers.entry((kind, number)).or_insert_with(|| {
            self.names.push(self.mapping.symbol(kind, number));
            self.names.len() - 1
        })
    }
}
