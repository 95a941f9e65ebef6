//! Formulas of branching time about a model, on its circuit ([`ctl`]).
//!
//! Each step of the program of positions is one position of the circuit, and an atom a signal there. The reason why a
//! formula is false is a tree of runs. It is repeated by the simulator, and judged by the atoms that its steps reach.
//! Whether a formula is false somewhere may be a matter of all runs, which no tree shows.

use super::lasso::Lasso;
use super::positions::Positions;
use crate::analysis::Facts;
use crate::base::Limits;
use crate::blast::{Blasted, Width, blast_within};
use crate::certificate::Judgement;
use crate::certify::branching::confirm;
use crate::circuit::Signal;
use crate::engine::ctl::explain::Explanation;
use crate::engine::ctl::{self, By};
use crate::formula::branching::Path;
use crate::formula::{Branching, Shown, Tree};
use crate::ledger::Why;
use crate::program::time::Question;
use crate::program::{Program, Property, PropertyId, PropertyKind, StmtKind, Timed};
use crate::simulate::{Simulator, Step};
use crate::system;
use crate::system::passes::{self, Passes};
use crate::witness::Run;
use crate::witness::replay::forbidden;

/// The verdict on a formula of branching time, and its author.
#[derive(Clone, Debug)]
pub enum Known {
    /// With the checker's judgement on a certificate on the circuit. That the circuit is that of the model has to be
    /// believed.
    Holds(By, Judgement),
    Violated(Evidence),
    /// Why it is not known.
    Unknown(String),
}

/// The inputs of a step; `None` is the start, before the first one.
pub type Choice = Option<Vec<i32>>;

/// Runs that show, as far as runs can, that a formula is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub tree: Tree<Choice>,
    /// How much the tree shows, as the simulator has seen.
    pub shown: Shown,
    pub by: By,
}

/// Decides a formula of branching time.
pub fn decide(program: &Program, timed: &Timed, formula: &Branching<usize>, limits: &Limits) -> Known {
    if program.fairness.iter().any(|fairness| fairness.when.is_some()) {
        return Known::Unknown("diagrams know no fairness that has a condition".into());
    }
    let mut positions = Positions::new(program, timed);
    let (has_idle_step, skips_opening) = (positions.has_idle_step, positions.skips_opening());
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
    let Some(blasted) = blasted(&made, limits) else {
        return Known::Unknown(Why::ended(limits).unwrap_or(Why::TooLarge).to_string());
    };
    let signals: Vec<Signal> = blasted.circuit.bad.iter().map(|bad| bad.signal).collect();
    let (signals, fairness) = signals.split_at(timed.atoms.len());
    let formula = about_circuit(formula, skips_opening);
    let formula = formula.map(|&atom| signals[atom]);
    match ctl::check(&blasted.circuit, &formula, fairness, limits) {
        (ctl::CtlVerdict::Holds, by) => {
            let limits = Limits { interrupt: limits.interrupt.share(1, 2), ..limits.clone() };
            Known::Holds(by, confirm(&blasted.circuit, &formula, fairness, &limits))
        }
        (ctl::CtlVerdict::Violated(explanation), by) => {
            let tree = choices(&explanation, &blasted, has_idle_step);
            Known::Violated(Evidence { tree, shown: Shown::Partly, by })
        }
        (ctl::CtlVerdict::Open, _) => {
            Known::Unknown(Why::ended(limits).map_or(ctl::TOO_LARGE.into(), |why| why.to_string()))
        }
    }
}

/// The steps before the first position are positions of the circuit all the same.
fn about_circuit<A: Clone>(formula: &Branching<A>, skips_opening: bool) -> Branching<A> {
    if skips_opening { Branching::All(Path::Next(Box::new(formula.clone()))) } else { formula.clone() }
}

fn blasted(program: &Program, limits: &Limits) -> Option<Blasted> {
    let system = system::build_within(&Facts::new(program), &limits.interrupt).ok()?;
    let passed = passes::run(system, Passes::ALL, &limits.interrupt);
    blast_within(&passed.system, Width::Reduced, &limits.interrupt).ok()
}

/// The tree as inputs of the program. The first step does nothing if it is an idle one; a tree below the first position begins
/// there, too.
fn choices(explanation: &Explanation, blasted: &Blasted, is_idle: bool) -> Tree<Choice> {
    let mut tree = explanation.map(&mut |position| Some(blasted.decode_inputs(&position.inputs)));
    if is_idle {
        forget_first(&mut tree);
    }
    tree
}

fn forget_first(tree: &mut Tree<Choice>) {
    let first = tree.run[0].take();
    tree.because.iter_mut().filter(|(at, _)| *at == 0).for_each(|(_, reason)| forget_first(reason));
    // Where nothing depends on the state, the step that does nothing may be part of a loop: another one will do.
    if tree.repeats_from == Some(0) {
        tree.run.push(first);
        tree.repeats_from = Some(1);
    }
}

impl Evidence {
    /// The tree as runs from the start, each with where its loop begins: one for each way down.
    pub fn ways(&self) -> Vec<(Run, Option<usize>)> {
        let (mut ways, mut pending) = (vec![], vec![(vec![], &self.tree)]);
        while let Some((before, tree)) = pending.pop() {
            let steps = |place: usize| -> Run {
                before.iter().cloned().chain(tree.run[..place].iter().flatten().cloned()).collect()
            };
            if tree.because.is_empty() || tree.repeats_from.is_some() {
                ways.push((steps(tree.run.len()), tree.repeats_from.map(|from| steps(from).len())));
            }
            pending.extend(tree.because.iter().rev().map(|(place, reason)| (steps(*place), reason)));
        }
        ways
    }

    /// The same, as the simulator has seen it; why it is none of the program, otherwise.
    pub fn replayed(mut self, program: &Program, timed: &Timed) -> Result<Evidence, String> {
        self.shown = self.judge(program, timed)?;
        Ok(self)
    }

    /// The extent to which these runs show why the property is violated, when the simulator makes their steps.
    pub fn judge(&self, program: &Program, timed: &Timed) -> Result<Shown, String> {
        let Question::Branching(formula) = &timed.question else {
            return Err(format!("`{}` is about one run", timed.name));
        };
        let is_open = program.chooses_start();
        let formula = about_circuit(formula, is_open && !timed.from_start);
        let letters = letters(&self.tree, &[], program, timed)?;
        let shown = letters.shows(&formula, true, &|&atom, letter: &Vec<bool>| letter[atom]);
        shown.ok_or_else(|| format!("the runs do not show that `{}` is violated", timed.name))
    }
}

/// The letters at the positions of a tree that comes after these steps.
fn letters(
    tree: &Tree<Choice>,
    before: &[Vec<i32>],
    program: &Program,
    timed: &Timed,
) -> Result<Tree<Vec<bool>>, String> {
    let mut simulator = Simulator::new(program);
    for inputs in before {
        simulator.step(inputs);
    }
    let letter = |step: &Step| timed.atoms.iter().map(|&atom| step.reaches(atom)).collect::<Vec<bool>>();
    let mut run = vec![];
    for choice in &tree.run {
        let Some(inputs) = choice else {
            run.push(letter(simulator.opening()));
            continue;
        };
        if let Some(why) = forbidden(program, inputs) {
            return Err(format!("a step is not possible: {why}"));
        }
        let step = simulator.step(inputs);
        if step.end.is_some() {
            return Err("a run ends".into());
        }
        run.push(letter(&step));
    }
    let steps_before =
        |place: usize| -> Run { before.iter().cloned().chain(tree.run[..place].iter().flatten().cloned()).collect() };
    if let Some(from) = tree.repeats_from {
        let lasso = Lasso { run: steps_before(tree.run.len()), loop_start: steps_before(from).len() };
        lasso.closed(program, timed)?.word(program, timed)?;
    }
    let mut because = vec![];
    for (place, reason) in &tree.because {
        if reason.run.first() != tree.run.get(*place) {
            return Err("a reason does not begin where it should".into());
        }
        because.push((*place, letters(reason, &steps_before(*place), program, timed)?));
    }
    Ok(Tree { run, repeats_from: tree.repeats_from, because })
}
