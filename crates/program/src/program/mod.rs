//! The program: the common target of all source languages, in the style of Dijkstra's guarded commands.
//!
//! A program is a set of variables, a `setup` that runs once, and a `step` that runs once per input until
//! an error, a halt or an assumption that fails ends the run. There is no recursion, so parameters, results
//! and locals are variables like all others, each with one place.
//!
//! Nothing can go wrong inside an expression: where a source language traps (a division by zero, an index
//! outside its table), lowering puts an explicit choice in front that leads to an `error`.

pub mod assigned;
mod builder;
pub mod domain;
mod head;
mod language;
pub mod legend;
mod place;
pub mod points_to;
pub mod print;
pub mod time;
pub mod usage;
mod verify;
pub mod words;

use redoubt_base::id;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use builder::Builder;
pub use domain::Domain;
pub use head::{AtHead, HeadKind, LoopHead};
pub use language::Language;
pub use legend::Legend;
pub use place::Place;
pub use time::{Fairness, Timed};
pub use verify::{Malformed, Part};
pub use words::Words;

use crate::expr::{ExprId, Exprs, InputId, TableId, Type, VarId};
use crate::text::{Sources, Span};

id!(/// A statement in a program's arena.
    StmtId);
id!(/// A function of a program.
    FunctionId);
id!(/// A property: something that a run may reach, such as an error label.
    PropertyId);

#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub language: Language,
    pub sources: Arc<Sources>,
    /// The constants of a model that were given other values than their own when it was read, with these as they were written.
    pub constants: BTreeMap<String, String>,
    pub exprs: Exprs,
    pub stmts: Vec<Stmt>,
    pub inputs: Vec<Input>,
    pub variables: Vec<Variable>,
    pub tables: Vec<Table>,
    pub functions: Vec<Function>,
    pub properties: Vec<Property>,
    /// Runs once, before the first step, and reads no input.
    pub setup: StmtId,
    /// Runs once per step.
    pub step: StmtId,
    /// The words that the numbers of inputs and outputs stand for, if the source has words.
    pub words: Words,
    /// The meaning of its parts, if the source language says more than numbers do.
    pub legend: Option<Legend>,
    /// The loop that the step is the body of, or the loops that a run goes through, as far as the text can name them.
    pub heads: Vec<LoopHead>,
    /// The variable that says where the run is, if a step may begin at several places.
    pub location: Option<VarId>,
    /// Properties of whole runs. They are no part of `properties`: nothing of them is reached.
    pub timed: Vec<Timed>,
    /// The fairness assumptions on the runs that these are about.
    pub fairness: Vec<Fairness>,
}

/// A value that the environment chooses anew in every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    /// The values that it may have.
    pub alphabet: Domain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    pub scope: Scope,
    /// The value before `setup`: the number, the truth value as 0 or 1, or the table's number.
    pub initial: i32,
    /// Values that include all that it has while the run goes on, where the source says so.
    pub domain: Option<Domain>,
    pub span: Span,
}

/// Where a variable was declared, which says how long its value can matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Keeps its value from step to step.
    Global,
    /// A parameter or local of a function, or a value that lowering needed: always written before it is
    /// read, so it carries nothing from one step to the next.
    Local,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub cells: Vec<i32>,
    /// Whether any statement writes a cell of it.
    pub written: bool,
    /// The same for every cell.
    pub domain: Option<Domain>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<VarId>,
    pub result: Option<VarId>,
    pub body: StmtId,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    pub name: String,
    pub kind: PropertyKind,
    /// The first place in the text that can reach it.
    pub span: Span,
    /// The author's expectation.
    pub expected: Option<Status>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// A label or call that marks an error.
    Label,
    /// An assertion without a label.
    Assertion,
    /// A division or remainder by zero.
    DivisionByZero,
    /// The division or remainder of the lowest number by -1, on which the processor traps.
    DivisionOverflow,
    /// A table read or written outside its cells.
    IndexOutOfBounds,
    /// A shift by less than 0 or by as many bits as there are.
    ShiftOutOfRange,
    /// A pointer followed that points to nothing, or to nothing of its kind.
    InvalidDereference,
    /// Something freed that was not allocated, or was freed before.
    InvalidFree,
    /// More allocated at one place than the program's model has room for.
    OutOfMemoryModel,
    /// More calls within each other than the program's model has room for.
    RecursionTooDeep,
    /// A number with a fraction converted to an integer type that it does not fit into.
    FloatConversionRange,
    /// A variable assigned a value outside its declared range.
    OutOfRange,
    /// A condition on all states; reaching the property is finding one that breaks it.
    Invariant,
    /// Something that ought to be possible: reaching it is desired.
    Goal,
    /// A place that a good model visits; see [`legend::Lint`].
    Lint,
    /// Something that is true in some steps, of which [`time`] speaks; reached in each of these.
    Atom,
}

/// Whether a property is as its author wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Holds,
    Violated,
}

impl PropertyKind {
    /// Whether the language leaves open what happens, and the compiled program may go on.
    pub fn is_unnoticed(self) -> bool {
        use PropertyKind::*;
        matches!(
            self,
            IndexOutOfBounds
                | ShiftOutOfRange
                | InvalidDereference
                | InvalidFree
                | OutOfMemoryModel
                | RecursionTooDeep
                | FloatConversionRange
        )
    }

    /// Whether people ask for it, and are told.
    pub fn is_question(self) -> bool {
        !matches!(self, PropertyKind::Lint | PropertyKind::Atom)
    }

    /// The status of the property, given whether some run reaches it.
    pub fn status(self, reachable: bool) -> Status {
        let wanted = matches!(self, PropertyKind::Goal | PropertyKind::Lint | PropertyKind::Atom);
        if reachable == wanted { Status::Holds } else { Status::Violated }
    }
}

impl Status {
    pub fn word(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Violated => "violated",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    Assign {
        variable: VarId,
        value: ExprId,
    },
    /// `pointer[index] = value`; outside the table nothing is written.
    Store {
        pointer: ExprId,
        index: ExprId,
        value: ExprId,
    },
    /// A run in which the condition fails here does not exist.
    Assume(ExprId),
    Sequence(Vec<StmtId>),
    /// Dijkstra's alternative command with the guards tried in order: the first arm whose guard holds
    /// runs. If none holds, nothing happens.
    Choice(Vec<Arm>),
    /// Parameters have been assigned before; the result variable is read afterwards.
    Call(FunctionId),
    /// Leaves the function.
    Return,
    /// Reaches a property and ends the run.
    Error(PropertyId),
    /// Reaches a property, and the run goes on.
    Reach(PropertyId),
    /// Ends the run; the value is the exit code.
    Halt(ExprId),
    Print {
        stream: Stream,
        text: Vec<Piece>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    pub guard: ExprId,
    pub body: StmtId,
    /// The source of the guard.
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Output,
    Diagnostic,
}

/// A part of a printed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// In decimal.
    Number(ExprId),
}

impl Table {
    /// The cell at an index, unless that is outside the table.
    pub fn get(&self, index: i32) -> Option<i32> {
        usize::try_from(index).ok().and_then(|index| self.cells.get(index)).copied()
    }

    /// The total meaning of a read: 0 outside the table.
    pub fn cell(&self, index: i32) -> i32 {
        self.get(index).unwrap_or(0)
    }
}

impl Program {
    /// Whether a first step of its own chooses the initial state.
    pub fn chooses_start(&self) -> bool {
        self.legend.as_ref().is_some_and(|legend| legend.started.is_some())
    }

    /// Whether a step may begin at several places of the text, as in C with loops.
    pub fn has_locations(&self) -> bool {
        self.location.is_some()
    }

    /// The properties that people ask for, without those that are there for warnings, or as parts of others.
    pub fn questions(&self) -> Vec<PropertyId> {
        let all = (0..self.properties.len()).map(PropertyId::new);
        all.filter(|&property| self.property(property).kind.is_question()).collect()
    }

    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn property(&self, id: PropertyId) -> &Property {
        &self.properties[id.index()]
    }

    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.index()]
    }

    pub fn input(&self, id: InputId) -> &Input {
        &self.inputs[id.index()]
    }

    /// The line of a place in the source.
    pub fn line(&self, span: Span) -> usize {
        self.sources.position(span).line
    }
}

impl Program {
    /// Puts the properties into an order that people expect: labels by number, then the others by name.
    pub fn sort_properties(&mut self) {
        let key = |property: &Property| {
            let number = property.name.rsplit('_').next().and_then(|number| number.parse::<u64>().ok());
            let is_label = property.kind == PropertyKind::Label && number.is_some();
            (!is_label, if is_label { number } else { None }, property.name.clone())
        };
        let mut order: Vec<usize> = (0..self.properties.len()).collect();
        order.sort_by_cached_key(|&index| key(&self.properties[index]));
        self.reorder_properties(&order);
    }

    /// Puts the properties into an order, given by their old positions.
    pub fn reorder_properties(&mut self, order: &[usize]) {
        let mut new_id = vec![PropertyId::new(0); order.len()];
        order.iter().enumerate().for_each(|(new, &old)| new_id[old] = PropertyId::new(new));
        self.properties = order.iter().map(|&old| self.properties[old].clone()).collect();
        for stmt in &mut self.stmts {
            if let StmtKind::Error(property) | StmtKind::Reach(property) = &mut stmt.kind {
                *property = new_id[property.index()];
            }
        }
        for lint in self.legend.iter_mut().flat_map(|legend| &mut legend.lints) {
            lint.property = new_id[lint.property.index()];
            lint.after = lint.after.map(|after| new_id[after.index()]);
        }
        for atom in self.timed.iter_mut().flat_map(|timed| &mut timed.atoms) {
            *atom = new_id[atom.index()];
        }
        for Fairness { recurs, when } in &mut self.fairness {
            *recurs = new_id[recurs.index()];
            *when = when.map(|when| new_id[when.index()]);
        }
    }
}

impl StmtKind {
    /// The statements directly inside this one.
    pub fn children(&self) -> impl Iterator<Item = StmtId> + '_ {
        let (sequence, arms): (&[StmtId], &[Arm]) = match self {
            StmtKind::Sequence(list) => (list, &[]),
            StmtKind::Choice(arms) => (&[], arms),
            _ => (&[], &[]),
        };
        sequence.iter().copied().chain(arms.iter().map(|arm| arm.body))
    }

    /// The expressions that this statement itself evaluates.
    pub fn expressions(&self) -> Vec<ExprId> {
        match self {
            StmtKind::Assign { value, .. } => vec![*value],
            StmtKind::Store { pointer, index, value } => vec![*pointer, *index, *value],
            StmtKind::Assume(condition) | StmtKind::Halt(condition) => vec![*condition],
            StmtKind::Choice(arms) => arms.iter().map(|arm| arm.guard).collect(),
            StmtKind::Print { text, .. } => text
                .iter()
                .filter_map(|piece| match piece {
                    Piece::Number(value) => Some(*value),
                    Piece::Text(_) => None,
                })
                .collect(),
            StmtKind::Sequence(_) | StmtKind::Call(_) | StmtKind::Return | StmtKind::Error(_) | StmtKind::Reach(_) => {
                vec![]
            }
        }
    }
}
