//! A thin view of ANTLR's parse tree: rules, tokens and their spans.

use antlr4_runtime::{Node, RuleNodeView, Token, TokenView};

use crate::text::Span;

/// A node of the parse tree that stands for a grammar rule.
#[derive(Clone, Copy)]
pub struct Tree<'t> {
    node: RuleNodeView<'t>,
    file: u32,
    /// The grammar's number for the token `Name`.
    names: i32,
}

/// A child of a rule: another rule or a token.
#[derive(Clone, Copy)]
pub enum Child<'t> {
    Rule(Tree<'t>),
    Token(&'t str),
}

impl<'t> Tree<'t> {
    /// `None` if the node is a token.
    pub fn new(node: Node<'t>, file: u32, names: i32) -> Option<Tree<'t>> {
        node.as_rule().map(|node| Tree { node, file, names })
    }

    /// One of the grammar's `RULE_...` constants.
    pub fn rule(self) -> usize {
        self.node.rule_index()
    }

    pub fn children(self) -> impl Iterator<Item = Child<'t>> {
        self.node.children().filter_map(move |child| match child.as_rule() {
            Some(node) => Some(Child::Rule(Tree { node, ..self })),
            None => child.as_terminal().map(|token| Child::Token(token.text())),
        })
    }

    pub fn rules(self) -> impl Iterator<Item = Tree<'t>> {
        self.children().filter_map(|child| match child {
            Child::Rule(tree) => Some(tree),
            Child::Token(_) => None,
        })
    }

    /// The children that stand for one rule.
    pub fn all(self, rule: usize) -> impl Iterator<Item = Tree<'t>> {
        self.rules().filter(move |tree| tree.rule() == rule)
    }

    pub fn find(self, rule: usize) -> Option<Tree<'t>> {
        self.all(rule).next()
    }

    pub fn tokens(self) -> impl Iterator<Item = &'t str> {
        self.children().filter_map(|child| match child {
            Child::Token(text) => Some(text),
            Child::Rule(_) => None,
        })
    }

    /// The places of all children that are tokens.
    pub fn token_spans(self) -> impl Iterator<Item = Span> {
        let tokens = self.node.children().filter_map(|child| child.as_terminal());
        tokens.map(move |token| self.token_span(&token.symbol()))
    }

    pub fn has_token(self, text: &str) -> bool {
        self.tokens().any(|token| token == text)
    }

    /// The text of the first child that is a `Name`.
    pub fn name(self) -> Option<&'t str> {
        self.name_token().and_then(|token| token.text())
    }

    /// The place of the first child that is a `Name`, or of the whole rule.
    pub fn name_span(self) -> Span {
        self.name_token().map_or(self.span(), |token| self.token_span(&token))
    }

    fn name_token(self) -> Option<TokenView<'t>> {
        self.node.child_token(self.names).map(|token| token.symbol())
    }

    /// The texts and places of all children that are a `Name`.
    pub fn names(self) -> impl Iterator<Item = (&'t str, Span)> {
        let tokens = self.node.children().filter_map(|child| child.as_terminal()).map(|token| token.symbol());
        tokens.filter(move |token| token.token_type() == self.names).filter_map(move |token| {
            let span = self.token_span(&token);
            token.text().map(|text| (text, span))
        })
    }

    pub fn span(self) -> Span {
        let start = self.node.start().map(|token| self.token_span(&token)).unwrap_or_default();
        let stop = self.node.stop().map_or(start, |token| self.token_span(&token));
        // An empty rule stops before it starts.
        Span { file: self.file, start: start.start, end: stop.end.max(start.start) }
    }

    fn token_span(self, token: &TokenView<'t>) -> Span {
        token_span(token, self.file)
    }
}

pub fn token_span(token: &TokenView<'_>, file: u32) -> Span {
    let range = token.byte_span().unwrap_or_default();
    Span { file, start: range.start as u32, end: range.end as u32 }
}
