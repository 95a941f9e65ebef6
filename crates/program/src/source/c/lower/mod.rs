//! The syntax tree to a control-flow automaton, from `main` on, with every call inlined.
//!
//! Only what a run can come to is looked at, and what is not understood there does not end the reading: a block takes its
//! place that refuses the program, and if the automaton's simplification leaves that block in, its message is shown.
//!
//! - `scope`: names and what they stand for; `declare`: types, variables, arrays and their initial values; `enumeration`: names of numbers;
//!   `constant`: numbers that are known beforehand;
//! - `statement`: statements, loops, jumps; `landmarks`: where those are in the text; `call`: functions, and those that the verifier knows;
//! - `expression`: values, `operator`: what is computed with them, `place`: where they are kept; an expression may be evaluated
//!   when it is used, so what must not wait is put into a variable of its own.

mod arithmetic;
mod call;
mod constant;
mod declaration;
mod declare;
mod emit;
mod enumeration;
mod expression;
mod initial;
mod landmarks;
mod names;
mod operator;
mod order;
mod place;
mod scope;
mod statement;
mod text;
mod type_name;
mod value;

use super::ast::Syntax;
use super::types::{Integer, Type};
use super::words::TooWide;
use crate::expr::{TableId, VarId};
use crate::flow::Automaton;
use crate::program::{Builder, PropertyKind};
use crate::source::refused::{Lowered, Refused, refuse};
use crate::source::watch::Watch;
use crate::source::{Diagnostic, Diagnostics};
use crate::text::Span;
use declare::Declarer;
use emit::Emitter;
use names::Names;
use scope::Frame;
use text::Text;

/// An automaton is given up when inlining makes it larger than this.
const MOST_BLOCKS: usize = 2_000_000;

/// What a program becomes.
pub struct Made {
    pub automaton: Automaton,
    pub builder: Builder,
    /// What is refused if a run can come there, by the number of [`End::Refuse`].
    pub refusals: Vec<Diagnostics>,
}

/// Lowers the program that `main` starts.
pub fn lower(syntax: &Syntax<'_>, builder: Builder, watch: &mut Watch) -> Lowered<Made> {
    let text = Text::new(syntax);
    let mut lowerer = Lowerer::new(&text, builder, watch);
    let Some(&main) = text.functions.get("main") else {
        let whole = Span::default();
        return refuse(Diagnostic::new(whole, "there is no function `main`", "expected one in these files"));
    };
    text.nobody_else_is_called()?;
    lowerer.out.property(PropertyKind::Label, main.declarator.span);
    lowerer.declarer().enumerations()?;
    lowerer.start(main)?;
    let landmarks = lowerer.landmarks();
    let Emitter { mut automaton, builder, refusals, .. } = lowerer.out;
    automaton.landmarks = landmarks;
    Ok(Made { automaton, builder, refusals })
}

struct Lowerer<'a, 's> {
    text: &'a Text<'a, 's>,
    names: Names<'s>,
    /// Whether what is being computed is an operand, which gcc may rearrange together with what stands around it.
    is_inside_operator: bool,
    frames: Vec<Frame<'a, 's>>,
    out: Emitter,
    marks: Vec<landmarks::Mark<'s>>,
    watch: &'a mut Watch,
}

impl<'a, 's> Lowerer<'a, 's> {
    fn new(text: &'a Text<'a, 's>, builder: Builder, watch: &'a mut Watch) -> Lowerer<'a, 's> {
        Lowerer {
            text,
            names: Names::default(),
            is_inside_operator: false,
            frames: vec![],
            out: Emitter::new(builder),
            marks: vec![],
            watch,
        }
    }

    /// Finds out what names stand for, where the run is now.
    fn declarer(&mut self) -> Declarer<'_, 'a, 's> {
        Declarer {
            text: self.text,
            names: &mut self.names,
            scopes: self.frames.last().map_or(&[], |frame| &frame.scopes),
            out: &mut self.out,
            watch: self.watch,
        }
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

/// Whether a type takes two words.
fn is_wide(ty: &Type) -> bool {
    matches!(ty, Type::Integer(integer) if integer.bits > 32)
}

/// The high word of a variable that has two.
fn high_word(variable: VarId) -> VarId {
    VarId::new(variable.index() + 1)
}

/// Likewise for the cells of an array.
fn high_table(table: TableId) -> TableId {
    TableId::new(table.index() + 1)
}

/// The numbers that a type can have, for what is undefined.
fn integer_of(ty: &Type) -> Integer {
    match ty {
        Type::Integer(integer) => *integer,
        _ => Integer::UINT,
    }
}
