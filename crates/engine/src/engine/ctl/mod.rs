//! Branching time: formulas of CTL about a circuit (Clarke and Emerson 1981), by decision diagrams, under fairness
//! (Emerson and Lei 1986).
//!
//! A formula speaks of the *positions* of runs, a state with the inputs of its step, so that it may be about inputs, too.
//! Runs are infinite here: constraints hold at every position, no step stops, and each signal of fairness is true infinitely
//! often. A position at which no such run begins has none to speak of, and does not count. A circuit satisfies a formula
//! if all positions do that have a reset state and count.
//!
//! All operators come down to three fixpoints ([`Checker::evaluate`]):
//!
//! ```text
//! EX f          pre(f and fair)
//! E[f U g]      least Z:     g and fair   or   f and pre(Z)
//! EG f          greatest Z:  f and, for each signal s of fairness, pre(E[f U (Z and s)])
//! ```
//!
//! The reason why a formula is false, or true, is a tree of runs as far as its operators ask for runs at all
//! ([`explain`]).

pub mod explain;
pub mod incremental;
#[cfg(test)]
mod tests;

use std::time::Duration;

use redoubt_base::Limits;
use redoubt_circuit::{Circuit, Signal};
use redoubt_formula::branching::{self, Branching};

use super::bdd::diagrams::{Bounds, Function, Stop};
use super::bdd::model::{Model, Order};
use explain::Explanation;

/// A formula whose atoms are signals of the circuit.
pub type Formula = Branching<Signal>;
pub type Path = branching::Path<Signal>;

/// The verdict on a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CtlVerdict {
    Holds,
    /// At a first position, for this reason.
    Violated(Explanation),
    /// Interrupted, or the diagrams did not fit.
    Open,
}

/// The engine that decided a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Diagrams,
    Induction,
}

impl By {
    pub fn name(self) -> &'static str {
        match self {
            By::Diagrams => "bdd",
            By::Induction => "iictl",
        }
    }
}

/// Nodes and steps in the first attempt of diagrams, the first of which take some 20 megabytes and seconds, and nodes in the last.
const FEWEST_NODES: usize = 1 << 18;
const FEWEST_STEPS: u64 = 1 << 22;
const MOST_NODES: usize = 1 << 24;
/// Why a formula is open if nothing else ended the work.
pub const TOO_LARGE: &str = "the diagrams became too large";
/// For [`incremental`] in the first round; in the last it has all the time that there is.
const FIRST_TURN: Duration = Duration::from_secs(4);

/// Decides a formula about a circuit, under fairness: by diagrams where they stay small, otherwise by induction, in turns.
pub fn check(circuit: &Circuit, formula: &Formula, fairness: &[Signal], limits: &Limits) -> (CtlVerdict, By) {
    let (mut nodes, mut steps, mut turn) = (FEWEST_NODES, FEWEST_STEPS, FIRST_TURN);
    while nodes <= MOST_NODES && !limits.interrupt.is_raised() {
        let is_last = nodes * 8 > MOST_NODES;
        for order in Order::ALL {
            let bounds = Bounds { nodes, steps: if is_last { u64::MAX } else { steps } };
            let decided = Checker::new(circuit, &[formula], fairness, order, bounds, limits)
                .and_then(|mut checker| checker.decide(formula));
            if let Ok(verdict) = decided {
                return (verdict, By::Diagrams);
            }
        }
        // Fairness is for diagrams.
        if fairness.is_empty() {
            let limits = if is_last { limits.clone() } else { within(limits, turn) };
            let (verdict, _) = incremental::check(circuit, formula, &limits);
            if verdict != CtlVerdict::Open {
                return (verdict, By::Induction);
            }
        }
        (nodes, steps, turn) = (nodes * 8, steps * 8, turn * 4);
    }
    (CtlVerdict::Open, By::Diagrams)
}

/// Limits that end after `time` at the latest.
fn within(limits: &Limits, time: Duration) -> Limits {
    let mut limits = limits.clone();
    let (now, deadline) = (limits.interrupt.elapsed(), limits.interrupt.deadline());
    limits.interrupt = limits.interrupt.narrowed();
    limits.interrupt.set_deadline(Some(deadline.map_or(now + time, |deadline| deadline.min(now + time))));
    limits
}

/// A circuit whose positions are to be judged.
pub struct Checker<'c> {
    circuit: &'c Circuit,
    model: Model<'c>,
    /// The functions of signals that formulas are about, and of fairness.
    atoms: Vec<(Signal, Function)>,
    fairness: Vec<Function>,
    /// Where a fair run begins.
    fair: Function,
    /// Functions to be kept when nodes are freed.
    needed: Vec<Function>,
}

impl<'c> Checker<'c> {
    pub fn new(
        circuit: &'c Circuit,
        formulas: &[&Formula],
        fairness: &[Signal],
        order: Order,
        bounds: Bounds,
        limits: &Limits,
    ) -> Result<Checker<'c>, Stop> {
        let mut watched = fairness.to_vec();
        formulas.iter().for_each(|formula| watched.extend(formula.atoms()));
        let model = Model::new(circuit, &watched, order, bounds, &limits.interrupt)?;
        let atoms: Vec<(Signal, Function)> = watched.iter().copied().zip(model.watched.iter().copied()).collect();
        let fairness: Vec<Function> = atoms[..fairness.len()].iter().map(|&(_, function)| function).collect();
        let mut checker = Checker { circuit, model, atoms, fairness, fair: Function::TRUE, needed: Vec::new() };
        checker.fair = checker.globally(Function::TRUE)?;
        checker.needed.push(checker.fair);
        Ok(checker)
    }

    /// Whether the formula holds, and if not, why.
    pub fn decide(&mut self, formula: &Formula) -> Result<CtlVerdict, Stop> {
        let holds = self.evaluate(formula)?;
        let first = self.model.diagrams.and(self.model.initial, self.fair)?;
        let wrong = self.model.diagrams.and(first, !holds)?;
        match self.model.pick(wrong) {
            None => Ok(CtlVerdict::Holds),
            Some((state, inputs)) => {
                let position = explain::Position { state, inputs };
                Ok(CtlVerdict::Violated(explain::explain(self, &formula.clone().negated(), position)?))
            }
        }
    }

    /// Frees unneeded nodes.
    fn tidy(&mut self, more: &[Function]) {
        let needed: Vec<Function> = self.needed.iter().chain(more).copied().collect();
        self.model.tidy(needed);
    }

    /// The positions, of those that count, at which a formula holds.
    pub fn evaluate(&mut self, formula: &Formula) -> Result<Function, Stop> {
        let function = match formula {
            Formula::Constant(true) => Function::TRUE,
            Formula::Constant(false) => Function::FALSE,
            Formula::Atom(signal) => {
                let atom = self.atoms.iter().find(|(atom, _)| atom == signal);
                atom.map(|&(_, function)| function).expect("the formula was announced")
            }
            Formula::Not(inner) => !self.evaluate(inner)?,
            Formula::And(a, b) => {
                let (a, b) = self.evaluate_both(a, b)?;
                self.model.diagrams.and(a, b)?
            }
            Formula::Or(a, b) => {
                let (a, b) = self.evaluate_both(a, b)?;
                self.model.diagrams.or(a, b)?
            }
            Formula::Exists(path) => self.some_run(path, false)?,
            // On all runs: there is none on which it is not so.
            Formula::All(path) => !self.some_run_without(path)?,
        };
        self.model.diagrams.and(function, self.fair)
    }

    fn evaluate_both(&mut self, a: &Formula, b: &Formula) -> Result<(Function, Function), Stop> {
        let a = self.evaluate(a)?;
        self.needed.push(a);
        let b = self.evaluate(b);
        self.needed.pop();
        Ok((a, b?))
    }

    fn operand(&mut self, formula: &Formula, negated: bool) -> Result<Function, Stop> {
        let function = self.evaluate(formula)?;
        Ok(if negated { !function } else { function })
    }

    /// Where a run begins that is like this, or, with its operand negated, like this.
    fn some_run(&mut self, path: &Path, negated: bool) -> Result<Function, Stop> {
        match path {
            Path::Next(inner) => {
                let inner = self.operand(inner, negated)?;
                self.before(inner)
            }
            Path::Finally(inner) => {
                let inner = self.operand(inner, negated)?;
                Ok(self.until(Function::TRUE, inner)?.0)
            }
            Path::Globally(inner) => {
                let inner = self.operand(inner, negated)?;
                self.globally(inner)
            }
            Path::Until(a, b) => {
                let (a, b) = self.evaluate_both(a, b)?;
                Ok(self.until(a, b)?.0)
            }
        }
    }

    /// Where a run begins that is not like this.
    fn some_run_without(&mut self, path: &Path) -> Result<Function, Stop> {
        match path {
            Path::Next(_) => self.some_run(path, true),
            Path::Finally(inner) => self.some_run(&Path::Globally(inner.clone()), true),
            Path::Globally(inner) => self.some_run(&Path::Finally(inner.clone()), true),
            // Either b never comes, or something that is neither a nor b comes before it.
            Path::Until(a, b) => {
                let (a, b) = self.evaluate_both(a, b)?;
                let neither = self.model.diagrams.and(!a, !b)?;
                let broken = self.until(!b, neither)?.0;
                self.needed.push(broken);
                let never = self.globally(!b);
                self.needed.pop();
                self.model.diagrams.or(broken, never?)
            }
        }
    }

    /// Where a step of a run leads to a position of a set that counts.
    fn before(&mut self, positions: Function) -> Result<Function, Stop> {
        let positions = self.model.diagrams.and(positions, self.fair)?;
        self.model.positions_before(positions)
    }

    /// E[f U g], and its rings: at how many steps from g.
    fn until(&mut self, f: Function, g: Function) -> Result<(Function, Vec<Function>), Stop> {
        let mut all = self.model.diagrams.and(g, self.fair)?;
        let mut rings = vec![all];
        loop {
            let before = self.model.positions_before(all)?;
            let before = self.model.diagrams.and(before, f)?;
            let larger = self.model.diagrams.or(all, before)?;
            if larger == all {
                return Ok((all, rings));
            }
            all = larger;
            rings.push(all);
            let kept: Vec<Function> = rings.iter().copied().chain([f, g]).collect();
            self.tidy(&kept);
        }
    }

    /// EG f: where a fair run begins on which f stays.
    fn globally(&mut self, f: Function) -> Result<Function, Stop> {
        let mut all = self.model.diagrams.and(f, self.model.going)?;
        all = self.model.diagrams.and(all, self.fair)?;
        loop {
            let mut smaller = all;
            let signals = if self.fairness.is_empty() { vec![Function::TRUE] } else { self.fairness.clone() };
            for signal in signals {
                let target = self.model.diagrams.and(smaller, signal)?;
                self.needed.extend([smaller, all, f]);
                let reaching = match self.fairness.is_empty() {
                    true => Ok(target),
                    false => self.until(smaller, target).map(|(reaching, _)| reaching),
                };
                self.needed.truncate(self.needed.len() - 3);
                let before = self.model.positions_before(reaching?)?;
                smaller = self.model.diagrams.and(smaller, before)?;
            }
            if smaller == all {
                return Ok(all);
            }
            all = smaller;
            self.tidy(&[all, f]);
        }
    }
}
