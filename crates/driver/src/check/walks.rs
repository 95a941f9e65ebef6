//! Random runs, as fast as machine code goes: for errors that lie deep and need no luck.
//!
//! Where inputs have too many values to try them all, states cannot be visited one by one, and engines on circuits go
//! step by step, each dearer than the last. A thousand rounds of a loop are nothing to a walk. Inputs are zeros in the
//! first walk, and then small numbers, numbers that the program mentions, and any.

use super::CheckOptions;
use crate::analysis::Facts;
use crate::base::{Ended, Limits, Random};
use crate::explicit::{Execution, Stepper};
use crate::ledger::{Ledger, Strategy};
use crate::program::Program;
use crate::relations::constants;
use crate::simulate::End;

pub(super) struct Walks<'o> {
    pub(super) options: &'o CheckOptions,
}

/// The most steps of one walk, and of all of them.
const LONGEST: usize = 20_000;
const STEPS: usize = 400_000;
/// Where an array is as long as that, runs are too: some more walks take so many steps.
const FAR: usize = 2_000_000;
const FAR_STEPS: usize = 6_000_000;
/// The most numbers that are chosen for one walk, and for all of them.
const NUMBERS_OF_ONE: usize = 10_000_000;
const NUMBERS: usize = 40_000_000;

impl Strategy<Facts<'_>> for Walks<'_> {
    fn name(&self) -> &'static str {
        "walks"
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let program = ledger.subject().program;
        if self.options.limits.depth.is_some() {
            return Ok(());
        }
        let mut stepper = Stepper::new(program, Execution::Fast);
        let start = stepper.state().to_vec();
        let mut inputs = Inputs { program, pool: constants(program), random: Random::new(1), kind: 0 };
        self.walk(ledger, limits, &mut inputs, (LONGEST, STEPS), (&mut stepper, &start))?;
        if program.tables.iter().any(|table| table.written && table.cells.len() >= LONGEST / 2) {
            inputs.kind = 0;
            self.walk(ledger, limits, &mut inputs, (FAR, FAR_STEPS), (&mut stepper, &start))?;
        }
        Ok(())
    }
}

impl Walks<'_> {
    /// Walks of at most so many steps, and so many steps in all.
    fn walk(
        &self,
        ledger: &Ledger<Facts>,
        limits: &Limits,
        inputs: &mut Inputs,
        (longest, steps): (usize, usize),
        (stepper, start): (&mut Stepper, &[i32]),
    ) -> Result<(), Ended> {
        let width = inputs.program.inputs.len().max(1);
        let longest = longest.min(NUMBERS_OF_ONE / width);
        let mut left = steps.min(NUMBERS / width);
        while left > 0 && !ledger.open().is_empty() {
            limits.interrupt.check()?;
            stepper.restore(start);
            let mut run = vec![];
            for _ in 0..longest.min(left) {
                let values = inputs.choose();
                let end = stepper.step(&values);
                run.push(values);
                if let Some(end) = end {
                    if let End::Error(property, _) = end
                        && ledger.open().contains(&property)
                    {
                        ledger.reached(self.name(), property, std::mem::take(&mut run));
                    }
                    break;
                }
            }
            left = left.saturating_sub(run.len().max(1));
            inputs.kind += 1;
        }
        Ok(())
    }
}

/// Where the values of inputs come from.
struct Inputs<'p> {
    program: &'p Program,
    pool: Vec<i32>,
    random: Random,
    /// Which walk this is.
    kind: usize,
}

impl Inputs<'_> {
    fn choose(&mut self) -> Vec<i32> {
        let most = [2, 3, 10, 300][self.kind % 4];
        let Inputs { program, pool, random, kind } = self;
        let value = |input: &crate::program::Input| {
            let value = match (*kind, random.below(8)) {
                (0, _) => 0,
                (_, 0..5) => random.below(most) as i32,
                (_, 5) => pool[random.below(pool.len())],
                (_, 6) => pool[random.below(pool.len())].wrapping_add(random.below(3) as i32 - 1),
                _ => random.bits() as i32,
            };
            if input.alphabet.contains(value) { value } else { input.alphabet.sample(random) }
        };
        program.inputs.iter().map(value).collect()
    }
}
