//! The front end for sequential C: loops, jumps and calls anywhere, as in the software verification competition.
//!
//! 1. `parse`: text to ANTLR's parse tree, with `grammar/C.g4`;
//! 2. `build`: that to the syntax tree, `ast`;
//! 3. `lower`: from `main` on, everything that a run can come to becomes a control-flow automaton; `types`, `words` and `wide`
//!    know C's integers, `record` its structures, `float` its numbers with fractions, `headers` what the standard headers declare;
//! 4. the automaton is simplified and becomes a program ([`flow`](redoubt_program::flow)).
//!
//! Everything is read, and only what a run can come to may be refused.

mod ast;
mod attribute;
mod build;
mod float;
mod headers;
mod lower;
mod parse;
mod record;
mod types;
mod wide;
mod words;

use redoubt_base::Interrupt;
use std::collections::BTreeSet;
use std::sync::Arc;

use ast::Syntax;

pub use types::Model;

use redoubt_program::flow::{Automaton, End};
use redoubt_program::program::{Builder, Language, Program};
use redoubt_program::text::{SourceFile, Sources};
use redoubt_reading::c_common::each_file;
use redoubt_reading::refused::{Lowered, Refused};
use redoubt_reading::tree::{Names, Tree};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostics, uninterrupted};

/// Lowers the files of one program; the first one gives it its name.
pub fn load(sources: Arc<Sources>) -> Result<Program, Diagnostics> {
    uninterrupted(|interrupt| load_within(sources, Reading::default(), interrupt))
}

/// The same, with loops that only count left as they are, for statements about each of their rounds.
pub fn load_round_by_round(sources: Arc<Sources>) -> Result<Program, Diagnostics> {
    uninterrupted(|interrupt| {
        let (automaton, builder) = automaton_within(sources, interrupt, false, Reading::default())?;
        automaton.into_program(builder).map_err(|malformed| Diagnostics::from(malformed).into())
    })
}

/// The program as [`load`] has it, until the interrupt is raised.
pub fn load_within(sources: Arc<Sources>, reading: Reading, interrupt: &Interrupt) -> Lowered<Program> {
    let (automaton, builder) = automaton_within(sources, interrupt, true, reading)?;
    automaton.into_program(builder).map_err(|malformed| Diagnostics::from(malformed).into())
}

/// How a program is read, where its text does not say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// How large `long` and pointers are.
    pub model: Model,
    /// How many cells each allocation has at a time, and how deep calls of functions nest that call themselves.
    pub room: u32,
}

impl Default for Reading {
    fn default() -> Self {
        Reading { model: Model::ILP32, room: LEAST_ROOM }
    }
}

/// The room that programs get unless they are known to need more, and the most that they are given.
pub const LEAST_ROOM: u32 = 4;
pub const MOST_ROOM: u32 = 1024;

/// The control-flow automaton of a program, simplified, with the builder that has its expressions.
pub fn automaton(sources: Arc<Sources>) -> Result<(Automaton, Builder), Diagnostics> {
    uninterrupted(|interrupt| automaton_within(sources, interrupt, true, Reading::default()))
}

fn automaton_within(
    sources: Arc<Sources>,
    interrupt: &Interrupt,
    accelerate: bool,
    reading: Reading,
) -> Lowered<(Automaton, Builder)> {
    let own = sources.files().len() as u32;
    let sources = with_library(&sources);
    automaton_of(&sources, own, interrupt, accelerate, reading).map_err(|refused| match refused {
        // A place in the library is no place of the program.
        Refused::Mistakes(mistakes) => Refused::Mistakes(mistakes.within(own)),
        interrupted @ Refused::Interrupted => interrupted,
    })
}

/// The functions of the C library that programs call without defining them.
const LIBRARY: &str = include_str!("prelude.c");

/// The files of a program, and the C library behind them if it mentions a function of it.
fn with_library(sources: &Arc<Sources>) -> Arc<Sources> {
    let names = [
        "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strchr",
    ];
    let is_wanted = |file: &SourceFile| names.iter().any(|name| file.text.contains(name));
    if !sources.files().iter().any(is_wanted) {
        return Arc::clone(sources);
    }
    let mut files = sources.files().to_vec();
    files.push(SourceFile::new("<string.h>", LIBRARY));
    Arc::new(Sources::new(files))
}

fn automaton_of(
    sources: &Arc<Sources>,
    own: u32,
    interrupt: &Interrupt,
    accelerate: bool,
    reading: Reading,
) -> Lowered<(Automaton, Builder)> {
    let mut watch = Watch::new(interrupt);
    let syntax = syntax(sources, &mut watch)?;
    let name = sources.files().first().map_or(String::new(), |file| file.name.clone());
    let builder = Builder::new(name, Arc::clone(sources)).in_language(Language::C);
    let lower::Made { mut automaton, mut builder, refusals } =
        lower::lower(&syntax, own, builder, lower::How { reading, unroll: accelerate }, &mut watch)?;
    automaton.simplify(&mut builder);
    watch.look_closely()?;
    automaton.split_tables(&mut builder);
    automaton.simplify(&mut builder);
    watch.look_closely()?;
    if accelerate {
        automaton.accelerate(&mut builder);
    }
    watch.look_closely()?;
    let mut diagnostics = Diagnostics::default();
    let refused = automaton.blocks.iter().filter_map(|block| match block.end {
        End::Refuse(number) => Some(number),
        _ => None,
    });
    for number in refused.collect::<BTreeSet<usize>>() {
        diagnostics.append(refusals[number].clone());
    }
    if diagnostics.is_empty() { Ok((automaton, builder)) } else { Err(diagnostics.sorted().into()) }
}

const NAMES: Names = Names { token: redoubt_parsers::c::names::NAME, rule: None };

/// The tree of all files.
fn syntax<'s>(sources: &'s Sources, watch: &mut Watch) -> Lowered<Syntax<'s>> {
    let mut syntax = Syntax::default();
    let add = |source, tree: Tree<'_>, watch: &mut Watch| build::add_file(&mut syntax, source, tree, watch);
    each_file(sources, watch, NAMES, parse::parse, add)?;
    Ok(syntax)
}

#[cfg(test)]
mod tests;
