//! Formulas of branching time about hardware models: names to signals, verdicts with trees of runs, and their judgement
//! on the model.
//!
//! Runs are infinite, and those that count have each fairness signal of the file infinitely often.

use crate::base::{Limits, suggest};
use crate::certificate::Judgement;
use crate::certify::branching::confirm;
use crate::circuit::aiger::Model;
use crate::circuit::liveness::watched;
use crate::circuit::{Circuit, Reset, Signal};
use crate::engine::ctl::explain::{Explanation, Position};
use crate::engine::ctl::{self, By, Formula};
use crate::formula::parse_branching::Name;
use crate::formula::{Branching, Mistake, Shown};
use crate::ledger::Why;

/// The verdict on a formula.
#[derive(Clone, Debug)]
pub enum BranchingVerdict {
    /// `Ok` if a certificate was confirmed, otherwise why there is none.
    Holds(Result<(), String>),
    /// These runs, which were repeated, show this much of the reason why it is violated.
    Violated(Explanation, Shown),
    Unknown(String),
    /// A wrong claim of an engine: a bug.
    Withdrawn(String),
}

/// The formula about the signals of its names: `b0`, `o0`, `l0` and `i0` as the file numbers bad states, outputs,
/// latches and inputs, or names of the symbol table.
pub fn about_signals(model: &Model, formula: &Branching<Name>) -> Result<Formula, Mistake> {
    let names = names(model);
    formula.try_map(&mut |name: &Name| match names.iter().find(|(known, _)| *known == name.text) {
        Some(&(_, signal)) => Ok(signal),
        None => {
            let nearest = suggest::nearest(&name.text, names.iter().map(|(known, _)| known.as_str()));
            let meant = nearest.map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
            Err(Mistake {
                place: name.place.clone(),
                message: format!("the model has no signal `{}`{meant}", name.text),
            })
        }
    })
}

/// All names. Symbols come before numbers: they are the author's.
fn names(model: &Model) -> Vec<(String, Signal)> {
    let circuit = &model.circuit;
    let bad = circuit.bad.iter().map(|bad| (bad.name.clone(), bad.signal));
    let outputs = model.outputs.iter().map(|output| (output.name.clone(), output.signal));
    let latches = circuit.latches.iter().map(|latch| (latch.name.clone(), latch.signal));
    let inputs = circuit.inputs.iter().map(|input| (input.name.clone(), input.signal));
    let symbols = bad.chain(outputs).chain(latches).chain(inputs).filter(|(name, _)| !name.is_empty());
    let properties = model.properties.iter().cloned().zip(circuit.bad.iter().map(|bad| bad.signal));
    let numbered = |kind: char, signals: Vec<Signal>| {
        signals.into_iter().enumerate().map(move |(index, signal)| (format!("{kind}{index}"), signal))
    };
    symbols
        .chain(properties)
        .chain(numbered('o', model.outputs.iter().map(|output| output.signal).collect()))
        .chain(numbered('l', circuit.latches.iter().map(|latch| latch.signal).collect()))
        .chain(numbered('i', circuit.inputs.iter().map(|input| input.signal).collect()))
        .collect()
}

/// Decides a formula about a model.
pub fn decide(model: &Model, formula: &Formula, limits: &Limits, confirm: bool) -> (BranchingVerdict, By) {
    let (verdict, by) = ctl::check(&model.circuit, formula, &model.fairness, limits);
    let verdict = match verdict {
        ctl::CtlVerdict::Holds if confirm => certified(model, formula, limits),
        ctl::CtlVerdict::Holds => BranchingVerdict::Holds(Err("no certificate was asked for".into())),
        ctl::CtlVerdict::Violated(tree) => match replay(&model.circuit, formula, &model.fairness, &tree) {
            Ok(shown) => BranchingVerdict::Violated(tree, shown),
            Err(reason) => BranchingVerdict::Withdrawn(reason),
        },
        ctl::CtlVerdict::Open => {
            BranchingVerdict::Unknown(Why::ended(limits).map_or(ctl::TOO_LARGE.into(), |why| why.to_string()))
        }
    };
    (verdict, by)
}

/// Runs that show, as far as runs can, why a formula that holds does: those that violate its negation. `None` if runs
/// say nothing about it, or none are found in time; an error if they turn out wrong.
pub fn witness(model: &Model, formula: &Formula, limits: &Limits) -> Result<Option<(Explanation, Shown)>, String> {
    let negated = formula.clone().negated();
    match ctl::check(&model.circuit, &negated, &model.fairness, limits).0 {
        ctl::CtlVerdict::Violated(tree) => {
            let shown = replay(&model.circuit, &negated, &model.fairness, &tree)?;
            Ok(tree.has_runs().then_some((tree, shown)))
        }
        // Without a run that counts, both hold.
        ctl::CtlVerdict::Holds | ctl::CtlVerdict::Open => Ok(None),
    }
}

/// The extent to which a tree shows why a formula is violated, if it consists of runs of the circuit; if not, why.
pub fn replay(circuit: &Circuit, formula: &Formula, fairness: &[Signal], tree: &Explanation) -> Result<Shown, String> {
    let atoms: Vec<Signal> = formula.atoms().into_iter().chain(fairness).copied().collect();
    let judge = Judge { circuit, fairness, matters: watched(circuit, &atoms) };
    judge.is_first(tree)?;
    judge.runs(tree)?;
    let shown = tree.shows(formula, true, &|&signal, position| judge.values(position).bit(signal));
    shown.ok_or_else(|| "the runs do not show that the formula is violated".into())
}

struct Judge<'c> {
    circuit: &'c Circuit,
    fairness: &'c [Signal],
    /// By latch: whether the formula or fairness depends on it.
    matters: Vec<bool>,
}

impl Judge<'_> {
    fn values(&self, position: &Position) -> crate::circuit::simulate::Values {
        let mut leaves = vec![0; self.circuit.gates.nodes().len()];
        let latches = self.circuit.latches.iter().map(|latch| latch.signal).zip(&position.state);
        let inputs = self.circuit.inputs.iter().map(|input| input.signal).zip(&position.inputs);
        latches.chain(inputs).for_each(|(signal, &value)| leaves[signal.node()] = if value { !0 } else { 0 });
        self.circuit.gates.evaluate(|node| leaves[node])
    }

    fn is_first(&self, tree: &Explanation) -> Result<(), String> {
        let first = tree.run.first().ok_or("a run has no position")?;
        let fits = self.circuit.latches.iter().zip(&first.state).all(|(latch, &value)| match latch.reset {
            Reset::Zero => !value,
            Reset::One => value,
            Reset::Free => true,
        });
        if fits { Ok(()) } else { Err("it does not begin in a reset state".into()) }
    }

    /// Whether each run consists of steps, closes its loop fairly, and has reasons that begin where they should.
    fn runs(&self, tree: &Explanation) -> Result<(), String> {
        let follows = |next: &Position, after: &Position| {
            let mut states = next.state.iter().zip(&after.state).zip(&self.matters);
            states.all(|((a, b), &matters)| a == b || !matters)
        };
        let mut seen = vec![false; self.fairness.len()];
        for (index, position) in tree.run.iter().enumerate() {
            let has_size = position.state.len() == self.circuit.latches.len()
                && position.inputs.len() == self.circuit.inputs.len();
            if !has_size {
                return Err("a position of another circuit".into());
            }
            let values = self.values(position);
            let is_allowed = self.circuit.constraints.iter().all(|&constraint| values.bit(constraint));
            if !is_allowed || values.bit(self.circuit.stop) {
                return Err("a position at which no run goes on".into());
            }
            let state: Vec<bool> = self.circuit.latches.iter().map(|latch| values.bit(latch.next)).collect();
            let next = tree.run.get(index + 1).or_else(|| tree.run.get(tree.repeats_from?));
            if next.is_some_and(|next| !follows(&Position { state, inputs: vec![] }, next)) {
                return Err("a step that is none".into());
            }
            if tree.repeats_from.is_some_and(|from| index >= from) {
                seen.iter_mut().zip(self.fairness).for_each(|(seen, &signal)| *seen |= values.bit(signal));
            }
        }
        if tree.repeats_from.is_some() && !seen.into_iter().all(|seen| seen) {
            return Err("a loop that is not fair".into());
        }
        for (place, reason) in &tree.because {
            let at = tree.run.get(*place).ok_or("a reason for no position")?;
            let fits = reason.run.first().is_some_and(|first| follows(at, first) && at.inputs == first.inputs);
            if !fits {
                return Err("a reason does not begin where it should".into());
            }
            self.runs(reason)?;
        }
        Ok(())
    }
}

/// Has the checker look at a certificate.
fn certified(model: &Model, formula: &Formula, limits: &Limits) -> BranchingVerdict {
    match confirm(&model.circuit, formula, &model.fairness, limits) {
        Judgement::Confirmed => BranchingVerdict::Holds(Ok(())),
        Judgement::Undecided(reason) => BranchingVerdict::Holds(Err(reason)),
        Judgement::Refuted(reason) => BranchingVerdict::Withdrawn(reason),
    }
}
