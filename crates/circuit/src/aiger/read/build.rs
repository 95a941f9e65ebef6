//! Literals in, a circuit out.
//!
//! ASCII gates may come in any order, so they are built operands first, by a walk that also finds cycles.

use rustc_hash::FxHashMap;

use super::sections::{Literal, Sections, Symbols};
use super::{Justice, Model, ReadError};
use crate::aiger::Format;
use crate::{Bad, Circuit, Input, Latch, Signal};

pub fn build(bytes: &[u8], sections: Sections) -> Result<Model, ReadError> {
    let mut builder = Builder::new(bytes, &sections)?;
    builder.leaves();
    builder.gates()?;
    builder.model()
}

/// The meaning of a variable.
#[derive(Clone, Copy)]
enum Definition {
    /// Its signal is known.
    Known(Signal),
    /// The gate of this position, not begun.
    Gate(usize),
    /// The gate of this position: its operands are being built.
    Begun(usize),
}

/// By variable. Binary files leave no gaps; the greatest variable of an ASCII file may be far beyond its definitions.
enum Definitions {
    Dense(Vec<Definition>),
    Sparse(FxHashMap<u32, Definition>),
}

impl Definitions {
    fn get(&self, variable: u32) -> Option<Definition> {
        match self {
            Definitions::Dense(all) => all.get(variable as usize).copied(),
            Definitions::Sparse(all) => all.get(&variable).copied(),
        }
    }

    /// Returns the former definition of the variable.
    fn set(&mut self, variable: u32, definition: Definition) -> Option<Definition> {
        match self {
            Definitions::Sparse(all) => all.insert(variable, definition),
            Definitions::Dense(all) => match all.get_mut(variable as usize) {
                Some(old) => Some(std::mem::replace(old, definition)),
                None => {
                    debug_assert_eq!(all.len(), variable as usize, "binary variables come in order");
                    all.push(definition);
                    None
                }
            },
        }
    }
}

struct Builder<'a> {
    bytes: &'a [u8],
    sections: &'a Sections,
    definitions: Definitions,
    circuit: Circuit,
}

impl<'a> Builder<'a> {
    fn new(bytes: &'a [u8], sections: &'a Sections) -> Result<Self, ReadError> {
        let mut definitions = match sections.header.format {
            Format::Ascii => Definitions::Sparse(FxHashMap::default()),
            Format::Binary => Definitions::Dense(Vec::new()),
        };
        definitions.set(0, Definition::Known(Signal::FALSE));
        let mut builder = Builder { bytes, sections, definitions, circuit: Circuit::default() };
        let leaves = sections.inputs.iter().chain(sections.latches.iter().map(|latch| &latch.own));
        // Placeholders: the leaves come once it is clear that nothing is defined twice.
        for &own in leaves {
            builder.define(own, Definition::Known(Signal::FALSE))?;
        }
        for (index, gate) in sections.gates.iter().enumerate() {
            builder.define(gate.own, Definition::Gate(index))?;
        }
        Ok(builder)
    }

    fn define(&mut self, own: Literal, definition: Definition) -> Result<(), ReadError> {
        match self.definitions.set(own.code / 2, definition) {
            None => Ok(()),
            Some(_) => Err(self.error(own.at, format!("literal {} is defined a second time", own.code))),
        }
    }

    fn error(&self, at: usize, message: String) -> ReadError {
        ReadError::new(self.bytes, at, self.sections.binary_from, message)
    }

    fn leaves(&mut self) {
        let Symbols { inputs, latches, .. } = &self.sections.symbols;
        for (index, input) in self.sections.inputs.iter().enumerate() {
            let signal = self.circuit.gates.leaf();
            self.circuit.inputs.push(Input { signal, name: name(inputs, index) });
            self.definitions.set(input.code / 2, Definition::Known(signal));
        }
        for (index, latch) in self.sections.latches.iter().enumerate() {
            let signal = self.circuit.gates.leaf();
            self.circuit.latches.push(Latch { signal, next: signal, reset: latch.reset, name: name(latches, index) });
            self.definitions.set(latch.own.code / 2, Definition::Known(signal));
        }
    }

    fn gates(&mut self) -> Result<(), ReadError> {
        for gate in &self.sections.gates {
            self.gate(gate.own.code / 2)?;
        }
        Ok(())
    }

    /// Builds a gate and everything it depends on, depth first, without recursion: chains can be long.
    fn gate(&mut self, variable: u32) -> Result<(), ReadError> {
        let mut stack = vec![variable];
        while let Some(&variable) = stack.last() {
            match self.definitions.get(variable) {
                Some(Definition::Gate(index)) => {
                    self.definitions.set(variable, Definition::Begun(index));
                    let gate = &self.sections.gates[index];
                    for operand in gate.operands {
                        match self.definitions.get(operand / 2) {
                            Some(Definition::Known(_)) => {}
                            Some(Definition::Gate(_)) => stack.push(operand / 2),
                            Some(Definition::Begun(_)) => {
                                let message = format!("gate {} depends on itself", operand & !1);
                                return Err(self.error(gate.own.at, message));
                            }
                            None => return Err(self.undefined(operand, gate.own.at)),
                        }
                    }
                }
                Some(Definition::Begun(index)) => {
                    let gate = &self.sections.gates[index];
                    let [a, b] = gate.operands;
                    let (a, b) = (self.signal(a, gate.own.at)?, self.signal(b, gate.own.at)?);
                    let signal = self.circuit.gates.and(a, b);
                    self.definitions.set(variable, Definition::Known(signal));
                    stack.pop();
                }
                _ => _ = stack.pop(),
            }
        }
        Ok(())
    }

    fn undefined(&self, code: u32, at: usize) -> ReadError {
        self.error(at, format!("literal {code} is used here, but {} is defined nowhere", code & !1))
    }

    fn signal(&self, code: u32, at: usize) -> Result<Signal, ReadError> {
        match self.definitions.get(code / 2) {
            Some(Definition::Known(signal)) => Ok(signal.complement_if(code % 2 == 1)),
            // Both operands of a gate were put on the stack, one of them below the other.
            Some(Definition::Begun(_)) => Err(self.error(at, format!("gate {} depends on itself", code & !1))),
            _ => Err(self.undefined(code, at)),
        }
    }

    fn signals(&self, literals: &[Literal]) -> Result<Vec<Signal>, ReadError> {
        literals.iter().map(|literal| self.signal(literal.code, literal.at)).collect()
    }

    fn justice(&self, properties: &[Vec<Literal>]) -> Result<Vec<Justice>, ReadError> {
        let names = &self.sections.symbols.justice;
        let justice = |(index, literals): (usize, &Vec<Literal>)| {
            let signals = self.signals(literals)?;
            Ok(Justice { name: format!("j{index}"), symbol: name(names, index), signals })
        };
        properties.iter().enumerate().map(justice).collect()
    }

    fn model(mut self) -> Result<Model, ReadError> {
        let Sections { header, inputs, latches, outputs, bad, constraints, justice, fairness, symbols, .. } =
            self.sections;
        for (index, latch) in latches.iter().enumerate() {
            self.circuit.latches[index].next = self.signal(latch.next, latch.own.at)?;
        }
        self.circuit.constraints = self.signals(constraints)?;
        let justice = self.justice(justice)?;
        let fairness = self.signals(fairness)?;
        let all_outputs = self.signals(outputs)?;
        let all_bad = self.signals(bad)?;
        // Outputs are the bad states of files from before there were others.
        let has_properties = header.bad > 0 || header.justice > 0;
        let (kind, properties, names) =
            if has_properties { ('b', &all_bad, &symbols.bad) } else { ('o', &all_outputs, &symbols.outputs) };
        let named = |list: &[Signal], names: &[String]| {
            let one = |(index, &signal): (usize, &Signal)| Bad { signal, name: name(names, index) };
            list.iter().enumerate().map(one).collect::<Vec<_>>()
        };
        self.circuit.bad = named(properties, names);
        let outputs = if has_properties { named(&all_outputs, &symbols.outputs) } else { vec![] };
        Ok(Model {
            properties: (0..self.circuit.bad.len()).map(|index| format!("{kind}{index}")).collect(),
            outputs,
            justice,
            fairness,
            input_literals: inputs.iter().map(|input| input.code).collect(),
            latch_literals: latches.iter().map(|latch| latch.own.code).collect(),
            circuit: self.circuit,
        })
    }
}

fn name(names: &[String], index: usize) -> String {
    names.get(index).cloned().unwrap_or_default()
}
