//! Traces as AIGER witnesses, which `aigsim` replays: `1`, the property, the first state, the inputs of every step.
//!
//! The witness of a justice property does not say where its loop begins: after its last step the state is one that it was
//! before, and that is where.

use std::io::{self, Write};

use crate::circuit::aiger::Model;
use crate::circuit::liveness::Lasso;
use crate::engine::Trace;
use crate::witness::ReadError;

pub use crate::words::witness::Claim;

/// Writes the witness of a property; the format calls it `b0`, `b1`, ... even where the model has only outputs.
pub fn write(out: &mut dyn Write, property: usize, trace: &Trace) -> io::Result<()> {
    write_steps(out, &format!("b{property}"), &trace.initial, &trace.inputs)
}

/// Writes the witness of a justice property, around the loop until all latches are as they were, if that is soon.
pub fn write_lasso(out: &mut dyn Write, model: &Model, property: usize, lasso: &Lasso) -> io::Result<()> {
    let all = vec![true; model.circuit.latches.len()];
    let closed = lasso.closed(&model.circuit, &all);
    let lasso = closed.as_ref().unwrap_or(lasso);
    write_steps(out, &format!("j{property}"), &lasso.initial, &lasso.inputs)
}

fn write_steps(out: &mut dyn Write, name: &str, initial: &[bool], inputs: &[Vec<bool>]) -> io::Result<()> {
    writeln!(out, "1\n{name}\n{}", bits(initial))?;
    for inputs in inputs {
        writeln!(out, "{}", bits(inputs))?;
    }
    writeln!(out, ".")
}

/// Values as the format writes them.
pub fn bits(values: &[bool]) -> String {
    values.iter().map(|&value| if value { '1' } else { '0' }).collect()
}

/// Reads the witnesses of a file: the claim of each, and its trace. Open values (`x`) are taken for 0.
pub fn read(model: &Model, text: &str) -> Result<Vec<(Claim, Trace)>, ReadError> {
    let circuit = &model.circuit;
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
        let Some(claim) = claim(model, name) else {
            let known = match (circuit.bad.len(), model.justice.len()) {
                (bad, 0) => format!("{bad}, from b0 on"),
                (0, justice) => format!("{justice}, from j0 on"),
                (bad, justice) => format!("{bad}, from b0 on, and {justice}, from j0 on"),
            };
            return Err(wrong(index, format!("the model has no property `{name}`; it has {known}")));
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
        witnesses.push((claim, trace));
    }
    if witnesses.is_empty() {
        return Err(ReadError::new("no witness in this file; expected a line `1`"));
    }
    Ok(witnesses)
}

/// The property of a name such as `b0` or `j0`.
fn claim(model: &Model, name: &str) -> Option<Claim> {
    let number = |prefix, below| {
        name.strip_prefix(prefix).and_then(|number: &str| number.parse().ok()).filter(|&number| number < below)
    };
    let bad = number('b', model.circuit.bad.len()).map(Claim::Bad);
    bad.or_else(|| number('j', model.justice.len()).map(Claim::Justice))
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
