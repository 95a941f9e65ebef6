//! One state through the step: its effects, and a trace of all that decided about them.

use crate::analysis::slice::Slice;
use crate::base::stack::grow;
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::program::{Arm, Piece, Program, StmtId, StmtKind, Stream};

#[derive(Clone, Copy)]
pub struct Walker<'p> {
    pub program: &'p Program,
    pub slice: &'p Slice,
}

/// The visible effects of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    GoesOn { printed: Vec<i32>, complains: bool },
    Ends,
}

impl Outcome {
    pub fn goes_on(&self) -> bool {
        matches!(self, Outcome::GoesOn { .. })
    }
}

/// Something that happened on the way.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Assigned {
        variable: usize,
        value: ExprId,
        before: i32,
    },
    /// A condition was true, or not.
    Tested(ExprId, bool),
    Printed(ExprId, i32),
}

pub struct Walk {
    pub events: Vec<Event>,
    /// Of all variables, at the end.
    pub values: Vec<i32>,
    pub outcome: Outcome,
}

enum Flow {
    On,
    Return,
    End,
}

impl<'p> Walker<'p> {
    pub fn walk(&self, state: &[i32], input: i32) -> Walk {
        let mut step =
            Running { walker: *self, input, events: vec![], values: state.to_vec(), printed: vec![], complains: false };
        let flow = step.execute(self.program.step);
        let outcome = match flow {
            Flow::End => Outcome::Ends,
            Flow::On | Flow::Return => Outcome::GoesOn { printed: step.printed, complains: step.complains },
        };
        Walk { events: step.events, values: step.values, outcome }
    }

    /// The arms of a choice of which one does something, or decides whether a later one is taken.
    pub fn arms(&self, arms: &'p [Arm]) -> &'p [Arm] {
        let last = arms.iter().rposition(|arm| self.slice.keeps(arm.body));
        &arms[..last.map_or(0, |last| last + 1)]
    }
}

struct Running<'p> {
    walker: Walker<'p>,
    input: i32,
    events: Vec<Event>,
    values: Vec<i32>,
    printed: Vec<i32>,
    complains: bool,
}

impl Running<'_> {
    fn execute(&mut self, id: StmtId) -> Flow {
        let Walker { program, slice } = self.walker;
        if !slice.keeps(id) {
            return Flow::On;
        }
        match &program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                let (variable, value) = (variable.index(), *value);
                let new = self.value(value);
                let before = std::mem::replace(&mut self.values[variable], new);
                self.events.push(Event::Assigned { variable, value, before });
            }
            StmtKind::Assume(condition) => {
                if !self.test(*condition) {
                    return Flow::End;
                }
            }
            StmtKind::Sequence(list) => {
                for &inner in list {
                    match self.execute(inner) {
                        Flow::On => {}
                        other => return other,
                    }
                }
            }
            StmtKind::Choice(arms) => {
                for arm in self.walker.arms(arms) {
                    if self.test(arm.guard) {
                        return grow(|| self.execute(arm.body));
                    }
                }
            }
            StmtKind::Call(function) => {
                if let Flow::End = grow(|| self.execute(program.function(*function).body)) {
                    return Flow::End;
                }
            }
            StmtKind::Return => return Flow::Return,
            StmtKind::Error(_) | StmtKind::Halt(_) => return Flow::End,
            StmtKind::Print { stream: Stream::Diagnostic, .. } => self.complains = true,
            StmtKind::Print { stream: Stream::Output, text } => {
                for piece in text {
                    if let Piece::Number(value) = piece {
                        let number = self.value(*value);
                        self.events.push(Event::Printed(*value, number));
                        self.printed.push(number);
                    }
                }
            }
            StmtKind::Reach(_) | StmtKind::Store { .. } => {}
        }
        Flow::On
    }

    fn test(&mut self, condition: ExprId) -> bool {
        let truth = self.value(condition) != 0;
        self.events.push(Event::Tested(condition, truth));
        truth
    }

    fn value(&self, id: ExprId) -> i32 {
        concrete(self.walker.program, id, &self.values, self.input)
    }
}

/// The value of an expression.
pub fn concrete(program: &Program, id: ExprId, values: &[i32], input: i32) -> i32 {
    let of = |id: ExprId| grow(|| concrete(program, id, values, input));
    match program.exprs.get(id) {
        Expr::Bool(value) => i32::from(value),
        Expr::Int(value) => value,
        Expr::Table(table) => table.index() as i32,
        Expr::Input(_) => input,
        Expr::Var(var) => values[var.index()],
        Expr::Unary(op, a) => op.apply(of(a)),
        Expr::Binary(BinaryOp::And, a, b) => i32::from(of(a) != 0 && of(b) != 0),
        Expr::Binary(BinaryOp::Or, a, b) => i32::from(of(a) != 0 || of(b) != 0),
        Expr::Binary(op, a, b) => op.apply(of(a), of(b)),
        Expr::Ite(condition, then, otherwise) => of(if of(condition) != 0 { then } else { otherwise }),
        Expr::Cell(pointer, index) => program.tables[of(pointer) as usize].cell(of(index)),
        Expr::Length(pointer) => program.tables[of(pointer) as usize].cells.len() as i32,
    }
}
