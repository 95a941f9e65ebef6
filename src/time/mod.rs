//! What is said of whole runs of a model: formulas of linear and of branching time, under fairness.
//!
//! `parts` takes a property apart where its parts can be decided one by one. `positions` makes each step of a program one
//! position of a run, with what is true there in variables; `loops` makes a program of that in which a violation is an error,
//! for all strategies that there are ([`check`]). A run to that error is a [`Lasso`], which the simulator repeats,
//! and on which the formula is evaluated by the definition of its operators. What proves that there is none is a certificate
//! of the program of loops.
//!
//! Formulas of branching time are decided on the circuit (`branching`): by diagrams, or by induction where these do not fit. What is
//! violated is shown by a tree of runs, as far as runs can show it; that a formula holds is confirmed by nobody. `steps` says what such
//! formulas are about in C programs: inputs and outputs.

mod branching;
mod lasso;
mod loops;
mod parts;
mod positions;
pub mod steps;

pub use branching::{Choice, Evidence};
pub use lasso::{Lasso, repeats};
pub use loops::Loops;
pub use parts::parts;

use crate::base::Limits;
use crate::certificate::Judgement;
use crate::check::{self, Answer, CheckOptions, Failed, Finding, Means, News};
use crate::engine::ctl::By;
use crate::formula::Shown;
use crate::ledger::Terms;
use crate::program::time::Question;
use crate::program::{Program, Timed};
use crate::temporal::Formula;
use crate::temporal::formula::Node;
use crate::text::Span;
use crate::witness::Run;
use branching::Known;

/// What became of a property.
#[derive(Clone, Debug)]
pub enum TemporalVerdict {
    Holds,
    /// This run does not satisfy it; it was repeated.
    Violated(Lasso),
    /// It is violated, and these runs, which were repeated, lead to where that is seen.
    Branches(Evidence),
    /// Why it is not known.
    Unknown(String),
    /// An engine claimed what turned out wrong: a bug.
    Withdrawn(String),
}

/// What became of a property, and what there is to say about that.
#[derive(Clone, Debug)]
pub struct Decided {
    pub verdict: TemporalVerdict,
    /// What was found on the programs of loops, one for each part of the property, as far as they were looked at.
    pub found: Vec<(Loops, Finding)>,
    /// Who decided a formula of branching time.
    pub by: Option<By>,
    /// What the checker says of a certificate that such a formula holds of the circuit.
    pub on_circuit: Option<Judgement>,
    pub notes: Vec<String>,
}

impl Decided {
    /// Why nothing confirms a formula of branching time that holds of the model itself.
    pub fn unconfirmed(&self) -> String {
        match &self.on_circuit {
            Some(Judgement::Confirmed) => "only its circuit has a certificate".into(),
            Some(Judgement::Undecided(reason) | Judgement::Refuted(reason)) => reason.clone(),
            None => "there is no certificate".into(),
        }
    }

    /// Whether something else than what found the verdict has confirmed it.
    pub fn is_confirmed(&self) -> bool {
        match self.verdict {
            TemporalVerdict::Violated(_) => true,
            TemporalVerdict::Holds => {
                !self.found.is_empty() && self.found.iter().all(|(_, finding)| finding.is_confirmed())
            }
            TemporalVerdict::Branches(ref evidence) => evidence.shown == Shown::Wholly,
            TemporalVerdict::Unknown(_) | TemporalVerdict::Withdrawn(_) => false,
        }
    }
}

/// Decides a property of whole runs.
pub fn decide(
    program: &Program,
    timed: &Timed,
    means: Means,
    options: &CheckOptions,
    terms: &Terms<Run>,
) -> Result<Decided, Failed> {
    let mut decided =
        Decided { verdict: TemporalVerdict::Holds, found: vec![], by: None, on_circuit: None, notes: vec![] };
    if let Question::Branching(formula) = &timed.question {
        decided.verdict = match branching::decide(program, timed, formula, &options.limits) {
            Known::Holds(_, Judgement::Refuted(reason)) => TemporalVerdict::Withdrawn(reason),
            Known::Holds(by, judgement) => {
                (decided.by, decided.on_circuit) = (Some(by), Some(judgement));
                TemporalVerdict::Holds
            }
            Known::Unknown(why) => TemporalVerdict::Unknown(why),
            Known::Violated(evidence) => {
                decided.by = Some(evidence.by);
                match evidence.replayed(program, timed) {
                    Ok(evidence) => TemporalVerdict::Branches(evidence),
                    Err(reason) => TemporalVerdict::Withdrawn(reason),
                }
            }
        };
        return Ok(decided);
    }
    let parts = parts(timed);
    for (number, part) in parts.iter().enumerate() {
        let options = CheckOptions { limits: options.limits.share(parts.len() - number), ..options.clone() };
        let verdict = decide_part(program, timed, part, (means, &options), terms, &mut decided)?;
        match verdict {
            TemporalVerdict::Holds => {}
            // Another part may still be violated.
            TemporalVerdict::Unknown(_) => decided.verdict = verdict,
            TemporalVerdict::Violated(_) | TemporalVerdict::Branches(_) | TemporalVerdict::Withdrawn(_) => {
                decided.verdict = verdict;
                break;
            }
        }
    }
    Ok(decided)
}

/// Runs that show, as far as runs can, why a formula of branching time that holds does: those that violate its negation. `None` if runs
/// say nothing about it, or nobody finds them in time; an error if the simulator sees something else.
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

fn decide_part(
    program: &Program,
    timed: &Timed,
    part: &Timed,
    (means, options): (Means, &CheckOptions),
    terms: &Terms<Run>,
    decided: &mut Decided,
) -> Result<TemporalVerdict, Failed> {
    let loops = match Loops::new(program, part, &options.limits.interrupt) {
        Ok(loops) => loops,
        Err(why) => return Ok(TemporalVerdict::Unknown(why)),
    };
    let options = CheckOptions { properties: Some(vec![Loops::closed()]), ..options.clone() };
    let report = check::decide(&loops.program, means, &options, terms, &mut |_: News| {})?;
    decided.notes.extend(report.notes);
    let Some(finding) = report.findings.into_iter().next() else {
        return Ok(TemporalVerdict::Unknown("nobody was asked".into()));
    };
    let verdict = match &finding.answer {
        Answer::Unreachable { .. } => TemporalVerdict::Holds,
        Answer::Unknown(why) => TemporalVerdict::Unknown(why.to_string()),
        Answer::Withdrawn { reason, .. } => TemporalVerdict::Withdrawn(reason.clone()),
        Answer::Reachable { run } => {
            let lasso = loops.lasso(run);
            // What the part says of the run is what the whole says.
            match lasso.violates(program, part).and_then(|()| lasso.closed(program, timed)) {
                Ok(lasso) => match lasso.violates(program, timed) {
                    Ok(()) => TemporalVerdict::Violated(lasso),
                    Err(reason) => TemporalVerdict::Withdrawn(reason),
                },
                Err(reason) => TemporalVerdict::Withdrawn(reason),
            }
        }
    };
    decided.found.push((loops, finding));
    Ok(verdict)
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
    let decided = decide(program, &timed, Means::Together, &options, &Terms::default()).ok()?;
    match decided.verdict {
        TemporalVerdict::Holds => Some(false),
        TemporalVerdict::Violated(_) | TemporalVerdict::Branches(_) => Some(true),
        TemporalVerdict::Unknown(_) | TemporalVerdict::Withdrawn(_) => None,
    }
}
