//! A thin view of ANTLR's parse tree: rules, tokens and their spans.

use antlr4_runtime::{Node, RuleNodeView, Token, TokenView};

use redoubt_program::text::Span;

/// A node of the parse tree that stands for a grammar rule.
#[derive(Clone, Copy)]
pub struct Tree<'t> {
    node: RuleNodeView<'t>,
    file: u32,
    /// Where the text that was parsed begins in the file.
    start: u32,
    names: Names,
}

/// The kinds of nodes and tokens by which a grammar marks names.
#[derive(Clone, Copy)]
pub struct Names {
    /// The number of the token `Name`.
    pub token: i32,
    /// The number of the rule for names, if words of the language may be names, too. It counts as a token here.
    pub rule: Option<usize>,
}

/// A child of a rule: another rule or a token.
#[derive(Clone, Copy)]
pub enum Child<'t> {
    Rule(Tree<'t>),
    Token(&'t str),
}

impl<'t> Tree<'t> {
    /// `None` if the node is a token.
    pub fn new(node: Node<'t>, file: u32, names: Names) -> Option<Tree<'t>> {
        Tree::of_piece(node, file, 0, names)
    }

    /// The same for a piece of a file that begins there.
    pub fn of_piece(node: Node<'t>, file: u32, start: u32, names: Names) -> Option<Tree<'t>> {
        node.as_rule().map(|node| Tree { node, file, start, names })
    }

    /// One of the grammar's `RULE_...` constants.
    pub fn rule(self) -> usize {
        self.node.rule_index()
    }

    pub fn children(self) -> impl Iterator<Item = Child<'t>> {
        self.node.children().filter_map(move |child| match (self.leaf(child), child.as_rule()) {
            (Some(token), _) => token.text().map(Child::Token),
            (None, Some(node)) => Some(Child::Rule(Tree { node, ..self })),
            (None, None) => None,
        })
    }

    /// The token that a child is, or that it holds if it is a name.
    fn leaf(self, child: Node<'t>) -> Option<TokenView<'t>> {
        match child.as_rule() {
            Some(rule) if Some(rule.rule_index()) == self.names.rule => rule.start(),
            Some(_) => None,
            None => child.as_terminal().map(|token| token.symbol()),
        }
    }

    fn is_name(self, child: Node<'t>) -> bool {
        match child.as_rule() {
            Some(rule) => Some(rule.rule_index()) == self.names.rule,
            None => child.as_terminal().is_some_and(|token| token.symbol().token_type() == self.names.token),
        }
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
        let tokens = self.node.children().filter_map(move |child| self.leaf(child));
        tokens.map(move |token| self.token_span(&token))
    }

    pub fn has_token(self, text: &str) -> bool {
        self.tokens().any(|token| token == text)
    }

    /// The text of the first child that is a name.
    pub fn name(self) -> Option<&'t str> {
        self.names().next().map(|(text, _)| text)
    }

    /// The place of the first child that is a name, or of the whole rule.
    pub fn name_span(self) -> Span {
        self.names().next().map_or(self.span(), |(_, span)| span)
    }

    /// The texts and places of all children that are names.
    pub fn names(self) -> impl Iterator<Item = (&'t str, Span)> {
        let names = self.node.children().filter(move |child| self.is_name(*child));
        names.filter_map(move |child| self.leaf(child)).filter_map(move |token| {
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
        let Span { file, start, end } = token_span(token, self.file);
        Span { file, start: self.start + start, end: self.start + end }
    }
}

pub fn token_span(token: &TokenView<'_>, file: u32) -> Span {
    let range = token.byte_span().unwrap_or_default();
    Span { file, start: range.start as u32, end: range.end as u32 }
}
