//! Assignment, unit propagation and backtracking.
//!
//! Clauses with a variable outside the cone are left alone: the definitions they come from have not been
//! asked for, and whatever the cone's values are, theirs follow.

use super::clauses::{ClauseRef, Watch};
use super::{Cone, UNASSIGNED};
use crate::cnf::Lit;

impl Cone {
    #[inline]
    pub(super) fn is_true(&self, lit: Lit) -> bool {
        self.values[lit.index()] == 1
    }

    #[inline]
    pub(super) fn is_false(&self, lit: Lit) -> bool {
        self.values[lit.index()] == -1
    }

    pub(super) fn level(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn attach(&mut self, clause: ClauseRef) {
        let (a, b) = (self.clauses.lit(clause, 0), self.clauses.lit(clause, 1));
        let binary = self.clauses.size(clause) == 2;
        for (watched, blocker) in [(a, b), (b, a)] {
            self.watches[watched.index()].push(Watch::new(clause, blocker, binary));
        }
    }

    #[inline]
    pub(super) fn assign(&mut self, lit: Lit, reason: Option<ClauseRef>) {
        debug_assert_eq!(self.values[lit.index()], UNASSIGNED);
        self.values[lit.index()] = 1;
        self.values[(!lit).index()] = -1;
        let var = lit.var().index();
        self.reasons[var] = reason;
        self.assigned_at[var] = self.levels.len() as u32;
        self.trail.push(lit);
    }

    pub(super) fn decide(&mut self, lit: Lit) {
        self.levels.push(self.trail.len());
        self.assign(lit, None);
    }

    /// Undoes all levels above this one.
    pub(super) fn backtrack(&mut self, level: usize) {
        if self.level() <= level {
            return;
        }
        let keep = self.levels[level];
        for lit in self.trail.drain(keep..) {
            self.values[lit.index()] = UNASSIGNED;
            self.values[(!lit).index()] = UNASSIGNED;
            self.phases[lit.var().index()] = !lit.is_negative();
            if self.order_is_filled {
                self.order.insert(lit.var());
            }
        }
        self.levels.truncate(level);
        self.head = keep;
    }

    /// Assigns the consequences of the assignments so far; a clause that became false is the conflict.
    pub(super) fn propagate(&mut self) -> Option<ClauseRef> {
        while let Some(&lit) = self.trail.get(self.head) {
            self.head += 1;
            self.statistics.propagations += 1;
            let falsified = !lit;
            let mut watches = std::mem::take(&mut self.watches[falsified.index()]);
            let conflict = self.visit(falsified, &mut watches);
            self.watches[falsified.index()] = watches;
            if conflict.is_some() {
                self.head = self.trail.len();
                return conflict;
            }
        }
        None
    }

    /// Visits the clauses that watch a literal that became false. Those that find another literal to
    /// watch leave the list.
    fn visit(&mut self, falsified: Lit, watches: &mut Vec<Watch>) -> Option<ClauseRef> {
        let mut conflict = None;
        let mut kept = 0;
        for index in 0..watches.len() {
            let mut watch = watches[index];
            if conflict.is_none() && !self.is_true(watch.blocker) && self.is_in_cone(watch.blocker.var()) {
                if watch.is_binary() {
                    conflict = self.imply(watch.blocker, watch.clause());
                } else {
                    match self.rewatch(falsified, watch.clause()) {
                        Rewatched::Elsewhere => continue,
                        Rewatched::Here { other } => {
                            watch.blocker = other;
                            if !self.is_true(other) {
                                conflict = self.imply(other, watch.clause());
                            }
                        }
                    }
                }
            }
            watches[kept] = watch;
            kept += 1;
        }
        watches.truncate(kept);
        conflict
    }

    /// Makes the clause watch a literal that is not false instead, if it has one.
    fn rewatch(&mut self, falsified: Lit, clause: ClauseRef) -> Rewatched {
        if self.clauses.lit(clause, 0) == falsified {
            self.clauses.swap(clause, 0, 1);
        }
        let other = self.clauses.lit(clause, 0);
        if !self.is_true(other) {
            for position in 2..self.clauses.size(clause) {
                let lit = self.clauses.lit(clause, position);
                if !self.is_false(lit) {
                    self.clauses.swap(clause, 1, position);
                    self.watches[lit.index()].push(Watch::new(clause, other, false));
                    return Rewatched::Elsewhere;
                }
            }
        }
        Rewatched::Here { other }
    }

    /// All other literals of the clause are false.
    #[inline]
    fn imply(&mut self, lit: Lit, clause: ClauseRef) -> Option<ClauseRef> {
        if self.is_false(lit) {
            return Some(clause);
        }
        if self.is_in_cone(lit.var()) {
            self.assign(lit, Some(clause));
        }
        None
    }
}

enum Rewatched {
    Elsewhere,
    Here { other: Lit },
}
