//! Runs of a model on its words: the reference for circuits, and the replay of witnesses.

use std::fmt;

use crate::evaluate::{Array, Value};
use crate::model::{Model, Node, NodeId, Sort, State};

/// A run as the choices that determine it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub steps: Vec<Stimulus>,
}

/// The choices of one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimulus {
    /// By state: its given value. Where the model leaves it open and none is given, it is 0.
    pub states: Vec<Option<Value>>,
    /// By input.
    pub inputs: Vec<Value>,
}

/// Why a run is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    Empty,
    /// It has not as many states or inputs as the model, or of other sorts.
    Shape {
        step: usize,
    },
    /// A state is said to have another value than the model gives it.
    State {
        step: usize,
        state: usize,
    },
    Constraint {
        step: usize,
        constraint: usize,
    },
    NotBad,
    /// The state after the last step is none of those before.
    NoLoop,
    /// In no loop from there on is everything seen.
    NotSeen,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Empty => write!(f, "it has no step"),
            Flaw::Shape { step } => {
                write!(f, "the values of step {step} are not those of the model's states and inputs")
            }
            Flaw::State { step, state } => {
                write!(f, "state {state} has another value in step {step} than the model gives it")
            }
            Flaw::Constraint { step, constraint } => write!(f, "constraint {constraint} does not hold in step {step}"),
            Flaw::NotBad => write!(f, "the bad state is not there after the last step"),
            Flaw::NoLoop => write!(f, "the state after the last step is none of those before"),
            Flaw::NotSeen => write!(f, "not all of the property is seen in the loop"),
        }
    }
}

impl Run {
    /// Whether this is a run of the model at whose end the property is bad.
    pub fn reaches(&self, model: &Model, bad: usize) -> Result<(), Flaw> {
        let mut simulator = self.begin(model)?;
        for step in 0..self.steps.len() {
            simulator.take(step, &self.steps[step])?;
        }
        if simulator.value(model.bad[bad].node).is_true() { Ok(()) } else { Err(Flaw::NotBad) }
    }

    /// Whether this is a run that can go on for ever from one of its states and violates a justice property; where
    /// the loop begins.
    pub fn recurs(&self, model: &Model, justice: usize) -> Result<usize, Flaw> {
        let wanted = model.recurring(justice);
        let cone = model.cone(wanted.iter().chain(&model.constraints).copied());
        // States that are open in every step anew do not have to come back.
        let is_watched = |state: &State| state.next.is_some() && cone[state.node.index()];
        let watched: Vec<usize> = (0..model.states.len()).filter(|&state| is_watched(&model.states[state])).collect();
        let mut simulator = self.begin(model)?;
        let mut seen: Vec<Vec<bool>> = vec![];
        let mut states: Vec<Vec<Value>> = vec![];
        for step in 0..self.steps.len() {
            simulator.take(step, &self.steps[step])?;
            seen.push(wanted.iter().map(|&node| simulator.value(node).is_true()).collect());
            states.push(watched.iter().map(|&state| simulator.value(model.states[state].node).clone()).collect());
        }
        let after: Vec<Value> = watched.iter().filter_map(|&state| simulator.next(state)).collect();
        let starts: Vec<usize> = (0..states.len()).filter(|&start| states[start] == after).collect();
        let all_seen = |start: usize| (0..wanted.len()).all(|place| seen[start..].iter().any(|seen| seen[place]));
        if starts.is_empty() {
            return Err(Flaw::NoLoop);
        }
        starts.into_iter().find(|&start| all_seen(start)).ok_or(Flaw::NotSeen)
    }

    fn begin<'m>(&self, model: &'m Model) -> Result<Simulator<'m>, Flaw> {
        let fits = |step: &Stimulus| {
            let state = |(state, value): (&State, &Option<Value>)| {
                value.as_ref().is_none_or(|value| value.has_sort(model.sort(state.node)))
            };
            step.states.len() == model.states.len()
                && step.inputs.len() == model.inputs.len()
                && model.states.iter().zip(&step.states).all(state)
                && model.inputs.iter().zip(&step.inputs).all(|(input, value)| value.has_sort(model.sort(input.node)))
        };
        match self.steps.iter().position(|step| !fits(step)) {
            Some(step) => Err(Flaw::Shape { step }),
            None if self.steps.is_empty() => Err(Flaw::Empty),
            None => Ok(Simulator::new(model)),
        }
    }
}

/// Runs a model step by step.
#[derive(Clone, Debug)]
pub struct Simulator<'m> {
    model: &'m Model,
    /// By node.
    values: Vec<Option<Value>>,
}

impl<'m> Simulator<'m> {
    pub fn new(model: &'m Model) -> Simulator<'m> {
        Simulator { model, values: vec![None; model.nodes.len()] }
    }

    /// The value of an expression in the last step that was taken.
    pub fn value(&self, id: NodeId) -> &Value {
        self.values[id.index()].as_ref().expect("a step was taken")
    }

    /// The value of a state in the next step, if the model determines it.
    pub fn next(&self, state: usize) -> Option<Value> {
        self.model.states[state].next.map(|next| self.value(next).clone())
    }

    /// Takes the step of this number: 0 is the start.
    pub fn take(&mut self, number: usize, step: &Stimulus) -> Result<(), Flaw> {
        let model = self.model;
        let given = |state: usize| step.states.get(state).cloned().flatten();
        let open = |state: usize| given(state).unwrap_or_else(|| Value::zero(model.sort(model.states[state].node)));
        if number == 0 {
            self.values.fill(None);
            for state in 0..model.states.len() {
                let value = self.initial(state).unwrap_or_else(|| open(state));
                self.values[model.states[state].node.index()] = Some(value);
            }
        } else {
            let next: Vec<Value> =
                (0..model.states.len()).map(|state| self.next(state).unwrap_or_else(|| open(state))).collect();
            for (state, value) in model.states.iter().zip(next) {
                self.values[state.node.index()] = Some(value);
            }
        }
        for (index, state) in model.states.iter().enumerate() {
            if given(index).is_some_and(|given| given != *self.value(state.node)) {
                return Err(Flaw::State { step: number, state: index });
            }
        }
        for (input, value) in model.inputs.iter().zip(&step.inputs) {
            self.values[input.node.index()] = Some(value.clone());
        }
        for index in 0..model.nodes.len() {
            if !matches!(model.nodes[index], Node::Input(_) | Node::State(_)) {
                self.values[index] = Some(model.evaluate(NodeId::new(index), |id| self.value(id)));
            }
        }
        match model.constraints.iter().position(|&constraint| !self.value(constraint).is_true()) {
            Some(constraint) => Err(Flaw::Constraint { step: number, constraint }),
            None => Ok(()),
        }
    }

    /// The value that the model gives to a state at the start. Those before it have theirs.
    fn initial(&mut self, state: usize) -> Option<Value> {
        let State { node, init, .. } = self.model.states[state];
        let init = init?;
        for id in self.model.order(init, |id| self.values[id.index()].is_some()) {
            self.values[id.index()] = Some(self.model.evaluate(id, |id| self.value(id)));
        }
        Some(match (self.model.sort(node), self.value(init)) {
            (Sort::Array { index, .. }, Value::Bits(element)) => Value::Array(Array::filled(index, element.clone())),
            (_, value) => value.clone(),
        })
    }
}
