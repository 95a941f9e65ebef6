//! Conflict analysis: from a false clause to a learnt one, and from a false assumption to the assumptions
//! it contradicts.

use super::Cone;
use super::clauses::ClauseRef;
use crate::cnf::Lit;

impl Cone {
    /// Learns the clause of the first unique implication point (Marques-Silva, Sakallah, ICCAD 1996;
    /// Zhang, Madigan, Moskewicz, Malik, ICCAD 2001) into `self.learnt`, its asserting literal first and
    /// a literal of the level to go back to second. Returns that level.
    pub(super) fn analyze(&mut self, conflict: ClauseRef) -> usize {
        self.learnt.clear();
        let mut clause = conflict;
        let mut open = 0;
        let mut position = self.trail.len();
        let mut resolved = None;
        let asserting = loop {
            open += self.resolve(clause, resolved);
            let lit = loop {
                position -= 1;
                let lit = self.trail[position];
                if self.seen[lit.var().index()] {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                break lit;
            }
            resolved = Some(lit);
            clause = self.reasons[lit.var().index()].expect("only a decision has no reason");
        };
        self.learnt.insert(0, !asserting);
        self.minimize();
        for lit in self.to_clear.drain(..) {
            self.seen[lit.var().index()] = false;
        }
        self.order.decay();
        self.backjump_level()
    }

    /// Marks the literals of a clause and keeps those of earlier levels; returns how many are of this.
    fn resolve(&mut self, clause: ClauseRef, resolved: Option<Lit>) -> usize {
        let mut of_this_level = 0;
        for position in 0..self.clauses.size(clause) {
            let lit = self.clauses.lit(clause, position);
            let var = lit.var();
            let level = self.assigned_at[var.index()];
            if Some(lit) == resolved || level == 0 || self.seen[var.index()] {
                continue;
            }
            self.seen[var.index()] = true;
            self.to_clear.push(lit);
            self.order.bump(var);
            if level as usize == self.level() {
                of_this_level += 1;
            } else {
                self.learnt.push(lit);
            }
        }
        of_this_level
    }

    /// Drops literals whose reason is among the rest of the clause (Sorensson, Biere, SAT 2009, locally).
    fn minimize(&mut self) {
        let mut learnt = std::mem::take(&mut self.learnt);
        let mut first = true;
        learnt.retain(|lit| std::mem::take(&mut first) || !self.is_implied(*lit));
        self.learnt = learnt;
    }

    fn is_implied(&self, lit: Lit) -> bool {
        let covered = |other: Lit| {
            let var = other.var().index();
            self.seen[var] || self.assigned_at[var] == 0
        };
        self.reasons[lit.var().index()].is_some_and(|reason| {
            let mut lits = self.clauses.lits(reason);
            lits.all(|other| other.var() == lit.var() || covered(other))
        })
    }

    /// Puts a literal of the highest level but the asserting one's second.
    fn backjump_level(&mut self) -> usize {
        let level = |lit: Lit| self.assigned_at[lit.var().index()];
        let rest = 1..self.learnt.len();
        match rest.max_by_key(|&position| level(self.learnt[position])) {
            None => 0,
            Some(position) => {
                self.learnt.swap(1, position);
                self.assigned_at[self.learnt[1].var().index()] as usize
            }
        }
    }

    /// The number of levels in the learnt clause, a guess at how useful it will be (Audemard, Simon,
    /// IJCAI 2009).
    pub(super) fn glue(&mut self) -> u32 {
        self.level_stamp += 1;
        let mut glue = 0;
        for lit in &self.learnt {
            let level = self.assigned_at[lit.var().index()] as usize;
            if self.level_stamps.len() <= level {
                self.level_stamps.resize(level + 1, 0);
            }
            if self.level_stamps[level] != self.level_stamp {
                self.level_stamps[level] = self.level_stamp;
                glue += 1;
            }
        }
        glue
    }

    /// The assumptions that make this one false, itself included, marked as failed.
    pub(super) fn analyze_final(&mut self, assumption: Lit) {
        self.failed_in[assumption.index()] = self.call;
        self.seen[assumption.var().index()] = true;
        let bottom = self.levels.first().copied().unwrap_or(self.trail.len());
        for position in (bottom..self.trail.len()).rev() {
            let lit = self.trail[position];
            let var = lit.var().index();
            if !std::mem::take(&mut self.seen[var]) {
                continue;
            }
            match self.reasons[var] {
                // A decision: all are assumptions so far.
                None => self.failed_in[lit.index()] = self.call,
                Some(reason) => {
                    for position in 0..self.clauses.size(reason) {
                        let other = self.clauses.lit(reason, position).var().index();
                        self.seen[other] |= self.assigned_at[other] > 0 && other != var;
                    }
                }
            }
        }
        self.seen[assumption.var().index()] = false;
    }
}
