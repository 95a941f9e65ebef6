//! Formulas as they are written, and their meaning on lassos: the reference for everything that is done with them.

use std::fmt;

/// The propositions that are true at one position of a word: a bit for each.
pub type Letter = u128;

/// The largest number of propositions in a formula, so that a [`Letter`] has a bit for each.
pub const MOST_PROPOSITIONS: usize = Letter::BITS as usize;

/// A formula of linear temporal logic over propositions of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The names, by number; each occurs.
    pub propositions: Vec<String>,
    pub root: Node,
}

/// A formula over numbered propositions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Constant(bool),
    Proposition(usize),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    Next,
    Finally,
    Globally,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    And,
    Or,
    Implies,
    Iff,
    Until,
    /// `a R b`: b stays true up to and including the moment at which a is true, or for ever.
    Release,
    /// `a W b`: a stays true until b is, or for ever.
    WeakUntil,
}

/// An infinite word: some letters, of which those from a position on are repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso<L> {
    pub letters: Vec<L>,
    /// Where the loop begins; before the end.
    pub loop_start: usize,
}

impl<L> Lasso<L> {
    pub fn stem(&self) -> &[L] {
        &self.letters[..self.loop_start]
    }

    pub fn cycle(&self) -> &[L] {
        &self.letters[self.loop_start..]
    }
}

impl Formula {
    /// Whether a word satisfies the formula.
    ///
    /// # Panics
    ///
    /// If the word has no loop.
    pub fn holds_on(&self, word: &Lasso<Letter>) -> bool {
        assert!(word.loop_start < word.letters.len(), "a word is infinite");
        truth(&self.root, word)[0]
    }

    /// The letter at which just the propositions are true that this says.
    pub fn letter(&self, is_true: impl Fn(&str) -> bool) -> Letter {
        let bits = self.propositions.iter().enumerate().filter(|(_, name)| is_true(name)).map(|(index, _)| 1 << index);
        bits.fold(0, |letter, bit: Letter| letter | bit)
    }
}

/// At which positions of a word a formula is true, by the definition of its operators.
fn truth(node: &Node, word: &Lasso<Letter>) -> Vec<bool> {
    let length = word.letters.len();
    let after = |position: usize| if position + 1 < length { position + 1 } else { word.loop_start };
    // The least or the greatest solution of `value[i] = step(i, value[i + 1])`: from the end to the beginning, twice,
    // since the value behind the end is known only after one pass through the loop.
    let fixpoint = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut values = vec![start; length];
        for _ in 0..2 {
            for position in (0..length).rev() {
                values[position] = step(position, values[after(position)]);
            }
        }
        values
    };
    match node {
        Node::Constant(value) => vec![*value; length],
        Node::Proposition(index) => word.letters.iter().map(|letter| letter >> index & 1 == 1).collect(),
        Node::Unary(operator, a) => {
            let a = truth(a, word);
            match operator {
                Unary::Not => a.iter().map(|value| !value).collect(),
                Unary::Next => (0..length).map(|position| a[after(position)]).collect(),
                Unary::Finally => fixpoint(false, &|position, later| a[position] || later),
                Unary::Globally => fixpoint(true, &|position, later| a[position] && later),
            }
        }
        Node::Binary(operator, a, b) => {
            let (a, b) = (truth(a, word), truth(b, word));
            let pointwise = |f: fn(bool, bool) -> bool| a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect();
            match operator {
                Binary::And => pointwise(|a, b| a && b),
                Binary::Or => pointwise(|a, b| a || b),
                Binary::Implies => pointwise(|a, b| !a || b),
                Binary::Iff => pointwise(|a, b| a == b),
                Binary::Until => fixpoint(false, &|position, later| b[position] || a[position] && later),
                Binary::Release => fixpoint(true, &|position, later| b[position] && (a[position] || later)),
                Binary::WeakUntil => fixpoint(true, &|position, later| b[position] || a[position] && later),
            }
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(&self.root, &self.propositions, f)
    }
}

/// With brackets around everything that consists of two parts.
fn write(node: &Node, names: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match node {
        Node::Constant(value) => write!(f, "{value}"),
        Node::Proposition(index) => f.write_str(&names[*index]),
        Node::Unary(operator, a) => {
            let sign = match operator {
                Unary::Not => "!",
                Unary::Next => "X ",
                Unary::Finally => "F ",
                Unary::Globally => "G ",
            };
            f.write_str(sign)?;
            write(a, names, f)
        }
        Node::Binary(operator, a, b) => {
            let sign = match operator {
                Binary::And => "&",
                Binary::Or => "|",
                Binary::Implies => "->",
                Binary::Iff => "<->",
                Binary::Until => "U",
                Binary::Release => "R",
                Binary::WeakUntil => "W",
            };
            f.write_str("(")?;
            write(a, names, f)?;
            write!(f, " {sign} ")?;
            write(b, names, f)?;
            f.write_str(")")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// Whether a formula over a, b, c holds on words of these letters: each symbol names the true propositions, `.`
    /// none.
    fn holds(text: &str, stem: &str, cycle: &str) -> bool {
        let formula = parse(text).expect("a formula");
        let letters = stem.chars().chain(cycle.chars());
        let letters = letters.map(|symbol| formula.letter(|name| name == symbol.to_string())).collect();
        formula.holds_on(&Lasso { letters, loop_start: stem.len() })
    }

    #[test]
    fn operators_mean_what_they_should() {
        assert!(
            holds("F c", "ab", "abc") && !holds("F c", "", "ab") && holds("G !c", "", "ab") && holds("F c", "c", "ab")
        );
        assert!(holds("G F c", "ab", "abc") && !holds("F G c", "", "ac") && holds("F G c", "ab", "c"));
        assert!(holds("a U b", "aab", "c") && !holds("a U b", "", "a") && !holds("a U b", "aacb", "b"));
        assert!(holds("a W b", "", "a") && holds("a WU b", "aab", "c") && !holds("a W b", "ac", "b"));
        // The releasing moment belongs to both.
        assert!(holds("b R a", "", "a") && !holds("b R a", "aab", "c") && holds("b R (a | b)", "aab", "c"));
        assert!(holds("X b", "ab", "c") && holds("X c", "", "ac") && !holds("X X c", "", "ac"));
        assert!(holds("a -> b", "", "c") && !holds("a -> b", "", "a") && holds("(a <-> b) & !(a <-> c)", "", "c"));
        assert!(holds("true", "", ".") && !holds("false", "", "."));
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        for text in ["! a WU b & c", "G(a -> X F b) | <> c", "a U b R c <-> [] false"] {
            let formula = parse(text).expect("a formula");
            assert_eq!(parse(&formula.to_string()).as_ref(), Ok(&formula));
        }
    }
}
