//! The front end for RERS challenge programs: C text of the dialects of 2012 to 2020 to a program.
//!
//! 1. `parse`: text to ANTLR's parse tree, with `grammar/RersC.g4`;
//! 2. `declare`: globals, tables and functions of all files get their names;
//! 3. `lower`, `value`, `place`, `library`: statements, expressions, assignments and calls become statements of
//!    the program; `main`'s endless loop becomes the step;
//! 4. `alphabet`: the inputs that the environment may choose.
//!
//! Whatever is not understood is refused with a message; nothing is guessed.

mod alphabet;
mod declare;
mod grammar;
mod library;
mod lower;
mod parse;
mod place;
mod recursion;
mod value;

use std::sync::Arc;

use super::tree;
use crate::program::Program;
use crate::source::Diagnostics;
use crate::text::Sources;

/// Lowers the files of one program; the first one gives it its name.
pub fn load(sources: Arc<Sources>) -> Result<Program, Diagnostics> {
    let mut parsed = vec![];
    let mut diagnostics = Diagnostics::default();
    for (index, file) in sources.files().iter().enumerate() {
        match parse::parse(index as u32, file) {
            Ok(tree) => parsed.push(tree),
            Err(errors) => errors.iter().for_each(|error| diagnostics.push(error.clone())),
        }
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let trees: Vec<tree::Tree<'_>> = parsed
        .iter()
        .enumerate()
        .filter_map(|(index, file)| tree::Tree::new(file.tree(), index as u32, grammar::parser::NAME))
        .collect();
    lower::lower(Arc::clone(&sources), &trees)
}
