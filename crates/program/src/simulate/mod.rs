//! Runs a program on concrete inputs, exactly as the compiled program would.
//!
//! This is the reference that everything else is measured against, so it follows the statements one by one
//! and does nothing clever. Witnesses are replayed here.

use redoubt_base::stack::grow;
use std::fmt::Write;

use crate::expr::{Expr, ExprId, InputId, TableId, VarId};
use crate::program::{Arm, Piece, Place, Program, PropertyId, Scope, StmtId, StmtKind, Stream};
use crate::text::Span;

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A property was reached, at this place.
    Error(PropertyId, Span),
    /// The program stopped itself, with this exit code.
    Halt(i32),
    /// An assumption failed: the run does not exist.
    Blocked(Span),
}

/// The values of all variables and tables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub variables: Vec<i32>,
    /// The cells of all tables, one table after the other.
    cells: Vec<i32>,
}

/// An arm of a choice that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub span: Span,
    /// Its body; a loop that was unrolled has arms in one place, but each with a body of its own.
    pub body: StmtId,
}

/// The effects of one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub complaints: String,
    /// The arms of choices that were taken and did something, in order: the rules that fired.
    pub rules: Vec<Rule>,
    /// If it is traced: the inputs that were put into a variable, in order, and where.
    pub reads: Vec<(InputId, Span)>,
    /// The properties that were reached while the run went on, and where; none if the step does not exist.
    pub reached: Vec<(PropertyId, Span)>,
    pub end: Option<End>,
}

impl Step {
    /// Whether it reached a property, with or without an end of the run.
    pub fn reaches(&self, property: PropertyId) -> bool {
        let went_on = self.reached.iter().any(|(reached, _)| *reached == property);
        went_on || matches!(self.end, Some(End::Error(reached, _)) if reached == property)
    }

    fn close(&mut self, end: Option<End>) {
        self.end = end;
        if matches!(end, Some(End::Blocked(_))) {
            self.reached.clear();
        }
    }
}

/// A program together with its current state.
#[derive(Clone, Debug)]
pub struct Simulator<'p> {
    program: &'p Program,
    state: State,
    /// Where each table's cells begin.
    offsets: Vec<usize>,
    /// The effects of the setup.
    opening: Step,
    /// Whether the rules that fire and the inputs that are taken are noted.
    traced: bool,
    end: Option<End>,
}

/// The values that a step gets.
pub trait Inputs {
    fn value(&self, input: InputId) -> i32;
}

impl Inputs for [i32] {
    fn value(&self, input: InputId) -> i32 {
        *self.get(input.index()).expect("a step gets a value for every input, and the setup reads none")
    }
}

/// The continuation after a statement.
enum Flow {
    Continue,
    Return,
    End(End),
}

impl<'p> Simulator<'p> {
    /// The program after its setup, before its first step.
    pub fn new(program: &'p Program) -> Simulator<'p> {
        let mut offsets = vec![];
        let mut cells = vec![];
        for table in &program.tables {
            offsets.push(cells.len());
            cells.extend(&table.cells);
        }
        let variables = program.variables.iter().map(|variable| variable.initial).collect();
        let state = State { variables, cells };
        let opening = Step::default();
        let mut simulator = Simulator { program, state, offsets, opening, traced: false, end: None };
        let mut opening = Step::default();
        if let Flow::End(end) = simulator.execute(program.setup, &[][..], &mut opening) {
            simulator.end = Some(end);
        }
        opening.close(simulator.end);
        simulator.opening = opening;
        simulator
    }

    /// The effects of the program before its first step.
    pub fn opening(&self) -> &Step {
        &self.opening
    }

    /// Notes the rules that fire and the inputs that are taken from now on.
    pub fn trace(mut self) -> Self {
        self.traced = true;
        self
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// The cells of a table, as they are now.
    pub fn cells(&self, table: TableId) -> &[i32] {
        let start = self.offsets[table.index()];
        &self.state.cells[start..start + self.program.table(table).cells.len()]
    }

    /// The number at a place, as it is now.
    pub fn at(&self, place: Place) -> i32 {
        match place {
            Place::Variable(variable) => self.state.variables[variable.index()],
            Place::Cell(table, index) => self.cells(table)[index],
        }
    }

    /// Goes back (or over) to a state of the same program.
    pub fn restore(&mut self, state: State) {
        self.state = state;
        self.end = None;
    }

    /// The value of one of the program's expressions in the current state.
    pub fn evaluate(&self, id: ExprId, inputs: &[i32]) -> i32 {
        self.value(id, inputs)
    }

    /// Gives a variable a value, as an assignment would.
    pub fn assign(&mut self, variable: VarId, value: i32) {
        self.state.variables[variable.index()] = value;
    }

    /// Writes a cell, as a store would; outside the table nothing is written.
    pub fn store(&mut self, table: i32, index: i32, value: i32) {
        if let Some(place) = self.cell(table, index) {
            self.state.cells[place] = value;
        }
    }

    /// The end of the run, if it has ended.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// One step on one value per input. After the end of the run nothing happens.
    pub fn step(&mut self, inputs: &[i32]) -> Step {
        self.step_on(inputs)
    }

    /// The same on inputs that may take note of being read.
    pub fn step_on(&mut self, inputs: &(impl Inputs + ?Sized)) -> Step {
        let mut step = Step::default();
        if self.end.is_none()
            && let Flow::End(end) = self.execute(self.program.step, inputs, &mut step)
        {
            self.end = Some(end);
        }
        step.close(self.end);
        step
    }

    /// The globals that differ between a state and the current one, with their values now.
    pub fn changes<'s>(&'s self, before: &'s State) -> impl Iterator<Item = (VarId, i32)> + 's {
        let variables = self.program.variables.iter().enumerate();
        variables.filter(|(_, variable)| variable.scope == Scope::Global).filter_map(|(index, _)| {
            let now = self.state.variables[index];
            (before.variables[index] != now).then_some((VarId::new(index), now))
        })
    }

    /// The table cells that differ between a state and the current one, with their values now.
    pub fn changed_cells<'s>(&'s self, before: &'s State) -> impl Iterator<Item = (TableId, usize, i32)> + 's {
        self.offsets.iter().enumerate().flat_map(move |(index, &offset)| {
            let length = self.program.tables[index].cells.len();
            let pairs = before.cells[offset..offset + length].iter().zip(&self.state.cells[offset..offset + length]);
            pairs
                .enumerate()
                .filter(|(_, (old, new))| old != new)
                .map(move |(cell, (_, &new))| (TableId::new(index), cell, new))
        })
    }

    fn execute(&mut self, id: StmtId, inputs: &(impl Inputs + ?Sized), step: &mut Step) -> Flow {
        let program = self.program;
        let stmt = program.stmt(id);
        match &stmt.kind {
            StmtKind::Assign { variable, value } => {
                if self.traced
                    && let Expr::Input(input) = program.exprs.get(*value)
                {
                    step.reads.push((input, stmt.span));
                }
                self.state.variables[variable.index()] = self.value(*value, inputs);
            }
            StmtKind::Store { pointer, index, value } => {
                let (pointer, index) = (self.value(*pointer, inputs), self.value(*index, inputs));
                let value = self.value(*value, inputs);
                self.store(pointer, index, value);
            }
            StmtKind::Assume(condition) => {
                if self.value(*condition, inputs) == 0 {
                    return Flow::End(End::Blocked(stmt.span));
                }
            }
            StmtKind::Sequence(list) => {
                for &inner in list {
                    match self.execute(inner, inputs, step) {
                        Flow::Continue => {}
                        other => return other,
                    }
                }
            }
            StmtKind::Choice(arms) => return self.choose(arms, inputs, step),
            StmtKind::Call(function) => {
                let body = program.function(*function).body;
                if let end @ Flow::End(_) = grow(|| self.execute(body, inputs, step)) {
                    return end;
                }
            }
            StmtKind::Return => return Flow::Return,
            StmtKind::Reach(property) => step.reached.push((*property, stmt.span)),
            StmtKind::Error(property) => return Flow::End(End::Error(*property, stmt.span)),
            StmtKind::Halt(code) => return Flow::End(End::Halt(self.value(*code, inputs))),
            StmtKind::Print { stream, text } => self.print(*stream, text, inputs, step),
        }
        Flow::Continue
    }

    fn choose(&mut self, arms: &'p [Arm], inputs: &(impl Inputs + ?Sized), step: &mut Step) -> Flow {
        let Some(arm) = arms.iter().find(|arm| self.value(arm.guard, inputs) != 0) else {
            return Flow::Continue;
        };
        if self.traced && self.program.acts(arm.body) {
            step.rules.push(Rule { span: arm.span, body: arm.body });
        }
        grow(|| self.execute(arm.body, inputs, step))
    }

    fn print(&self, stream: Stream, text: &[Piece], inputs: &(impl Inputs + ?Sized), step: &mut Step) {
        let out = match stream {
            Stream::Output => &mut step.output,
            Stream::Diagnostic => &mut step.complaints,
        };
        for piece in text {
            let written = match piece {
                Piece::Text(text) => out.write_str(text),
                Piece::Number(value) => write!(out, "{}", self.value(*value, inputs)),
            };
            debug_assert!(written.is_ok(), "writing to a string does not fail");
        }
    }

    /// Where a cell lies, unless the index is outside its table.
    fn cell(&self, pointer: i32, index: i32) -> Option<usize> {
        let table = pointer as usize;
        let index = usize::try_from(index).ok()?;
        (index < self.program.tables[table].cells.len()).then(|| self.offsets[table] + index)
    }

    fn value(&self, id: ExprId, inputs: &(impl Inputs + ?Sized)) -> i32 {
        use crate::expr::BinaryOp::{And, Or};
        match self.program.exprs.get(id) {
            Expr::Bool(value) => i32::from(value),
            Expr::Int(value) => value,
            Expr::Table(table) => table.index() as i32,
            Expr::Input(input) => inputs.value(input),
            Expr::Var(var) => self.state.variables[var.index()],
            Expr::Unary(op, a) => op.apply(grow(|| self.value(a, inputs))),
            // All operands are free of effects, so skipping one only saves time.
            Expr::Binary(And, a, b) => i32::from(grow(|| self.value(a, inputs) != 0 && self.value(b, inputs) != 0)),
            Expr::Binary(Or, a, b) => i32::from(grow(|| self.value(a, inputs) != 0 || self.value(b, inputs) != 0)),
            Expr::Binary(op, a, b) => grow(|| op.apply(self.value(a, inputs), self.value(b, inputs))),
            Expr::Ite(condition, then, otherwise) => grow(|| {
                let taken = if self.value(condition, inputs) != 0 { then } else { otherwise };
                self.value(taken, inputs)
            }),
            Expr::Cell(pointer, index) => {
                let (pointer, index) = grow(|| (self.value(pointer, inputs), self.value(index, inputs)));
                self.cell(pointer, index).map_or(0, |place| self.state.cells[place])
            }
            Expr::Length(pointer) => {
                let table = grow(|| self.value(pointer, inputs));
                self.program.tables[table as usize].cells.len() as i32
            }
        }
    }
}
