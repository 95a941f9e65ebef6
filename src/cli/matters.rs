//! Which inputs of a run make a difference: with any other value of the rest, it gets to the same end.

use redoubt::program::legend::{Legend, Role};
use redoubt::program::{Program, PropertyId};
use redoubt::simulate::{Simulator, State};

/// So many values of an input are tried, and so many steps are made in all.
const VALUES: usize = 8;
const MOST_STEPS: usize = 2_000_000;

/// Per step and input: whether the run might not reach the property if it were different. Two inputs, one of which is enough, do
/// not both count: what was found to make no difference is changed together with what comes next, so that all of it can be
/// different at once. `None` if that would take too long.
pub fn inputs(program: &Program, legend: &Legend, run: &[Vec<i32>], property: PropertyId) -> Option<Vec<Vec<bool>>> {
    let mut simulator = Simulator::new(program);
    let mut states = vec![simulator.state().clone()];
    for inputs in run {
        simulator.step(inputs);
        states.push(simulator.state().clone());
    }
    let mut search = Search { simulator, run, states, property, steps: 0 };
    let mut other = run.to_vec();
    let mut before = search.states[0].clone();
    let mut matters = vec![];
    for place in 0..run.len() {
        let mut here = vec![true; program.inputs.len()];
        for (index, input) in program.inputs.iter().enumerate() {
            if !matches!(legend.inputs[index], Role::Input(_)) {
                continue;
            }
            let given = run[place][index];
            let values = input.alphabet.list(VALUES).unwrap_or_else(|| {
                let (most, last) = (VALUES as u64 - 1, input.alphabet.size() - 1);
                (0..=most).map(|number| input.alphabet.nth(last / most * number)).collect()
            });
            let values: Vec<i32> = values.into_iter().filter(|&value| value != given).collect();
            here[index] = values.iter().any(|&value| {
                let with = |inputs: &[i32]| {
                    let mut inputs = inputs.to_vec();
                    inputs[index] = value;
                    inputs
                };
                let original = search.states[place].clone();
                !search.gets_there(place, &original, &with(&run[place]))
                    || !search.gets_there(place, &before, &with(&other[place]))
            });
            if let (false, Some(&value)) = (here[index], values.first()) {
                other[place][index] = value;
            }
            if search.steps > MOST_STEPS {
                return None;
            }
        }
        matters.push(here);
        search.simulator.restore(before);
        search.simulator.step(&other[place]);
        before = search.simulator.state().clone();
    }
    Some(matters)
}

struct Search<'s, 'p> {
    simulator: Simulator<'p>,
    run: &'s [Vec<i32>],
    /// Before each step of the run, and at its end.
    states: Vec<State>,
    property: PropertyId,
    steps: usize,
}

impl Search<'_, '_> {
    /// Whether a step with other inputs, and then the rest of the run, reaches the property with the last step.
    fn gets_there(&mut self, place: usize, before: &State, inputs: &[i32]) -> bool {
        self.simulator.restore(before.clone());
        let last = self.run.len() - 1;
        for next in place..=last {
            let inputs = if next == place { inputs } else { &self.run[next] };
            let step = self.simulator.step(inputs);
            self.steps += 1;
            if next == last {
                return step.reaches(self.property);
            }
            if self.simulator.end().is_some() {
                return false;
            }
            if *self.simulator.state() == self.states[next + 1] {
                return true;
            }
        }
        false
    }
}
