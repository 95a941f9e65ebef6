//! Between calls: forget the assignments of the last one, and now and then old learnt clauses.

use super::Cone;
use super::clauses::ClauseRef;

/// Clauses with at most this glue are kept.
const GOOD_GLUE: u32 = 2;
/// Learnt clauses to keep at first.
const LEARNTS: usize = 2000;

impl Cone {
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
    pub(super) fn reset(&mut self) {
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
