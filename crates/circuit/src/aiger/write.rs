//! Circuits in, `aag` text or `aig` bytes out.
//!
//! The output obeys the binary format's order in both variants: inputs, latches and gates are numbered without gaps in
//! this order, and a gate's operands come before it, the larger first. Only gates that latches, properties or
//! constraints depend on are written, so no tool finds anything redundant.
//!
//! AIGER has no `stop`. A circuit that has one is written with steps that stutter, as documented at
//! [`Circuit`].

use std::io::{self, Write};

use crate::aig::{Node, Signal};
use crate::{Circuit, Reset};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `aag`, for people.
    Ascii,
    /// `aig`, for tools.
    Binary,
}

/// Writes the circuit with all its names; the comment, if not empty, goes to the end of the file.
pub fn write(out: &mut dyn Write, circuit: &Circuit, format: Format, comment: &str) -> io::Result<()> {
    let stuttering;
    let circuit = if circuit.stop == Signal::FALSE {
        circuit
    } else {
        stuttering = circuit.stuttering();
        &stuttering
    };
    let model = Model::number(circuit);
    model.write_header(out, format)?;
    model.write_latches(out, format)?;
    for bad in &circuit.bad {
        writeln!(out, "{}", model.literal(bad.signal))?;
    }
    for &constraint in &circuit.constraints {
        writeln!(out, "{}", model.literal(constraint))?;
    }
    model.write_gates(out, format)?;
    write_symbols(out, circuit)?;
    if !comment.is_empty() {
        writeln!(out, "c\n{}", comment.trim_end())?;
    }
    Ok(())
}

impl Circuit {
    /// An equivalent circuit without `stop`: where it is true, the state stays as it is.
    pub fn stuttering(&self) -> Circuit {
        let mut circuit = self.clone();
        let stop = std::mem::replace(&mut circuit.stop, Signal::FALSE);
        for latch in &mut circuit.latches {
            latch.next = circuit.gates.mux(stop, latch.signal, latch.next);
        }
        circuit
    }
}

/// A circuit with AIGER's numbers.
struct Model<'a> {
    circuit: &'a Circuit,
    /// For each node the variable it is written as; 0 for the constant and for nodes that are not written.
    variables: Vec<u32>,
    /// The nodes of the gates to write, operands first.
    gates: Vec<usize>,
}

impl<'a> Model<'a> {
    fn number(circuit: &'a Circuit) -> Self {
        let gates = circuit.gates.cone(circuit.roots());
        let mut variables = vec![0; circuit.gates.nodes().len()];
        let inputs = circuit.inputs.iter().map(|input| input.signal.node());
        let latches = circuit.latches.iter().map(|latch| latch.signal.node());
        let in_order = inputs.chain(latches).chain(gates.iter().copied());
        for (node, variable) in in_order.zip(1..) {
            variables[node] = variable;
        }
        Model { circuit, variables, gates }
    }

    fn literal(&self, signal: Signal) -> u32 {
        2 * self.variables[signal.node()] + u32::from(signal.is_complemented())
    }

    fn write_header(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        let magic = match format {
            Format::Ascii => "aag",
            Format::Binary => "aig",
        };
        let (inputs, latches) = (self.circuit.inputs.len(), self.circuit.latches.len());
        let gates = self.gates.len();
        let variables = inputs + latches + gates;
        write!(out, "{magic} {variables} {inputs} {latches} 0 {gates}")?;
        // As in AIGER's own writer, fields that are zero are left out from the end.
        match (self.circuit.bad.len(), self.circuit.constraints.len()) {
            (0, 0) => writeln!(out),
            (bad, 0) => writeln!(out, " {bad}"),
            (bad, constraints) => writeln!(out, " {bad} {constraints}"),
        }
    }

    /// Inputs, which the binary format leaves out, and latches, of which it leaves out the literal.
    fn write_latches(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        if format == Format::Ascii {
            for input in &self.circuit.inputs {
                writeln!(out, "{}", self.literal(input.signal))?;
            }
        }
        for latch in &self.circuit.latches {
            let own = self.literal(latch.signal);
            if format == Format::Ascii {
                write!(out, "{own} ")?;
            }
            write!(out, "{}", self.literal(latch.next))?;
            match latch.reset {
                Reset::Zero => writeln!(out)?,
                Reset::One => writeln!(out, " 1")?,
                // A latch that is reset to itself is uninitialised.
                Reset::Free => writeln!(out, " {own}")?,
            }
        }
        Ok(())
    }

    fn write_gates(&self, out: &mut dyn Write, format: Format) -> io::Result<()> {
        for &node in &self.gates {
            let Node::And(a, b) = self.circuit.gates.nodes()[node] else {
                continue;
            };
            let gate = 2 * self.variables[node];
            let (a, b) = (self.literal(a), self.literal(b));
            let (larger, smaller) = (a.max(b), a.min(b));
            debug_assert!(gate > larger && larger > smaller);
            match format {
                Format::Ascii => writeln!(out, "{gate} {larger} {smaller}")?,
                Format::Binary => {
                    write_delta(out, gate - larger)?;
                    write_delta(out, larger - smaller)?;
                }
            }
        }
        Ok(())
    }
}

/// Seven bits a byte, the low ones first; the top bit says that more follow.
fn write_delta(out: &mut dyn Write, mut delta: u32) -> io::Result<()> {
    while delta >= 0x80 {
        out.write_all(&[delta as u8 | 0x80])?;
        delta >>= 7;
    }
    out.write_all(&[delta as u8])
}

fn write_symbols(out: &mut dyn Write, circuit: &Circuit) -> io::Result<()> {
    let inputs = circuit.inputs.iter().map(|input| &input.name);
    let latches = circuit.latches.iter().map(|latch| &latch.name);
    let bad = circuit.bad.iter().map(|bad| &bad.name);
    write_symbols_of(out, 'i', inputs)?;
    write_symbols_of(out, 'l', latches)?;
    write_symbols_of(out, 'b', bad)
}

/// A symbol ends with its line, so a line break in a name becomes a space; an empty name has no symbol.
fn write_symbols_of<'a>(out: &mut dyn Write, kind: char, names: impl Iterator<Item = &'a String>) -> io::Result<()> {
    for (index, name) in names.enumerate().filter(|(_, name)| !name.is_empty()) {
        writeln!(out, "{kind}{index} {}", name.replace(['\n', '\r'], " "))?;
    }
    Ok(())
}
