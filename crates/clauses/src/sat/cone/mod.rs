//! A CDCL solver for the queries of IC3: many, small, all about the same circuit.
//!
//! It is a MiniSat (Een, Sorensson, SAT 2003) with three differences, which follow GipSAT (Su, Yang, Ci, Bu,
//! Huang, "Deeply Optimizing the SAT Solver for the IC3 Algorithm", CAV 2025):
//!
//! - It knows which variables are defined by which others. A call decides and propagates only in the *cone* of its
//!   question: the variables of assumptions, of the temporary clause and of clauses that are not definitions, and the
//!   variables that define these. A model leaves the others open. Most queries are about a few latches, so most of the
//!   circuit is never touched.
//! - The temporary clause is guarded by one activation variable that is used again and again: clauses
//!   learnt from it contain the guard, and are dropped after the call.
//! - Nothing is done between calls that would pay off only in long ones.

mod analyze;
mod clauses;
mod order;
mod propagate;
mod search;
mod upkeep;

use std::ops::Range;

use clauses::{ClauseRef, Clauses, Watch};
use order::Order;

use super::{Answer, Interrupt, Solver, Statistics};
use crate::cnf::{Lit, Var};

const UNASSIGNED: i8 = 0;
/// In place of the number of a call: in the cone of every call.
const ALWAYS: u32 = u32::MAX;

#[derive(Default)]
pub struct Cone {
    clauses: Clauses,
    watches: Vec<Vec<Watch>>,
    /// By literal: 1, -1 or [`UNASSIGNED`].
    values: Vec<i8>,
    /// By variable: the last value it had, to be tried first.
    phases: Vec<bool>,
    reasons: Vec<Option<ClauseRef>>,
    assigned_at: Vec<u32>,
    trail: Vec<Lit>,
    /// Where in the trail each decision level begins.
    levels: Vec<usize>,
    head: usize,
    order: Order,
    /// The order is filled with the cone at the first free decision; many calls have none.
    order_is_filled: bool,

    /// By variable: where among `all_operands` those are that define it.
    operands: Vec<Range<u32>>,
    all_operands: Vec<Var>,
    /// By variable: the last call whose cone it was in.
    cone_of_call: Vec<u32>,
    call: u32,
    /// The variables of this call's cone, after those of every call's.
    cone: Vec<Var>,
    always: usize,

    guard: Option<Var>,
    guarded: Vec<ClauseRef>,
    learnts: Vec<ClauseRef>,
    learnt_growth: usize,
    /// The clauses themselves are contradictory.
    inconsistent: bool,

    learnt: Vec<Lit>,
    /// By literal: the last call that it failed in as an assumption.
    failed_in: Vec<u32>,
    seen: Vec<bool>,
    to_clear: Vec<Lit>,
    level_stamps: Vec<u32>,
    level_stamp: u32,
    interrupt: Interrupt,
    /// The most conflicts that a call may take, and how many there were before this one.
    conflict_limit: Option<u64>,
    conflicts_before: u64,
    statistics: Statistics,
}

impl Cone {
    /// Assignments at level 0 hold in all calls, so there the cone is everything: a clause whose watched literals both
    /// became false unnoticed would be lost to later calls.
    #[inline]
    fn is_in_cone(&self, var: Var) -> bool {
        self.cone_of_call[var.index()] >= self.call || self.levels.is_empty()
    }

    /// Adds variables and their definitions to the cone, for this call or ([`ALWAYS`]) for good.
    fn extend_cone(&mut self, vars: impl Iterator<Item = Var>, call: u32) {
        let first = self.cone.len();
        for var in vars {
            if self.cone_of_call[var.index()] < call {
                self.cone_of_call[var.index()] = call;
                self.cone.push(var);
            }
        }
        let mut next = first;
        while let Some(&var) = self.cone.get(next) {
            next += 1;
            let Range { start, end } = self.operands[var.index()];
            for &operand in &self.all_operands[start as usize..end as usize] {
                if self.cone_of_call[operand.index()] < call {
                    self.cone_of_call[operand.index()] = call;
                    self.cone.push(operand);
                }
            }
        }
    }

    /// Adds a clause between calls, simplified by the assignments at level 0.
    fn add_simplified(&mut self, clause: &[Lit]) -> Option<ClauseRef> {
        self.backtrack(0);
        let mut lits: Vec<Lit> = clause.to_vec();
        lits.sort_unstable();
        lits.dedup();
        let tautology = lits.windows(2).any(|pair| pair[0] == !pair[1]);
        if tautology || lits.iter().any(|&lit| self.is_true(lit)) {
            return None;
        }
        lits.retain(|&lit| !self.is_false(lit));
        match *lits.as_slice() {
            [] => self.inconsistent = true,
            [unit] => self.assign(unit, None),
            _ => {
                let clause = self.clauses.add(&lits, 0);
                self.attach(clause);
                return Some(clause);
            }
        }
        None
    }

    /// The activation variable. A temporary clause that contradicts the others fixes it to false; then
    /// it takes another.
    fn free_guard(&mut self) -> Var {
        match self.guard {
            Some(guard) if self.values[guard.positive().index()] == UNASSIGNED => guard,
            _ => {
                self.statistics.retired += u64::from(self.guard.is_some());
                let guard = self.new_var();
                self.guard = Some(guard);
                guard
            }
        }
    }
}

impl Solver for Cone {
    fn new_var(&mut self) -> Var {
        let var = Var(self.reasons.len() as u32);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.extend([UNASSIGNED; 2]);
        self.failed_in.extend([0; 2]);
        self.phases.push(true);
        self.reasons.push(None);
        self.assigned_at.push(0);
        self.operands.push(0..0);
        self.cone_of_call.push(0);
        self.seen.push(false);
        self.order.new_var();
        var
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.reset();
        self.extend_cone(clause.iter().map(|lit| lit.var()), ALWAYS);
        self.always = self.cone.len();
        self.add_simplified(clause);
    }

    fn add_definition(&mut self, var: Var, operands: &[Var], clauses: &[&[Lit]]) {
        let start = self.all_operands.len() as u32;
        self.all_operands.extend(operands);
        self.operands[var.index()] = start..self.all_operands.len() as u32;
        for clause in clauses {
            self.add_simplified(clause);
        }
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: Option<&[Lit]>) -> Answer {
        self.statistics.solves += 1;
        self.conflicts_before = self.statistics.conflicts;
        self.reset();
        self.call += 1;
        self.extend_cone(assumptions.iter().map(|lit| lit.var()), self.call);
        let mut all = Vec::with_capacity(assumptions.len() + 1);
        if let Some(clause) = temporary {
            let guard = self.free_guard();
            self.extend_cone(clause.iter().map(|lit| lit.var()).chain([guard]), self.call);
            let mut guarded = clause.to_vec();
            guarded.push(guard.negative());
            let added = self.add_simplified(&guarded);
            self.guarded.extend(added);
            all.push(guard.positive());
        }
        all.extend(assumptions);
        if self.inconsistent {
            return Answer::Unsatisfiable;
        }
        if self.interrupt.is_raised() {
            return Answer::Unknown;
        }
        self.search(&all)
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        match self.values[lit.index()] {
            UNASSIGNED => None,
            value => Some(value == 1),
        }
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.failed_in[assumption.index()] == self.call
    }

    fn prefer(&mut self, lit: Lit) {
        self.phases[lit.var().index()] = !lit.is_negative();
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    fn limit_conflicts(&mut self, most: u64) {
        self.conflict_limit = Some(most);
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
