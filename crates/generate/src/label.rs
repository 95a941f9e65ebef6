//! Error labels: their states of the hidden machine, and their names.

use super::code::Code;
use super::dice::Dice;
use super::find;
use super::guard::{Guard, assert_exact, nest};
use super::machine::Machine;

#[derive(Clone, Debug)]
pub struct Label {
    pub number: usize,
    pub guard: Guard,
    /// The sink that it stands for; none for a label whose guard is false in every run.
    pub sink: Option<usize>,
}

/// The numbers of labels that get a sink of the core, a sink of the island, and none.
pub fn plan(labels: usize, dice: &mut Dice) -> [usize; 3] {
    let mut plan = [labels.min(1), 0, 0];
    for _ in 1..labels {
        plan[dice.one_of(&[0, 0, 0, 1, 2, 2])] += 1;
    }
    plan
}

/// A label for each sink, and `nowhere` that nothing reaches, with numbers from 0.
pub fn labels(machine: &Machine, code: &Code, nowhere: usize, dice: &mut Dice) -> Vec<Label> {
    let sinks = machine.sinks.iter().flatten().map(|&sink| Some(sink));
    let mut places: Vec<Option<usize>> = sinks.chain((0..nowhere).map(|_| None)).collect();
    dice.shuffle(&mut places);
    let mut labels = vec![];
    for (number, sink) in places.into_iter().enumerate() {
        let guard = match sink {
            Some(sink) => find::set(code, &[sink], dice),
            None => impossible(code, dice),
        };
        let guard = find::obscure(guard, code, sink.as_slice(), dice);
        assert_exact(&guard, code, sink.as_slice(), |_| true);
        labels.push(Label { number, guard, sink });
    }
    labels
}

/// The values of a state, with something that is never so.
fn impossible(code: &Code, dice: &mut Dice) -> Guard {
    if dice.chance(50) {
        return nest(find::unused(code, dice), dice);
    }
    let state = dice.below(code.values.len());
    let mut parts = find::only(code, state, dice);
    parts.push(find::never(code, dice));
    nest(parts, dice)
}
