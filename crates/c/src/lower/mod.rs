//! The syntax tree to a control-flow automaton, from `main` on, with calls inlined.
//!
//! Only code that a run can reach is looked at, and a part there that is not understood does not end the reading: its
//! block refuses the program, and if the automaton's simplification leaves that block in, its message is shown.
//!
//! Each part lists in its type the things it may touch, from the one that may do least:
//!
//! - [`Text`]: facts known beforehand, and only read: `text` finds definitions and declarations by their names;
//! - [`Emitter`]: the automaton, without what names stand for. `emit` makes blocks and actions, `memory` objects and what pointers may point
//!   to, `place` reads and writes their parts, `pointer` follows addresses and computes with them, `bytes` sees them as something else,
//!   `value` keeps and converts values, `arithmetic` and `real` compute with them, `order` sees which of them use what others change;
//! - [`Declarer`]: [`Names`] and what they stand for. `declare` makes variables, `initial` their initial values, `type_name`
//!   types, `enumeration` names of numbers, `constant` what is known beforehand;
//! - [`Lowerer`]: with the [`Frame`] of the call that the run is in. `statement` has statements, loops and jumps, `declaration` those
//!   that declare something, `landmarks` where all these are in the text; `call` functions, `recursion` those that call themselves,
//!   `library` and `heap` those that the verifier knows, `fresh` what is written at once in what they allocate; `expression` and `operator` what is evaluated. An expression may be evaluated
//!   when it is used, so what must not wait is put into a variable of its own.
//!
//! All this is done again until no more is found out about pointers: see `memory`.

mod arithmetic;
mod bytes;
mod call;
mod constant;
mod declaration;
mod declare;
mod emit;
mod enumeration;
mod expression;
mod fresh;
mod heap;
mod initial;
mod landmarks;
mod library;
mod memory;
mod names;
mod operator;
mod order;
mod place;
mod pointer;
mod real;
mod recursion;
mod scope;
mod statement;
mod text;
mod type_name;
mod value;

use rustc_hash::FxHashSet;

use super::Reading;
use super::ast::{ExprId, StmtId, Syntax};
use super::types::Integer;
use super::words::TooWide;
use declare::Declarer;
use emit::Emitter;
use fresh::Fresh;
use landmarks::Mark;
use names::Names;
use recursion::Active;
use redoubt_program::expr::{TableId, VarId};
use redoubt_program::flow::{Automaton, End};
use redoubt_program::program::{Builder, PropertyKind};
use redoubt_program::text::Span;
use redoubt_reading::refused::{Lowered, Refused, refuse};
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostic, Diagnostics};
use scope::Frame;
use text::Text;

/// An automaton is given up when inlining makes it larger than this.
const MOST_BLOCKS: usize = 2_000_000;

/// A program is lowered again as long as more is found out about where its pointers point, and at most so often.
const MOST_ROUNDS: usize = 100;

/// How a program is lowered.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub reading: Reading,
    /// Whether short loops are written out.
    pub unroll: bool,
}

/// The result for a program.
pub struct Made {
    pub automaton: Automaton,
    pub builder: Builder,
    /// The refusals, if a run can get there, by the number of [`End::Refuse`].
    pub refusals: Vec<Diagnostics>,
}

/// Lowers the program that `main` starts.
pub fn lower(syntax: &Syntax<'_>, standard: u32, builder: Builder, how: How, watch: &mut Watch) -> Lowered<Made> {
    let text = Text::new(syntax, standard);
    let Some(&main) = text.functions.get("main") else {
        let whole = Span::default();
        return refuse(Diagnostic::new(whole, "there is no function `main`", "expected one in these files"));
    };
    text.nobody_else_is_called()?;
    let fresh = fresh::fresh(&text);
    let (mut names, mut out) = (Names::default(), Emitter::new(builder, how));
    out.property(PropertyKind::Label, main.declarator.span);
    Declarer { text: &text, names: &mut names, scopes: &[], out: &mut out, watch }.enumerations()?;
    let mut rounds = 0;
    let marks = loop {
        out.begin_again();
        let mut declarer = Declarer { text: &text, names: &mut names, scopes: &[], out: &mut out, watch };
        let frame = declarer.main_frame(main)?;
        let exit = frame.exit;
        let mut lowerer = Lowerer {
            text: &text,
            fresh: &fresh,
            names: &mut names,
            frame,
            out: &mut out,
            marks: vec![],
            active: vec![],
            sites: 0,
            acting: FxHashSet::default(),
            watch,
        };
        lowerer.routine()?;
        let marks = lowerer.marks;
        out.current = exit;
        out.finish(End::Halt(main.declarator.span));
        if !out.memory.has_grown {
            break marks;
        }
        rounds += 1;
        if rounds > MOST_ROUNDS {
            return unsupported(main.declarator.span, "a program with pointers to pointers to pointers, and so on,");
        }
    };
    let recursive: Vec<StmtId> =
        text.functions.iter().filter(|(name, _)| text.is_recursive(name)).map(|(_, function)| function.body).collect();
    if out.points_to_kept(&recursive) {
        return unsupported(main.declarator.span, "a pointer to what a function that calls itself has for itself");
    }
    out.automaton.landmarks = marks.into_iter().map(|mark| mark.landmark(&text, &names, &out)).collect();
    let Emitter { automaton, builder, refusals, .. } = out;
    Ok(Made { automaton, builder, refusals })
}

/// Lowers the statements and expressions of functions, in place of their calls.
struct Lowerer<'a, 's> {
    text: &'a Text<'a, 's>,
    /// What is written at once in what calls allocate.
    fresh: &'a Fresh<'s>,
    names: &'a mut Names<'s>,
    frame: Frame<'a, 's>,
    out: &'a mut Emitter,
    marks: Vec<Mark<'s>>,
    /// The functions that may call themselves and are being put in place.
    active: Vec<Active>,
    /// How many calls return to where another one of their function is under way.
    sites: i32,
    /// Expressions that seem to do nothing but compute, and do more.
    acting: FxHashSet<ExprId>,
    watch: &'a mut Watch,
}

impl<'a, 's> Lowerer<'a, 's> {
    /// Finds out what names stand for, where the run is now.
    fn declarer(&mut self) -> Declarer<'_, 'a, 's> {
        Declarer { text: self.text, names: self.names, scopes: &self.frame.scopes, out: self.out, watch: self.watch }
    }

    fn enough(&mut self, span: Span) -> Lowered {
        self.watch.look()?;
        if self.out.automaton.blocks.len() <= MOST_BLOCKS {
            return Ok(());
        }
        refuse(Diagnostic::new(span, "the program is too large once its calls are inlined", "while inlining this"))
    }
}

/// A message about something that is C, but not of the kind that is understood.
fn unsupported<T>(span: Span, what: &str) -> Lowered<T> {
    refuse(Diagnostic::new(span, format!("{what} is not supported"), "a run can come here"))
}

fn too_wide(span: Span) -> impl Fn(TooWide) -> Refused {
    move |TooWide| {
        let message = "a number of 64 bits is not supported here";
        let diagnostic = Diagnostic::new(span, message, "expected one of at most 32 bits");
        Refused::Mistakes(diagnostic.into())
    }
}

/// Whether a number takes two words.
fn is_wide(ty: Integer) -> bool {
    ty.bits > 32
}

/// The high word of a variable that has two.
fn high_word(variable: VarId) -> VarId {
    VarId::new(variable.index() + 1)
}

/// The same for the cells of an array.
fn high_table(table: TableId) -> TableId {
    TableId::new(table.index() + 1)
}
