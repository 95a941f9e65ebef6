//! The variable by which a part had better be divided, so that it is known whether its states take a path.

use super::{Ground, MOST_CELLS, Walk};
use crate::analysis::Values;
use crate::expr::{ExprId, VarId};

impl Walk<'_, '_> {
    /// The variable by which the part had better be divided, so that it is known whether a guard holds: one of whose
    /// cells, each by itself, more decide it.
    pub(super) fn reason(&mut self, guard: ExprId) -> Option<usize> {
        let program = self.ground.program;
        let mut wanted: Vec<VarId> = program.exprs.variables(guard).into_iter().collect();
        let mut steps = vec![];
        for &(variable, value) in self.trace.iter().rev() {
            if let Some(place) = wanted.iter().position(|&one| one == variable) {
                wanted.swap_remove(place);
                for read in program.exprs.variables(value) {
                    if !wanted.contains(&read) {
                        wanted.push(read);
                    }
                }
                steps.push((variable, value));
            }
        }
        steps.reverse();
        let mark = self.ground.env.mark();
        let mut places: Vec<usize> =
            wanted.iter().filter_map(|&variable| self.ground.state.position(variable)).collect();
        places.sort_unstable();
        for &place in &places {
            self.ground.env.set(self.ground.state.variables[place], self.part.values[place].clone());
        }
        let mut best: Option<(f64, usize, usize)> = None;
        for place in places {
            let values = &self.part.values[place];
            let cells: Vec<_> = self.ground.state.cells_of(place, values).take(MOST_CELLS + 1).collect();
            if cells.len() < 2 || cells.len() > MOST_CELLS || self.tree.asked(self.part.node).contains(&place) {
                continue;
            }
            let mut open = 0;
            for &(low, high) in &cells {
                let here = self.ground.env.mark();
                self.ground.env.set(self.ground.state.variables[place], values.within(low, high));
                open += usize::from(self.is_open(&steps, guard));
                self.ground.env.undo(here);
            }
            let candidate = (open as f64 / cells.len() as f64, cells.len(), place);
            if open < cells.len() && best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        self.ground.env.undo(mark);
        best.map(|(_, _, place)| place)
    }

    /// The variable by which the part had better be divided if the results of the path that ends here scatter over
    /// several parts: in a machine it would be one. So states of several have come together, and not all of them take
    /// the path: one of the variables that its guards asked for tells which.
    pub(super) fn mixture(&self) -> Option<usize> {
        let Ground { state, env, program, .. } = &*self.ground;
        let asked = self.tree.asked(self.part.node);
        let cells =
            |position: usize| state.cells_of(position, &self.part.values[position]).take(MOST_CELLS + 1).count();
        let tellers =
            self.narrowed.iter().filter(|position| !asked.contains(position) && !state.is_counter[**position]);
        let tellers = tellers.map(|&position| (cells(position), position));
        let (_, teller) = tellers.filter(|(cells, _)| (2..=MOST_CELLS).contains(cells)).min()?;
        let is_computed = |position: usize| {
            let variable = state.variables[position];
            let last = self.trace.iter().rfind(|(assigned, _)| *assigned == variable);
            last.is_some_and(|&(_, value)| program.exprs.as_int(value).is_none())
        };
        let values: Vec<&Values> = state.variables.iter().map(|&variable| env.get(variable)).collect();
        self.tree.scatters(state, &values, &is_computed).then_some(teller)
    }

    /// Whether a guard may hold and may fail after some assignments.
    fn is_open(&mut self, steps: &[(VarId, ExprId)], guard: ExprId) -> bool {
        let mark = self.ground.env.mark();
        for &(variable, value) in steps {
            let values = self.ground.env.evaluate(value);
            self.ground.env.set(variable, values);
        }
        let (holds, fails) = (self.test(guard, true), self.test(guard, false));
        let is_open = self.may_hold(holds) && self.may_hold(fails);
        self.ground.env.undo(mark);
        is_open
    }
}
