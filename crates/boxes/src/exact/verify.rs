//! Boxes executed as a whole: whether all states in one do what its representative does.

use super::walk::{Outcome, Walker};
use super::{Side, precise};
use crate::analysis::{Env, Values};
use crate::base::stack::grow;
use crate::expr::{ExprId, InputId, VarId};
use crate::program::{Piece, StmtId, StmtKind, Stream};

/// Whether all states in a box have this outcome on an input, and end in another box.
pub fn holds<'p>(
    walker: &Walker<'p>,
    env: &mut Env<'p>,
    sides: &[Side],
    input: i32,
    outcome: &Outcome,
    after: Option<&[Side]>,
) -> bool {
    let mark = env.mark();
    env.fix_input(InputId::new(0), Values::one(input));
    for &(variable, low, high) in sides {
        let variable = VarId::new(variable);
        let values = env.get(variable).within(low, high);
        env.set(variable, values);
    }
    let mut run = Execution { walker: *walker, env, printed: vec![], complains: false };
    let flow = run.execute(walker.program.step);
    let found = match flow {
        Some(Flow::End) => Some(Outcome::Ends),
        Some(Flow::On | Flow::Return) => {
            Some(Outcome::GoesOn { printed: std::mem::take(&mut run.printed), complains: run.complains })
        }
        None => None,
    };
    let is_inside = after.unwrap_or_default().iter().all(|&(variable, low, high)| {
        let bounds = env.get(VarId::new(variable)).bounds();
        bounds.is_some_and(|(least, most)| low <= least && most <= high)
    });
    env.undo(mark);
    found.as_ref() == Some(outcome) && (is_inside || !outcome.goes_on())
}

enum Flow {
    On,
    Return,
    End,
}

struct Execution<'r, 'p> {
    walker: Walker<'p>,
    env: &'r mut Env<'p>,
    printed: Vec<i32>,
    complains: bool,
}

impl Execution<'_, '_> {
    /// `None` if states of the box go different ways.
    fn execute(&mut self, id: StmtId) -> Option<Flow> {
        let Walker { program, slice } = self.walker;
        if !slice.keeps(id) {
            return Some(Flow::On);
        }
        match &program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                let values = precise::evaluate(self.env, *value);
                self.env.set(*variable, values);
            }
            StmtKind::Assume(condition) => {
                if !self.truth(*condition)? {
                    return Some(Flow::End);
                }
            }
            StmtKind::Sequence(list) => {
                for &inner in list {
                    match self.execute(inner)? {
                        Flow::On => {}
                        other => return Some(other),
                    }
                }
            }
            StmtKind::Choice(arms) => {
                for arm in self.walker.arms(arms) {
                    if self.truth(arm.guard)? {
                        return grow(|| self.execute(arm.body));
                    }
                }
            }
            StmtKind::Call(function) => {
                if let Flow::End = grow(|| self.execute(program.function(*function).body))? {
                    return Some(Flow::End);
                }
            }
            StmtKind::Return => return Some(Flow::Return),
            StmtKind::Error(_) | StmtKind::Halt(_) => return Some(Flow::End),
            StmtKind::Print { stream: Stream::Diagnostic, .. } => self.complains = true,
            StmtKind::Print { stream: Stream::Output, text } => {
                for piece in text {
                    if let Piece::Number(value) = piece {
                        let number = self.env.evaluate(*value).single()?;
                        self.printed.push(number);
                    }
                }
            }
            StmtKind::Reach(_) | StmtKind::Store { .. } => {}
        }
        Some(Flow::On)
    }

    fn truth(&mut self, condition: ExprId) -> Option<bool> {
        self.env.evaluate(condition).single().map(|value| value != 0)
    }
}
