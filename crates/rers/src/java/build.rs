//! ANTLR's parse tree to the syntax tree. Only this file knows the rules of the generated parser.
//!
//! Members of all classes become globals and functions, since each class has one instance. `main` becomes the loop that C
//! has: it reads an input, and calls one method, whose complaint it catches and prints.

use std::iter::Peekable;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::types::Type;
use crate::ast::{
    BinaryOperator, Branch, Call, Connective, Declaration, Declarator, Element, Expr, ExprId, ExprKind, Function,
    Ident, Initializer, Item, Otherwise, Parameter, Specifier, SpecifierKind, Stmt, StmtId, StmtKind, Syntax, Thrown,
    UnaryOperator,
};
use redoubt_base::stack::grow;
use redoubt_parsers::rers_java::names as g;
use redoubt_program::text::{SourceFile, Span};
use redoubt_reading::c_common::{Built, COMPLETE, Text};
use redoubt_reading::refused::{Lowered, note, refuse};
use redoubt_reading::tree::{Child, Tree};
use redoubt_reading::watch::{Interrupted, Watch};
use redoubt_reading::{Diagnostic, Diagnostics};

/// What is called in the tree where an input is read.
pub const NONDETERMINISTIC: &str = "__VERIFIER_nondet_int";
/// What is called in the tree where a word is printed.
pub const PRINT: &str = "System.out.println";
/// The class of errors that the competition's form of the challenge calls; no file has it.
const ERRORS: (&str, &str) = ("Errors", "__VERIFIER_error");
/// What an exception is thrown for: an input that does not fit here, and a label.
const INVALID: &str = "IllegalArgumentException";
const LABEL: &str = "IllegalStateException";
/// The classes of Java's library that a field may be of, with the one value that it may have, without blanks.
const LIBRARY: [(&str, &str); 2] =
    [("BufferedReader", "newBufferedReader(newInputStreamReader(System.in))"), ("Random", "newRandom()")];

/// What the files of a program declare, beside the tree.
#[derive(Debug, Default)]
pub struct Classes<'s> {
    names: Vec<Ident<'s>>,
    /// Fields and locals that hold an instance, and its class.
    instances: Vec<(Ident<'s>, Ident<'s>)>,
    /// The names of readers of the standard input.
    readers: Vec<&'s str>,
    /// Where an instance is asked to do something: its name, and the method.
    asked: Vec<(Ident<'s>, &'s str)>,
    pub fields: Vec<(Ident<'s>, Type)>,
    pub units: Vec<Unit<'s>>,
}

/// A method, with the parts of the tree that are its own.
#[derive(Debug)]
pub struct Unit<'s> {
    pub name: Ident<'s>,
    class: &'s str,
    /// Its parameters; of `main` the input.
    pub locals: Vec<(Ident<'s>, Type)>,
    pub result: Type,
    pub exprs: Range<usize>,
    pub stmts: Range<usize>,
}

impl Classes<'_> {
    /// Reports classes that nobody defines, and those with several instances.
    pub fn check(&self, diagnostics: &mut Diagnostics) {
        let mut of_class: FxHashMap<&str, Span> = FxHashMap::default();
        for (index, (_, class)) in self.instances.iter().enumerate() {
            if !self.names.iter().any(|name| name.text == class.text) {
                let message = format!("no file defines the class `{}`", class.text);
                let help = "give the file that defines it as a further argument";
                diagnostics.push(Diagnostic::new(class.span, message, "not defined").help(help));
            }
            if of_class.insert(class.text, class.span).is_some() {
                let message = format!("there are several instances of `{}`", class.text);
                diagnostics.push(Diagnostic::new(class.span, message, "expected one instance of each class"));
            }
            let (name, _) = self.instances[index];
            if self.instances[..index].iter().any(|(other, _)| other.text == name.text) {
                diagnostics.push(Diagnostic::new(name.span, format!("`{}` is defined twice", name.text), "again here"));
            }
        }
        for (index, name) in self.names.iter().enumerate() {
            if self.names[..index].iter().any(|other| other.text == name.text) {
                let message = format!("the class `{}` is defined twice", name.text);
                diagnostics.push(Diagnostic::new(name.span, message, "defined again here"));
            }
        }
        for (instance, method) in &self.asked {
            let class = self.instances.iter().find(|(name, _)| name.text == instance.text).map(|(_, class)| class.text);
            let is_known = |unit: &Unit| Some(unit.class) == class && unit.name.text == *method;
            if !self.units.iter().any(is_known) {
                let message = format!("`{}` has no method `{method}`", instance.text);
                diagnostics.push(Diagnostic::new(
                    instance.span,
                    message,
                    "expected an instance of a class that has it",
                ));
            }
        }
    }
}

/// Adds a parsed file to the tree of its program.
pub fn add_file<'s>(
    syntax: &mut Syntax<'s>,
    classes: &mut Classes<'s>,
    diagnostics: &mut Diagnostics,
    source: &'s SourceFile,
    tree: Tree<'_>,
    watch: &mut Watch,
) -> Built<()> {
    syntax.files.push(vec![]);
    for class in tree.all(g::RULE_CLASS_DECLARATION) {
        let text = Text(&source.text);
        let name = text.ident(class).expect(COMPLETE);
        classes.names.push(name);
        for member in class.all(g::RULE_MEMBER) {
            let mut builder = Builder { syntax, classes, text, class: name.text, in_main: false, watch };
            let built = match member.rules().next() {
                None => continue,
                Some(tree) if tree.rule() == g::RULE_METHOD => builder.method(tree),
                Some(tree) => builder.fields(tree),
            };
            let items = note(diagnostics, built).map_err(|_| Interrupted)?;
            syntax.files.last_mut().expect("it was just added").extend(items.into_iter().flatten());
        }
    }
    Ok(())
}

struct Builder<'b, 's> {
    syntax: &'b mut Syntax<'s>,
    classes: &'b mut Classes<'s>,
    text: Text<'s>,
    class: &'s str,
    in_main: bool,
    watch: &'b mut Watch,
}

/// A part of an expression: what stands between operators, or an operator.
enum Part {
    Operand(ExprId),
    Operator(Operator),
}

#[derive(Clone, Copy)]
enum Operator {
    Binary(BinaryOperator),
    Logical(Connective),
}

impl Operator {
    fn of(sign: &str) -> Operator {
        match sign {
            "&&" => Operator::Logical(Connective::And),
            "||" => Operator::Logical(Connective::Or),
            sign => Operator::Binary(BinaryOperator::of(sign).expect("the grammar has no other sign")),
        }
    }

    /// How tightly it binds.
    fn level(self) -> u8 {
        use BinaryOperator as Op;
        match self {
            Operator::Logical(Connective::Or) => 1,
            Operator::Logical(Connective::And) => 2,
            Operator::Binary(Op::Equal | Op::NotEqual) => 3,
            Operator::Binary(Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual) => 4,
            Operator::Binary(Op::Add | Op::Subtract) => 5,
            Operator::Binary(_) => 6,
        }
    }
}

fn unsupported<T>(span: Span, message: impl Into<String>) -> Lowered<T> {
    refuse(Diagnostic::new(span, message, "not supported"))
}

impl<'s> Builder<'_, 's> {
    /// The fields of a declaration; those of classes are no part of the tree.
    fn fields(&mut self, tree: Tree<'_>) -> Lowered<Vec<Item<'s>>> {
        let ty = tree.find(g::RULE_TYPE).expect(COMPLETE);
        let span = ty.span();
        let Some(known) = self.known_type(ty)? else {
            tree.all(g::RULE_DECLARATOR).try_for_each(|declarator| self.instance(ty, declarator))?;
            return Ok(vec![]);
        };
        let mut declarators = vec![];
        for declarator in tree.all(g::RULE_DECLARATOR) {
            let name = self.text.ident(declarator).expect(COMPLETE);
            declarators.push(self.field(known, name, declarator)?);
            self.classes.fields.push((name, known));
        }
        let specifiers = vec![Specifier { kind: SpecifierKind::Int, span }];
        Ok(vec![Item::Declaration(Declaration { specifiers, declarators, span: tree.span() })])
    }

    fn field(&mut self, ty: Type, name: Ident<'s>, tree: Tree<'_>) -> Lowered<Declarator<'s>> {
        let span = tree.span();
        let initializer = match tree.find(g::RULE_INITIALIZER) {
            Some(initializer) => Some(self.initializer(initializer)?),
            None => None,
        };
        let is_list = matches!(initializer, Some(Initializer::List(..)));
        let (stars, dimensions) = match (ty, is_list) {
            (Type::Ints | Type::Texts, true) => (0, vec![None]),
            (Type::Ints, false) if initializer.is_some() => (1, vec![]),
            (Type::Int | Type::Boolean, false) => (0, vec![]),
            (Type::Text, false) if initializer.is_some() => (0, vec![]),
            (_, true) => return unsupported(span, format!("a list, but `{}` is no table", name.text)),
            (_, false) if initializer.is_none() => {
                let message = format!("`{}` refers to nothing at first", name.text);
                return refuse(Diagnostic::new(span, message, "expected a value").help("`null` is not supported"));
            }
            _ => return unsupported(span, "a list of texts has to be written out"),
        };
        Ok(Declarator { stars, name, dimensions, initializer, span })
    }

    /// The type of a field, a parameter or a result, unless it is a class.
    fn known_type(&self, tree: Tree<'_>) -> Lowered<Option<Type>> {
        let span = tree.span();
        let text: String = self.text.slice(span).split_whitespace().collect();
        Ok(Some(match text.as_str() {
            "int" => Type::Int,
            // The boxes of truth values are the same two objects for ever.
            "boolean" | "Boolean" => Type::Boolean,
            "String" => Type::Text,
            "int[]" => Type::Ints,
            "String[]" => Type::Texts,
            "void" => Type::Void,
            other if tree.name().is_some() && !other.ends_with(']') && !BOXES.contains(&other) => return Ok(None),
            other => {
                return refuse(
                    Diagnostic::new(span, format!("the type `{other}` is not supported"), "not supported")
                        .help("RERS programs use `int`, `boolean`, `String` and tables of `int`"),
                );
            }
        }))
    }

    /// A field or a local that holds an object.
    fn instance(&mut self, ty: Tree<'_>, declarator: Tree<'_>) -> Lowered {
        let name = self.text.ident(declarator).expect(COMPLETE);
        let class = self.text.ident(ty).expect(COMPLETE);
        let value = declarator.find(g::RULE_INITIALIZER).map(|tree| self.without_blanks(tree.span()));
        if let Some((library, wanted)) = LIBRARY.iter().find(|(library, _)| *library == class.text) {
            if value.as_deref() != Some(*wanted) {
                let message = format!("a `{library}` that is made in another way");
                return refuse(Diagnostic::new(declarator.span(), message, format!("expected `{}`", spaced(wanted))));
            }
            if *library == LIBRARY[0].0 {
                self.classes.readers.push(name.text);
            }
            return Ok(());
        }
        if value != Some(format!("new{}()", class.text)) {
            let message = format!("the type `{}` is not supported", class.text);
            let expected = format!("expected an instance: `= new {}()`", class.text);
            return refuse(Diagnostic::new(declarator.span(), message, expected));
        }
        self.classes.instances.push((name, class));
        Ok(())
    }

    fn without_blanks(&self, span: Span) -> String {
        self.text.slice(span).split_whitespace().collect()
    }

    fn initializer(&mut self, tree: Tree<'_>) -> Lowered<Initializer> {
        if let Some(value) = tree.find(g::RULE_EXPRESSION) {
            return Ok(Initializer::Value(self.expression(value)?));
        }
        let elements = tree.all(g::RULE_INITIALIZER).map(|element| match element.find(g::RULE_EXPRESSION) {
            Some(value) => self.expression(value).map(Element::Value),
            None => Ok(Element::List(element.span())),
        });
        Ok(Initializer::List(elements.collect::<Lowered<_>>()?, tree.span()))
    }

    fn method(&mut self, tree: Tree<'_>) -> Lowered<Vec<Item<'s>>> {
        let name = self.text.ident(tree).expect(COMPLETE);
        self.in_main = name.text == "main";
        let ty = tree.find(g::RULE_TYPE).expect(COMPLETE);
        let Some(result @ (Type::Void | Type::Int | Type::Boolean)) = self.known_type(ty)? else {
            return refuse(Diagnostic::new(ty.span(), "a method that returns an object", "expected `void`"));
        };
        let (mut locals, mut parameters) = (vec![], vec![]);
        let list = tree.find(g::RULE_PARAMETERS).into_iter().flat_map(|list| list.all(g::RULE_PARAMETER));
        for parameter in list {
            let ty = self.known_type(parameter.find(g::RULE_TYPE).expect(COMPLETE))?;
            let (name, span) = (self.text.ident(parameter).expect(COMPLETE), parameter.span());
            match ty {
                Some(Type::Texts) if self.in_main => continue,
                Some(ty @ (Type::Int | Type::Boolean | Type::Text)) => locals.push((name, ty)),
                _ => return unsupported(span, "a parameter of this type is not supported"),
            }
            parameters.push(Parameter {
                specifiers: vec![Specifier { kind: SpecifierKind::Int, span }],
                is_pointer: false,
                is_table: false,
                name: Some(name),
                span,
            });
        }
        let (exprs, stmts) = (self.syntax.exprs.len(), self.syntax.stmts.len());
        self.classes.units.push(Unit { name, class: self.class, locals, result, exprs: 0..0, stmts: 0..0 });
        let body = self.statements(tree.find(g::RULE_BLOCK).expect(COMPLETE))?;
        let unit = self.classes.units.last_mut().expect("it was just added");
        (unit.exprs, unit.stmts) = (exprs..self.syntax.exprs.len(), stmts..self.syntax.stmts.len());
        let kind = if result == Type::Void { SpecifierKind::Void } else { SpecifierKind::Int };
        let specifiers = vec![Specifier { kind, span: ty.span() }];
        Ok(vec![Item::Function(Function { specifiers, returns_pointer: false, name, parameters, body: Some(body) })])
    }

    fn statements(&mut self, block: Tree<'_>) -> Lowered<Vec<StmtId>> {
        block.all(g::RULE_STATEMENT).map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, tree: Tree<'_>) -> Lowered<StmtId> {
        let (span, kind) = grow(|| self.statement_kind(tree))?;
        Ok(self.add_statement(kind, span))
    }

    fn add_statement(&mut self, kind: StmtKind<'s>, span: Span) -> StmtId {
        self.syntax.stmts.push(Stmt { kind, span });
        StmtId::new(self.syntax.stmts.len() - 1)
    }

    fn statement_kind(&mut self, mut tree: Tree<'_>) -> Lowered<(Span, StmtKind<'s>)> {
        self.watch.look()?;
        while let g::RULE_STATEMENT | g::RULE_PLAIN_STATEMENT = tree.rule() {
            let Some(inner) = tree.rules().next() else { return Ok((tree.span(), StmtKind::Empty)) };
            tree = inner;
        }
        let kind = match tree.rule() {
            g::RULE_BLOCK => StmtKind::Block(self.statements(tree)?),
            g::RULE_DECLARATION => self.local(tree)?,
            g::RULE_CONDITIONAL => self.conditional(tree)?,
            g::RULE_LOOP => StmtKind::While { condition: self.only_expression(tree)?, body: self.body(tree)? },
            g::RULE_ATTEMPT => self.attempt(tree)?,
            g::RULE_THROW_STATEMENT => StmtKind::Throw(self.thrown(tree.find(g::RULE_EXPRESSION).expect(COMPLETE))?),
            g::RULE_RETURN_STATEMENT => StmtKind::Return(match tree.find(g::RULE_EXPRESSION) {
                Some(value) => Some(self.expression(value)?),
                None => None,
            }),
            _ => self.effect(tree)?,
        };
        Ok((tree.span(), kind))
    }

    fn body(&mut self, tree: Tree<'_>) -> Lowered<StmtId> {
        self.statement(tree.find(g::RULE_STATEMENT).expect(COMPLETE))
    }

    fn conditional(&mut self, tree: Tree<'_>) -> Lowered<StmtKind<'s>> {
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

    /// A local of `main`: the instance of the program, or the input.
    fn local(&mut self, tree: Tree<'_>) -> Lowered<StmtKind<'s>> {
        let (ty, span) = (tree.find(g::RULE_TYPE).expect(COMPLETE), tree.span());
        let declarators: Vec<Tree<'_>> = tree.all(g::RULE_DECLARATOR).collect();
        let (true, [declarator]) = (self.in_main, &declarators[..]) else {
            return unsupported(span, "local variables are not supported");
        };
        match self.known_type(ty)? {
            None => self.instance(ty, *declarator).map(|()| StmtKind::Empty),
            Some(Type::Text) => {
                let name = self.text.ident(*declarator).expect(COMPLETE);
                let reads = |reader: &&str| format!("{reader}.readLine()");
                let value = declarator.find(g::RULE_INITIALIZER).map(|tree| self.without_blanks(tree.span()));
                if !self.classes.readers.iter().any(|reader| value.as_ref() == Some(&reads(reader))) {
                    return refuse(Diagnostic::new(
                        span,
                        "a local that holds no input",
                        "expected `= stdin.readLine()`",
                    ));
                }
                let unit = self.classes.units.last_mut().expect("a statement stands in a method");
                unit.locals.push((name, Type::Text));
                let call = Call { name: NONDETERMINISTIC, arguments: vec![] };
                let value = self.add(ExprKind::Call(Box::new(call)), declarator.span());
                let declarator = Declarator {
                    stars: 0,
                    name,
                    dimensions: vec![],
                    initializer: Some(Initializer::Value(value)),
                    span: declarator.span(),
                };
                let specifiers = vec![Specifier { kind: SpecifierKind::Int, span: ty.span() }];
                Ok(StmtKind::Declaration(Box::new(Declaration { specifiers, declarators: vec![declarator], span })))
            }
            Some(_) => unsupported(span, "local variables are not supported"),
        }
    }

    /// `try { program.calculateOutput(input); } catch(IllegalArgumentException e) { ... }`, which says that an input is
    /// invalid, and goes on.
    fn attempt(&mut self, tree: Tree<'_>) -> Lowered<StmtKind<'s>> {
        let blocks: Vec<Tree<'_>> = tree.all(g::RULE_BLOCK).collect();
        let names: Vec<(&str, Span)> = tree.names().collect();
        let ([tried, handler], [(caught, caught_span), (exception, _)]) = (&blocks[..], &names[..]) else {
            return unsupported(tree.span(), "this form of `try` is not supported");
        };
        if *caught != INVALID {
            return refuse(Diagnostic::new(
                *caught_span,
                "another exception is caught",
                format!("expected `{INVALID}`"),
            ));
        }
        let wanted = format!("{{System.err.println(\"Invalidinput:\"+{exception}.getMessage());}}");
        if self.without_blanks(handler.span()) != wanted {
            let expected = format!("expected `System.err.println(\"Invalid input: \" + {exception}.getMessage());`");
            return refuse(Diagnostic::new(handler.span(), "the exception is handled in another way", expected));
        }
        let body = self.statements(*tried)?;
        let called = match &body[..] {
            [only] => match self.syntax.stmt(*only).kind {
                StmtKind::Expression(value) => match &self.syntax.expr(value).kind {
                    ExprKind::Call(call) => Some(call.name),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        if self.syntax.reaction.is_some() {
            return refuse(Diagnostic::new(
                tree.span(),
                "a second reaction to an input",
                "expected one `try` in all files",
            ));
        }
        let (Some(called), true) = (called, self.in_main) else {
            return refuse(Diagnostic::new(tried.span(), "something else is tried", "expected one call, in `main`"));
        };
        self.syntax.reaction = Some(called);
        Ok(StmtKind::Block(body))
    }

    /// `new IllegalStateException("error_7")`
    fn thrown(&mut self, tree: Tree<'_>) -> Lowered<Thrown<'s>> {
        let message = |this: &Self| {
            let primary = only(only(tree, g::RULE_OPERAND)?, g::RULE_PRIMARY)?;
            let arguments = only_of(primary, g::RULE_ARGUMENTS)?;
            if !primary.has_token("new") {
                return None;
            }
            let text = this.text.slice(only(arguments, g::RULE_EXPRESSION)?.span());
            Some((primary.name()?, text.strip_prefix('"')?.strip_suffix('"')?))
        };
        match message(self) {
            Some((LABEL, text)) => Ok(Thrown::Label(text)),
            Some((INVALID, text)) => Ok(Thrown::Invalid(text)),
            _ => {
                let expected = format!("expected `new {LABEL}(\"error_7\")`, or `{INVALID}`");
                refuse(Diagnostic::new(tree.span(), "something else is thrown", expected))
            }
        }
    }

    /// An assignment, or a call for its effect.
    fn effect(&mut self, tree: Tree<'_>) -> Lowered<StmtKind<'s>> {
        let rules: Vec<Tree<'_>> = tree.rules().collect();
        Ok(match rules.as_slice() {
            [place, operator, value] => {
                let operator = BinaryOperator::of_assignment(operator.tokens().next().expect(COMPLETE));
                StmtKind::Assign { place: self.expression(*place)?, operator, value: self.expression(*value)? }
            }
            _ => StmtKind::Expression(self.only_expression(tree)?),
        })
    }

    fn only_expression(&mut self, tree: Tree<'_>) -> Lowered<ExprId> {
        self.expression(tree.find(g::RULE_EXPRESSION).expect(COMPLETE))
    }

    fn add(&mut self, kind: ExprKind<'s>, span: Span) -> ExprId {
        self.syntax.exprs.push(Expr { kind, span });
        ExprId::new(self.syntax.exprs.len() - 1)
    }

    fn expression(&mut self, tree: Tree<'_>) -> Lowered<ExprId> {
        self.watch.look()?;
        grow(|| self.operators(tree))
    }

    fn operators(&mut self, tree: Tree<'_>) -> Lowered<ExprId> {
        let (mut parts, mut branches) = (vec![], vec![]);
        for part in tree.rules() {
            match part.rule() {
                g::RULE_OPERAND => parts.push(Part::Operand(self.operand(part)?)),
                g::RULE_OPERATOR => {
                    parts.push(Part::Operator(Operator::of(part.tokens().next().expect(COMPLETE))));
                }
                _ => branches.push(self.expression(part)?),
            }
        }
        let value = self.climb(&mut parts.into_iter().peekable(), 0);
        Ok(match branches[..] {
            [then, otherwise] => self.add(ExprKind::Conditional(value, then, otherwise), tree.span()),
            _ => value,
        })
    }

    /// An operand and the operators behind it that bind at least so tightly. It nests no deeper than there are levels.
    fn climb(&mut self, parts: &mut Peekable<impl Iterator<Item = Part>>, least: u8) -> ExprId {
        let Some(Part::Operand(mut left)) = parts.next() else { unreachable!("the grammar begins with an operand") };
        while let Some(&Part::Operator(operator)) = parts.peek()
            && operator.level() >= least
        {
            parts.next();
            let right = self.climb(parts, operator.level() + 1);
            let span = Span { end: self.syntax.expr(right).span.end, ..self.syntax.expr(left).span };
            let kind = match operator {
                Operator::Binary(operator) => ExprKind::Binary(operator, left, right),
                Operator::Logical(connective) => ExprKind::Logical(connective, left, right),
            };
            left = self.add(kind, span);
        }
        left
    }

    fn operand(&mut self, tree: Tree<'_>) -> Lowered<ExprId> {
        let mut signs: Vec<Tree<'_>> = tree.all(g::RULE_SIGN).collect();
        let primary = tree.find(g::RULE_PRIMARY).expect(COMPLETE);
        let suffixes: Vec<Tree<'_>> = tree.all(g::RULE_SUFFIX).collect();
        let end = tree.span().end;
        let is_lowest = self.text.slice(primary.span()) == &LOWEST[1..] && suffixes.is_empty();
        let mut value = if is_lowest && signs.pop_if(|sign| sign.has_token("-")).is_some() {
            self.add(ExprKind::Number(LOWEST), primary.span())
        } else {
            let (first, rest) = self.primary(primary, &suffixes)?;
            rest.iter().try_fold(first, |value, suffix| self.suffix(value, *suffix))?
        };
        for sign in signs.into_iter().rev() {
            let operator = UnaryOperator::of(sign.tokens().next().expect(COMPLETE));
            value = self.add(ExprKind::Unary(operator, value), Span { end, ..sign.span() });
        }
        Ok(value)
    }

    /// The first part of an operand, and the suffixes that are no part of it.
    fn primary<'t, 'x>(&mut self, tree: Tree<'t>, suffixes: &'x [Tree<'t>]) -> Lowered<(ExprId, &'x [Tree<'t>])> {
        let span = tree.span();
        let children: Vec<Child<'_>> = tree.children().collect();
        let kind = match &children[..] {
            [Child::Token("("), Child::Rule(inner), ..] => {
                let value = self.expression(*inner)?;
                // Parentheses are no part of the tree, but they are of the place.
                self.syntax.exprs[value.index()].span = span;
                return Ok((value, suffixes));
            }
            [Child::Token("new"), ..] => return unsupported(span, "an object is made here"),
            [Child::Token("null")] => return unsupported(span, "`null` is not supported"),
            [Child::Token(word @ ("true" | "false"))] => ExprKind::Truth(*word == "true"),
            [Child::Token(_), Child::Rule(arguments)] => {
                let arguments = self.arguments(*arguments)?;
                let name = self.text.ident(tree).expect(COMPLETE).text;
                ExprKind::Call(Box::new(Call { name, arguments }))
            }
            _ => match self.text.ident(tree) {
                Some(name) => return self.path(name, suffixes),
                None => self.literal(span)?,
            },
        };
        Ok((self.add(kind, span), suffixes))
    }

    fn literal(&self, span: Span) -> Lowered<ExprKind<'s>> {
        let text = self.text.slice(span);
        if !text.starts_with('"') {
            return Ok(ExprKind::Number(text));
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'$');
        if text.len() == 2 || !text[1..text.len() - 1].bytes().all(is_plain) {
            return refuse(Diagnostic::new(span, "a text that is no word", "expected letters, digits and `_`"));
        }
        Ok(ExprKind::Text(Box::new([text])))
    }

    /// A name, and the suffixes that belong to it: `System.out.println("X")`, `external.check7(3)`.
    fn path<'t, 'x>(&mut self, name: Ident<'s>, suffixes: &'x [Tree<'t>]) -> Lowered<(ExprId, &'x [Tree<'t>])> {
        let mut names = vec![name.text];
        for (index, suffix) in suffixes.iter().enumerate() {
            let Some((member, arguments)) = self.member(*suffix) else { break };
            if let ([_], "equals") = (&names[..], member.text) {
                break;
            }
            names.push(member.text);
            let Some(arguments) = arguments else { continue };
            let span = Span { end: suffix.span().end, ..name.span };
            let arguments = self.arguments(arguments)?;
            let called = match names[..] {
                ["System", "out", "println"] => PRINT,
                [class, method] if (class, method) == ERRORS => method,
                [_, method] => {
                    self.classes.asked.push((name, method));
                    method
                }
                _ => return unsupported(span, format!("`{}` is not known", names.join("."))),
            };
            let call = ExprKind::Call(Box::new(Call { name: called, arguments }));
            return Ok((self.add(call, span), &suffixes[index + 1..]));
        }
        if names.len() > 1 {
            return unsupported(name.span, format!("`{}` is not known", names.join(".")));
        }
        Ok((self.add(ExprKind::Name(name.text), name.span), suffixes))
    }

    /// The name and the arguments of `.name(...)`.
    fn member<'t>(&self, suffix: Tree<'t>) -> Option<(Ident<'s>, Option<Tree<'t>>)> {
        self.text.ident(suffix).map(|name| (name, suffix.find(g::RULE_ARGUMENTS)))
    }

    fn suffix(&mut self, value: ExprId, tree: Tree<'_>) -> Lowered<ExprId> {
        let span = Span { end: tree.span().end, ..self.syntax.expr(value).span };
        if let Some(index) = tree.find(g::RULE_EXPRESSION) {
            let index = self.expression(index)?;
            return Ok(self.add(ExprKind::Cell(value, index), span));
        }
        let member = self.member(tree);
        if let Some((Ident { text: "equals", .. }, Some(arguments))) = member
            && let [other] = self.arguments(arguments)?[..]
        {
            return Ok(self.add(ExprKind::SameText(value, other), span));
        }
        let name = member.map_or("", |(name, _)| name.text);
        refuse(Diagnostic::new(span, format!("`{name}` of a value is not known"), "expected `equals`"))
    }

    fn arguments(&mut self, tree: Tree<'_>) -> Lowered<Vec<ExprId>> {
        tree.all(g::RULE_EXPRESSION).map(|argument| self.expression(argument)).collect()
    }
}

/// The lowest number, which is no number without its sign.
const LOWEST: &str = "-2147483648";

/// Classes of Java's library that are no class of a program.
const BOXES: [&str; 8] = ["Integer", "Long", "Short", "Byte", "Character", "Float", "Double", "Object"];

/// `new Random()` of `newRandom()`.
fn spaced(value: &str) -> String {
    value.replace("new", "new ")
}

/// The only child of a node, if it stands for this rule.
fn only<'t>(tree: Tree<'t>, rule: usize) -> Option<Tree<'t>> {
    let mut rules = tree.rules();
    rules.next().filter(|child| child.rule() == rule && rules.next().is_none())
}

/// The only child of this rule.
fn only_of<'t>(tree: Tree<'t>, rule: usize) -> Option<Tree<'t>> {
    let mut all = tree.all(rule);
    all.next().filter(|_| all.next().is_none())
}
