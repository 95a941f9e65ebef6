//! An exhaustive search over the states of a program, for programs that have few of them.
//!
//! Breadth first with the simulator and nothing else, so it is slow, obvious and independent of every engine: its
//! findings are taken for the truth.

use std::collections::{BTreeMap, HashMap, VecDeque};

use redoubt_program::program::{Program, PropertyId, Scope};
use redoubt_program::simulate::{End, Simulator, State, Step};

/// The findings of the search once no new state turned up.
pub struct Explored {
    pub states: usize,
    /// The properties that can be reached, each with a shortest input sequence.
    pub reached: BTreeMap<String, Vec<i32>>,
}

/// The state that each one was first reached from, and the inputs that did it.
type Origin = HashMap<State, Option<(State, Vec<i32>)>>;

/// Visits all reachable states; `None` if there are more than `most`.
pub fn explore(program: &Program, most: usize) -> Option<Explored> {
    let (explored, closed) = explore_some(program, most);
    closed.then_some(explored)
}

/// Visits reachable states; whether these were all, or there are more than `most`.
pub fn explore_some(program: &Program, most: usize) -> (Explored, bool) {
    let inputs = all_inputs(program);
    let mut simulator = Simulator::new(program);
    let mut reached = BTreeMap::new();
    for property in properties(simulator.opening()) {
        reached.insert(program.property(property).name.clone(), vec![]);
    }
    if simulator.end().is_some() {
        return (Explored { states: 0, reached }, true);
    }
    let initial = normal(program, simulator.state().clone());
    let mut origin: Origin = HashMap::from([(initial.clone(), None)]);
    let mut pending = VecDeque::from([initial]);
    while let Some(state) = pending.pop_front() {
        for inputs in &inputs {
            simulator.restore(state.clone());
            let step = simulator.step(inputs);
            for property in properties(&step) {
                let name = program.property(property).name.clone();
                reached.entry(name).or_insert_with(|| witness(&origin, &state, inputs));
            }
            if step.end.is_none() {
                let next = normal(program, simulator.state().clone());
                if !origin.contains_key(&next) {
                    origin.insert(next.clone(), Some((state.clone(), inputs.clone())));
                    pending.push_back(next);
                }
            }
        }
        if origin.len() > most {
            return (Explored { states: origin.len(), reached }, false);
        }
    }
    (Explored { states: origin.len(), reached }, true)
}

/// Every way to give each input a value; programs with wide inputs are not for this search.
fn all_inputs(program: &Program) -> Vec<Vec<i32>> {
    let mut all = vec![vec![]];
    for input in &program.inputs {
        let with = |list: &Vec<i32>| {
            let values = input.alphabet.iter().map(|value| [list.as_slice(), &[value]].concat());
            values.collect::<Vec<_>>()
        };
        assert!(input.alphabet.size() * all.len() as u64 <= 1 << 16, "{}: too many inputs", program.name);
        all = all.iter().flat_map(with).collect();
    }
    all
}

fn properties(step: &Step) -> Vec<PropertyId> {
    let went_on = step.reached.iter().map(|(property, _)| *property);
    let ended = match step.end {
        Some(End::Error(property, _)) => Some(property),
        _ => None,
    };
    went_on.chain(ended).collect()
}

/// Locals carry nothing from step to step, so their old values must not tell states apart.
fn normal(program: &Program, mut state: State) -> State {
    for (value, variable) in state.variables.iter_mut().zip(&program.variables) {
        if variable.scope == Scope::Local {
            *value = variable.initial;
        }
    }
    state
}

fn witness(origin: &Origin, last: &State, inputs: &[i32]) -> Vec<i32> {
    let mut steps = vec![inputs.to_vec()];
    let mut state = last;
    while let Some((before, inputs)) = &origin[state] {
        steps.push(inputs.clone());
        state = before;
    }
    steps.reverse();
    steps.concat()
}
