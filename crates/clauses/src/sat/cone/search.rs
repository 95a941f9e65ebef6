//! The search: propagate, learn from conflicts, take the assumptions as the first decisions, then decide the rest of
//! the cone.

use super::clauses::ClauseRef;
use super::{Cone, UNASSIGNED};
use crate::cnf::{Lit, Var};
use crate::sat::Answer;

/// Conflicts before the first restart; later ones are multiples by the sequence of Luby.
const RESTART: u64 = 100;

impl Cone {
    /// Searches for a model within the cone.
    pub(super) fn search(&mut self, assumptions: &[Lit]) -> Answer {
        for restarts in 1.. {
            if let Some(answer) = self.search_until_restart(assumptions, RESTART * luby(restarts)) {
                return answer;
            }
        }
        unreachable!("the restarts have no end")
    }

    /// `None` if this many conflicts have not been enough.
    fn search_until_restart(&mut self, assumptions: &[Lit], mut conflicts: u64) -> Option<Answer> {
        loop {
            if let Some(conflict) = self.propagate() {
                if !self.handle_conflict(conflict) {
                    return Some(Answer::Unsatisfiable);
                }
                conflicts = conflicts.saturating_sub(1);
                if self.statistics.conflicts.is_multiple_of(64) && self.interrupt.is_raised() {
                    return Some(Answer::Unknown);
                }
                let taken = self.statistics.conflicts - self.conflicts_before;
                if self.conflict_limit.is_some_and(|limit| taken > limit) {
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
        if !self.order_is_filled || self.order.is_outgrown() {
            self.order_is_filled = true;
            self.order.clear();
            // The last variable into a bucket is the first out of it.
            for &var in self.cone.iter().rev() {
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

    /// Learns from a conflict and goes back; false if there is nowhere to go.
    fn handle_conflict(&mut self, conflict: ClauseRef) -> bool {
        self.statistics.conflicts += 1;
        if self.level() == 0 {
            self.inconsistent = true;
            return false;
        }
        let level = self.analyze(conflict);
        let glue = self.glue();
        self.backtrack(level);
        self.learn(glue);
        true
    }

    /// Takes in the clause of `self.learnt` after going back, and assigns the literal that it asserts.
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

#[test]
fn the_sequence_of_luby() {
    let sequence: Vec<u64> = (1..=15).map(luby).collect();
    assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
}
