//! Records of the steps of a box: their output, their ends, and whether they may change the state.

use redoubt_program::program::{PropertyId, Scope};

use super::cover::Covered;
use super::kept::read_first;
use super::prove::Goal;
use super::sources::SourceId;
use super::{Executor, Move, Stop};

impl Executor<'_, '_> {
    /// Notes where a path ends, unless nothing gets there.
    pub fn record(&mut self, goal: Goal) {
        if self.records.is_none() || !matches!(goal, Goal::Covered) || self.is_nothing_there() {
            return;
        }
        let Covered::Yes(target) = self.cover.covers(&self.path) else { return };
        let inputs = self.sources.inputs().filter_map(|input| self.first_number(input)).collect();
        let written = self.path.written().clone();
        // Whatever prints is part of a run anyway.
        let changes = written.complains && written.output.trim().is_empty() && !self.keeps_state();
        if let Some(records) = &mut self.records {
            records.insert(Move { inputs, written, changes, target });
        }
    }

    /// Notes that a path may end the run, unless nothing gets there.
    pub fn record_end(&mut self, property: Option<PropertyId>) {
        if self.records.is_some() && !self.is_nothing_there() {
            let inputs = self.sources.inputs().map(|input| self.first_number(input)).collect();
            self.ends.insert(Stop { inputs, written: self.path.written().clone(), property });
        }
    }

    fn first_number(&self, input: SourceId) -> Option<i32> {
        self.path.values(self.path.first(input)).single()
    }

    /// The variables by which it can be seen that a step leaves the state alone. Tables have no versions.
    pub fn kept_by_complaints(&self) -> Option<Vec<SourceId>> {
        let program = self.program;
        let read = read_first(program);
        let is_kept = |&index: &usize| {
            let is_global = program.variables[index].scope == Scope::Global;
            is_global && read[index] && self.relevant[index]
        };
        let kept = (0..program.variables.len()).filter(is_kept).map(SourceId::new).collect();
        (!program.tables.iter().any(|table| table.written)).then_some(kept)
    }

    /// Whether the state at the end of the path is the one from which it began.
    fn keeps_state(&self) -> bool {
        let keeps = |&source: &SourceId| {
            let (first, last) = (self.path.first(source), self.path.current(source));
            let number = |version| self.path.values(version).single();
            first == last || number(first).is_some() && number(first) == number(last)
        };
        self.kept.as_ref().is_some_and(|kept| kept.iter().all(keeps))
    }
}
