//! The front end for RERS challenge programs: C and Java of the dialects of 2012 to 2020 to a program.
//!
//! 1. `pieces`, `parse`: text to ANTLR's parse tree, with `grammar/RersC.g4`; large ones piece by piece, if there are threads;
//! 2. `build`: that to the syntax tree, `ast`; `java` does both for Java, to the same tree;
//! 3. `declare`, `functions`: globals, tables and functions of all files get their `names`;
//! 4. `lower`: statements, expressions, assignments and calls become statements of the program, which `emit` and
//!    `arithmetic` write; `main`'s endless loop becomes the step;
//! 5. `recursion`, `alphabet`, `head`: the checks and facts that need the whole program.
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
mod java;
mod lower;
mod names;
mod parse;
mod pieces;
mod recursion;

use std::ops::Range;
use std::sync::Arc;

use redoubt_base::threads::map;
use redoubt_base::{Interrupt, Limits, Threads};

use ast::Syntax;
use emit::{Emitter, Words};

use redoubt_program::program::{self, Builder, Language, Program, assigned};
use redoubt_program::text::{SourceFile, Sources};
use redoubt_reading::refused::{Lowered, Refused, note};
use redoubt_reading::tree::{Names, Tree};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostic, Diagnostics, uninterrupted};

const NAMES: Names = Names { token: redoubt_parsers::rers_c::names::NAME, rule: None };

/// The languages of the challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    C,
    Java,
}

/// Lowers the files of one program in C; the first one gives it its name.
pub fn load(sources: Arc<Sources>) -> Result<Program, Diagnostics> {
    let within = |interrupt: &Interrupt| Limits { interrupt: interrupt.clone(), ..Limits::default() };
    uninterrupted(|interrupt| load_within(sources, Dialect::C, &within(interrupt)))
}

/// The same in either language, until the interrupt is raised.
pub fn load_within(sources: Arc<Sources>, dialect: Dialect, limits: &Limits) -> Lowered<Program> {
    let mut watch = Watch::new(&limits.interrupt);
    let (language, syntax) = match dialect {
        Dialect::C => (Language::RersC, syntax(&sources, &limits.threads, &mut watch)?),
        Dialect::Java => (Language::RersJava, java::syntax(&sources, &mut watch)?),
    };
    let name = sources.files().first().map_or(String::new(), |file| file.name.clone());
    let mut out = Emitter::new(Builder::new(name, Arc::clone(&sources)).in_language(language));
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
    if dialect == Dialect::Java {
        let Words { inputs, outputs } = out.words;
        out.program.set_words(program::Words { inputs: inputs.into_names(), outputs: outputs.into_names() });
    } else if let Some(found) = main.main_loop {
        let head = head::describe(&syntax, &names, &out, &found);
        out.program.set_heads(vec![head]);
    }
    let mut program = out.program.finish().map_err(Diagnostics::from)?;
    program.sort_properties();
    Ok(program)
}

/// The tree of all files.
fn syntax<'s>(sources: &'s Sources, threads: &Threads, watch: &mut Watch) -> Lowered<Syntax<'s>> {
    let mut syntax = Syntax::default();
    let mut diagnostics = Diagnostics::default();
    for (index, source) in sources.files().iter().enumerate() {
        let file = index as u32;
        let parsed = match in_pieces(file, source, threads, watch)? {
            Some(parsed) => Some(parsed),
            None => note(&mut diagnostics, piece(file, source, 0..source.text.len(), watch.clone()))?,
        };
        parsed.into_iter().for_each(|parsed| syntax.append(parsed));
    }
    if diagnostics.is_empty() { Ok(syntax) } else { Err(diagnostics.into()) }
}

/// The tree of a file whose pieces were parsed side by side; `None` if that is not to be done, or something is wrong with one of them:
/// then the whole has to be looked at.
fn in_pieces<'s>(file: u32, source: &'s SourceFile, threads: &Threads, watch: &Watch) -> Lowered<Option<Syntax<'s>>> {
    let borrowed = threads.borrow(usize::MAX);
    let pieces = pieces::pieces(&source.text, 1 + borrowed.count());
    if pieces.len() < 2 {
        return Ok(None);
    }
    let watches = vec![watch.clone(); pieces.len()];
    let parsed = map(watches, &pieces, |watch, range| piece(file, source, range.clone(), watch.clone()));
    let mut whole = Syntax { files: vec![vec![]], ..Syntax::default() };
    for parsed in parsed {
        match parsed {
            Ok(parsed) => whole.append(parsed),
            Err(Refused::Mistakes(_)) => return Ok(None),
            Err(interrupted) => return Err(interrupted),
        }
    }
    whole.files = vec![whole.files.into_iter().flatten().collect()];
    Ok(Some(whole))
}

/// The tree of a piece of a file. ANTLR's own is many times as large, and gone by then.
fn piece<'s>(file: u32, source: &'s SourceFile, range: Range<usize>, mut watch: Watch) -> Lowered<Syntax<'s>> {
    let mut syntax = Syntax::default();
    let parsed = parse::parse(file, &source.text[range.clone()], &watch)?;
    if let Some(tree) = Tree::of_piece(parsed.tree(), file, range.start as u32, NAMES) {
        build::add_file(&mut syntax, source, tree, &mut watch)?;
    }
    Ok(syntax)
}

/// Refuses undefined behaviour of C: reading a local, or the result of a function, that may not have been assigned.
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

#[cfg(test)]
mod tests;
