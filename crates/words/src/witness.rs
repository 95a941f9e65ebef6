//! Runs as BTOR2 witnesses, which `btorsim` replays, and back.
//!
//! ```text
//! sat          there is a run
//! b0           that reaches bad state 0, or violates justice property 0 (j0)
//! #0           the states at the start, as far as they are open: number, value in base 2, name
//! 0 0101 x#0
//! 1 [11] 0101 m#0   of an array a line for each cell that matters
//! @0           the inputs of the step
//! 0 1 press@0
//! #1           states that are open in every step
//! @1
//! .
//! ```
//!
//! The witness of a justice property does not say where its loop begins: after its last step the state is one that it was
//! before, and that is where.

use std::io::{self, Write};

use crate::bits::{Bits, NotANumber};
use crate::evaluate::{Array, Value};
use crate::model::{Model, Sort};
use crate::simulate::{Run, Stimulus};

/// The property of a witness, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    Bad(usize),
    Justice(usize),
}

/// Writes a run as the witness of a property.
pub fn write(out: &mut dyn Write, model: &Model, claim: Claim, run: &Run) -> io::Result<()> {
    match claim {
        Claim::Bad(property) => writeln!(out, "sat\nb{property}")?,
        Claim::Justice(property) => writeln!(out, "sat\nj{property}")?,
    }
    for (number, step) in run.steps.iter().enumerate() {
        let states = step.states.iter().zip(&model.states).map(|(value, state)| (value.as_ref(), state.name.as_str()));
        if number == 0 || step.states.iter().any(Option::is_some) {
            writeln!(out, "#{number}")?;
            write_values(out, states, &format!("#{number}"))?;
        }
        writeln!(out, "@{number}")?;
        let inputs = step.inputs.iter().zip(&model.inputs).map(|(value, input)| (Some(value), input.name.as_str()));
        write_values(out, inputs, &format!("@{number}"))?;
    }
    writeln!(out, ".")
}

fn write_values<'v>(
    out: &mut dyn Write,
    values: impl Iterator<Item = (Option<&'v Value>, &'v str)>,
    time: &str,
) -> io::Result<()> {
    for (number, (value, name)) in values.enumerate() {
        let name = if name.is_empty() { String::new() } else { format!(" {name}{time}") };
        match value {
            None => {}
            Some(Value::Bits(bits)) => writeln!(out, "{number} {bits}{name}")?,
            Some(Value::Array(array)) => {
                array.nonzero().try_for_each(|(index, bits)| writeln!(out, "{number} [{index}] {bits}{name}"))?;
            }
        }
    }
    Ok(())
}

/// Why a text is not a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// From 1 on; none if the file ends too early.
    pub line: Option<usize>,
    pub message: String,
}

/// Reads the witnesses of a file: the property of each, and its run. Open values are taken for 0.
pub fn read(model: &Model, text: &str) -> Result<Vec<(Claim, Run)>, Misread> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(';'));
    let ends = |what: &str| Misread { line: None, message: format!("the file ends where {what} is expected") };
    let mut witnesses = vec![];
    while let Some((number, status)) = lines.next() {
        let wrong = |number: usize, message: String| Misread { line: Some(number), message };
        if status != "sat" {
            return Err(wrong(number, format!("`{status}` is not the beginning of a witness; expected `sat`")));
        }
        let (number, properties) = lines.next().ok_or_else(|| ends("a property such as b0"))?;
        let mut claims = vec![];
        for name in properties.split_whitespace() {
            let claim = claim(model, name);
            claims.push(claim.ok_or_else(|| wrong(number, format!("the model has no property `{name}`")))?);
        }
        let mut reader = Reader { model, run: Run::default(), part: None };
        loop {
            let (number, line) = lines.next().ok_or_else(|| ends("a step or `.`"))?;
            if line == "." {
                break;
            }
            reader.line(line).map_err(|message| wrong(number, message))?;
        }
        witnesses.extend(claims.into_iter().map(|claim| (claim, reader.run.clone())));
    }
    if witnesses.is_empty() {
        return Err(ends("a line `sat`"));
    }
    Ok(witnesses)
}

/// The property of a name such as `b0` or `j0`.
fn claim(model: &Model, name: &str) -> Option<Claim> {
    let number = |prefix, below| {
        name.strip_prefix(prefix).and_then(|number: &str| number.parse().ok()).filter(|&number| number < below)
    };
    let bad = number('b', model.bad.len()).map(Claim::Bad);
    bad.or_else(|| number('j', model.justice.len()).map(Claim::Justice))
}

#[derive(Clone, Copy)]
enum Part {
    States,
    Inputs,
}

struct Reader<'m> {
    model: &'m Model,
    run: Run,
    /// The part that the lines are about.
    part: Option<Part>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(time) = line.strip_prefix('#') {
            return self.begin(time, Part::States);
        }
        if let Some(time) = line.strip_prefix('@') {
            return self.begin(time, Part::Inputs);
        }
        let (Some(part), Some(step)) = (self.part, self.run.steps.last_mut()) else {
            return Err(format!("expected `#0` or `@0`, found `{line}`"));
        };
        let mut words = line.split_whitespace();
        let number = words.next().unwrap_or("");
        let place = number.parse::<usize>().ok();
        let model = self.model;
        match part {
            Part::States => {
                let (state, value) = place
                    .and_then(|place| model.states.get(place).zip(step.states.get_mut(place)))
                    .ok_or_else(|| format!("the model has no state {number}; it has {}", model.states.len()))?;
                let sort = model.sort(state.node);
                assign(value.get_or_insert_with(|| Value::zero(sort)), sort, words)
            }
            Part::Inputs => {
                let (input, value) = place
                    .and_then(|place| model.inputs.get(place).zip(step.inputs.get_mut(place)))
                    .ok_or_else(|| format!("the model has no input {number}; it has {}", model.inputs.len()))?;
                assign(value, model.sort(input.node), words)
            }
        }
    }

    /// The states or inputs of a step; steps come one after the other.
    fn begin(&mut self, time: &str, part: Part) -> Result<(), String> {
        let steps = self.run.steps.len();
        let is_next = time.parse() == Ok(steps);
        let is_same = matches!((self.part, part), (Some(Part::States), Part::Inputs)) && time.parse() == Ok(steps - 1);
        if !is_next && !is_same {
            return Err(format!("step `{time}` is out of order"));
        }
        if is_next {
            let states = vec![None; self.model.states.len()];
            let zero = |input: &crate::model::Input| Value::zero(self.model.sort(input.node));
            self.run.steps.push(Stimulus { states, inputs: self.model.inputs.iter().map(zero).collect() });
        }
        self.part = Some(part);
        Ok(())
    }
}

/// Takes a value from the words of a line behind the number, perhaps with a name behind it.
fn assign<'t>(value: &mut Value, sort: Sort, mut words: impl Iterator<Item = &'t str>) -> Result<(), String> {
    let mut word = |width: u32, what: &str| match words.next() {
        None => Err(format!("expected {what}, found the end of the line")),
        Some(text) => parse(width, text),
    };
    match (sort, value) {
        (Sort::Bits(width), value) => *value = Value::Bits(word(width, "a value")?),
        (Sort::Array { index, element }, Value::Array(array)) => {
            let place = word(index, "the index of a cell, as in [01]")?;
            Array::set(array, place, word(element, "a value")?);
        }
        (Sort::Array { .. }, Value::Bits(_)) => unreachable!("values have the sort of what they are for"),
    }
    Ok(())
}

fn parse(width: u32, text: &str) -> Result<Bits, String> {
    let digits = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if digits.len() != width as usize {
        return Err(format!("`{text}` has not {}", Sort::Bits(width)));
    }
    Bits::parse(width, &digits.replace('x', "0"), 2).map_err(|reason| match reason {
        NotANumber::Digit(digit) => format!("`{digit}` is not a value; expected 0, 1 or x"),
        NotANumber::TooLarge | NotANumber::Empty => format!("`{text}` has not {}", Sort::Bits(width)),
    })
}
