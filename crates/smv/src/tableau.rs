//! Violations of formulas of linear time as runs of a larger model (Clarke, Grumberg and Hamaguchi 1997).
//!
//! The negated formula in negation normal form is claimed of the first position. A claim about the next position is a guess
//! that a latch remembers and the next position has to keep; the past is remembered as it was claimed. Claims that put off what they
//! promise for ever are excluded by signals that recur. Only claims that are made have to be true, so that the model has a run for each
//! violation, and perhaps several.

use redoubt_base::stack::grow;
use redoubt_words::build::Builder;
use redoubt_words::{NodeId, Sort};

use crate::ast::{Linear, LinearPair};
use crate::formula::Formula;
use crate::model::{latch, set};

/// Adds what the runs of the model that violate the formula consist of. The result recurs on them.
pub fn add(words: &mut Builder, formula: &Formula) -> Vec<NodeId> {
    let mut tableau = Tableau { words, recurring: vec![] };
    let claim = tableau.claim(formula, true);
    let no = tableau.words.bool(false);
    let first = latch(tableau.words, "", true, no);
    let later = tableau.words.not(first);
    let constraint = tableau.words.or(later, claim);
    tableau.words.model.constraints.push(constraint);
    tableau.recurring
}

struct Tableau<'w> {
    words: &'w mut Builder,
    recurring: Vec<NodeId>,
}

/// The operators of negation normal form, by their recursion: `now` or `now` and a claim about the neighbour.
impl Tableau<'_> {
    /// A signal that may only be true where the formula, or its negation, is.
    fn claim(&mut self, formula: &Formula, negated: bool) -> NodeId {
        grow(|| match formula {
            Formula::Atom(node) if negated => self.words.not(*node),
            Formula::Atom(node) => *node,
            Formula::Not(inner) => self.claim(inner, !negated),
            Formula::And(a, b) | Formula::Or(a, b) => {
                let is_and = matches!(formula, Formula::And(..)) != negated;
                let (a, b) = (self.claim(a, negated), self.claim(b, negated));
                if is_and { self.words.and(a, b) } else { self.words.or(a, b) }
            }
            Formula::Iff(a, b) => {
                let (p, not_p) = (self.claim(a, false), self.claim(a, true));
                let (q, not_q) = (self.claim(b, negated), self.claim(b, !negated));
                let (both, neither) = (self.words.and(p, q), self.words.and(not_p, not_q));
                self.words.or(both, neither)
            }
            Formula::Linear(operator, bounds, inner) => self.linear(*operator, *bounds, inner, negated),
            Formula::LinearPair(operator, a, b) => {
                let (a, b) = (self.claim(a, negated), self.claim(b, negated));
                match (operator, negated) {
                    (LinearPair::Until, false) | (LinearPair::Releases, true) => self.until(a, b),
                    (LinearPair::Until, true) | (LinearPair::Releases, false) => self.releases(a, b),
                    (LinearPair::Since, false) | (LinearPair::Triggered, true) => self.since(a, b),
                    (LinearPair::Since, true) | (LinearPair::Triggered, false) => self.triggered(a, b),
                }
            }
            Formula::Branching(..) | Formula::BranchingUntil(..) => unreachable!("formulas are of one kind"),
        })
    }

    fn linear(&mut self, operator: Linear, bounds: Option<(i64, i64)>, inner: &Formula, negated: bool) -> NodeId {
        let inner = self.claim(inner, negated);
        let (yes, no) = (self.words.bool(true), self.words.bool(false));
        // Whether one of the positions is enough.
        let is_some = match operator {
            Linear::Finally | Linear::Once => !negated,
            Linear::Globally | Linear::Historically => negated,
            Linear::Next => return self.next(inner),
            // Before the first position everything is false, or everything true.
            Linear::Previous | Linear::WeakPrevious => {
                return self.previous(inner, (operator == Linear::WeakPrevious) != negated);
            }
        };
        let is_past = matches!(operator, Linear::Once | Linear::Historically);
        let Some((low, high)) = bounds else {
            return match (is_past, is_some) {
                (false, true) => self.until(yes, inner),
                (false, false) => self.releases(no, inner),
                (true, true) => self.since(yes, inner),
                (true, false) => self.triggered(no, inner),
            };
        };
        let mut result = inner;
        for step in (0..high).rev() {
            let further = if is_past { self.previous(result, !is_some) } else { self.next(result) };
            result = match (step >= low, is_some) {
                (false, _) => further,
                (true, true) => self.words.or(inner, further),
                (true, false) => self.words.and(inner, further),
            };
        }
        result
    }

    /// A guess that something is claimed at the next position.
    fn next(&mut self, claim: NodeId) -> NodeId {
        let (guess, kept) = self.promise();
        self.keep(kept, claim);
        guess
    }

    /// A guess, and the latch that has it at the next position.
    fn promise(&mut self) -> (NodeId, NodeId) {
        let guess = self.words.input("", Sort::BOOL);
        (guess, latch(self.words, "", false, guess))
    }

    fn keep(&mut self, promised: NodeId, claim: NodeId) {
        let not = self.words.not(promised);
        let kept = self.words.or(not, claim);
        self.words.model.constraints.push(kept);
    }

    fn until(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (guess, kept) = self.promise();
        let later = self.words.and(a, guess);
        let claim = self.words.or(b, later);
        self.keep(kept, claim);
        let idle = self.words.not(guess);
        let fulfilled = self.words.or(idle, b);
        self.recurring.push(fulfilled);
        claim
    }

    fn releases(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (guess, kept) = self.promise();
        let later = self.words.or(a, guess);
        let claim = self.words.and(b, later);
        self.keep(kept, claim);
        claim
    }

    fn previous(&mut self, claim: NodeId, at_start: bool) -> NodeId {
        latch(self.words, "", at_start, claim)
    }

    fn since(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let before = self.words.state("", Sort::BOOL);
        let ongoing = self.words.and(a, before);
        let claim = self.words.or(b, ongoing);
        let no = self.words.bool(false);
        set(self.words, before, Some(no), claim);
        claim
    }

    fn triggered(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let before = self.words.state("", Sort::BOOL);
        let ongoing = self.words.or(a, before);
        let claim = self.words.and(b, ongoing);
        let yes = self.words.bool(true);
        set(self.words, before, Some(yes), claim);
        claim
    }
}
