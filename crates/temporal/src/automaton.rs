//! Generalised Büchi automata with acceptance on transitions.

use crate::formula::{Lasso, Letter};

/// The acceptance sets that a transition belongs to, a bit each.
pub type Marks = u128;

/// The largest number of acceptance sets of an automaton; the product with a machine needs one more.
pub const MOST_SETS: usize = Marks::BITS as usize - 1;

/// Which letters there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// Any propositions may be true at the same time.
    Free,
    /// At most one proposition is true at a time, as in runs that consist of single symbols.
    Exclusive,
}

/// A set of letters: some propositions are true, others are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    pub yes: Letter,
    pub no: Letter,
}

impl Cube {
    pub fn accepts(self, letter: Letter) -> bool {
        letter & self.yes == self.yes && letter & self.no == 0
    }

    /// The letters that are in both, if there are any.
    pub fn and(self, other: Cube, alphabet: Alphabet) -> Option<Cube> {
        let both = Cube { yes: self.yes | other.yes, no: self.no | other.no };
        if both.yes & both.no != 0 {
            return None;
        }
        match alphabet {
            Alphabet::Free => Some(both),
            Alphabet::Exclusive => match both.yes.count_ones() {
                0 => Some(both),
                // A true proposition excludes the others anyway.
                1 => Some(Cube { no: 0, ..both }),
                _ => None,
            },
        }
    }

    /// Whether all letters of another one are in this.
    pub fn covers(self, other: Cube, alphabet: Alphabet) -> bool {
        match alphabet {
            Alphabet::Exclusive if other.yes != 0 => self.accepts(other.yes),
            _ => self.yes & !other.yes == 0 && self.no & !other.no == 0,
        }
    }
}

/// One way to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition {
    pub cube: Cube,
    pub target: usize,
    pub marks: Marks,
}

/// A word is accepted if some run on it takes transitions of each acceptance set infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// By number; the first one is where runs begin. Without states nothing is accepted.
    pub states: Vec<Vec<Transition>>,
    /// The number of acceptance sets.
    pub sets: usize,
    pub alphabet: Alphabet,
}

impl Automaton {
    /// The marks of a transition that belongs to all sets.
    pub fn all_marks(&self) -> Marks {
        (1 << self.sets) - 1
    }

    /// Whether everything is accepted from a state on, and it says so by itself.
    pub fn is_universal(&self, state: usize) -> bool {
        let everything = Transition { cube: Cube::default(), target: state, marks: self.all_marks() };
        self.states[state].contains(&everything)
    }

    /// The number of transitions.
    pub fn transitions(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Whether a word is accepted: by following all runs to the loop, and looking for an accepting way around it.
    pub fn accepts(&self, word: &Lasso<Letter>) -> bool {
        let length = word.letters.len();
        let after = |position: usize| if position + 1 < length { position + 1 } else { word.loop_start };
        let graph = crate::scc::Graph {
            nodes: self.states.len() * length,
            successors: |node: usize, out: &mut Vec<(usize, Marks)>| {
                let (state, position) = (node / length, node % length);
                let ways = self.states[state].iter().filter(|way| way.cube.accepts(word.letters[position]));
                out.extend(ways.map(|way| (way.target * length + after(position), way.marks)));
            },
        };
        !self.states.is_empty() && graph.components([0]).iter().any(|one| one.is_cyclic && one.has(self.all_marks()))
    }
}
