//! Two-level rewriting: simplifies a conjunction before it becomes a gate, by looking at most at its
//! operands' operands.
//!
//! The rules are those of Brummayer and Biere, "Local two-level And-Inverter Graph minimization without
//! blowup" (MEMICS 2006). Each either answers with a signal that exists or moves on to another
//! conjunction whose operands are existing signals of lower index; so one call makes at most one gate,
//! the result's cone lies in the operands' cones plus that gate, and a graph built with the rules is never
//! larger than the same graph built without. The choice in the last rule depends only on the
//! operands, not on which gates exist: the same call always gives the same signal.

use super::aig::{Aig, Node, Signal};

enum Rewrite {
    /// The conjunction is this signal.
    Known(Signal),
    /// The conjunction equals that of these two.
    Instead(Signal, Signal),
    /// No rule applies.
    Irreducible,
}

use Rewrite::{Instead, Irreducible, Known};

impl Aig {
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        match self.simplify(a, b) {
            Ok(known) => known,
            Err((a, b)) => self.gate(a, b),
        }
    }

    /// The conjunction if it needs no new gate.
    pub(super) fn find(&self, a: Signal, b: Signal) -> Option<Signal> {
        match self.simplify(a, b) {
            Ok(known) => Some(known),
            Err((a, b)) => self.known_gate(a, b),
        }
    }

    /// Applies rules until a signal is known, or until an irreducible conjunction is left.
    fn simplify(&self, mut a: Signal, mut b: Signal) -> Result<Signal, (Signal, Signal)> {
        loop {
            match self.rewrite(a, b) {
                Known(signal) => return Ok(signal),
                Instead(x, y) => (a, b) = (x, y),
                Irreducible => return Err((a, b)),
            }
        }
    }

    fn rewrite(&self, a: Signal, b: Signal) -> Rewrite {
        match one_level(a, b) {
            Irreducible => {}
            done => return done,
        }
        let (left, right) = (self.node(a), self.node(b));
        if let Node::And(p, q) = left {
            match asymmetric(a, p, q, b) {
                Irreducible => {}
                done => return done,
            }
        }
        if let Node::And(r, s) = right {
            match asymmetric(b, r, s, a) {
                Irreducible => {}
                done => return done,
            }
        }
        match (left, right) {
            (Node::And(p, q), Node::And(r, s)) => match (a.is_complemented(), b.is_complemented()) {
                (false, false) => both_plain(p, q, b, r, s),
                (true, false) => one_complemented(p, q, b, r, s),
                (false, true) => one_complemented(r, s, a, p, q),
                (true, true) => both_complemented(p, q, r, s),
            },
            _ => Irreducible,
        }
    }
}

/// Neutrality, boundedness, idempotence and contradiction.
fn one_level(a: Signal, b: Signal) -> Rewrite {
    if a == Signal::FALSE || b == Signal::FALSE || a == !b {
        Known(Signal::FALSE)
    } else if a == Signal::TRUE || a == b {
        Known(b)
    } else if b == Signal::TRUE {
        Known(a)
    } else {
        Irreducible
    }
}

/// `gate & c`, where the gate's node is `p & q`.
fn asymmetric(gate: Signal, p: Signal, q: Signal, c: Signal) -> Rewrite {
    if !gate.is_complemented() {
        if p == !c || q == !c {
            Known(Signal::FALSE) // contradiction: (!c & q) & c
        } else if p == c || q == c {
            Known(gate) // idempotence: (c & q) & c
        } else {
            Irreducible
        }
    } else if p == !c || q == !c {
        Known(c) // subsumption: !(!c & q) & c
    } else if p == c {
        Instead(!q, c) // substitution: !(c & q) & c = !q & c
    } else if q == c {
        Instead(!p, c)
    } else {
        Irreducible
    }
}

/// `(p & q) & b` with `b = r & s`.
fn both_plain(p: Signal, q: Signal, b: Signal, r: Signal, s: Signal) -> Rewrite {
    if p == !r || p == !s || q == !r || q == !s {
        Known(Signal::FALSE) // contradiction
    } else if p == r || p == s {
        Instead(q, b) // idempotence: p is in b already
    } else if q == r || q == s {
        Instead(p, b)
    } else {
        Irreducible
    }
}

/// `!(p & q) & b` with `b = r & s`.
fn one_complemented(p: Signal, q: Signal, b: Signal, r: Signal, s: Signal) -> Rewrite {
    if p == !r || p == !s || q == !r || q == !s {
        Known(b) // subsumption: b implies !p or !q
    } else if p == r || p == s {
        Instead(!q, b) // substitution: b implies p
    } else if q == r || q == s {
        Instead(!p, b)
    } else {
        Irreducible
    }
}

/// `!(p & q) & !(r & s)`: resolution, `!(p & q) & !(p & !q) = !p`.
fn both_complemented(p: Signal, q: Signal, r: Signal, s: Signal) -> Rewrite {
    if (p == r && q == !s) || (p == s && q == !r) {
        Known(!p)
    } else if (q == r && p == !s) || (q == s && p == !r) {
        Known(!q)
    } else {
        Irreducible
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Without two-level rules.
    fn plain_and(gates: &mut Aig, a: Signal, b: Signal) -> Signal {
        match one_level(a, b) {
            Known(signal) => signal,
            _ => gates.gate(a, b),
        }
    }

    #[test]
    fn keeps_the_function_and_never_adds_gates() {
        for seed in 0..2000 {
            let mut random = Random::new(seed);
            let (mut plain, mut rewritten) = (Aig::default(), Aig::default());
            let mut pairs: Vec<(Signal, Signal)> = (0..5).map(|_| (plain.leaf(), rewritten.leaf())).collect();
            for _ in 0..60 {
                let mut operand = || {
                    let (p, r) = pairs[random.below(pairs.len())];
                    let flip = random.below(2) == 1;
                    (p.complement_if(flip), r.complement_if(flip))
                };
                let ((p, r), (q, s)) = (operand(), operand());
                pairs.push((plain_and(&mut plain, p, q), rewritten.and(r, s)));
            }
            let leaf_values: Vec<u64> = (0..6).map(|_| random.bits()).collect();
            let plain_values = plain.evaluate(|node| leaf_values[node]);
            let rewritten_values = rewritten.evaluate(|node| leaf_values[node]);
            for &(p, r) in &pairs {
                assert_eq!(plain_values.get(p), rewritten_values.get(r));
                assert!(rewritten.cone([r]).len() <= plain.cone([p]).len());
            }
            assert!(rewritten.gate_count() <= plain.gate_count());
        }
    }

    #[test]
    fn each_rule() {
        let mut g = Aig::default();
        let [a, b, c] = std::array::from_fn(|_| g.leaf());
        let (ab, a_not_b) = (g.and(a, b), g.and(a, !b));
        let (not_a_c, not_b_c) = (g.and(!a, c), g.and(!b, c));
        let bc = g.and(b, c);
        assert_eq!(g.and(ab, !a), Signal::FALSE, "contradiction");
        assert_eq!(g.and(ab, not_a_c), Signal::FALSE, "contradiction of two gates");
        assert_eq!(g.and(ab, b), ab, "idempotence");
        assert_eq!(g.and(ab, bc), g.and(a, bc), "idempotence of two gates");
        assert_eq!(g.and(!ab, !a), !a, "subsumption");
        assert_eq!(g.and(!ab, not_b_c), not_b_c, "subsumption of two gates");
        assert_eq!(g.and(!ab, a), a_not_b, "substitution");
        assert_eq!(g.and(!ab, bc), g.and(!a, bc), "substitution of two gates");
        assert_eq!(g.and(!ab, !a_not_b), !a, "resolution");
    }
}
