//! A run of a model as a log of the controller: the same data for text (`log`), JSON lines and waveforms.

mod log;

use std::collections::HashSet;

use redoubt_program::expr::{BinaryOp, Expr, TableId, VarId};
use redoubt_program::program::legend::{Legend, Meaning, Role};
use redoubt_program::program::{Arm, Place, Program, PropertyId, PropertyKind, Scope, StmtKind};
use redoubt_program::simulate::{End, Rule, Simulator, Step};
use redoubt_program::text::Span;
use redoubt_report::record::{self, Values};
use serde_json::{Value as Json, json};

use super::matters::{self, Aim};

/// A variable, or a cell of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    pub name: String,
    pub meaning: Meaning,
    place: Place,
}

/// A run, from its initial state on.
pub struct Trace<'p> {
    pub program: &'p Program,
    pub legend: &'p Legend,
    pub variables: Vec<Signal>,
    /// The values of the variables at the start.
    pub start: Vec<i32>,
    pub steps: Vec<Logged>,
    /// The inputs of the step that chose the start.
    opening: Option<Vec<i32>>,
    /// Whether the start is still to be chosen.
    is_open: bool,
    /// The places of branches and alternatives.
    branches: HashSet<Span>,
    /// The first of the steps that are repeated for ever, if some are.
    loop_start: Option<usize>,
}

/// One step of a run.
pub struct Logged {
    /// One value per input of the program, the hidden ones too.
    pub inputs: Vec<i32>,
    /// The alternatives and branches that were taken, in order.
    pub taken: Vec<Rule>,
    /// The values of the variables after the step.
    pub values: Vec<i32>,
    /// The value that was out of its bounds, if that ended the run.
    offending: Option<i32>,
    /// Per input: whether it made a difference, if that is known.
    matters: Option<Vec<bool>>,
    /// The reached properties, and the end of the run.
    pub step: Step,
}

impl Logged {
    /// Whether an input is shown: unless it is known to make no difference.
    fn is_shown(&self, input: usize) -> bool {
        self.matters.as_ref().is_none_or(|matters| matters[input])
    }
}

impl<'p> Trace<'p> {
    /// Before the first step. If the start is open, the first step that is recorded chooses it.
    pub fn new(program: &'p Program, legend: &'p Legend, simulator: &Simulator<'p>) -> Trace<'p> {
        let mut variables = vec![];
        for (index, variable) in program.variables.iter().enumerate() {
            if let (Scope::Global, Some(meaning)) = (variable.scope, legend.variables[index]) {
                variables.push(Signal {
                    name: variable.name.clone(),
                    meaning,
                    place: Place::Variable(VarId::new(index)),
                });
            }
        }
        for (index, table) in program.tables.iter().enumerate() {
            let Some(meaning) = legend.tables[index] else { continue };
            for cell in 0..table.cells.len() {
                let place = Place::Cell(TableId::new(index), cell);
                let name = format!("{}{}", table.name, legend.indices(TableId::new(index), cell));
                variables.push(Signal { name, meaning, place });
            }
        }
        let is_open = legend.started.is_some();
        let branches = legend.lints.iter().map(|lint| lint.span).collect();
        let (start, steps, opening) = (vec![], vec![], None);
        let mut trace =
            Trace { program, legend, variables, start, steps, opening, is_open, branches, loop_start: None };
        trace.start = trace.values(simulator);
        trace
    }

    /// The run on these inputs.
    pub fn of(program: &'p Program, legend: &'p Legend, inputs: &[Vec<i32>]) -> Trace<'p> {
        let mut simulator = Simulator::new(program).trace();
        let mut trace = Trace::new(program, legend, &simulator);
        for inputs in inputs {
            let step = simulator.step(inputs);
            trace.record(inputs, step, &simulator);
        }
        trace
    }

    /// The run to a property, without the inputs that make no difference to that.
    pub fn to(program: &'p Program, legend: &'p Legend, inputs: &[Vec<i32>], property: PropertyId) -> Trace<'p> {
        Trace::of(program, legend, inputs).leaving_out(inputs, Aim::Property(property))
    }

    /// The same run without the inputs that make no difference to the truth of atoms at its steps.
    pub fn without_idle_inputs(self, inputs: &[Vec<i32>]) -> Trace<'p> {
        self.leaving_out(inputs, Aim::Moments)
    }

    /// The same run without the inputs that make no difference.
    fn leaving_out(mut self, inputs: &[Vec<i32>], aim: Aim) -> Trace<'p> {
        if let Some(matters) = matters::inputs(self.program, self.legend, inputs, aim) {
            // The step that chooses the start is none of the others.
            let openings = inputs.len() - self.steps.len();
            for (step, matters) in self.steps.iter_mut().zip(matters.into_iter().skip(openings)) {
                step.matters = Some(matters);
            }
        }
        self
    }

    /// The same run, of which the steps behind the first `loop_start` are repeated for ever, if that is given.
    pub fn with_loop(self, loop_start: Option<usize>) -> Trace<'p> {
        Trace { loop_start, ..self }
    }

    fn values(&self, simulator: &Simulator<'p>) -> Vec<i32> {
        let value = |signal: &Signal| match signal.place {
            Place::Variable(variable) => simulator.state().variables[variable.index()],
            Place::Cell(table, cell) => simulator.cells(table)[cell],
        };
        self.variables.iter().map(value).collect()
    }

    /// Notes a step that the simulator has just made.
    pub fn record(&mut self, inputs: &[i32], step: Step, simulator: &Simulator<'p>) {
        let values = self.values(simulator);
        if std::mem::replace(&mut self.is_open, false) {
            self.start = values;
            self.opening = Some(inputs.to_vec());
            return;
        }
        let taken = step.rules.iter().copied().filter(|rule| self.branches.contains(&rule.span)).collect();
        let offending = match step.end {
            Some(End::Error(property, span)) => self.offending(property, span, inputs, simulator),
            _ => None,
        };
        self.steps.push(Logged { inputs: inputs.to_vec(), taken, values, offending, matters: None, step });
    }

    /// The value that violates a `range` or an `index`: the operand of the guard in front of the end.
    fn offending(&self, property: PropertyId, span: Span, inputs: &[i32], simulator: &Simulator<'p>) -> Option<i32> {
        let Program { stmts, exprs, .. } = self.program;
        let kind = self.program.property(property).kind;
        if !matches!(kind, PropertyKind::OutOfRange | PropertyKind::IndexOutOfBounds) {
            return None;
        }
        let ends = |arm: &Arm| match &self.program.stmt(arm.body).kind {
            StmtKind::Error(other) => *other == property && self.program.stmt(arm.body).span == span,
            _ => false,
        };
        let arms = stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Choice(arms) => Some(arms),
            _ => None,
        });
        let mut guards = arms.flatten().filter(|arm| ends(arm)).map(|arm| arm.guard);
        let mut guard = guards.find(|&guard| simulator.evaluate(guard, inputs) != 0)?;
        if let Expr::Binary(BinaryOp::Or, below, _) = exprs.get(guard) {
            guard = below;
        }
        let Expr::Binary(BinaryOp::Less, a, b) = exprs.get(guard) else { return None };
        let value = if exprs.as_int(b).is_some() { a } else { b };
        Some(simulator.evaluate(value, inputs))
    }

    /// Whether this is the place of a branch or an alternative.
    pub fn is_branch(&self, span: Span) -> bool {
        self.branches.contains(&span)
    }

    /// The inputs of a step that stand for something: `wanted` says which.
    pub fn inputs<'t>(
        &'t self,
        values: &'t [i32],
        wanted: impl Fn(&Role) -> bool + 't,
    ) -> impl Iterator<Item = (&'t str, Meaning, i32)> + 't {
        let inputs = self.program.inputs.iter().zip(&self.legend.inputs).zip(values);
        let wanted = inputs.filter(move |((_, role), _)| wanted(role));
        wanted.map(|((input, role), &value)| (input.name.as_str(), role.meaning(), value))
    }

    /// The variables that a step changed, with their values before and after.
    pub fn changes(&self, index: usize) -> impl Iterator<Item = (&Signal, i32, i32)> + '_ {
        let (before, after) = (self.before(index), &self.steps[index].values);
        self.changed(index).map(|place| (&self.variables[place], before[place], after[place]))
    }

    /// The places of the variables that a step changed.
    fn changed(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let pairs = self.before(index).iter().zip(&self.steps[index].values).enumerate();
        pairs.filter(|(_, (old, new))| old != new).map(|(place, _)| place)
    }

    /// The values of the variables before a step.
    fn before(&self, index: usize) -> &[i32] {
        index.checked_sub(1).map_or(&self.start, |last| &self.steps[last].values)
    }

    /// The text of an alternative, in one line.
    fn source(&self, span: Span) -> String {
        self.program.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The whole run, for programs that read it. The names are part of the interface.
    pub fn to_record(&self) -> record::Trace {
        let start = self.variables.iter().zip(&self.start);
        let start: Values =
            start.map(|(signal, &value)| (signal.name.clone(), self.json_value(signal.meaning, value))).collect();
        let steps = (0..self.steps.len()).map(|index| self.step_to_record(index)).collect();
        let opening = self.opening.as_deref().unwrap_or_default();
        let choices = self.json_inputs(opening, |role| matches!(role, Role::Start(_)));
        record::Trace { choices, start, steps, loop_start: self.loop_start }
    }

    fn json_inputs(&self, values: &[i32], wanted: fn(&Role) -> bool) -> Values {
        let inputs = self.inputs(values, wanted);
        inputs.map(|(name, meaning, value)| (name.to_string(), self.json_value(meaning, value))).collect()
    }

    fn step_to_record(&self, index: usize) -> record::TraceStep {
        let step = &self.steps[index];
        let map = |wanted| self.json_inputs(&step.inputs, wanted);
        let taken = step.taken.iter().map(|rule| {
            let mut place = json!({ "line": self.program.line(rule.span), "text": self.source(rule.span) });
            if let Some(round) = self.round(*rule) {
                place["round"] = json!(round);
            }
            place
        });
        let changes: Values = self
            .changes(index)
            .filter(|_| step.step.end.is_none())
            .map(|(signal, _, new)| (signal.name.clone(), self.json_value(signal.meaning, new)))
            .collect();
        let is_idle = |index: &usize| matches!(self.legend.inputs[*index], Role::Input(_)) && !step.is_shown(*index);
        let idle = (0..self.program.inputs.len()).filter(is_idle);
        record::TraceStep {
            time_ms: self.legend.cycle.map(|cycle| index as u64 * u64::from(cycle)),
            idle: idle.map(|index| self.program.inputs[index].name.clone()).collect(),
            changes,
            choices: map(|role| matches!(role, Role::Choice(_) | Role::Value(_))),
            inputs: map(|role| matches!(role, Role::Input(_))),
            taken: taken.collect(),
        }
    }

    fn json_value(&self, meaning: Meaning, value: i32) -> Json {
        match meaning {
            Meaning::Number | Meaning::Time => json!(value),
            Meaning::Truth => json!(value != 0),
            Meaning::Name(_) => json!(self.legend.value(meaning, value)),
        }
    }
}
