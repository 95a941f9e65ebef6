//! Formulas of linear time, with the past, on runs that repeat: by their definition, position by position. What is found by engines
//! is judged by this.

use crate::base::stack::grow;
use crate::smv::ast::{Linear, LinearPair};
use crate::smv::formula::Formula;

/// Truth values along an infinite run: some positions, and then the last of them again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    values: Vec<bool>,
    start: usize,
}

/// Longer words are not looked at.
const MOST: usize = 1 << 20;

impl Word {
    pub fn new(values: Vec<bool>, start: usize) -> Word {
        debug_assert!(start < values.len());
        Word { values, start }
    }

    pub fn at(&self, position: usize) -> bool {
        match self.values.get(position) {
            Some(&value) => value,
            None => self.values[self.start + (position - self.start) % (self.values.len() - self.start)],
        }
    }

    fn period(&self) -> usize {
        self.values.len() - self.start
    }
}

/// The values of a formula along a run of `length` positions that goes on at `start`; `atom` has those of its atoms, in their order. None
/// if it takes too long.
pub fn evaluate(formula: &Formula, start: usize, length: usize, atom: &mut dyn FnMut() -> Word) -> Option<Word> {
    grow(|| match formula {
        Formula::Atom(_) => Some(atom()),
        Formula::Not(a) => {
            let a = evaluate(a, start, length, atom)?;
            Some(Word { values: a.values.iter().map(|value| !value).collect(), start: a.start })
        }
        Formula::And(a, b) => pair(a, b, start, length, atom, |a, b| a && b),
        Formula::Or(a, b) => pair(a, b, start, length, atom, |a, b| a || b),
        Formula::Iff(a, b) => pair(a, b, start, length, atom, |a, b| a == b),
        Formula::Linear(operator, bounds, a) => {
            let a = evaluate(a, start, length, atom)?;
            linear(*operator, *bounds, &a)
        }
        Formula::LinearPair(operator, a, b) => {
            let (a, b) = (evaluate(a, start, length, atom)?, evaluate(b, start, length, atom)?);
            match operator {
                LinearPair::Until => Some(until(&a, &b, false)),
                LinearPair::Releases => Some(until(&not(&a), &not(&b), true)),
                LinearPair::Since => since(&a, &b, false),
                LinearPair::Triggered => since(&not(&a), &not(&b), true),
            }
        }
        Formula::Branching(..) | Formula::BranchingUntil(..) => None,
    })
}

fn not(word: &Word) -> Word {
    Word { values: word.values.iter().map(|value| !value).collect(), start: word.start }
}

fn pair(
    a: &Formula,
    b: &Formula,
    start: usize,
    length: usize,
    atom: &mut dyn FnMut() -> Word,
    operation: fn(bool, bool) -> bool,
) -> Option<Word> {
    let (a, b) = (evaluate(a, start, length, atom)?, evaluate(b, start, length, atom)?);
    Some(zip(&a, &b, operation))
}

fn zip(a: &Word, b: &Word, operation: fn(bool, bool) -> bool) -> Word {
    // All words of a run have the same period.
    let start = a.start.max(b.start);
    let values = (0..start + a.period()).map(|position| operation(a.at(position), b.at(position))).collect();
    Word { values, start }
}

fn linear(operator: Linear, bounds: Option<(i64, i64)>, a: &Word) -> Option<Word> {
    let period = a.period();
    let (low, high) = bounds.map_or((0, None), |(low, high)| (low as usize, Some(high as usize)));
    let map = |start: usize, value: &dyn Fn(usize) -> bool| {
        (start + period < MOST).then(|| Word { values: (0..start + period).map(value).collect(), start })
    };
    // Behind this, all windows into the future look the same, and all windows into the past after as many positions more.
    let end = a.start + period;
    match operator {
        Linear::Next => map(a.start, &|at| a.at(at + 1)),
        Linear::Previous => map(a.start + 1, &|at| at > 0 && a.at(at - 1)),
        Linear::WeakPrevious => map(a.start + 1, &|at| at == 0 || a.at(at - 1)),
        Linear::Finally | Linear::Globally => {
            let wanted = operator == Linear::Finally;
            map(a.start, &|at| {
                let high = high.unwrap_or(low + end);
                (at + low..=at + high).any(|other| a.at(other) == wanted) == wanted
            })
        }
        Linear::Once | Linear::Historically => {
            let wanted = operator == Linear::Once;
            let reach = high.unwrap_or(end);
            map(a.start + reach + period, &|at| {
                let first = high.map_or(0, |high| at.saturating_sub(high));
                let last = at.checked_sub(low);
                let any = last.is_some_and(|last| (first..=last).any(|other| a.at(other) == wanted));
                any == wanted
            })
        }
    }
}

/// `a U b`, or its negation.
fn until(a: &Word, b: &Word, negated: bool) -> Word {
    let both = zip(a, b, |a, _| a);
    let (start, length) = (both.start, both.values.len());
    let mut values = vec![false; length];
    // Twice around is enough for what comes later to be seen.
    for round in 0..2 {
        for at in (0..length).rev() {
            let next = if at + 1 < length { values[at + 1] } else { round > 0 && values[start] };
            values[at] = b.at(at) || a.at(at) && next;
        }
    }
    let values = values.into_iter().map(|value| value != negated).collect();
    Word { values, start }
}

/// `a S b`, or its negation.
fn since(a: &Word, b: &Word, negated: bool) -> Option<Word> {
    let both = zip(a, b, |a, _| a);
    let period = both.period();
    // Once around, and the past no longer changes from round to round.
    let start = both.start + period;
    let mut before = false;
    let mut values = vec![];
    for at in 0..start + period {
        before = b.at(at) || a.at(at) && before;
        values.push(before != negated);
    }
    (values.len() < MOST).then_some(Word { values, start })
}
