//! Text to formulas of branching time, by the parser of `grammar/Ctl.g4`.

use std::fmt;
use std::ops::Range;

use antlr4_runtime::{Node as Tree, RuleNodeView, Token};
use redoubt_base::stack::grow;
use redoubt_parsers::ctl::{self, names};

use crate::branching::{Branching, Path};
use crate::text::{self, Mistake};

/// A name, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    /// In bytes.
    pub place: Range<usize>,
}

/// As it may be written.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_in_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
        let begins = self.text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
        let is_keyword = KEYWORDS.contains(&self.text.as_str());
        match begins && !is_keyword && self.text.chars().all(is_in_name) {
            true => f.write_str(&self.text),
            false => write!(f, "\"{}\"", self.text),
        }
    }
}

const KEYWORDS: [&str; 13] = ["true", "false", "EX", "EF", "EG", "AX", "AF", "AG", "E", "A", "U", "EU", "AU"];

/// An equivalence has both of its operands twice, so that formulas can become much longer than they are written.
const MOST_PARTS: usize = 100_000;

/// Reads one formula.
pub fn parse(text: &str) -> Result<Branching<Name>, Mistake> {
    let names = [names::NAME, names::QUOTED];
    let file = text::tree(text, ctl::lex(text), ctl::parse, &names, names::UNKNOWN)?;
    let expression = file.tree().as_rule().and_then(|formula| formula.children().find_map(Tree::as_rule));
    let whole = |message: &str| Mistake { place: 0..text.len(), message: message.into() };
    let (formula, parts) = expression.and_then(formula).ok_or_else(|| whole("this is no formula"))?;
    if parts > MOST_PARTS {
        return Err(whole("too long when its equivalences are written out"));
    }
    Ok(formula)
}

/// The formula and of how many parts it consists; one that has too many is not made.
fn formula(tree: RuleNodeView<'_>) -> Option<(Branching<Name>, usize)> {
    grow(|| {
        let terminals = || tree.children().filter_map(|child| child.as_terminal());
        let first = terminals().next();
        let word = first.map(|token| token.text().to_string());
        let mut parts = tree.children().filter_map(Tree::as_rule);
        Some(match (parts.next(), parts.next()) {
            (None, _) => {
                let token = first?;
                let text = token.text();
                let leaf = match text {
                    "true" | "false" => Branching::Constant(text == "true"),
                    _ => Branching::Atom(Name {
                        place: token.symbol().byte_span().unwrap_or_default(),
                        text: text.trim_matches('"').to_string(),
                    }),
                };
                (leaf, 1)
            }
            (Some(inner), None) => {
                let (inner, parts) = formula(inner)?;
                let formula = match word?.as_str() {
                    "(" => inner,
                    "!" | "~" => inner.negated(),
                    sign => unary(sign, inner)?,
                };
                (formula, parts + 1)
            }
            (Some(a), Some(b)) => {
                let ((a, of_a), (b, of_b)) = (formula(a)?, formula(b)?);
                let parts = of_a + of_b + 1;
                match word?.as_str() {
                    "<->" | "<=>" if parts > MOST_PARTS => (Branching::Constant(true), parts),
                    "<->" | "<=>" => {
                        (a.clone().negated().or(b.clone()).and(b.negated().or(a)), parts.saturating_mul(2))
                    }
                    sign => (binary(sign, a, b)?, parts),
                }
            }
        })
    })
}

fn unary(sign: &str, inner: Branching<Name>) -> Option<Branching<Name>> {
    let inner = Box::new(inner);
    let path = match sign.get(1..)? {
        "X" => Path::Next(inner),
        "F" => Path::Finally(inner),
        "G" => Path::Globally(inner),
        _ => return None,
    };
    Some(quantified(sign, path))
}

fn binary(sign: &str, a: Branching<Name>, b: Branching<Name>) -> Option<Branching<Name>> {
    Some(match sign {
        "&" | "&&" => a.and(b),
        "|" | "||" => a.or(b),
        "->" | "=>" => a.negated().or(b),
        "E" | "A" | "EU" | "AU" => quantified(sign, Path::Until(Box::new(a), Box::new(b))),
        _ => return None,
    })
}

fn quantified(sign: &str, path: Path<Name>) -> Branching<Name> {
    if sign.starts_with('E') { Branching::Exists(path) } else { Branching::All(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        parse(text).expect("a formula").to_string()
    }

    #[test]
    fn all_spellings_are_read() {
        assert_eq!(shown("AG EF idle"), "AG EF idle");
        assert_eq!(shown("E [ a U b ] && A[c U d]"), "(E[a U b] & A[c U d])");
        assert_eq!(shown("a EU b AU c"), "E[a U A[b U c]]");
        assert_eq!(shown("~a | b & EX c"), "(!a | (b & EX c))");
        assert_eq!(shown("a -> AF b -> c"), "(!a | (!AF b | c))");
        assert_eq!(shown("a <-> b"), "((!a | b) & (!b | a))");
        assert_eq!(shown("AG \"top.u[3]\""), "AG \"top.u[3]\"");
        assert_eq!(shown("EF top.busy & true"), "(EF top.busy & true)");
    }

    #[test]
    fn what_is_no_formula_is_refused_with_its_place() {
        let refused = |text: &str| {
            let mistake = parse(text).expect_err("no formula");
            (mistake.place, mistake.message)
        };
        assert_eq!(refused("AG"), (2..2, "the formula ends too early".into()));
        assert_eq!(refused(""), (0..0, "the formula ends too early".into()));
        assert_eq!(refused("a b"), (2..3, "unexpected `b` in a formula".into()));
        assert_eq!(refused("E [ a U b"), (9..9, "the formula ends too early".into()));
        assert_eq!(refused("AG ? a").1, "the character `?` does not belong to formulas");
        let deep = format!("{}a{}", "(".repeat(3000), ")".repeat(3000));
        assert_eq!(refused(&deep), (2000..2001, "nested more than 2000 levels deep".into()));
        let doubling = ["(a <-> b)"; 2].join(" <-> ");
        let doubling = (0..20).fold(doubling, |text, _| format!("({text}) <-> a"));
        assert_eq!(refused(&doubling).1, "too long when its equivalences are written out");
    }

    #[test]
    fn names_know_where_they_stand() {
        let formula = parse("AG (EF \"x y\" | b)").expect("a formula");
        let places: Vec<(&str, Range<usize>)> =
            formula.atoms().iter().map(|name| (name.text.as_str(), name.place.clone())).collect();
        assert_eq!(places, [("x y", 7..12), ("b", 15..16)]);
    }

    #[test]
    fn what_is_written_can_be_read_again() {
        for text in ["AG (a -> AF b)", "E[a U !EG (b | \"a b\")]", "! EX (a <-> AX b)"] {
            let once = shown(text);
            assert_eq!(shown(&once), once);
        }
    }
}
