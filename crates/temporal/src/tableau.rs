//! Normal forms to automata: a state is a set of formulas that the rest of the word has to satisfy.
//!
//! Each formula is unfolded into the ways in which it can be true now: the condition on the letter, the rest for the
//! remaining word, and the untils that are put off (`a U b` is `b`, or `a` and later `a U b`). A word is accepted if
//! none is put off for ever, so the transitions that do not put off an until are its acceptance set. This is Couvreur's
//! tableau ("On-the-fly verification of linear temporal logic", 1999), and at the same time the very weak alternating
//! automaton of Gastin and Oddoux ("Fast LTL to Büchi automata translation", 2001), whose first simplification is used
//! too: a way that asks for more than another does, and puts off as much, is dropped. That loses no word: on a word
//! that satisfies a state, take at every step a way whose parts are all true and that puts off nothing that is true
//! already, or the way that was kept instead; its rest is true of the remaining word, and an until that comes true
//! infinitely often, or is gone for ever, is not put off then.

use redoubt_base::Interrupt;
use redoubt_base::stack::grow;
use rustc_hash::FxHashMap;

use crate::automaton::{Alphabet, Automaton, Cube, MOST_SETS, Marks, Transition};
use crate::normal::{Arena, Normal, NormalId};

/// Why there is no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    #[error("the formula is too large for an automaton")]
    TooLarge,
    #[error("the work was ended before it was done")]
    Interrupted,
}

/// The number of pairs of ways combined before a formula counts as too large.
const MOST_WORK: usize = 20_000_000;

/// One way in which a formula, or a set of them, can be true.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    cube: Cube,
    /// The conditions on the rest of the word, ascending.
    left: Vec<NormalId>,
    put_off: Marks,
}

impl Way {
    /// Whether it accepts whatever another one does.
    fn covers(&self, other: &Way, alphabet: Alphabet) -> bool {
        self.put_off & !other.put_off == 0
            && self.cube.covers(other.cube, alphabet)
            && is_subset(&self.left, &other.left)
    }
}

fn is_subset(small: &[NormalId], large: &[NormalId]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|one| rest.any(|other| other == one))
}

fn union(a: &[NormalId], b: &[NormalId]) -> Vec<NormalId> {
    let mut both = [a, b].concat();
    both.sort_unstable();
    both.dedup();
    both
}

/// The automaton that accepts just the words that satisfy a formula, not reduced yet.
pub fn translate(
    arena: &Arena,
    root: NormalId,
    alphabet: Alphabet,
    interrupt: &Interrupt,
) -> Result<Automaton, Unfinished> {
    let mut tableau = Tableau { arena, alphabet, interrupt, ways: FxHashMap::default(), untils: vec![], work: 0 };
    let mut numbers: FxHashMap<Vec<NormalId>, usize> = FxHashMap::default();
    let mut sets = vec![tableau.conjuncts(root)];
    numbers.insert(sets[0].clone(), 0);
    let mut states: Vec<Vec<(Cube, usize, Marks)>> = vec![];
    while states.len() < sets.len() {
        let ways = tableau.of_set(&sets[states.len()].clone())?;
        let mut transitions = Vec::with_capacity(ways.len());
        for way in ways {
            let target = *numbers.entry(way.left).or_insert_with_key(|left| {
                sets.push(left.clone());
                sets.len() - 1
            });
            transitions.push((way.cube, target, way.put_off));
        }
        states.push(transitions);
    }
    // A transition belongs to the sets of all untils that it does not put off.
    let all: Marks = (1 << tableau.untils.len()) - 1;
    let finish = |(cube, target, put_off): (Cube, usize, Marks)| Transition { cube, target, marks: all & !put_off };
    let states = states.into_iter().map(|ways| ways.into_iter().map(finish).collect()).collect();
    Ok(Automaton { states, sets: tableau.untils.len(), alphabet })
}

struct Tableau<'t> {
    arena: &'t Arena,
    alphabet: Alphabet,
    interrupt: &'t Interrupt,
    ways: FxHashMap<NormalId, Vec<Way>>,
    /// Those that were met, in this order.
    untils: Vec<NormalId>,
    work: usize,
}

impl Tableau<'_> {
    /// A formula as the set of those that it is the conjunction of.
    fn conjuncts(&self, root: NormalId) -> Vec<NormalId> {
        let (mut found, mut pending) = (vec![], vec![root]);
        while let Some(id) = pending.pop() {
            match self.arena.get(id) {
                Normal::True => {}
                Normal::And(a, b) => pending.extend([a, b]),
                _ => found.push(id),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn of_set(&mut self, set: &[NormalId]) -> Result<Vec<Way>, Unfinished> {
        let mut ways = vec![Way { cube: Cube::default(), left: vec![], put_off: 0 }];
        for &formula in set {
            let others = self.of(formula)?;
            ways = self.and(&ways, &others)?;
        }
        Ok(ways)
    }

    fn of(&mut self, formula: NormalId) -> Result<Vec<Way>, Unfinished> {
        if let Some(ways) = self.ways.get(&formula) {
            return Ok(ways.clone());
        }
        let ways = grow(|| self.unfold(formula))?;
        self.ways.insert(formula, ways.clone());
        Ok(ways)
    }

    fn unfold(&mut self, formula: NormalId) -> Result<Vec<Way>, Unfinished> {
        let later = |left: Vec<NormalId>, put_off| vec![Way { cube: Cube::default(), left, put_off }];
        Ok(match self.arena.get(formula) {
            Normal::True => later(vec![], 0),
            Normal::False => vec![],
            Normal::Literal { proposition, positive } => {
                let bit = 1 << proposition;
                let cube = if positive { Cube { yes: bit, no: 0 } } else { Cube { yes: 0, no: bit } };
                vec![Way { cube, left: vec![], put_off: 0 }]
            }
            Normal::And(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                self.and(&a, &b)?
            }
            Normal::Or(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                self.or(a, b)?
            }
            Normal::Next(a) => later(self.conjuncts(a), 0),
            Normal::Until(a, b) => {
                let mark = self.mark(formula)?;
                let (a, b) = (self.of(a)?, self.of(b)?);
                let put_off = self.and(&a, &later(vec![formula], mark))?;
                self.or(b, put_off)?
            }
            Normal::Release(a, b) => {
                let (a, b) = (self.of(a)?, self.of(b)?);
                let released_or_later = self.or(a, later(vec![formula], 0))?;
                self.and(&b, &released_or_later)?
            }
        })
    }

    /// The bit of an until.
    fn mark(&mut self, until: NormalId) -> Result<Marks, Unfinished> {
        if self.untils.len() == MOST_SETS {
            return Err(Unfinished::TooLarge);
        }
        self.untils.push(until);
        Ok(1 << (self.untils.len() - 1))
    }

    fn and(&mut self, a: &[Way], b: &[Way]) -> Result<Vec<Way>, Unfinished> {
        let mut ways = vec![];
        for one in a {
            for other in b {
                if let Some(cube) = one.cube.and(other.cube, self.alphabet) {
                    let (left, put_off) = (union(&one.left, &other.left), one.put_off | other.put_off);
                    self.add(&mut ways, Way { cube, left, put_off })?;
                }
            }
        }
        Ok(ways)
    }

    fn or(&mut self, mut a: Vec<Way>, b: Vec<Way>) -> Result<Vec<Way>, Unfinished> {
        for way in b {
            self.add(&mut a, way)?;
        }
        Ok(a)
    }

    /// Adds a way, unless there is one that covers it; those that it covers go.
    fn add(&mut self, ways: &mut Vec<Way>, way: Way) -> Result<(), Unfinished> {
        let before = self.work;
        self.work += 1 + ways.len();
        if self.work > MOST_WORK {
            return Err(Unfinished::TooLarge);
        }
        if before >> 12 != self.work >> 12 && self.interrupt.is_raised() {
            return Err(Unfinished::Interrupted);
        }
        if !ways.iter().any(|known| known.covers(&way, self.alphabet)) {
            ways.retain(|known| !way.covers(known, self.alphabet));
            ways.push(way);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use redoubt_base::Random;

    /// Thousands of random formulas on random words: the automaton accepts exactly the words that satisfy the formula.
    #[test]
    fn automata_accept_what_satisfies_their_formulas() {
        let mut accepted = 0;
        for seed in 0..4000 {
            let mut random = Random::new(seed);
            let formula = random::formula(&mut random, 10, 3);
            let mut arena = Arena::default();
            let root = arena.normalise(&formula.root, true);
            let interrupt = Interrupt::default();
            let automaton = translate(&arena, root, Alphabet::Free, &interrupt).expect("it is small");
            let reduced = crate::reduce::reduce(automaton.clone());
            assert!(reduced.states.len() <= automaton.states.len());
            for _ in 0..10 {
                let word = random::word(&mut random, 3, 5);
                let expected = formula.holds_on(&word);
                accepted += usize::from(expected);
                assert_eq!(automaton.accepts(&word), expected, "{seed}: {formula} on {word:?}");
                assert_eq!(reduced.accepts(&word), expected, "reduced, {seed}: {formula} on {word:?}");
            }
        }
        assert!((10_000..30_000).contains(&accepted), "{accepted}");
    }

    /// The same with at most one proposition at a time.
    #[test]
    fn so_do_automata_for_single_symbols() {
        for seed in 10_000..13_000 {
            let mut random = Random::new(seed);
            let formula = random::formula(&mut random, 12, 4);
            let mut arena = Arena::default();
            let root = arena.normalise(&formula.root, false);
            let interrupt = Interrupt::default();
            let automaton = translate(&arena, root, Alphabet::Exclusive, &interrupt).expect("it is small");
            let reduced = crate::reduce::reduce(automaton);
            for _ in 0..10 {
                let mut word = random::word(&mut random, 1, 6);
                for letter in &mut word.letters {
                    *letter = [0, 1, 2, 4, 8][random.below(5)];
                }
                assert_eq!(reduced.accepts(&word), !formula.holds_on(&word), "{seed}: {formula} on {word:?}");
            }
        }
    }

    #[test]
    fn what_is_too_large_is_left() {
        // Each of them may come true at any time, in any order.
        let text: Vec<String> = (0..40).map(|number| format!("F (p{number} & X q{number})")).collect();
        let formula = crate::parse(&text.join(" & ")).expect("a formula");
        let mut arena = Arena::default();
        let root = arena.normalise(&formula.root, true);
        let translated = translate(&arena, root, Alphabet::Free, &Interrupt::default());
        assert_eq!(translated.err(), Some(Unfinished::TooLarge));
        let raised = Interrupt::default();
        raised.raise();
        assert_eq!(translate(&arena, root, Alphabet::Free, &raised).err(), Some(Unfinished::Interrupted));
    }
}
