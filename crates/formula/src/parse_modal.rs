//! Text to formulas of branching time with modalities, by the parser of `grammar/ModalCtl.g4`.

use std::collections::HashMap;
use std::iter::Peekable;

use antlr4_runtime::{Node as Tree, RuleNodeView};
use redoubt_base::stack::grow;
use redoubt_parsers::modal_ctl::{self, names};

use crate::modal::{Modal, Node, Part, Path};
use crate::text::{self, Mistake};

/// Formulas that are longer when they are written out are refused.
const MOST_PARTS: usize = 100_000;

/// Reads one formula.
pub fn parse(text: &str) -> Result<Modal, Mistake> {
    let file = text::tree(text, modal_ctl::lex(text), modal_ctl::parse, &[names::NAME], names::UNKNOWN)?;
    let expression = file.tree().as_rule().and_then(|formula| formula.children().find_map(Tree::as_rule));
    let mut builder = Builder::default();
    let whole = |message: &str| Mistake { place: 0..text.len(), message: message.into() };
    let root = expression.and_then(|tree| builder.expression(tree)).ok_or_else(|| whole("this is no formula"))?;
    let Builder { mut formula, .. } = builder;
    // The formula itself comes last, whatever it shares with others.
    if root.index() + 1 != formula.parts.len() {
        let node = formula.parts[root.index()];
        formula.parts.push(node);
    }
    if formula.parts.len() > MOST_PARTS {
        return Err(whole("this formula is too long"));
    }
    Ok(formula)
}

/// Reads a file: a formula in each line that is not empty, no comment (`//`) and not only dashes, with the place of each, or what is wrong with it.
pub fn parse_lines(text: &str) -> Vec<(std::ops::Range<usize>, Result<Modal, Mistake>)> {
    let mut offset = 0;
    let mut found = vec![];
    for line in text.split_inclusive('\n') {
        let start = offset + line.len() - line.trim_start().len();
        offset += line.len();
        let line = line.trim();
        // Comments, and lines that only divide.
        let has_formula = !line.is_empty() && !line.starts_with("//") && !line.bytes().all(|byte| byte == b'-');
        if has_formula {
            let formula = parse(line).map_err(|Mistake { place, message }| Mistake {
                place: start + place.start..start + place.end,
                message,
            });
            found.push((start..start + line.len(), formula));
        }
    }
    found
}

#[derive(Default)]
struct Builder {
    formula: Modal,
    known: HashMap<Node, Part>,
}

impl Builder {
    fn add(&mut self, node: Node) -> Part {
        self.formula.add(node, &mut self.known)
    }

    fn expression(&mut self, tree: RuleNodeView<'_>) -> Option<Part> {
        grow(|| {
            let mut parts = vec![];
            for child in tree.children() {
                match child.as_rule() {
                    Some(operand) => parts.push(Piece::Operand(self.operand(operand)?)),
                    None => parts.push(Piece::Operator(level(child.as_terminal()?.text())?)),
                }
            }
            self.climb(&mut parts.into_iter().peekable(), 0)
        })
    }

    /// An operand and the operators behind it that bind at least so tightly.
    fn climb(&mut self, parts: &mut Peekable<impl Iterator<Item = Piece>>, least: u8) -> Option<Part> {
        let Some(Piece::Operand(mut left)) = parts.next() else { return None };
        while let Some(&Piece::Operator(level)) = parts.peek()
            && level >= least
        {
            parts.next();
            let right = grow(|| self.climb(parts, if level == IMPLIES { level } else { level + 1 }))?;
            left = self.add(match level {
                IMPLIES => Node::Implies(left, right),
                OR => Node::Or(left, right),
                _ => Node::And(left, right),
            });
        }
        Some(left)
    }

    fn operand(&mut self, tree: RuleNodeView<'_>) -> Option<Part> {
        let sign = tree.children().find_map(|child| child.as_terminal())?.text().to_string();
        let rules: Vec<RuleNodeView<'_>> = tree.children().filter_map(Tree::as_rule).collect();
        let node = match (sign.as_str(), &rules[..]) {
            ("(", [inner]) => return self.expression(*inner),
            ("true" | "false", []) => Node::Constant(sign == "true"),
            ("E" | "A", [a, b]) => {
                let path = Path::Until(self.expression(*a)?, self.expression(*b)?);
                if sign == "E" { Node::Exists(path) } else { Node::All(path) }
            }
            (bracket @ ("<" | "["), [name, inner]) => {
                let inner = grow(|| self.operand(*inner))?;
                let text = name.start()?.text_or_empty().to_string();
                let name = self.formula.name(&text);
                if bracket == "<" { Node::Can(name, inner) } else { Node::Must(name, inner) }
            }
            (sign, [inner]) => {
                let inner = grow(|| self.operand(*inner))?;
                match sign {
                    "!" => Node::Not(inner),
                    "EX" => Node::Exists(Path::Next(inner)),
                    "EF" => Node::Exists(Path::Finally(inner)),
                    "EG" => Node::Exists(Path::Globally(inner)),
                    "AX" => Node::All(Path::Next(inner)),
                    "AF" => Node::All(Path::Finally(inner)),
                    "AG" => Node::All(Path::Globally(inner)),
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(self.add(node))
    }
}

/// A part of an expression.
enum Piece {
    Operand(Part),
    Operator(u8),
}

const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;

fn level(sign: &str) -> Option<u8> {
    match sign {
        "=>" => Some(IMPLIES),
        "|" => Some(OR),
        "&" => Some(AND),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modal::System;

    fn shown(text: &str) -> String {
        parse(text).expect("a formula").to_string()
    }

    #[test]
    fn operators_bind_as_they_should() {
        assert_eq!(
            shown("AG ( (<a><x>true & <b>false) => <a><x>(<b>true) )"),
            "AG ((<a><x>true & <b>false) => <a><x><b>true)"
        );
        assert_eq!(shown("true | false & true => false => true"), "((true | (false & true)) => (false => true))");
        assert_eq!(shown("!<a>true & [b]EF true"), "(!<a>true & [b]EF true)");
        assert_eq!(shown("A(true U E(<A>true U <AG>[true]false))"), "A(true U E(<A>true U <AG>[true]false))");
        assert_eq!(shown("<a>true & EX <a>true"), "(<a>true & EX <a>true)");
        assert_eq!(shown("(<a>true => true) & <a>true"), "((<a>true => true) & <a>true)");
    }

    #[test]
    fn what_is_no_formula_is_refused_with_its_place() {
        for (text, place) in
            [("AG", 2), ("<a true", 3), ("a", 0), ("<a>true <b>true", 8), ("<1>true", 1), ("", 0), ("true =>", 7)]
        {
            assert_eq!(parse(text).expect_err(text).place.start, place, "{text}");
        }
        let lines = parse_lines("true\n\n// no\n <a>\nEF <a>true\n----\n");
        let places: Vec<_> = lines.iter().map(|(place, formula)| (place.clone(), formula.is_ok())).collect();
        assert_eq!(places, [(0..4, true), (13..16, false), (17..27, true)]);
        assert!(parse_lines("=>\n(\n\0").iter().all(|(_, formula)| formula.is_err()));
        assert_eq!(lines[1].1.as_ref().expect_err("no formula").place, 16..16);
    }

    #[test]
    fn paths_may_end() {
        // 0 -a-> 1 -x-> 0, 0 -b-> 2, which is an end.
        let system = System {
            symbols: ["a", "b", "x"].map(String::from).to_vec(),
            transitions: vec![vec![(0, 1), (1, 2)], vec![(2, 0)], vec![]],
        };
        for (text, holds) in [
            ("<a><x><b>true", true),
            ("<c>true", false),
            ("[c]false", true),
            ("[a]<x>true & !<b>EX true & <b>AX false", true),
            ("AG EF <b>true", false),
            ("AG (EX true => EF <b>true)", true),
            ("EG EX true", true),
            ("AF AX false", false),
            ("EF AX false", true),
            ("AG AF <a>true", false),
            ("EG !<c>true & <b>EG true & <b>AF AX false", true),
            ("E(<a>true U <x>true)", true),
            ("A(<a>true U <x>true)", false),
            ("A(<a>true | <x>true U AX false)", false),
        ] {
            assert_eq!(parse(text).expect("a formula").holds(&system), holds, "{text}");
        }
    }
}
