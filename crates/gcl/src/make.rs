//! The parts of the program that lowering makes: statements, variables, inputs, tables and properties.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::deadlock::{self, Trouble};
use super::property;
use super::types::{Dims, Ty, Value};
use redoubt_program::expr::{ExprId, Exprs, InputId, TableId, Type, UnaryOp, VarId};
use redoubt_program::program::legend::{Legend, Lint, LintKind, Role};
use redoubt_program::program::{
    Arm, Builder, Domain, Input, Language, Program, Property, PropertyId, PropertyKind, Scope, StmtId, StmtKind, Table,
    Variable,
};
use redoubt_program::text::{Sources, Span};
use redoubt_reading::{Diagnostic, Diagnostics};

/// The most statements of a model once procedures are inlined and loops unrolled.
const MOST_STATEMENTS: usize = 300_000;

/// The program as it is made. It knows nothing of the model's names.
#[derive(Clone, Debug)]
pub struct Maker {
    pub program: Builder,
    pub legend: Legend,
    /// The statements of the body that is being built.
    pub block: Vec<StmtId>,
    /// Where each assertion stands: one in a loop has many copies, but one place.
    pub assertions: FxHashMap<String, Span>,
    /// The properties about states that have no step, and where they stand.
    pub deadlocks: Vec<(PropertyId, Span)>,
    /// The rounds of the loops around, the outermost first.
    pub rounds: Vec<String>,
    /// The lint that has been passed on the way here.
    pub after: Option<PropertyId>,
    lints: FxHashMap<Span, PropertyId>,
    /// The number of uses of each name of a hidden input or variable.
    hidden: FxHashMap<String, usize>,
    /// The number of bodies of loops and procedures put in place so far.
    copies: usize,
    /// Where there was one statement or copy too many.
    exceeded: Option<Span>,
}

impl Maker {
    pub fn new(sources: Arc<Sources>) -> Maker {
        let name = sources.files().first().map_or(String::new(), |file| file.name.clone());
        Maker {
            program: Builder::new(name, sources).in_language(Language::Gcl),
            legend: Legend::default(),
            block: vec![],
            assertions: FxHashMap::default(),
            deadlocks: vec![],
            rounds: vec![],
            after: None,
            lints: FxHashMap::default(),
            hidden: FxHashMap::default(),
            copies: 0,
            exceeded: None,
        }
    }

    pub fn exprs(&mut self) -> &mut Exprs {
        self.program.exprs_mut()
    }

    /// A program whose setup judges the start, and whose steps all are alike.
    pub fn finish(mut self, opening: Vec<StmtId>, body: StmtId) -> Result<Program, Diagnostics> {
        let setup = self.sequence(opening);
        self.verified(setup, body)
    }

    /// A program whose first step chooses the start and judges it.
    pub fn finish_with_first_step(mut self, opening: Vec<StmtId>, body: StmtId) -> Result<Program, Diagnostics> {
        let span = Span::default();
        let started = self.hidden_variable("@started".into(), Ty::Bool, 0, Scope::Global, span);
        self.legend.started = Some(started);
        let (yes, guard) = (self.exprs().bool(true), self.exprs().var(started, Type::Bool));
        let first = self.body(opening, StmtKind::Assign { variable: started, value: yes }, span);
        let arms = vec![Arm { guard, body, span }, Arm { guard: yes, body: first, span }];
        let step = self.body(vec![], StmtKind::Choice(arms), span);
        // Nothing happens before that.
        let setup = self.program.setup;
        self.verified(setup, step)
    }

    fn verified(mut self, mut setup: StmtId, mut step: StmtId) -> Result<Program, Diagnostics> {
        if !self.deadlocks.is_empty() {
            let stuck = self.stuck(step)?;
            setup = self.with_deadlocks(setup, stuck);
            step = self.with_deadlocks(step, stuck);
        }
        self.program.set_setup(setup);
        self.program.set_step(step);
        self.program.set_legend(self.legend);
        let mut program = self.program.finish()?;
        property::order(&mut program);
        Ok(program)
    }

    /// The states that have no step.
    fn stuck(&mut self, step: StmtId) -> Result<ExprId, Diagnostics> {
        let mut exprs = std::mem::take(self.exprs());
        let stuck = deadlock::condition(&self.program, &mut exprs, step);
        *self.exprs() = exprs;
        stuck.map_err(|trouble| {
            let span = self.deadlocks.first().map_or(Span::default(), |(_, span)| *span);
            let message = "it cannot be decided whether every state has a step";
            let reason = match trouble {
                Trouble::Input(name) => format!("assumptions depend on `{name}`, which has very many values"),
                Trouble::Size => "the assumptions depend on too many inputs and choices".into(),
            };
            let mut diagnostics = Diagnostics::default();
            diagnostics.push(Diagnostic::new(span, message, reason));
            diagnostics
        })
    }

    /// A statement, and behind it the judgement on states that have no step.
    fn with_deadlocks(&mut self, before: StmtId, stuck: ExprId) -> StmtId {
        let outer = std::mem::replace(&mut self.block, vec![before]);
        for (property, span) in self.deadlocks.clone() {
            self.do_if(stuck, StmtKind::Reach(property), span);
        }
        let list = std::mem::replace(&mut self.block, outer);
        self.sequence(list)
    }

    /// A statement, unless there are too many already.
    pub fn one(&mut self, kind: StmtKind, span: Span) -> Option<StmtId> {
        if self.program.stmts.len() >= MOST_STATEMENTS {
            self.exceeded.get_or_insert(span);
            return None;
        }
        Some(self.program.add_stmt(kind, span))
    }

    /// A statement at the end of the current body.
    pub fn push(&mut self, kind: StmtKind, span: Span) {
        let stmt = self.one(kind, span);
        self.block.extend(stmt);
    }

    /// One statement for several.
    pub fn sequence(&mut self, list: Vec<StmtId>) -> StmtId {
        self.program.add_sequence(list)
    }

    /// One statement for some and another one behind them.
    pub fn body(&mut self, mut before: Vec<StmtId>, last: StmtKind, span: Span) -> StmtId {
        before.extend(self.one(last, span));
        self.sequence(before)
    }

    /// A statement under a condition.
    pub fn do_if(&mut self, condition: ExprId, kind: StmtKind, span: Span) {
        match self.program.exprs.as_bool(condition) {
            Some(false) => {}
            Some(true) => self.push(kind, span),
            None => {
                let body = self.body(vec![], kind, span);
                self.push(StmtKind::Choice(vec![Arm { guard: condition, body, span }]), span);
            }
        }
    }

    /// Whether loops and procedures have been unrolled too often; called at every copy of a body.
    pub fn is_too_much(&mut self, span: Span) -> bool {
        self.copies += 1;
        if self.copies > MOST_STATEMENTS {
            self.exceeded.get_or_insert(span);
        }
        self.is_exceeded()
    }

    pub fn is_exceeded(&self) -> bool {
        self.exceeded.is_some()
    }

    /// The message that there are too many statements, if there are.
    pub fn excess(&self) -> Option<Diagnostic> {
        let message = format!("more than {MOST_STATEMENTS} statements once everything is unrolled");
        self.exceeded.map(|span| Diagnostic::new(span, message, "this one is too many"))
    }

    /// The message that a name is declared again.
    pub fn twice(&self, name: &str, again: Span, first: Span) -> Diagnostic {
        Diagnostic::new(again, format!("`{name}` is declared twice"), "declared again here")
            .help(format!("the first one stands at {}", self.program.sources.place(first)))
    }

    pub fn truth_value(&mut self, value: bool) -> Value {
        Value { expr: self.exprs().bool(value), ty: Ty::Bool }
    }

    pub fn constant_value(&mut self, ty: Ty, value: i32) -> Value {
        let ty = if let Ty::Int { .. } = ty { Ty::Int { low: value, high: value } } else { ty };
        Value { expr: self.exprs().constant_of(ty.machine(), value), ty }
    }

    /// All values of a type.
    pub fn domain(&self, ty: Ty) -> Domain {
        ty.domain(&self.legend.enumerations)
    }

    pub fn variable(&mut self, name: &str, ty: Ty, initial: i32, scope: Scope, span: Span) -> VarId {
        let domain = (ty != Ty::INT && ty != Ty::Bool).then(|| self.domain(ty));
        let (name, ty) = (name.to_string(), ty.machine());
        self.legend.variables.push(None);
        self.program.add_variable(Variable { name, ty, scope, initial, domain, span })
    }

    /// A variable that is no variable of the author's.
    pub fn hidden_variable(&mut self, name: String, ty: Ty, initial: i32, scope: Scope, span: Span) -> VarId {
        let name = self.numbered(&name);
        self.variable(&name, ty, initial, scope, span)
    }

    /// A new variable that lives within the step.
    pub fn temporary(&mut self, ty: Ty, span: Span) -> VarId {
        let name = format!("@{}", self.program.variables.len());
        self.hidden_variable(name, ty, ty.default(), Scope::Local, span)
    }

    pub fn input(&mut self, name: String, alphabet: Domain, role: Role) -> InputId {
        self.legend.inputs.push(role);
        self.program.add_input(Input { name, alphabet })
    }

    /// A name that a copy of a statement or an operator adds a number to.
    fn numbered(&mut self, name: &str) -> String {
        let copies = self.hidden.entry(name.to_string()).or_insert(0);
        *copies += 1;
        if *copies == 1 { name.to_string() } else { format!("{name}#{copies}") }
    }

    /// An input that stands for something that the model leaves open.
    pub fn open_value(&mut self, name: &str, ty: Ty, role: Role) -> Value {
        let name = self.numbered(name);
        let alphabet = self.domain(ty);
        let input = self.input(name, alphabet, role);
        self.input_value(input, ty)
    }

    pub fn input_value(&mut self, input: InputId, ty: Ty) -> Value {
        let number = self.exprs().input(input, Type::Int);
        Value { expr: self.cell_value(number, ty), ty }
    }

    /// Inputs and cells hold numbers; a truth value is 1 or 0 there.
    pub fn cell_value(&mut self, number: ExprId, ty: Ty) -> ExprId {
        if ty != Ty::Bool {
            return number;
        }
        let one = self.exprs().int(1);
        self.exprs().eq(number, one)
    }

    pub fn table(&mut self, name: &str, element: Ty, dims: &Dims, cells: Vec<i32>, span: Span) -> TableId {
        let domain = (element != Ty::INT).then(|| self.domain(element));
        self.legend.tables.push(None);
        self.legend.dimensions.push(dims.iter().map(|dim| (dim.index.meaning(), dim.size)).collect());
        self.program.add_table(Table { name: name.into(), cells, written: false, domain, span })
    }

    /// The property of a name, made when it is first met.
    pub fn property(&mut self, name: &str, kind: PropertyKind, span: Span) -> PropertyId {
        self.program.add_property(Property { name: name.into(), kind, span, expected: None })
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

    /// Writes a cell, which holds a number.
    pub fn store(&mut self, table: TableId, index: ExprId, value: Value, span: Span) {
        let exprs = self.exprs();
        let pointer = exprs.table(table);
        let value = match value.ty {
            Ty::Bool => exprs.unary(UnaryOp::ToInt, value.expr),
            _ => value.expr,
        };
        self.program.mark_written(table);
        self.push(StmtKind::Store { pointer, index, value }, span);
    }
}
