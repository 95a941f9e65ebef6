//! A program to clauses, for checking: by the book, without any of the ways that make the engines' encoding small.
//!
//! Statements are executed one after the other on words of 32 literals. Each arm of a choice starts from the same
//! memory; behind the choice, what each wrote is chosen by the literal that says that it was taken. There are no
//! passes, no value analysis, no graph of gates: what this and the engines' encoding have in common is the parsed
//! program, and the tests compare both with the simulator.

mod gates;
pub mod words;

pub use gates::{Gates, Lit};
pub use words::Word;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::expr::{BinaryOp, Expr, ExprId, TableId, Type, UnaryOp, VarId};
use crate::program::{Arm, Domain, FunctionId, Program, StmtId, StmtKind};

/// The variables of a program and the cells of its tables, as words. Cells that are never written are constants.
#[derive(Clone, Debug)]
pub struct Memory {
    slots: Vec<Word>,
    /// Where the cells of each table begin.
    tables: Vec<usize>,
}

impl Memory {
    pub fn variable(&self, variable: VarId) -> &Word {
        &self.slots[variable.index()]
    }

    pub fn cell(&self, table: TableId, index: usize) -> &Word {
        &self.slots[self.tables[table.index()] + index]
    }
}

/// One step of a program.
#[derive(Debug)]
pub struct Step {
    pub before: Memory,
    pub after: Memory,
    pub inputs: Vec<Word>,
    /// The run goes on behind the step.
    pub goes_on: Lit,
    /// By property: the step reaches it, and exists.
    pub reached: Vec<Lit>,
}

/// The program is too large: its calls expand to more than this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

const MOST_STATEMENTS: usize = 20_000_000;

/// Encodes a step from any state. The inputs have values of their alphabets.
pub fn step(program: &Program, gates: &mut Gates) -> Result<Step, TooLarge> {
    let mut before = Memory { slots: vec![], tables: vec![] };
    for variable in &program.variables {
        let word = match variable.ty {
            Type::Bool => words::truth(gates.fresh()),
            Type::Int => words::fresh(gates),
            Type::Pointer => {
                let word = words::fresh(gates);
                let inside = words::between(gates, &word, 0, program.tables.len() as i32 - 1);
                gates.require(&[inside]);
                word
            }
        };
        before.slots.push(word);
    }
    for table in &program.tables {
        before.tables.push(before.slots.len());
        let cell = |&cell: &i32| if table.written { words::fresh(gates) } else { words::constant(cell) };
        before.slots.extend(table.cells.iter().map(cell));
    }
    let inputs: Vec<Word> = program.inputs.iter().map(|_| words::fresh(gates)).collect();
    for (word, input) in inputs.iter().zip(&program.inputs) {
        let inside = match &input.alphabet {
            Domain::List(list) => {
                let equal: Vec<Lit> =
                    list.iter().map(|&value| words::equal(gates, word, &words::constant(value))).collect();
                gates.any(&equal)
            }
            Domain::Range(low, high) => words::between(gates, word, *low, *high),
        };
        gates.require(&[inside]);
    }
    let mut encoder = Encoder {
        program,
        gates,
        memory: before.clone(),
        inputs: &inputs,
        known: FxHashMap::default(),
        log: vec![],
        active: Lit::TRUE,
        entered: Lit::TRUE,
        returned: vec![],
        exists: Lit::TRUE,
        ended: Lit::FALSE,
        reached: vec![Lit::FALSE; program.properties.len()],
        statements: 0,
    };
    encoder.execute(program.step)?;
    let (memory, exists, ended) = (encoder.memory, encoder.exists, encoder.ended);
    let reached = std::mem::take(&mut encoder.reached);
    let goes_on = gates.and(exists, !ended);
    let reached = reached.into_iter().map(|reached| gates.and(exists, reached)).collect();
    Ok(Step { before, after: memory, inputs, goes_on, reached })
}

struct Encoder<'e> {
    program: &'e Program,
    gates: &'e mut Gates,
    memory: Memory,
    inputs: &'e [Word],
    /// What expressions are, until the next assignment.
    known: FxHashMap<ExprId, Word>,
    /// What was overwritten, to be restored where an arm ends.
    log: Vec<(usize, Word)>,
    /// This statement is executed.
    active: Lit,
    /// The innermost arm was entered.
    entered: Lit,
    /// Per function that is being executed: it was left.
    returned: Vec<Lit>,
    /// No assumption failed.
    exists: Lit,
    /// The run ended in this step.
    ended: Lit,
    reached: Vec<Lit>,
    statements: usize,
}

impl Encoder<'_> {
    fn execute(&mut self, id: StmtId) -> Result<(), TooLarge> {
        self.statements += 1;
        if self.statements > MOST_STATEMENTS {
            return Err(TooLarge);
        }
        if self.active == Lit::FALSE {
            return Ok(());
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.execute_here(id))
    }

    fn execute_here(&mut self, id: StmtId) -> Result<(), TooLarge> {
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                let value = self.evaluate(*value);
                // Where every way into the arm leads here, the new value is the value.
                let condition = if self.active == self.entered { Lit::TRUE } else { self.active };
                self.write(variable.index(), condition, &value);
            }
            StmtKind::Store { pointer, index, value } => {
                let (pointer, index, value) = (self.evaluate(*pointer), self.evaluate(*index), self.evaluate(*value));
                for table in (0..program.tables.len()).filter(|&table| program.tables[table].written) {
                    let here = words::equal(self.gates, &pointer, &words::constant(table as i32));
                    let here = self.gates.and(self.active, here);
                    for cell in 0..program.tables[table].cells.len() {
                        let at = words::equal(self.gates, &index, &words::constant(cell as i32));
                        let hit = self.gates.and(here, at);
                        self.write(self.memory.tables[table] + cell, hit, &value);
                    }
                }
            }
            StmtKind::Assume(condition) => {
                let condition = self.truth(*condition);
                let fails = self.gates.and(self.active, !condition);
                self.exists = self.gates.and(self.exists, !fails);
                self.active = self.gates.and(self.active, condition);
            }
            StmtKind::Sequence(list) => {
                for &inner in list {
                    self.execute(inner)?;
                }
            }
            StmtKind::Choice(arms) => self.choose(arms)?,
            StmtKind::Call(function) => self.call(*function)?,
            StmtKind::Return => {
                let left = self.returned.last_mut();
                if let Some(left) = left {
                    *left = self.gates.or(*left, self.active);
                }
                self.active = Lit::FALSE;
            }
            StmtKind::Error(property) => {
                let reached = &mut self.reached[property.index()];
                *reached = self.gates.or(*reached, self.active);
                self.ended = self.gates.or(self.ended, self.active);
                self.active = Lit::FALSE;
            }
            StmtKind::Halt(_) => {
                self.ended = self.gates.or(self.ended, self.active);
                self.active = Lit::FALSE;
            }
            StmtKind::Reach(property) => {
                let reached = &mut self.reached[property.index()];
                *reached = self.gates.or(*reached, self.active);
            }
            StmtKind::Print { .. } => {}
        }
        Ok(())
    }

    fn write(&mut self, slot: usize, condition: Lit, value: &Word) {
        let old = self.memory.slots[slot].clone();
        let new = words::choose(self.gates, condition, value, &old);
        if new != old {
            self.memory.slots[slot] = new;
            self.log.push((slot, old));
            self.known.clear();
        }
    }

    fn choose(&mut self, arms: &[Arm]) -> Result<(), TooLarge> {
        let outer = self.entered;
        let mut waiting = self.active;
        let mut behind = vec![];
        // What each arm wrote: the literal that it was taken, and the last value of each slot.
        let mut written: BTreeMap<usize, Vec<(Lit, Word)>> = BTreeMap::new();
        for arm in arms {
            let guard = self.truth(arm.guard);
            let taken = self.gates.and(waiting, guard);
            waiting = self.gates.and(waiting, !guard);
            let (mark, left) = (self.log.len(), self.returned.last().copied());
            let known = std::mem::take(&mut self.known);
            (self.active, self.entered) = (taken, taken);
            self.execute(arm.body)?;
            behind.push(self.active);
            // An arm that always ends the run leaves nothing to anybody.
            let matters = self.active != Lit::FALSE || self.returned.last().copied() != left;
            for (slot, old) in self.log.drain(mark..).rev() {
                let new = std::mem::replace(&mut self.memory.slots[slot], old);
                let values = written.entry(slot).or_default();
                if matters && values.last().is_none_or(|(last, _)| *last != taken) {
                    values.push((taken, new));
                }
            }
            self.known = known;
            if waiting == Lit::FALSE {
                break;
            }
        }
        self.entered = outer;
        for (slot, values) in written {
            for (taken, value) in values {
                self.write(slot, taken, &value);
            }
        }
        behind.push(waiting);
        self.active = self.gates.any(&behind);
        Ok(())
    }

    fn call(&mut self, function: FunctionId) -> Result<(), TooLarge> {
        self.returned.push(Lit::FALSE);
        self.execute(self.program.function(function).body)?;
        let left = self.returned.pop().unwrap_or(Lit::FALSE);
        self.active = self.gates.or(self.active, left);
        Ok(())
    }

    fn truth(&mut self, id: ExprId) -> Lit {
        self.evaluate(id).bit(0)
    }

    fn evaluate(&mut self, id: ExprId) -> Word {
        if let Some(word) = self.known.get(&id) {
            return word.clone();
        }
        let word = stacker::maybe_grow(64 << 10, 1 << 20, || self.evaluate_here(id));
        self.known.insert(id, word.clone());
        word
    }

    fn evaluate_here(&mut self, id: ExprId) -> Word {
        let exprs = &self.program.exprs;
        match exprs.get(id) {
            Expr::Bool(value) => words::constant(i32::from(value)),
            Expr::Int(value) => words::constant(value),
            Expr::Table(table) => words::constant(table.index() as i32),
            Expr::Input(input) => self.inputs[input.index()].clone(),
            Expr::Var(variable) => self.memory.variable(variable).clone(),
            Expr::Unary(op, a) => {
                let a = self.evaluate(a);
                match op {
                    UnaryOp::Negate => words::negate(self.gates, &a),
                    UnaryOp::BitNot => words::not(&a),
                    UnaryOp::Not => words::truth(!a.bit(0)),
                    UnaryOp::ToInt => a,
                }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.evaluate(a), self.evaluate(b));
                self.binary(op, &a, &b)
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = self.truth(condition);
                let (then, otherwise) = (self.evaluate(then), self.evaluate(otherwise));
                words::choose(self.gates, condition, &then, &otherwise)
            }
            Expr::Cell(pointer, index) => {
                let (pointer, index) = (self.evaluate(pointer), self.evaluate(index));
                let mut result = words::constant(0);
                for table in 0..self.program.tables.len() {
                    let here = words::equal(self.gates, &pointer, &words::constant(table as i32));
                    for cell in 0..self.program.tables[table].cells.len() {
                        let at = words::equal(self.gates, &index, &words::constant(cell as i32));
                        let hit = self.gates.and(here, at);
                        let value = self.memory.cell(TableId::new(table), cell).clone();
                        result = words::choose(self.gates, hit, &value, &result);
                    }
                }
                result
            }
            Expr::Length(pointer) => {
                let pointer = self.evaluate(pointer);
                let mut result = words::constant(0);
                for (table, cells) in self.program.tables.iter().enumerate() {
                    let here = words::equal(self.gates, &pointer, &words::constant(table as i32));
                    result = words::choose(self.gates, here, &words::constant(cells.cells.len() as i32), &result);
                }
                result
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Word, b: &Word) -> Word {
        let gates = &mut *self.gates;
        match op {
            BinaryOp::Add => words::add(gates, a, b, Lit::FALSE),
            BinaryOp::Sub => words::add(gates, a, &words::not(b), Lit::TRUE),
            BinaryOp::Mul => words::multiply(gates, a, b),
            BinaryOp::Div => words::divide(gates, a, b).0,
            BinaryOp::Rem => words::divide(gates, a, b).1,
            BinaryOp::ShiftLeft => words::shift_left(gates, a, b),
            BinaryOp::ShiftRight => words::shift_right(gates, a, b),
            BinaryOp::BitAnd => words::bitwise(a, b, |a, b| gates.and(a, b)),
            BinaryOp::BitOr => words::bitwise(a, b, |a, b| gates.or(a, b)),
            BinaryOp::BitXor => words::bitwise(a, b, |a, b| gates.xor(a, b)),
            BinaryOp::Eq => words::truth(words::equal(gates, a, b)),
            BinaryOp::Less => words::truth(words::less(gates, a, b)),
            BinaryOp::LessEq => words::truth(!words::less(gates, b, a)),
            BinaryOp::And => words::truth(gates.and(a.bit(0), b.bit(0))),
            BinaryOp::Or => words::truth(gates.or(a.bit(0), b.bit(0))),
        }
    }
}
