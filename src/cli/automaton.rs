//! `redoubt automaton`: a temporal formula as an automaton, for other tools and for people.

use std::io::Write;

use clap::Args;
use redoubt_base::Interrupt;
use redoubt_languages::{Diagnostic, Diagnostics};
use redoubt_program::text::{SourceFile, Sources, Span};
use redoubt_temporal::automaton::Alphabet;
use redoubt_temporal::{hoa, normal, parse, reduce, tableau};

use super::output::stdout;
use super::{Failure, Outcome};

pub const EXAMPLES: &str = "\
Examples:
  redoubt automaton 'G (iA -> F oX)'
  redoubt automaton --negate 'G (iA -> F oX)'

The automaton is a generalised Büchi automaton with acceptance on transitions, in the Hanoi format (HOA v1).";

#[derive(Args)]
pub struct AutomatonArgs {
    /// The formula: ! & | -> <-> X F G U R W, true, false, and names
    #[arg(value_name = "FORMULA")]
    formula: String,

    /// Write the automaton of the words that do not satisfy the formula
    #[arg(long)]
    negate: bool,

    /// At most one proposition is true at a time, as in the runs of RERS programs
    #[arg(long)]
    exclusive: bool,
}

pub fn run(options: &AutomatonArgs, color: bool) -> Result<Outcome, Failure> {
    let formula = parse(&options.formula).map_err(|mistake| {
        let span = Span { file: 0, start: mistake.place.start as u32, end: mistake.place.end as u32 };
        let sources = Sources::new(vec![SourceFile::new("formula", options.formula.as_str())]);
        let diagnostics: Diagnostics = Diagnostic::new(span, mistake.message, "here").into();
        Failure::Source(diagnostics.render(&sources, color))
    })?;
    let mut arena = normal::Arena::default();
    let root = arena.normalise(&formula.root, !options.negate);
    let alphabet = if options.exclusive { Alphabet::Exclusive } else { Alphabet::Free };
    let automaton = tableau::translate(&arena, root, alphabet, &Interrupt::default())
        .map_err(|unfinished| Failure::Unreadable { path: "formula".into(), reason: unfinished.to_string() })?;
    let name = if options.negate { format!("! ({formula})") } else { formula.to_string() };
    stdout().write_all(hoa::write(&reduce::reduce(automaton), &name, &formula.propositions).as_bytes())?;
    Ok(Outcome::Holds)
}
