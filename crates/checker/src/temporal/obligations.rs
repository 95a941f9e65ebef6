//! The negation of a formula as an automaton, straight from the laws that define its operators.
//!
//! A state is a set of formulas that the rest of the word *owes*. A letter settles a part of them now and leaves a set
//! for the rest, in one of several ways: `a U b` is `b`, or `a` and `a U b` again, which is *put off* then; `a R b` is
//! `b`, and `a` or `a R b` again. Nothing is merged, dropped or simplified, so there is little to believe:
//!
//! *If a word satisfies all owed formulas, some ways through it put no until off for ever.* At each letter take ways
//! all of whose parts are true of the word, and for an until the one with `b` if `b` is true. The remaining formulas
//! are true of the rest of the word, so this goes on. An until is put off only while its `b` is not true, and it will
//! be.

use redoubt_base::stack::grow;
use redoubt_formula::Letter;
use redoubt_formula::formula::{Binary, Formula, Node, Unary};
use rustc_hash::FxHashMap;

/// A formula in negation normal form. Numbers of others are lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Constant(bool),
    Literal { proposition: usize, positive: bool },
    And(u32, u32),
    Or(u32, u32),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
}

/// The numbers of the formulas that a word owes, ascending.
pub type Owed = Box<[u32]>;

/// A bit for each until: those that are put off.
pub type PutOff = u64;

/// A way through a letter: the formulas owed behind it, and the untils put off.
pub type Way = (Owed, PutOff);

/// The parts of a formula's negation. They are numbered in the order in which they are met, the operands first, each once.
pub struct Obligations {
    parts: Vec<Part>,
    /// Of each part that is an until, its bit.
    bits: FxHashMap<u32, PutOff>,
    root: u32,
}

/// The number of ways of one letter that is too many to go on.
const MOST_WAYS: usize = 1 << 14;

impl Obligations {
    /// `None` if there are more untils than bits.
    pub fn of_negation(formula: &Formula) -> Option<Obligations> {
        let mut maker = Maker::default();
        let root = maker.part(&formula.root, false);
        let is_until = |part: &Part| matches!(part, Part::Until(..));
        let untils = (0..maker.parts.len() as u32).filter(|&id| is_until(&maker.parts[id as usize]));
        let bits = untils.enumerate().map(|(bit, id)| Some((id, 1_u64.checked_shl(bit as u32)?)));
        Some(Obligations { bits: bits.collect::<Option<_>>()?, parts: maker.parts, root })
    }

    /// The formula that a whole word owes.
    pub fn first(&self) -> Owed {
        Box::new([self.root])
    }

    /// The bit of a part, if it is an until.
    pub fn bit(&self, part: u32) -> Option<PutOff> {
        self.bits.get(&part).copied()
    }

    /// The untils.
    pub fn untils(&self) -> impl Iterator<Item = (u32, PutOff)> {
        self.bits.iter().map(|(&part, &bit)| (part, bit))
    }

    /// The formulas that may be owed behind a letter; `None` if there are too many ways.
    pub fn ways(&self, owed: &[u32], letter: Letter) -> Option<Vec<Way>> {
        let nothing = vec![(Owed::default(), 0)];
        owed.iter().try_fold(nothing, |ways, &part| product(&ways, &self.of_part(part, letter)?))
    }

    fn of_part(&self, id: u32, letter: Letter) -> Option<Vec<Way>> {
        let of = |part| grow(|| self.of_part(part, letter));
        let later = |part: u32, put_off| vec![(Owed::from([part]), put_off)];
        Some(match self.parts[id as usize] {
            Part::Constant(false) => vec![],
            Part::Constant(true) => vec![(Owed::default(), 0)],
            Part::Literal { proposition, positive } if (letter >> proposition & 1 == 1) == positive => {
                vec![(Owed::default(), 0)]
            }
            Part::Literal { .. } => vec![],
            Part::And(a, b) => product(&of(a)?, &of(b)?)?,
            Part::Or(a, b) => either(of(a)?, of(b)?),
            Part::Next(a) => later(a, 0),
            Part::Until(a, b) => either(of(b)?, product(&of(a)?, &later(id, self.bits[&id]))?),
            Part::Release(a, b) => product(&of(b)?, &either(of(a)?, later(id, 0)))?,
        })
    }
}

/// One way of each.
fn product(some: &[Way], others: &[Way]) -> Option<Vec<Way>> {
    let mut ways = vec![];
    for (owed, put_off) in some {
        for (more, also) in others {
            let mut both = [&owed[..], more].concat();
            both.sort_unstable();
            both.dedup();
            ways.push((both.into(), put_off | also));
        }
        if ways.len() > MOST_WAYS {
            return None;
        }
    }
    Some(each_once(ways))
}

fn either(mut some: Vec<Way>, others: Vec<Way>) -> Vec<Way> {
    some.extend(others);
    each_once(some)
}

fn each_once(mut ways: Vec<Way>) -> Vec<Way> {
    ways.sort_unstable();
    ways.dedup();
    ways
}

#[derive(Default)]
struct Maker {
    parts: Vec<Part>,
    known: FxHashMap<Part, u32>,
}

impl Maker {
    fn add(&mut self, part: Part) -> u32 {
        *self.known.entry(part).or_insert_with(|| {
            self.parts.push(part);
            self.parts.len() as u32 - 1
        })
    }

    /// A formula, or its negation.
    fn part(&mut self, node: &Node, positive: bool) -> u32 {
        let part = match node {
            Node::Constant(value) => Part::Constant(*value == positive),
            Node::Proposition(proposition) => Part::Literal { proposition: *proposition, positive },
            Node::Unary(Unary::Not, a) => return grow(|| self.part(a, !positive)),
            Node::Unary(op, a) => {
                let a = grow(|| self.part(a, positive));
                match (op, positive) {
                    // F a is true U a, and G a is false R a.
                    (Unary::Finally, true) | (Unary::Globally, false) => Part::Until(self.add(Part::Constant(true)), a),
                    (Unary::Globally, true) | (Unary::Finally, false) => {
                        Part::Release(self.add(Part::Constant(false)), a)
                    }
                    _ => Part::Next(a),
                }
            }
            Node::Binary(Binary::Iff, a, b) => {
                // Both or neither; the negation is one without the other.
                let [a_too, a_not] = [true, false].map(|truth| grow(|| self.part(a, truth)));
                let [b_too, b_not] = [positive, !positive].map(|truth| grow(|| self.part(b, truth)));
                Part::Or(self.add(Part::And(a_too, b_too)), self.add(Part::And(a_not, b_not)))
            }
            Node::Binary(op, a, b) => {
                let a = grow(|| self.part(a, positive != (*op == Binary::Implies)));
                let b = grow(|| self.part(b, positive));
                match (op, positive) {
                    (Binary::And, true) | (Binary::Or | Binary::Implies, false) => Part::And(a, b),
                    (Binary::And, false) | (Binary::Or | Binary::Implies, true) => Part::Or(a, b),
                    (Binary::Until, true) | (Binary::Release, false) => Part::Until(a, b),
                    (Binary::Until, false) | (Binary::Release, true) => Part::Release(a, b),
                    // a W b is b R (a or b); its negation is (not b) U (neither).
                    (_, true) => Part::Release(b, self.add(Part::Or(a, b))),
                    (_, false) => Part::Until(b, self.add(Part::And(a, b))),
                }
            }
        };
        self.add(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redoubt_base::Random;
    use redoubt_formula::Lasso;

    fn node(random: &mut Random, size: usize) -> Node {
        let inner = |random: &mut Random, size| Box::new(node(random, size));
        match size {
            0 | 1 if random.below(8) == 0 => Node::Constant(random.below(2) == 0),
            0 | 1 => Node::Proposition(random.below(2)),
            2 => {
                let op = random.choose(&[Unary::Not, Unary::Next, Unary::Finally, Unary::Globally]);
                Node::Unary(op, inner(random, 1))
            }
            _ if random.below(3) == 0 => {
                let op = random.choose(&[Unary::Not, Unary::Next, Unary::Finally, Unary::Globally]);
                Node::Unary(op, inner(random, size - 1))
            }
            _ => {
                let binary = [Binary::And, Binary::Or, Binary::Implies, Binary::Iff];
                let temporal = [Binary::Until, Binary::Release, Binary::WeakUntil];
                let op = random.choose(&[&binary[..], &temporal, &temporal].concat());
                let left = 1 + random.below(size - 2);
                Node::Binary(op, inner(random, left), inner(random, size - 1 - left))
            }
        }
    }

    /// Whether some ways through a word put no until off for ever: by the pairs of a position and the formulas owed
    /// there.
    fn accepts(obligations: &Obligations, word: &Lasso<Letter>) -> bool {
        let mut pairs = vec![(0, obligations.first())];
        let mut edges: Vec<Vec<(usize, PutOff)>> = vec![];
        while edges.len() < pairs.len() {
            let (position, owed) = pairs[edges.len()].clone();
            let next = if position + 1 == word.letters.len() { word.loop_start } else { position + 1 };
            let ways = obligations.ways(&owed, word.letters[position]).expect("few");
            let out = ways.into_iter().map(|(owed, put_off)| {
                let known = pairs.iter().position(|pair| *pair == (next, owed.clone()));
                (
                    known.unwrap_or_else(|| {
                        pairs.push((next, owed));
                        pairs.len() - 1
                    }),
                    put_off,
                )
            });
            let out = out.collect();
            edges.push(out);
        }
        let reach = |from: usize| {
            let mut seen = vec![false; edges.len()];
            let mut pending: Vec<usize> = edges[from].iter().map(|edge| edge.0).collect();
            while let Some(pair) = pending.pop() {
                if !std::mem::replace(&mut seen[pair], true) {
                    pending.extend(edges[pair].iter().map(|edge| edge.0));
                }
            }
            seen
        };
        let reached: Vec<Vec<bool>> = (0..edges.len()).map(reach).collect();
        // A component with, for each until, an edge inside that does not put it off.
        (0..edges.len()).filter(|&pair| reached[pair][pair] && (pair == 0 || reached[0][pair])).any(|pair| {
            let inside = |other: &usize| reached[pair][*other] && reached[*other][pair];
            let within =
                (0..edges.len()).filter(inside).flat_map(|from| edges[from].iter().map(move |edge| (from, edge)));
            let kept: Vec<PutOff> = within.filter(|(_, edge)| inside(&edge.0)).map(|(_, edge)| edge.1).collect();
            obligations.untils().all(|(_, bit)| kept.iter().any(|put_off| put_off & bit == 0))
        })
    }

    #[test]
    fn the_negation_is_satisfied_where_the_formula_is_not() {
        let mut violated = 0;
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let size = 1 + random.below(9);
            let root = node(&mut random, size);
            let formula = Formula { propositions: vec!["a".into(), "b".into()], root };
            let obligations = Obligations::of_negation(&formula).expect("few untils");
            for _ in 0..5 {
                let length = 1 + random.below(4);
                let letters: Vec<Letter> = (0..length).map(|_| random.below(4) as Letter).collect();
                let word = Lasso { letters, loop_start: random.below(length) };
                let expected = !formula.holds_on(&word);
                violated += usize::from(expected);
                assert_eq!(accepts(&obligations, &word), expected, "{seed}: {formula} on {word:?}");
            }
        }
        assert!((4_000..11_000).contains(&violated), "{violated}");
    }
}
