//! Ways of deciding properties of whole runs: on the states of the model, on programs of loops, on its circuit.

use std::sync::Arc;
use std::time::Duration;

use super::branching::{self, Known};
use super::lasso::Lasso;
use super::loops::Loops;
use super::parts::parts;
use super::subject::{ONLY_CIRCUIT, Reason, Violation, WholeRuns, atoms_of, together};
use crate::base::{Ended, Limits};
use crate::certificate::temporal::states::{self, Starts};
use crate::certificate::temporal::{self, Graph, Question};
use crate::certificate::{Checked, Judgement, share};
use crate::check::{self, Answer, CheckOptions, Means, News};
use crate::engine::Proof;
use crate::explicit::visited::{Effort, Unvisited, Visited, visit};
use crate::ledger::{Ledger, Strategy, Terms, Why};
use crate::program::{self, PropertyId, Timed};
use crate::ranking::{Ranked, rank};

/// Visits the states of the model, for all properties together or, where these have too many, for each by itself; and looks for
/// fair cycles in their product with the automaton of a formula.
pub(super) struct OnStates {
    pub(super) effort: Effort,
    pub(super) confirm: bool,
}

impl Strategy<WholeRuns<'_, '_>> for OnStates {
    fn name(&self) -> &'static str {
        "states"
    }

    fn is_prelude(&self) -> bool {
        true
    }

    fn run(&self, ledger: &Ledger<WholeRuns>, limits: &Limits) -> Result<(), Ended> {
        if limits.depth.is_some() {
            return Ok(());
        }
        let open = open_of_linear_time(ledger);
        if open.is_empty() || self.decide(ledger, &open, limits)? || open.len() == 1 {
            return Ok(());
        }
        for property in open {
            self.decide(ledger, &[property], limits)?;
        }
        Ok(())
    }
}

impl OnStates {
    /// Decides properties on the states that decide about all of them; whether these could be visited.
    fn decide(&self, ledger: &Ledger<WholeRuns>, properties: &[PropertyId], limits: &Limits) -> Result<bool, Ended> {
        let subject = ledger.subject();
        let program = subject.facts.program;
        let atoms = atoms_of(program, properties.iter().map(|&property| subject.get(property)));
        let visited = match visit(program, atoms, self.effort, limits) {
            Ok(visited) => visited,
            Err(Unvisited::Interrupted) => return Err(Ended::Interrupted),
            Err(Unvisited::TooMany | Unvisited::Inputs) => return Ok(false),
        };
        let mut judged = Judged { visited: &visited, graph: None };
        for &property in properties {
            limits.interrupt.check()?;
            let timed = subject.get(property);
            let Some(question) = Question::of_model(&visited.graph, visited.starts, program, timed) else { continue };
            match rank(&visited.graph, &question, &limits.interrupt) {
                Ranked::Open => {}
                Ranked::Violated { stem, cycle } => {
                    let steps = [&stem[..], &cycle].concat();
                    let Some(run) = visited.inputs(&steps, &limits.interrupt) else { return Err(Ended::Interrupted) };
                    let loop_start = run.len() - cycle.len();
                    ledger.reached(self.name(), property, Violation::Lasso(Lasso { run, loop_start }));
                }
                Ranked::Holds(ranking) => {
                    let proof = Proof::Exhausted { states: visited.states.number };
                    let checked = self.confirm.then(|| {
                        let judgement = judged.judge(subject, timed, &ranking, limits);
                        let states = Arc::clone(&visited.states);
                        Checked { certificate: Arc::new(Reason::States { states, ranking }), judgement }
                    });
                    ledger.proved(self.name(), property, proof, checked);
                }
            }
        }
        Ok(true)
    }
}

/// The checker's graph of states, once for all properties.
struct Judged<'v> {
    visited: &'v Visited,
    graph: Option<Result<(Graph, Starts), Judgement>>,
}

impl Judged<'_> {
    fn judge(&mut self, subject: &WholeRuns, timed: &Timed, ranking: &temporal::Ranking, limits: &Limits) -> Judgement {
        let Visited { atoms, states, .. } = self.visited;
        let program = subject.facts.program;
        let new = || states::graph(program, atoms, states, &share(&limits.interrupt));
        let (graph, starts) = match self.graph.get_or_insert_with(new) {
            Ok((graph, starts)) => (&*graph, *starts),
            Err(judgement) => return judgement.clone(),
        };
        match Question::of_model(graph, starts, program, timed) {
            Some(question) => temporal::confirm(graph, &question, ranking, &share(&limits.interrupt)),
            None => Judgement::Undecided("it is about many runs at a time".into()),
        }
    }
}

/// Makes a program of the model in which a violation is an error, and has that decided by all strategies for programs.
/// Properties take turns: each gets a share of the time, and open ones come back with a larger one.
pub(super) struct OnLoops<'o> {
    pub(super) means: Means,
    pub(super) options: &'o CheckOptions,
    /// Whether each property gets one short turn only.
    pub(super) is_brief: bool,
}

/// The first turn of a property, and how much longer the next one is each time.
const FIRST_TURN: Duration = Duration::from_millis(500);
const LONGER: u32 = 4;

impl Strategy<WholeRuns<'_, '_>> for OnLoops<'_> {
    fn name(&self) -> &'static str {
        "loops"
    }

    fn run(&self, ledger: &Ledger<WholeRuns>, limits: &Limits) -> Result<(), Ended> {
        let mut waiting = open_of_linear_time(ledger);
        let first = if self.is_brief { FIRST_TURN } else { FIRST_TURN * LONGER };
        // A run with a limit for each property wants no second turn.
        let (mut turn, has_one_turn) = match limits.per_property {
            Some(_) if self.is_brief => return Ok(()),
            Some(most) => (most, true),
            None => (first, self.is_brief),
        };
        while !waiting.is_empty() {
            let is_last = waiting.len() == 1 && !has_one_turn;
            let mut left = vec![];
            for (number, &property) in waiting.iter().enumerate() {
                limits.interrupt.check()?;
                let interrupt = limits.interrupt.part();
                if !is_last {
                    let now = interrupt.elapsed();
                    let rest = limits.interrupt.deadline().map(|end| end.saturating_sub(now));
                    let fair = rest.map(|rest| rest / (waiting.len() - number) as u32);
                    interrupt.set_deadline(Some(now + fair.map_or(turn, |fair| turn.min(fair))));
                }
                let limits = Limits { interrupt, ..limits.clone() };
                if self.decide(ledger, property, &limits)? == Turn::TooShort {
                    left.push(property);
                }
            }
            if has_one_turn {
                break;
            }
            waiting = left;
            turn *= LONGER;
        }
        Ok(())
    }
}

/// The end of a turn.
#[derive(PartialEq, Eq)]
enum Turn {
    /// The property is decided, or more time will not help.
    Done,
    TooShort,
}

impl OnLoops<'_> {
    /// Decides a property part by part.
    fn decide(&self, ledger: &Ledger<WholeRuns>, property: PropertyId, limits: &Limits) -> Result<Turn, Ended> {
        let subject = ledger.subject();
        let (program, timed) = (subject.facts.program, subject.get(property));
        let parts = parts(timed);
        let (mut proved, mut decider, mut why) = (vec![], self.name(), None);
        for (number, part) in parts.iter().enumerate() {
            let limits = limits.share(parts.len() - number);
            let loops = match Loops::new(program, part, &limits.interrupt) {
                Ok(loops) => loops,
                Err(reason) => {
                    why = Why::ended(&limits).or(Some(Why::Beyond));
                    note(ledger, property, reason);
                    continue;
                }
            };
            let options = CheckOptions {
                properties: Some(vec![Loops::closed()]),
                limits: limits.clone(),
                ..self.options.clone()
            };
            let report = match check::decide(&loops.program, self.means, &options, &Terms::default(), &mut |_: News| {})
            {
                Ok(report) => report,
                Err(check::Failed::Ended(ended)) => return Err(ended),
                Err(check::Failed::Journal(error)) => unreachable!("there is no journal: {error}"),
            };
            ledger.account(|account| account.notes.extend(report.notes));
            let Some(finding) = report.findings.into_iter().next() else { return Ok(Turn::Done) };
            decider = finding.decider.name();
            match finding.answer {
                Answer::Unreachable { proof, checked } => proved.push((proof, loops, checked)),
                Answer::Reachable { run } => {
                    ledger.reached(decider, property, Violation::Lasso(loops.lasso(&run)));
                    return Ok(Turn::Done);
                }
                Answer::Unknown(reason) => why = Some(reason),
                Answer::Withdrawn { reason, .. } => {
                    note(ledger, property, format!("withdrawn: {reason}"));
                    why = Some(Why::Beyond);
                }
            }
        }
        if let Some(why) = why {
            return Ok(if matches!(why, Why::Time | Why::Share) { Turn::TooShort } else { Turn::Done });
        }
        let Some((proof, ..)) = proved.first() else { return Ok(Turn::Done) };
        let proof = proof.clone();
        let parts = proved.into_iter().map(|(_, loops, checked)| (loops, checked)).collect();
        ledger.proved(decider, property, proof, together(parts));
        Ok(Turn::Done)
    }
}

/// The open properties that are formulas of linear time.
fn open_of_linear_time(ledger: &Ledger<WholeRuns>) -> Vec<PropertyId> {
    let subject = ledger.subject();
    let is_linear =
        |property: &PropertyId| matches!(subject.get(*property).question, program::time::Question::Linear(_));
    ledger.open().into_iter().filter(is_linear).collect()
}

fn note(ledger: &Ledger<WholeRuns>, property: PropertyId, reason: String) {
    ledger.account(|account| _ = account.reasons.insert(property, reason));
}

/// Decides formulas of branching time on the circuit of the model.
pub(super) struct OnCircuit;

impl Strategy<WholeRuns<'_, '_>> for OnCircuit {
    fn name(&self) -> &'static str {
        "circuit"
    }

    fn is_prelude(&self) -> bool {
        true
    }

    fn run(&self, ledger: &Ledger<WholeRuns>, limits: &Limits) -> Result<(), Ended> {
        let subject = ledger.subject();
        let open = ledger.open();
        for (number, &property) in open.iter().enumerate() {
            let timed = subject.get(property);
            let program::time::Question::Branching(formula) = &timed.question else { continue };
            let limits = limits.share(open.len() - number);
            match branching::decide(subject.facts.program, timed, formula, &limits) {
                Known::Holds(by, judgement) => {
                    let judgement = match judgement {
                        Judgement::Confirmed => Judgement::Undecided(ONLY_CIRCUIT.into()),
                        other => other,
                    };
                    let checked = Checked { certificate: Arc::new(Reason::Circuit), judgement };
                    // This verdict says nothing of the number of states.
                    ledger.proved(by.name(), property, Proof::Exhausted { states: 0 }, Some(checked));
                }
                Known::Violated(evidence) => {
                    ledger.reached(evidence.by.name(), property, Violation::Tree(evidence));
                }
                Known::Unknown(reason) => note(ledger, property, reason),
            }
        }
        Ok(())
    }
}
