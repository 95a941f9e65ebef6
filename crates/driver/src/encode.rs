//! Programs to files for other tools: clauses, circuits, word-level systems.

use std::io::{self, Write};

use rustc_hash::FxHashSet;

use crate::base::{Ended, Interrupt};
use crate::blast::{Blasted, Width, blast, blast_with_writes};
use crate::circuit::aiger;
use crate::cnf::{Cnf, Encoding, Lit, STOP, Transition, Uses, dimacs};
use crate::program::{Program, PropertyKind};
use crate::system::passes::{self, Passed, Passes, Saving};
use crate::system::{self, TransitionSystem, btor2, smt2};

/// The formats that a program can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The clauses of one step, in DIMACS.
    Cnf,
    /// A circuit in binary AIGER.
    Aiger,
    /// A circuit in ASCII AIGER.
    Aag,
    /// A word-level system in BTOR2.
    Btor2,
    /// A word-level system in SMT-LIB 2.
    Smt2,
}

/// The way in which a step becomes clauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Next values as circuits.
    #[default]
    Functional,
    /// Writes and frame conditions.
    Frame,
}

/// The options of an encoding. The default is the reference: 32 bits, nothing left out.
#[derive(Clone, Copy, Debug)]
pub struct EncodeOptions {
    pub style: Style,
    /// The width of integers in circuits and clauses.
    pub width: Width,
    /// The way in which gates become clauses.
    pub clauses: Encoding,
    /// The passes that make the system smaller beforehand.
    pub passes: Passes,
}

impl Default for EncodeOptions {
    fn default() -> EncodeOptions {
        let (width, clauses) = (Width::Full, Encoding::Compact);
        EncodeOptions { style: Style::Functional, width, clauses, passes: Passes::NONE }
    }
}

/// Why a program could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    #[error(transparent)]
    Ended(#[from] Ended),
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// A program as a system, after the passes.
#[derive(Clone, Debug)]
pub struct Simplified {
    pub system: TransitionSystem,
    pub savings: Vec<Saving>,
}

/// A program as a circuit and as clauses.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub system: TransitionSystem,
    pub savings: Vec<Saving>,
    pub blasted: Blasted,
    pub cnf: Cnf,
    /// The names of literals.
    pub names: Vec<(Lit, String)>,
}

/// Writes a program for other tools.
pub fn encode(
    program: &Program,
    format: Format,
    options: &EncodeOptions,
    out: &mut dyn Write,
) -> Result<(), EncodeError> {
    Ok(Simplified::new(program, options)?.write(format, options, out)?)
}

impl Simplified {
    pub fn new(program: &Program, options: &EncodeOptions) -> Result<Simplified, Ended> {
        let mut system = system::build(program)?;
        // Properties that exist only for warnings are no properties elsewhere.
        let mut kinds = program.properties.iter().map(|property| property.kind);
        system.properties.retain(|_| kinds.next().is_none_or(PropertyKind::is_question));
        let Passed { mut system, savings, .. } = passes::run(system, options.passes, &Interrupt::default());
        name_apart(&mut system);
        Ok(Simplified { system, savings })
    }

    /// Writes it; no more of the way is gone than the format needs.
    pub fn write(&self, format: Format, options: &EncodeOptions, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Btor2 => btor2::write(out, &self.system),
            Format::Smt2 => smt2::write(out, &self.system),
            Format::Cnf | Format::Aiger | Format::Aag => self.clone().encode(options).write(format, out),
        }
    }

    pub fn encode(self, options: &EncodeOptions) -> Encoded {
        let Simplified { system, savings } = self;
        // Readers of the file may assume any literal in either polarity.
        let uses = Uses::ANY;
        let (blasted, names, cnf) = match options.style {
            Style::Functional => {
                let blasted = blast(&system, options.width);
                let transition = Transition::new(&blasted.circuit, options.clauses, uses);
                let names = transition.names(&blasted.circuit);
                (blasted, names, transition.cnf)
            }
            Style::Frame => {
                let blasted = blast_with_writes(&system, options.width);
                let frame = blasted.frame(options.clauses, uses);
                let names = frame.names(&blasted.circuit, system.states.iter().map(|state| &*state.name));
                (blasted, names, frame.transition.cnf)
            }
        };
        Encoded { system, savings, blasted, cnf, names }
    }
}

/// Gives another name to states that are called like an input, or like the end of a run in a file of clauses: readers
/// of the file could not tell which of the two is meant.
fn name_apart(system: &mut TransitionSystem) {
    let mut taken: FxHashSet<String> = system.inputs.iter().map(|input| input.name.clone()).collect();
    taken.insert(STOP.into());
    let clashing: Vec<usize> =
        (0..system.states.len()).filter(|&state| taken.contains(&system.states[state].name)).collect();
    taken.extend(system.states.iter().map(|state| state.name.clone()));
    for state in clashing {
        let name = &mut system.states[state].name;
        while taken.contains(name.as_str()) {
            name.insert(0, '_');
        }
        taken.insert(name.clone());
    }
}

impl Encoded {
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        let (circuit, comment) = (&self.blasted.circuit, &self.system.name);
        match format {
            Format::Cnf => dimacs::write(out, &self.cnf, &self.names),
            Format::Aiger => aiger::write(out, circuit, aiger::Format::Binary, comment),
            Format::Aag => aiger::write(out, circuit, aiger::Format::Ascii, comment),
            Format::Btor2 => btor2::write(out, &self.system),
            Format::Smt2 => smt2::write(out, &self.system),
        }
    }
}
