//! Sufficient conditions at the beginning of a step for a condition later in it: preimages through assignments.
//!
//! A [`Trace`] lists the assignments of one run through a step, each value with the expression it came from. A demand
//! (a variable shall be in a set) goes back along it: constants meet it or not; through an operator the demand becomes
//! one on the operands, of which as few as possible are bound, and as loosely as the values in this run allow. At the
//! beginning, it has become facts about the state before the step. They are sufficient, not necessary.

mod bind;
mod truth;

use super::cells::Cells;
use super::guards::Slot;
use super::sets::{SetId, Sets};
use super::values::{evaluate, range_of, slot_of};
use crate::analysis::Values;
use crate::base::stack::grow;
use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use crate::program::Program;

/// Which value of a variable is meant: 0 as the step began, then counted by the trace.
pub type Version = u32;

#[derive(Clone, Debug)]
pub struct Entry {
    pub value: i32,
    pub source: Source,
    /// Only runs in which the value is one of these are meant.
    pub within: SetId,
}

#[derive(Clone, Debug)]
pub enum Source {
    Constant,
    /// An input, not yet told apart.
    Input(usize),
    /// Not a value that the representative computes, but one that another state may.
    Assumed(ExprId, Box<[(Slot, Version)]>),
    /// An expression, and which values of its variables it read.
    Computed(ExprId, Box<[(Slot, Version)]>),
}

/// Something that shall be true on a trace.
#[derive(Clone, Debug)]
pub enum Demand {
    In(Slot, Version, SetId),
    /// An expression, over these values of its variables, is in a set.
    Is(ExprId, Box<[(Slot, Version)]>, SetId),
}

/// Demands on one trace.
pub struct Pull<'a> {
    pub program: &'a Program,
    pub sets: &'a mut Sets,
    pub trace: &'a [Entry],
    /// The state before the step.
    pub start: &'a [i32],
    pub cells: &'a Cells,
    /// Its known values in the box.
    pub known: &'a dyn Fn(&Sets, Slot) -> Values,
    /// The facts that demands have led to.
    pub facts: Vec<(Slot, SetId)>,
    /// A demand met a value that is only assumed, or that this run does not have.
    pub is_stuck: bool,
}

type Reads<'r> = &'r [(Slot, Version)];

/// The most intervals in the preimage of a remainder, and the most values of an index that are tried.
const PERIODS: i64 = 16;
const TRIED: u64 = 4096;

impl Pull<'_> {
    pub fn value(&self, slot: Slot, version: Version) -> i32 {
        match version {
            0 => self.start[slot.index()],
            _ => self.trace[version as usize - 1].value,
        }
    }

    pub fn meet(&mut self, demand: &Demand) {
        match demand {
            Demand::In(slot, version, set) => self.demand(*slot, *version, *set),
            Demand::Is(expr, reads, set) => self.require(*expr, reads, *set),
        }
    }

    /// Sees to it that a variable is in a set. Its value in this run is.
    pub fn demand(&mut self, slot: Slot, version: Version, set: SetId) {
        if !self.sets.contains(set, self.value(slot, version)) {
            self.is_stuck = true;
            return;
        }
        if set == self.sets.any() {
            return;
        }
        if version == 0 {
            self.facts.push((slot, set));
            return;
        }
        let trace = self.trace;
        let within = trace[version as usize - 1].within;
        if self.sets.is_subset(within, set) {
            return;
        }
        match &trace[version as usize - 1].source {
            Source::Constant => {}
            Source::Assumed(..) => self.is_stuck = true,
            Source::Input(_) => unreachable!("inputs are told apart before anything but a guard depends on them"),
            Source::Computed(expr, reads) => grow(|| self.require(*expr, reads, set)),
        }
    }

    /// All values that a variable can have in the box.
    pub fn range_at(&self, slot: Slot, version: Version) -> Values {
        if version == 0 {
            return (self.known)(self.sets, slot);
        }
        let trace = self.trace;
        let entry = &trace[version as usize - 1];
        match &entry.source {
            Source::Constant => Values::one(entry.value),
            Source::Input(_) => Values::ANY,
            Source::Computed(expr, reads) | Source::Assumed(expr, reads) => {
                let range = grow(|| self.range(*expr, reads));
                self.sets.values(entry.within, &range)
            }
        }
    }

    fn read(&self, leaf: Expr, reads: Reads) -> (Slot, Version) {
        let slot = slot_of(self.program, leaf);
        *reads.iter().find(|read| read.0 == slot).expect("a trace has the versions of all that is read")
    }

    pub fn value_of(&self, id: ExprId, reads: Reads) -> i32 {
        evaluate(self.program, id, &|leaf| {
            let (slot, version) = self.read(leaf, reads);
            self.value(slot, version)
        })
    }

    /// All values that an expression can have in the box.
    pub fn range(&self, id: ExprId, reads: Reads) -> Values {
        range_of(self.program, id, &|leaf| {
            let (slot, version) = self.read(leaf, reads);
            self.range_at(slot, version)
        })
    }

    /// Sees to it that an expression is in a set. Its value in this run is.
    pub fn require(&mut self, id: ExprId, reads: Reads, set: SetId) {
        let range = self.range(id, reads);
        if self.sets.includes(set, &range) || self.bind(id, reads, set) {
            return;
        }
        let program = self.program;
        match program.exprs.get(id) {
            leaf @ (Expr::Var(_) | Expr::Input(_)) => {
                let (slot, version) = self.read(leaf, reads);
                self.demand(slot, version, set);
            }
            Expr::Unary(op, a) => {
                let before = match op {
                    UnaryOp::Not => {
                        self.mapped(set, |low, high| (1 - i64::from(high.min(1)), 1 - i64::from(low.max(0))))
                    }
                    UnaryOp::ToInt => set,
                    UnaryOp::BitNot => self.mapped(set, |low, high| (!i64::from(high), !i64::from(low))),
                    UnaryOp::Negate => self.mapped(set, |low, high| (-i64::from(high), -i64::from(low))),
                };
                self.require_around(a, reads, before);
            }
            Expr::Binary(op, a, b) => grow(|| self.require_binary(op, (a, b), reads, set)),
            Expr::Ite(condition, then, otherwise) => {
                let truth = self.value_of(condition, reads);
                let (taken, other) = if truth != 0 { (then, otherwise) } else { (otherwise, then) };
                let other = self.range(other, reads);
                if !self.sets.includes(set, &other) {
                    self.pin(condition, reads);
                }
                grow(|| self.require(taken, reads, set));
            }
            Expr::Cell(pointer, index) => self.require_cell(pointer, index, reads, set),
            Expr::Length(pointer) => self.pin(pointer, reads),
            Expr::Bool(_) | Expr::Int(_) | Expr::Table(_) => unreachable!("a constant is its own range"),
        }
    }

    /// The same, where the set was computed and may lack the value because of arithmetic that wraps.
    fn require_around(&mut self, id: ExprId, reads: Reads, set: SetId) {
        let value = self.value_of(id, reads);
        match self.sets.contains(set, value) {
            true => grow(|| self.require(id, reads, set)),
            false => self.pin(id, reads),
        }
    }

    /// Sees to it that an expression keeps the value that it has in this run.
    fn pin(&mut self, id: ExprId, reads: Reads) {
        let set = self.sets.one(self.value_of(id, reads));
        grow(|| self.require(id, reads, set));
    }

    /// A set with its intervals moved; numbers that leave 32 bits are left out.
    fn mapped(&mut self, set: SetId, map: impl Fn(i32, i32) -> (i64, i64)) -> SetId {
        let moved = self.sets.intervals(set).iter().map(|&(low, high)| map(low, high));
        let list = moved.filter_map(|(low, high)| clamped(low, high)).collect();
        self.sets.of_intervals(list)
    }

    /// A set moved by a distance, around the end of the numbers if need be.
    fn shifted(&mut self, set: SetId, distance: i64) -> SetId {
        const TURN: i64 = 1 << 32;
        let mut list = vec![];
        for &(low, high) in self.sets.intervals(set) {
            for turn in [-TURN, 0, TURN] {
                list.extend(clamped(i64::from(low) + distance + turn, i64::from(high) + distance + turn));
            }
        }
        self.sets.of_intervals(list)
    }

    fn require_binary(&mut self, op: BinaryOp, (a, b): (ExprId, ExprId), reads: Reads, set: SetId) {
        if op.result() == Type::Bool {
            return self.require_truth(op, (a, b), reads);
        }
        let (left, right) = (self.range(a, reads), self.range(b, reads));
        match (op, left.single(), right.single()) {
            (BinaryOp::Add, _, Some(c)) => {
                let before = self.shifted(set, -i64::from(c));
                self.require_around(a, reads, before);
            }
            (BinaryOp::Add, Some(c), _) => {
                let before = self.shifted(set, -i64::from(c));
                self.require_around(b, reads, before);
            }
            (BinaryOp::Sub, _, Some(c)) => {
                let before = self.shifted(set, i64::from(c));
                self.require_around(a, reads, before);
            }
            (BinaryOp::Sub, Some(c), _) => {
                let negated = self.mapped(set, |low, high| (-i64::from(high), -i64::from(low)));
                let before = self.shifted(negated, i64::from(c));
                self.require_around(b, reads, before);
            }
            (BinaryOp::Add | BinaryOp::Sub, _, _) => self.require_sum(op, (a, &left), (b, &right), reads, set),
            (BinaryOp::Mul, _, Some(c)) => self.require_product(a, c, reads, set),
            (BinaryOp::Mul, Some(c), _) => self.require_product(b, c, reads, set),
            (BinaryOp::Mul, _, _) => {
                let (pinned, other) = if left.count() <= right.count() { (a, b) } else { (b, a) };
                self.pin(pinned, reads);
                let c = self.value_of(pinned, reads);
                self.require_product(other, c, reads, set);
            }
            (BinaryOp::Div, _, _) | (BinaryOp::Rem, _, _) => {
                if right.single().is_none() {
                    self.pin(b, reads);
                }
                let c = i64::from(self.value_of(b, reads));
                match (op, c) {
                    (_, 0) => self.pin(a, reads),
                    (BinaryOp::Div, _) => {
                        let before = self.mapped(set, |low, high| dividends(i64::from(low), i64::from(high), c));
                        self.require_around(a, reads, before);
                    }
                    _ => {
                        let value = i64::from(self.value_of(a, reads));
                        let before = self.before_remainder(set, c.abs(), value, &left);
                        self.require_around(a, reads, before);
                    }
                }
            }
            _ => {
                self.pin(a, reads);
                self.pin(b, reads);
            }
        }
    }

    /// A sum or difference of two things that both vary: one of them gets all the room there is, if the other leaves any.
    fn require_sum(&mut self, op: BinaryOp, a: (ExprId, &Values), b: (ExprId, &Values), reads: Reads, set: SetId) {
        let (va, vb) = (i64::from(self.value_of(a.0, reads)), i64::from(self.value_of(b.0, reads)));
        let sign = if op == BinaryOp::Add { 1 } else { -1 };
        let around = i32::try_from(va + sign * vb).ok().and_then(|sum| self.sets.around(set, sum));
        if let (Some((low, high)), Some(ra), Some(rb)) = (around, a.1.bounds(), b.1.bounds()) {
            let (low, high) = (i64::from(low), i64::from(high));
            let ((al, ah), (bl, bh)) = ((i64::from(ra.0), i64::from(ra.1)), (i64::from(rb.0), i64::from(rb.1)));
            let (bl, bh) = if sign > 0 { (bl, bh) } else { (-bh, -bl) };
            // a + b with b anywhere in its range.
            let (room_low, room_high) = (low - bl, high - bh);
            if room_low <= va && va <= room_high {
                let list = clamped(room_low, room_high).into_iter().collect();
                let before = self.sets.of_intervals(list);
                return self.require_around(a.0, reads, before);
            }
            let (room_low, room_high) = (low - al, high - ah);
            if room_low <= sign * vb && sign * vb <= room_high {
                let (room_low, room_high) = if sign > 0 { (room_low, room_high) } else { (-room_high, -room_low) };
                let list = clamped(room_low, room_high).into_iter().collect();
                let before = self.sets.of_intervals(list);
                return self.require_around(b.0, reads, before);
            }
        }
        if a.1.count() <= b.1.count() {
            self.pin(a.0, reads);
            let distance = if sign > 0 { -va } else { va };
            if sign > 0 {
                let before = self.shifted(set, distance);
                self.require_around(b.0, reads, before);
            } else {
                self.pin(b.0, reads);
            }
        } else {
            self.pin(b.0, reads);
            let before = self.shifted(set, -sign * vb);
            self.require_around(a.0, reads, before);
        }
    }

    fn require_product(&mut self, id: ExprId, factor: i32, reads: Reads, set: SetId) {
        let c = i64::from(factor);
        if c == 0 {
            return;
        }
        let before = self.mapped(set, |low, high| {
            let (low, high) = (i64::from(low), i64::from(high));
            if c > 0 { (ceiling(low, c), high.div_euclid(c)) } else { (ceiling(-high, -c), (-low).div_euclid(-c)) }
        });
        self.require_around(id, reads, before);
    }

    /// The numbers whose remainder by `modulus` lies in a set, in some turns around the present value.
    fn before_remainder(&mut self, set: SetId, modulus: i64, value: i64, range: &Values) -> SetId {
        let (low, high) = range.bounds().map_or((0, 0), |(low, high)| (i64::from(low), i64::from(high)));
        let turn = value / modulus;
        let first = (low / modulus).max(turn - PERIODS);
        let last = (high / modulus).min(turn + PERIODS);
        let mut list = vec![];
        for turn in first..=last {
            for &(from, to) in self.sets.intervals(set) {
                let (from, to) = (i64::from(from), i64::from(to));
                // A remainder has the sign of the dividend.
                if turn >= 0 {
                    let (from, to) = (from.max(0), to.min(modulus - 1));
                    if from <= to {
                        list.extend(clamped(turn * modulus + from, turn * modulus + to));
                    }
                }
                if turn <= 0 {
                    let (from, to) = (from.max(1 - modulus), to.min(0));
                    if from <= to {
                        list.extend(clamped(turn * modulus + from, turn * modulus + to));
                    }
                }
            }
        }
        self.sets.of_intervals(list)
    }

    fn require_cell(&mut self, pointer: ExprId, index: ExprId, reads: Reads, set: SetId) {
        let (tables, indices) = (self.range(pointer, reads), self.range(index, reads));
        if tables.single().is_none() && indices.single().is_some() {
            let index = self.value_of(index, reads);
            let fits = |table: i32| self.sets.contains(set, self.program.tables[table as usize].cell(index));
            let list = tables.iter().filter(|&table| fits(table)).map(|table| (table, table)).collect();
            let before = self.sets.of_intervals(list);
            return self.require_around(pointer, reads, before);
        }
        if tables.single().is_none() {
            self.pin(pointer, reads);
        }
        let table = self.value_of(pointer, reads);
        if indices.count() > TRIED {
            return self.pin(index, reads);
        }
        let fits = |index: i32| self.sets.contains(set, self.program.tables[table as usize].cell(index));
        let list = indices.iter().filter(|&index| fits(index)).map(|index| (index, index)).collect();
        let before = self.sets.of_intervals(list);
        self.require_around(index, reads, before);
    }
}

fn clamped(low: i64, high: i64) -> Option<(i32, i32)> {
    let (low, high) = (low.max(i64::from(i32::MIN)), high.min(i64::from(i32::MAX)));
    (low <= high).then_some((low as i32, high as i32))
}

fn ceiling(a: i64, b: i64) -> i64 {
    -((-a).div_euclid(b))
}

/// The numbers whose quotient by `c`, truncated toward zero, lies between two numbers.
fn dividends(low: i64, high: i64, c: i64) -> (i64, i64) {
    if c < 0 {
        let (low, high) = dividends(-high, -low, -c);
        // -2^31 / -1 wraps.
        return (low.max(i64::from(i32::MIN) + 1), high);
    }
    let from = if low > 0 { low * c } else { low * c - (c - 1) };
    let to = if high >= 0 { high * c + (c - 1) } else { high * c };
    (from, to)
}
