//! Traces as AIGER witnesses, which `aigsim` replays: `1`, the property, the first state, the inputs of every step.

use std::io::{self, Write};

use crate::engine::Trace;

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
