//! The order of operands, which C leaves open.
//!
//! Calls are made in gcc's order: those in operands of an operator from left to right, those in arguments from right to left. But gcc
//! reads what needs no computing as late as it can: `g` in `g + f()` after the call. So where a variable or an array that stands in
//! one operand is written by one that comes later, the program is refused.
//!
//! gcc also takes `-f() + g()` for `g() - f()`, and evaluates the right side of an assignment before the index of its
//! place, unless that is just a call. Where operators are rearranged like that, either order must do.

use rustc_hash::FxHashSet;

use super::emit::Emitter;
use super::memory::{Home, ObjectId};
use super::place::{At, Place};
use super::text::Text;
use super::value::Value;
use crate::ast::{self, BinaryOperator, ExprKind, UnaryOperator};
use crate::words::{Number, Repr};
use redoubt_program::expr::{Expr, ExprId, TableId, VarId};
use redoubt_program::flow::{ActionKind, BlockId, End};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, Refused, refuse};

/// Where a value is kept: in a variable, or somewhere in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Store {
    Variable(VarId),
    Table(TableId),
}

/// The reads of an operand where it is used, and the writes when it was computed.
#[derive(Debug, Default)]
pub struct Accesses {
    reads: FxHashSet<Store>,
    writes: FxHashSet<Store>,
    ends: Ends,
}

/// The ways in which a run may end while an operand is computed.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    in_error: bool,
    quietly: bool,
}

impl Accesses {
    /// Whether it matters which of two operands is computed first.
    fn depends_on(&self, other: &Accesses) -> bool {
        let is_changed = |one: &Accesses, by: &Accesses| !one.reads.is_disjoint(&by.writes);
        is_changed(self, other)
            || is_changed(other, self)
            || !self.writes.is_disjoint(&other.writes)
            || (self.ends.in_error && other.ends.quietly)
            || (self.ends.quietly && other.ends.in_error)
    }
}

/// The extent of the automaton at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    pub blocks: usize,
    pub current: BlockId,
    pub actions: usize,
}

impl Emitter {
    pub fn since_now(&self) -> Since {
        let actions = self.automaton.blocks[self.current.index()].actions.len();
        Since { blocks: self.automaton.blocks.len(), current: self.current, actions }
    }

    /// The reads of a value that was computed since then, and the writes for it.
    pub fn accesses(&self, since: Since, value: &Value) -> Accesses {
        // What a call puts aside and gets back it leaves as it was.
        let restored: FxHashSet<VarId> = self.actions(since).filter_map(|action| self.restored(action)).collect();
        let writes = self.actions(since).filter_map(|action| match *action {
            ActionKind::Assign { variable, .. } if restored.contains(&variable) => None,
            ActionKind::Assign { variable, .. } | ActionKind::Choose { variable, .. } => {
                Some(Store::Variable(variable))
            }
            ActionKind::Store { table, .. } => Some(Store::Table(table)),
            ActionKind::Assume(_) => None,
        });
        let mut reads = self.read_by(words_of(value));
        if let Value::Record(place) = value {
            // All that it may be a part of.
            let objects = place.ways.iter().map(|way| match &way.at {
                At::Typed(sub) => sub.object,
                At::Raw { object, .. } => *object,
            });
            reads.extend(self.shared(objects.flat_map(|object| self.stores_of(object))));
        }
        Accesses { reads, writes: self.shared(writes), ends: Ends::default() }
    }

    /// All that was read and written to compute a value, and how the run may have ended.
    pub fn all_accesses(&self, since: Since, value: &Value) -> Accesses {
        let mut read: Vec<ExprId> = words_of(value);
        for action in self.actions(since) {
            match *action {
                ActionKind::Assign { value, .. } | ActionKind::Assume(value) => read.push(value),
                ActionKind::Store { index, value, .. } => read.extend([index, value]),
                ActionKind::Choose { .. } => {}
            }
        }
        let mut ends = Ends::default();
        let begun = &self.automaton.blocks[since.current.index()];
        for block in [begun].into_iter().chain(&self.automaton.blocks[since.blocks..]) {
            match &block.end {
                End::Branch { condition, .. } => read.push(*condition),
                End::Error(property, _) => {
                    ends.in_error |= self.builder.property(*property).kind == PropertyKind::Label;
                }
                End::Halt(_) => ends.quietly = true,
                End::Jump(_) | End::Refuse(_) => {}
            }
        }
        ends.quietly |= self.actions(since).any(|action| matches!(action, ActionKind::Assume(_)));
        let plain = self.accesses(since, value);
        let mut reads = self.read_by(read);
        reads.extend(plain.reads.iter().copied());
        Accesses { reads, ends, ..plain }
    }

    /// The latest reads, to find the place of an assignment.
    pub fn index_accesses(&self, place: &Place) -> Accesses {
        let actions = &self.automaton.blocks[self.current.index()].actions;
        let index = place.only().and_then(|sub| sub.indices.last()).map(|index| index.value);
        let reads = match (index, actions.last().map(|action| &action.kind)) {
            (Some(index), Some(ActionKind::Assign { variable, value }))
                if self.builder.exprs.get(index) == Expr::Var(*variable) =>
            {
                self.read_by([*value])
            }
            _ => FxHashSet::default(),
        };
        Accesses { reads, ..Accesses::default() }
    }

    /// Whether something only keeps what calls under way have put aside, and how many these are.
    fn is_of_stack(&self, store: &Store) -> bool {
        match store {
            Store::Table(table) => self.stacks.values().any(|other| other == table),
            Store::Variable(variable) => self.depth == Some(*variable),
        }
    }

    /// The variable that an action gives back what it had before a call.
    fn restored(&self, action: &ActionKind) -> Option<VarId> {
        let ActionKind::Assign { variable, value } = *action else { return None };
        let Expr::Cell(table, _) = self.builder.exprs.get(value) else { return None };
        let Expr::Table(table) = self.builder.exprs.get(table) else { return None };
        (self.stacks.get(&variable) == Some(&table)).then_some(variable)
    }

    fn stores_of(&self, object: ObjectId) -> impl Iterator<Item = Store> {
        self.memory.object(object).leaves.iter().map(|leaf| match leaf.home {
            Home::Variable(variable) => Store::Variable(variable),
            Home::Table(table) => Store::Table(table),
        })
    }

    fn actions(&self, since: Since) -> impl Iterator<Item = &ActionKind> {
        let blocks = &self.automaton.blocks;
        let begun = &blocks[since.current.index()].actions[since.actions..];
        let new = blocks[since.blocks..].iter().flat_map(|block| &block.actions);
        begun.iter().chain(new).map(|action| &action.kind)
    }

    fn read_by(&self, words: impl IntoIterator<Item = ExprId>) -> FxHashSet<Store> {
        let parts = words.into_iter().flat_map(|word| self.builder.exprs.parts(word));
        self.shared(parts.filter_map(|part| match part {
            Expr::Var(variable) => Some(Store::Variable(variable)),
            Expr::Table(table) => Some(Store::Table(table)),
            _ => None,
        }))
    }

    /// Those that more than one call of a function can see.
    fn shared(&self, stores: impl Iterator<Item = Store>) -> FxHashSet<Store> {
        stores.filter(|store| !self.is_unseen(store) && !self.is_of_stack(store)).collect()
    }

    /// Refuses two operands, the first of which was begun there, if it matters which is computed first. No run may get past the
    /// beginning then: one of them may end it.
    pub fn check_either_order(&mut self, begun: Since, one: &Accesses, other: &Accesses, span: Span) -> Lowered {
        if !one.depends_on(other) {
            return Ok(());
        }
        let refused = undefined(span);
        if let Err(Refused::Mistakes(mistakes)) = &refused
            && begun.current != self.current
        {
            let refuse = self.refusal(mistakes.clone());
            self.automaton.blocks[begun.current.index()].end = refuse;
        }
        refused
    }
}

impl Text<'_, '_> {
    /// Whether gcc computes the operands of an operator one after the other, as they stand there. It does unless they are operators
    /// themselves, of which it makes others together; sums and differences, if they are operands themselves.
    pub fn is_in_order(&self, op: BinaryOperator, a: ast::ExprId, b: ast::ExprId, is_operand: bool) -> bool {
        use BinaryOperator as Op;
        let is_mixed = matches!(op, Op::Subtract | Op::Multiply | Op::BitXor);
        let is_negated = is_operand && matches!(op, Op::Add | Op::Subtract);
        !(is_negated || self.is_rearranged(op, a) || is_mixed && self.is_rearranged(op, b))
    }

    fn is_rearranged(&self, under: BinaryOperator, id: ast::ExprId) -> bool {
        use BinaryOperator as Op;
        let is_literal = |id: ast::ExprId| matches!(self.expr(id).kind, ExprKind::Number(_));
        let mut inner = id;
        loop {
            return match &self.expr(inner).kind {
                ExprKind::Cast(_, of) | ExprKind::Unary(UnaryOperator::Not | UnaryOperator::Plus, of) => {
                    inner = *of;
                    continue;
                }
                ExprKind::Unary(UnaryOperator::Negate | UnaryOperator::BitNot, _) => true,
                ExprKind::Binary(Op::Add | Op::Subtract | Op::BitXor, ..) => true,
                // A product with a number below zero may be subtracted instead.
                ExprKind::Binary(Op::Multiply, a, b) => under == Op::Multiply || !(is_literal(*a) || is_literal(*b)),
                _ => false,
            };
        }
    }
}

/// Refuses operands, in the order in which they were computed, if it matters when they are read.
pub fn check_order(operands: &[Accesses], span: Span) -> Lowered {
    let is_late = |number: usize, one: &Accesses| {
        operands[number + 1..].iter().any(|later| !later.writes.is_disjoint(&one.reads))
    };
    if operands.iter().enumerate().any(|(number, one)| is_late(number, one)) { undefined(span) } else { Ok(()) }
}

fn undefined(span: Span) -> Lowered {
    let message = "the order in which C computes these operands is not defined";
    refuse(Diagnostic::new(span, message, "one of them changes what another one uses"))
}

fn words_of_number(number: Number) -> Vec<ExprId> {
    match number.value {
        Repr::Pair(pair) => vec![pair.low, pair.high],
        Repr::Word(word) | Repr::Truth(word) => vec![word],
        Repr::Known(_) => vec![],
    }
}

fn words_of_place(at: &At) -> Vec<ExprId> {
    match at {
        At::Typed(sub) => sub.indices.iter().map(|index| index.value).collect(),
        At::Raw { position, .. } => vec![*position],
    }
}

/// The words that a value is made of.
fn words_of(value: &Value) -> Vec<ExprId> {
    match value {
        Value::Number(number) => words_of_number(*number),
        Value::Real(real) => words_of_number(real.bits),
        Value::Pointer(pointer) => vec![pointer.word],
        Value::Address(address) => address.sub.indices.iter().map(|index| index.value).collect(),
        Value::Parts(_, list) => list.iter().flat_map(words_of).collect(),
        Value::Record(place) => place.ways.iter().flat_map(|way| words_of_place(&way.at)).collect(),
        Value::Void => vec![],
    }
}
