//! The front end for RERS challenge programs: C text of the dialects of 2012 to 2020 to a program.
//!
//! 1. `parse`: text to ANTLR's parse tree, with `grammar/RersC.g4`;
//! 2. `build`: that to the syntax tree, `ast`;
//! 3. `declare`, `functions`: globals, tables and functions of all files get their `names`;
//! 4. `lower`: statements, expressions, assignments and calls become statements of the program, which `emit` and
//!    `arithmetic` write; `main`'s endless loop becomes the step;
//! 5. `recursion`, `alphabet`, `head`: what can be seen only when all is lowered.
//!
//! Whatever is not understood is refused with a message; nothing is guessed.

mod alphabet;
mod arithmetic;
mod ast;
mod build;
mod declare;
mod emit;
mod functions;
mod head;
mod lower;
mod names;
mod parse;
mod recursion;
#[cfg(test)]
mod tests;

use redoubt_base::Interrupt;
use std::sync::Arc;

use ast::Syntax;
use emit::Emitter;

use super::c_common::each_file;
use super::refused::Lowered;
use super::tree::{Names, Tree};
use super::watch::Watch;
use super::{Diagnostic, Diagnostics, uninterrupted};
use crate::program::{Builder, Program, assigned};
use crate::text::Sources;

const NAMES: Names = Names { token: redoubt_parsers::rers_c::parser::NAME, rule: None };

/// Lowers the files of one program; the first one gives it its name.
pub fn load(sources: Arc<Sources>) -> Result<Program, Diagnostics> {
    uninterrupted(|interrupt| load_within(sources, interrupt))
}

/// Likewise, until the interrupt is raised.
pub fn load_within(sources: Arc<Sources>, interrupt: &Interrupt) -> Lowered<Program> {
    let mut watch = Watch::new(interrupt);
    let syntax = syntax(&sources, &mut watch)?;
    let name = sources.files().first().map_or(String::new(), |file| file.name.clone());
    let mut out = Emitter::new(Builder::new(name, Arc::clone(&sources)));
    let mut diagnostics = Diagnostics::default();
    let names = declare::declare(&syntax, &mut out, &mut diagnostics, &mut watch)?;
    let main = lower::bodies(&syntax, &names, &mut out, &mut diagnostics, &mut watch)?;
    if diagnostics.is_empty() {
        recursion::check(&out.program, &mut diagnostics);
    }
    if diagnostics.is_empty() {
        check_assigned(&out, &mut diagnostics);
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics.sorted().into());
    }
    let input = alphabet::find(&syntax, &names, &out.program, main.input_read.unwrap_or_default())?;
    out.program.add_input(input);
    if let Some(found) = main.main_loop {
        let head = head::describe(&syntax, &names, &out, &found);
        out.program.set_heads(vec![head]);
    }
    let mut program = out.program.finish().map_err(Diagnostics::from)?;
    program.sort_properties();
    Ok(program)
}

/// The tree of all files.
fn syntax<'s>(sources: &'s Sources, watch: &mut Watch) -> Lowered<Syntax<'s>> {
    let mut syntax = Syntax::default();
    let add = |source, tree: Tree<'_>, watch: &mut Watch| build::add_file(&mut syntax, source, tree, watch);
    each_file(sources, watch, NAMES, parse::parse, add)?;
    Ok(syntax)
}

/// Refuses what C leaves undefined: reading a local, or the result of a function, that may not have been assigned.
fn check_assigned(out: &Emitter, diagnostics: &mut Diagnostics) {
    let program = &out.program;
    for (variable, span) in assigned::read_before_assigned(program, &out.uninitialised) {
        let message = match program.functions.iter().find(|function| function.result == Some(variable)) {
            Some(function) => format!("`{}` may end without returning a value", function.name),
            None => {
                let name = program.sources.text(program.variable(variable).span);
                format!("`{name}` may be read before it is assigned")
            }
        };
        diagnostics.push(Diagnostic::new(span, message, "its value is undefined here"));
    }
}
