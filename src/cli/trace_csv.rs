//! Runs as tables that spreadsheets and trace viewers open: a row for each cycle, with semicolons between the columns.

use std::io::{self, Write};

use redoubt_program::program::legend::{Meaning, Role};

use super::trace::Trace;

/// The run of a PLC program: the time at which each cycle begins, its inputs, and the variables at its end. Truth values are 1
/// and 0, times are milliseconds, and values of enumerations stand by name. The first row has the names.
pub fn write(out: &mut dyn Write, trace: &Trace<'_>) -> io::Result<()> {
    let inputs = trace.program.inputs.iter().zip(&trace.legend.inputs).enumerate();
    let inputs: Vec<(usize, &str, Meaning)> = inputs
        .filter(|(_, (_, role))| matches!(role, Role::Input(_)))
        .map(|(index, (input, role))| (index, input.name.as_str(), role.meaning()))
        .collect();
    let names =
        inputs.iter().map(|(_, name, _)| *name).chain(trace.variables.iter().map(|signal| signal.name.as_str()));
    let names: Vec<&str> = std::iter::once("time_ms").chain(names).collect();
    writeln!(out, "{}", names.join(";"))?;
    let text = |meaning: Meaning, value: i32| match meaning {
        Meaning::Truth => i32::from(value != 0).to_string(),
        Meaning::Number | Meaning::Time => value.to_string(),
        Meaning::Name(_) => trace.legend.value(meaning, value),
    };
    let cycle = u64::from(trace.legend.cycle.unwrap_or(1));
    for (index, step) in trace.steps.iter().enumerate() {
        let given = inputs.iter().map(|&(input, _, meaning)| text(meaning, step.inputs[input]));
        let values = trace.variables.iter().zip(&step.values).map(|(signal, &value)| text(signal.meaning, value));
        let time = (index as u64 * cycle).to_string();
        let row: Vec<String> = std::iter::once(time).chain(given).chain(values).collect();
        writeln!(out, "{}", row.join(";"))?;
    }
    Ok(())
}
