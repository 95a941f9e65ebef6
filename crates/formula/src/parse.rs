//! Text to formulas, by the parser of `grammar/Ltl.g4`.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use antlr4_runtime::{Node as Tree, RuleNodeView, SyntaxErrorEvent, Token};
use redoubt_base::stack::grow;
use redoubt_parsers::ltl::{self, parser};
use redoubt_parsers::run::{Errors, Listeners, Tokens};

use crate::formula::{Binary, Formula, MOST_PROPOSITIONS, Node, Unary};

/// Why a text is no formula, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Mistake {
    /// In bytes.
    pub place: Range<usize>,
    pub message: String,
}

/// More brackets around a place, or operators in one formula, are refused: everything after the parser goes down into
/// formulas level by level.
const MOST_LEVELS: usize = 2_000;

/// Reads one formula.
pub fn parse(text: &str) -> Result<Formula, Mistake> {
    let tokens = Tokens::new(ltl::lex(text));
    if let Some(place) = too_deep(&tokens) {
        return Err(Mistake { place, message: format!("nested more than {MOST_LEVELS} levels deep") });
    }
    let mut listener = Listener { end: text.trim_end().len(), first: Arc::default() };
    let first = Arc::clone(&listener.first);
    let errors = Errors::new(move |event| listener.hear(event));
    let parsed = ltl::parse(tokens, Listeners { errors, rules: None });
    if let Some(mistake) = first.lock().ok().and_then(|mut first| first.take()) {
        return Err(mistake);
    }
    let whole = |message: String| Mistake { place: 0..text.len(), message };
    let file = parsed.map_err(|error| whole(error.to_string()))?;
    let mut builder = Builder { propositions: vec![] };
    let expression = file.tree().as_rule().and_then(|formula| formula.children().find_map(Tree::as_rule));
    let root = expression.and_then(|tree| builder.node(tree)).ok_or_else(|| whole("this is no formula".into()))?;
    if builder.propositions.len() > MOST_PROPOSITIONS {
        return Err(whole(format!("more than {MOST_PROPOSITIONS} different propositions")));
    }
    Ok(Formula { propositions: builder.propositions, root })
}

/// The first token that is nested too deeply. Every operator counts as a level.
fn too_deep(tokens: &Tokens) -> Option<Range<usize>> {
    let (mut brackets, mut operators) = (0usize, 0usize);
    for token in tokens.tokens() {
        match token.text_or_empty() {
            "(" => brackets += 1,
            ")" => brackets = brackets.saturating_sub(1),
            "true" | "false" => {}
            _ if token.token_type() == parser::NAME => {}
            _ => operators += 1,
        }
        if brackets + operators > MOST_LEVELS {
            return Some(token.byte_span().unwrap_or_default());
        }
    }
    None
}

/// Keeps the first syntax error; those after it are mostly its consequences.
struct Listener {
    /// Where the text ends.
    end: usize,
    first: Arc<Mutex<Option<Mistake>>>,
}

impl Listener {
    fn hear(&mut self, event: &SyntaxErrorEvent<'_>) {
        let place = event.span.clone().filter(|span| span.start < self.end).unwrap_or(self.end..self.end);
        let message = match event.offending.as_ref().map(|token| (token.token_type(), token.text_or_empty())) {
            Some((parser::UNKNOWN, text)) => format!("the character `{text}` does not belong to formulas"),
            Some((kind, text)) if kind != antlr4_runtime::TOKEN_EOF => format!("unexpected `{text}` in a formula"),
            _ => "the formula ends too early".into(),
        };
        if let Ok(mut first) = self.first.lock() {
            first.get_or_insert(Mistake { place, message });
        }
    }
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
