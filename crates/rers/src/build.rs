//! ANTLR's parse tree to the syntax tree. Only this file knows the rules of the generated parser.

use redoubt_base::stack::grow;

use super::ast::{
    BinaryOperator, Branch, Call, Connective, Declaration, Declarator, Element, Expr, ExprId, ExprKind, Function,
    Initializer, Item, Otherwise, Parameter, Specifier, SpecifierKind, Stmt, StmtId, StmtKind, Syntax, UnaryOperator,
};
use redoubt_parsers::rers_c::names as g;
use redoubt_program::text::{SourceFile, Span};
use redoubt_reading::c_common::{Built, COMPLETE, Text};
use redoubt_reading::tree::{Child, Tree};
use redoubt_reading::watch::Watch;

/// Adds a parsed file to the tree of its program.
pub fn add_file<'s>(syntax: &mut Syntax<'s>, source: &'s SourceFile, tree: Tree<'_>, watch: &mut Watch) -> Built<()> {
    let mut builder = Builder { syntax, text: Text(&source.text), watch };
    let items = tree.all(g::RULE_ITEM).flat_map(|item| item.rules()).map(|item| builder.item(item));
    let items = items.collect::<Result<_, _>>()?;
    syntax.files.push(items);
    Ok(())
}

struct Builder<'b, 's> {
    syntax: &'b mut Syntax<'s>,
    text: Text<'s>,
    watch: &'b mut Watch,
}

impl<'s> Builder<'_, 's> {
    fn item(&mut self, tree: Tree<'_>) -> Built<Item<'s>> {
        Ok(match tree.rule() {
            g::RULE_ROUTINE => Item::Function(self.function(tree)?),
            _ => Item::Declaration(self.declaration(tree)?),
        })
    }

    fn function(&mut self, tree: Tree<'_>) -> Built<Function<'s>> {
        let parameters = tree.find(g::RULE_PARAMETERS).into_iter().flat_map(|list| list.all(g::RULE_PARAMETER));
        Ok(Function {
            specifiers: self.specifiers(tree),
            returns_pointer: tree.has_token("*"),
            name: self.text.ident(tree).expect(COMPLETE),
            parameters: parameters.map(|parameter| self.parameter(parameter)).collect(),
            body: match tree.find(g::RULE_BLOCK) {
                Some(body) => Some(self.statements(body)?),
                None => None,
            },
        })
    }

    fn parameter(&self, tree: Tree<'_>) -> Parameter<'s> {
        Parameter {
            specifiers: self.specifiers(tree),
            is_pointer: tree.has_token("*"),
            is_table: tree.has_token("["),
            name: self.text.ident(tree),
            span: tree.span(),
        }
    }

    fn specifiers(&self, tree: Tree<'_>) -> Vec<Specifier<'s>> {
        let specifier = |tree: Tree<'_>| {
            let span = tree.span();
            let kind = match self.text.slice(span) {
                "int" => SpecifierKind::Int,
                "void" => SpecifierKind::Void,
                "const" => SpecifierKind::Const,
                "extern" => SpecifierKind::Extern,
                "static" => SpecifierKind::Static,
                foreign => SpecifierKind::Foreign(foreign),
            };
            Specifier { kind, span }
        };
        tree.all(g::RULE_SPECIFIER).map(specifier).collect()
    }

    fn declaration(&mut self, tree: Tree<'_>) -> Built<Declaration<'s>> {
        let specifiers = self.specifiers(tree);
        let declarators = tree.all(g::RULE_DECLARATOR).map(|declarator| self.declarator(declarator));
        Ok(Declaration { specifiers, declarators: declarators.collect::<Built<_>>()?, span: tree.span() })
    }

    fn declarator(&mut self, tree: Tree<'_>) -> Built<Declarator<'s>> {
        let mut declarator = Declarator {
            stars: tree.tokens().filter(|token| *token == "*").count(),
            name: self.text.ident(tree).expect(COMPLETE),
            dimensions: vec![],
            initializer: None,
            span: tree.span(),
        };
        for child in tree.children() {
            match child {
                Child::Token("[") => declarator.dimensions.push(None),
                Child::Rule(tree) if tree.rule() == g::RULE_EXPRESSION => {
                    *declarator.dimensions.last_mut().expect(COMPLETE) = Some(self.expression(tree)?);
                }
                Child::Rule(tree) => declarator.initializer = Some(self.initializer(tree)?),
                Child::Token(_) => {}
            }
        }
        Ok(declarator)
    }

    fn initializer(&mut self, tree: Tree<'_>) -> Built<Initializer> {
        if let Some(value) = tree.find(g::RULE_EXPRESSION) {
            return Ok(Initializer::Value(self.expression(value)?));
        }
        let elements = tree.all(g::RULE_INITIALIZER).map(|element| match element.find(g::RULE_EXPRESSION) {
            Some(value) => self.expression(value).map(Element::Value),
            None => Ok(Element::List(element.span())),
        });
        Ok(Initializer::List(elements.collect::<Built<_>>()?, tree.span()))
    }

    fn statements(&mut self, block: Tree<'_>) -> Built<Vec<StmtId>> {
        block.all(g::RULE_STATEMENT).map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, tree: Tree<'_>) -> Built<StmtId> {
        let (span, kind) = grow(|| self.statement_kind(tree))?;
        self.syntax.stmts.push(Stmt { kind, span });
        Ok(StmtId::new(self.syntax.stmts.len() - 1))
    }

    fn statement_kind(&mut self, mut tree: Tree<'_>) -> Built<(Span, StmtKind<'s>)> {
        self.watch.look()?;
        while let g::RULE_STATEMENT | g::RULE_PLAIN_STATEMENT = tree.rule() {
            let Some(inner) = tree.rules().next() else { return Ok((tree.span(), StmtKind::Empty)) };
            tree = inner;
        }
        let kind = match tree.rule() {
            g::RULE_BLOCK => StmtKind::Block(self.statements(tree)?),
            g::RULE_DECLARATION => StmtKind::Declaration(Box::new(self.declaration(tree)?)),
            g::RULE_CONDITIONAL => self.conditional(tree)?,
            g::RULE_LABELLED => StmtKind::Labelled(self.text.ident(tree).expect(COMPLETE), self.body(tree)?),
            g::RULE_LOOP => StmtKind::While { condition: self.only_expression(tree)?, body: self.body(tree)? },
            g::RULE_RETURN_STATEMENT => StmtKind::Return(match tree.find(g::RULE_EXPRESSION) {
                Some(value) => Some(self.expression(value)?),
                None => None,
            }),
            _ => self.effect(tree)?,
        };
        Ok((tree.span(), kind))
    }

    fn body(&mut self, tree: Tree<'_>) -> Built<StmtId> {
        self.statement(tree.find(g::RULE_STATEMENT).expect(COMPLETE))
    }

    fn conditional(&mut self, tree: Tree<'_>) -> Built<StmtKind<'s>> {
        let mut branches = vec![];
        for branch in std::iter::once(tree).chain(tree.all(g::RULE_ELSE_IF)) {
            branches.push(Branch { condition: self.only_expression(branch)?, body: self.body(branch)? });
        }
        let otherwise = match tree.find(g::RULE_OTHERWISE) {
            Some(tree) => {
                let body = self.statement(tree.find(g::RULE_PLAIN_STATEMENT).expect(COMPLETE))?;
                Some(Otherwise { body, span: tree.span() })
            }
            None => None,
        };
        Ok(StmtKind::If { branches, otherwise })
    }

    /// An assignment, an increment, or an expression for its effect.
    fn effect(&mut self, tree: Tree<'_>) -> Built<StmtKind<'s>> {
        let children: Vec<Child<'_>> = tree.children().collect();
        Ok(match children.as_slice() {
            [Child::Rule(place), Child::Rule(operator), Child::Rule(value), ..] => {
                let sign = operator.tokens().next().expect(COMPLETE);
                let operator = BinaryOperator::of_assignment(sign);
                StmtKind::Assign { place: self.expression(*place)?, operator, value: self.expression(*value)? }
            }
            [Child::Rule(place), Child::Token(step @ ("++" | "--")), ..] => {
                let operator = BinaryOperator::of_step(step);
                StmtKind::Step { place: self.expression(*place)?, operator }
            }
            _ => StmtKind::Expression(self.only_expression(tree)?),
        })
    }

    fn only_expression(&mut self, tree: Tree<'_>) -> Built<ExprId> {
        self.expression(tree.find(g::RULE_EXPRESSION).expect(COMPLETE))
    }

    fn expression(&mut self, tree: Tree<'_>) -> Built<ExprId> {
        let kind = grow(|| self.expression_kind(tree))?;
        self.syntax.exprs.push(Expr { kind, span: tree.span() });
        Ok(ExprId::new(self.syntax.exprs.len() - 1))
    }

    fn expression_kind(&mut self, mut tree: Tree<'_>) -> Built<ExprKind<'s>> {
        use Child::{Rule as R, Token as T};
        self.watch.look()?;
        loop {
            let children: Vec<Child<'_>> = tree.children().collect();
            return Ok(match children.as_slice() {
                [T("("), R(inner), T(")")] => {
                    tree = *inner;
                    continue;
                }
                [T(_), T("("), arguments @ ..] => {
                    let arguments = match arguments {
                        [R(list), ..] => list.rules().map(|tree| self.expression(tree)).collect::<Built<_>>()?,
                        _ => vec![],
                    };
                    let call = Call { name: self.text.slice(tree.name_span()), arguments };
                    self.syntax.calls_error |=
                        matches!(call.name, "reach_error" | "__VERIFIER_error") && call.arguments.is_empty();
                    ExprKind::Call(Box::new(call))
                }
                [R(base), T("["), R(index), T("]")] => {
                    ExprKind::Cell(self.expression(*base)?, self.expression(*index)?)
                }
                [R(a), T("?"), R(b), T(":"), R(c)] => {
                    ExprKind::Conditional(self.expression(*a)?, self.expression(*b)?, self.expression(*c)?)
                }
                [R(a), T(operator), R(b)] => {
                    let (a, b) = (self.expression(*a)?, self.expression(*b)?);
                    match *operator {
                        "&&" => ExprKind::Logical(Connective::And, a, b),
                        "||" => ExprKind::Logical(Connective::Or, a, b),
                        sign => {
                            ExprKind::Binary(BinaryOperator::of(sign).expect("the grammar has no other sign"), a, b)
                        }
                    }
                }
                [T(sign), R(a)] => ExprKind::Unary(UnaryOperator::of(sign), self.expression(*a)?),
                _ => self.atom(tree),
            });
        }
    }

    /// A name, a number, a character or texts in a row.
    fn atom(&self, tree: Tree<'_>) -> ExprKind<'s> {
        let text = self.text.slice(tree.span());
        match text.as_bytes() {
            [b'"', ..] => {
                let parts = tree.token_spans().map(|span| self.text.slice(span));
                ExprKind::Text(parts.collect())
            }
            [b'\'', ..] => ExprKind::Character(text),
            [b'0'..=b'9', ..] => ExprKind::Number(text),
            _ => ExprKind::Name(text),
        }
    }
}
