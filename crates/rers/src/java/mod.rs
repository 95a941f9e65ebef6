//! Java of the challenge to the syntax tree of its C: what means the same becomes the same.
//!
//! 1. `parse`: text to ANTLR's parse tree, with `grammar/RersJava.g4`;
//! 2. `build`: that to the syntax tree. The classes of a program have one instance each, so their members are globals and
//!    functions; `equals` and what is thrown have parts of the tree of their own;
//! 3. `types`: whether every part has the type that it needs, since nothing after it tells texts and truth values from
//!    numbers.
//!
//! Texts are numbers from here on; [`words`] has which ones. An exception that nobody catches ends the run: a label, a
//! division by zero, an index outside its table. What `main` catches is the complaint about an invalid input.

pub use build::PRINT;

mod build;
mod parse;
mod types;
pub mod words;

use redoubt_program::text::Sources;
use redoubt_reading::Diagnostics;
use redoubt_reading::c_common::each_file;
use redoubt_reading::refused::Lowered;
use redoubt_reading::tree::Names;
use redoubt_reading::watch::Watch;

use super::ast::Syntax;

const NAMES: Names = Names { token: redoubt_parsers::rers_java::names::NAME, rule: None };

/// The tree of all files of a program.
pub fn syntax<'s>(sources: &'s Sources, watch: &mut Watch) -> Lowered<Syntax<'s>> {
    let mut syntax = Syntax::default();
    let mut classes = build::Classes::default();
    let mut diagnostics = Diagnostics::default();
    each_file(
        sources,
        watch,
        NAMES,
        |file, source, watch| parse::parse(file, &source.text, watch),
        |source, tree, watch| build::add_file(&mut syntax, &mut classes, &mut diagnostics, source, tree, watch),
    )?;
    if diagnostics.is_empty() {
        classes.check(&mut diagnostics);
        types::check(&syntax, &classes, &mut diagnostics);
    }
    if diagnostics.is_empty() { Ok(syntax) } else { Err(diagnostics.sorted().into()) }
}
