//! A program to clauses, for checking: by the book, without any of the ways that make the engines' encoding small.
//!
//! Statements are executed one after the other on words of literals. Each arm of a choice starts from the same memory;
//! behind the choice, the values that each wrote are chosen by the literal that says that it was taken. There are no
//! passes and no graph of gates: this encoding and the engines' share only the parsed program, and the tests compare
//! both with the simulator. Two things are done for the solver's sake: equal sums become the same word (`sums`), and
//! the solver gets only the gates that it is asked about (`part`).
//!
//! Words, and expressions over them, are a matter of the [`Domain`]: [`bits`] has all 32 bits of a number, [`regions`]
//! only the region in which it lies.

pub mod bits;
mod gates;
mod part;
pub mod regions;
mod sums;
pub mod words;

pub use gates::{Gates, Lit};
pub use part::Part;
pub use words::Word;

use std::collections::BTreeMap;

use redoubt_base::Interrupt;
use redoubt_base::stack::grow;
use redoubt_program::expr::{ExprId, TableId, VarId};
use redoubt_program::program::{Arm, FunctionId, Place, Program, StmtId, StmtKind};
use rustc_hash::FxHashMap;

use super::{Certificate, Fact, Judgement, Literal};

/// The variables of a program, and the cells of its tables where the domain follows them, as words.
#[derive(Clone, Debug)]
pub struct Memory<W> {
    slots: Vec<W>,
    /// Where the cells of each table begin.
    tables: Vec<usize>,
}

impl<W> Memory<W> {
    pub fn variable(&self, variable: VarId) -> &W {
        &self.slots[variable.index()]
    }

    pub fn cell(&self, table: TableId, index: usize) -> &W {
        &self.slots[self.tables[table.index()] + index]
    }

    pub fn at(&self, place: Place) -> &W {
        &self.slots[self.slot(place)]
    }

    fn slot(&self, place: Place) -> usize {
        match place {
            Place::Variable(variable) => variable.index(),
            Place::Cell(table, index) => self.tables[table.index()] + index,
        }
    }
}

/// One step of a program.
#[derive(Debug)]
pub struct EncodedStep<W> {
    pub before: Memory<W>,
    pub after: Memory<W>,
    /// The run goes on behind the step.
    pub goes_on: Lit,
    /// By property: the step reaches it, and exists.
    pub reached: Vec<Lit>,
}

/// The program is too large: its calls expand to more than this, or there was no time for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

const MOST_STATEMENTS: usize = 20_000_000;

/// When a claim of a certificate is made: it is assumed before a step and has to hold after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Before,
    After,
}

/// A statement that writes into a table.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    pub pointer: ExprId,
    pub index: ExprId,
    pub value: ExprId,
}

/// Words, and the way from expressions to words.
pub trait Domain<'p>: Sized {
    type Word: Clone + PartialEq;

    /// A domain in which the claims of a certificate can be made, and the words of any state.
    fn new(
        program: &'p Program,
        certificate: &Certificate,
        interrupt: &Interrupt,
    ) -> Option<(Self, Memory<Self::Word>)>;

    /// Whether the claims of another certificate of the same facts can be made too.
    fn fits(&self, certificate: &Certificate) -> bool;

    fn gates(&mut self) -> &mut Gates;

    fn truth(&mut self, memory: &Memory<Self::Word>, id: ExprId) -> Lit;

    /// The word that a variable gets.
    fn value(&mut self, memory: &Memory<Self::Word>, variable: VarId, id: ExprId) -> Self::Word;

    /// The writes of a statement if it is executed: the slots, when, and their words.
    fn store(&mut self, memory: &Memory<Self::Word>, store: Store, active: Lit) -> Vec<(usize, Lit, Self::Word)>;

    fn choose(&mut self, condition: Lit, then: &Self::Word, otherwise: &Self::Word) -> Self::Word;

    /// Forgets the values of expressions: the memory has changed.
    fn forget(&mut self);

    /// The memory will be changed, and then be as it was before.
    fn enter(&mut self);

    fn leave(&mut self);

    /// The literal that a fact holds: of perhaps more states before a step, of perhaps fewer after it.
    fn fact(&mut self, fact: &Fact, memory: &Memory<Self::Word>, when: When) -> Lit;

    fn literal(&mut self, literal: &Literal, memory: &Memory<Self::Word>) -> Lit;

    /// A step may have had effects that the words do not show, and that contradict the facts.
    fn unseen(&self) -> &[Lit];

    fn has_time(&self) -> bool;

    /// The judgement on a claim that a step breaks, in an assignment of the solver.
    fn judge(
        &self,
        program: &Program,
        certificate: &Certificate,
        step: &EncodedStep<Self::Word>,
        holds: &mut dyn FnMut(Lit) -> bool,
    ) -> Judgement;
}

/// The values of expressions, until the memory changes.
pub struct Memo<T> {
    stack: Vec<FxHashMap<ExprId, T>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Memo<T> {
        Memo { stack: vec![FxHashMap::default()] }
    }
}

impl<T: Clone> Memo<T> {
    fn get(&self, id: ExprId) -> Option<T> {
        self.stack.last()?.get(&id).cloned()
    }

    fn insert(&mut self, id: ExprId, value: T) {
        if let Some(top) = self.stack.last_mut() {
            top.insert(id, value);
        }
    }

    fn clear(&mut self) {
        if let Some(top) = self.stack.last_mut() {
            top.clear();
        }
    }

    fn enter(&mut self) {
        self.stack.push(FxHashMap::default());
    }

    fn leave(&mut self) {
        self.stack.pop();
    }
}

/// Encodes a step from a state. The inputs have values of their alphabets.
pub fn step<'p, D: Domain<'p>>(
    program: &'p Program,
    domain: &mut D,
    before: Memory<D::Word>,
) -> Result<EncodedStep<D::Word>, TooLarge> {
    let mut encoder = Encoder {
        program,
        domain,
        memory: before.clone(),
        log: vec![],
        active: Lit::TRUE,
        entered: Lit::TRUE,
        returned: vec![],
        exists: Lit::TRUE,
        ended: Lit::FALSE,
        reached: vec![Lit::FALSE; program.properties.len()],
        statements: 0,
        stops: 0,
        returns: 0,
    };
    encoder.execute(program.step)?;
    let Encoder { memory, exists, ended, reached, .. } = encoder;
    let gates = domain.gates();
    let goes_on = gates.and(exists, !ended);
    let reached = reached.into_iter().map(|reached| gates.and(exists, reached)).collect();
    Ok(EncodedStep { before, after: memory, goes_on, reached })
}

struct Encoder<'e, 'p, D: Domain<'p>> {
    program: &'p Program,
    domain: &'e mut D,
    memory: Memory<D::Word>,
    /// Overwritten values, to be restored where an arm ends.
    log: Vec<(usize, D::Word)>,
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
    /// The number of statements so far that may have ended the run, and that left a function.
    stops: usize,
    returns: usize,
}

impl<'p, D: Domain<'p>> Encoder<'_, 'p, D> {
    fn execute(&mut self, id: StmtId) -> Result<(), TooLarge> {
        self.statements += 1;
        let is_late = self.statements.is_multiple_of(64) && !self.domain.has_time();
        if self.statements > MOST_STATEMENTS || is_late {
            return Err(TooLarge);
        }
        if self.active == Lit::FALSE {
            return Ok(());
        }
        grow(|| self.execute_here(id))
    }

    fn execute_here(&mut self, id: StmtId) -> Result<(), TooLarge> {
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                let value = self.domain.value(&self.memory, *variable, *value);
                // Where every way into the arm leads here, the new value is the value.
                let condition = if self.active == self.entered { Lit::TRUE } else { self.active };
                self.write(variable.index(), condition, &value);
            }
            StmtKind::Store { pointer, index, value } => {
                let store = Store { pointer: *pointer, index: *index, value: *value };
                for (slot, condition, value) in self.domain.store(&self.memory, store, self.active) {
                    self.write(slot, condition, &value);
                }
            }
            StmtKind::Assume(condition) => {
                self.stops += 1;
                let condition = self.domain.truth(&self.memory, *condition);
                let fails = self.domain.gates().and(self.active, !condition);
                self.exists = self.domain.gates().and(self.exists, !fails);
                self.active = self.domain.gates().and(self.active, condition);
            }
            StmtKind::Sequence(list) => {
                for &inner in list {
                    self.execute(inner)?;
                }
            }
            StmtKind::Choice(arms) => self.choose(arms)?,
            StmtKind::Call(function) => self.call(*function)?,
            StmtKind::Return => {
                self.returns += 1;
                let left = self.returned.last_mut();
                if let Some(left) = left {
                    *left = self.domain.gates().or(*left, self.active);
                }
                self.active = Lit::FALSE;
            }
            StmtKind::Error(property) => {
                self.stops += 1;
                let reached = &mut self.reached[property.index()];
                *reached = self.domain.gates().or(*reached, self.active);
                self.ended = self.domain.gates().or(self.ended, self.active);
                self.active = Lit::FALSE;
            }
            StmtKind::Halt(_) => {
                self.stops += 1;
                self.ended = self.domain.gates().or(self.ended, self.active);
                self.active = Lit::FALSE;
            }
            StmtKind::Reach(property) => {
                let reached = &mut self.reached[property.index()];
                *reached = self.domain.gates().or(*reached, self.active);
            }
            StmtKind::Print { .. } => {}
        }
        Ok(())
    }

    fn write(&mut self, slot: usize, condition: Lit, value: &D::Word) {
        let old = self.memory.slots[slot].clone();
        let new = self.domain.choose(condition, value, &old);
        if new != old {
            self.memory.slots[slot] = new;
            self.log.push((slot, old));
            self.domain.forget();
        }
    }

    fn choose(&mut self, arms: &[Arm]) -> Result<(), TooLarge> {
        let (outer, before) = (self.entered, self.active);
        let so_far = (self.stops, self.returns);
        let mut waiting = self.active;
        let mut behind = vec![];
        // The writes of each arm: the literal that it was taken, and the last value of each slot.
        let mut written: BTreeMap<usize, Vec<(Lit, D::Word)>> = BTreeMap::new();
        for arm in arms {
            let guard = self.domain.truth(&self.memory, arm.guard);
            let taken = self.domain.gates().and(waiting, guard);
            waiting = self.domain.gates().and(waiting, !guard);
            let (mark, left) = (self.log.len(), self.returned.last().copied());
            self.domain.enter();
            (self.active, self.entered) = (taken, taken);
            self.execute(arm.body)?;
            behind.push(self.active);
            // An arm that always ends the run leaves nothing behind.
            let matters = self.active != Lit::FALSE || self.returned.last().copied() != left;
            for (slot, old) in self.log.drain(mark..).rev() {
                let new = std::mem::replace(&mut self.memory.slots[slot], old);
                let values = written.entry(slot).or_default();
                if matters && values.last().is_none_or(|(last, _)| *last != taken) {
                    values.push((taken, new));
                }
            }
            self.domain.leave();
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
        // If nothing in the arms ends the run or leaves the function, every run that enters them comes out behind them.
        self.active = if (self.stops, self.returns) == so_far { before } else { self.domain.gates().any(&behind) };
        Ok(())
    }

    fn call(&mut self, function: FunctionId) -> Result<(), TooLarge> {
        let (before, stops) = (self.active, self.stops);
        self.returned.push(Lit::FALSE);
        self.execute(self.program.function(function).body)?;
        let left = self.returned.pop().unwrap_or(Lit::FALSE);
        // The same holds of returns.
        self.active = if self.stops == stops { before } else { self.domain.gates().or(self.active, left) };
        Ok(())
    }
}
