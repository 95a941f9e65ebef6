//! Items to a program: the order in which the parts of a step run.
//!
//! ```text
//! step:  what `prev` needs, input arrays, assumptions on inputs, the statements of `step`,
//!        the other assumptions, the properties, what the next step needs to know about the past
//! ```
//!
//! If some variable starts anywhere, a hidden flag sets the first step apart: it chooses the start and
//! judges what is judged on the initial state. Otherwise the program's setup does the latter.

use std::sync::Arc;

use redoubt_base::suggest;
use rustc_hash::FxHashMap;

use super::ast::{Expr, Item, ItemKind, Proc};
use super::mentions::Topic;
use super::past::Past;
use super::property;
use super::types::Ty;
use crate::expr::{Fold, InputId, TableId, Type, VarId};
use crate::program::{Arm, Builder, Legend, Program, PropertyId, Scope, StmtId, StmtKind};
use crate::source::{Diagnostic, Diagnostics};
use crate::text::{Sources, Span};

/// A mistake has been reported and this part of the model has no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Refused;

pub type Lowered<T = ()> = Result<T, Refused>;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum Entity<'m> {
    Constant(Ty, i32),
    Variable(VarId, Ty),
    /// An array: constant, of variables, or of inputs.
    Array {
        table: TableId,
        element: Ty,
        kind: ArrayKind,
    },
    Input(InputId, Ty),
    Define(&'m Expr),
    Proc(&'m Proc),
    Enumeration(usize),
    /// A parameter of a procedure.
    Parameter(VarId, Ty),
    /// Declared with a mistake that has been reported.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayKind {
    Constant,
    Variable,
    Input,
}

/// Which moment an expression is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// Where it stands.
    Now,
    /// Before the step: `prev`.
    Before,
    /// Before the first step.
    Initial,
}

#[derive(Clone)]
pub struct Lowering<'m> {
    pub program: Builder,
    pub legend: Legend,
    pub names: FxHashMap<&'m str, (Entity<'m>, Span)>,
    /// Parameters and bound variables, innermost last.
    pub scopes: Vec<(&'m str, Entity<'m>)>,
    pub diagnostics: Diagnostics,
    /// The statements of the body that is being built.
    pub block: Vec<StmtId>,
    pub moment: Moment,
    /// The definitions and procedures that are being put in place of their names.
    pub inlining: Vec<&'m str>,
    /// Where each assertion stands: one in a loop has many copies, but one place.
    pub assertions: FxHashMap<String, Span>,
    pub lints: FxHashMap<Span, PropertyId>,
    /// The lint that has been passed on the way here.
    pub after: Option<PropertyId>,
    pub past: Past,
    /// What chooses the start, and what then judges and remembers it.
    pub opening: Vec<StmtId>,
    /// Whether the start is open.
    pub starts_anywhere: bool,
    /// What takes over the values of input arrays.
    pub intake: Vec<StmtId>,
    /// How often each name of a hidden input or variable has been used.
    pub hidden: FxHashMap<String, usize>,
    /// What is known of definitions.
    pub topics: FxHashMap<(String, Topic), bool>,
    /// How large expressions are once everything that they share is written out.
    pub sizes: Fold<u64>,
    /// Definitions that lead back to themselves.
    pub circular: Vec<&'m str>,
    /// How many bodies of loops and procedures have been put in place.
    pub copies: usize,
    pub budget_exceeded: bool,
}

pub fn lower(sources: Arc<Sources>, items: &[Item]) -> Result<Program, Diagnostics> {
    let mut lowering = Lowering::new(sources);
    lowering.declare_all(items);
    lowering.check_unused(items);
    let body = lowering.step(items);
    lowering.finish(body)
}

impl<'m> Lowering<'m> {
    fn new(sources: Arc<Sources>) -> Lowering<'m> {
        let name = sources.files().first().map_or(String::new(), |file| file.name.clone());
        Lowering {
            program: Builder::new(name, sources),
            legend: Legend::default(),
            names: FxHashMap::default(),
            scopes: vec![],
            diagnostics: Diagnostics::default(),
            block: vec![],
            moment: Moment::Now,
            inlining: vec![],
            assertions: FxHashMap::default(),
            lints: FxHashMap::default(),
            after: None,
            past: Past::default(),
            opening: vec![],
            starts_anywhere: false,
            intake: vec![],
            hidden: FxHashMap::default(),
            topics: FxHashMap::default(),
            sizes: Fold::default(),
            circular: vec![],
            copies: 0,
            budget_exceeded: false,
        }
    }

    /// Looks for mistakes in definitions and procedures that nothing uses.
    fn check_unused(&mut self, items: &'m [Item]) {
        let before = self.clone();
        for item in items {
            match &item.kind {
                ItemKind::Define { name, body } => {
                    self.inlining = vec![&name.text];
                    let _ = self.value(body);
                    self.inlining.clear();
                }
                ItemKind::Proc(proc) => self.inline_alone(proc),
                _ => {}
            }
        }
        let found = std::mem::replace(self, before);
        self.diagnostics = found.diagnostics;
        for name in found.circular {
            self.names.entry(name).and_modify(|(entity, _)| *entity = Entity::Broken);
        }
    }

    /// The statements of one step, or `None` if there is no `step`.
    fn step(&mut self, items: &'m [Item]) -> Option<StmtId> {
        let mut steps = items.iter().filter_map(|item| match &item.kind {
            ItemKind::Step(body) => Some((body, item.span)),
            _ => None,
        });
        let Some((body, first)) = steps.next() else {
            let end = items.last().map_or(Span::default(), |item| item.span);
            let _ = self.refuse::<()>(
                Diagnostic::new(Span { start: end.end, ..end }, "the model has no `step`", "expected a `step { ... }`")
                    .help("a step says what the controller does each time it looks at its inputs"),
            );
            return None;
        };
        for (_, again) in steps {
            let place = Span { end: again.start + 4, ..again };
            let _ = self.refuse::<()>(self.twice("step", place, first));
        }
        self.check_systems(items);
        let (early, ()) = self.aside(|this| this.assumptions(items, true));
        let (middle, ()) = self.aside(|this| this.statements(body));
        let (late, ()) = self.aside(|this| {
            this.assumptions(items, false);
            this.judge(items);
        });
        let past = std::mem::take(&mut self.past);
        let parts = [past.resets, past.before, std::mem::take(&mut self.intake), early, middle, late, past.after];
        Some(self.collect(|this| this.block = parts.concat()))
    }

    fn check_systems(&mut self, items: &'m [Item]) {
        let mut names = items.iter().filter_map(|item| match &item.kind {
            ItemKind::System(name) => Some(name.span),
            _ => None,
        });
        let Some(first) = names.next() else { return };
        for again in names {
            let _ = self.refuse::<()>(self.twice("system", again, first));
        }
    }

    fn finish(mut self, body: Option<StmtId>) -> Result<Program, Diagnostics> {
        let (Some(body), true) = (body, self.diagnostics.is_empty()) else {
            return Err(self.diagnostics.sorted());
        };
        let opening = std::mem::take(&mut self.opening);
        if self.starts_anywhere {
            let started = self.hidden_variable("@started".into(), Ty::Bool, 0, Scope::Global, Span::default());
            self.legend.started = Some(started);
            let (yes, guard) = (self.program.exprs_mut().bool(true), self.program.exprs_mut().var(started, Type::Bool));
            let first = self.collect(|this| {
                this.block = opening;
                this.push(StmtKind::Assign { variable: started, value: yes }, Span::default());
            });
            let span = Span::default();
            let arms = vec![Arm { guard, body, span }, Arm { guard: yes, body: first, span }];
            let step = self.collect(|this| this.push(StmtKind::Choice(arms), span));
            self.program.set_step(step);
        } else {
            let setup = self.collect(|this| this.block = opening);
            self.program.set_setup(setup);
            self.program.set_step(body);
        }
        self.program.set_legend(self.legend);
        let mut program = self.program.finish()?;
        property::order(&mut program);
        Ok(program)
    }

    pub fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Lowered<T> {
        self.diagnostics.push(diagnostic);
        Err(Refused)
    }

    pub fn twice(&self, name: &str, again: Span, first: Span) -> Diagnostic {
        Diagnostic::new(again, format!("`{name}` is declared twice"), "declared again here")
            .help(format!("the first one stands at {}", self.program.sources.place(first)))
    }

    pub fn lookup(&mut self, name: &str, span: Span) -> Lowered<Entity<'m>> {
        let bound = self.scopes.iter().rev().find(|(bound, _)| *bound == name).map(|(_, entity)| *entity);
        match bound.or_else(|| self.names.get(name).map(|(entity, _)| *entity)) {
            Some(Entity::Broken) => Err(Refused),
            Some(entity) => Ok(entity),
            None => {
                let known = self.names.keys().copied().chain(self.scopes.iter().map(|(name, _)| *name));
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
