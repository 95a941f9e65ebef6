//! ANTLR's parse tree to the syntax tree, and the check that a line end or a `;` stands between statements.

use super::ast::{
    Branch, Case, Expr, ExprKind, Ident, Item, ItemKind, Judgement, Pattern, Place, Proc, Property, Start, Stmt,
    StmtKind, TypeKind, TypeName,
};
use crate::program::Status;
use crate::source::tree::{Child, Tree};
use crate::source::{Diagnostic, Diagnostics};
use crate::text::{SourceFile, Span};
use redoubt_base::stack::grow;
use redoubt_parsers::gcl::parser as g;

pub struct Builder<'s> {
    pub source: &'s SourceFile,
    pub diagnostics: Diagnostics,
}

impl Builder<'_> {
    pub fn model(&mut self, tree: Tree<'_>) -> Vec<Item> {
        self.check_borders(tree, g::RULE_ITEM);
        tree.all(g::RULE_ITEM).filter_map(|item| self.item(item)).collect()
    }

    /// Two children of a kind need a line end, a `;` or the brace of the first one between them.
    fn check_borders(&mut self, tree: Tree<'_>, rule: usize) {
        let mut last: Option<Span> = None;
        for child in tree.children() {
            match child {
                Child::Rule(child) if child.rule() == rule => {
                    let span = child.span();
                    let between = last.map_or("\n", |last| &self.source.text[last.end as usize..span.start as usize]);
                    // A brace that closes ends what it closes.
                    let closed = last.is_some_and(|last| self.source.text[..last.end as usize].ends_with('}'));
                    if !closed && !between.contains(['\n', ';']) {
                        let place = Span { end: span.start + 1, ..span };
                        self.diagnostics.push(
                            Diagnostic::new(
                                place,
                                "two statements in one line",
                                "expected a line end or `;` before this",
                            )
                            .help("if it belongs to the line before, an operator is missing"),
                        );
                    }
                    last = Some(span);
                }
                Child::Rule(_) => {}
                Child::Token(_) => last = None,
            }
        }
    }

    fn item(&mut self, tree: Tree<'_>) -> Option<Item> {
        let name = || ident(tree);
        let expressions = || tree.all(g::RULE_EXPRESSION);
        let kind = match tree.tokens().next()? {
            "system" => ItemKind::System(name()?),
            "const" => ItemKind::Const { name: name()?, value: start(tree.find(g::RULE_START)?)? },
            "enum" => {
                let mut names = tree.names().map(|(text, span)| Ident { text: text.into(), span });
                ItemKind::Enum { name: names.next()?, values: names.collect() }
            }
            "type" => ItemKind::Type { name: name()?, ty: type_name(tree.find(g::RULE_TYPE_NAME)?)? },
            "input" => ItemKind::Input { name: name()?, ty: type_name(tree.find(g::RULE_TYPE_NAME)?)? },
            "var" => {
                let start = match tree.find(g::RULE_START) {
                    Some(value) => Some(start(value)?),
                    None if tree.has_token("in") => {
                        Some(Start::OneOf(expressions().map(expression).collect::<Option<_>>()?))
                    }
                    None => None,
                };
                ItemKind::Var { name: name()?, ty: type_name(tree.find(g::RULE_TYPE_NAME)?)?, start }
            }
            "define" => ItemKind::Define { name: name()?, body: expression(tree.find(g::RULE_EXPRESSION)?)? },
            "proc" => {
                let parameters = tree
                    .all(g::RULE_PARAMETER)
                    .map(|parameter| Some((ident(parameter)?, type_name(parameter.find(g::RULE_TYPE_NAME)?)?)));
                let parameters = parameters.collect::<Option<_>>()?;
                ItemKind::Proc(Proc { name: name()?, parameters, body: self.block(tree.find(g::RULE_BLOCK)?) })
            }
            "step" => ItemKind::Step(self.block(tree.find(g::RULE_BLOCK)?)),
            "property" => ItemKind::Property(property(tree)?),
            _ => ItemKind::Assume(expression(tree.find(g::RULE_EXPRESSION)?)?),
        };
        Some(Item { kind, span: tree.span() })
    }

    fn block(&mut self, tree: Tree<'_>) -> Vec<Stmt> {
        self.check_borders(tree, g::RULE_STATEMENT);
        tree.all(g::RULE_STATEMENT).filter_map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, tree: Tree<'_>) -> Option<Stmt> {
        grow(|| match tree.rule() {
            g::RULE_STATEMENT => self.statement(tree.rules().next()?),
            g::RULE_CONDITIONAL => self.conditional(tree),
            _ => Some(Stmt { kind: self.plain(tree)?, span: tree.span() }),
        })
    }

    /// A body that may be a block or a single statement.
    fn body(&mut self, tree: Tree<'_>) -> Option<Vec<Stmt>> {
        Some(match self.statement(tree)? {
            Stmt { kind: StmtKind::Block(list), .. } => list,
            other => vec![other],
        })
    }

    fn conditional(&mut self, tree: Tree<'_>) -> Option<Stmt> {
        let mut branches = vec![];
        for branch in std::iter::once(tree).chain(tree.all(g::RULE_ELSE_IF)) {
            let condition = branch.find(g::RULE_EXPRESSION)?;
            let span = branch.span().to(condition.span());
            let span = Span { end: condition.span().end, ..span };
            let body = self.block(branch.find(g::RULE_BLOCK)?);
            branches.push(Branch { guard: Some(expression(condition)?), body, span });
        }
        if let Some(otherwise) = tree.find(g::RULE_OTHERWISE) {
            let span = first_word(otherwise.span(), "else");
            branches.push(Branch { guard: None, body: self.body(otherwise.rules().next()?)?, span });
        }
        Some(Stmt { kind: StmtKind::If(branches), span: tree.span() })
    }

    fn plain(&mut self, tree: Tree<'_>) -> Option<StmtKind> {
        let expressions = || tree.all(g::RULE_EXPRESSION).map(expression);
        let place = || tree.find(g::RULE_PLACE).and_then(place);
        Some(match tree.tokens().next() {
            None => match tree.find(g::RULE_BLOCK) {
                Some(block) => StmtKind::Block(self.block(block)),
                None => return None,
            },
            Some("choose") => {
                self.check_borders(tree, g::RULE_ALTERNATIVE);
                let alternatives = tree.all(g::RULE_ALTERNATIVE).map(|tree| self.alternative(tree));
                StmtKind::Choose(alternatives.collect::<Option<_>>()?)
            }
            Some("match") => {
                self.check_borders(tree, g::RULE_MATCH_CASE);
                let cases = tree.all(g::RULE_MATCH_CASE).map(|tree| self.case(tree)).collect::<Option<_>>()?;
                StmtKind::Match(expressions().next()??, cases)
            }
            Some("for") => {
                let (low, high) = (expressions().next()??, expressions().nth(1)??);
                StmtKind::For { name: ident(tree)?, low, high, body: self.block(tree.find(g::RULE_BLOCK)?) }
            }
            Some("assume") => StmtKind::Assume(expressions().next()??),
            Some("assert") => StmtKind::Assert(ident(tree), expressions().next()??),
            Some("error") => StmtKind::Error(ident(tree)?),
            Some("havoc") => StmtKind::Havoc(place()?),
            Some("=") => StmtKind::Assign(place()?, expressions().next()??),
            Some(_) => StmtKind::Call(ident(tree)?, expressions().collect::<Option<_>>()?),
        })
    }

    fn alternative(&mut self, tree: Tree<'_>) -> Option<Branch> {
        let guard = tree.find(g::RULE_EXPRESSION);
        let span = match guard {
            Some(guard) => Span { end: guard.span().end, ..tree.span() },
            None => first_word(tree.span(), "otherwise"),
        };
        let guard = match guard {
            Some(guard) => Some(expression(guard)?),
            None => None,
        };
        Some(Branch { guard, body: self.body(tree.find(g::RULE_STATEMENT)?)?, span })
    }

    fn case(&mut self, tree: Tree<'_>) -> Option<Case> {
        let mut patterns = vec![];
        let mut span = first_word(tree.span(), "otherwise");
        for pattern in tree.all(g::RULE_PATTERN) {
            let mut bounds = pattern.all(g::RULE_EXPRESSION).map(expression);
            let (low, high) = (bounds.next()??, bounds.next());
            let high = match high {
                Some(high) => Some(high?),
                None => None,
            };
            span = Span { end: pattern.span().end, ..tree.span() };
            patterns.push(Pattern { low, high });
        }
        Some(Case { patterns, body: self.body(tree.find(g::RULE_STATEMENT)?)?, span })
    }
}

fn first_word(span: Span, word: &str) -> Span {
    Span { end: span.end.min(span.start + word.len() as u32), ..span }
}

fn ident(tree: Tree<'_>) -> Option<Ident> {
    tree.names().next().map(|(text, span)| Ident { text: text.into(), span })
}

fn place(tree: Tree<'_>) -> Option<Place> {
    let index = match tree.find(g::RULE_EXPRESSION) {
        Some(index) => Some(expression(index)?),
        None => None,
    };
    Some(Place { name: ident(tree)?, index, span: tree.span() })
}

fn start(tree: Tree<'_>) -> Option<Start> {
    if tree.has_token("[") {
        let cells = tree.all(g::RULE_EXPRESSION).map(expression).collect::<Option<_>>()?;
        return Some(Start::Cells(cells, tree.span()));
    }
    Some(Start::Value(expression(tree.find(g::RULE_EXPRESSION)?)?))
}

fn property(tree: Tree<'_>) -> Option<Property> {
    let judgement = match tree.find(g::RULE_JUDGEMENT)?.tokens().next()? {
        "always" => Judgement::Always,
        "never" => Judgement::Never,
        _ => Judgement::Reach,
    };
    let expected = tree.find(g::RULE_EXPECTATION).map(|expectation| match expectation.has_token("holds") {
        true => Status::Holds,
        false => Status::Violated,
    });
    Some(Property { name: ident(tree)?, judgement, condition: expression(tree.find(g::RULE_EXPRESSION)?)?, expected })
}

fn type_name(tree: Tree<'_>) -> Option<TypeName> {
    let span = tree.span();
    let mut expressions = tree.all(g::RULE_EXPRESSION).map(expression);
    let array = |element: TypeName, size: Option<Option<Expr>>| match size {
        Some(size) => Some(TypeName { kind: TypeKind::Array(Box::new(element), size?), span }),
        None => Some(element),
    };
    if let Some(inner) = tree.find(g::RULE_TYPE_NAME) {
        return array(type_name(inner)?, expressions.next());
    }
    let simple = |kind| TypeName { kind, span };
    match tree.tokens().next() {
        Some("bool") => array(simple(TypeKind::Bool), expressions.next()),
        Some("int") => array(simple(TypeKind::Int), expressions.next()),
        Some("..") => {
            let (low, high) = (expressions.next()??, expressions.next()??);
            Some(simple(TypeKind::Range(low, high)))
        }
        _ => Some(match expressions.next()?? {
            Expr { kind: ExprKind::Name(text), span } => TypeName { kind: TypeKind::Named(Ident { text, span }), span },
            Expr { kind: ExprKind::Cell(name, size), .. } => {
                let element = TypeName { span: name.span, kind: TypeKind::Named(name) };
                simple(TypeKind::Array(Box::new(element), *size))
            }
            _ => simple(TypeKind::Other),
        }),
    }
}

fn expression(tree: Tree<'_>) -> Option<Expr> {
    let kind = grow(|| expression_kind(tree))?;
    Some(Expr { kind, span: tree.span() })
}

fn expression_kind(tree: Tree<'_>) -> Option<ExprKind> {
    let part = |index: usize| tree.all(g::RULE_EXPRESSION).nth(index).and_then(expression).map(Box::new);
    let mut children = tree.children();
    let first = children.next()?;
    Some(match (first, children.next()) {
        (Child::Token(text), None) => match text {
            "true" | "false" => ExprKind::Truth(text == "true"),
            _ if text.starts_with(|c: char| c.is_ascii_digit()) => ExprKind::Number(text.into()),
            _ => ExprKind::Name(text.into()),
        },
        (Child::Token("("), _) => expression(tree.find(g::RULE_EXPRESSION)?)?.kind,
        (Child::Token("prev"), _) => ExprKind::Previous(part(0)?),
        (Child::Token("if"), _) => ExprKind::If(part(0)?, part(1)?, part(2)?),
        (Child::Token(word), Some(Child::Token(_))) if tree.has_token(":") => ExprKind::Quantified {
            word: Ident { text: word.into(), span: tree.token_spans().next()? },
            name: tree.names().last().map(|(text, span)| Ident { text: text.into(), span })?,
            low: part(0)?,
            high: part(1)?,
            body: part(2)?,
        },
        (Child::Token(_), Some(Child::Token("["))) => ExprKind::Cell(ident(tree)?, part(0)?),
        (Child::Token(_), Some(Child::Token("("))) => {
            ExprKind::Call(ident(tree)?, tree.all(g::RULE_EXPRESSION).map(expression).collect::<Option<_>>()?)
        }
        (Child::Token(operator), Some(Child::Rule(_))) => ExprKind::Unary(operator.into(), part(0)?),
        (Child::Rule(_), Some(Child::Token("in"))) => ExprKind::Within(part(0)?, part(1)?, part(2)?),
        (Child::Rule(_), Some(Child::Token(operator))) => ExprKind::Binary(part(0)?, operator.into(), part(1)?),
        _ => return None,
    })
}
