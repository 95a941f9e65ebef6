//! Runs as value change dumps (IEEE 1364, "Value change dump files"), which waveform viewers read.

use std::io::{self, Write};

use redoubt_circuit::{self as circuit, Circuit, Simulator};
use redoubt_program::program::legend::{Meaning, Role};

use super::trace::Trace;

/// The run of a model of a controller. Truth values are wires, numbers are 32-bit integers, and values of enumerations
/// are written by name, as strings, which GTKWave and Surfer show. Time 0 is the initial state, time n the state after
/// step n together with that step's inputs; of a PLC program, the time at which cycle n ends.
pub fn write(out: &mut dyn Write, trace: &Trace<'_>) -> io::Result<()> {
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
    let kind = |meaning| match meaning {
        Meaning::Truth => "wire 1",
        Meaning::Number | Meaning::Time => "integer 32",
        Meaning::Name(_) => "string 1",
    };
    let named = signals.iter().map(|&(name, meaning)| (kind(meaning), name.to_string()));
    let mut dump = match trace.legend.cycle {
        Some(cycle) => Dump::begin_cycles(out, &named.collect::<Vec<_>>(), cycle)?,
        None => Dump::begin(out, named)?,
    };
    let text = |index: usize, value: i32| match signals[index].1 {
        Meaning::Truth => i32::from(value != 0).to_string(),
        Meaning::Number | Meaning::Time => format!("b{value:b} "),
        meaning @ Meaning::Name(_) => format!("s{} ", trace.legend.value(meaning, value)),
    };
    let texts = |values: &mut dyn Iterator<Item = i32>, first: usize| -> Vec<(usize, String)> {
        (first..).zip(values).map(|(index, value)| (index, text(index, value))).collect()
    };
    dump.moment(texts(&mut trace.start.iter().copied(), inputs.len()))?;
    for step in &trace.steps {
        let given = inputs.iter().map(|&(index, ..)| step.inputs[index]);
        dump.moment(texts(&mut given.chain(step.values.iter().copied()), 0))?;
    }
    dump.end()
}

/// The run of a circuit: a wire for each input, latch and property. Time n is the position n of the run.
pub fn write_circuit(
    out: &mut dyn Write,
    circuit: &Circuit,
    properties: &[String],
    trace: &circuit::Trace,
) -> io::Result<()> {
    // A reference ends at a space.
    let named = |name: &str, kind: char, index: usize| match name {
        "" => format!("{kind}{index}"),
        name => name.split_whitespace().collect::<Vec<_>>().join("_"),
    };
    let inputs = circuit.inputs.iter().enumerate().map(|(index, input)| named(&input.name, 'i', index));
    let latches = circuit.latches.iter().enumerate().map(|(index, latch)| named(&latch.name, 'l', index));
    let names = inputs.chain(latches).chain(properties.iter().cloned());
    let mut dump = Dump::begin(out, names.map(|name| ("wire 1", name)))?;
    let word = |&value: &bool| u64::from(value);
    let mut simulator = Simulator::new(circuit, |_| 0);
    simulator.set_state(&trace.initial.iter().map(word).collect::<Vec<_>>());
    for (position, inputs) in trace.inputs.iter().enumerate() {
        if position > 0 {
            simulator.advance();
        }
        let values = simulator.evaluate(&inputs.iter().map(word).collect::<Vec<_>>());
        let signals = circuit.inputs.iter().map(|input| input.signal);
        let signals = signals.chain(circuit.latches.iter().map(|latch| latch.signal));
        let signals = signals.chain(circuit.bad.iter().map(|bad| bad.signal));
        let bits = signals.map(|signal| u8::from(values.bit(signal)).to_string());
        dump.moment(bits.enumerate().collect())?;
    }
    dump.end()
}

/// A dump under way.
struct Dump<'o> {
    out: &'o mut dyn Write,
    time: usize,
    /// From one moment to the next.
    pace: usize,
    /// By signal: its value as it was written last.
    last: Vec<Option<String>>,
}

impl<'o> Dump<'o> {
    /// Declares signals: their kinds and names.
    fn begin(out: &'o mut dyn Write, signals: impl Iterator<Item = (&'static str, String)>) -> io::Result<Dump<'o>> {
        writeln!(out, "$version redoubt {} $end", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "$timescale 1 ns $end")?;
        writeln!(out, "$scope module model $end")?;
        let mut last = vec![];
        for (index, (kind, name)) in signals.enumerate() {
            writeln!(out, "$var {kind} {} {name} $end", identifier(index))?;
            last.push(None);
        }
        writeln!(out, "$upscope $end\n$enddefinitions $end")?;
        Ok(Dump { out, time: 0, pace: 1, last })
    }

    /// Declares the signals of a PLC program, in milliseconds, with its instances as scopes.
    fn begin_cycles(out: &'o mut dyn Write, signals: &[(&'static str, String)], cycle: u32) -> io::Result<Dump<'o>> {
        writeln!(out, "$version redoubt {} $end", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "$timescale 1 ms $end")?;
        writeln!(out, "$scope module program $end")?;
        let path = |index: usize| signals[index].1.rsplit_once('.').map_or("", |(path, _)| path);
        let mut order: Vec<usize> = (0..signals.len()).collect();
        order.sort_by_key(|&index| (path(index), index));
        let mut open: Vec<&str> = vec![];
        for index in order {
            let scopes: Vec<&str> = path(index).split('.').filter(|part| !part.is_empty()).collect();
            let common = open.iter().zip(&scopes).take_while(|(one, other)| one == other).count();
            open.drain(common..).try_for_each(|_| writeln!(out, "$upscope $end"))?;
            for scope in &scopes[common..] {
                writeln!(out, "$scope module {scope} $end")?;
                open.push(scope);
            }
            let (kind, name) = &signals[index];
            let name = name.rsplit_once('.').map_or(name.as_str(), |(_, name)| name);
            writeln!(out, "$var {kind} {} {name} $end", identifier(index))?;
        }
        open.drain(..).try_for_each(|_| writeln!(out, "$upscope $end"))?;
        writeln!(out, "$upscope $end\n$enddefinitions $end")?;
        Ok(Dump { out, time: 0, pace: cycle as usize, last: vec![None; signals.len()] })
    }

    /// The next moment: the changes among the values of some signals.
    fn moment(&mut self, values: Vec<(usize, String)>) -> io::Result<()> {
        writeln!(self.out, "#{}", self.time)?;
        self.time += self.pace;
        for (index, value) in values {
            if self.last[index].as_ref() != Some(&value) {
                writeln!(self.out, "{value}{}", identifier(index))?;
                self.last[index] = Some(value);
            }
        }
        Ok(())
    }

    /// The last state lasts for a moment too.
    fn end(self) -> io::Result<()> {
        writeln!(self.out, "#{}", self.time)
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
