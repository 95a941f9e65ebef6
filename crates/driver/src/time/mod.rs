//! Properties of whole runs of a model: formulas of linear and of branching time, under fairness.
//!
//! They are one more [`Subject`](crate::ledger::Subject) of the ledger ([`WholeRuns`]), with strategies of their own
//! (`strategy`). Where the states of the model can be visited, formulas of linear time are decided on the product of
//! these and an automaton. Elsewhere `parts` takes a property apart where its parts can be decided one by one,
//! `positions` makes each step of the model one position of a run, with the atoms that are true there in variables, and
//! `loops` makes a program of that in which a violation is an error, for all strategies that there are (`check`).
//! Formulas of branching time are decided on the circuit (`branching`): by diagrams, or by induction where these do not
//! fit.
//!
//! A violation is a [`Lasso`], which the simulator repeats, and on which the formula is evaluated by the definition of
//! its operators; of a formula of branching time it is a tree of runs, as far as runs can show it. `steps` gives the
//! atoms of such formulas about C programs: inputs and outputs.

mod branching;
mod lasso;
mod loops;
mod parts;
mod positions;
pub mod steps;
mod strategy;
mod subject;

pub use branching::{Choice, Evidence};
pub use lasso::{Lasso, repeats};
pub use loops::Loops;
pub use parts::parts;
pub use subject::{Account, Reason, Violation, WholeRuns, judge_ranks};

use std::io;

use crate::analysis::Facts;
use crate::base::Limits;
use crate::check::{CheckOptions, Means};
use crate::explicit::visited::Effort;
use crate::ledger::{self, Order, Strategy, Terms};
use crate::program::time::Question;
use crate::program::{Program, PropertyId, Timed};
use crate::temporal::Formula;
use crate::temporal::formula::Node;
use crate::text::Span;
use crate::witness::shorten::Budget;
use branching::Known;
use strategy::{OnCircuit, OnLoops, OnStates};

/// The answer about a property of whole runs: a violation is a run that reaches it, and a property that holds is
/// unreachable.
pub type Answer = ledger::Answer<Violation, Reason>;
pub type Finding = ledger::Finding<Violation, Reason>;
pub type News<'n> = ledger::News<'n, Violation, Reason>;
pub type Report = ledger::Report<Violation, Reason, Account>;

/// The effort for a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A glance at the states, which decides most properties of small models.
    Glance,
    /// All other strategies, to the end.
    Rest,
    /// All of them.
    Whole,
}

/// The effort of a glance at the states: about half a second.
const GLANCE: (usize, u64) = (100_000, 2_000_000);
/// The effort of visiting them in earnest.
const EARNEST: (usize, u64) = (2_000_000, 60_000_000);

/// Decides properties of whole runs; `hear` is told of each finding as soon as it is known.
pub fn decide(
    subject: &WholeRuns,
    wanted: &[PropertyId],
    (means, options): (Means, &CheckOptions),
    terms: &Terms<Violation>,
    phase: Phase,
    hear: &mut dyn FnMut(News),
) -> io::Result<Report> {
    let confirm = options.confirm;
    // Beside the states there is the graph, and its products.
    let on_states = |(states, steps)| OnStates { effort: Effort { states, steps, bytes: options.memory / 4 }, confirm };
    let (glance, earnest) = (on_states(GLANCE), on_states(EARNEST));
    let loops = |is_brief| OnLoops { means, options, is_brief };
    let (brief, patient) = (loops(true), loops(false));
    let all: [&dyn Strategy<WholeRuns>; 5] = [&glance, &OnCircuit, &brief, &earnest, &patient];
    let visits = matches!(means, Means::Together | Means::Explicit);
    let lane: &[&dyn Strategy<WholeRuns>] = match phase {
        Phase::Glance if visits => &all[..1],
        Phase::Glance => &[],
        Phase::Rest if visits => &all[1..],
        Phase::Whole if visits => &all,
        Phase::Rest | Phase::Whole => &[&OnCircuit, &patient],
    };
    let order =
        Order { properties: Some(wanted), limits: &options.limits, confirm, shortening: &Budget::none(), terms };
    ledger::keep(subject, &order, &[lane], hear).report()
}

/// Decides a single property without a journal.
pub fn decide_one(program: &Program, timed: &Timed, means: Means, options: &CheckOptions) -> (Finding, Account) {
    let facts = Facts::new(program);
    let subject = WholeRuns { facts: &facts, list: std::slice::from_ref(timed) };
    let all = [PropertyId::new(0)];
    let report = decide(&subject, &all, (means, options), &Terms::default(), Phase::Whole, &mut |_| {});
    let Report { mut findings, account, .. } = report.expect("there is no journal");
    (findings.remove(0), account)
}

/// Runs that show, as far as runs can, why a formula of branching time that holds does: those that violate its
/// negation. `None` if runs say nothing about it, or none are found in time; an error if the simulator sees something
/// else.
pub fn witness(program: &Program, timed: &Timed, limits: &Limits) -> Result<Option<Evidence>, String> {
    let Question::Branching(formula) = &timed.question else { return Ok(None) };
    let negated = formula.clone().negated();
    let timed = Timed { question: Question::Branching(negated.clone()), ..timed.clone() };
    match branching::decide(program, &timed, &negated, limits) {
        Known::Violated(evidence) => {
            let evidence = evidence.replayed(program, &timed)?;
            Ok(Some(evidence).filter(|evidence| evidence.tree.has_runs()))
        }
        // Without a run that counts, both hold.
        Known::Holds(..) | Known::Unknown(_) => Ok(None),
    }
}

/// Whether there is a fair run that never ends, if that is seen in time: without one, properties of whole runs say nothing.
pub fn has_runs(program: &Program, limits: &Limits) -> Option<bool> {
    let nothing = Formula { propositions: vec![], root: Node::Constant(false) };
    let timed = Timed {
        name: "a fair run that never ends".into(),
        span: Span::default(),
        expected: None,
        question: Question::Linear(nothing),
        atoms: vec![],
        from_start: false,
    };
    let options = CheckOptions { limits: limits.clone(), confirm: false, ..CheckOptions::default() };
    match decide_one(program, &timed, Means::Together, &options).0.answer {
        Answer::Unreachable { .. } => Some(false),
        Answer::Reachable { .. } => Some(true),
        Answer::Unknown(_) | Answer::Withdrawn { .. } => None,
    }
}
