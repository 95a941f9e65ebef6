//! The front end for the guarded-command language `.gcl`: a controller's model to a program.
//!
//! 1. `parse`, `build`: text to ANTLR's parse tree, with `grammar/Gcl.g4`, and that to the syntax tree `ast`;
//! 2. `elaborate`: modules, records and whole arrays are written out, which leaves a plainer tree of the same kind;
//! 3. `lower::declare`: constants, enumerations, inputs, variables and the other items get their `names` and types;
//! 4. `lower`: puts the program together; `statement` and `branch` turn statements, `value`, `operator`, `functions`
//!    and `definitions` expressions, `past` the operators that look back, `property` properties into statements of the
//!    program, which `make` makes; `scope` is their context. `future` and `branching` make formulas of properties of
//!    whole runs.
//!
//! Open choices of a model (which enabled alternative is taken, the value after a `havoc`, where a variable starts)
//! become inputs of the program, so that nothing after this stage needs to know about them. If the start is open, a
//! first step that does nothing else chooses it.
//!
//! Whatever is not understood is refused with a message, and all messages of a file come at once.

mod ast;
mod branch;
mod branching;
mod build;
mod deadlock;
mod definitions;
mod elaborate;
pub mod format;
mod functions;
mod future;
pub mod import;
mod lower;
mod make;
mod mentions;
mod modules;
mod names;
mod operator;
mod parse;
mod past;
mod property;
mod scope;
mod settings;
mod statement;
mod types;
mod value;

use redoubt_base::Interrupt;
use std::sync::Arc;

use redoubt_program::program::Program;
use redoubt_program::text::Sources;
use redoubt_reading::refused::{Lowered, note};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostics, Setting, uninterrupted};

/// Lowers the files of one model; the first one gives it its name.
pub fn load(sources: Arc<Sources>) -> Result<Program, Diagnostics> {
    uninterrupted(|interrupt| load_within(sources, &[], interrupt))
}

/// The same, with other values of its constants, and until the interrupt is raised. Only the parser looks at that: the
/// other stages take a fraction of the time.
pub fn load_within(sources: Arc<Sources>, set: &[Setting], interrupt: &Interrupt) -> Lowered<Program> {
    let watch = Watch::new(interrupt);
    let mut items = vec![];
    let mut diagnostics = Diagnostics::default();
    for (index, file) in sources.files().iter().enumerate() {
        items.extend(note(&mut diagnostics, parse::parse(index as u32, file, &watch))?.into_iter().flatten());
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics.sorted().into());
    }
    settings::apply(&mut items, set);
    let unused = modules::without_instance(&sources, &items);
    let (items, mistakes) = elaborate::elaborate(&sources, &items);
    let mut program = lower::lower(sources, &items, mistakes)?;
    if let Some(legend) = &mut program.legend {
        program.constants = settings::among(&legend.constants, set);
        legend.unused = unused;
    }
    Ok(program)
}
