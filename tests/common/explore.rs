//! An exhaustive search over the states of a program, for programs that have few of them.
//!
//! Breadth first with the simulator and nothing else, so it is slow, obvious and independent of every
//! engine: what it says is taken for the truth.

use std::collections::{BTreeMap, HashMap, VecDeque};

use redoubt::program::{Program, Scope};
use redoubt::simulate::{End, Simulator, State};

/// What the search found once no new state turned up.
pub struct Explored {
    pub states: usize,
    /// The properties that can be reached, each with a shortest input sequence.
    pub reached: BTreeMap<String, Vec<i32>>,
}

/// Visits all reachable states; `None` if there are more than `most`.
pub fn explore(program: &Program, most: usize) -> Option<Explored> {
    let mut simulator = Simulator::new(program);
    let mut reached = BTreeMap::new();
    if let Some(End::Error(property, _)) = simulator.end() {
        reached.insert(program.property(property).name.clone(), vec![]);
        return Some(Explored { states: 0, reached });
    }
    let initial = normal(program, simulator.state().clone());
    // The state that each one was first reached from, and the input that did it.
    let mut origin: HashMap<State, Option<(State, i32)>> = HashMap::from([(initial.clone(), None)]);
    let mut pending = VecDeque::from([initial]);
    while let Some(state) = pending.pop_front() {
        for input in program.inputs[0].alphabet.iter() {
            simulator.restore(state.clone());
            match simulator.step(&[input]).end {
                None => {
                    let next = normal(program, simulator.state().clone());
                    if !origin.contains_key(&next) {
                        origin.insert(next.clone(), Some((state.clone(), input)));
                        pending.push_back(next);
                    }
                }
                Some(End::Error(property, _)) => {
                    let name = program.property(property).name.clone();
                    reached.entry(name).or_insert_with(|| witness(&origin, &state, input));
                }
                Some(End::Halt(_) | End::Blocked(_)) => {}
            }
        }
        if origin.len() > most {
            return None;
        }
    }
    Some(Explored { states: origin.len(), reached })
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

fn witness(origin: &HashMap<State, Option<(State, i32)>>, last: &State, input: i32) -> Vec<i32> {
    let mut inputs = vec![input];
    let mut state = last;
    while let Some((before, input)) = &origin[state] {
        inputs.push(*input);
        state = before;
    }
    inputs.reverse();
    inputs
}
