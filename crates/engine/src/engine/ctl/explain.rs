//! Reasons: from a formula that holds at a position to the runs that show it.
//!
//! "On some run" is shown by a run: of one step, up to where its promise is kept, or around a loop that sees all
//! signals of fairness. Where its positions matter because of formulas that ask for runs themselves, these have reasons of their own,
//! and so on: a tree. "On all runs" cannot be shown by runs, and is a leaf.
//!
//! The loop is found as in Clarke, Grumberg, McMillan and Zhao (DAC 1995): through all signals, and back if that is
//! possible; otherwise from where one is now, which is further down.

use redoubt_circuit::Circuit;

use super::{Checker, Formula, Path};
use crate::engine::bdd::diagrams::{Function, Stop};

/// A position of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The values of all latches.
    pub state: Vec<bool>,
    /// The inputs of the step from here.
    pub inputs: Vec<bool>,
}

/// A run, and why what matters about its positions is so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The first is the position in question; it is the only one if no run is needed.
    pub run: Vec<Position>,
    /// After the last position comes this one again, as far as the formula depends on latches.
    pub repeats_from: Option<usize>,
    /// A reason for what holds at a position of the run, by its number.
    pub because: Vec<(usize, Explanation)>,
}

impl Explanation {
    fn leaf(position: Position) -> Explanation {
        Explanation { run: vec![position], repeats_from: None, because: Vec::new() }
    }
}

/// Whether a formula, as it stands or negated, asks for a run somewhere.
fn has_runs(formula: &Formula, negated: bool) -> bool {
    match formula {
        Formula::Atom(_) => false,
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

impl Checker<'_> {
    /// Why a formula holds at a position, where it does.
    pub fn explain(&mut self, formula: &Formula, at: Position) -> Result<Explanation, Stop> {
        self.reason(formula, false, at)
    }

    fn reason(&mut self, formula: &Formula, negated: bool, at: Position) -> Result<Explanation, Stop> {
        match formula {
            Formula::Not(inner) => self.reason(inner, !negated, at),
            Formula::And(a, b) | Formula::Or(a, b) => {
                let mut because = Vec::new();
                for part in [a, b] {
                    if has_runs(part, negated) && self.holds(part, negated, &at)? {
                        because.push((0, self.reason(part, negated, at.clone())?));
                    }
                }
                Ok(Explanation { run: vec![at], repeats_from: None, because })
            }
            Formula::Exists(path) if !negated => self.run(path, false, at),
            Formula::All(path) if negated => match path {
                Path::Next(_) => self.run(path, true, at),
                Path::Finally(inner) => self.run(&Path::Globally(inner.clone()), true, at),
                Path::Globally(inner) => self.run(&Path::Finally(inner.clone()), true, at),
                Path::Until(a, b) => {
                    let neither = Formula::And(Box::new(a.clone().negated()), Box::new(b.clone().negated()));
                    let broken = Path::Until(Box::new(b.clone().negated()), Box::new(neither));
                    let is_broken = self.holds(&Formula::Exists(broken.clone()), false, &at)?;
                    self.run(&if is_broken { broken } else { Path::Globally(b.clone()) }, !is_broken, at)
                }
            },
            Formula::Atom(_) | Formula::Exists(_) | Formula::All(_) => Ok(Explanation::leaf(at)),
        }
    }

    fn holds(&mut self, formula: &Formula, negated: bool, at: &Position) -> Result<bool, Stop> {
        let function = self.operand(formula, negated)?;
        self.contains(function, at)
    }

    fn contains(&mut self, positions: Function, at: &Position) -> Result<bool, Stop> {
        let here = self.model.position(&at.state, &at.inputs)?;
        Ok(self.model.diagrams.and(here, positions)? != Function::FALSE)
    }

    /// A run from a position that is like this, or with its operand negated.
    fn run(&mut self, path: &Path, negated: bool, at: Position) -> Result<Explanation, Stop> {
        let (run, repeats_from) = match path {
            Path::Next(inner) => {
                let target = self.operand(inner, negated)?;
                let next = self.step(&at, target)?;
                (vec![at, next], None)
            }
            Path::Finally(inner) => {
                let target = self.operand(inner, negated)?;
                (self.way(at, Function::TRUE, target)?, None)
            }
            Path::Until(a, b) => {
                let (within, target) = self.evaluate_both(a, b)?;
                (self.way(at, within, target)?, None)
            }
            Path::Globally(inner) => {
                let within = self.operand(inner, negated)?;
                let (run, first) = self.lasso(at, within)?;
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
                because.push((index, self.reason(formula, negated, position.clone())?));
            }
        }
        Ok(Explanation { run, repeats_from, because })
    }

    /// The next position, with inputs that make it one of a set.
    fn step(&mut self, at: &Position, target: Function) -> Result<Position, Stop> {
        let state = successor(self.circuit, at);
        let here = self.model.state(&state)?;
        let target = self.model.diagrams.and(target, self.fair)?;
        let choice = self.model.diagrams.and(here, target)?;
        let (_, inputs) = self.model.pick(choice).expect("the set contains a successor");
        Ok(Position { state, inputs })
    }

    /// A shortest run from a position to a set, within another.
    fn way(&mut self, from: Position, within: Function, target: Function) -> Result<Vec<Position>, Stop> {
        let (_, rings) = self.until(within, target)?;
        self.needed.extend(&rings);
        let mut distance = 0;
        while !self.contains(rings[distance], &from)? {
            distance += 1;
        }
        let mut run = vec![from];
        for &ring in rings[..distance].iter().rev() {
            let next = self.step(&run[run.len() - 1], ring)?;
            run.push(next);
        }
        self.needed.truncate(self.needed.len() - rings.len());
        Ok(run)
    }

    /// A fair run from a position that stays in a set, and where it begins to repeat.
    fn lasso(&mut self, from: Position, within: Function) -> Result<(Vec<Position>, usize), Stop> {
        let staying = self.globally(within)?;
        self.needed.push(staying);
        let mut run = vec![from];
        let lasso = loop {
            let first = run.len() - 1;
            for signal in self.fairness.clone() {
                let target = self.model.diagrams.and(staying, signal)?;
                let last = run.pop().expect("a run has a position");
                run.extend(self.way(last, staying, target)?);
            }
            // One step at least, and then back to where the round began, if there is a way.
            let start = self.model.position(&run[first].state, &run[first].inputs)?;
            let (returning, _) = self.until(staying, start)?;
            let before = self.model.positions_before(returning)?;
            let last = run[run.len() - 1].clone();
            if self.contains(before, &last)? {
                let next = self.step(&last, returning)?;
                let start = self.model.position(&run[first].state, &run[first].inputs)?;
                let back = self.way(next, staying, start)?;
                run.extend_from_slice(&back[..back.len() - 1]);
                break (run, first);
            }
            let next = self.step(&last, staying)?;
            run.push(next);
        };
        self.needed.pop();
        Ok(lasso)
    }
}
