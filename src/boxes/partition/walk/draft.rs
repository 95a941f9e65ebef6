//! What a walk has found, before it is said what becomes of the part.
//!
//! A walk depends on the values of its part, on labels, and on the tree of parts. If it was made before the part's turn, others may have changed
//! labels and tree since then. So all that it would have asked of them is kept here, and is asked when the turn has come: the answer is that of
//! a walk which begins then.

use super::super::super::step::Label;
use super::super::tree::Tree;
use super::reason::Mixture;
use super::{Ends, Ground, MOST_WAYS, Origin, Outcome, Wish};
use crate::analysis::Values;
use crate::program::PropertyId;

pub struct Draft {
    pub(super) ends: Ends,
    pub(super) mixtures: Vec<Mixture>,
    /// Labels that are asked for, and may be reached.
    pub(super) touched: Vec<PropertyId>,
    pub(super) wish: Option<Wish>,
    /// Whether ways that meet went on as one.
    pub(super) joins: bool,
}

impl Draft {
    /// What the walk leads to now that it is the part's turn; `None` if it would not be the same walk any more. The values of the part must be.
    pub fn in_turn(self, ground: &mut Ground, origin: Origin, tree: &Tree) -> Option<Outcome> {
        if self.joins != ground.joins {
            return None;
        }
        for mixture in &self.mixtures {
            let mut values: Vec<&Values> = origin.values.iter().collect();
            self.ends.ways[mixture.way].changes.iter().for_each(|(position, new)| values[*position] = new);
            if mixture.shows(tree, &ground.state, &values) {
                return Some(Outcome::Split(mixture.teller));
            }
        }
        let label = self.wish.and_then(|wish| wish.label);
        let is_outdated = label.is_some_and(|label| ground.labels[label.index()] != Label::Excluded);
        let has_another_try = self.is_too_much() && !ground.joins;
        (!is_outdated && !has_another_try).then(|| self.outcome(ground))
    }

    /// What a walk leads to that was made in the part's turn.
    pub(super) fn outcome(self, ground: &mut Ground) -> Outcome {
        match self.wish {
            Some(wish) => Outcome::Split(wish.position),
            None if self.is_too_much() => Outcome::TooMany,
            None => {
                self.touched.iter().for_each(|label| ground.labels[label.index()] = Label::Suspended);
                Outcome::Ends(self.ends)
            }
        }
    }

    pub(super) fn is_too_much(&self) -> bool {
        self.ends.ways.len() > MOST_WAYS
    }
}
