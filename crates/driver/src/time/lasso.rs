//! Runs that never end: they are judged by running the program, and by the definition of the formula.

use rustc_hash::FxHashMap;

use super::positions::Essence;
use crate::program::time::Question;
use crate::program::{Fairness, Program, PropertyId, Timed};
use crate::simulate::{Simulator, Step};
use crate::temporal::Letter;
use crate::temporal::formula;
use crate::witness::Run;
use crate::witness::replay::forbidden;

/// An infinite run of a program, as its inputs: those from a step on are repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    pub run: Run,
    /// The first step of the loop; before the end.
    pub loop_start: usize,
}

/// The simulator makes at most this many steps, and at least one round, to see a state again.
const MOST_STEPS: usize = 200_000;

impl Lasso {
    /// Whether this is a fair run of the program that does not satisfy the formula of a property; if not, why.
    pub fn violates(&self, program: &Program, timed: &Timed) -> Result<(), String> {
        let Question::Linear(formula) = &timed.question else {
            return Err(format!("`{}` is about more than one run", timed.name));
        };
        let word = self.word(program, timed)?;
        if formula.holds_on(&word) { Err(format!("`{}` is true of this run", timed.name)) } else { Ok(()) }
    }

    /// The same run as a lasso that returns to the variables that decide about another property: its loop may have to
    /// be repeated several times.
    pub fn closed(&self, program: &Program, timed: &Timed) -> Result<Lasso, String> {
        let essence = Essence::of(program, timed);
        let mut simulator = Simulator::new(program);
        self.run[..self.loop_start].iter().for_each(|inputs| _ = simulator.step(inputs));
        let cycle = &self.run[self.loop_start..];
        let mut seen = FxHashMap::from_iter([(state(&simulator, &essence), 0)]);
        for round in 1..=MOST_STEPS.div_ceil(cycle.len().max(1)) {
            cycle.iter().for_each(|inputs| _ = simulator.step(inputs));
            if let Some(before) = seen.insert(state(&simulator, &essence), round) {
                let mut run = self.run.clone();
                (1..round).for_each(|_| run.extend_from_slice(cycle));
                return Ok(Lasso { run, loop_start: self.loop_start + before * cycle.len() });
            }
        }
        Err("its loop is too long".into())
    }

    /// The letters at the positions of the run, if it is one, and a fair one.
    pub fn word(&self, program: &Program, timed: &Timed) -> Result<formula::Lasso<Letter>, String> {
        if self.loop_start >= self.run.len() {
            return Err("it has no loop".into());
        }
        let essence = Essence::of(program, timed);
        let mut simulator = Simulator::new(program);
        let is_open = program.chooses_start();
        let (mut letters, mut first, mut loop_start) = (vec![], vec![], 0);
        let mut seen: Vec<PropertyId> = vec![];
        if !is_open && timed.from_start {
            letters.push(letter(timed, simulator.opening()));
        }
        for (index, inputs) in self.run.iter().enumerate() {
            if let Some(why) = forbidden(program, inputs) {
                return Err(format!("step {} is not possible: {why}", index + 1));
            }
            if index == self.loop_start {
                (first, loop_start) = (state(&simulator, &essence), letters.len());
            }
            let step = simulator.step(inputs);
            if step.end.is_some() {
                return Err(format!("it ends in step {}", index + 1));
            }
            if index > 0 || !is_open || timed.from_start {
                letters.push(letter(timed, &step));
            }
            if index >= self.loop_start {
                seen.extend(step.reached.iter().map(|(property, _)| *property));
            }
        }
        if state(&simulator, &essence) != first {
            return Err("the state after the last step is not the one before the loop".into());
        }
        let is_fair = |Fairness { recurs, when }: &Fairness| {
            seen.contains(recurs) || when.is_some_and(|when| !seen.contains(&when))
        };
        if !program.fairness.iter().all(is_fair) {
            return Err("its loop is not fair".into());
        }
        Ok(formula::Lasso { letters, loop_start })
    }
}

/// Whether this is a run of the program, and returns to the variables that decide about a property if it says so; if
/// not, why.
pub fn repeats(run: &Run, loop_start: Option<usize>, program: &Program, timed: &Timed) -> Result<(), String> {
    let essence = Essence::of(program, timed);
    let mut simulator = Simulator::new(program);
    let mut first = None;
    for (index, inputs) in run.iter().enumerate() {
        if let Some(why) = forbidden(program, inputs) {
            return Err(format!("step {} is not possible: {why}", index + 1));
        }
        if loop_start == Some(index) {
            first = Some(state(&simulator, &essence));
        }
        if simulator.step(inputs).end.is_some() {
            return Err(format!("it ends in step {}", index + 1));
        }
    }
    match (first, loop_start) {
        (_, None) => Ok(()),
        (Some(first), Some(_)) if first == state(&simulator, &essence) => Ok(()),
        _ => Err("the state after the last step is not the one before the loop".into()),
    }
}

/// The letter where a step reached these atoms.
fn letter(timed: &Timed, step: &Step) -> Letter {
    let is_true = |(_, atom): &(usize, &PropertyId)| step.reaches(**atom);
    let bits = timed.atoms.iter().enumerate().filter(is_true).map(|(index, _)| 1 << index);
    bits.fold(0, |letter: Letter, bit: Letter| letter | bit)
}

/// The variables that decide about the rest of the run.
fn state(simulator: &Simulator, essence: &Essence) -> Vec<i32> {
    let variables = essence.variables.iter().map(|variable| simulator.state().variables[variable.index()]);
    variables.chain(essence.tables.iter().flat_map(|&table| simulator.cells(table).iter().copied())).collect()
}
