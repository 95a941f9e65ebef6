//! Random formulas, words and machines, for tests.

use redoubt_base::Random;

use crate::formula::{Binary, Formula, Lasso, Letter, Node, Unary};

/// A formula with about `size` operators over `propositions` propositions.
pub(crate) fn formula(random: &mut Random, size: usize, propositions: usize) -> Formula {
    let size = 1 + random.below(size);
    let names = ["a", "b", "c", "d", "e"];
    Formula {
        propositions: names[..propositions].iter().map(|name| name.to_string()).collect(),
        root: node(random, size, propositions),
    }
}

fn node(random: &mut Random, size: usize, propositions: usize) -> Node {
    if size <= 1 {
        return match random.below(10) {
            0 => Node::Constant(random.below(2) == 0),
            _ => Node::Proposition(random.below(propositions)),
        };
    }
    if random.below(5) < 2 {
        let operator = random.choose(&[Unary::Not, Unary::Next, Unary::Finally, Unary::Globally]);
        return Node::Unary(operator, Box::new(node(random, size - 1, propositions)));
    }
    use Binary::{And, Iff, Implies, Or, Release, Until, WeakUntil};
    let operator = random.choose(&[And, And, Or, Or, Implies, Iff, Until, Until, Release, WeakUntil]);
    let left = 1 + random.below(size - 1);
    let a = node(random, left, propositions);
    Node::Binary(operator, Box::new(a), Box::new(node(random, (size - left).max(1), propositions)))
}

/// A word of at most `length` letters before the loop, and in it.
pub(crate) fn word(random: &mut Random, propositions: usize, length: usize) -> Lasso<Letter> {
    let (stem, cycle) = (random.below(length), 1 + random.below(length));
    let letters = (0..stem + cycle).map(|_| random.below(1 << propositions) as Letter).collect();
    Lasso { letters, loop_start: stem }
}
