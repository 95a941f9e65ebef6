//! Which variables carry something from one step into the next: live variables (Allen and Cocke, "A program data flow
//! analysis procedure", 1976), backwards over the structure of the step.
//!
//! A global that every path through the step writes before it reads, as `cf` in RERS programs, is no part of the state
//! although it keeps its value: two states that differ in it behave alike.

use std::rc::Rc;

use crate::expr::{Expr, ExprId};
use crate::program::usage::callees_first;
use crate::program::{FunctionId, Piece, Program, Scope, StmtId, StmtKind, Stream};

use super::grow;
use crate::analysis::slice::Slice;
use crate::base::BitSet;

/// Per variable: whether a kept statement may read the value that a global has when a step begins. Locals are written
/// before they are read, always.
pub fn live_at_start(program: &Program, slice: &Slice) -> Vec<bool> {
    let mut analysis = Analysis::new(program, slice);
    for function in callees_first(program) {
        let body = program.function(function).body;
        if slice.keeps(body) {
            analysis.summaries[function.index()] = Some(Rc::new(analysis.before_body(body)));
        }
    }
    let start = analysis.before_body(program.step);
    // A value that a step leaves to the next is read only if the next step reads it, so one pass is enough.
    analysis.numbers.iter().map(|number| number.is_some_and(|number| start.read.contains(number))).collect()
}

/// From some place to the end of its function: the variables that may be read before they are written, and those that
/// are surely written (or the run ends) on every path.
#[derive(Clone)]
struct Paths {
    read: BitSet,
    written: BitSet,
}

struct Analysis<'p> {
    program: &'p Program,
    slice: &'p Slice,
    /// The globals of the slice, numbered.
    numbers: Vec<Option<usize>>,
    count: usize,
    /// Per function: from its start to its end.
    summaries: Vec<Option<Rc<Paths>>>,
    /// Per expression: the last walk that saw it.
    seen: Vec<u32>,
    walk: u32,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, slice: &'p Slice) -> Self {
        let mut count = 0;
        let numbers = program.variables.iter().zip(&slice.variables).map(|(variable, &used)| {
            let number = (used && variable.scope == Scope::Global).then_some(count);
            count += usize::from(number.is_some());
            number
        });
        let numbers = numbers.collect();
        Analysis {
            program,
            slice,
            numbers,
            count,
            summaries: vec![None; program.functions.len()],
            seen: vec![0; program.exprs.len()],
            walk: 0,
        }
    }

    /// At the end of a function, and at every return.
    fn end_of_body(&self) -> Paths {
        Paths { read: BitSet::none(self.count), written: BitSet::none(self.count) }
    }

    /// Where the run ends nothing is read any more.
    fn end_of_run(&self) -> Paths {
        Paths { read: BitSet::none(self.count), written: BitSet::all(self.count) }
    }

    fn before_body(&mut self, body: StmtId) -> Paths {
        let after = self.end_of_body();
        self.before(body, after)
    }

    fn before(&mut self, id: StmtId, mut after: Paths) -> Paths {
        if !self.slice.keeps(id) {
            return after;
        }
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                if let Some(number) = self.numbers[variable.index()] {
                    after.read.remove(number);
                    after.written.insert(number);
                }
                self.add_reads(*value, &mut after);
            }
            StmtKind::Store { pointer, index, value } => {
                [pointer, index, value].into_iter().for_each(|expr| self.add_reads(*expr, &mut after));
            }
            StmtKind::Assume(condition) => self.add_reads(*condition, &mut after),
            StmtKind::Sequence(list) => {
                for &inner in list.iter().rev() {
                    after = grow(|| self.before(inner, after));
                }
            }
            StmtKind::Choice(arms) => {
                let taken = arms.iter().any(|arm| program.exprs.as_bool(arm.guard) == Some(true));
                let mut joined = if taken { self.end_of_run() } else { after.clone() };
                for arm in arms {
                    let arm = grow(|| self.before(arm.body, after.clone()));
                    join(&mut joined, &arm);
                }
                arms.iter().for_each(|arm| self.add_reads(arm.guard, &mut joined));
                after = joined;
            }
            StmtKind::Call(function) => self.before_call(*function, &mut after),
            StmtKind::Return => return self.end_of_body(),
            // The code of a halt does not matter, as in the slice.
            StmtKind::Error(_) | StmtKind::Halt(_) => return self.end_of_run(),
            StmtKind::Print { stream: Stream::Output, text } => {
                for piece in text {
                    if let Piece::Number(value) = piece {
                        self.add_reads(*value, &mut after);
                    }
                }
            }
            StmtKind::Reach(_) | StmtKind::Print { .. } => {}
        }
        after
    }

    fn before_call(&mut self, function: FunctionId, after: &mut Paths) {
        let callee =
            self.summaries[function.index()].clone().expect("callees come first, and kept calls have kept bodies");
        after.read.subtract(&callee.written);
        after.read.unite(&callee.read);
        after.written.unite(&callee.written);
    }

    fn add_reads(&mut self, root: ExprId, paths: &mut Paths) {
        self.walk += 1;
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut self.seen[id.index()], self.walk) == self.walk {
                continue;
            }
            let expr = self.program.exprs.get(id);
            pending.extend(expr.operands());
            if let Expr::Var(var) = expr
                && let Some(number) = self.numbers[var.index()]
            {
                paths.read.insert(number);
            }
        }
    }
}

/// Either way may be taken.
fn join(paths: &mut Paths, other: &Paths) {
    paths.read.unite(&other.read);
    paths.written.intersect(&other.written);
}
