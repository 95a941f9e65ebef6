//! ANTLR's parse tree to the syntax tree, and the check that a line end or a `;` stands between statements.

use super::ast::{
    Argument, Branch, Case, Define, Expr, ExprKind, Field, Ident, Instance, Item, ItemKind, Judgement, Lvalue, Module,
    Parameter, Path, Pattern, Proc, Property, Range, Start, Stmt, StmtKind, Suffix, TypeKind, TypeName,
};
use redoubt_base::stack::grow;
use redoubt_parsers::gcl::names as g;
use redoubt_program::program::Status;
use redoubt_program::text::{SourceFile, Span};
use redoubt_reading::tree::{Child, Tree};
use redoubt_reading::{Diagnostic, Diagnostics};

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
                    // A closing brace ends the construct that it closes.
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
        let the_expression = || expression(tree.find(g::RULE_EXPRESSION)?);
        let the_type = || type_name(tree.find(g::RULE_TYPE_NAME)?);
        // It may also be a name.
        let mut words = tree.tokens();
        let (first, second) = (words.next()?, words.next());
        let is_fair = first == "fair" || (first == "assume" && second == Some("fair"));
        let kind = match if first == "fair" { second? } else { first } {
            "system" => ItemKind::System(name()?),
            "import" => ItemKind::Import(quoted(tree)?),
            "const" => ItemKind::Const { name: name()?, value: the_expression()? },
            "enum" => {
                let mut names = idents(tree);
                ItemKind::Enum { name: names.next()?, values: names.collect() }
            }
            "type" => ItemKind::Type { name: name()?, ty: the_type()? },
            "record" => {
                self.check_borders(tree, g::RULE_FIELD);
                let fields = tree.all(g::RULE_FIELD).map(field).collect::<Option<_>>()?;
                ItemKind::Record { name: name()?, fields }
            }
            "input" => ItemKind::Input { name: name()?, ty: the_type()?, fair: is_fair },
            "var" => {
                let mut values = tree.all(g::RULE_EXPRESSION).map(expression);
                let start = match tree.tokens().nth(3) {
                    Some("=") => Some(Start::Value(values.next()??)),
                    Some(_) => Some(Start::OneOf(values.collect::<Option<_>>()?)),
                    None => None,
                };
                ItemKind::Var { name: name()?, ty: the_type()?, start }
            }
            "define" => {
                let parameters = self.parameters(tree, false)?;
                ItemKind::Define(Define { name: name()?, parameters, body: the_expression()? })
            }
            "proc" => {
                let parameters = self.parameters(tree, false)?;
                ItemKind::Proc(Proc { name: name()?, parameters, body: self.block(tree.find(g::RULE_BLOCK)?) })
            }
            "step" => ItemKind::Step(self.block(tree.find(g::RULE_BLOCK)?)),
            "property" => ItemKind::Property(property(tree)?),
            "expect" => {
                let text = self.source.text[tree.find(g::RULE_REFERENCE)?.span().range()].split_whitespace().collect();
                let span = tree.find(g::RULE_REFERENCE)?.span();
                ItemKind::Expect(Ident { text, span }, verdict(tree)?)
            }
            "module" => {
                let parameters = self.parameters(tree, true)?;
                ItemKind::Module(Module { name: name()?, parameters, items: self.model(tree) })
            }
            "instance" => instance(tree)?,
            "assume" if is_fair => {
                let mut conditions = tree.all(g::RULE_EXPRESSION).map(expression);
                let condition = conditions.next()??;
                let when = match conditions.next() {
                    Some(when) => Some(when?),
                    None => None,
                };
                ItemKind::Fair(condition, when)
            }
            _ => ItemKind::Assume(the_expression()?),
        };
        Some(Item { kind, span: tree.span() })
    }

    /// The parameters of a definition, a procedure or a module; only the last may write its arguments.
    fn parameters(&mut self, tree: Tree<'_>, may_write: bool) -> Option<Vec<Parameter>> {
        let Some(list) = tree.find(g::RULE_PARAMETERS) else { return Some(vec![]) };
        let parameter = |tree: Tree<'_>| {
            let is_var = tree.has_token("var");
            if is_var && !may_write {
                let help = "a parameter is a value; only a module is connected to variables";
                let diagnostic = Diagnostic::new(tree.span(), "`var` cannot stand here", "expected `name: type`");
                self.diagnostics.push(diagnostic.help(help));
            }
            Some(Parameter { name: ident(tree)?, ty: type_name(tree.find(g::RULE_TYPE_NAME)?)?, is_var })
        };
        list.all(g::RULE_PARAMETER).map(parameter).collect()
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
            branches.push(Branch { guard: Some(expression(condition)?), fair: false, body, span });
        }
        if let Some(otherwise) = tree.find(g::RULE_OTHERWISE) {
            let span = first_word(otherwise.span(), "else");
            let body = self.body(otherwise.rules().next()?)?;
            branches.push(Branch { guard: None, fair: false, body, span });
        }
        Some(Stmt { kind: StmtKind::If(branches), span: tree.span() })
    }

    fn plain(&mut self, tree: Tree<'_>) -> Option<StmtKind> {
        let expressions = || tree.all(g::RULE_EXPRESSION).map(expression);
        let place = || tree.find(g::RULE_REFERENCE).and_then(place);
        Some(match tree.tokens().next() {
            None => match tree.find(g::RULE_BLOCK) {
                Some(block) => StmtKind::Block(self.block(block)),
                None => self.call(tree.find(g::RULE_REFERENCE)?)?,
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
                let range = range(tree.find(g::RULE_RANGE)?)?;
                StmtKind::For { name: ident(tree)?, range, body: self.block(tree.find(g::RULE_BLOCK)?) }
            }
            Some("let") => StmtKind::Let(ident(tree)?, expressions().next()??),
            Some("assume") => StmtKind::Assume(expressions().next()??),
            Some("assert") => StmtKind::Assert(ident(tree), expressions().next()??),
            Some("error") => StmtKind::Error(ident(tree)?),
            Some("havoc") => StmtKind::Havoc(place()?),
            Some(_) => StmtKind::Assign(place()?, expressions().next()??),
        })
    }

    /// A statement that is nothing but a call.
    fn call(&mut self, tree: Tree<'_>) -> Option<StmtKind> {
        Some(match reference(tree)? {
            ExprKind::Call(name, arguments) => StmtKind::Call(name, arguments),
            ExprKind::CallAt(path, arguments) => StmtKind::CallAt(path, arguments),
            _ => {
                let label = "expected `=` or the arguments of a call";
                self.diagnostics.push(Diagnostic::new(tree.span(), "this does nothing", label));
                StmtKind::Broken
            }
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
        let fair = tree.tokens().next() == Some("fair");
        Some(Branch { guard, fair, body: self.body(tree.find(g::RULE_STATEMENT)?)?, span })
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

fn idents<'t>(tree: Tree<'t>) -> impl Iterator<Item = Ident> + 't {
    tree.names().map(|(text, span)| Ident { text: text.into(), span })
}

/// The text between quotation marks.
fn quoted(tree: Tree<'_>) -> Option<Ident> {
    let (text, span) = (tree.tokens().nth(1)?, tree.token_spans().nth(1)?);
    Some(Ident { text: text.trim_matches('"').into(), span })
}

fn field(tree: Tree<'_>) -> Option<Field> {
    let start = match tree.find(g::RULE_EXPRESSION) {
        Some(start) => Some(expression(start)?),
        None => None,
    };
    Some(Field { name: ident(tree)?, ty: type_name(tree.find(g::RULE_TYPE_NAME)?)?, start })
}

fn instance(tree: Tree<'_>) -> Option<ItemKind> {
    let mut names = idents(tree);
    let name = names.next()?;
    let index = match tree.find(g::RULE_RANGE) {
        Some(over) => Some((names.next()?, range(over)?)),
        None => None,
    };
    let arguments = arguments(tree.find(g::RULE_ARGUMENTS)?)?;
    Some(ItemKind::Instance(Instance { name, index, module: names.next()?, arguments }))
}

fn range(tree: Tree<'_>) -> Option<Range> {
    let mut bounds = tree.all(g::RULE_EXPRESSION).map(expression);
    let (low, high) = (bounds.next()??, bounds.next());
    Some(match (low, high) {
        (low, Some(high)) => Range::Between(Box::new(low), Box::new(high?)),
        (Expr { kind: ExprKind::Name(text), span }, None) => Range::Of(Ident { text, span }),
        // Something else that stands where a type should.
        (other, None) => Range::Of(Ident { text: String::new(), span: other.span }),
    })
}

fn arguments(tree: Tree<'_>) -> Option<Vec<Argument>> {
    let argument = |tree: Tree<'_>| {
        let value = expression(tree.find(g::RULE_EXPRESSION)?)?;
        Some(Argument { name: ident(tree), value })
    };
    tree.all(g::RULE_ARGUMENT).map(argument).collect()
}

fn place(tree: Tree<'_>) -> Option<Lvalue> {
    let (path, _) = path(tree)?;
    Some(Lvalue { path, span: tree.span() })
}

/// A reference as a path, and the arguments behind it.
fn path(tree: Tree<'_>) -> Option<(Path, Option<Vec<Argument>>)> {
    let mut names = idents(tree);
    let name = names.next()?;
    let (mut suffixes, mut called) = (vec![], None);
    for child in tree.children().skip(1) {
        match child {
            Child::Token(".") => suffixes.push(Suffix::Field(names.next()?)),
            Child::Token(_) => {}
            Child::Rule(child) if child.rule() == g::RULE_ARGUMENTS => called = Some(arguments(child)?),
            Child::Rule(child) => suffixes.push(Suffix::Index(expression(child)?)),
        }
    }
    Some((Path { name, suffixes }, called))
}

fn reference(tree: Tree<'_>) -> Option<ExprKind> {
    let (path, called) = path(tree)?;
    let is_plain = path.suffixes.is_empty();
    let has_cells_only = path.indices().count() == path.suffixes.len();
    Some(match called {
        Some(arguments) if is_plain && arguments.iter().all(|argument| argument.name.is_none()) => {
            ExprKind::Call(path.name, arguments.into_iter().map(|argument| argument.value).collect())
        }
        Some(arguments) => ExprKind::CallAt(path, arguments),
        None if is_plain => ExprKind::Name(path.name.text),
        None if has_cells_only => ExprKind::Cell(path.name.clone(), path.indices().cloned().collect()),
        None => ExprKind::At(path),
    })
}

fn verdict(tree: Tree<'_>) -> Option<Status> {
    let is_holds = tree.find(g::RULE_VERDICT)?.has_token("holds");
    Some(if is_holds { Status::Holds } else { Status::Violated })
}

fn property(tree: Tree<'_>) -> Option<Property> {
    let expected = tree.find(g::RULE_EXPECTATION).and_then(verdict);
    let mut condition = expression(tree.find(g::RULE_EXPRESSION)?)?;
    let word = tree.find(g::RULE_JUDGEMENT).and_then(|judgement| Some((judgement.tokens().next()?, judgement.span())));
    let judgement = match word {
        Some(("always", _)) => Judgement::Always,
        Some(("never", _)) => Judgement::Never,
        Some(("reach", _)) => Judgement::Reach,
        Some(("ctl", _)) => Judgement::Ctl,
        Some(("resettable", _)) => Judgement::Resettable,
        // As far to the right as they can, like the others.
        Some((word, span)) => {
            let operator = if word == "infinitely" { "infinitely often" } else { word };
            let span = span.to(condition.span);
            condition = Expr { kind: ExprKind::Unary(operator.into(), Box::new(condition)), span };
            Judgement::Holds
        }
        None => Judgement::Holds,
    };
    Some(Property { name: ident(tree)?, judgement, condition, expected })
}

fn type_name(tree: Tree<'_>) -> Option<TypeName> {
    let span = tree.span();
    let mut expressions = tree.all(g::RULE_EXPRESSION).map(expression);
    let simple = |kind| TypeName { kind, span };
    // `T[2][3]` has two cells of type `T[3]`, so that the first index comes first.
    let array = |element: TypeName, sizes: &mut dyn DoubleEndedIterator<Item = Expr>| {
        sizes.rev().fold(element, |element, size| simple(TypeKind::Array(Box::new(element), size)))
    };
    let element = match (tree.find(g::RULE_TYPE_NAME), tree.tokens().next()) {
        (Some(inner), _) => type_name(inner)?,
        (None, Some("bool")) => simple(TypeKind::Bool),
        (None, Some("int")) => simple(TypeKind::Int),
        (None, Some("..")) => {
            let (low, high) = (expressions.next()??, expressions.next()??);
            return Some(simple(TypeKind::Range(low, high)));
        }
        _ => {
            return Some(match expressions.next()?? {
                Expr { kind: ExprKind::Name(text), span } => {
                    TypeName { kind: TypeKind::Named(Ident { text, span }), span }
                }
                Expr { kind: ExprKind::Cell(name, sizes), .. } => {
                    let element = TypeName { span: name.span, kind: TypeKind::Named(name) };
                    array(element, &mut sizes.into_iter())
                }
                _ => simple(TypeKind::Other),
            });
        }
    };
    let sizes: Vec<Expr> = expressions.collect::<Option<_>>()?;
    Some(array(element, &mut sizes.into_iter()))
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
        (Child::Rule(tree), None) => reference(tree)?,
        (Child::Token(text), None) => match text {
            "true" | "false" => ExprKind::Truth(text == "true"),
            _ => ExprKind::Number(text.into()),
        },
        (Child::Token("("), _) => expression(tree.find(g::RULE_EXPRESSION)?)?.kind,
        (Child::Token("["), _) => ExprKind::List(tree.all(g::RULE_EXPRESSION).map(expression).collect::<Option<_>>()?),
        (Child::Token("prev"), _) => ExprKind::Previous(part(0)?),
        (Child::Token("infinitely"), _) => ExprKind::Unary("infinitely often".into(), part(0)?),
        (Child::Token("if"), _) => ExprKind::If(part(0)?, part(1)?, part(2)?),
        (Child::Token(word), Some(Child::Token(_))) => ExprKind::Quantified {
            word: Ident { text: word.into(), span: tree.token_spans().next()? },
            name: idents(tree).last()?,
            range: range(tree.find(g::RULE_RANGE)?)?,
            body: part(0)?,
        },
        (Child::Token(operator), Some(Child::Rule(_))) => ExprKind::Unary(operator.into(), part(0)?),
        (Child::Rule(_), Some(Child::Token("in"))) => ExprKind::Within(part(0)?, part(1)?, part(2)?),
        (Child::Rule(_), Some(Child::Token(operator))) => ExprKind::Binary(part(0)?, operator.into(), part(1)?),
        _ => return None,
    })
}
