//! Temporal formulas about a program, with answers that the hidden machine gives.
//!
//! Formulas have the patterns of the challenge (Dwyer, Avrunin and Corbett, "Patterns in property specifications for finite-state
//! verification", 1999) over symbols that the machine reads and writes. Each is decided on the machine alone, which knows nothing of
//! the program: a step to a sink ends the run, and a letter that leads nowhere is an invalid input.

use std::collections::HashMap;

use super::dice::Dice;
use super::machine::Machine;
use super::{Contradiction, Problem};
use crate::base::Interrupt;
use crate::temporal::machine::{Answer, Builder, Symbol};
use crate::temporal::properties::Mapping;
use crate::temporal::{self, Satisfaction};

/// A formula and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its meaning, in English.
    pub sentence: String,
    pub formula: String,
    pub holds: bool,
}

/// The number of formulas tried for one that is kept, so that about half of those that are kept hold.
const TRIES: usize = 20;

impl Problem {
    /// `number` formulas; the same numbers give the same ones. Each is there once, so there may be fewer. About a
    /// program that prints nothing there are none.
    pub fn formulas(&self, number: usize, seed: u64) -> Result<Vec<Known>, Contradiction> {
        if !self.prints {
            return Ok(vec![]);
        }
        let machine = behaviour(&self.machine, &self.alphabet).reduced();
        let (inputs, outputs) = machine.symbols.split_at(machine.inputs);
        let dice = &mut Dice::new(seed ^ 0x17f0_35b1);
        let mut known: Vec<Known> = vec![];
        for tried in 0..TRIES * number {
            if known.len() == number {
                break;
            }
            let (sentence, text) = pattern(inputs, outputs, dice);
            let wrong = |reason: String| Contradiction::Unreadable { file: text.clone(), messages: reason };
            let formula = temporal::parse(&text).map_err(|mistake| wrong(mistake.message))?;
            let verdict = temporal::check(&machine, &formula, &Interrupt::default());
            let holds = verdict.map_err(|error| wrong(error.to_string()))? == Satisfaction::Holds;
            let alike = known.iter().filter(|other| other.holds == holds).count();
            let is_late = tried >= TRIES * number / 2;
            if (is_late || 2 * alike < number) && known.iter().all(|other| other.formula != text) {
                known.push(Known { sentence, formula: text, holds });
            }
        }
        Ok(known)
    }
}

/// The behaviour of the hidden machine, symbol by symbol.
fn behaviour(hidden: &Machine, alphabet: &[i32]) -> temporal::Machine {
    let mapping = Mapping::default();
    let mut builder = Builder::new(alphabet.iter().map(|&input| mapping.symbol('i', input)).collect());
    let mut numbers = HashMap::from([((0, 0), 0)]);
    let mut places = vec![(0, 0)];
    let mut place = 0;
    builder.reserve(1);
    while place < places.len() {
        for letter in 0..alphabet.len() {
            // Where nothing happens the input is invalid, and nothing changes.
            let Some((step, count)) = hidden.step(places[place], letter) else { continue };
            if step.to >= hidden.inner() {
                builder.step(place, Symbol::new(letter), Answer::Ends);
                continue;
            }
            let next = *numbers.entry((step.to, count)).or_insert_with(|| {
                places.push((step.to, count));
                places.len() - 1
            });
            let output = builder.output(&mapping.symbol('o', step.output));
            builder.step(place, Symbol::new(letter), Answer::Prints { outputs: &[output], next });
        }
        place += 1;
    }
    builder.finish()
}

/// A sentence and its formula.
fn pattern(inputs: &[String], outputs: &[String], dice: &mut Dice) -> (String, String) {
    let mut symbol = |list: &[String]| dice.pick(list).unwrap_or_else(|| "oZ".into());
    let (a, b) = (symbol(inputs), symbol(inputs));
    let (x, y) = (symbol(outputs), symbol(outputs));
    // Also about inputs or outputs alone.
    let first = if dice.chance(50) { &a } else { &y };
    let say = |name: &str| match name.split_at(1) {
        ("i", letter) => format!("input {letter}"),
        (_, letter) => format!("output {letter}"),
    };
    let [sx, sy, sa, sb, sf] = [&x, &y, &a, &b, first].map(|name| say(name));
    match dice.below(10) {
        0 => (format!("{sx} never occurs"), format!("(false R ! {x})")),
        1 => (format!("{sx} does not occur after {sf}"), format!("(false R (! {first} | (false R ! {x})))")),
        2 => (format!("{sx} does not occur before {sf}"), format!("(! (true U {first}) | (! {x} U {first}))")),
        3 => (format!("{sx} occurs"), format!("(true U {x})")),
        4 => (format!("{sx} occurs after {sf}"), format!("((false R ! {first}) | (true U ({first} & (true U {x}))))")),
        5 => (format!("{sf} precedes {sx}"), format!("(! {x} WU {first})")),
        6 => (format!("{sx} responds to {sf}"), format!("(false R (! {first} | (true U {x})))")),
        7 => (format!("{sx} occurs at most twice"), format!("(! {x} WU ({x} WU (! {x} WU ({x} WU (false R ! {x})))))")),
        8 => (
            format!("{sx} does not occur between {sa} and {sb}"),
            format!("(false R (! ({a} & X (true U {b})) | X (! {x} U {b})))"),
        ),
        _ => (format!("{sx} or {sy} comes right after {sa}"), format!("(false R (! {a} | X ({x} | {y})))")),
    }
}
