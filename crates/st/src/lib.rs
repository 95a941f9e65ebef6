//! The front end for PLC programs in Structured Text (IEC 61131-3): a program to a program of redoubt.
//!
//! 1. `parse`, `build`, `literal`: text to ANTLR's parse trees, with `grammar/StructuredText.g4` and, for comments,
//!    `grammar/StProperties.g4`, and these to the syntax tree `ast`;
//! 2. `declare`: types, units and variables get their names; `storage` makes the variables of the program;
//! 3. `lower`: puts the program together; `statement` turns statements, `expression`, `value`, `place` and `functions`
//!    expressions, `call` blocks and functions, `timer` timers into statements of the program, which `make` makes;
//!    `flow` has the facts about values on the way;
//! 4. `property` and `past`: judgements at the end of each cycle.
//!
//! A step of the program is a cycle of the machine. Whatever is not understood is refused with a message, and all messages
//! come at once.

mod ast;
mod build;
mod call;
mod declare;
mod expression;
mod flow;
mod functions;
mod literal;
mod lower;
mod make;
mod parse;
mod past;
mod place;
mod property;
pub mod standard;
mod statement;
mod storage;
mod timer;
mod types;
mod value;

use redoubt_base::Interrupt;
use std::sync::Arc;

use redoubt_program::program::Program;
use redoubt_program::text::{SourceFile, Sources};
use redoubt_reading::refused::{Lowered, note};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostics, uninterrupted};

/// Lowers the files of one program; the first one gives it its name.
pub fn load(sources: Arc<Sources>) -> Result<Program, Diagnostics> {
    uninterrupted(|interrupt| load_within(sources, interrupt))
}

/// The same, until the interrupt is raised. Only the parser looks at that.
pub fn load_within(sources: Arc<Sources>, interrupt: &Interrupt) -> Lowered<Program> {
    load_with(sources, standard::TEXT, interrupt)
}

/// The same, with another text for the blocks of the standard.
pub fn load_with(sources: Arc<Sources>, standard: &str, interrupt: &Interrupt) -> Lowered<Program> {
    let watch = Watch::new(interrupt);
    let mut text = ast::Text::default();
    let mut diagnostics = Diagnostics::default();
    for (index, file) in sources.files().iter().enumerate() {
        note(&mut diagnostics, parse::parse(index as u32, file, &mut text, &watch))?;
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics.sorted().into());
    }
    // The program's own blocks come first, and hide those of the standard.
    parse::parse(standard::FILE, &SourceFile::new("the standard library", standard), &mut text, &watch)?;
    Ok(lower::lower(&sources, &text, &lower::Settings::default())?)
}
