//! A compiler's opinion on runs of programs.

use super::Run;
use crate::base::Interrupt;
use crate::ledger::SecondOpinion;
use crate::program::{Program, PropertyId};
use crate::witness::compiled::{Compiled, Opinion, Trouble};
use crate::witness::sequential::Sequential;

/// A program that gcc or `javac` has compiled, to be asked about its runs.
pub struct Gcc<'p> {
    program: &'p Program,
    binary: Binary,
    interrupt: &'p Interrupt,
}

/// The result of compiling a program.
enum Binary {
    /// One step around one input.
    Reactive(Compiled),
    Sequential(Sequential),
    /// Nothing that would mean the same.
    Other,
}

impl<'p> Gcc<'p> {
    pub fn new(program: &'p Program, interrupt: &'p Interrupt) -> Result<Gcc<'p>, Trouble> {
        let binary = match program.location {
            None => Binary::Reactive(Compiled::new(program, interrupt)?),
            Some(_) => Sequential::new(program, interrupt)?.map_or(Binary::Other, Binary::Sequential),
        };
        Ok(Gcc { program, binary, interrupt })
    }

    /// The compiled program of the challenge.
    pub fn compiled(&self) -> Option<&Compiled> {
        match &self.binary {
            Binary::Reactive(compiled) => Some(compiled),
            Binary::Sequential(_) | Binary::Other => None,
        }
    }
}

impl SecondOpinion<Run> for Gcc<'_> {
    fn name(&self) -> &'static str {
        self.program.language.compiler()
    }

    fn of_run(&self, property: PropertyId, run: &Run) -> Result<Opinion, Trouble> {
        match &self.binary {
            Binary::Reactive(compiled) => {
                let opinions = compiled.judge(self.program, &[(property, run)], self.interrupt)?;
                opinions.into_iter().next().ok_or_else(|| Trouble::Run("it said nothing".into()))
            }
            Binary::Sequential(sequential) => sequential.judge(self.program, property, run, self.interrupt),
            Binary::Other => {
                Ok(Opinion::CannotTell("gcc cannot compile for 32 bits here, and the program depends on that"))
            }
        }
    }
}
