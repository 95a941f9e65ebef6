//! Formulas in negation normal form, hash-consed, and simplified while they are built.
//!
//! `F a` is `true U a`, `G a` is `false R a`, and `a W b` is `b R (a | b)`. Equal formulas are the same node, so that the
//! rules below compare parts by their number. Most of them are from Somenzi and Bloem, "Efficient Büchi automata from LTL
//! formulae" (2000), and Etessami and Holzmann, "Optimizing Büchi automata" (2000).

use redoubt_base::stack::grow;
use rustc_hash::FxHashMap;

use crate::formula::{Binary, Node, Unary};

redoubt_base::id!(
    /// A formula of an arena.
    NormalId
);

/// The outermost operator of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Normal {
    True,
    False,
    /// A proposition, or its negation.
    Literal {
        proposition: usize,
        positive: bool,
    },
    /// The parts of conjunctions and disjunctions are in the order of their numbers.
    And(NormalId, NormalId),
    Or(NormalId, NormalId),
    Next(NormalId),
    Until(NormalId, NormalId),
    Release(NormalId, NormalId),
}

/// An arena of formulas.
#[derive(Clone, Debug)]
pub struct Arena {
    nodes: Vec<Normal>,
    index: FxHashMap<Normal, NormalId>,
    top: NormalId,
    bottom: NormalId,
}

impl Default for Arena {
    fn default() -> Arena {
        let (top, bottom) = (NormalId::new(0), NormalId::new(1));
        let nodes = vec![Normal::True, Normal::False];
        let index = [(Normal::True, top), (Normal::False, bottom)].into_iter().collect();
        Arena { nodes, index, top, bottom }
    }
}

impl Arena {
    pub fn get(&self, id: NormalId) -> Normal {
        self.nodes[id.index()]
    }

    /// The number of different formulas.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// There are always `true` and `false`.
    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn constant(&self, value: bool) -> NormalId {
        if value { self.top } else { self.bottom }
    }

    /// A formula as it was written, or its negation, in normal form.
    pub fn normalise(&mut self, node: &Node, positive: bool) -> NormalId {
        grow(|| match node {
            Node::Constant(value) => self.constant(*value == positive),
            Node::Proposition(proposition) => self.intern(Normal::Literal { proposition: *proposition, positive }),
            Node::Unary(Unary::Not, a) => self.normalise(a, !positive),
            Node::Unary(operator, a) => {
                let a = self.normalise(a, positive);
                match (operator, positive) {
                    (Unary::Next, _) => self.next(a),
                    (Unary::Finally, true) | (Unary::Globally, false) => self.finally(a),
                    (Unary::Finally, false) | (Unary::Globally, true) => self.globally(a),
                    (Unary::Not, _) => unreachable!("handled above"),
                }
            }
            Node::Binary(Binary::Iff, a, b) => {
                let (yes, no) = (self.normalise(a, true), self.normalise(a, false));
                let (same, other) = (self.normalise(b, positive), self.normalise(b, !positive));
                let (both, neither) = (self.and(yes, same), self.and(no, other));
                self.or(both, neither)
            }
            Node::Binary(operator, a, b) => {
                let a = self.normalise(a, positive ^ (*operator == Binary::Implies));
                let b = self.normalise(b, positive);
                match (operator, positive) {
                    (Binary::And, true) | (Binary::Or | Binary::Implies, false) => self.and(a, b),
                    (Binary::And, false) | (Binary::Or | Binary::Implies, true) => self.or(a, b),
                    (Binary::Until, true) | (Binary::Release, false) => self.until(a, b),
                    (Binary::Until, false) | (Binary::Release, true) => self.release(a, b),
                    (Binary::WeakUntil, true) => {
                        let either = self.or(a, b);
                        self.release(b, either)
                    }
                    (Binary::WeakUntil, false) => {
                        let both = self.and(a, b);
                        self.until(b, both)
                    }
                    (Binary::Iff, _) => unreachable!("handled above"),
                }
            }
        })
    }

    fn intern(&mut self, normal: Normal) -> NormalId {
        let fresh = NormalId::new(self.nodes.len());
        let id = *self.index.entry(normal).or_insert(fresh);
        if id == fresh {
            self.nodes.push(normal);
        }
        id
    }

    /// Whether one is a literal and the other its negation.
    fn are_opposite(&self, a: NormalId, b: NormalId) -> bool {
        match (self.get(a), self.get(b)) {
            (
                Normal::Literal { proposition: p, positive: sign },
                Normal::Literal { proposition: q, positive: other },
            ) => p == q && sign != other,
            _ => false,
        }
    }

    pub fn and(&mut self, a: NormalId, b: NormalId) -> NormalId {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == self.top {
            return b;
        }
        if a == self.bottom || b == self.bottom || self.are_opposite(a, b) {
            return self.bottom;
        }
        match (self.get(a), self.get(b)) {
            _ if self.implies(a, b) => a,
            _ if self.implies(b, a) => b,
            (Normal::Next(a), Normal::Next(b)) => {
                let both = self.and(a, b);
                self.next(both)
            }
            (Normal::Release(a, b), Normal::Release(c, d)) if a == c => {
                let both = self.and(b, d);
                self.release(a, both)
            }
            (Normal::Until(a, b), Normal::Until(c, d)) if b == d => {
                let both = self.and(a, c);
                self.until(both, b)
            }
            _ => self.intern(Normal::And(a, b)),
        }
    }

    pub fn or(&mut self, a: NormalId, b: NormalId) -> NormalId {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == self.bottom {
            return b;
        }
        if a == self.top || self.are_opposite(a, b) {
            return self.top;
        }
        if b == self.bottom {
            return a;
        }
        match (self.get(a), self.get(b)) {
            _ if self.implies(a, b) => b,
            _ if self.implies(b, a) => a,
            (Normal::Next(a), Normal::Next(b)) => {
                let either = self.or(a, b);
                self.next(either)
            }
            (Normal::Until(a, b), Normal::Until(c, d)) if a == c => {
                let either = self.or(b, d);
                self.until(a, either)
            }
            (Normal::Release(a, b), Normal::Release(c, d)) if b == d => {
                let either = self.or(a, c);
                self.release(either, b)
            }
            _ => self.intern(Normal::Or(a, b)),
        }
    }

    pub fn next(&mut self, a: NormalId) -> NormalId {
        // A formula that is true infinitely often, or from some time on, is so at every position.
        let is_timeless = a == self.top || a == self.bottom || self.is_recurrence(a) || self.is_persistence(a);
        if is_timeless { a } else { self.intern(Normal::Next(a)) }
    }

    fn finally(&mut self, a: NormalId) -> NormalId {
        self.until(self.top, a)
    }

    pub fn globally(&mut self, a: NormalId) -> NormalId {
        self.release(self.bottom, a)
    }

    pub fn until(&mut self, a: NormalId, b: NormalId) -> NormalId {
        // Timeless formulas need not be waited for.
        if b == self.top || b == self.bottom || a == self.bottom || self.is_recurrence(b) || self.is_persistence(b) {
            return b;
        }
        // If the first implies the second, the beginning decides.
        if self.implies(a, b) {
            return b;
        }
        match (self.get(a), self.get(b)) {
            (_, Normal::Until(c, _)) if a == c => b,
            // F (c U d) is F d.
            (Normal::True, Normal::Until(_, d)) => self.finally(d),
            (Normal::Next(c), Normal::Next(d)) => {
                let inner = self.until(c, d);
                self.next(inner)
            }
            (Normal::True, Normal::Next(d)) => {
                let inner = self.finally(d);
                self.next(inner)
            }
            _ => self.intern(Normal::Until(a, b)),
        }
    }

    pub fn release(&mut self, a: NormalId, b: NormalId) -> NormalId {
        if b == self.top || b == self.bottom || a == self.top || self.is_recurrence(b) || self.is_persistence(b) {
            return b;
        }
        if self.implies(b, a) {
            return b;
        }
        match (self.get(a), self.get(b)) {
            (_, Normal::Release(c, _)) if a == c => b,
            // G (c R d) is G d.
            (Normal::False, Normal::Release(_, d)) => self.globally(d),
            (Normal::Next(c), Normal::Next(d)) => {
                let inner = self.release(c, d);
                self.next(inner)
            }
            (Normal::False, Normal::Next(d)) => {
                let inner = self.globally(d);
                self.next(inner)
            }
            _ => self.intern(Normal::Release(a, b)),
        }
    }

    /// G F of something.
    fn is_recurrence(&self, a: NormalId) -> bool {
        let Normal::Release(never, inner) = self.get(a) else { return false };
        never == self.bottom && matches!(self.get(inner), Normal::Until(always, _) if always == self.top)
    }

    /// F G of something.
    fn is_persistence(&self, a: NormalId) -> bool {
        let Normal::Until(always, inner) = self.get(a) else { return false };
        always == self.top && matches!(self.get(inner), Normal::Release(never, _) if never == self.bottom)
    }

    /// Whether one formula implies the other for a reason that can be seen at a glance; false says nothing.
    fn implies(&self, a: NormalId, b: NormalId) -> bool {
        if a == b || a == self.bottom || b == self.top {
            return true;
        }
        let part_of_a = match self.get(a) {
            Normal::And(c, d) => c == b || d == b,
            // a releases b: b is true now.
            Normal::Release(_, d) => d == b,
            _ => false,
        };
        let part_of_b = match self.get(b) {
            Normal::Or(c, d) => c == a || d == a,
            Normal::Until(_, d) => d == a,
            _ => false,
        };
        part_of_a || part_of_b
    }

    /// Whether no part of a formula has to stay true for ever: if it is satisfied, a finite prefix tells.
    pub fn is_cosafety(&self, root: NormalId) -> bool {
        let (mut seen, mut pending) = (vec![false; self.nodes.len()], vec![root]);
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match self.get(id) {
                Normal::True | Normal::False | Normal::Literal { .. } => {}
                Normal::Next(a) => pending.push(a),
                Normal::And(a, b) | Normal::Or(a, b) | Normal::Until(a, b) => pending.extend([a, b]),
                Normal::Release(..) => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Formula;
    use crate::parse::parse;
    use crate::random;
    use redoubt_base::Random;

    impl Arena {
        /// A formula to be read like others, to be shown and to be compared.
        fn to_node(&self, id: NormalId) -> Node {
            let part = |a| Box::new(self.to_node(a));
            match self.get(id) {
                Normal::True => Node::Constant(true),
                Normal::False => Node::Constant(false),
                Normal::Literal { proposition, positive: true } => Node::Proposition(proposition),
                Normal::Literal { proposition, positive: false } => {
                    Node::Unary(Unary::Not, Box::new(Node::Proposition(proposition)))
                }
                Normal::And(a, b) => Node::Binary(Binary::And, part(a), part(b)),
                Normal::Or(a, b) => Node::Binary(Binary::Or, part(a), part(b)),
                Normal::Next(a) => Node::Unary(Unary::Next, part(a)),
                Normal::Until(a, b) => Node::Binary(Binary::Until, part(a), part(b)),
                Normal::Release(a, b) => Node::Binary(Binary::Release, part(a), part(b)),
            }
        }
    }

    fn shown(text: &str) -> String {
        let formula = parse(text).expect("a formula");
        let mut arena = Arena::default();
        let id = arena.normalise(&formula.root, true);
        Formula { propositions: formula.propositions, root: arena.to_node(id) }.to_string()
    }

    #[test]
    fn formulas_become_simpler() {
        assert_eq!(shown("!(a U b) & G F (c U a)"), "((!a R !b) & (false R (true U a)))");
        assert_eq!(shown("F F a | G G false"), "(true U a)");
        assert_eq!(shown("X G F a"), "(false R (true U a))");
        assert_eq!(shown("a & (a | b) & !(a & !a)"), "a");
        assert_eq!(shown("F a | F b"), "(true U (a | b))");
        assert_eq!(shown("G X a & X G b"), "X (false R (a & b))");
    }

    #[test]
    fn cosafety_is_recognised() {
        let is_cosafety = |text: &str| {
            let mut arena = Arena::default();
            let id = arena.normalise(&parse(text).expect("a formula").root, true);
            arena.is_cosafety(id)
        };
        assert!(["F a & X b", "a | X X b", "a U (b U c)"].into_iter().all(is_cosafety));
        assert!(!["! oZ WU (oU & ! oZ)", "G (a -> F b)", "X G a | b"].into_iter().any(is_cosafety));
    }

    /// The rules keep the meaning: on random words normal forms agree with their formulas, and their negations with the
    /// opposite.
    #[test]
    fn the_meaning_stays() {
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let formula = random::formula(&mut random, 12, 3);
            let mut arena = Arena::default();
            let [yes, no] = [true, false].map(|positive| {
                let id = arena.normalise(&formula.root, positive);
                Formula { propositions: formula.propositions.clone(), root: arena.to_node(id) }
            });
            for _ in 0..8 {
                let word = random::word(&mut random, 3, 6);
                let truth = formula.holds_on(&word);
                assert_eq!((yes.holds_on(&word), no.holds_on(&word)), (truth, !truth), "{seed}: {formula} on {word:?}");
            }
        }
    }
}
