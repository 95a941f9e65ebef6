//! Runs of relational models as people read them: states with the values of variables, and inputs between them.

use std::fmt::Write;

use redoubt_driver::relational::Execution;
use redoubt_report::record::{self, TraceStep};
use redoubt_smv::ast::Storage;
use redoubt_smv::model::{Model, Signal};
use redoubt_words::{NodeId, Value};
use serde_json::Value as Json;

/// A run with the values of all variables and definitions.
pub struct Shown<'m> {
    signals: Vec<&'m Signal>,
    /// By position and signal.
    values: Vec<Vec<String>>,
    repeats_from: Option<usize>,
}

/// More values are not shown in a line.
const MOST_VALUES: usize = 12;

impl<'m> Shown<'m> {
    pub fn of(model: &'m Model, run: &Execution) -> Shown<'m> {
        let signals: Vec<&Signal> = model.signals.iter().collect();
        let nodes: Vec<NodeId> = signals.iter().map(|signal| signal.node).collect();
        let show = |(value, signal): (&Value, &&Signal)| match value {
            Value::Bits(bits) => signal.domain.show(bits),
            Value::Array(array) => {
                let cells = array
                    .nonzero()
                    .map(|(index, value)| format!("[{}] = {}", index.to_u64().unwrap_or(0), signal.domain.show(value)));
                format!("{{{}}}", cells.collect::<Vec<_>>().join(", "))
            }
        };
        let values = run.values(model, &nodes).map_or(vec![], |values| values.of);
        let values = values.iter().map(|row| row.iter().zip(&signals).map(show).collect()).collect();
        Shown { signals, values, repeats_from: run.repeats_from }
    }

    fn of_kind(&self, is_input: bool) -> impl Iterator<Item = usize> + '_ {
        let fits = move |index: &usize| (self.signals[*index].storage == Some(Storage::Input)) == is_input;
        (0..self.signals.len()).filter(fits)
    }

    /// The values that changed at a position; all of them at the first one.
    fn changes(&self, position: usize) -> Vec<usize> {
        let is_new = |&index: &usize| {
            position == 0 && self.signals[index].storage.is_some()
                || position > 0 && self.values[position][index] != self.values[position - 1][index]
        };
        self.of_kind(false).filter(is_new).collect()
    }

    /// A state in one line.
    pub fn last_state(&self) -> String {
        let Some(last) = self.values.last() else { return String::new() };
        let variables = self.of_kind(false).filter(|&index| self.signals[index].storage.is_some());
        let mut parts: Vec<String> =
            variables.map(|index| format!("{} = {}", self.signals[index].name, last[index])).collect();
        if parts.len() > MOST_VALUES {
            parts.truncate(MOST_VALUES);
            parts.push("...".into());
        }
        parts.join(", ")
    }

    /// For people: a line for each step, with what changed.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for position in 0..self.values.len() {
            if self.repeats_from == Some(position) {
                text += "  from here on again and again:\n";
            }
            if position > 0 {
                let inputs: Vec<String> = self.of_kind(true).map(|index| self.pair(position - 1, index)).collect();
                if !inputs.is_empty() {
                    // Writing to a string does not fail.
                    let _ = writeln!(text, "  input    {}", inputs.join(", "));
                }
            }
            let changes: Vec<String> =
                self.changes(position).into_iter().map(|index| self.pair(position, index)).collect();
            let _ = writeln!(text, "  state {:<3}{}", position + 1, wrapped(&changes));
        }
        if let (Some(start), Some(last)) = (self.repeats_from, self.values.len().checked_sub(1)) {
            let inputs: Vec<String> = self.of_kind(true).map(|index| self.pair(last, index)).collect();
            if !inputs.is_empty() {
                let _ = writeln!(text, "  input    {}", inputs.join(", "));
            }
            let _ = writeln!(text, "  and back to state {}", start + 1);
        }
        text
    }

    fn differs(&self, position: usize, other: usize, index: usize) -> bool {
        self.values[position][index] != self.values[other][index]
    }

    fn pair(&self, position: usize, index: usize) -> String {
        format!("{} = {}", self.signals[index].name, self.values[position][index])
    }

    /// For programs.
    pub fn to_record(&self) -> record::Trace {
        let pairs = |position: usize, indices: Vec<usize>| -> record::Values {
            indices
                .into_iter()
                .map(|index| (self.signals[index].name.clone(), Json::String(self.values[position][index].clone())))
                .collect()
        };
        let step = |position: usize| TraceStep {
            changes: pairs(position, self.changes(position)),
            inputs: pairs(position - 1, self.of_kind(true).collect()),
            ..TraceStep::default()
        };
        let last = self.values.len().saturating_sub(1);
        // The step that closes the loop.
        let closing = self.repeats_from.map(|start| TraceStep {
            changes: pairs(start, self.of_kind(false).filter(|&index| self.differs(start, last, index)).collect()),
            inputs: pairs(last, self.of_kind(true).collect()),
            ..TraceStep::default()
        });
        let start = if self.values.is_empty() { record::Values::default() } else { pairs(0, self.changes(0)) };
        record::Trace {
            start,
            steps: (1..self.values.len()).map(step).chain(closing).collect(),
            loop_start: self.repeats_from,
            ..record::Trace::default()
        }
    }
}

/// Parts with commas between them; lines after the first are indented.
fn wrapped(parts: &[String]) -> String {
    const WIDTH: usize = 100;
    let mut text = String::new();
    let mut width = 0;
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            text += ",";
            if width + part.len() > WIDTH {
                text += "\n          ";
                width = 0;
            }
            text += " ";
        }
        text += part;
        width += part.len() + 2;
    }
    text
}
