//! A program and an earlier encoding of it to the changes: none, the form only, or the meaning of a step.
//!
//! Both encodings are read back and compared by the names in them: a solver looks for a state and an input for which a
//! variable gets another next value, or a property is reached by one of them only (`question`). Circuits that differ so
//! may still agree in all states that runs reach; that is decided by their miter ([`mod@super::circuits`]).
//! Clauses are compared in the same way, if they are nothing but definitions, so that no state and no input contradicts
//! them (`clauses`).

use crate::base::{Interrupt, Limits};
use crate::blast::Code;
use crate::circuit::aiger::{self, Model};
use crate::encode::{self, EncodeError, Format, Simplified};
use crate::hardware::{self, words};
use crate::program::Program;
use crate::words::read as read_btor2;

use super::Likeness;
use super::circuits::{self, miter};
use super::clauses;
use super::matching::Wanted;
use super::question::{self, Meanings};

/// The changes of an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The same bytes.
    Unchanged,
    /// Other bytes, which say the same of every state and input.
    Equivalent,
    /// Something is different, a line each, but every run reaches the same properties: steps differ where no run comes, or in
    /// variables that do not matter.
    EquivalentOnRuns(Vec<String>),
    /// The differences, in words of the program, a line each.
    Different(Vec<String>),
    /// It could not be found out, for this reason.
    Unknown(String),
}

impl Change {
    pub fn word(&self) -> &'static str {
        match self {
            Change::Unchanged => "unchanged",
            Change::Equivalent | Change::EquivalentOnRuns(_) => "equivalent",
            Change::Different(_) => "different",
            Change::Unknown(_) => "unknown",
        }
    }
}

/// The changes since a snapshot was written, in this format and with these options.
pub fn check(
    program: &Program,
    format: Format,
    options: &encode::EncodeOptions,
    snapshot: &[u8],
    interrupt: &Interrupt,
) -> Result<Change, EncodeError> {
    let mut now = vec![];
    encode::encode(program, format, options, &mut now)?;
    if now == snapshot {
        return Ok(Change::Unchanged);
    }
    let meanings = meanings(program, format, options)?;
    Ok(match format {
        Format::Smt2 => Change::Unknown("it has changed, and SMT-LIB is not read back".into()),
        Format::Cnf => clauses::check(snapshot, &now, &meanings, interrupt),
        Format::Aiger | Format::Aag => circuits(aiger::read, snapshot, &now, &meanings, interrupt),
        Format::Btor2 => {
            let read = |bytes: &[u8]| {
                let words = read_btor2(bytes)?;
                Ok(words::circuit(words).map(|(circuit, _)| circuit))
            };
            let read = |bytes: &[u8]| match read(bytes) {
                Ok(Ok(circuit)) => Ok(circuit),
                Ok(Err(large)) => Err(large.to_string()),
                Err::<_, aiger::ReadError>(error) => Err(error.to_string()),
            };
            circuits(read, snapshot, &now, &meanings, interrupt)
        }
    })
}

/// The notation of the variables' values in a format, and their initial values.
fn meanings(program: &Program, format: Format, options: &encode::EncodeOptions) -> Result<Meanings, EncodeError> {
    let simplified = Simplified::new(program, options)?;
    let system = &simplified.system;
    let is_word_level = matches!(format, Format::Btor2 | Format::Smt2);
    let plain = |is_truth: bool| Code::Binary { width: if is_truth { 1 } else { 32 } };
    let blasted = (!is_word_level).then(|| crate::blast::blast(system, options.width));
    let mut meanings = Meanings::default();
    for (index, state) in system.states.iter().enumerate() {
        let code = blasted
            .as_ref()
            .map_or_else(|| plain(state.ty == crate::expr::Type::Bool), |blasted| blasted.states[index].clone());
        meanings.add(&state.name, code, Some(state.initial));
    }
    for (index, input) in system.inputs.iter().enumerate() {
        let code = blasted.as_ref().map_or_else(|| plain(false), |blasted| blasted.inputs[index].clone());
        meanings.add(&input.name, code, None);
    }
    Ok(meanings)
}

fn circuits<E: ToString>(
    read: impl Fn(&[u8]) -> Result<Model, E>,
    snapshot: &[u8],
    now: &[u8],
    meanings: &Meanings,
    interrupt: &Interrupt,
) -> Change {
    let old = match read(snapshot) {
        Ok(old) => old,
        Err(error) => return Change::Unknown(format!("the snapshot cannot be read: {}", error.to_string())),
    };
    let new = match read(now) {
        Ok(new) => new,
        Err(error) => return Change::Unknown(error.to_string()),
    };
    let change = question::circuits(&old.circuit, &new.circuit, meanings, interrupt);
    // An additional variable may not matter, and neither may a state that no run reaches.
    let has_same_outputs = old.properties.len() == new.properties.len();
    let (Change::Different(lines), true, Ok(miter)) =
        (&change, has_same_outputs, miter(&old, &new, &Wanted::default()))
    else {
        return change;
    };
    let limits = Limits { interrupt: interrupt.clone(), ..Limits::default() };
    let options = hardware::ModelOptions { limits, ..hardware::ModelOptions::default() };
    match circuits::decide(&miter, &old, &new, &options).0 {
        Likeness::Equal { .. } if miter.only.is_empty() => Change::EquivalentOnRuns(lines.clone()),
        _ => change,
    }
}
