//! Text to formulas, by the parser of `grammar/Ltl.g4`.

use antlr4_runtime::{Node as Tree, RuleNodeView};
use redoubt_base::stack::grow;
use redoubt_parsers::ltl::{self, names};

use crate::formula::{Binary, Formula, MOST_PROPOSITIONS, Node, Unary};
use crate::text::{self, Mistake};

/// Reads one formula.
pub fn parse(text: &str) -> Result<Formula, Mistake> {
    let whole = |message: String| Mistake { place: 0..text.len(), message };
    let file = text::tree(text, ltl::lex(text), ltl::parse, &[names::NAME], names::UNKNOWN)?;
    let mut builder = Builder { propositions: vec![] };
    let expression = file.tree().as_rule().and_then(|formula| formula.children().find_map(Tree::as_rule));
    let root = expression.and_then(|tree| builder.node(tree)).ok_or_else(|| whole("this is no formula".into()))?;
    if builder.propositions.len() > MOST_PROPOSITIONS {
        return Err(whole(format!("more than {MOST_PROPOSITIONS} different propositions")));
    }
    Ok(Formula { propositions: builder.propositions, root })
}

struct Builder {
    propositions: Vec<String>,
}

impl Builder {
    fn node(&mut self, tree: RuleNodeView<'_>) -> Option<Node> {
        grow(|| {
            let tokens: Vec<&str> =
                tree.children().filter_map(|child| child.as_terminal().map(|token| token.text())).collect();
            let mut parts = tree.children().filter_map(Tree::as_rule);
            Some(match (parts.next(), parts.next()) {
                (None, _) => match *tokens.first()? {
                    word @ ("true" | "false") => Node::Constant(word == "true"),
                    name => Node::Proposition(self.proposition(name)),
                },
                (Some(inner), None) => match *tokens.first()? {
                    "(" => self.node(inner)?,
                    sign => Node::Unary(unary(sign)?, Box::new(self.node(inner)?)),
                },
                (Some(a), Some(b)) => {
                    let (a, b) = (self.node(a)?, self.node(b)?);
                    Node::Binary(binary(tokens.first()?)?, Box::new(a), Box::new(b))
                }
            })
        })
    }

    fn proposition(&mut self, name: &str) -> usize {
        self.propositions.iter().position(|known| known == name).unwrap_or_else(|| {
            self.propositions.push(name.into());
            self.propositions.len() - 1
        })
    }
}

fn unary(sign: &str) -> Option<Unary> {
    Some(match sign {
        "!" | "~" => Unary::Not,
        "X" => Unary::Next,
        "F" | "<>" => Unary::Finally,
        "G" | "[]" => Unary::Globally,
        _ => return None,
    })
}

fn binary(sign: &str) -> Option<Binary> {
    Some(match sign {
        "&" | "&&" => Binary::And,
        "|" | "||" => Binary::Or,
        "->" | "=>" => Binary::Implies,
        "<->" | "<=>" => Binary::Iff,
        "U" => Binary::Until,
        "R" | "V" => Binary::Release,
        "W" | "WU" => Binary::WeakUntil,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        parse(text).expect("a formula").to_string()
    }

    #[test]
    fn all_spellings_are_read() {
        assert_eq!(shown("(! oZ WU (oU & ! oZ))"), "(!oZ W (oU & !oZ))");
        assert_eq!(shown("~a && []<>b || X c"), "((!a & G F b) | X c)");
        assert_eq!(shown("a -> b => c"), "(a -> (b -> c))");
        assert_eq!(shown("a <-> b <=> c"), "((a <-> b) <-> c)");
        assert_eq!(shown("( (false R (! iC | (true U oZ))) )"), "(false R (!iC | (true U oZ)))");
        assert_eq!(shown("a V b R c"), "(a R (b R c))");
    }

    #[test]
    fn operators_bind_as_the_files_of_all_years_expect() {
        assert_eq!(shown("! oZ WU p"), "(!oZ W p)");
        assert_eq!(shown("a U b & c U d | e"), "(((a U b) & (c U d)) | e)");
        assert_eq!(shown("a U b U c"), "(a U (b U c))");
        assert_eq!(shown("X a U b"), "(X a U b)");
        assert_eq!(shown("a | b -> c & d <-> e"), "(((a | b) -> (c & d)) <-> e)");
    }

    #[test]
    fn what_is_no_formula_is_refused_with_its_place() {
        let refused = |text: &str| {
            let mistake = parse(text).expect_err("no formula");
            (mistake.place, mistake.message)
        };
        assert_eq!(refused("a U"), (3..3, "the formula ends too early".into()));
        assert_eq!(refused(""), (0..0, "the formula ends too early".into()));
        assert_eq!(refused("(a & b"), (6..6, "the formula ends too early".into()));
        assert_eq!(refused("a b"), (2..3, "unexpected `b` in a formula".into()));
        assert_eq!(refused("a & ? b").1, "the character `?` does not belong to formulas");
        let deep = format!("{}a{}", "(".repeat(3000), ")".repeat(3000));
        assert_eq!(refused(&deep), (2000..2001, "nested more than 2000 levels deep".into()));
        let many: Vec<String> = (0..200).map(|number| format!("p{number}")).collect();
        assert_eq!(refused(&many.join(" | ")).1, "more than 128 different propositions");
    }

    #[test]
    fn formulas_may_be_deep() {
        let deep = format!("{}a", "! X ".repeat(900));
        assert_eq!(shown(&deep).len(), 900 * 3 + 1);
    }
}
