//! From the syntax tree to a plainer one: modules, records and whole arrays are written out in terms of the rest. The
//! next stages know single values, arrays of them with an index for each dimension, and nothing else.
//!
//! ```text
//! instance left: Lift(...)       its items, with `left.` before their names
//! instance lift[i in 0..1]: ...  the same for each, but what they store are arrays: `lift[i].at` is `lift.at[i]`
//! var cab: Cabin[3]              an array for each field: `cab[i].door` is `cab.door[i]`
//! cab[0] = cab[i]                a `let` for each part, then an assignment for each
//! cab[0] == cab[1]               a comparison for each part, with `&&` between them
//! ```
//!
//! `scope` gives names their meanings, `types` gives things their parts, `path` resolves paths such as `a[i].b`,
//! `whole` takes records and arrays apart, `expression` and `statement` go through the tree, `emit` puts the items
//! together. The order of the text is the order of a step: the own `step` of a model and those of its instances run as
//! they stand there.
//!
//! A model that uses nothing of this comes out as it went in. Mistakes that this stage cannot see are left for the next.

mod constant;
mod emit;
mod expression;
mod path;
mod scope;
mod statement;
#[cfg(test)]
mod tests;
mod types;
mod whole;

use rustc_hash::FxHashMap;

use super::ast::{Expr, ExprKind, Ident, Item};
use emit::Declared;
use redoubt_base::suggest;
use redoubt_program::text::{Sources, Span};
use redoubt_reading::{Diagnostic, Diagnostics};
use scope::{Local, ScopeId, Scopes};

/// The plain model, and the mistakes in this one.
pub fn elaborate(sources: &Sources, items: &[Item]) -> (Vec<Item>, Diagnostics) {
    let mut elaborator = Elaborator {
        sources,
        scopes: Scopes::default(),
        here: ScopeId::TOP,
        locals: vec![],
        constants: FxHashMap::default(),
        ranges: FxHashMap::default(),
        circular: vec![],
        resolving: vec![],
        enumerations: FxHashMap::default(),
        inside: vec![],
        fresh: 0,
        items: vec![],
        declared: vec![],
        diagnostics: Diagnostics::default(),
    };
    elaborator.open(items);
    elaborator.emit(items, None);
    let Elaborator { declared, items, diagnostics, .. } = elaborator;
    let mut all: Vec<Item> = declared.into_iter().map(Declared::into_item).collect();
    all.extend(items);
    (all, diagnostics)
}

struct Elaborator<'a> {
    sources: &'a Sources,
    scopes: Scopes<'a>,
    /// The model or instance that is being looked at.
    here: ScopeId,
    /// The bindings here: parameters, indices, and names for values.
    locals: Vec<(String, Local<'a>)>,
    /// The constants that are numbers, by their names in the plain model.
    constants: FxHashMap<String, i64>,
    /// The bounds of types that are ranges.
    ranges: FxHashMap<String, (i64, i64)>,
    /// The records that hold themselves.
    circular: Vec<String>,
    /// The types that are being looked up.
    resolving: Vec<String>,
    /// The values of enumerations.
    enumerations: FxHashMap<String, Vec<String>>,
    /// The modules around this place.
    inside: Vec<String>,
    /// The number of names made up so far.
    fresh: usize,
    /// The result: all items but variables and inputs, and these.
    items: Vec<Item>,
    declared: Vec<Declared>,
    diagnostics: Diagnostics,
}

impl Elaborator<'_> {
    fn refuse(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(span, message, label));
    }

    fn refuse_with(&mut self, span: Span, message: String, label: &str, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(span, message, label).help(help));
    }

    /// The message that there is no such name among these.
    fn unknown<'n>(&mut self, name: &Ident, message: String, known: impl Iterator<Item = &'n str>) {
        let nearest = suggest::nearest(&name.text, known).map(|nearest| format!("did you mean `{nearest}`?"));
        let diagnostic = Diagnostic::new(name.span, message, "unknown name");
        self.diagnostics.push(match nearest {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    fn broken(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Broken, span }
    }

    /// A fresh name.
    fn fresh(&mut self, span: Span) -> Ident {
        self.fresh += 1;
        Ident { text: format!("@{}", self.fresh), span }
    }
}

fn name_expr(text: impl Into<String>, span: Span) -> Expr {
    Expr { kind: ExprKind::Name(text.into()), span }
}
