//! The front end for models of NuSMV: a text to a relational model of words.
//!
//! 1. `parse`, `build`, `literal`: text to ANTLR's parse tree, with `grammar/Smv.g4`, and this to the syntax tree `ast`;
//! 2. `scope`: modules to instances, names to what they mean; `domain` has the values of variables and the bits that stand for them;
//! 3. `evaluate` and `value`: expressions to words, with their types checked, and the conditions under which they have no value;
//! 4. `assign`, `circles`: assignments, each once and none by itself;
//! 5. `relate`: all of it to a `model`: functions where the text determines a variable, constraints elsewhere, and `formula`s;
//! 6. `tableau`: runs that violate a formula of linear time.
//!
//! What is not understood is refused with a message. A specification that is refused costs no other.

mod assign;
pub mod ast;
mod build;
mod circles;
pub mod domain;
mod evaluate;
pub mod formula;
mod literal;
pub mod model;
mod parse;
mod relate;
mod scope;
mod tableau;
mod value;

use std::sync::Arc;

use redoubt_base::Interrupt;
use redoubt_program::text::Sources;
use redoubt_reading::refused::{Lowered, note};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostics, uninterrupted};

pub use model::{Model, Obligations};

/// Reads the files of one model. The obligations are still to be checked.
pub fn load(sources: &Arc<Sources>) -> Result<(Model, Obligations), Diagnostics> {
    uninterrupted(|interrupt| load_within(sources, interrupt))
}

/// The same, until the interrupt is raised. Only the parser looks at that.
pub fn load_within(sources: &Arc<Sources>, interrupt: &Interrupt) -> Lowered<(Model, Obligations)> {
    let watch = Watch::new(interrupt);
    let mut text = ast::Text { expressions: vec![], modules: vec![] };
    let mut diagnostics = Diagnostics::default();
    for (index, file) in sources.files().iter().enumerate() {
        note(&mut diagnostics, parse::parse(index as u32, file, &mut text, &watch))?;
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics.sorted().into());
    }
    relate::model(sources, scope::Hierarchy::new(&text)?)
}
