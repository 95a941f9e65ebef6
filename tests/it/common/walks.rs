//! Random walks of the simulator in the terms of a transition system: values of its state variables, inputs,
//! and what each step led to.

use std::collections::HashMap;

use redoubt_base::Random;
use redoubt_bits::system::TransitionSystem;
use redoubt_program::expr::TableId;
use redoubt_program::program::{Program, PropertyId, Scope};
use redoubt_program::simulate::{End, Simulator};

use super::generate::Shape;
use super::{generate, in_project, load_model, load_text, problems};

/// The value of every variable and table cell, by the names that the transition system uses.
pub type Values = HashMap<String, i32>;

/// A step of a run.
#[derive(Clone, Debug)]
pub struct Step {
    pub before: Values,
    pub inputs: Vec<i32>,
    /// The end of the run, if it ended it.
    pub end: Option<End>,
    /// The properties that it reached, or that the setup had reached before.
    pub reached: Vec<PropertyId>,
    /// The state afterwards; it matters only if the run goes on.
    pub after: Values,
}

/// Steps of some random runs, each from the initial state until it ends or has this length. Runs that an
/// assumption blocks end before the step in which it does. No steps if the setup already ended the run.
pub fn walks(program: &Program, runs: u64, length: usize) -> Vec<Step> {
    let mut steps = vec![];
    for seed in 0..runs {
        let mut random = Random::new(seed);
        let mut simulator = Simulator::new(program);
        for _ in 0..length {
            if simulator.end().is_some() {
                break;
            }
            let before = values(program, &simulator);
            let inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.sample(&mut random)).collect();
            let step = simulator.step(&inputs);
            let (end, all) = (step.end, (0..program.properties.len()).map(PropertyId::new));
            let is_reached = |property: &PropertyId| step.reaches(*property) || simulator.opening().reaches(*property);
            let reached = all.filter(is_reached).collect();
            if !matches!(end, Some(End::Blocked(_))) {
                steps.push(Step { before, inputs, end, reached, after: values(program, &simulator) });
            }
        }
    }
    steps
}

fn values(program: &Program, simulator: &Simulator) -> Values {
    let variables = program.variables.iter().zip(&simulator.state().variables);
    let globals = variables.filter(|(variable, _)| variable.scope == Scope::Global);
    let mut values: Values = globals.map(|(variable, &value)| (variable.name.clone(), value)).collect();
    for (index, table) in program.tables.iter().enumerate() {
        for (cell, &value) in simulator.cells(TableId::new(index)).iter().enumerate() {
            values.insert(format!("{}[{cell}]", table.name), value);
        }
    }
    values
}

/// The values of a system's state variables, in its order.
pub fn state_of(system: &TransitionSystem, values: &Values) -> Vec<i32> {
    system.states.iter().map(|state| values[&state.name]).collect()
}

/// Programs to try encodings on: the tiny ones, the project's own problems, and random ones.
pub fn programs(random: u64) -> Vec<Program> {
    let mut programs = vec![];
    for problem in problems::in_folder(&in_project("tests/encodings")).into_iter().chain(problems::own()) {
        programs.push(problem.load());
    }
    for name in ["elevator", "sokoban_small"] {
        let text = std::fs::read_to_string(in_project(&format!("problems/gcl/{name}.gcl"))).expect("it is there");
        programs.push(load_model(&format!("{name}.gcl"), &text));
    }
    for seed in 0..random / 8 {
        programs.push(load_model(&format!("random{seed}.gcl"), &generate::model::model(seed)));
    }
    for seed in 0..random {
        let options = Shape { bounded: seed % 2 == 0, ..Shape::default() };
        programs.push(load_text(&format!("random{seed}.c"), &generate::program(seed, options)));
    }
    programs
}
