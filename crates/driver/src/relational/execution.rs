//! Runs of a relational model, as the choices that determine them; replayed on its words, state by state.

use super::lasso::{self, Word};
use crate::smv::formula::Formula;
use crate::smv::model::{Kind, Meaning, Model, Signal};
use crate::words::simulate::Simulator;
use crate::words::{Bits, NodeId, Run, Sort, Stimulus, Value};

/// A loop is not followed for more steps than these until all states come back.
const MOST_STEPS: usize = 4_000;

/// A run from an initial state on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// One step for each state. The last one may be missing a successor.
    pub run: Run,
    /// The position that follows after the last one; none if the run just ends there.
    pub repeats_from: Option<usize>,
}

/// The values of a run, state by state.
pub struct Values {
    /// By position, and by node that was asked for.
    pub of: Vec<Vec<Value>>,
}

impl Execution {
    /// A run of a larger model, of which this is the beginning: its further states and inputs are left out.
    pub fn of_larger(model: &Model, mut run: Run, repeats_from: Option<usize>) -> Execution {
        let (states, inputs) = (model.words.model.states.len(), model.words.model.inputs.len());
        for step in &mut run.steps {
            step.states.truncate(states);
            step.inputs.truncate(inputs);
        }
        Execution { run, repeats_from }
    }

    /// The same run around its loop until all states come back, those too that its finder did not look at; as it is if that takes long.
    pub fn closed(self, model: &Model) -> Execution {
        let Some(start) = self.repeats_from else { return self };
        let states = &model.words.model.states;
        let mut simulator = Simulator::new(&model.words.model);
        let cycle = &self.run.steps[start..];
        let mut steps = self.run.steps[..start].to_vec();
        let mut knots: Vec<Vec<Value>> = vec![];
        for (position, step) in steps.iter().enumerate() {
            if simulator.take(position, step).is_err() {
                return self;
            }
        }
        while !cycle.is_empty() && steps.len() + cycle.len() <= MOST_STEPS {
            for (place, step) in cycle.iter().enumerate() {
                let mut step = step.clone();
                if !steps.is_empty() {
                    // What was chosen for the first state is determined now.
                    let given = step.states.iter_mut().zip(states);
                    given.filter(|(_, state)| state.next.is_some()).for_each(|(value, _)| *value = None);
                }
                if simulator.take(steps.len(), &step).is_err() {
                    return self;
                }
                if place == 0 {
                    let closed = states.iter().filter(|state| state.next.is_some());
                    let knot: Vec<Value> = closed.map(|state| simulator.value(state.node).clone()).collect();
                    if let Some(before) = knots.iter().position(|known| *known == knot) {
                        return Execution { run: Run { steps }, repeats_from: Some(start + before * cycle.len()) };
                    }
                    knots.push(knot);
                }
                steps.push(step);
            }
        }
        self
    }

    pub fn len(&self) -> usize {
        self.run.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.run.steps.is_empty()
    }

    /// The values of some nodes at each position; none if this is no run of the model. The last step of a run that does not
    /// repeat need not be one.
    pub fn values(&self, model: &Model, nodes: &[NodeId]) -> Option<Values> {
        let mut simulator = Simulator::new(&model.words.model);
        let states = &model.words.model.states;
        let mut of = vec![];
        let mut knot: Vec<Value> = vec![];
        for (position, step) in self.run.steps.iter().enumerate() {
            let fits = step.states.len() == states.len()
                && step.inputs.len() == model.words.model.inputs.len()
                && step
                    .inputs
                    .iter()
                    .zip(&model.words.model.inputs)
                    .all(|(value, input)| value.has_sort(model.words.model.sort(input.node)));
            if !fits {
                return None;
            }
            simulator.take(position, step).ok()?;
            let all = |list: &[NodeId]| list.iter().all(|&node| simulator.value(node).is_true());
            let is_last = position + 1 == self.run.steps.len();
            let is_step = !is_last || self.repeats_from.is_some();
            let is_value = |signal: &Signal| match (signal.domain.size(), simulator.value(signal.node)) {
                // Words may be larger than the values that they stand for.
                (Some(size), Value::Bits(bits)) if signal.storage.is_some() => {
                    bits.to_u64().is_some_and(|code| code < size)
                }
                _ => true,
            };
            if position == 0 && !all(&model.initial)
                || !model.signals.iter().all(is_value)
                || !all(&model.invariants)
                || !all(&model.valid)
                || is_step && !all(&model.steps)
            {
                return None;
            }
            of.push(nodes.iter().map(|&node| simulator.value(node).clone()).collect());
            if self.repeats_from == Some(position) {
                knot = states.iter().map(|state| simulator.value(state.node).clone()).collect();
            }
        }
        if self.repeats_from.is_some() {
            // States that are open in every step come back if they are given the same values.
            for (index, state) in states.iter().enumerate() {
                let next = simulator.next(index);
                if state.next.is_some() && next.as_ref() != knot.get(index) {
                    return None;
                }
            }
        }
        (!of.is_empty()).then_some(Values { of })
    }

    /// Whether the run shows that a specification is violated. Of a formula of branching time that is not asked for.
    pub fn shows(&self, model: &Model, kind: Kind, meaning: &Meaning) -> bool {
        match meaning {
            &Meaning::Invariant { holds, is_of_steps } => {
                let Some(values) = self.values(model, &[holds]) else { return false };
                let last = values.of.len() - 1;
                match (is_of_steps, self.repeats_from) {
                    (false, None) => !values.of[last][0].is_true(),
                    (true, None) => last > 0 && !values.of[last - 1][0].is_true(),
                    (_, Some(_)) => false,
                }
            }
            Meaning::Formula(formula) if kind == Kind::Linear => self.violates(model, formula),
            Meaning::Formula(_) => self.values(model, &[]).is_some(),
            Meaning::Distance { .. } => false,
        }
    }

    /// Whether this is a fair run on which a formula of linear time is false.
    fn violates(&self, model: &Model, formula: &Formula) -> bool {
        let Some(start) = self.repeats_from else { return false };
        let atoms = formula.atoms();
        let pairs = model.compassion.iter().flat_map(|&(p, q)| [p, q]);
        let nodes: Vec<NodeId> = atoms.iter().copied().chain(model.justice.iter().copied()).chain(pairs).collect();
        let Some(values) = self.values(model, &nodes) else { return false };
        let recurs = |place: usize| values.of[start..].iter().any(|of| of[place].is_true());
        let justice = atoms.len()..atoms.len() + model.justice.len();
        let is_just = justice.clone().all(recurs);
        let is_compassionate = (0..model.compassion.len()).all(|pair| {
            let place = justice.end + 2 * pair;
            !recurs(place) || recurs(place + 1)
        });
        if !is_just || !is_compassionate {
            return false;
        }
        let mut place = 0;
        let word = lasso::evaluate(formula, start, values.of.len(), &mut || {
            let word: Vec<bool> = values.of.iter().map(|of| of[place].is_true()).collect();
            place += 1;
            Word::new(word, start)
        });
        word.is_some_and(|word| !word.at(0))
    }

    pub fn to_numbers(&self) -> Vec<Vec<i32>> {
        let start = self.repeats_from.map_or(-1, |start| i32::try_from(start).unwrap_or(i32::MAX));
        let mut numbers = vec![vec![start]];
        for step in &self.run.steps {
            let mut row = vec![];
            let mut push = |value: &Value| {
                if let Value::Bits(bits) = value {
                    row.extend((0..bits.width()).map(|index| i32::from(bits.bit(index))));
                }
            };
            for state in &step.states {
                match state {
                    Some(value) => push(value),
                    None => push(&Value::Bits(Bits::from_bool(false))),
                }
            }
            step.inputs.iter().for_each(push);
            numbers.push(row);
        }
        numbers
    }

    pub fn of_numbers(model: &Model, numbers: &[Vec<i32>]) -> Option<Execution> {
        let (start, rows) = numbers.split_first()?;
        let repeats_from = usize::try_from(*start.first()?).ok();
        let words = &model.words.model;
        let mut steps = vec![];
        for (position, row) in rows.iter().enumerate() {
            let mut row = row.iter();
            let mut take = |sort: Sort| match sort {
                Sort::Bits(width) => {
                    let bits: Vec<bool> = row.by_ref().take(width as usize).map(|&bit| bit != 0).collect();
                    (bits.len() == width as usize).then(|| Value::Bits(Bits::from_bools(bits.into_iter())))
                }
                Sort::Array { .. } => None,
            };
            let mut states = vec![];
            for state in &words.states {
                let is_open = if position == 0 { state.init.is_none() } else { state.next.is_none() };
                let value = take(if is_open { words.sort(state.node) } else { Sort::BOOL })?;
                states.push(is_open.then_some(value));
            }
            let mut inputs = vec![];
            for input in &words.inputs {
                inputs.push(take(words.sort(input.node))?);
            }
            steps.push(Stimulus { states, inputs });
        }
        Some(Execution { run: Run { steps }, repeats_from })
    }
}
