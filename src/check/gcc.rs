//! gcc's opinion on runs of C programs.

use super::Run;
use crate::base::Interrupt;
use crate::ledger::SecondOpinion;
use crate::program::{Program, PropertyId};
use crate::witness::compiled::{Compiled, Opinion, Trouble};

/// A C program that gcc has compiled, to be asked about its runs.
pub struct Gcc<'p> {
    program: &'p Program,
    compiled: Compiled,
    interrupt: &'p Interrupt,
}

impl<'p> Gcc<'p> {
    pub fn new(program: &'p Program, interrupt: &'p Interrupt) -> Result<Gcc<'p>, Trouble> {
        Ok(Gcc { program, compiled: Compiled::new(program, interrupt)?, interrupt })
    }

    /// What gcc made of the program.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }
}

impl SecondOpinion<Run> for Gcc<'_> {
    fn name(&self) -> &'static str {
        "gcc"
    }

    fn of_run(&self, property: PropertyId, run: &Run) -> Result<Opinion, Trouble> {
        let opinions = self.compiled.judge(self.program, &[(property, run)], self.interrupt)?;
        opinions.into_iter().next().ok_or_else(|| Trouble::Run("it said nothing".into()))
    }
}
