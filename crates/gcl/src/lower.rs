//! Items to a program: the order in which the parts of a step run.
//!
//! ```text
//! step:  what `prev` needs, input arrays, assumptions on inputs, the statements of `step`,
//!        the other assumptions, the properties, what the next step needs to know about the past
//! ```
//!
//! If some variable starts anywhere, a hidden flag sets the first step apart: it chooses the start and judges the
//! properties of the initial state. Otherwise the program's setup judges them.

mod declare;

use std::sync::Arc;

use redoubt_base::suggest;

use super::ast::{Item, ItemKind, Stmt};
use super::definitions::Definitions;
use super::functions::Argument;
use super::make::Maker;
use super::names::{Entity, Names};
use super::past::Past;
use super::scope::Scope;
use redoubt_program::program::{Program, StmtId};
use redoubt_program::text::{Sources, Span};
use redoubt_reading::{Diagnostic, Diagnostics};

/// A mistake has been reported and this part of the model has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Refused;

pub type Lowered<T = ()> = Result<T, Refused>;

/// A model that is being lowered. A function touches only its receiver and its arguments; those that go through
/// statements and expressions may need all of it.
#[derive(Clone)]
pub struct Lowering<'m> {
    names: Names<'m>,
    pub scope: Scope<'m>,
    pub definitions: Definitions<'m>,
    pub past: Past,
    /// The meaning of parameters of definitions.
    pub arguments: Vec<Argument<'m>>,
    pub sections: Sections,
    pub make: Maker,
    pub diagnostics: Diagnostics,
}

/// The statements around those of `step`.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// Statements that choose the start, then judge and remember it.
    pub opening: Vec<StmtId>,
    /// Whether the start is open.
    pub starts_anywhere: bool,
    /// Statements that run before everything else in a step: notes are cleared.
    pub resets: Vec<StmtId>,
    /// Statements that look at the state before the step.
    pub before: Vec<StmtId>,
    /// Statements that take over the values of input arrays.
    pub intake: Vec<StmtId>,
    /// Statements at the end of a step, for the next one.
    pub after: Vec<StmtId>,
}

/// The program, unless there are mistakes, or were some before.
pub fn lower(sources: Arc<Sources>, items: &[Item], mistakes: Diagnostics) -> Result<Program, Diagnostics> {
    let mut lowering = Lowering { diagnostics: mistakes, ..Lowering::new(sources) };
    lowering.declare_all(items);
    lowering.check_unused(items);
    let body = lowering.step(items);
    lowering.finish(body)
}

impl<'m> Lowering<'m> {
    fn new(sources: Arc<Sources>) -> Lowering<'m> {
        Lowering {
            names: Names::default(),
            scope: Scope::default(),
            definitions: Definitions::default(),
            past: Past::default(),
            arguments: vec![],
            sections: Sections::default(),
            make: Maker::new(sources),
            diagnostics: Diagnostics::default(),
        }
    }

    /// The model's own names, to be looked up: once all are declared, none is added.
    pub fn names(&self) -> &Names<'m> {
        &self.names
    }

    /// Lowers something into a block of its own and hands that back.
    pub fn aside<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<StmtId>, T) {
        let outer = std::mem::take(&mut self.make.block);
        let result = lower(self);
        (std::mem::replace(&mut self.make.block, outer), result)
    }

    /// Looks for mistakes in definitions and procedures that nothing uses.
    fn check_unused(&mut self, items: &'m [Item]) {
        let before = self.clone();
        for item in items {
            match &item.kind {
                ItemKind::Define(define) if !define.parameters.is_empty() => self.apply_alone(define),
                ItemKind::Define(define) => {
                    self.scope.inlining = vec![&define.name.text];
                    let _ = self.value(&define.body);
                    self.scope.inlining.clear();
                }
                ItemKind::Proc(proc) => self.inline_alone(proc),
                _ => {}
            }
        }
        let mut found = std::mem::replace(self, before);
        found.report_excess();
        self.diagnostics = found.diagnostics;
        found.definitions.circular.iter().for_each(|name| self.names.mark_broken(name));
    }

    /// The statements of one step, or `None` if there is no `step`.
    fn step(&mut self, items: &'m [Item]) -> Option<StmtId> {
        let steps = items.iter().filter_map(|item| match &item.kind {
            ItemKind::Step(body) => Some(body),
            _ => None,
        });
        let steps: Vec<&'m Vec<Stmt>> = steps.collect();
        if steps.is_empty() {
            let end = items.last().map_or(Span::default(), |item| item.span);
            let _ = self.refuse::<()>(
                Diagnostic::new(Span { start: end.end, ..end }, "the model has no `step`", "expected a `step { ... }`")
                    .help("a step says what the controller does each time it looks at its inputs"),
            );
            return None;
        }
        self.check_systems(items);
        let (early, ()) = self.aside(|this| this.assumptions(items, true));
        let (middle, ()) = self.aside(|this| steps.iter().for_each(|body| this.statements(body)));
        let (late, ()) = self.aside(|this| {
            this.assumptions(items, false);
            this.judge(items);
        });
        self.expectations(items);
        let Sections { resets, before, intake, after, .. } = &self.sections;
        let parts = [resets, before, intake, &early, &middle, &late, after];
        let parts = parts.map(Vec::as_slice).concat();
        Some(self.make.sequence(parts))
    }

    fn check_systems(&mut self, items: &'m [Item]) {
        let mut names = items.iter().filter_map(|item| match &item.kind {
            ItemKind::System(name) => Some(name.span),
            _ => None,
        });
        let Some(first) = names.next() else { return };
        for again in names {
            let _ = self.refuse::<()>(self.make.twice("system", again, first));
        }
    }

    fn finish(mut self, body: Option<StmtId>) -> Result<Program, Diagnostics> {
        self.report_excess();
        let (Some(body), true) = (body, self.diagnostics.is_empty()) else {
            return Err(self.diagnostics.sorted());
        };
        let Lowering { sections: Sections { opening, starts_anywhere, .. }, make, .. } = self;
        if starts_anywhere { make.finish_with_first_step(opening, body) } else { make.finish(opening, body) }
    }

    /// More statements than there may be are a mistake of the model.
    fn report_excess(&mut self) {
        if let Some(diagnostic) = self.make.excess() {
            self.diagnostics.push(diagnostic);
        }
    }

    pub fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Lowered<T> {
        self.diagnostics.push(diagnostic);
        Err(Refused)
    }

    pub fn lookup(&mut self, name: &str, span: Span) -> Lowered<Entity<'m>> {
        match self.scope.get(name).or_else(|| self.names.get(name)) {
            Some(Entity::Broken) => Err(Refused),
            Some(entity) => Ok(entity),
            None => {
                let known = self.names.iter().chain(self.scope.bound.iter().map(|(name, _)| *name));
                let nearest = suggest::nearest(name, known).map(|nearest| format!("did you mean `{nearest}`?"));
                let diagnostic = Diagnostic::new(span, format!("`{name}` is not declared"), "unknown name");
                self.refuse(match nearest {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                })
            }
        }
    }
}
