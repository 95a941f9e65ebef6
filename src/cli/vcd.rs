//! Runs as value change dumps (IEEE 1364, "Value change dump files"), which waveform viewers read.
//!
//! Time 0 is the initial state, time n the state after step n together with that step's inputs. Truth values are
//! wires, numbers are 32-bit integers, and values of enumerations are written by name, as strings, which GTKWave and
//! Surfer show.

use std::io::{self, Write};

use redoubt::program::legend::{Meaning, Role};

use super::trace::Trace;

pub fn write(out: &mut impl Write, trace: &Trace<'_>) -> io::Result<()> {
    let inputs: Vec<(usize, &str, Meaning)> = trace
        .program
        .inputs
        .iter()
        .zip(&trace.legend.inputs)
        .enumerate()
        .filter(|(_, (_, role))| matches!(role, Role::Input(_)))
        .map(|(index, (input, role))| (index, input.name.as_str(), role.meaning()))
        .collect();
    let variables = trace.variables.iter().map(|signal| (signal.name.as_str(), signal.meaning));
    let signals: Vec<(&str, Meaning)> =
        inputs.iter().map(|&(_, name, meaning)| (name, meaning)).chain(variables).collect();

    writeln!(out, "$version redoubt {} $end", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "$timescale 1 ns $end")?;
    writeln!(out, "$scope module model $end")?;
    for (index, (name, meaning)) in signals.iter().enumerate() {
        let kind = match meaning {
            Meaning::Truth => "wire 1",
            Meaning::Number => "integer 32",
            Meaning::Name(_) => "string 1",
        };
        writeln!(out, "$var {kind} {} {name} $end", identifier(index))?;
    }
    writeln!(out, "$upscope $end\n$enddefinitions $end")?;

    let mut last: Vec<Option<i32>> = vec![None; signals.len()];
    let start: Vec<Option<i32>> =
        inputs.iter().map(|_| None).chain(trace.start.iter().map(|&value| Some(value))).collect();
    let steps = trace.steps.iter().map(|step| {
        let given = inputs.iter().map(|&(index, ..)| Some(step.inputs[index]));
        given.chain(step.values.iter().map(|&value| Some(value))).collect::<Vec<_>>()
    });
    for (time, values) in std::iter::once(start).chain(steps).enumerate() {
        writeln!(out, "#{time}")?;
        for (index, value) in values.into_iter().enumerate() {
            if let Some(value) = value.filter(|_| value != last[index]) {
                write_value(out, trace, signals[index].1, value, index)?;
                last[index] = Some(value);
            }
        }
    }
    // The last state lasts for a moment too.
    writeln!(out, "#{}", trace.steps.len() + 1)
}

fn write_value(out: &mut impl Write, trace: &Trace<'_>, meaning: Meaning, value: i32, index: usize) -> io::Result<()> {
    let identifier = identifier(index);
    match meaning {
        Meaning::Truth => writeln!(out, "{}{identifier}", i32::from(value != 0)),
        Meaning::Number => writeln!(out, "b{value:b} {identifier}"),
        Meaning::Name(_) => writeln!(out, "s{} {identifier}", trace.legend.value(meaning, value)),
    }
}

/// A short name of printable characters.
fn identifier(index: usize) -> String {
    const FIRST: usize = 33;
    const CHARACTERS: usize = 94;
    let mut rest = index;
    let mut text = String::new();
    loop {
        text.push((FIRST + rest % CHARACTERS) as u8 as char);
        match rest / CHARACTERS {
            0 => return text,
            more => rest = more - 1,
        }
    }
}
