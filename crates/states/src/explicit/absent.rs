//! The substitute for [`native`](super::native) in a build without the code generator, and on machines other than
//! x86-64: steps are interpreted.

use super::layout::Layout;
use super::machine::Refusal;
use crate::analysis::slice::Slice;
use crate::program::Program;

/// Machine code that cannot be made.
#[derive(Debug)]
pub enum Code {}

impl Code {
    pub fn compile(_: &Program, _: &Slice, _: &Layout, _: usize) -> Result<Code, Refusal> {
        Err(Refusal::Absent)
    }

    pub fn size(&self) -> usize {
        match *self {}
    }

    pub fn run(&self, _: &mut [i32]) -> i32 {
        match *self {}
    }
}
