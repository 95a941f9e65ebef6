//! A CDCL solver for the queries of IC3: many, small, all about the same circuit.
//!
//! It is a MiniSat (Een, Sorensson, SAT 2003) with three differences, which follow GipSAT (Su, Yang, Ci, Bu,
//! Huang, "Deeply Optimizing the SAT Solver for the IC3 Algorithm", CAV 2025):
//!
//! - It knows which variables are defined by which others. A call decides and propagates only in the
//!   *cone* of what it is about: the variables of assumptions, of the temporary clause and of clauses
//!   that are not definitions, and what these are defined by. A model leaves the others open. Most
//!   queries are about a few latches, so most of the circuit is never touched.
//! - The temporary clause is guarded by one activation variable that is used again and again: clauses
//!   learnt from it contain the guard, and are dropped after the call.
//! - Nothing is done between calls that would pay off only in long ones.

mod analyze;
mod clauses;
mod order;
mod propagate;

use std::ops::Range;

use clauses::{ClauseRef, Clauses, Watch};
use order::Order;

use super::{Answer, Interrupt, Solver, Statistics};
use crate::cnf::{Lit, Var};

const UNASSIGNED: i8 = 0;
/// Conflicts before the first restart; later ones are multiples by the sequence of Luby.
const RESTART: u64 = 100;
/// Clauses with at most this glue are kept.
const GOOD_GLUE: u32 = 2;
/// Learnt clauses to keep at first.
const LEARNTS: usize = 2000;
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
    statistics: Statistics,
}

impl Cone {
    /// What holds at level 0 holds in all calls, so there the cone is everything: a clause whose watched
    /// literals both became false unnoticed would be lost to later calls.
    #[inline]
    fn is_in_cone(&self, var: Var) -> bool {
        self.cone_of_call[var.index()] >= self.call || self.levels.is_empty()
    }

    /// Adds variables and what defines them to the cone, for this call or ([`ALWAYS`]) for good.
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

    /// Adds a clause between calls, simplified by what holds at level 0.
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

    /// Takes in the clause of `self.learnt` after going back, and assigns what it asserts.
    fn learn(&mut self, glue: u32) {
        let asserted = self.learnt[0];
        if self.learnt.len() == 1 {
            self.assign(asserted, None);
            return;
        }
        let clause = self.clauses.add(&self.learnt, glue);
        self.attach(clause);
        let guarded = |lit: &Lit| Some(lit.var()) == self.guard;
        if self.learnt.iter().any(guarded) {
            self.guarded.push(clause);
        } else {
            self.learnts.push(clause);
        }
        self.assign(asserted, Some(clause));
    }

    /// Searches for a model within the cone; `None` says that it is time for a restart.
    fn search(&mut self, assumptions: &[Lit], mut conflicts: u64) -> Option<Answer> {
        loop {
            if let Some(conflict) = self.propagate() {
                self.statistics.conflicts += 1;
                if self.level() == 0 {
                    self.inconsistent = true;
                    return Some(Answer::Unsatisfiable);
                }
                let level = self.analyze(conflict);
                let glue = self.glue();
                self.backtrack(level);
                self.learn(glue);
                conflicts = conflicts.saturating_sub(1);
                if self.statistics.conflicts.is_multiple_of(64) && self.interrupt.is_raised() {
                    return Some(Answer::Unknown);
                }
            } else if conflicts == 0 {
                self.backtrack(0);
                return None;
            } else if let Some(&assumption) = assumptions.get(self.level()) {
                if self.is_false(assumption) {
                    self.analyze_final(assumption);
                    return Some(Answer::Unsatisfiable);
                }
                if self.is_true(assumption) {
                    // Keeps levels and assumptions in step.
                    self.levels.push(self.trail.len());
                } else {
                    self.decide(assumption);
                }
            } else if let Some(var) = self.next_decision() {
                self.statistics.decisions += 1;
                if self.statistics.decisions.is_multiple_of(1024) && self.interrupt.is_raised() {
                    return Some(Answer::Unknown);
                }
                self.decide(var.literal(self.phases[var.index()]));
            } else {
                return Some(Answer::Satisfiable);
            }
        }
    }

    fn next_decision(&mut self) -> Option<Var> {
        if !self.order_is_filled {
            self.order_is_filled = true;
            self.order.clear();
            for &var in &self.cone {
                if self.values[var.positive().index()] == UNASSIGNED {
                    self.order.insert(var);
                }
            }
        }
        loop {
            let var = self.order.pop()?;
            if self.values[var.positive().index()] == UNASSIGNED {
                return Some(var);
            }
        }
    }

    /// Forgets the worse half of the learnt clauses when there are many, between calls.
    fn reduce(&mut self) {
        if self.learnts.len() < LEARNTS + self.learnt_growth {
            return;
        }
        self.learnt_growth += LEARNTS / 20;
        let mut learnts = std::mem::take(&mut self.learnts);
        // Stable, so among equals the older go first.
        learnts.sort_by_key(|&clause| std::cmp::Reverse(self.clauses.glue(clause)));
        let half = learnts.len() / 2;
        for &clause in &learnts[..half] {
            if self.clauses.glue(clause) > GOOD_GLUE {
                self.clauses.delete(clause);
            }
        }
        self.learnts = learnts;
        self.collect();
    }

    /// Copies the clauses that are neither deleted nor satisfied at level 0 and watches them anew.
    fn collect(&mut self) {
        for watches in &mut self.watches {
            watches.clear();
        }
        let old = std::mem::take(&mut self.clauses);
        self.learnts.clear();
        let mut lits = Vec::new();
        for clause in old.iter() {
            lits.clear();
            lits.extend(old.lits(clause));
            // False literals stay: propagation may not have reached the clause yet.
            if lits.iter().any(|&lit| self.is_true(lit)) {
                continue;
            }
            // Watches must not be on literals that are already false.
            lits.sort_by_key(|&lit| self.is_false(lit));
            let glue = old.glue(clause);
            let copy = self.clauses.add(&lits, glue);
            self.attach(copy);
            if glue > 0 {
                self.learnts.push(copy);
            }
        }
        self.head = 0;
    }

    /// Back to level 0, with nothing left of the last call's temporary clause.
    fn reset(&mut self) {
        self.order_is_filled = false;
        self.backtrack(0);
        for clause in std::mem::take(&mut self.guarded) {
            self.detach(clause);
        }
        self.cone.truncate(self.always);
        if self.clauses.is_wasteful() {
            self.collect();
        }
        self.reduce();
    }

    fn detach(&mut self, clause: ClauseRef) {
        for position in 0..2 {
            let watched = self.clauses.lit(clause, position);
            self.watches[watched.index()].retain(|watch| watch.clause() != clause);
        }
        self.clauses.delete(clause);
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
        for restarts in 1.. {
            if let Some(answer) = self.search(&all, RESTART * luby(restarts)) {
                return answer;
            }
        }
        unreachable!("the restarts have no end")
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

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

/// 1, 1, 2, 1, 1, 2, 4, ... (Luby, Sinclair, Zuckerman, 1993), counted from 1.
fn luby(mut index: u64) -> u64 {
    loop {
        let power = (index + 1).next_power_of_two();
        if power == index + 1 {
            return power / 2;
        }
        index -= power / 2 - 1;
    }
}
