//! The machine behind a program, exactly: what each box does on each input, found by execution.
//!
//! As a transition system, a step is a transition with its input and one with each of its outputs. An input that the program
//! calls invalid is no transition; a step that ends the run leads to a state that has none.

use std::collections::BTreeMap;

use redoubt_base::Interrupt;
use redoubt_formula::modal::System;
use redoubt_formula::properties::Mapping;
use redoubt_program::program::{Program, PropertyId};
use redoubt_program::simulate::Simulator;

use crate::execute::{self, Written};
use crate::{Certificate, Judgement};

/// What a program does, state by state; the first one is where it starts.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// To each input that is not refused, ascending.
    pub states: Vec<Vec<Answer>>,
}

/// The answer to an input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answer {
    pub input: i32,
    pub printed: Vec<i32>,
    pub next: Next,
}

/// What comes after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    State(usize),
    /// The run is over, perhaps at a label.
    Over(Option<PropertyId>),
}

/// The answers of a program, if all states of each of these boxes do the same.
pub fn answers(program: &Program, boxes: &Certificate, interrupt: &Interrupt) -> Result<Answers, Judgement> {
    let undecided = |reason: &str| Judgement::Undecided(reason.into());
    let start = Simulator::new(program);
    if start.end().is_some() {
        return Ok(Answers { states: vec![vec![]] });
    }
    if !start.opening().output.is_empty() {
        return Err(undecided("the program prints before it reads"));
    }
    let moves = execute::steps(program, boxes, interrupt)?;
    let first = boxes.boxes.iter().position(|state_box| state_box.holds_in(&start));
    let first = first.ok_or_else(|| undecided("the first state is in no box"))?;
    let mut states = vec![];
    for (from, moves) in moves.iter().enumerate() {
        let mut effects: BTreeMap<&[i32], (&Written, Next)> = BTreeMap::new();
        let going_on = moves.list.iter().map(|step| (&step.inputs[..], (&step.written, Next::State(step.target))));
        let mut all: Vec<(&[i32], (&Written, Next))> = going_on.collect();
        for stop in &moves.ends {
            let inputs = stop.inputs.as_ref().ok_or_else(|| undecided("a step may end the run on some input"))?;
            all.push((inputs, (&stop.written, Next::Over(stop.property))));
        }
        for (inputs, effect) in all {
            if *effects.entry(inputs).or_insert(effect) != effect {
                return Err(Judgement::Undecided(format!("states of box {} answer differently", from + 1)));
            }
        }
        let changes = |inputs: &[i32]| moves.list.iter().any(|step| step.inputs == inputs && step.changes);
        let mut answers = vec![];
        for (inputs, (written, next)) in effects {
            let [input] = *inputs else { return Err(undecided("a step does not read one number")) };
            if written.output.trim().is_empty() && written.complains {
                if next != Next::State(from) && (matches!(next, Next::Over(_)) || changes(inputs)) {
                    return Err(undecided("an input is called invalid, and has an effect"));
                }
                continue;
            }
            let printed: Result<Vec<i32>, _> = written.output.split_whitespace().map(str::parse).collect();
            let printed = printed.map_err(|_| undecided("a step prints something else than numbers"))?;
            answers.push(Answer { input, printed, next });
        }
        states.push(answers);
    }
    Ok(Answers { states }.starting_at(first))
}

impl Answers {
    /// The same with another state as the first one, and what can be reached from there.
    fn starting_at(&self, first: usize) -> Answers {
        let mut numbers = vec![None; self.states.len()];
        let mut order = vec![first];
        numbers[first] = Some(0);
        let mut looked_at = 0;
        while let Some(&state) = order.get(looked_at) {
            looked_at += 1;
            for answer in &self.states[state] {
                if let Next::State(to) = answer.next
                    && numbers[to].is_none()
                {
                    numbers[to] = Some(order.len());
                    order.push(to);
                }
            }
        }
        let renamed = |answer: &Answer| match answer.next {
            Next::State(to) => Answer { next: Next::State(numbers[to].unwrap_or(0)), ..answer.clone() },
            Next::Over(_) => answer.clone(),
        };
        Answers { states: order.iter().map(|&state| self.states[state].iter().map(renamed).collect()).collect() }
    }

    /// With one state for all that do the same for ever.
    #[must_use]
    pub fn reduced(&self) -> Answers {
        let mut classes = vec![0; self.states.len()];
        let of_classes = |answer: &Answer, classes: &[usize]| match answer.next {
            Next::State(to) => Answer { next: Next::State(classes[to]), ..answer.clone() },
            Next::Over(_) => answer.clone(),
        };
        let number = loop {
            let mut known: BTreeMap<(usize, Vec<Answer>), usize> = BTreeMap::new();
            let mut finer = vec![];
            for (state, answers) in self.states.iter().enumerate() {
                let number = known.len();
                let key = (classes[state], answers.iter().map(|answer| of_classes(answer, &classes)).collect());
                finer.push(*known.entry(key).or_insert(number));
            }
            if finer == classes {
                break known.len();
            }
            classes = finer;
        };
        let mut states = vec![vec![]; number];
        for (answers, &class) in self.states.iter().zip(&classes) {
            states[class] = answers.iter().map(|answer| of_classes(answer, &classes)).collect();
        }
        Answers { states }.starting_at(classes.first().copied().unwrap_or(0))
    }

    /// As a transition system, with the names that a mapping gives to numbers.
    pub fn system(&self, mapping: &Mapping) -> System {
        let over = self.states.len();
        let mut maker = Maker { mapping, symbols: BTreeMap::new(), system: System::default() };
        maker.system.transitions = vec![vec![]; over + 1];
        for (from, answers) in self.states.iter().enumerate() {
            for Answer { input, printed, next } in answers {
                let target = match next {
                    Next::State(to) => *to,
                    Next::Over(_) => over,
                };
                maker.step(from, *input, printed, target);
            }
        }
        let mut symbols = vec![String::new(); maker.symbols.len()];
        maker.symbols.into_iter().for_each(|(name, number)| symbols[number] = name);
        System { symbols, ..maker.system }
    }
}

struct Maker<'m> {
    mapping: &'m Mapping,
    symbols: BTreeMap<String, usize>,
    system: System,
}

impl Maker<'_> {
    fn step(&mut self, from: usize, input: i32, printed: &[i32], target: usize) {
        let outputs = printed.iter().map(|&number| self.mapping.symbol('o', number));
        let names: Vec<String> = std::iter::once(self.mapping.symbol('i', input)).chain(outputs).collect();
        let mut at = from;
        for (index, name) in names.iter().enumerate() {
            let next = if index + 1 == names.len() { target } else { self.new_state() };
            let number = self.symbols.len();
            let symbol = *self.symbols.entry(name.clone()).or_insert(number);
            self.system.transitions[at].push((symbol, next));
            at = next;
        }
    }

    fn new_state(&mut self) -> usize {
        self.system.transitions.push(vec![]);
        self.system.transitions.len() - 1
    }
}
