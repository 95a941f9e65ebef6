//! Two programs and their correspondence to one program with one property: that they differ.
//!
//! It makes a step of the old program and then one of the new program, on the same inputs, and compares their visible
//! parts: a miter (Brand 1993), of programs. Where both runs would not exist, this one does not either; it ends where
//! one of them does. Everything that decides programs decides this one.

use std::sync::Arc;

use super::cells::matched;
use super::copy::{BLOCKED, Copied, Numbers, Original, Prints, RUNS, copy};
use super::matching::{Channel, Matching, Observed, Renaming, Side};
use crate::expr::{ExprId, TableId, Type, VarId};
use crate::program::{
    Arm, Builder, FunctionId, Input, Malformed, Piece, Place, Program, Property, PropertyId, PropertyKind, Scope,
    StmtId, StmtKind, Stream, Variable,
};
use crate::text::{Sources, Span};

/// Two programs in one.
#[derive(Clone, Debug)]
pub struct Product {
    pub program: Program,
    /// The property that the two visibly differ.
    pub differs: PropertyId,
    /// The property that one of them prints more in a step than there are slots for.
    pub more: Option<PropertyId>,
    /// Places of the old and of the new program that have one name.
    pub twins: Vec<(Place, Place)>,
}

/// The product, with `slots` slots for the prints of a step.
pub fn product(old: &Program, new: &Program, matching: &Matching, slots: usize) -> Result<Product, Malformed> {
    let (mut builder, channels) = begin([old, new], matching, format!("{} and {}", old.name, new.name));
    let mut numbers = Numbers::default();
    let sides = Side::BOTH.map(|side| {
        let original = original(&mut builder, [old, new], matching, &channels, side, slots);
        copy(&mut builder, &mut numbers, &original)
    });
    let differs = builder.add_property(property("differs"));
    let has_slots = sides.iter().any(|side| !side.slots.is_empty());
    let more = has_slots.then(|| builder.add_property(property("prints_more")));
    let twins = twins([old, new], &sides);
    let mut maker = Maker { builder: &mut builder, programs: [old, new], sides: &sides, matching, differs, more };
    maker.run();
    Ok(Product { program: builder.finish()?, differs, more, twins })
}

/// One of the programs by itself, with the one property that it prints more in a step than there are slots for. Its runs are those that
/// it has in the product, and more; none where the two start in different ways.
pub fn alone(
    programs: [&Program; 2],
    matching: &Matching,
    side: Side,
    slots: usize,
) -> Result<Option<Program>, Malformed> {
    let program = side.of((programs[0], programs[1]));
    if starts_open(programs[0]) != starts_open(programs[1]) {
        return Ok(None);
    }
    let (mut builder, channels) = begin(programs, matching, program.name.clone());
    let original = original(&mut builder, programs, matching, &channels, side, slots);
    let copied = copy(&mut builder, &mut Numbers::default(), &original);
    let more = builder.add_property(property("prints_more"));
    let turn = |builder: &mut Builder, function: FunctionId| {
        let calls = [copied.forget, function].map(|function| add(builder, StmtKind::Call(function)));
        let blocked = ended_by(builder, &copied, BLOCKED);
        let goes_on = builder.exprs_mut().not(blocked);
        let assume = add(builder, StmtKind::Assume(goes_on));
        let is_more = builder.exprs_mut().var(copied.more, Type::Bool);
        let error = add(builder, StmtKind::Error(more));
        let error = only_if(builder, is_more, error);
        let runs = ended_by(builder, &copied, RUNS);
        let exprs = builder.exprs_mut();
        let (is_over, code) = (exprs.not(runs), exprs.int(0));
        let halt = add(builder, StmtKind::Halt(code));
        let halt = only_if(builder, is_over, halt);
        builder.add_sequence([&calls[..], &[assume, error, halt]].concat())
    };
    let (setup, step) = (turn(&mut builder, copied.setup), turn(&mut builder, copied.step));
    builder.set_setup(setup);
    builder.set_step(step);
    builder.finish().map(Some)
}

fn property(name: &str) -> Property {
    Property { name: name.into(), kind: PropertyKind::Assertion, span: Span::default(), expected: None }
}

/// A program of two that has nothing yet but their inputs.
fn begin(programs: [&Program; 2], matching: &Matching, name: String) -> (Builder, Vec<ExprId>) {
    let files = programs.into_iter().flat_map(|program| program.sources.files().iter().cloned());
    let mut builder = Builder::new(name, Arc::new(Sources::new(files.collect())));
    let channel = |channel: &Channel| {
        let input = Input { name: channel.name.clone(), alphabet: channel.alphabet.clone() };
        let input = builder.add_input(input);
        builder.exprs_mut().input(input, Type::Int)
    };
    let channels = matching.inputs.iter().map(channel).collect();
    (builder, channels)
}

/// The source of the copy of one of the programs.
fn original<'p>(
    builder: &mut Builder,
    programs: [&'p Program; 2],
    matching: &Matching,
    channels: &[ExprId],
    side: Side,
    slots: usize,
) -> Original<'p> {
    let program = side.of((programs[0], programs[1]));
    Original {
        program,
        side,
        inputs: inputs(builder, matching, channels, side, program),
        properties: properties(matching, side),
        prints: prints(matching, side, slots, programs),
        files_before: side.of((0, programs[0].sources.files().len() as u32)),
    }
}

/// Whether a program takes a step to choose where it starts.
pub(super) fn starts_open(program: &Program) -> bool {
    program.chooses_start()
}

fn add(builder: &mut Builder, kind: StmtKind) -> StmtId {
    builder.add_stmt(kind, Span::default())
}

fn only_if(builder: &mut Builder, guard: ExprId, body: StmtId) -> StmtId {
    add(builder, StmtKind::Choice(vec![Arm { guard, body, span: Span::default() }]))
}

/// The condition that the step of a program ended in this way.
fn ended_by(builder: &mut Builder, side: &Copied, end: i32) -> ExprId {
    let exprs = builder.exprs_mut();
    let (now, number) = (exprs.var(side.end, Type::Int), exprs.int(end));
    exprs.eq(now, number)
}

/// The inputs of one of the programs in the product.
fn inputs(
    builder: &mut Builder,
    matching: &Matching,
    channels: &[ExprId],
    side: Side,
    program: &Program,
) -> Vec<ExprId> {
    let nothing = builder.exprs_mut().int(0);
    let mut inputs = vec![nothing; program.inputs.len()];
    for (channel, &value) in matching.inputs.iter().zip(channels) {
        let Some(input) = channel.input(side) else { continue };
        inputs[input.index()] = match &channel.renaming {
            Some(pairs) if side == Side::New => renamed(builder, value, pairs, None),
            _ => value,
        };
    }
    inputs
}

/// The values of the new program for those of the old one; `other` for those that have none, or else the last of them.
fn renamed(builder: &mut Builder, value: ExprId, pairs: &Renaming, other: Option<i32>) -> ExprId {
    let exprs = builder.exprs_mut();
    let (last, pairs) = match (other, pairs.split_last()) {
        (Some(other), _) => (other, pairs.as_slice()),
        (None, Some((last, before))) => (last.1, before),
        (None, None) => return value,
    };
    let last = exprs.int(last);
    pairs.iter().fold(last, |rest, &(from, to)| {
        let (from, to) = (exprs.int(from), exprs.int(to));
        let is_it = exprs.eq(value, from);
        exprs.ite(is_it, to, rest)
    })
}

/// The properties that are compared while the run goes on.
fn properties(matching: &Matching, side: Side) -> Vec<PropertyId> {
    let property = |observed: &Observed| match observed {
        Observed::Property { old, new } => Some(side.of((*old, *new))),
        _ => None,
    };
    matching.observed.iter().filter_map(property).collect()
}

fn prints(matching: &Matching, side: Side, slots: usize, programs: [&Program; 2]) -> Prints {
    let kept = matching.observed.iter().find_map(|observed| match observed {
        Observed::Printed => {
            let numbers = programs.iter().map(|program| most_numbers(program)).max().unwrap_or(0);
            Some(Prints::Slots { prints: slots, numbers })
        }
        Observed::Number { printing, .. } if *printing == side => Some(Prints::Number),
        _ => None,
    });
    kept.unwrap_or(Prints::Nothing)
}

/// The most numbers in a single print of a program.
fn most_numbers(program: &Program) -> usize {
    let count = |kind: &StmtKind| match kind {
        StmtKind::Print { stream: Stream::Output, text } => {
            text.iter().filter(|piece| matches!(piece, Piece::Number(_))).count()
        }
        _ => 0,
    };
    program.stmts.iter().map(|stmt| count(&stmt.kind)).max().unwrap_or(0)
}

/// Variables and cells that have one name and type in both.
fn twins(programs: [&Program; 2], sides: &[Copied; 2]) -> Vec<(Place, Place)> {
    let [old, new] = programs;
    let mut twins = vec![];
    for (index, variable) in old.variables.iter().enumerate() {
        let is_like =
            |other: &Variable| (&other.name, other.ty, other.scope) == (&variable.name, variable.ty, variable.scope);
        if let Some(other) = new.variables.iter().position(is_like) {
            twins.push((Place::Variable(sides[0].variables[index]), Place::Variable(sides[1].variables[other])));
        }
    }
    for (index, table) in old.tables.iter().enumerate().filter(|(_, table)| table.written) {
        let is_like = |other: &crate::program::Table| {
            other.name == table.name && other.written && other.cells.len() == table.cells.len()
        };
        if let Some(other) = new.tables.iter().position(is_like) {
            let tables = (sides[0].tables[index], sides[1].tables[other]);
            let cells = matched((old, TableId::new(index)), (new, TableId::new(other))).unwrap_or_default();
            let pair = |(cell, twin)| (Place::Cell(tables.0, cell), Place::Cell(tables.1, twin));
            twins.extend(cells.into_iter().enumerate().map(pair));
        }
    }
    twins
}

struct Maker<'m> {
    builder: &'m mut Builder,
    programs: [&'m Program; 2],
    sides: &'m [Copied; 2],
    matching: &'m Matching,
    differs: PropertyId,
    more: Option<PropertyId>,
}

impl Maker<'_> {
    fn run(&mut self) {
        let is_open = self.programs.map(starts_open);
        let setups = self.sides.each_ref().map(|side| side.setup);
        let steps = self.sides.each_ref().map(|side| side.step);
        if is_open[0] == is_open[1] {
            let (setup, step) = (self.in_turn(&setups.map(|one| vec![one])), self.in_turn(&steps.map(|one| vec![one])));
            self.builder.set_setup(setup);
            self.builder.set_step(step);
            return;
        }
        // One of them takes a step to choose where it starts: the other one starts then, too.
        let begun = self.builder.add_variable(Variable {
            name: "begun".into(),
            ty: Type::Bool,
            scope: Scope::Global,
            initial: 0,
            domain: None,
            span: Span::default(),
        });
        let start = [0, 1].map(|side| if is_open[side] { vec![setups[side], steps[side]] } else { vec![setups[side]] });
        let (first, later) = (self.in_turn(&start), self.in_turn(&steps.map(|one| vec![one])));
        let exprs = self.builder.exprs_mut();
        let (yes, guard) = (exprs.bool(true), exprs.var(begun, Type::Bool));
        let begins = self.add(StmtKind::Assign { variable: begun, value: yes });
        let first = self.builder.add_sequence(vec![begins, first]);
        let arm = |guard, body| Arm { guard, body, span: Span::default() };
        let step = self.add(StmtKind::Choice(vec![arm(guard, later), arm(yes, first)]));
        self.builder.set_step(step);
    }

    fn add(&mut self, kind: StmtKind) -> StmtId {
        add(self.builder, kind)
    }

    /// Each program does something, one after the other; then they are compared.
    fn in_turn(&mut self, parts: &[Vec<FunctionId>; 2]) -> StmtId {
        let mut list = vec![];
        for (side, functions) in self.sides.iter().zip(parts) {
            list.push(self.add(StmtKind::Call(side.forget)));
            for (index, &function) in functions.iter().enumerate() {
                let call = self.add(StmtKind::Call(function));
                let call = if index == 0 {
                    call
                } else {
                    let guard = self.runs(side);
                    self.only_if(guard, call)
                };
                list.push(call);
            }
        }
        list.extend(self.compare());
        self.builder.add_sequence(list)
    }

    fn only_if(&mut self, guard: ExprId, body: StmtId) -> StmtId {
        only_if(self.builder, guard, body)
    }

    /// The condition that a program's run has not ended.
    fn runs(&mut self, side: &Copied) -> ExprId {
        self.ended_by(side, RUNS)
    }

    fn ended_by(&mut self, side: &Copied, end: i32) -> ExprId {
        ended_by(self.builder, side, end)
    }

    fn compare(&mut self) -> Vec<StmtId> {
        let [old, new] = self.sides;
        let blocked = (self.ended_by(old, BLOCKED), self.ended_by(new, BLOCKED));
        let neither = {
            let exprs = self.builder.exprs_mut();
            let both = exprs.and(blocked.0, blocked.1);
            exprs.not(both)
        };
        let mut list = vec![self.add(StmtKind::Assume(neither))];
        let differs = self.difference();
        let error = self.add(StmtKind::Error(self.differs));
        list.push(self.only_if(differs, error));
        if let Some(more) = self.more {
            let exprs = self.builder.exprs_mut();
            let (one, other) = (exprs.var(old.more, Type::Bool), exprs.var(new.more, Type::Bool));
            let either = exprs.or(one, other);
            let error = self.add(StmtKind::Error(more));
            list.push(self.only_if(either, error));
        }
        let (one, other) = (self.runs(old), self.runs(new));
        let exprs = self.builder.exprs_mut();
        let both = exprs.and(one, other);
        let (is_over, code) = (exprs.not(both), exprs.int(0));
        let halt = self.add(StmtKind::Halt(code));
        list.push(self.only_if(is_over, halt));
        list
    }

    /// The condition that something compared is not the same.
    fn difference(&mut self) -> ExprId {
        let [old, new] = self.sides;
        let (one, other) = (self.runs(old), self.runs(new));
        let both_run = self.builder.exprs_mut().and(one, other);
        let mut any = self.builder.exprs_mut().bool(false);
        for observed in &self.matching.observed {
            let (unequal, while_running) = self.unequal(observed);
            let exprs = self.builder.exprs_mut();
            let counts = if while_running { exprs.and(both_run, unequal) } else { unequal };
            any = exprs.or(any, counts);
        }
        any
    }

    /// The condition that something is not the same, and whether that counts only if both runs go on.
    fn unequal(&mut self, observed: &Observed) -> (ExprId, bool) {
        let [old, new] = self.sides;
        match observed {
            Observed::Printed => {
                let variables = |side: &Copied| {
                    let slots = side.slots.iter();
                    slots.flat_map(|slot| std::iter::once(slot.form).chain(slot.numbers.iter().copied())).collect()
                };
                let (one, other): (Vec<VarId>, Vec<VarId>) = (variables(old), variables(new));
                (self.any_unequal(one.into_iter().zip(other), Type::Int), false)
            }
            Observed::End => (self.any_unequal([(old.end, new.end), (old.exit, new.exit)], Type::Int), false),
            Observed::Property { old: property, new: other } => {
                (self.any_unequal([(old.reached[property], new.reached[other])], Type::Bool), false)
            }
            Observed::Number { printing, variable, renaming, nothing } => {
                (self.unequal_number(*printing, *variable, renaming.as_ref(), *nothing), true)
            }
            Observed::Variable { old: variable, new: other, renaming } => {
                let one = self.value(0, *variable);
                let other = self.value(1, *other);
                (self.unequal_values(one, other, renaming.as_ref()), true)
            }
            Observed::Table { old: table, new: other, cells, renaming } => {
                let tables = (old.tables[table.index()], new.tables[other.index()]);
                let mut any = self.builder.exprs_mut().bool(false);
                for (cell, &twin) in cells.iter().enumerate() {
                    let exprs = self.builder.exprs_mut();
                    let (one, cell) = (exprs.table(tables.0), exprs.int(cell as i32));
                    let (other, twin) = (exprs.table(tables.1), exprs.int(twin as i32));
                    let (one, other) = (exprs.cell(one, cell), exprs.cell(other, twin));
                    let unequal = self.unequal_values(one, other, renaming.as_ref());
                    any = self.builder.exprs_mut().or(any, unequal);
                }
                (any, true)
            }
        }
    }

    fn any_unequal(&mut self, pairs: impl IntoIterator<Item = (VarId, VarId)>, ty: Type) -> ExprId {
        let exprs = self.builder.exprs_mut();
        pairs.into_iter().fold(exprs.bool(false), |any, (one, other)| {
            let (one, other) = (exprs.var(one, ty), exprs.var(other, ty));
            let equal = exprs.eq(one, other);
            let unequal = exprs.not(equal);
            exprs.or(any, unequal)
        })
    }

    /// A variable of one of the programs as a number.
    fn value(&mut self, side: usize, variable: VarId) -> ExprId {
        let ty = self.programs[side].variable(variable).ty;
        let exprs = self.builder.exprs_mut();
        let value = exprs.var(self.sides[side].variables[variable.index()], ty);
        if ty == Type::Bool { exprs.unary(crate::expr::UnaryOp::ToInt, value) } else { value }
    }

    fn unequal_values(&mut self, old: ExprId, new: ExprId, renaming: Option<&Renaming>) -> ExprId {
        // A value that the new program has no name for is not equal to any.
        let old = renaming.map_or(old, |pairs| renamed(self.builder, old, pairs, Some(-1)));
        let exprs = self.builder.exprs_mut();
        let equal = exprs.eq(old, new);
        exprs.not(equal)
    }

    fn unequal_number(&mut self, printing: Side, variable: VarId, renaming: Option<&Renaming>, nothing: i32) -> ExprId {
        let (prints, has) = printing.of(((0, 1), (1, 0)));
        let slot = self.sides[prints].slots[0].clone();
        let variable = self.value(has, variable);
        let printed = self.builder.exprs_mut().var(slot.numbers[0], Type::Int);
        let printed = renaming.map_or(printed, |pairs| renamed(self.builder, printed, pairs, Some(-1)));
        let exprs = self.builder.exprs_mut();
        let (form, zero, nothing) = (exprs.var(slot.form, Type::Int), exprs.int(0), exprs.int(nothing));
        let is_nothing = exprs.eq(form, zero);
        let printed = exprs.ite(is_nothing, nothing, printed);
        let equal = exprs.eq(printed, variable);
        exprs.not(equal)
    }
}
