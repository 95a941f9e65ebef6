//! A step that shows that a certificate does not hold: numbers for the open values of a path, tried in the simulator.

use std::rc::Rc;

use redoubt_base::Random;
use redoubt_program::expr::VarId;
use redoubt_program::program::Program;
use redoubt_program::simulate::{Simulator, Step};

use super::Executor;
use super::sources::SourceId;
use crate::{Certificate, NumberSet};

/// The most states tried in a whole check.
const MOST_TRIED: usize = 64;

/// Tries single steps.
pub struct Trial<'p> {
    simulator: Simulator<'p>,
    random: Random,
    left: usize,
    /// The step that was found, in words.
    pub found: Option<String>,
}

impl<'p> Trial<'p> {
    pub fn new(program: &'p Program) -> Trial<'p> {
        Trial { simulator: Simulator::new(program), random: Random::new(1), left: MOST_TRIED, found: None }
    }
}

impl Executor<'_, '_> {
    /// Whether a state of the invariant that a path may start from has a step that is not as claimed.
    pub fn refute(&mut self) -> bool {
        if self.trial.left == 0 {
            return false;
        }
        self.trial.left -= 1;
        let mut pick = |source: SourceId| pick(self.path.values(self.path.first(source)), &mut self.trial.random);
        let variables: Vec<i32> = self.sources.variables().map(&mut pick).collect();
        let inputs: Vec<i32> = self.sources.inputs().map(&mut pick).collect();
        let start = Simulator::new(self.program).state().clone();
        let simulator = &mut self.trial.simulator;
        simulator.restore(start);
        variables.iter().enumerate().for_each(|(index, &number)| simulator.assign(VarId::new(index), number));
        if !self.certificate.holds_in(simulator) {
            return false;
        }
        let done = simulator.step(&inputs);
        let Some(wrong) = wrong(self.certificate, self.program, simulator, &done) else { return false };
        // A completely open value cannot matter much.
        let is_shown = |index: &usize| {
            let source = SourceId::new(*index);
            !Rc::ptr_eq(self.path.values(self.path.first(source)), self.sources.known(source))
        };
        let name = |index: usize| format!("{} = {}", self.program.variables[index].name, variables[index]);
        let state: Vec<String> = (0..variables.len()).filter(is_shown).map(name).collect();
        let inputs: Vec<String> = inputs.iter().map(i32::to_string).collect();
        self.trial.found = Some(format!("from {} the input {} {wrong}", state.join(", "), inputs.join(" ")));
        true
    }
}

/// The deviation of a step from the claims, if there is one.
fn wrong(certificate: &Certificate, program: &Program, after: &Simulator, done: &Step) -> Option<String> {
    let reached = certificate.excluded.iter().find(|&&property| done.reaches(property));
    if let Some(&property) = reached {
        return Some(format!("reaches {}", program.property(property).name));
    }
    (done.end.is_none() && !certificate.holds_in(after)).then(|| "leaves the invariant".into())
}

/// One of some numbers: an end, or any.
fn pick(numbers: &NumberSet, random: &mut Random) -> i32 {
    let run = numbers.runs()[random.below(numbers.runs().len())];
    match random.below(3) {
        0 => run.low,
        1 => run.high,
        _ => (i64::from(run.low) + (random.bits() % run.count()) as i64 * i64::from(run.step)) as i32,
    }
}
