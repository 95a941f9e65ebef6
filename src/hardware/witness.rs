//! Traces as AIGER witnesses, which `aigsim` replays: `1`, the property, the first state, the inputs of every step.

use std::io::{self, Write};

use crate::circuit::Circuit;
use crate::engine::Trace;
use crate::witness::ReadError;

/// Writes the witness of a property; the format calls it `b0`, `b1`, ... even where the model has only outputs.
pub fn write(out: &mut impl Write, property: usize, trace: &Trace) -> io::Result<()> {
    writeln!(out, "1\nb{property}")?;
    let line = |values: &[bool]| -> String { values.iter().map(|&value| if value { '1' } else { '0' }).collect() };
    writeln!(out, "{}", line(&trace.initial))?;
    for inputs in &trace.inputs {
        writeln!(out, "{}", line(inputs))?;
    }
    writeln!(out, ".")
}

/// Reads the witnesses of a file: the number of the property and the trace of each. Values that are left open (`x`) are
/// taken for 0.
pub fn read(circuit: &Circuit, text: &str) -> Result<Vec<(usize, Trace)>, ReadError> {
    // A model without latches or without inputs has empty lines for their values.
    let mut lines = text.lines().map(str::trim).enumerate();
    let mut witnesses = vec![];
    while let Some((index, status)) = lines.next() {
        let wrong = |index: usize, message: String| ReadError { line: Some(index + 1), message };
        match status {
            "" => continue,
            "1" => {}
            // The rest is a comment.
            "c" => break,
            "0" | "2" => return Err(wrong(index, format!("status {status}: this file has no trace; expected 1"))),
            _ => return Err(wrong(index, format!("`{status}` is not a status; expected 1"))),
        }
        let mut next =
            |what: &str| lines.next().ok_or_else(|| ReadError::new(format!("the file ends where {what} is expected")));
        let (index, name) = next("a property such as b0")?;
        let property = name.strip_prefix('b').and_then(|number| number.parse::<usize>().ok());
        let Some(property) = property.filter(|&property| property < circuit.bad.len()) else {
            let known = circuit.bad.len();
            return Err(wrong(index, format!("the model has no property `{name}`; it has {known}, from b0 on")));
        };
        let mut trace = Trace { initial: vec![], inputs: vec![] };
        let (index, line) = next("the first state")?;
        trace.initial = values(line, circuit.latches.len(), "latches").map_err(|message| wrong(index, message))?;
        loop {
            let (index, line) = next("the inputs of a step or `.`")?;
            if line == "." {
                break;
            }
            trace.inputs.push(values(line, circuit.inputs.len(), "inputs").map_err(|message| wrong(index, message))?);
        }
        witnesses.push((property, trace));
    }
    if witnesses.is_empty() {
        return Err(ReadError::new("no witness in this file; expected a line `1`"));
    }
    Ok(witnesses)
}

fn values(line: &str, count: usize, what: &str) -> Result<Vec<bool>, String> {
    if line.len() != count {
        return Err(format!("{} values; the model has {count} {what}", line.len()));
    }
    let value = |c: char| match c {
        '0' | 'x' => Ok(false),
        '1' => Ok(true),
        _ => Err(format!("`{c}` is not a value; expected 0, 1 or x")),
    };
    line.chars().map(value).collect()
}
