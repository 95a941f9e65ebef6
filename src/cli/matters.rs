//! Which inputs of a run make a difference: with any other value of the rest, it gets to the same end, or the same is true at each of
//! its steps.

use redoubt_program::program::legend::{Legend, Role};
use redoubt_program::program::{Program, PropertyId, PropertyKind};
use redoubt_program::simulate::{Simulator, State, Step};

/// The most values of an input that are tried, and the most steps that are made in all.
const VALUES: usize = 8;
const MOST_STEPS: usize = 500_000;

/// The part of a run that must stay the same.
#[derive(Clone, Copy)]
pub enum Aim {
    /// The last step reaches a property.
    Property(PropertyId),
    /// The states, and the atoms of formulas at each step: the run may violate one of them.
    Moments,
}

/// Per step and input: whether the run might miss its aim if it were different. Two inputs, one of which is enough, do
/// not both count: inputs found to make no difference are changed together with the next ones, so that all of them can
/// be different at once. `None` if that would take too long.
pub fn inputs(program: &Program, legend: &Legend, run: &[Vec<i32>], aim: Aim) -> Option<Vec<Vec<bool>>> {
    let mut simulator = Simulator::new(program);
    let mut states = vec![simulator.state().clone()];
    let mut atoms = vec![];
    for inputs in run {
        let step = simulator.step(inputs);
        atoms.push(atoms_of(program, &step));
        states.push(simulator.state().clone());
    }
    let mut search = Search { program, simulator, run, states, atoms, aim, steps: 0 };
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

/// The atoms of formulas that are true at a step.
fn atoms_of(program: &Program, step: &Step) -> Vec<PropertyId> {
    let reached = step.reached.iter().map(|(property, _)| *property);
    let mut atoms: Vec<PropertyId> =
        reached.filter(|property| program.property(*property).kind == PropertyKind::Atom).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

struct Search<'s, 'p> {
    program: &'p Program,
    simulator: Simulator<'p>,
    run: &'s [Vec<i32>],
    /// Before each step of the run, and at its end.
    states: Vec<State>,
    /// By step.
    atoms: Vec<Vec<PropertyId>>,
    aim: Aim,
    steps: usize,
}

impl Search<'_, '_> {
    /// Whether a step with other inputs is as good as that of the run.
    fn gets_there(&mut self, place: usize, before: &State, inputs: &[i32]) -> bool {
        self.simulator.restore(before.clone());
        match self.aim {
            Aim::Property(property) => self.reaches(property, place, inputs),
            Aim::Moments => {
                let step = self.simulator.step(inputs);
                self.steps += 1;
                self.simulator.end().is_none()
                    && *self.simulator.state() == self.states[place + 1]
                    && atoms_of(self.program, &step) == self.atoms[place]
            }
        }
    }

    /// Whether a step with other inputs, and then the rest of the run, reaches the property with the last step.
    fn reaches(&mut self, property: PropertyId, place: usize, inputs: &[i32]) -> bool {
        let last = self.run.len() - 1;
        for next in place..=last {
            let inputs = if next == place { inputs } else { &self.run[next] };
            let step = self.simulator.step(inputs);
            self.steps += 1;
            if next == last {
                return step.reaches(property);
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
