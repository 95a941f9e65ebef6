//! Formulas of branching time about a model, by decision diagrams on its circuit ([`ctl`]).
//!
//! Each step of the program of positions is one position of the circuit, and an atom a signal there. What makes a formula false
//! is shown as a run as far as that can be done: to where it is false, or around a loop. Whether a formula is false there may be a
//! matter of all runs, which no run shows.

use super::positions::Positions;
use crate::base::Limits;
use crate::blast::{Blasted, Width, blast_within};
use crate::circuit::Signal;
use crate::engine::ctl::explain::Explanation;
use crate::engine::ctl::{self, Formula};
use crate::program::time::{Branching, Path};
use crate::program::{Program, Property, PropertyId, PropertyKind, StmtKind, Timed};
use crate::system;
use crate::system::passes::{self, Passes};
use crate::witness::Run;

/// What is known about a formula of branching time.
#[derive(Clone, Debug)]
pub enum Known {
    Holds,
    Violated(Evidence),
    /// Why it is not known.
    Unknown(String),
}

/// A run that shows, as far as a run can, that a formula is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub run: Run,
    /// The first of the steps that are repeated for ever, if the run never ends.
    pub loop_start: Option<usize>,
    /// Whether all that matters is seen on this run.
    pub is_all: bool,
}

/// Decides a formula of branching time.
pub fn decide(program: &Program, timed: &Timed, formula: &Branching, limits: &Limits) -> Known {
    if program.fairness.iter().any(|fairness| fairness.when.is_some()) {
        return Known::Unknown("diagrams know no fairness that has a condition".into());
    }
    let mut positions = Positions::new(program, timed);
    let (idle, skips_opening) = (usize::from(positions.has_idle_step), positions.skips_opening());
    let atoms = timed.atoms.iter().copied().chain(program.fairness.iter().map(|fairness| fairness.recurs));
    let mut at_position = vec![];
    for (number, atom) in atoms.enumerate() {
        let (name, span) = (format!("atom {number}"), timed.span);
        let property = Property { name, kind: PropertyKind::Atom, span, expected: None };
        let property: PropertyId = positions.builder.add_property(property);
        let is_true = positions.atom(atom);
        let reach = positions.builder.add_stmt(StmtKind::Reach(property), span);
        at_position.push(positions.under(Some(is_true), vec![reach]));
    }
    let made = positions.finish(vec![], at_position);
    let Some(blasted) = blasted(&made, limits) else { return Known::Unknown("time was up".into()) };
    let signals: Vec<Signal> = blasted.circuit.bad.iter().map(|bad| bad.signal).collect();
    let (signals, fairness) = signals.split_at(timed.atoms.len());
    let formula = on_signals(formula, signals);
    // What comes before the first position is one of the circuit all the same.
    let formula = if skips_opening { Formula::All(ctl::Path::Next(Box::new(formula))) } else { formula };
    match ctl::check(&blasted.circuit, &formula, fairness, limits) {
        ctl::Verdict::Holds => Known::Holds,
        ctl::Verdict::Violated(explanation) => {
            let (run, loop_start) = run(&explanation, &blasted, idle);
            Known::Violated(Evidence { run, loop_start, is_all: is_shown(&formula, true) })
        }
        ctl::Verdict::Open if limits.interrupt.is_raised() => Known::Unknown("time was up".into()),
        ctl::Verdict::Open => Known::Unknown("the diagrams became too large".into()),
    }
}

fn blasted(program: &Program, limits: &Limits) -> Option<Blasted> {
    let system = system::build_within(program, &limits.interrupt).ok()?;
    let passed = passes::run(system, Passes::ALL, &limits.interrupt);
    blast_within(&passed.system, Width::Reduced, &limits.interrupt).ok()
}

fn on_signals(formula: &Branching, signals: &[Signal]) -> Formula {
    let part = |inner: &Branching| Box::new(on_signals(inner, signals));
    let path = |path: &Path| match path {
        Path::Next(inner) => ctl::Path::Next(part(inner)),
        Path::Finally(inner) => ctl::Path::Finally(part(inner)),
        Path::Globally(inner) => ctl::Path::Globally(part(inner)),
        Path::Until(a, b) => ctl::Path::Until(part(a), part(b)),
    };
    match formula {
        Branching::Constant(value) => Formula::Atom(if *value { Signal::TRUE } else { Signal::FALSE }),
        Branching::Proposition(index) => Formula::Atom(signals[*index]),
        Branching::Not(inner) => Formula::Not(part(inner)),
        Branching::And(a, b) => Formula::And(part(a), part(b)),
        Branching::Or(a, b) => Formula::Or(part(a), part(b)),
        Branching::Exists(of) => Formula::Exists(path(of)),
        Branching::All(of) => Formula::All(path(of)),
    }
}

/// Whether a run shows all of why a formula is true, or false: no part of it is about all runs, or none, nor about runs that
/// begin on others.
fn is_shown(formula: &Formula, is_false: bool) -> bool {
    let is_plain = |path: &ctl::Path| match path {
        ctl::Path::Next(a) | ctl::Path::Finally(a) | ctl::Path::Globally(a) => has_no_runs(a),
        ctl::Path::Until(a, b) => has_no_runs(a) && has_no_runs(b),
    };
    match formula {
        Formula::Atom(_) => true,
        Formula::Not(inner) => is_shown(inner, !is_false),
        Formula::And(a, b) | Formula::Or(a, b) => {
            let parts = [is_shown(a, is_false), is_shown(b, is_false)];
            parts == [true; 2] && (has_no_runs(a) || has_no_runs(b))
        }
        Formula::Exists(path) => !is_false && is_plain(path),
        Formula::All(path) => is_false && is_plain(path),
    }
}

/// Whether a formula is about one moment.
fn has_no_runs(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(_) => true,
        Formula::Not(inner) => has_no_runs(inner),
        Formula::And(a, b) | Formula::Or(a, b) => has_no_runs(a) && has_no_runs(b),
        Formula::Exists(_) | Formula::All(_) => false,
    }
}

/// The first way down the tree of runs, as one run, and where its loop begins.
fn run(explanation: &Explanation, blasted: &Blasted, idle: usize) -> (Run, Option<usize>) {
    let mut steps: Run = vec![];
    let mut here = explanation;
    // A loop is the end of the way; what matters about its positions is not seen on it.
    while let ([(place, next), ..], None) = (here.because.as_slice(), here.repeats_from) {
        steps.extend(here.run[..*place].iter().map(|position| blasted.decode_inputs(&position.inputs)));
        here = next;
    }
    let mut loop_start = here.repeats_from.map(|from| steps.len() + from);
    steps.extend(here.run.iter().map(|position| blasted.decode_inputs(&position.inputs)));
    // Where nothing depends on the state, the step that does nothing may be part of a loop: another one will do.
    if let Some(start) = loop_start.filter(|&start| start < idle) {
        let round = steps[start..].to_vec();
        loop_start = Some(steps.len());
        steps.extend(round);
    }
    let loop_start = loop_start.map(|start| start - idle);
    (steps.split_off(idle.min(steps.len())), loop_start)
}
