//! Runs that never end: inputs that lead somewhere, and inputs that are repeated from there on.

use std::collections::HashMap;

use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::certificate::StateBox;
use crate::certificate::execute::{Written, around};
use crate::explicit::behaviour::essence;
use crate::explorer::Found;
use crate::program::Program;
use crate::simulate::Simulator;
use crate::temporal::formula;
use crate::temporal::properties::Mapping;
use crate::temporal::{Formula, Letter};
use crate::witness::Run;
use crate::witness::replay::forbidden;

/// An infinite run of a program, as its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    pub stem: Run,
    /// Not empty.
    pub cycle: Run,
    /// Where states are in the loop, if they need not repeat: a box for each of its steps.
    pub boxes: Vec<StateBox>,
}

/// The visible part of an infinite run: the symbols of its stem, and those of its loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub stem: Vec<String>,
    pub cycle: Vec<String>,
}

/// The simulator makes at most this many steps, and at least `FEW_ROUNDS` rounds, to see a state again.
const MOST_STEPS: usize = 200_000;
const FEW_ROUNDS: usize = 8;

impl Lasso {
    /// The same run with a loop that goes through boxes of a machine, back to the first one. Inputs may have to be repeated
    /// for that: the reduced machine may be there already, and the boxes not.
    pub fn through_boxes(self, found: &Found, alphabet: &[i32]) -> Lasso {
        let mut state = 0;
        let step = |state: &mut usize, inputs: &Vec<i32>| {
            let index = alphabet.iter().position(|&input| inputs[..] == [input]);
            let taken = found.answers(*state).find(|(label, ..)| Some(label.symbol().index()) == index);
            let before = *state;
            *state = taken.map_or(before, |(_, _, next)| next);
            before
        };
        self.stem.iter().for_each(|inputs| _ = step(&mut state, inputs));
        let (mut begun, mut path) = (vec![state], vec![]);
        loop {
            path.extend(self.cycle.iter().map(|inputs| step(&mut state, inputs)));
            if let Some(first) = begun.iter().position(|&other| other == state) {
                let (before, rounds) = (first, begun.len() - first);
                let stem = self.unrolled(before);
                let boxes = path[before * self.cycle.len()..].iter().map(|&state| found.states.whole_box(state));
                return Lasso { stem, boxes: boxes.collect(), cycle: vec![self.cycle; rounds].concat() };
            }
            begun.push(state);
        }
    }

    /// The symbols of the run, if the program has it: it does not end, and the loop returns to the variables that
    /// decide about everything after it. Or it returns to a box that it began in, and the checker knows that all states
    /// do the same from there.
    ///
    /// A loop may have to be gone through several times before that. Where it prints something else each time, the result is
    /// the lasso that does not.
    pub fn replay(&self, facts: &Facts, mapping: &Mapping) -> Option<(Lasso, Word)> {
        let is_possible = |inputs: &Vec<i32>| forbidden(facts.program, inputs).is_none();
        if self.cycle.is_empty() || !self.stem.iter().chain(&self.cycle).all(is_possible) {
            return None;
        }
        let essence = essence(facts);
        let mut simulator = Simulator::new(facts.program);
        let stem = walk(&mut simulator, &self.stem, &essence, mapping)?;
        let rounds = if self.boxes.is_empty() { (MOST_STEPS / self.cycle.len()).max(FEW_ROUNDS) } else { FEW_ROUNDS };
        let is_inside = self.boxes.first().is_some_and(|first| first.holds_in(&simulator));
        let (mut seen, mut words) = (HashMap::from([(essence(&simulator), 0)]), vec![]);
        for round in 1..=rounds {
            words.push(walk(&mut simulator, &self.cycle, &essence, mapping)?);
            let state = essence(&simulator);
            if let Some(&first) = seen.get(&state) {
                return self.closed(stem, &words, first);
            }
            seen.insert(state, round);
        }
        let written = is_inside.then(|| around(facts.program, &self.boxes, &self.cycle, &Interrupt::default()))??;
        let mut cycle = vec![];
        for (at, (inputs, written)) in self.cycle.iter().zip(&written).enumerate() {
            let changes = || self.boxes[at].is_apart(&self.boxes[(at + 1) % self.boxes.len()]);
            cycle.extend(symbols(inputs, written, changes, mapping));
        }
        (!cycle.is_empty() && cycle == words[0]).then(|| (self.clone(), Word { stem, cycle }))
    }

    /// The lasso whose state before round `first` of its loop is that after the last one.
    fn closed(&self, mut stem: Vec<String>, words: &[Vec<String>], first: usize) -> Option<(Lasso, Word)> {
        if words.iter().all(|word| *word == words[0]) {
            let word = Word { stem, cycle: words[0].clone() };
            return (!word.cycle.is_empty()).then(|| (Lasso { boxes: vec![], ..self.clone() }, word));
        }
        let mut lasso = Lasso { stem: self.stem.clone(), cycle: vec![], boxes: vec![] };
        for word in &words[..first] {
            stem.extend_from_slice(word);
            lasso.stem.extend_from_slice(&self.cycle);
        }
        for _ in first..words.len() {
            lasso.cycle.extend_from_slice(&self.cycle);
        }
        let word = Word { stem, cycle: words[first..].concat() };
        (!word.cycle.is_empty()).then_some((lasso, word))
    }

    /// All inputs, with the loop repeated `rounds` times.
    pub fn unrolled(&self, rounds: usize) -> Run {
        let cycles = std::iter::repeat_n(&self.cycle, rounds).flatten();
        self.stem.iter().chain(cycles).cloned().collect()
    }
}

/// The symbols of some steps, if the run does not end with one of them.
fn walk(
    simulator: &mut Simulator,
    inputs: &[Vec<i32>],
    essence: &impl Fn(&Simulator) -> Vec<i32>,
    mapping: &Mapping,
) -> Option<Vec<String>> {
    let mut word = vec![];
    for inputs in inputs {
        let before = essence(simulator);
        let step = simulator.step(inputs);
        if step.end.is_some() {
            return None;
        }
        let written = Written { output: step.output, complains: !step.complaints.is_empty() };
        word.extend(symbols(inputs, &written, || essence(simulator) != before, mapping));
    }
    Some(word)
}

/// The part of a step in the run: the input and the outputs; nothing, if the program calls the input invalid and does
/// not change its state.
fn symbols(inputs: &[i32], written: &Written, changes: impl Fn() -> bool, mapping: &Mapping) -> Vec<String> {
    let numbers = written.output.split_whitespace().filter_map(|word| word.parse().ok());
    let printed: Vec<String> = numbers.map(|number| mapping.symbol('o', number)).collect();
    if printed.is_empty() && written.complains && !changes() {
        return vec![];
    }
    inputs.iter().map(|&input| mapping.symbol('i', input)).chain(printed).collect()
}

/// The output of a program in each step of a run, as text.
pub(super) fn prints(program: &Program, run: &Run) -> Vec<String> {
    let mut simulator = Simulator::new(program);
    run.iter().map(|inputs| simulator.step(inputs).output).collect()
}

impl Word {
    /// The word in the letters of a formula.
    pub fn letters(&self, formula: &Formula) -> formula::Lasso<Letter> {
        let letter = |symbol: &String| formula.letter(|name| name == symbol);
        let letters = self.stem.iter().chain(&self.cycle).map(letter).collect();
        formula::Lasso { letters, loop_start: self.stem.len() }
    }
}
