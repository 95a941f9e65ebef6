//! Formulas about runs, over truth values of the model.

use redoubt_base::stack::grow;
use redoubt_words::NodeId;

use crate::ast::{Branch, Linear, LinearPair};

/// Formulas with more parts are refused.
pub const MOST_PARTS: u64 = 1 << 16;

/// A bound on the number of steps.
pub type Bounds = Option<(i64, i64)>;

#[derive(Clone, Debug)]
pub enum Formula {
    Atom(NodeId),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    Linear(Linear, Bounds, Box<Formula>),
    LinearPair(LinearPair, Box<Formula>, Box<Formula>),
    /// On all runs, if `true`; otherwise on some.
    Branching(bool, Branch, Bounds, Box<Formula>),
    BranchingUntil(bool, Bounds, Box<Formula>, Box<Formula>),
}

impl Formula {
    #[must_use]
    pub fn negated(self) -> Formula {
        match self {
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// The number of parts when all bounds and equivalences are written out.
    pub fn weight(&self) -> u64 {
        let times = |bounds: &Bounds| bounds.map_or(1, |(_, high)| u64::try_from(high).unwrap_or(0).saturating_add(1));
        grow(|| match self {
            Formula::Atom(_) => 1,
            Formula::Not(a) => a.weight(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::LinearPair(_, a, b) => {
                a.weight().saturating_add(b.weight()).saturating_add(1)
            }
            Formula::Iff(a, b) => a.weight().saturating_add(b.weight()).saturating_mul(2),
            Formula::Linear(_, bounds, a) | Formula::Branching(_, _, bounds, a) => {
                a.weight().saturating_mul(times(bounds)).saturating_add(1)
            }
            Formula::BranchingUntil(_, bounds, a, b) => {
                a.weight().saturating_add(b.weight()).saturating_mul(times(bounds)).saturating_add(1)
            }
        })
    }

    /// The atoms, in the order of the formula.
    pub fn atoms(&self) -> Vec<NodeId> {
        let mut atoms = vec![];
        self.visit(&mut |node| {
            atoms.push(node);
            node
        });
        atoms
    }

    fn visit(&self, atom: &mut dyn FnMut(NodeId) -> NodeId) -> Formula {
        self.map(atom)
    }

    /// The same of other atoms.
    #[must_use]
    pub fn map(&self, atom: &mut dyn FnMut(NodeId) -> NodeId) -> Formula {
        grow(|| {
            let mut inner = |of: &Formula| Box::new(of.map(atom));
            match self {
                Formula::Not(a) => Formula::Not(inner(a)),
                Formula::And(a, b) => Formula::And(inner(a), inner(b)),
                Formula::Or(a, b) => Formula::Or(inner(a), inner(b)),
                Formula::Iff(a, b) => Formula::Iff(inner(a), inner(b)),
                Formula::Linear(operator, bounds, a) => Formula::Linear(*operator, *bounds, inner(a)),
                Formula::LinearPair(operator, a, b) => Formula::LinearPair(*operator, inner(a), inner(b)),
                Formula::Branching(all, path, bounds, a) => Formula::Branching(*all, *path, *bounds, inner(a)),
                Formula::BranchingUntil(all, bounds, a, b) => {
                    Formula::BranchingUntil(*all, *bounds, inner(a), inner(b))
                }
                Formula::Atom(node) => Formula::Atom(atom(*node)),
            }
        })
    }
}
