//! A run of a model as a log of the controller: the same data for text, JSON lines and waveforms.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

use redoubt::expr::{BinaryOp, Expr, TableId};
use redoubt::program::legend::{Legend, Meaning, Role};
use redoubt::program::{Arm, Program, PropertyId, PropertyKind, Scope, StmtKind};
use redoubt::record::{self, Values};
use redoubt::simulate::{End, Rule, Simulator, Step};
use redoubt::text::Span;
use serde_json::{Value as Json, json};

use super::matters;
use super::output::{count, width};

/// Fewer steps that are like the one before them are written like any others.
const FEW: usize = 4;

/// Before what continues the line above.
const INDENT: &str = "           ";

/// Writes a list behind its heading, on as many lines as it needs.
fn write_list(out: &mut impl Write, heading: &str, parts: &[String]) -> io::Result<()> {
    let width = width();
    let mut line = String::from(heading);
    for (place, part) in parts.iter().enumerate() {
        let part = if place + 1 < parts.len() { format!("{part}, ") } else { part.clone() };
        let is_full = line.chars().count() + part.trim_end().chars().count() > width;
        if place > 0 && is_full {
            writeln!(out, "{}", line.trim_end())?;
            line = INDENT.into();
        }
        line += &part;
    }
    writeln!(out, "{}", line.trim_end())
}

/// A variable, or a cell of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    pub name: String,
    pub meaning: Meaning,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Variable(usize),
    Cell(TableId, usize),
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
    /// What was reached, and how the run ended.
    pub step: Step,
}

impl<'p> Trace<'p> {
    /// Before the first step. If the start is open, the first step that is recorded chooses it.
    pub fn new(program: &'p Program, legend: &'p Legend, simulator: &Simulator<'p>) -> Trace<'p> {
        let mut variables = vec![];
        for (index, variable) in program.variables.iter().enumerate() {
            if let (Scope::Global, Some(meaning)) = (variable.scope, legend.variables[index]) {
                variables.push(Signal { name: variable.name.clone(), meaning, place: Place::Variable(index) });
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
        let mut trace = Trace::of(program, legend, inputs);
        if let Some(matters) = matters::inputs(program, legend, inputs, property) {
            // The step that chooses the start is none of the others.
            let openings = inputs.len() - trace.steps.len();
            for (step, matters) in trace.steps.iter_mut().zip(matters.into_iter().skip(openings)) {
                step.matters = Some(matters);
            }
        }
        trace
    }

    /// The same run, of which the steps behind the first so many are repeated for ever.
    pub fn with_loop(self, start: usize) -> Trace<'p> {
        Trace { loop_start: Some(start), ..self }
    }

    fn values(&self, simulator: &Simulator<'p>) -> Vec<i32> {
        let value = |signal: &Signal| match signal.place {
            Place::Variable(index) => simulator.state().variables[index],
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

    /// The value that a `range` or an `index` was violated with: what the guard in front of the end compares.
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
        let before = index.checked_sub(1).map_or(&self.start, |last| &self.steps[last].values);
        let pairs = before.iter().zip(&self.steps[index].values);
        let changed = self.variables.iter().zip(pairs).filter(|(_, (old, new))| old != new);
        changed.map(|(signal, (&old, &new))| (signal, old, new))
    }

    /// The text of an alternative, in one line.
    fn source(&self, span: Span) -> String {
        self.program.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The run; if it has more steps than `most`, only the first and the last of them.
    pub fn write(&self, out: &mut impl Write, most: usize) -> io::Result<()> {
        self.write_start(out)?;
        let all = self.steps.len();
        let is_long = all > most;
        let (first, last) = if is_long { (most / 3, most - most / 3) } else { (all, 0) };
        self.write_steps(out, 0..first, most)?;
        if is_long {
            writeln!(out, "  ...      {} more, which `--traces all` shows", count(all - first - last, "step"))?;
        }
        self.write_steps(out, all - last..all, most)?;
        match self.loop_start {
            Some(start) => self.write_again(out, start),
            None => Ok(()),
        }
    }

    /// The mark where a loop begins, and the one where it ends.
    pub fn write_loop(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "  loop     what follows is repeated for ever")
    }

    pub fn write_again(&self, out: &mut impl Write, start: usize) -> io::Result<()> {
        writeln!(out, "  again    as before step {}, and so on for ever", start + 1)
    }

    /// Some steps, with a mark where the loop begins.
    fn write_steps(&self, out: &mut impl Write, steps: Range<usize>, most: usize) -> io::Result<()> {
        match self.loop_start {
            Some(start) if steps.contains(&start) => {
                self.write_alike(out, steps.start..start, most)?;
                self.write_loop(out)?;
                self.write_alike(out, start..steps.end, most)
            }
            _ => self.write_alike(out, steps, most),
        }
    }

    /// Some steps; many in a row that are alike are written once, unless there is no limit to what is written.
    fn write_alike(&self, out: &mut impl Write, steps: Range<usize>, most: usize) -> io::Result<()> {
        let mut index = steps.start;
        while index < steps.end {
            self.write_step(out, index)?;
            let same = (index + 1..steps.end).take_while(|&next| self.is_same(index, next)).count();
            index += 1;
            if same >= FEW && most < usize::MAX {
                let last = index + same - 1;
                let changed = self.changes(index).map(|(signal, old, _)| {
                    let place = self.variables.iter().position(|other| other == signal);
                    let new = place.map_or(old, |place| self.steps[last].values[place]);
                    self.change(signal, old, new)
                });
                let changed: Vec<String> = changed.collect();
                writeln!(out, "  steps {} to {}: the same", index + 1, last + 1)?;
                if !changed.is_empty() {
                    write_list(out, INDENT, &changed)?;
                }
                index += same;
            }
        }
        Ok(())
    }

    /// Whether a step is like an earlier one: the same inputs and branches, and changes of the same variables.
    fn is_same(&self, index: usize, next: usize) -> bool {
        let (one, other) = (&self.steps[index], &self.steps[next]);
        let says_something = |step: &Logged| {
            let is_told = |(property, _): &(PropertyId, Span)| self.program.property(*property).kind.is_question();
            step.step.end.is_some() || step.step.reached.iter().any(is_told)
        };
        self.shown_inputs(one) == self.shown_inputs(other)
            && one.taken == other.taken
            && !says_something(one)
            && !says_something(other)
            && self.changes(index).map(|(signal, ..)| signal).eq(self.changes(next).map(|(signal, ..)| signal))
    }

    fn change(&self, signal: &Signal, old: i32, new: i32) -> String {
        let (old, new) = (self.legend.value(signal.meaning, old), self.legend.value(signal.meaning, new));
        format!("{}: {old} -> {new}", signal.name)
    }

    pub fn write_start(&self, out: &mut impl Write) -> io::Result<()> {
        let mut parts: Vec<String> = vec![];
        let mut arrays: Vec<(TableId, Vec<String>)> = vec![];
        for (signal, &value) in self.variables.iter().zip(&self.start) {
            let text = self.legend.value(signal.meaning, value);
            match (signal.place, arrays.last_mut()) {
                (Place::Variable(_), _) => parts.push(format!("{} = {text}", signal.name)),
                (Place::Cell(_, 1..), Some((_, cells))) => cells.push(text),
                (Place::Cell(table, _), _) => arrays.push((table, vec![text])),
            }
        }
        for (table, cells) in arrays {
            parts.push(format!("{} = {}", self.program.table(table).name, self.array(table, cells)));
        }
        write_list(out, "  start    ", &parts)
    }

    /// The inputs of a step, arrays as arrays.
    fn shown_inputs(&self, step: &Logged) -> Vec<String> {
        // By name, or by the name of their array: values, and those that matter with their own names.
        let mut shown: Vec<(String, Vec<String>, Vec<String>)> = vec![];
        let inputs = self.program.inputs.iter().zip(&self.legend.inputs).zip(&step.inputs).enumerate();
        for (index, ((input, role), &value)) in inputs {
            let Role::Input(meaning) = role else { continue };
            let name = input.name.as_str();
            let (value, base) = (self.legend.value(*meaning, value), name.split_once('[').map(|(base, _)| base));
            let is_shown = step.matters.as_ref().is_none_or(|matters| matters[index]);
            let alone = is_shown.then(|| format!("{name} = {value}"));
            match (shown.last_mut(), base) {
                (Some((last, cells, some)), Some(base)) if last == base => {
                    cells.push(value);
                    some.extend(alone);
                }
                (_, base) => shown.push((base.unwrap_or(name).into(), vec![value], alone.into_iter().collect())),
            }
        }
        let array = |name: &str| self.program.tables.iter().position(|table| table.name == name).map(TableId::new);
        let some = |(name, values, some): (String, Vec<String>, Vec<String>)| match array(&name) {
            Some(table) if self.program.table(table).cells.len() == values.len() && some.len() == values.len() => {
                vec![format!("{name} = {}", self.array(table, values))]
            }
            _ => some,
        };
        shown.into_iter().flat_map(some).collect()
    }

    /// The cells of an array as a list, or as a list of lists.
    fn array(&self, table: TableId, mut cells: Vec<String>) -> String {
        for &(_, size) in self.legend.dimensions[table.index()].iter().rev() {
            cells = cells.chunks(size).map(|row| format!("[{}]", row.join(", "))).collect();
        }
        cells.concat()
    }

    pub fn write_step(&self, out: &mut impl Write, index: usize) -> io::Result<()> {
        let step = &self.steps[index];
        write_list(out, &format!("  step {:<3} ", index + 1), &self.shown_inputs(step))?;
        // A branch in a loop may be taken several times in a row.
        for same in step.taken.chunk_by(|one, other| one.span == other.span) {
            let (span, times) = (same[0].span, self.times(same));
            writeln!(out, "           line {:<3} {}{times}", self.program.line(span), self.source(span))?;
        }
        if step.step.end.is_none() {
            let changes: Vec<String> =
                self.changes(index).map(|(signal, old, new)| self.change(signal, old, new)).collect();
            if !changes.is_empty() {
                write_list(out, INDENT, &changes)?;
            }
        }
        self.write_reached(out, &step.step, step.offending)
    }

    /// In which rounds of a loop a branch was taken, or how often.
    fn times(&self, same: &[Rule]) -> String {
        const MOST: usize = 4;
        let rounds: Vec<&str> = same.iter().filter_map(|rule| self.round(*rule)).collect();
        match (same.len(), rounds.as_slice()) {
            (1, []) => String::new(),
            (times, rounds) if rounds.len() < times => format!("  ({times} times)"),
            (times, [first, .., last]) if times > MOST => format!("  ({times} times, {first} to {last})"),
            (_, rounds) => format!("  ({})", rounds.join("; ")),
        }
    }

    /// The round of a loop that a branch belongs to.
    fn round(&self, rule: Rule) -> Option<&str> {
        self.legend.rounds.get(&rule.body).map(String::as_str)
    }

    fn write_reached(&self, out: &mut impl Write, step: &Step, offending: Option<i32>) -> io::Result<()> {
        for &(property, _) in &step.reached {
            let property = self.program.property(property);
            match property.kind {
                PropertyKind::Lint | PropertyKind::Atom => {}
                PropertyKind::Goal => writeln!(out, "           reached: {}", property.name)?,
                _ => writeln!(out, "           violated: {}", property.name)?,
            }
        }
        if let Some(End::Error(property, span)) = step.end {
            let name = &self.program.property(property).name;
            let with = offending.map_or(String::new(), |value| format!(", with {value}"));
            writeln!(out, "           line {:<3} the run ends: {name}{with}", self.program.line(span))?;
        }
        Ok(())
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

    fn step_to_record(&self, index: usize) -> record::Step {
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
        record::Step {
            changes,
            choices: map(|role| matches!(role, Role::Choice(_) | Role::Value(_))),
            inputs: map(|role| matches!(role, Role::Input(_))),
            taken: taken.collect(),
        }
    }

    fn json_value(&self, meaning: Meaning, value: i32) -> Json {
        match meaning {
            Meaning::Number => json!(value),
            Meaning::Truth => json!(value != 0),
            Meaning::Name(_) => json!(self.legend.value(meaning, value)),
        }
    }
}
