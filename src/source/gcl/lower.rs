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

use rustc_hash::FxHashMap;

use super::ast::{Expr, Item, ItemKind, Proc, Stmt as AstStmt};
use super::past::Past;
use super::suggest;
use super::types::{Ty, Value};
use crate::expr::{ExprId, Exprs, InputId, TableId, Type, VarId};
use crate::program::legend::{Lint, LintKind, Role};
use crate::program::{
    Arm, Domain, Input, Legend, Program, Property, PropertyId, PropertyKind, Scope, Stmt, StmtId, StmtKind, Table,
    Variable,
};
use crate::source::{Diagnostic, Diagnostics, Sources, Span};

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

/// So many statements may a model have once procedures are inlined and loops unrolled.
const MOST_STATEMENTS: usize = 2_000_000;

#[derive(Clone)]
pub struct Lowering<'m> {
    pub program: Program,
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
    pub properties: FxHashMap<String, PropertyId>,
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
    /// The hidden inputs' names so far.
    pub hidden: FxHashMap<String, usize>,
    /// Definitions that lead back to themselves.
    pub circular: Vec<&'m str>,
    /// How many bodies of loops and procedures have been put in place.
    pub copies: usize,
    pub budget_exceeded: bool,
}

pub fn lower<'m>(sources: Arc<Sources>, items: &'m [Item]) -> Result<Program, Diagnostics> {
    let mut lowering = Lowering::new(sources);
    lowering.declare_all(items);
    lowering.check_unused(items);
    let body = lowering.step(items);
    lowering.finish(body)
}

impl<'m> Lowering<'m> {
    fn new(sources: Arc<Sources>) -> Lowering<'m> {
        let empty = Stmt { kind: StmtKind::Sequence(vec![]), span: Span::default() };
        let program = Program {
            name: sources.files().first().map_or(String::new(), |file| file.name.clone()),
            sources,
            exprs: Exprs::default(),
            stmts: vec![empty],
            inputs: vec![],
            variables: vec![],
            tables: vec![],
            functions: vec![],
            properties: vec![],
            setup: StmtId::new(0),
            step: StmtId::new(0),
            legend: None,
        };
        Lowering {
            program,
            legend: Legend::default(),
            names: FxHashMap::default(),
            scopes: vec![],
            diagnostics: Diagnostics::default(),
            block: vec![],
            moment: Moment::Now,
            inlining: vec![],
            properties: FxHashMap::default(),
            assertions: FxHashMap::default(),
            lints: FxHashMap::default(),
            after: None,
            past: Past::default(),
            opening: vec![],
            starts_anywhere: false,
            intake: vec![],
            hidden: FxHashMap::default(),
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
            let started = self.hidden_variable("started".into(), Ty::Bool, 0, Scope::Global, Span::default());
            self.legend.started = Some(started);
            let (yes, guard) = (self.program.exprs.bool(true), self.program.exprs.var(started, Type::Bool));
            let first = self.collect(|this| {
                this.block = opening;
                this.push(StmtKind::Assign { variable: started, value: yes }, Span::default());
            });
            let span = Span::default();
            let arms = vec![Arm { guard, body, span }, Arm { guard: yes, body: first, span }];
            self.program.step = self.collect(|this| {
                this.push(StmtKind::Choice(arms), span);
            });
        } else {
            self.program.setup = self.collect(|this| this.block = opening);
            self.program.step = body;
        }
        self.find_written();
        self.order_properties();
        self.program.legend = Some(self.legend);
        Ok(self.program)
    }

    fn find_written(&mut self) {
        let exprs = &self.program.exprs;
        for stmt in &self.program.stmts {
            if let StmtKind::Store { pointer, .. } = stmt.kind
                && let Some(table) = exprs.constant(pointer)
            {
                self.program.tables[table as usize].written = true;
            }
        }
    }

    pub fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Lowered<T> {
        self.diagnostics.push(diagnostic);
        Err(Refused)
    }

    pub fn twice(&self, name: &str, again: Span, first: Span) -> Diagnostic {
        Diagnostic::new(again, format!("`{name}` is declared twice"), "declared again here")
            .help(format!("the first one stands at {}", self.program.sources.place(first)))
    }

    pub fn push(&mut self, kind: StmtKind, span: Span) {
        if self.program.stmts.len() >= MOST_STATEMENTS {
            return self.exceed(span);
        }
        let id = StmtId::new(self.program.stmts.len());
        self.program.stmts.push(Stmt { kind, span });
        self.block.push(id);
    }

    /// Whether loops and procedures have been unrolled too often; called at every copy of a body.
    pub fn is_too_much(&mut self, span: Span) -> bool {
        self.copies += 1;
        if self.copies > MOST_STATEMENTS {
            self.exceed(span);
        }
        self.budget_exceeded
    }

    fn exceed(&mut self, span: Span) {
        if !std::mem::replace(&mut self.budget_exceeded, true) {
            let message = format!("more than {MOST_STATEMENTS} statements once everything is unrolled");
            self.diagnostics.push(Diagnostic::new(span, message, "this one is too many"));
        }
    }

    /// Runs `fill` with an empty block and makes one statement of what it leaves there.
    pub fn collect(&mut self, fill: impl FnOnce(&mut Self)) -> StmtId {
        let (inner, ()) = self.aside(fill);
        if let [only] = inner.as_slice() {
            return *only;
        }
        let span = inner.first().map_or(Span::default(), |&first| self.program.stmt(first).span);
        let id = StmtId::new(self.program.stmts.len());
        self.program.stmts.push(Stmt { kind: StmtKind::Sequence(inner), span });
        id
    }

    /// Lowers something into a block of its own and hands that back.
    pub fn aside<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<StmtId>, T) {
        let outer = std::mem::take(&mut self.block);
        let result = lower(self);
        (std::mem::replace(&mut self.block, outer), result)
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

    pub fn variable(&mut self, name: &str, ty: Ty, initial: i32, scope: Scope, span: Span) -> VarId {
        let id = VarId::new(self.program.variables.len());
        let domain = (ty != Ty::INT && ty != Ty::Bool).then(|| ty.domain(&self.legend.enumerations));
        let (name, ty) = (name.to_string(), ty.machine());
        self.program.variables.push(Variable { name, ty, scope, initial, domain, span });
        self.legend.variables.push(None);
        id
    }

    /// A variable that is no variable of the author's.
    pub fn hidden_variable(&mut self, name: String, ty: Ty, initial: i32, scope: Scope, span: Span) -> VarId {
        self.variable(&name, ty, initial, scope, span)
    }

    /// A new variable that lives within the step.
    pub fn temporary(&mut self, ty: Ty, span: Span) -> VarId {
        let name = format!("t{}", self.program.variables.len());
        self.hidden_variable(name, ty, ty.default(), Scope::Local, span)
    }

    pub fn input(&mut self, name: String, alphabet: Domain, role: Role) -> InputId {
        let id = InputId::new(self.program.inputs.len());
        self.program.inputs.push(Input { name, alphabet });
        self.legend.inputs.push(role);
        id
    }

    /// An input that stands for something that the model leaves open.
    pub fn open_value(&mut self, name: &str, ty: Ty, role: Role) -> Value {
        let copies = self.hidden.entry(name.to_string()).or_insert(0);
        *copies += 1;
        let name = if *copies == 1 { name.to_string() } else { format!("{name}#{copies}") };
        let alphabet = ty.domain(&self.legend.enumerations);
        let input = self.input(name, alphabet, role);
        self.input_value(input, ty)
    }

    pub fn input_value(&mut self, input: InputId, ty: Ty) -> Value {
        let number = self.program.exprs.input(input, Type::Int);
        Value { expr: self.from_cell(number, ty), ty }
    }

    /// Inputs and cells hold numbers; a truth value is 1 or 0 there.
    pub fn from_cell(&mut self, number: ExprId, ty: Ty) -> ExprId {
        if ty != Ty::Bool {
            return number;
        }
        let one = self.program.exprs.int(1);
        self.program.exprs.eq(number, one)
    }

    pub fn table(&mut self, name: &str, element: Ty, cells: Vec<i32>, span: Span) -> TableId {
        let id = TableId::new(self.program.tables.len());
        let domain = (element != Ty::INT).then(|| element.domain(&self.legend.enumerations));
        self.program.tables.push(Table { name: name.into(), cells, written: false, domain, span });
        self.legend.tables.push(None);
        id
    }

    /// The property of a name, made when it is first met.
    pub fn property(&mut self, name: &str, kind: PropertyKind, span: Span) -> PropertyId {
        if let Some(&known) = self.properties.get(name) {
            return known;
        }
        let id = PropertyId::new(self.program.properties.len());
        self.program.properties.push(Property { name: name.into(), kind, span, expected: None });
        self.properties.insert(name.into(), id);
        id
    }

    /// Marks a place that some run ought to visit.
    pub fn lint(&mut self, kind: LintKind, span: Span) -> PropertyId {
        let property = match self.lints.get(&span) {
            Some(&known) => known,
            None => {
                let name = format!("visited {}", self.program.sources.place(span));
                let property = self.property(&name, PropertyKind::Lint, span);
                self.lints.insert(span, property);
                self.legend.lints.push(Lint { property, kind, span, after: self.after });
                property
            }
        };
        self.push(StmtKind::Reach(property), span);
        property
    }

    /// Lowers the body of a branch, behind the mark that says it was taken.
    pub fn branch_body(&mut self, span: Span, body: &'m [AstStmt]) -> StmtId {
        let after = self.after;
        let result = self.collect(|this| {
            this.after = Some(this.lint(LintKind::Branch, span));
            this.statements(body);
        });
        self.after = after;
        result
    }
}
