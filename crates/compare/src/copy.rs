//! A program to a part of another one: two functions with the effects of its setup and its step, and variables for the
//! visible part of these.
//!
//! The end of a run leaves these functions instead, and is recorded in a variable, so that another program can make its
//! step all the same. Output goes to a few slots: a number for the text between the numbers, and the numbers.

use rustc_hash::FxHashMap;

use super::matching::Side;
use crate::expr::{Expr, ExprId, TableId, Type, VarId};
use crate::program::{
    Arm, Builder, Domain, FunctionId, Piece, Program, PropertyId, Scope, Stmt, StmtId, StmtKind, Stream, Table,
    Variable,
};
use crate::text::Span;

/// The end of a program's step, as a number.
pub const RUNS: i32 = 0;
pub const BLOCKED: i32 = 1;
pub const HALTED: i32 = 2;

/// Numbers for the texts that both programs may print and the ways in which both may end: the same for the same.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    forms: FxHashMap<String, i32>,
    ends: FxHashMap<String, i32>,
}

impl Numbers {
    /// The number of a text with gaps for numbers; 0 is that nothing is printed.
    fn form(&mut self, text: &[Piece]) -> i32 {
        let part = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Number(_) => "\0".into(),
        };
        let next = self.forms.len() as i32 + 1;
        *self.forms.entry(text.iter().map(part).collect()).or_insert(next)
    }

    /// The number of an error by its name.
    fn end(&mut self, name: &str) -> i32 {
        let next = self.ends.len() as i32 + HALTED + 1;
        *self.ends.entry(name.into()).or_insert(next)
    }
}

/// The kept part of a program's output in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prints {
    Nothing,
    /// The first prints, each with its first numbers.
    Slots {
        prints: usize,
        numbers: usize,
    },
    /// One number.
    Number,
}

/// The contents of one print.
#[derive(Clone, Debug)]
pub struct Slot {
    pub form: VarId,
    pub numbers: Vec<VarId>,
}

/// Where everything of a program is in the other one.
#[derive(Clone, Debug)]
pub struct Copied {
    pub variables: Vec<VarId>,
    pub tables: Vec<TableId>,
    pub setup: FunctionId,
    pub step: FunctionId,
    /// The function that forgets the visible part of the last step.
    pub forget: FunctionId,
    pub end: VarId,
    /// The exit code, if it has halted.
    pub exit: VarId,
    pub slots: Vec<Slot>,
    /// Whether more was printed than the slots have room for.
    pub more: VarId,
    /// Per property that is looked at while the run goes on.
    pub reached: FxHashMap<PropertyId, VarId>,
}

/// The source of a copy.
pub struct Original<'p> {
    pub program: &'p Program,
    pub side: Side,
    /// Per input of the program, its counterpart in the other one.
    pub inputs: Vec<ExprId>,
    /// The properties to be looked at while the run goes on.
    pub properties: Vec<PropertyId>,
    pub prints: Prints,
    /// The number of source files that the other program has before those of this one.
    pub files_before: u32,
}

pub fn copy(builder: &mut Builder, numbers: &mut Numbers, original: &Original) -> Copied {
    let declared = declare(builder, original);
    let exprs = expressions(builder, original, &declared);
    let may_end = functions_that_end(original.program);
    let mut copier = Copier { builder, numbers, original, copied: declared, exprs, may_end, stmts: vec![] };
    copier.statements();
    copier.bodies();
    copier.copied
}

/// The variables, tables and functions of the copy.
fn declare(builder: &mut Builder, original: &Original) -> Copied {
    let (program, side) = (original.program, original.side.word());
    let placed = |span: Span| Span { file: span.file + original.files_before, ..span };
    let named = |name: &str| format!("{side}.{name}");
    let tables = program.tables.iter().map(|table| {
        // It cannot be told which one of two constant tables is read, and pointers to them are easier to compare if it
        // is one.
        let twin = format!("{}.{}", Side::Old, table.name);
        let is_twin =
            |other: &Table| other.name == twin && !table.written && !other.written && other.cells == table.cells;
        match builder.tables.iter().position(is_twin) {
            Some(known) if original.side == Side::New => TableId::new(known),
            _ => builder.add_table(Table { name: named(&table.name), span: placed(table.span), ..table.clone() }),
        }
    });
    let tables: Vec<TableId> = tables.collect();
    let variables = program.variables.iter().map(|variable| {
        let (name, span) = (named(&variable.name), placed(variable.span));
        let own = Variable { name, span, ..variable.clone() };
        builder.add_variable(match variable.ty {
            Type::Pointer => {
                let initial = tables[variable.initial as usize].index() as i32;
                Variable { initial, domain: None, ..own }
            }
            _ => own,
        })
    });
    let variables: Vec<VarId> = variables.collect();
    let mut add = |name: String, ty: Type, domain: Option<Domain>| {
        let (scope, span) = (Scope::Local, Span::default());
        builder.add_variable(Variable { name: named(&name), ty, scope, initial: 0, domain, span })
    };
    let (end, exit) = (add("end".into(), Type::Int, None), add("exit".into(), Type::Int, None));
    let more = add("prints more".into(), Type::Bool, None);
    let (prints, width) = match original.prints {
        Prints::Nothing => (0, 0),
        Prints::Slots { prints, numbers } => (prints, numbers),
        Prints::Number => (1, 1),
    };
    let mut slot = |slot: usize| {
        let form = add(format!("prints {}", slot + 1), Type::Int, None);
        let number = |number| add(format!("prints {} number {}", slot + 1, number + 1), Type::Int, None);
        Slot { form, numbers: (0..width).map(number).collect() }
    };
    let slots = (0..prints).map(&mut slot).collect();
    let reached = original.properties.iter().map(|&property| {
        let name = format!("reaches {}", program.property(property).name);
        (property, add(name, Type::Bool, None))
    });
    let reached = reached.collect();
    for function in &program.functions {
        let own = |variable: &VarId| variables[variable.index()];
        let parameters = function.parameters.iter().map(own).collect();
        let result = function.result.as_ref().map(own);
        builder.declare_function(named(&function.name), parameters, result, placed(function.span));
    }
    // No source language has names with blanks.
    let mut function =
        |name: &str| builder.declare_function(named(&format!("the {name}")), vec![], None, Span::default());
    let (setup, step, forget) = (function("setup"), function("step"), function("start of a step"));
    Copied { variables, tables, setup, step, forget, end, exit, slots, more, reached }
}

/// Per expression of the program, its counterpart.
fn expressions(builder: &mut Builder, original: &Original, copied: &Copied) -> Vec<ExprId> {
    let arena = &original.program.exprs;
    let mut map: Vec<ExprId> = Vec::with_capacity(arena.len());
    for (id, expr) in arena.iter() {
        let (ty, exprs) = (arena.type_of(id), builder.exprs_mut());
        let new = match expr {
            Expr::Var(variable) => exprs.var(copied.variables[variable.index()], ty),
            Expr::Table(table) => exprs.table(copied.tables[table.index()]),
            Expr::Input(input) => original.inputs[input.index()],
            other => exprs.rebuild(other, ty, |operand| map[operand.index()]),
        };
        map.push(new);
    }
    map
}

/// Per function: whether a call of it may end the run.
fn functions_that_end(program: &Program) -> Vec<bool> {
    let mut ends = vec![false; program.functions.len()];
    loop {
        let mut is_new = false;
        for (index, function) in
            program.functions.iter().enumerate().filter(|(index, _)| !ends[*index]).collect::<Vec<_>>()
        {
            let mut pending = vec![function.body];
            while let Some(id) = pending.pop() {
                let kind = &program.stmt(id).kind;
                pending.extend(kind.children());
                let found = match kind {
                    StmtKind::Error(_) | StmtKind::Halt(_) | StmtKind::Assume(_) => true,
                    StmtKind::Call(callee) => ends[callee.index()],
                    _ => false,
                };
                if found {
                    ends[index] = true;
                    is_new = true;
                    break;
                }
            }
        }
        if !is_new {
            return ends;
        }
    }
}

struct Copier<'c, 'p> {
    builder: &'c mut Builder,
    numbers: &'c mut Numbers,
    original: &'c Original<'p>,
    copied: Copied,
    exprs: Vec<ExprId>,
    /// Per function of the program.
    may_end: Vec<bool>,
    /// Per statement of the program.
    stmts: Vec<StmtId>,
}

impl Copier<'_, '_> {
    fn statements(&mut self) {
        for stmt in &self.original.program.stmts {
            let copy = self.statement(stmt);
            self.stmts.push(copy);
        }
    }

    /// Gives all functions their bodies.
    fn bodies(&mut self) {
        let program = self.original.program;
        let first = self.copied.setup.index() - program.functions.len();
        for (index, function) in program.functions.iter().enumerate() {
            self.builder.define_function(FunctionId::new(first + index), self.stmts[function.body.index()]);
        }
        self.builder.define_function(self.copied.setup, self.stmts[program.setup.index()]);
        self.builder.define_function(self.copied.step, self.stmts[program.step.index()]);
        let Copied { end, exit, more, slots, reached, .. } = self.copied.clone();
        let (zero, no) = (self.builder.exprs_mut().int(0), self.builder.exprs_mut().bool(false));
        let in_slots = slots.iter().flat_map(|slot| std::iter::once(slot.form).chain(slot.numbers.iter().copied()));
        let integers: Vec<VarId> = [end, exit].into_iter().chain(in_slots).collect();
        let mut truths: Vec<VarId> = reached.into_values().chain([more]).collect();
        truths.sort_unstable();
        let mut list: Vec<StmtId> = vec![];
        for variable in integers {
            list.push(self.add(StmtKind::Assign { variable, value: zero }, Span::default()));
        }
        for variable in truths {
            list.push(self.add(StmtKind::Assign { variable, value: no }, Span::default()));
        }
        let body = self.builder.add_sequence(list);
        self.builder.define_function(self.copied.forget, body);
    }

    fn add(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.builder.add_stmt(kind, span)
    }

    fn expr(&self, id: ExprId) -> ExprId {
        self.exprs[id.index()]
    }

    fn statement(&mut self, stmt: &Stmt) -> StmtId {
        let span = Span { file: stmt.span.file + self.original.files_before, ..stmt.span };
        let kind = match &stmt.kind {
            StmtKind::Assign { variable, value } => {
                StmtKind::Assign { variable: self.copied.variables[variable.index()], value: self.expr(*value) }
            }
            StmtKind::Store { pointer, index, value } => {
                StmtKind::Store { pointer: self.expr(*pointer), index: self.expr(*index), value: self.expr(*value) }
            }
            StmtKind::Sequence(list) => {
                StmtKind::Sequence(list.iter().map(|inner| self.stmts[inner.index()]).collect())
            }
            StmtKind::Choice(arms) => {
                let arm = |arm: &Arm| Arm {
                    guard: self.expr(arm.guard),
                    body: self.stmts[arm.body.index()],
                    span: Span { file: arm.span.file + self.original.files_before, ..arm.span },
                };
                StmtKind::Choice(arms.iter().map(arm).collect())
            }
            StmtKind::Return => StmtKind::Return,
            StmtKind::Call(callee) => return self.call(*callee, span),
            StmtKind::Error(property) => {
                let number = self.numbers.end(&self.original.program.property(*property).name);
                let value = self.builder.exprs_mut().bool(true);
                let reached = self.copied.reached.get(property).copied();
                let noted = reached.map(|variable| self.add(StmtKind::Assign { variable, value }, span));
                let left = self.leave(number, None, span);
                return self.builder.add_sequence(noted.into_iter().chain([left]).collect());
            }
            StmtKind::Halt(code) => return self.leave(HALTED, Some(self.expr(*code)), span),
            StmtKind::Assume(condition) => {
                let body = self.leave(BLOCKED, None, span);
                let condition = self.expr(*condition);
                let guard = self.builder.exprs_mut().not(condition);
                StmtKind::Choice(vec![Arm { guard, body, span }])
            }
            StmtKind::Reach(property) => match self.copied.reached.get(property) {
                Some(&variable) => StmtKind::Assign { variable, value: self.builder.exprs_mut().bool(true) },
                None => StmtKind::Sequence(vec![]),
            },
            StmtKind::Print { stream: Stream::Output, text } if self.original.prints != Prints::Nothing => {
                return self.print(text, span);
            }
            StmtKind::Print { .. } => StmtKind::Sequence(vec![]),
        };
        self.add(kind, span)
    }

    /// A call, and the way out if it has ended the run.
    fn call(&mut self, callee: FunctionId, span: Span) -> StmtId {
        let first = self.copied.setup.index() - self.original.program.functions.len();
        let call = self.add(StmtKind::Call(FunctionId::new(first + callee.index())), span);
        if !self.may_end[callee.index()] {
            return call;
        }
        let body = self.add(StmtKind::Return, span);
        let exprs = self.builder.exprs_mut();
        let (end, runs) = (exprs.var(self.copied.end, Type::Int), exprs.int(RUNS));
        let equal = exprs.eq(end, runs);
        let guard = exprs.not(equal);
        let out = self.add(StmtKind::Choice(vec![Arm { guard, body, span }]), span);
        self.builder.add_sequence(vec![call, out])
    }

    /// Notes that the run has ended, and leaves the function.
    fn leave(&mut self, end: i32, exit: Option<ExprId>, span: Span) -> StmtId {
        let value = self.builder.exprs_mut().int(end);
        let mut list = vec![];
        if let Some(value) = exit {
            list.push(self.add(StmtKind::Assign { variable: self.copied.exit, value }, span));
        }
        list.push(self.add(StmtKind::Assign { variable: self.copied.end, value }, span));
        list.push(self.add(StmtKind::Return, span));
        self.builder.add_sequence(list)
    }

    /// Writes to the first slot that is free.
    fn print(&mut self, text: &[Piece], span: Span) -> StmtId {
        let numbers = text.iter().filter_map(|piece| match piece {
            Piece::Number(value) => Some(self.expr(*value)),
            Piece::Text(_) => None,
        });
        let numbers: Vec<ExprId> = numbers.collect();
        let yes = self.builder.exprs_mut().bool(true);
        let too_much = StmtKind::Assign { variable: self.copied.more, value: yes };
        let slots = self.copied.slots.clone();
        let fits = slots.iter().all(|slot| match self.original.prints {
            Prints::Number => numbers.len() == 1,
            _ => numbers.len() <= slot.numbers.len(),
        });
        if !fits {
            return self.add(too_much, span);
        }
        let form = self.numbers.form(text);
        let mut arms = vec![];
        for slot in &slots {
            let mut list = vec![];
            let value = self.builder.exprs_mut().int(form);
            list.push(self.add(StmtKind::Assign { variable: slot.form, value }, span));
            for (&variable, &value) in slot.numbers.iter().zip(&numbers) {
                list.push(self.add(StmtKind::Assign { variable, value }, span));
            }
            let body = self.builder.add_sequence(list);
            let exprs = self.builder.exprs_mut();
            let (now, nothing) = (exprs.var(slot.form, Type::Int), exprs.int(0));
            arms.push(Arm { guard: exprs.eq(now, nothing), body, span });
        }
        let body = self.add(too_much, span);
        arms.push(Arm { guard: yes, body, span });
        self.add(StmtKind::Choice(arms), span)
    }
}
