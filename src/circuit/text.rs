//! Circuits as text for people: one line per input, latch, live gate and property.

use std::fmt::{Display, Formatter, Result};

use super::aig::{Aig, Node, Signal};
use super::{Circuit, Reset};

/// `n4`, `!n4`, `0` or `1`.
impl Display for Signal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.as_constant() {
            Some(value) => write!(f, "{}", u8::from(value)),
            None => write!(f, "{self:?}"),
        }
    }
}

/// All gates, live or not.
impl Display for Aig {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_gates(f, self, 0..self.nodes().len())
    }
}

impl Display for Circuit {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for input in &self.inputs {
            writeln!(f, "input {} = {}", input.signal, input.name)?;
        }
        for latch in &self.latches {
            let reset = match latch.reset {
                Reset::Zero => "0",
                Reset::One => "1",
                Reset::Free => "free",
            };
            writeln!(
                f,
                "latch {} = {}, reset {reset}, next {}",
                latch.signal, latch.name, latch.next
            )?;
        }
        write_gates(f, &self.gates, self.gates.cone(self.roots()))?;
        for constraint in &self.constraints {
            writeln!(f, "constraint {constraint}")?;
        }
        if self.stop != Signal::FALSE {
            writeln!(f, "stop {}", self.stop)?;
        }
        for bad in &self.bad {
            writeln!(f, "bad {} = {}", bad.signal, bad.name)?;
        }
        Ok(())
    }
}

fn write_gates(
    f: &mut Formatter<'_>,
    gates: &Aig,
    nodes: impl IntoIterator<Item = usize>,
) -> Result {
    for node in nodes {
        if let Node::And(a, b) = gates.nodes()[node] {
            writeln!(f, "{} = {a} & {b}", Signal::from_node(node))?;
        }
    }
    Ok(())
}
