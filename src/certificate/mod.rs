//! Certificates: why properties of a program are unreachable, in terms of the program itself.
//!
//! A certificate is an inductive invariant over the program's own 32-bit variables, whatever abstraction or encoding
//! it was found with: facts about single variables, clauses, and boxes of which one always holds. [`text`] writes and
//! reads it; a person can follow it.
//!
//! It is checked by code that shares nothing with what found it but the parsed program. Two ways lead there.
//! [`execute`] runs the program's statements on sets of states and needs no solver; it is what large sets of boxes
//! over arithmetic call for. [`solve`] turns the program into clauses, by an encoder of its own ([`encode`]), and asks
//! a fresh solver, about regions or about all bits; its answers can be logged, and [`lrat`] checks the log.

pub mod c_text;
pub mod certifier;
mod columns;
pub mod derive;
pub mod encode;
mod evaluate;
pub mod execute;
pub mod lrat;
mod merge;
mod set;
pub mod solve;
pub mod text;

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use crate::analysis::Values;
use crate::analysis::flow::Flow;
use crate::base::Interrupt;
use crate::expr::{ExprId, TableId, VarId};
use crate::program::{Program, PropertyId, Scope, StmtKind};
use crate::simulate::Simulator;

pub use merge::{Merged, merge};
pub use set::{NumberSet, Run};

/// An inductive invariant and what it excludes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The properties that no run reaches.
    pub excluded: Vec<PropertyId>,
    /// What holds in every state.
    pub facts: Vec<Fact>,
    /// In every state one of the literals of each clause holds.
    pub clauses: Vec<Vec<Literal>>,
    /// Every state lies in one of the boxes, if there are any.
    pub boxes: Vec<StateBox>,
    /// Where it helps to tell the numbers of a variable apart: in front of these. This is advice, not a claim. Without
    /// any, variables are cut where the program compares them.
    pub cuts: Vec<(VarId, Vec<i32>)>,
}

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The certificate holds of the program.
    Confirmed,
    /// It does not, for this reason.
    Refuted(String),
    /// The checker could not tell.
    Undecided(String),
}

/// A certificate, and what its check said.
#[derive(Debug, PartialEq, Eq)]
pub struct Checked<C = Certificate> {
    pub certificate: Arc<C>,
    pub judgement: Judgement,
}

impl<C> Clone for Checked<C> {
    fn clone(&self) -> Self {
        Checked { certificate: Arc::clone(&self.certificate), judgement: self.judgement.clone() }
    }
}

impl<C> Checked<C> {
    pub fn is_confirmed(&self) -> bool {
        self.judgement == Judgement::Confirmed
    }

    /// Why the certificate is wrong, if it is.
    pub fn refutation(&self) -> Option<&str> {
        match &self.judgement {
            Judgement::Refuted(reason) => Some(reason),
            Judgement::Confirmed | Judgement::Undecided(_) => None,
        }
    }
}

/// The time that a check may take while a run goes on: ten seconds or as much as the run has taken so far, and at most
/// half of what is left, so that the verdict is not lost.
pub fn share(interrupt: &Interrupt) -> Interrupt {
    let own = interrupt.narrowed();
    let now = own.elapsed();
    let most = Duration::from_secs(10).max(now);
    let left = interrupt.deadline().map_or(most, |end| end.saturating_sub(now) / 2);
    own.set_deadline(Some(now + most.min(left)));
    own
}

/// How a certificate was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Execution,
    Regions,
    Bits,
}

/// Checks a certificate in the way that suits it: what speaks of regions by execution or, if it has clauses, by a solver
/// over regions, and by a solver over bits if that does not do.
pub fn confirm(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> (Way, Judgement) {
    let (way, judgement) = match certificate.clauses.is_empty() {
        true => (Way::Execution, execute::confirm(program, certificate, interrupt)),
        false => (Way::Regions, solve::by_regions(program, certificate, interrupt)),
    };
    match judgement {
        Judgement::Undecided(first) if !interrupt.is_raised() => {
            match solve::by_bits(program, certificate, interrupt) {
                Judgement::Undecided(second) => {
                    (Way::Bits, Judgement::Undecided(format!("{first}; over bits, {second}")))
                }
                judgement => (Way::Bits, judgement),
            }
        }
        judgement => (way, judgement),
    }
}

/// Certificates without what others say too: of those with the same facts and boxes, one whose clauses another has is
/// left out, and that one excludes its properties as well.
pub fn combined<'c>(certificates: impl Iterator<Item = &'c Certificate>) -> Vec<Certificate> {
    let mut list: Vec<&Certificate> = certificates.collect();
    list.sort_by_key(|certificate| std::cmp::Reverse(certificate.clauses.len()));
    let mut kept: Vec<(Certificate, FxHashSet<&Vec<Literal>>)> = vec![];
    for certificate in list {
        let includes = |(other, clauses): &&mut (Certificate, FxHashSet<&Vec<Literal>>)| {
            other.facts == certificate.facts
                && certificate.clauses.iter().all(|clause| clauses.contains(clause))
                && other.boxes == certificate.boxes
        };
        match kept.iter_mut().find(includes) {
            Some((other, _)) => other.excluded.extend(&certificate.excluded),
            None => kept.push((certificate.clone(), certificate.clauses.iter().collect())),
        }
    }
    let finish = |(mut certificate, _): (Certificate, _)| {
        certificate.excluded.sort_unstable();
        certificate.excluded.dedup();
        certificate
    };
    kept.into_iter().map(finish).collect()
}

/// What a fact or a literal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    Variable(VarId),
    /// One cell of a table that is written.
    Cell(TableId, usize),
    /// Every cell of a table that is written.
    Cells(TableId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The place has one of these numbers.
    In(Place, NumberSet),
    /// Both places have the same number.
    Equal(Place, Place),
}

impl Fact {
    /// What the flow of values knows about each state of a program.
    fn of_flow(flow: &Flow) -> Vec<Fact> {
        let program = flow.head.program;
        let globals = (0..program.variables.len()).filter(|&index| program.variables[index].scope == Scope::Global);
        let known = globals.map(VarId::new).filter(|&variable| *flow.head.get(variable) != Values::ANY);
        let values = known.map(|variable| (Place::Variable(variable), flow.head.get(variable)));
        let written = (0..program.tables.len()).filter(|&index| program.tables[index].written);
        let cells = written.map(|index| (Place::Cells(TableId::new(index)), &flow.head.cells()[index]));
        values.chain(cells).map(|(place, values)| Fact::In(place, NumberSet::of(values))).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    In(Place, NumberSet),
    /// A bit of the number in two's complement, counted from the lowest, has this value.
    Bit(Place, u32, bool),
}

/// The variables that are told apart lie in these sets; the others may have any value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateBox {
    pub sides: Vec<(VarId, NumberSet)>,
}

impl Place {
    fn variable(self) -> Option<VarId> {
        match self {
            Place::Variable(variable) => Some(variable),
            Place::Cell(..) | Place::Cells(_) => None,
        }
    }

    /// The numbers that the current state has there.
    fn numbers<'s>(self, state: &'s Simulator) -> &'s [i32] {
        match self {
            Place::Variable(variable) => std::slice::from_ref(&state.state().variables[variable.index()]),
            Place::Cell(table, index) => std::slice::from_ref(&state.cells(table)[index]),
            Place::Cells(table) => state.cells(table),
        }
    }
}

/// What the start of a program says about a certificate; `None` if the steps are still to be looked at.
fn judge_start(program: &Program, certificate: &Certificate) -> Option<Judgement> {
    let start = Simulator::new(program);
    let reached = certificate.excluded.iter().find(|&&property| start.opening().reaches(property));
    if let Some(property) = reached {
        return Some(Judgement::Refuted(format!("the setup reaches {}", program.property(*property).name)));
    }
    if start.end().is_some() {
        return Some(Judgement::Confirmed);
    }
    (!certificate.holds_in(&start)).then(|| Judgement::Refuted("the first state is not in the invariant".into()))
}

/// Per variable: whether a guard, a claim of a certificate or what a table holds depends on it.
fn relevant(program: &Program, certificate: &Certificate) -> Vec<bool> {
    let mut relevant = vec![false; program.variables.len()];
    let mut sources: Vec<Vec<ExprId>> = vec![vec![]; program.variables.len()];
    let mut pending: Vec<VarId> = certificate.sides().map(|(variable, _)| *variable).collect();
    let in_facts = certificate.facts.iter().flat_map(|fact| match fact {
        Fact::In(place, _) => vec![*place],
        Fact::Equal(a, b) => vec![*a, *b],
    });
    let in_clauses = certificate.clauses.iter().flatten().map(|literal| match literal {
        Literal::In(place, _) | Literal::Bit(place, ..) => *place,
    });
    pending.extend(in_facts.chain(in_clauses).filter_map(Place::variable));
    for stmt in &program.stmts {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => sources[variable.index()].push(*value),
            StmtKind::Print { .. } | StmtKind::Halt(_) => {}
            kind => pending.extend(kind.expressions().into_iter().flat_map(|id| program.exprs.variables(id))),
        }
    }
    while let Some(variable) = pending.pop() {
        if !std::mem::replace(&mut relevant[variable.index()], true) {
            pending.extend(sources[variable.index()].iter().flat_map(|&id| program.exprs.variables(id)));
        }
    }
    relevant
}

impl Certificate {
    /// All sides of all boxes.
    fn sides(&self) -> impl Iterator<Item = &(VarId, NumberSet)> {
        self.boxes.iter().flat_map(|state_box| &state_box.sides)
    }

    /// Whether the current state satisfies the invariant.
    pub fn holds_in(&self, state: &Simulator) -> bool {
        let numbers = |place: Place| place.numbers(state);
        let has = |place: Place, set: &NumberSet| numbers(place).iter().all(|&number| set.contains(number));
        let fact = |fact: &Fact| match fact {
            Fact::In(place, set) => has(*place, set),
            Fact::Equal(a, b) => numbers(*a) == numbers(*b),
        };
        let literal = |literal: &Literal| match literal {
            Literal::In(place, set) => has(*place, set),
            Literal::Bit(place, bit, value) => numbers(*place).iter().all(|number| (number >> bit & 1 == 1) == *value),
        };
        let inside =
            |state_box: &StateBox| state_box.sides.iter().all(|(variable, set)| has(Place::Variable(*variable), set));
        self.facts.iter().all(fact)
            && self.clauses.iter().all(|clause| clause.iter().any(literal))
            && (self.boxes.is_empty() || self.boxes.iter().any(inside))
    }

    /// The certificate that states visited by a search give: the flow's values, and boxes over `variables`.
    /// `interval` tells which numbers of a variable one of its value numbers stands for.
    pub fn of_visited(
        flow: &Flow,
        excluded: Vec<PropertyId>,
        variables: &[VarId],
        numbers: &[i32],
        interval: impl Fn(VarId, u32) -> (i32, i32),
    ) -> Certificate {
        let program = flow.head.program;
        let merged = merge(numbers, variables.len());
        let mut certificate = Certificate { excluded, ..Certificate::default() };
        let set = |column: usize, index: u32| merged.numbers(index, |number| interval(variables[column], number));
        let mut sides = vec![];
        for (column, &variable) in variables.iter().enumerate() {
            let mut values = flow.head.get(variable).clone();
            let first = merged.boxes.first().map_or(0, |row| row[column]);
            let common = set(column, first);
            match (merged.boxes.iter().all(|row| row[column] == first), common.runs()) {
                // What all boxes have in common is said once.
                (true, [run]) => values = values.within(run.low, run.high),
                _ => sides.push(column),
            }
            certificate.facts.push(Fact::In(Place::Variable(variable), NumberSet::of(&values)));
        }
        // The search does not keep what never changes, or what each step writes before it reads it.
        for index in (0..program.variables.len()).filter(|&index| program.variables[index].scope == Scope::Global) {
            let variable = VarId::new(index);
            if !variables.contains(&variable) && *flow.head.get(variable) != Values::ANY {
                let values = NumberSet::of(flow.head.get(variable));
                certificate.facts.push(Fact::In(Place::Variable(variable), values));
            }
        }
        for index in (0..program.tables.len()).filter(|&index| program.tables[index].written) {
            let values = NumberSet::of(&flow.head.cells()[index]);
            certificate.facts.push(Fact::In(Place::Cells(TableId::new(index)), values));
        }
        if !sides.is_empty() {
            let side = |row: &[u32], column: usize| (variables[column], set(column, row[column]));
            let state_box = |row: &[u32]| StateBox { sides: sides.iter().map(|&column| side(row, column)).collect() };
            certificate.boxes = merged.boxes.iter().map(|row| state_box(row)).collect();
        }
        certificate
    }
}
