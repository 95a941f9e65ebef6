//! Trees of runs: evidence for formulas of branching time, and how much of a formula they show.
//!
//! "On some run" is shown by a run, at whose positions something must hold, which may ask for runs in its turn: a tree.
//! "On all runs" cannot be shown by runs. So a tree shows a formula wholly, partly, or not at all, and that is seen
//! from its atoms alone: judging repeated runs takes no engine.

use redoubt_base::stack::grow;

use crate::branching::{Branching, Path};

/// A run, and reasons for the facts that matter about its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<P> {
    /// The first is the position in question; it is the only one if no run is needed.
    pub run: Vec<P>,
    /// After the last position comes this one again, as far as the formula depends on it.
    pub repeats_from: Option<usize>,
    /// A reason for something that holds at a position of the run, by its number.
    pub because: Vec<(usize, Tree<P>)>,
}

/// The extent to which a tree shows a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// The rest is about all runs.
    Partly,
    Wholly,
}

impl<P> Tree<P> {
    pub fn leaf(position: P) -> Tree<P> {
        Tree { run: vec![position], repeats_from: None, because: vec![] }
    }

    /// Whether there is a run in it at all.
    pub fn has_runs(&self) -> bool {
        self.run.len() > 1 || self.repeats_from.is_some() || !self.because.is_empty()
    }

    #[must_use]
    pub fn map<Q>(&self, position: &mut dyn FnMut(&P) -> Q) -> Tree<Q> {
        grow(|| Tree {
            run: self.run.iter().map(&mut *position).collect(),
            repeats_from: self.repeats_from,
            because: self.because.iter().map(|(at, tree)| (*at, tree.map(position))).collect(),
        })
    }

    /// The extent to which this shows a formula, as it stands or negated, at its first position; `None` if it does not
    /// show it.
    pub fn shows<A>(&self, formula: &Branching<A>, negated: bool, is_true: &dyn Fn(&A, &P) -> bool) -> Option<Shown> {
        let first = self.run.first()?;
        grow(|| match (formula, negated) {
            (Branching::Constant(_) | Branching::Atom(_), _) => at(formula, negated, first, is_true),
            (Branching::Not(inner), _) => self.shows(inner, !negated, is_true),
            (Branching::And(a, b), false) | (Branching::Or(a, b), true) => {
                let parts = [a, b].map(|part| self.part(part, negated, 0, is_true));
                Some(parts[0]?.min(parts[1]?))
            }
            (Branching::And(a, b), true) | (Branching::Or(a, b), false) => {
                let parts = [a, b].map(|part| self.part(part, negated, 0, is_true));
                parts.into_iter().flatten().max()
            }
            (Branching::Exists(path), false) => self.is_run(path, false, is_true),
            (Branching::All(path), true) => match path {
                Path::Next(_) => self.is_run(path, true, is_true),
                Path::Finally(inner) => self.stays(inner, true, is_true),
                Path::Globally(inner) => self.comes_to(inner, true, is_true),
                Path::Until(_, b) if self.repeats_from.is_some() => self.stays(b, true, is_true),
                Path::Until(a, b) => {
                    let (last, others) = self.run.len().checked_sub(1).map(|last| (last, 0..last))?;
                    let ends = self.part(a, true, last, is_true)?.min(self.part(b, true, last, is_true)?);
                    self.all(b, true, others, is_true).map(|before| before.min(ends))
                }
            },
            (Branching::Exists(_), true) | (Branching::All(_), false) => (self.run.len() == 1).then_some(Shown::Partly),
        })
    }

    /// The extent to which a reason at a position shows a part; without a reason, the position itself.
    fn part<A>(
        &self,
        part: &Branching<A>,
        negated: bool,
        place: usize,
        is_true: &dyn Fn(&A, &P) -> bool,
    ) -> Option<Shown> {
        let alone = at(part, negated, self.run.get(place)?, is_true)?;
        let reasons = self.because.iter().filter(|(at, _)| *at == place);
        Some(reasons.filter_map(|(_, reason)| reason.shows(part, negated, is_true)).max().unwrap_or(alone).max(alone))
    }

    fn all<A>(
        &self,
        part: &Branching<A>,
        negated: bool,
        places: std::ops::Range<usize>,
        is_true: &dyn Fn(&A, &P) -> bool,
    ) -> Option<Shown> {
        let mut all = Shown::Wholly;
        for place in places {
            all = all.min(self.part(part, negated, place, is_true)?);
        }
        Some(all)
    }

    fn is_run<A>(&self, path: &Path<A>, negated: bool, is_true: &dyn Fn(&A, &P) -> bool) -> Option<Shown> {
        let last = self.run.len().checked_sub(1)?;
        match path {
            Path::Next(inner) => (last == 1).then(|| self.part(inner, negated, 1, is_true))?,
            Path::Finally(inner) => self.comes_to(inner, negated, is_true),
            Path::Globally(inner) => self.stays(inner, negated, is_true),
            Path::Until(a, b) => {
                let ends = self.part(b, negated, last, is_true)?;
                Some(self.all(a, negated, 0..last, is_true)?.min(ends))
            }
        }
    }

    fn comes_to<A>(&self, part: &Branching<A>, negated: bool, is_true: &dyn Fn(&A, &P) -> bool) -> Option<Shown> {
        self.part(part, negated, self.run.len().checked_sub(1)?, is_true)
    }

    fn stays<A>(&self, part: &Branching<A>, negated: bool, is_true: &dyn Fn(&A, &P) -> bool) -> Option<Shown> {
        self.repeats_from.filter(|&from| from < self.run.len())?;
        self.all(part, negated, 0..self.run.len(), is_true)
    }
}

/// The extent to which a position by itself shows a formula: wholly, if the formula is about one moment, and otherwise
/// partly unless that is false.
fn at<A, P>(formula: &Branching<A>, negated: bool, position: &P, is_true: &dyn Fn(&A, &P) -> bool) -> Option<Shown> {
    grow(|| match (formula, negated) {
        (Branching::Constant(value), _) => (*value != negated).then_some(Shown::Wholly),
        (Branching::Atom(atom), _) => (is_true(atom, position) != negated).then_some(Shown::Wholly),
        (Branching::Not(inner), _) => at(inner, !negated, position, is_true),
        (Branching::And(a, b), false) | (Branching::Or(a, b), true) => {
            Some(at(a, negated, position, is_true)?.min(at(b, negated, position, is_true)?))
        }
        (Branching::And(a, b), true) | (Branching::Or(a, b), false) => {
            at(a, negated, position, is_true).max(at(b, negated, position, is_true))
        }
        (Branching::Exists(_) | Branching::All(_), _) => Some(Shown::Partly),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_branching::parse;

    /// Positions name their true atoms.
    fn shown(text: &str, tree: &Tree<&str>) -> Option<Shown> {
        let formula = parse(text).expect("a formula");
        tree.shows(&formula, true, &|name, position| position.contains(&name.text))
    }

    fn run(positions: &[&'static str], repeats_from: Option<usize>) -> Tree<&'static str> {
        Tree { run: positions.to_vec(), repeats_from, because: vec![] }
    }

    #[test]
    fn runs_show_what_is_violated() {
        assert_eq!(shown("AG a", &run(&["a", "b"], None)), Some(Shown::Wholly));
        assert_eq!(shown("AG a", &run(&["a", "ab"], None)), None);
        assert_eq!(shown("AF a", &run(&["b", "b"], Some(1))), Some(Shown::Wholly));
        assert_eq!(shown("AF a", &run(&["b", "b"], None)), None);
        assert_eq!(shown("AX a", &run(&["a", "b"], None)), Some(Shown::Wholly));
        assert_eq!(shown("AX a", &run(&["a"], None)), None);
        assert_eq!(shown("A[a U b]", &run(&["a", "c"], None)), Some(Shown::Wholly));
        assert_eq!(shown("A[a U b]", &run(&["a", "b", "c"], None)), None);
        assert_eq!(shown("A[a U b]", &run(&["a"], Some(0))), Some(Shown::Wholly));
        assert_eq!(shown("AG EF a", &run(&["a", "b"], None)), Some(Shown::Partly));
        assert_eq!(shown("EF a", &run(&["b"], None)), Some(Shown::Partly));
    }

    #[test]
    fn reasons_have_reasons() {
        let mut tree = run(&["a", "b"], None);
        assert_eq!(shown("AG AF a", &tree), Some(Shown::Partly));
        tree.because.push((1, run(&["b", "c"], Some(1))));
        assert_eq!(shown("AG AF a", &tree), Some(Shown::Wholly));
        let reason = tree.because.pop().map(|(_, reason)| (0, reason)).expect("it was added");
        let both = Tree { run: vec!["b"], repeats_from: None, because: vec![reason] };
        tree.because.push((1, both));
        assert_eq!(shown("AG (c | AF a)", &tree), Some(Shown::Wholly));
        assert_eq!(shown("AG (b | AF a)", &tree), None);
    }
}
