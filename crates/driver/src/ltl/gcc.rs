//! A compiler's opinion on runs that never end: the compiled program prints the same as the simulator, for some rounds.

use super::lasso::{Lasso, prints};
use crate::base::Interrupt;
use crate::ledger::SecondOpinion;
use crate::program::{Program, PropertyId};
use crate::witness::compiled::{Compiled, Ending, Opinion, Trouble};

/// A compiled program, to be asked about its infinite runs.
pub struct Gcc<'p> {
    program: &'p Program,
    compiled: &'p Compiled,
    interrupt: &'p Interrupt,
}

/// The number of times that the loop is repeated.
const ROUNDS: usize = 3;

impl<'p> Gcc<'p> {
    pub fn new(program: &'p Program, compiled: &'p Compiled, interrupt: &'p Interrupt) -> Gcc<'p> {
        Gcc { program, compiled, interrupt }
    }
}

impl SecondOpinion<Lasso> for Gcc<'_> {
    fn name(&self) -> &'static str {
        self.program.language.compiler()
    }

    fn of_run(&self, _: PropertyId, run: &Lasso) -> Result<Opinion, Trouble> {
        let inputs = run.unrolled(ROUNDS);
        let ran = self.compiled.run(self.program, &[inputs.concat()], self.interrupt)?;
        let ran = ran.first().ok_or_else(|| Trouble::Run("it said nothing".into()))?;
        let printed = prints(self.program, &inputs);
        let words = |text: &String| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        let differs = ran
            .printed
            .iter()
            .zip(&printed)
            .position(|(theirs, ours)| words(theirs) != words(&self.program.words.printed(ours)));
        Ok(match (&ran.ending, differs) {
            (_, Some(step)) => Opinion::Differs(format!("it prints something else in step {}", step + 1)),
            (Ending::Inputs, None) => Opinion::Agrees,
            (ending, None) => Opinion::Differs(format!("after {} steps it ends with {ending:?}", ran.steps)),
        })
    }
}
