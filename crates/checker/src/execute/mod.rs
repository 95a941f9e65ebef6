//! A certificate checked by execution: the program's statements run on sets of states.
//!
//! From each box the step is walked along every path (`walk`) that its states may take, on what is known about
//! versions of the variables (`path`): all that a box leaves open stays open until a guard reads it. Each path must end
//! in the boxes (`cover`) and facts again, and none may reach what is claimed to be out of reach (`prove`). A guard
//! that fails says little, so it is only remembered; if a path's end is not as claimed, what was remembered is used
//! (`propagate`), and the end is split by what matters there, on this path alone. If the end is still not as claimed,
//! single states are tried in the simulator (`refute`).
//!
//! So the effort is about the number of paths, and of these a box has as many as rules can fire in it, and not the number
//! of combinations of what its variables can be. What an expression can be is found by arithmetic on sets of numbers.
//!
//! Nothing is shared with the search that found the boxes: not its abstract program, its decision trees, its machine
//! code, its arithmetic. Only the parsed program serves both.

mod claims;
mod conditions;
mod cover;
mod images;
mod path;
mod propagate;
mod prove;
mod refute;
mod sources;
mod walk;

use std::rc::Rc;

use redoubt_base::Interrupt;
use redoubt_program::expr::{ExprId, TableId};
use redoubt_program::program::{Place, Program};

use super::interval::{Arithmetic, Environment};
use super::relevant::relevant;
use super::{Certificate, Fact, Judgement, NumberSet, StateBox};
use claims::Claims;
use conditions::{ConditionId, Conditions};
use cover::Cover;
use images::Images;
use path::Path;
use refute::Trial;
use sources::{SourceId, Sources};
use walk::Rest;

/// Whether a certificate holds of a program, as far as execution can tell. Boxes and facts about single variables and
/// whole tables, equalities of variables and clauses about sets are followed.
pub fn confirm(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
    if let Some(judgement) = super::judge_start(program, certificate) {
        return judgement;
    }
    match Executor::new(program, certificate, interrupt) {
        Some(mut executor) => executor.run(),
        None => Judgement::Undecided("a claim is in a form that cannot be executed".into()),
    }
}

/// All values of all inputs are told apart at once if there are at most so many combinations.
const MOST_LISTED: u64 = 64;

struct Executor<'c, 'p> {
    program: &'p Program,
    certificate: &'c Certificate,
    sources: Sources,
    images: Images<'p>,
    conditions: Conditions<'p>,
    cover: Cover,
    path: Path,
    trial: Trial<'p>,
    claims: Claims,
    /// Per property: whether it is claimed to be unreachable.
    excluded: Vec<bool>,
    /// Per variable: whether anything depends on it.
    relevant: Vec<bool>,
    interrupt: &'c Interrupt,
    /// Whether ways that meet again go on as one, and whether any did.
    joins: bool,
    joined: bool,
    steps: u64,
    /// The parts that the end of the current path may still be split into.
    parts: usize,
    /// What could not be shown.
    reason: String,
}

impl<'c, 'p> Executor<'c, 'p> {
    /// `None` if a claim is in a form that is not followed.
    fn new(program: &'p Program, certificate: &'c Certificate, interrupt: &'c Interrupt) -> Option<Executor<'c, 'p>> {
        let mut arithmetic = Arithmetic::new(program);
        let mut told = vec![false; program.tables.len()];
        for fact in &certificate.facts {
            match fact {
                Fact::In(Place::Variable(_), _) | Fact::Equal(..) => {}
                // What is stored is compared with one fact only.
                Fact::Cells(table, numbers) if !told[table.index()] => {
                    told[table.index()] = true;
                    arithmetic.set_cells(*table, numbers.clone());
                }
                _ => return None,
            }
        }
        let sources = Sources::new(program, certificate)?;
        let mut conditions = Conditions::new(program);
        let mut excluded = vec![false; program.properties.len()];
        certificate.excluded.iter().for_each(|property| excluded[property.index()] = true);
        Some(Executor {
            program,
            certificate,
            images: Images::new(program, arithmetic),
            claims: Claims::new(certificate, &sources, &mut conditions)?,
            conditions,
            cover: Cover::new(&certificate.boxes, &sources)?,
            path: Path::new(&sources),
            trial: Trial::new(program),
            sources,
            excluded,
            relevant: relevant(program, certificate),
            interrupt,
            joins: true,
            joined: false,
            steps: 0,
            parts: 0,
            reason: String::new(),
        })
    }

    fn run(&mut self) -> Judgement {
        let certificate = self.certificate;
        if !self.assume_claims() {
            // There are no states that it speaks of.
            return Judgement::Confirmed;
        }
        if certificate.boxes.is_empty() {
            let holds = self.steps_hold(&StateBox::default());
            return self.judgement(holds, String::new());
        }
        for (index, state_box) in certificate.boxes.iter().enumerate() {
            if !self.steps_hold(state_box) {
                return self.judgement(false, format!("from box {}: ", index + 1));
            }
        }
        Judgement::Confirmed
    }

    /// What the facts and clauses say about the states that steps begin with.
    fn assume_claims(&mut self) -> bool {
        for source in self.sources.variables() {
            let first = self.path.first(source);
            let known = self.path.values(first).meet(self.sources.known(source));
            if known.is_empty() {
                return false;
            }
            self.narrow(first, known);
        }
        let clauses = std::mem::take(&mut self.claims.clauses);
        let hold = clauses.iter().all(|&clause| self.assume(clause));
        self.claims.clauses = clauses;
        hold
    }

    fn judgement(&mut self, holds: bool, whence: String) -> Judgement {
        if holds {
            return Judgement::Confirmed;
        }
        if let Some(step) = self.trial.found.take() {
            return Judgement::Refuted(step);
        }
        if self.interrupt.is_raised() {
            return Judgement::Undecided("time is up".into());
        }
        Judgement::Undecided(format!("{whence}{}", self.reason))
    }

    /// Whether every step from a box is as claimed.
    fn steps_hold(&mut self, state_box: &StateBox) -> bool {
        let mark = self.path.mark();
        let mut is_empty = false;
        for (variable, numbers) in &state_box.sides {
            let version = self.path.first(Sources::of_variable(*variable));
            let inside = self.path.values(version).meet(numbers);
            is_empty |= inside.is_empty();
            self.narrow(version, inside);
        }
        let inputs: Vec<SourceId> = self.sources.inputs().collect();
        let combinations =
            inputs.iter().try_fold(1_u64, |all, input| all.checked_mul(self.sources.known(*input).count()));
        // Most programs decide by their inputs first.
        let listed = if combinations.is_some_and(|count| count <= MOST_LISTED) { &inputs[..] } else { &[] };
        (self.joins, self.joined) = (true, false);
        let mut holds = is_empty || self.for_each_input(listed);
        if !holds && self.joined && self.trial.found.is_none() {
            self.joins = false;
            self.reason.clear();
            holds = self.for_each_input(listed);
        }
        self.path.back_to(mark);
        holds
    }

    /// Takes the steps for each value of some inputs.
    fn for_each_input(&mut self, inputs: &[SourceId]) -> bool {
        let Some((&input, others)) = inputs.split_first() else {
            let step = std::slice::from_ref(&self.program.step);
            let mark = self.path.mark();
            let holds = self.walk(Rc::new(Rest::Then(step, Rc::new(Rest::End))), false);
            self.path.back_to(mark);
            return holds;
        };
        let numbers = Rc::clone(self.sources.known(input));
        numbers.iter().all(|number| {
            let mark = self.path.mark();
            self.narrow(self.path.first(input), NumberSet::one(number));
            let holds = self.for_each_input(others);
            self.path.back_to(mark);
            holds
        })
    }

    fn condition(&mut self, expr: ExprId, truth: bool) -> ConditionId {
        self.conditions.of(&self.sources, &self.images, expr, truth)
    }

    /// The tables that a pointer may point to now.
    fn targets(&self, pointer: ExprId) -> Vec<TableId> {
        let read = self.images.reads(&self.sources, pointer);
        let values = |source: &SourceId| (**self.path.values(self.path.current(*source))).clone();
        let environment: Environment = read.iter().map(|source| (self.sources.name(*source), values(source))).collect();
        self.images.arithmetic.targets(pointer, &environment)
    }

    /// Whether the work is to end; looked at now and then.
    fn is_interrupted(&mut self) -> bool {
        self.steps += 1;
        self.steps.is_multiple_of(256) && self.interrupt.is_raised()
    }
}
