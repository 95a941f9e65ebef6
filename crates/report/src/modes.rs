//! The modes of a small controller and the steps between them: a model to a picture.
//!
//! All states are visited with the simulator, as long as they and the inputs are few. States that agree in the variables
//! whose values have names are one mode; a model without such variables shows its states.

use std::collections::{HashMap, HashSet};

use super::graph::{Graph, Node};
use crate::program::legend::{Legend, Meaning, Role};
use crate::program::{Input, Program, Scope};
use crate::simulate::{End, Simulator, State};

/// The number of steps after which a model counts as large.
const MOST_STEPS: u64 = 100_000;

/// A picture with more modes is not looked at.
const MOST_MODES: usize = 16;

/// Modes in the order in which they were first met, and the steps between them.
#[derive(Debug, PartialEq, Eq)]
pub struct Modes {
    /// The names of each, a variable a line.
    names: Vec<Vec<String>>,
    /// Where a run can begin.
    starts: Vec<usize>,
    /// From, to, and inputs on which that happens.
    steps: Vec<(usize, usize, String)>,
}

impl Modes {
    /// The modes of a model, if it is small.
    pub fn of(program: &Program) -> Option<Modes> {
        let legend = program.legend.as_ref()?;
        let inputs = combinations(program)?;
        let mut modes = Modes { names: vec![], starts: vec![], steps: vec![] };
        let shown = shown(program, legend);
        let mut simulator = Simulator::new(program);
        if simulator.end().is_some() || shown.is_empty() {
            return None;
        }
        let has_started = |state: &State| legend.started.is_none_or(|started| state.variables[started.index()] != 0);
        let mut numbers: HashMap<Vec<i32>, usize> = HashMap::new();
        let mut mode = |state: &State, names: &mut Vec<Vec<String>>| {
            let values: Vec<i32> = shown.iter().map(|&(variable, _)| state.variables[variable]).collect();
            *numbers.entry(values).or_insert_with_key(|values| {
                let name = |(&(variable, meaning), &value): (&(usize, Meaning), &i32)| {
                    let value = legend.value(meaning, value);
                    if shown.len() == 1 { value } else { format!("{} {value}", program.variables[variable].name) }
                };
                names.push(shown.iter().zip(values).map(name).collect());
                names.len() - 1
            })
        };
        let first = settled(program, simulator.state().clone());
        let mut seen = HashSet::from([first.clone()]);
        let mut waiting = vec![first];
        if has_started(&waiting[0]) {
            modes.starts.push(mode(&waiting[0], &mut modes.names));
        }
        let (mut next, mut tried) = (0, 0);
        while let Some(state) = waiting.get(next).cloned() {
            next += 1;
            for values in &inputs {
                tried += 1;
                if tried > MOST_STEPS || modes.names.len() > MOST_MODES {
                    return None;
                }
                simulator.restore(state.clone());
                simulator.step(values);
                if matches!(simulator.end(), Some(End::Blocked(_))) {
                    continue;
                }
                let after = settled(program, simulator.state().clone());
                let to = mode(&after, &mut modes.names);
                if has_started(&state) {
                    let from = mode(&state, &mut modes.names);
                    if !modes.steps.iter().any(|step| (step.0, step.1) == (from, to)) {
                        modes.steps.push((from, to, given(program, legend, values)));
                    }
                } else if !modes.starts.contains(&to) {
                    modes.starts.push(to);
                }
                if simulator.end().is_none() && seen.insert(after.clone()) {
                    waiting.push(after);
                }
            }
        }
        (modes.names.len() > 1).then_some(modes)
    }

    /// The picture for a page.
    pub fn draw(&self) -> String {
        let picture = self.graph().draw("modes", "Modes and the steps between them");
        format!("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Modes\">{picture}</div>")
    }

    /// Modes in columns by the number of steps that lead to them.
    pub fn graph(&self) -> Graph {
        let node = |(number, lines): (usize, &Vec<String>)| Node {
            lines: lines.clone(),
            class: if self.starts.contains(&number) { "mode start" } else { "mode" },
        };
        let nodes = self.names.iter().enumerate().map(node).collect();
        Graph { nodes, starts: self.starts.clone(), edges: self.steps.clone() }
    }
}

/// The variables that name a mode: those whose values have names, or all.
fn shown(program: &Program, legend: &Legend) -> Vec<(usize, Meaning)> {
    let known = legend.variables.iter().enumerate().filter_map(|(variable, meaning)| Some((variable, (*meaning)?)));
    let all: Vec<(usize, Meaning)> =
        known.filter(|(variable, _)| program.variables[*variable].scope == Scope::Global).collect();
    let named: Vec<_> = all.iter().copied().filter(|(_, meaning)| matches!(meaning, Meaning::Name(_))).collect();
    if named.is_empty() { all } else { named }
}

/// A state without the variables that only a step knows.
fn settled(program: &Program, mut state: State) -> State {
    let variables = state.variables.iter_mut().zip(&program.variables);
    variables.filter(|(_, variable)| variable.scope != Scope::Global).for_each(|(value, _)| *value = 0);
    state
}

/// All that a step can be given, if that is little.
fn combinations(program: &Program) -> Option<Vec<Vec<i32>>> {
    let mut sizes = program.inputs.iter().map(|input| input.alphabet.size());
    let all = sizes.try_fold(1_u64, |all, size| all.checked_mul(size)).filter(|&all| all <= MOST_STEPS / 10)?;
    let combination = |number: u64| {
        let mut rest = number;
        let value = |input: &Input| {
            let size = input.alphabet.size();
            let value = input.alphabet.nth(rest % size);
            rest /= size;
            value
        };
        program.inputs.iter().map(value).collect()
    };
    Some((0..all).map(combination).collect())
}

/// Inputs in the words of the model, without false ones.
fn given(program: &Program, legend: &Legend, values: &[i32]) -> String {
    let inputs = program.inputs.iter().zip(&legend.inputs).zip(values);
    let said = inputs.filter_map(|((input, role), &value)| match role {
        Role::Input(Meaning::Truth) => (value != 0).then(|| input.name.clone()),
        Role::Input(meaning) => Some(format!("{} = {}", input.name, legend.value(*meaning, value))),
        Role::Choice(_) | Role::Value(_) | Role::Start(_) => None,
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() { "no input".into() } else { said.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes(text: &str) -> Option<Modes> {
        Modes::of(
            &redoubt_languages::parse(vec![redoubt_program::text::SourceFile::new("m.gcl", text)])
                .expect("a good model"),
        )
    }

    #[test]
    fn modes_are_the_values_that_have_names() {
        let found = modes(
            "system Lamp
             enum Light { Off, On }
             input push: bool
             var light: Light = Off
             var pushes: 0..9 = 0
             step {
               if push && pushes < 9 { pushes = pushes + 1; light = if light == Off then On else Off }
             }
             property p: never pushes == 10",
        );
        let found = found.expect("it is small");
        assert_eq!(found.names, [["Off"], ["On"]]);
        assert_eq!(found.starts, [0]);
        let mut steps: Vec<_> = found.steps.iter().map(|(from, to, inputs)| (*from, *to, inputs.as_str())).collect();
        steps.sort_unstable();
        assert_eq!(steps, [(0, 0, "no input"), (0, 1, "push"), (1, 0, "push"), (1, 1, "no input")]);
        assert_eq!(found.draw().matches("class=\"mode").count(), 3, "the picture itself, and two modes");
    }

    #[test]
    fn large_models_have_no_picture() {
        let text = "system Large; input a: 0..99999; var n: 0..99999 = 0; step { n = a }; property p: never n == 1";
        assert!(modes(text).is_none());
    }
}
