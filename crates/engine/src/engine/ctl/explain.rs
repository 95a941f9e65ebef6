//! Reasons: from a formula that holds at a position to the runs that show it.
//!
//! "On some run" is shown by a run: of one step, up to where its promise is kept, or around a loop that sees all
//! signals of fairness. Where its positions matter because of formulas that ask for runs themselves, these have reasons of their own,
//! and so on: a tree. "On all runs" cannot be shown by runs, and is a leaf.
//!
//! The loop is found as in Clarke, Grumberg, McMillan and Zhao (DAC 1995): through all signals, and back if that is
//! possible; otherwise from where one is now, which is further down.

use redoubt_base::stack::grow;
use redoubt_circuit::Circuit;
use redoubt_formula::Tree;

use super::{Checker, Formula, Path};
use crate::engine::bdd::diagrams::{Function, Stop};

/// A judge of where a formula holds, with runs to show.
pub trait Judge {
    /// Why there is no answer.
    type Stop;

    /// Whether a formula, as it stands or negated, holds at a position.
    fn holds(&mut self, formula: &Formula, negated: bool, at: &Position) -> Result<bool, Self::Stop>;

    /// A step from a position to where a formula holds: both positions.
    fn step(&mut self, at: Position, inner: &Formula, negated: bool) -> Result<Vec<Position>, Self::Stop>;

    /// A run from a position to where a formula holds, within another one.
    fn way(
        &mut self,
        from: Position,
        within: Option<&Formula>,
        target: &Formula,
        negated: bool,
    ) -> Result<Vec<Position>, Self::Stop>;

    /// A fair run from a position on which a formula holds, and where it begins to repeat.
    fn lasso(&mut self, from: Position, within: &Formula, negated: bool) -> Result<(Vec<Position>, usize), Self::Stop>;
}

/// A position of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The values of all latches.
    pub state: Vec<bool>,
    /// The inputs of the step from here.
    pub inputs: Vec<bool>,
}

/// Runs of the circuit; loops close as far as the formula depends on latches.
pub type Explanation = Tree<Position>;

/// Whether a formula, as it stands or negated, asks for a run somewhere.
fn has_runs(formula: &Formula, negated: bool) -> bool {
    match formula {
        Formula::Constant(_) | Formula::Atom(_) => false,
        Formula::Not(inner) => has_runs(inner, !negated),
        Formula::And(a, b) | Formula::Or(a, b) => has_runs(a, negated) || has_runs(b, negated),
        Formula::Exists(_) => !negated,
        Formula::All(_) => negated,
    }
}

/// The state after a step.
fn successor(circuit: &Circuit, position: &Position) -> Vec<bool> {
    let mut leaves = vec![false; circuit.gates.nodes().len()];
    let states = circuit.latches.iter().map(|latch| latch.signal).zip(&position.state);
    let inputs = circuit.inputs.iter().map(|input| input.signal).zip(&position.inputs);
    states.chain(inputs).for_each(|(signal, &value)| leaves[signal.node()] = value);
    let values = circuit.gates.evaluate(|node| if leaves[node] { !0 } else { 0 });
    circuit.latches.iter().map(|latch| values.bit(latch.next)).collect()
}

/// Why a formula holds at a position, where it does.
pub fn explain<J: Judge>(judge: &mut J, formula: &Formula, at: Position) -> Result<Explanation, J::Stop> {
    reason(judge, formula, false, at)
}

fn reason<J: Judge>(judge: &mut J, formula: &Formula, negated: bool, at: Position) -> Result<Explanation, J::Stop> {
    grow(|| match formula {
        Formula::Not(inner) => reason(judge, inner, !negated, at),
        Formula::And(a, b) | Formula::Or(a, b) => {
            let mut because = Vec::new();
            for part in [a, b] {
                if has_runs(part, negated) && judge.holds(part, negated, &at)? {
                    because.push((0, reason(judge, part, negated, at.clone())?));
                }
            }
            Ok(Explanation { run: vec![at], repeats_from: None, because })
        }
        Formula::Exists(path) if !negated => run(judge, path, false, at),
        Formula::All(path) if negated => match path {
            Path::Next(_) => run(judge, path, true, at),
            Path::Finally(inner) => run(judge, &Path::Globally(inner.clone()), true, at),
            Path::Globally(inner) => run(judge, &Path::Finally(inner.clone()), true, at),
            Path::Until(a, b) => {
                let neither = a.as_ref().clone().negated().and(b.as_ref().clone().negated());
                let broken = Path::Until(Box::new(b.as_ref().clone().negated()), Box::new(neither));
                let is_broken = judge.holds(&Formula::Exists(broken.clone()), false, &at)?;
                run(judge, &if is_broken { broken } else { Path::Globally(b.clone()) }, !is_broken, at)
            }
        },
        Formula::Constant(_) | Formula::Atom(_) | Formula::Exists(_) | Formula::All(_) => Ok(Explanation::leaf(at)),
    })
}

/// A run from a position that is like this, or with its operand negated.
fn run<J: Judge>(judge: &mut J, path: &Path, negated: bool, at: Position) -> Result<Explanation, J::Stop> {
    let (run, repeats_from) = match path {
        Path::Next(inner) => (judge.step(at, inner, negated)?, None),
        Path::Finally(inner) => (judge.way(at, None, inner, negated)?, None),
        Path::Until(a, b) => (judge.way(at, Some(a), b, false)?, None),
        Path::Globally(inner) => {
            let (run, first) = judge.lasso(at, inner, negated)?;
            (run, Some(first))
        }
    };
    let mut because = Vec::new();
    for (index, position) in run.iter().enumerate() {
        let is_last = index + 1 == run.len();
        let here: Option<(&Formula, bool)> = match path {
            Path::Next(inner) | Path::Finally(inner) => is_last.then_some((inner, negated)),
            Path::Globally(inner) => Some((inner, negated)),
            Path::Until(a, b) => Some((if is_last { b } else { a }, false)),
        };
        if let Some((formula, negated)) = here.filter(|&(formula, negated)| has_runs(formula, negated)) {
            because.push((index, reason(judge, formula, negated, position.clone())?));
        }
    }
    Ok(Explanation { run, repeats_from, because })
}

impl Judge for Checker<'_> {
    type Stop = Stop;

    fn holds(&mut self, formula: &Formula, negated: bool, at: &Position) -> Result<bool, Stop> {
        let function = self.operand(formula, negated)?;
        self.contains(function, at)
    }

    fn step(&mut self, at: Position, inner: &Formula, negated: bool) -> Result<Vec<Position>, Stop> {
        let target = self.operand(inner, negated)?;
        let next = self.step_into(&at, target)?;
        Ok(vec![at, next])
    }

    fn way(
        &mut self,
        from: Position,
        within: Option<&Formula>,
        target: &Formula,
        negated: bool,
    ) -> Result<Vec<Position>, Stop> {
        let within = match within {
            Some(formula) => self.evaluate(formula)?,
            None => Function::TRUE,
        };
        self.needed.push(within);
        let target = self.operand(target, negated);
        self.needed.pop();
        self.way_within(from, within, target?)
    }

    fn lasso(&mut self, from: Position, within: &Formula, negated: bool) -> Result<(Vec<Position>, usize), Stop> {
        let within = self.operand(within, negated)?;
        self.lasso_within(from, within)
    }
}

impl Checker<'_> {
    fn contains(&mut self, positions: Function, at: &Position) -> Result<bool, Stop> {
        let here = self.model.position(&at.state, &at.inputs)?;
        Ok(self.model.diagrams.and(here, positions)? != Function::FALSE)
    }

    /// The next position, with inputs that make it one of a set.
    fn step_into(&mut self, at: &Position, target: Function) -> Result<Position, Stop> {
        let state = successor(self.circuit, at);
        let here = self.model.state(&state)?;
        let target = self.model.diagrams.and(target, self.fair)?;
        let choice = self.model.diagrams.and(here, target)?;
        let (_, inputs) = self.model.pick(choice).expect("the set contains a successor");
        Ok(Position { state, inputs })
    }

    /// A shortest run from a position to a set, within another.
    fn way_within(&mut self, from: Position, within: Function, target: Function) -> Result<Vec<Position>, Stop> {
        let (_, rings) = self.until(within, target)?;
        self.needed.extend(&rings);
        let mut distance = 0;
        while !self.contains(rings[distance], &from)? {
            distance += 1;
        }
        let mut run = vec![from];
        for &ring in rings[..distance].iter().rev() {
            let next = self.step_into(&run[run.len() - 1], ring)?;
            run.push(next);
        }
        self.needed.truncate(self.needed.len() - rings.len());
        Ok(run)
    }

    /// A fair run from a position that stays in a set, and where it begins to repeat.
    fn lasso_within(&mut self, from: Position, within: Function) -> Result<(Vec<Position>, usize), Stop> {
        let staying = self.globally(within)?;
        self.needed.push(staying);
        let mut run = vec![from];
        let lasso = loop {
            let first = run.len() - 1;
            for signal in self.fairness.clone() {
                let target = self.model.diagrams.and(staying, signal)?;
                let last = run.pop().expect("a run has a position");
                run.extend(self.way_within(last, staying, target)?);
            }
            // One step at least, and then back to where the round began, if there is a way.
            let start = self.model.position(&run[first].state, &run[first].inputs)?;
            let (returning, _) = self.until(staying, start)?;
            let before = self.model.positions_before(returning)?;
            let last = run[run.len() - 1].clone();
            if self.contains(before, &last)? {
                let next = self.step_into(&last, returning)?;
                let start = self.model.position(&run[first].state, &run[first].inputs)?;
                let back = self.way_within(next, staying, start)?;
                run.extend_from_slice(&back[..back.len() - 1]);
                break (run, first);
            }
            let next = self.step_into(&last, staying)?;
            run.push(next);
        };
        self.needed.pop();
        Ok(lasso)
    }
}
