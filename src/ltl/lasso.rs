//! Runs that never end: inputs that lead somewhere, and inputs that are repeated from there on.

use std::collections::HashMap;

use crate::analysis::Facts;
use crate::explicit::behaviour::essence;
use crate::program::Program;
use crate::simulate::{Simulator, Step};
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
}

/// What can be seen of an infinite run: the symbols of its stem, and those of its loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub stem: Vec<String>,
    pub cycle: Vec<String>,
}

/// The simulator makes at most so many steps, and at least so many rounds, to see a state again.
const MOST_STEPS: usize = 200_000;
const FEW_ROUNDS: usize = 8;

impl Lasso {
    /// The symbols of the run, if the program has it: it does not end, and the loop comes back to what decides about
    /// everything after it.
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
        let stem = walk(&mut simulator, &self.stem, mapping)?;
        let rounds = (MOST_STEPS / self.cycle.len()).max(FEW_ROUNDS);
        let (mut seen, mut words) = (HashMap::from([(essence(&simulator), 0)]), vec![]);
        for round in 1..=rounds {
            words.push(walk(&mut simulator, &self.cycle, mapping)?);
            let state = essence(&simulator);
            if let Some(&first) = seen.get(&state) {
                return self.closed(stem, &words, first);
            }
            seen.insert(state, round);
        }
        None
    }

    /// The lasso whose state before round `first` of its loop is that after the last one.
    fn closed(&self, mut stem: Vec<String>, words: &[Vec<String>], first: usize) -> Option<(Lasso, Word)> {
        if words.iter().all(|word| *word == words[0]) {
            let word = Word { stem, cycle: words[0].clone() };
            return (!word.cycle.is_empty()).then(|| (self.clone(), word));
        }
        let mut lasso = Lasso { stem: self.stem.clone(), cycle: vec![] };
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

    /// All inputs, with the loop so many times.
    pub fn unrolled(&self, rounds: usize) -> Run {
        let cycles = std::iter::repeat_n(&self.cycle, rounds).flatten();
        self.stem.iter().chain(cycles).cloned().collect()
    }
}

/// The symbols of some steps, if the run does not end with one of them.
fn walk(simulator: &mut Simulator, inputs: &[Vec<i32>], mapping: &Mapping) -> Option<Vec<String>> {
    let mut symbols = vec![];
    for inputs in inputs {
        let step = simulator.step(inputs);
        if step.end.is_some() {
            return None;
        }
        let printed = numbers(&step.output);
        // The program calls the input invalid: the run does not have this step.
        if !is_ignored(&step) {
            symbols.extend(inputs.iter().map(|&input| mapping.symbol('i', input)));
        }
        symbols.extend(printed.map(|number| mapping.symbol('o', number)));
    }
    Some(symbols)
}

fn is_ignored(step: &Step) -> bool {
    !step.complaints.is_empty() && numbers(&step.output).next().is_none()
}

fn numbers(text: &str) -> impl Iterator<Item = i32> {
    text.split_whitespace().filter_map(|word| word.parse().ok())
}

/// What a program prints in each step of a run, as text.
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
