//! Reasons, from sets: an entry of a set has the inputs with which a run goes on.

use redoubt_formula::basis::Id;

use super::{Interrupted, Search};
use crate::engine::ctl::Formula;
use crate::engine::ctl::explain::{Judge, Position};

impl Search {
    fn operand(&mut self, formula: &Formula, negated: bool) -> Id {
        let part = self.nodes.basis.number(formula);
        if negated { self.nodes.basis.not(part) } else { part }
    }

    /// The step that the first entry with a state has; `None` if nothing is left to show.
    fn way_on(&mut self, part: Id, state: &[bool]) -> Option<Vec<bool>> {
        let Search { nodes, structure, .. } = self;
        let entry = nodes.known(part).entries.iter().find(|entry| structure.is_true(entry.states, state));
        entry.expect("a state at which it is known to hold").inputs.clone()
    }

    /// Decides a part that holds at a state, so that there are entries to walk along.
    fn confirm(&mut self, part: Id, state: &[bool]) -> Result<(), Interrupted> {
        let holds = self.decide(state, part)?;
        assert!(holds, "only what holds has a reason");
        Ok(())
    }
}

impl Judge for Search {
    type Stop = Interrupted;

    fn holds(&mut self, formula: &Formula, negated: bool, at: &Position) -> Result<bool, Interrupted> {
        let (part, state) = (self.operand(formula, negated), self.structure.state(at));
        self.decide(&state, part)
    }

    fn step(&mut self, at: Position, inner: &Formula, negated: bool) -> Result<Vec<Position>, Interrupted> {
        let operand = self.operand(inner, negated);
        let (part, state) = (self.nodes.basis.next(operand), self.structure.state(&at));
        self.confirm(part, &state)?;
        let inputs = self.way_on(part, &state).expect("a step");
        let after = self.structure.successor(&state, &inputs);
        Ok(vec![self.structure.position(&state, Some(&inputs)), self.structure.position(&after, None)])
    }

    fn way(
        &mut self,
        from: Position,
        within: Option<&Formula>,
        target: &Formula,
        negated: bool,
    ) -> Result<Vec<Position>, Interrupted> {
        let within = match within {
            Some(formula) => self.nodes.basis.number(formula),
            None => self.nodes.basis.always(),
        };
        let target = self.operand(target, negated);
        let (part, mut state) = (self.nodes.basis.until(within, target), self.structure.state(&from));
        self.confirm(part, &state)?;
        let mut run = vec![];
        while let Some(inputs) = self.way_on(part, &state) {
            run.push(self.structure.position(&state, Some(&inputs)));
            state = self.structure.successor(&state, &inputs);
        }
        run.push(self.structure.position(&state, None));
        Ok(run)
    }

    fn lasso(
        &mut self,
        from: Position,
        within: &Formula,
        negated: bool,
    ) -> Result<(Vec<Position>, usize), Interrupted> {
        let operand = self.operand(within, negated);
        let (part, mut state) = (self.nodes.basis.globally(operand), self.structure.state(&from));
        self.confirm(part, &state)?;
        let (mut run, mut seen) = (vec![], vec![]);
        loop {
            let literals = self.structure.literals(&state);
            if let Some(first) = seen.iter().position(|earlier| *earlier == literals) {
                return Ok((run, first));
            }
            seen.push(literals);
            let inputs = self.way_on(part, &state).expect("a step");
            run.push(self.structure.position(&state, Some(&inputs)));
            state = self.structure.successor(&state, &inputs);
        }
    }
}
