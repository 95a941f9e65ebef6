//! A program's step made ready to run on frames, by machine code where there is some.

use std::sync::Arc;

use super::interpret::Interpreter;
use super::layout::Layout;
use super::native::Code;
use crate::analysis::slice::Slice;
use crate::expr::InputId;
use crate::program::{Program, PropertyId, StmtId, StmtKind};
use crate::simulate::End;

/// The status of a statement that returned from its function; no whole step ends with it.
pub(super) const RETURN: i32 = 1;
/// The status of a step that statement 0 ended; those of others follow.
pub(super) const END: i32 = 2;

/// Why a program was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("{0} operations are too many to compile")]
    TooLarge(u64),
    #[error("the system gives no memory for machine code: {0}")]
    Memory(std::io::Error),
    #[error("this build has no code generator (it is for x86-64, and the feature `native`)")]
    Absent,
}

/// The way in which steps are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Execution {
    /// As machine code if that can be made, interpreted otherwise.
    #[default]
    Fast,
    /// The same, but with at most this many registers for operands.
    Registers(usize),
    Interpreted,
}

/// A step that can be run.
#[derive(Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    slice: Arc<Slice>,
    pub layout: Layout,
    /// The machine code, or why there is none.
    code: Result<Code, Option<Refusal>>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, slice: Arc<Slice>, layout: Layout, execution: Execution) -> Machine<'p> {
        let code = match execution {
            Execution::Fast => Code::compile(program, &slice, &layout, usize::MAX).map_err(Some),
            Execution::Registers(most) => Code::compile(program, &slice, &layout, most).map_err(Some),
            Execution::Interpreted => Err(None),
        };
        Machine { program, slice, layout, code }
    }

    /// The size of the machine code; `None` if steps are interpreted.
    pub fn code_size(&self) -> Option<usize> {
        self.code.as_ref().ok().map(Code::size)
    }

    /// One step on a frame whose state and inputs have been set: 0 if the run goes on, else a status that tells how it
    /// ended.
    pub fn run(&self, frame: &mut [i32]) -> i32 {
        match &self.code {
            Ok(code) => code.run(frame),
            Err(_) => {
                let interpreter = Interpreter { program: self.program, slice: &self.slice, layout: &self.layout };
                interpreter.run(frame)
            }
        }
    }

    pub fn set_inputs(&self, frame: &mut [i32], inputs: &[i32]) {
        if !inputs.is_empty() {
            let first = self.layout.input(InputId::new(0));
            frame[first..first + inputs.len()].copy_from_slice(inputs);
        }
    }

    /// The end that a status stands for; `None` if the run goes on.
    pub fn end(&self, status: i32, frame: &[i32]) -> Option<End> {
        let stmt = self.program.stmt(StmtId::new(usize::try_from(status.checked_sub(END)?).ok()?));
        Some(match stmt.kind {
            StmtKind::Error(property) => End::Error(property, stmt.span),
            StmtKind::Halt(_) => End::Halt(frame[self.layout.halt]),
            _ => End::Blocked(stmt.span),
        })
    }

    /// Whether a step that has ended with some status may have reached a property.
    pub fn may_reach(&self, status: i32) -> bool {
        status != 0 || !self.layout.flags.is_empty()
    }

    /// The properties that a step reached which ended with some status; the frame forgets them. A step that an
    /// assumption rules out reaches none.
    pub fn take_reached(&self, status: i32, frame: &mut [i32]) -> Vec<PropertyId> {
        let flags = self.layout.flags.iter();
        let mut reached: Vec<PropertyId> =
            flags.filter(|(_, word)| std::mem::take(&mut frame[*word]) != 0).map(|(property, _)| *property).collect();
        if status != 0 {
            match self.program.stmts[(status - END) as usize].kind {
                StmtKind::Error(property) => reached.push(property),
                StmtKind::Halt(_) => {}
                _ => reached.clear(),
            }
        }
        reached
    }
}
