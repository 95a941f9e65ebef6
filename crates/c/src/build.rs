//! ANTLR's parse tree to the syntax tree. Only this file knows the rules of the generated parser.

use redoubt_base::stack::grow;

use super::ast::{
    BinaryOperator, Compound, Declaration, Declarator, Derived, Designator, Element, ExprId, ExprKind, Field, Function,
    Initializer, Item, Parameter, Specifiers, StmtId, StmtKind, Syntax, TypeName, UnaryOperator,
};
use super::attribute;
use redoubt_parsers::c::names as g;
use redoubt_program::text::SourceFile;
use redoubt_reading::c_common::{Built, COMPLETE, Text};
use redoubt_reading::tree::{Child, Tree};
use redoubt_reading::watch::Watch;

/// Adds a parsed file to the tree of its program.
pub fn add_file<'s>(syntax: &mut Syntax<'s>, source: &'s SourceFile, tree: Tree<'_>, watch: &mut Watch) -> Built<()> {
    let mut builder = Builder { syntax, text: Text(&source.text), watch };
    for external in tree.all(g::RULE_EXTERNAL) {
        if let Some(item) = builder.external(external)? {
            builder.syntax.items.push(item);
        }
    }
    Ok(())
}

struct Builder<'b, 's> {
    syntax: &'b mut Syntax<'s>,
    text: Text<'s>,
    watch: &'b mut Watch,
}

/// Words that say nothing about values.
const QUALIFIERS: [&str; 16] = [
    "auto",
    "register",
    "inline",
    "__inline",
    "__inline__",
    "const",
    "__const",
    "volatile",
    "__volatile__",
    "restrict",
    "__restrict",
    "__restrict__",
    "__extension__",
    "_Noreturn",
    "extern",
    "typedef",
];

impl<'s> Builder<'_, 's> {
    fn external(&mut self, tree: Tree<'_>) -> Built<Option<Item<'s>>> {
        let specifiers = self.specifiers(tree)?;
        let declarators = self.init_declarators(&specifiers, tree)?;
        let Some(block) = tree.find(g::RULE_BLOCK) else {
            let is_something = tree
                .rules()
                .next()
                .is_some_and(|first| ![g::RULE_ASSEMBLER, g::RULE_STATIC_ASSERTION].contains(&first.rule()));
            let declaration = Declaration { specifiers, declarators, span: tree.span() };
            return Ok(is_something.then_some(Item::Declaration(declaration)));
        };
        let body = self.block(block)?;
        let declarator = declarators.into_iter().next();
        Ok(declarator.map(|(declarator, _)| Item::Function(Function { specifiers, declarator, body })))
    }

    fn declaration(&mut self, tree: Tree<'_>) -> Built<Declaration<'s>> {
        let specifiers = self.specifiers(tree)?;
        let declarators = self.init_declarators(&specifiers, tree)?;
        Ok(Declaration { specifiers, declarators, span: tree.span() })
    }

    fn init_declarators(
        &mut self,
        specifiers: &Specifiers<'s>,
        tree: Tree<'_>,
    ) -> Built<Vec<(Declarator<'s>, Option<Initializer>)>> {
        let mut list = vec![];
        for tree in tree.all(g::RULE_INIT_DECLARATOR) {
            let mut declarator = self.declarator(tree.find(g::RULE_DECLARATOR).expect(COMPLETE))?;
            declarator.attribute = declarator.attribute.or(attribute_of(tree));
            if specifiers.has("typedef") {
                declarator.attribute = declarator.attribute.or(attribute::laid_out(tree));
            }
            let initializer = match tree.find(g::RULE_INITIALIZER) {
                Some(initializer) => Some(self.initializer(initializer)?),
                None => None,
            };
            list.push((declarator, initializer));
        }
        Ok(list)
    }

    fn initializer(&mut self, tree: Tree<'_>) -> Built<Initializer> {
        if let Some(value) = tree.find(g::RULE_EXPRESSION) {
            return Ok(Initializer::Value(self.expression(value)?));
        }
        self.braced(tree.find(g::RULE_BRACED).expect(COMPLETE))
    }

    fn braced(&mut self, tree: Tree<'_>) -> Built<Initializer> {
        let elements = tree.all(g::RULE_ELEMENT).map(|element| grow(|| self.element(element)));
        Ok(Initializer::List { elements: elements.collect::<Built<_>>()?, span: tree.span() })
    }

    fn element(&mut self, tree: Tree<'_>) -> Built<Element> {
        let mut designators = vec![];
        for designator in tree.find(g::RULE_DESIGNATION).into_iter().flat_map(|list| list.all(g::RULE_DESIGNATOR)) {
            designators.push(match designator.find(g::RULE_EXPRESSION) {
                Some(index) => Designator::Index(self.expression(index)?),
                None => {
                    let name = self.text.ident(designator).expect(COMPLETE);
                    Designator::Member(name.text.to_string())
                }
            });
        }
        let initializer = self.initializer(tree.find(g::RULE_INITIALIZER).expect(COMPLETE))?;
        Ok(Element { designators, initializer })
    }

    fn record(&mut self, tree: Tree<'_>) -> Built<Compound<'s>> {
        let is_union = tree.has_token("union");
        let mut fields = None;
        if tree.has_token("{") {
            let list = fields.insert(vec![]);
            for field in tree.all(g::RULE_FIELD).filter(|field| field.find(g::RULE_SPECIFIER).is_some()) {
                let specifiers = self.specifiers(field)?;
                let span = field.span();
                let mut declarators = field.all(g::RULE_FIELD_DECLARATOR).peekable();
                if declarators.peek().is_none() {
                    list.push(Field { specifiers: specifiers.clone(), declarator: None, bits: None, span });
                }
                for tree in declarators {
                    let bits = match tree.find(g::RULE_EXPRESSION) {
                        Some(bits) => Some(self.expression(bits)?),
                        None => None,
                    };
                    let mut declarator = match tree.find(g::RULE_DECLARATOR) {
                        Some(declarator) => Some(self.declarator(declarator)?),
                        None => None,
                    };
                    if let Some(declarator) = &mut declarator {
                        declarator.attribute = declarator.attribute.or(attribute::laid_out(tree));
                    }
                    list.push(Field { specifiers: specifiers.clone(), declarator, bits, span: tree.span() });
                }
            }
        }
        let (tag, attribute) = (self.text.ident(tree), attribute::laid_out(tree));
        Ok(Compound::Record { is_union, tag, fields, attribute, span: tree.span() })
    }

    fn specifiers(&mut self, tree: Tree<'_>) -> Built<Specifiers<'s>> {
        let mut specifiers =
            Specifiers { words: vec![], compound: None, attribute: None, layout: None, span: tree.span() };
        let mut end = None;
        for (position, specifier) in tree.all(g::RULE_SPECIFIER).enumerate() {
            let span = specifier.span();
            if position == 0 {
                specifiers.span = span;
            }
            end = Some(span);
            match specifier.rules().next() {
                Some(inner) if inner.rule() == g::RULE_STRUCTURE => {
                    specifiers.compound = Some(grow(|| self.record(inner))?);
                }
                Some(inner) if inner.rule() == g::RULE_ENUMERATION => {
                    let mut names = vec![];
                    for name in inner.all(g::RULE_ENUMERATOR) {
                        let value = match name.find(g::RULE_EXPRESSION) {
                            Some(value) => Some(self.expression(value)?),
                            None => None,
                        };
                        names.push((self.text.ident(name).expect(COMPLETE), value));
                    }
                    let tag = self.text.ident(inner);
                    specifiers.compound = Some(Compound::Enumeration { tag, names });
                }
                Some(inner) => {
                    specifiers.attribute = specifiers.attribute.or(attribute::meant(inner));
                    specifiers.layout = specifiers.layout.or(attribute::laid_out(specifier));
                }
                None => {
                    let word = self.text.slice(span);
                    if !QUALIFIERS.contains(&word) || matches!(word, "extern" | "typedef") {
                        specifiers.words.push(word);
                    }
                }
            }
        }
        if let Some(end) = end {
            specifiers.span = specifiers.span.to(end);
        }
        // An attribute behind the braces is that of the type.
        match &mut specifiers.compound {
            Some(Compound::Record { fields: Some(_), attribute, .. }) => {
                *attribute = attribute.or(specifiers.layout.take());
            }
            Some(Compound::Enumeration { .. }) => {
                specifiers.attribute =
                    specifiers.attribute.or(specifiers.layout.filter(|name| *name == attribute::PACKED));
            }
            _ => {}
        }
        Ok(specifiers)
    }

    /// A declarator, with or without a name.
    fn declarator(&mut self, tree: Tree<'_>) -> Built<Declarator<'s>> {
        let mut declarator = match tree.rules().find(|inner| is_declarator(*inner)) {
            Some(inner) => grow(|| self.declarator(inner))?,
            None => Declarator { name: self.text.ident(tree), derived: vec![], attribute: None, span: tree.span() },
        };
        declarator.attribute = declarator.attribute.or(attribute_of(tree));
        for suffix in tree.all(g::RULE_SUFFIX) {
            let derived = if suffix.has_token("[") {
                Derived::Array(match suffix.find(g::RULE_EXPRESSION) {
                    Some(length) => Some(self.expression(length)?),
                    None => None,
                })
            } else {
                let list = suffix.find(g::RULE_PARAMETERS).into_iter().flat_map(|list| list.all(g::RULE_PARAMETER));
                Derived::Function(list.map(|parameter| grow(|| self.parameter(parameter))).collect::<Built<_>>()?)
            };
            declarator.derived.push(derived);
        }
        declarator.derived.extend(tree.all(g::RULE_POINTER).map(|_| Derived::Pointer));
        Ok(declarator)
    }

    fn parameter(&mut self, tree: Tree<'_>) -> Built<Parameter<'s>> {
        let (specifiers, declarator) = self.typed(tree)?;
        Ok(Parameter { specifiers, declarator })
    }

    fn type_name(&mut self, tree: Tree<'_>) -> Built<TypeName<'s>> {
        let (specifiers, declarator) = self.typed(tree)?;
        Ok(TypeName { specifiers, declarator })
    }

    fn typed(&mut self, tree: Tree<'_>) -> Built<(Specifiers<'s>, Declarator<'s>)> {
        let specifiers = self.specifiers(tree)?;
        let mut declarator = match tree.rules().find(|inner| is_declarator(*inner)) {
            Some(declarator) => self.declarator(declarator)?,
            None => Declarator { name: None, derived: vec![], attribute: None, span: tree.span() },
        };
        declarator.attribute = declarator.attribute.or(attribute_of(tree));
        Ok((specifiers, declarator))
    }

    fn block(&mut self, tree: Tree<'_>) -> Built<StmtId> {
        let statements = tree.all(g::RULE_STATEMENT).map(|statement| self.statement(statement));
        let statements = statements.collect::<Built<_>>()?;
        Ok(self.syntax.add_stmt(StmtKind::Block(statements), tree.span()))
    }

    fn statement(&mut self, tree: Tree<'_>) -> Built<StmtId> {
        grow(|| self.any_statement(tree))
    }

    fn any_statement(&mut self, mut tree: Tree<'_>) -> Built<StmtId> {
        self.watch.look()?;
        while let g::RULE_STATEMENT | g::RULE_PLAIN_STATEMENT = tree.rule() {
            let Some(inner) = tree.rules().next() else {
                return Ok(self.syntax.add_stmt(StmtKind::Empty, tree.span()));
            };
            tree = inner;
        }
        let kind = match tree.rule() {
            g::RULE_BLOCK => return self.block(tree),
            g::RULE_DECLARATION => StmtKind::Declaration(Box::new(self.declaration(tree)?)),
            g::RULE_CONDITIONAL => self.conditional(tree)?,
            g::RULE_LABELLED => StmtKind::Labelled(self.text.ident(tree).expect(COMPLETE), self.body(tree)?),
            g::RULE_CASE_LABEL => match tree.find(g::RULE_EXPRESSION) {
                Some(value) => StmtKind::Case(self.expression(value)?, self.body(tree)?),
                None => StmtKind::Default(self.body(tree)?),
            },
            g::RULE_WHILE_LOOP => StmtKind::While(self.only_sequence(tree)?, self.body(tree)?),
            g::RULE_DO_LOOP => StmtKind::DoWhile(self.body(tree)?, self.only_sequence(tree)?),
            g::RULE_FOR_LOOP => self.for_loop(tree)?,
            g::RULE_SWITCH_STATEMENT => StmtKind::Switch(self.only_sequence(tree)?, self.body(tree)?),
            g::RULE_JUMP => match tree.tokens().next() {
                Some("goto") => StmtKind::Goto(self.text.ident(tree).expect(COMPLETE)),
                Some("break") => StmtKind::Break,
                Some("continue") => StmtKind::Continue,
                _ => StmtKind::Return(self.sequence_in(Some(tree))?),
            },
            g::RULE_ASSEMBLER => StmtKind::Assembler,
            g::RULE_STATIC_ASSERTION => StmtKind::Empty,
            _ => StmtKind::Expression(self.sequence(tree)?),
        };
        Ok(self.syntax.add_stmt(kind, tree.span()))
    }

    fn body(&mut self, tree: Tree<'_>) -> Built<StmtId> {
        self.statement(tree.find(g::RULE_STATEMENT).expect(COMPLETE))
    }

    fn conditional(&mut self, tree: Tree<'_>) -> Built<StmtKind<'s>> {
        let mut branches = vec![];
        for branch in std::iter::once(tree).chain(tree.all(g::RULE_ELSE_IF)) {
            branches.push((self.only_sequence(branch)?, self.body(branch)?));
        }
        let otherwise = match tree.find(g::RULE_OTHERWISE) {
            Some(tree) => Some(self.statement(tree.find(g::RULE_PLAIN_STATEMENT).expect(COMPLETE))?),
            None => None,
        };
        Ok(StmtKind::If { branches, otherwise })
    }

    fn for_loop(&mut self, tree: Tree<'_>) -> Built<StmtKind<'s>> {
        let first = match (tree.find(g::RULE_DECLARATION), tree.find(g::RULE_FIRST)) {
            (Some(tree), _) => {
                let declaration = StmtKind::Declaration(Box::new(self.declaration(tree)?));
                Some(self.syntax.add_stmt(declaration, tree.span()))
            }
            (_, Some(tree)) => {
                let effect = StmtKind::Expression(self.only_sequence(tree)?);
                Some(self.syntax.add_stmt(effect, tree.span()))
            }
            (None, None) => None,
        };
        let condition = self.sequence_in(tree.find(g::RULE_CONDITION))?;
        let next = self.sequence_in(tree.find(g::RULE_NEXT))?;
        Ok(StmtKind::For { first, condition, next, body: self.body(tree)? })
    }

    fn sequence_in(&mut self, tree: Option<Tree<'_>>) -> Built<Option<ExprId>> {
        match tree.and_then(|tree| tree.find(g::RULE_SEQUENCE)) {
            Some(sequence) => self.sequence(sequence).map(Some),
            None => Ok(None),
        }
    }

    fn only_sequence(&mut self, tree: Tree<'_>) -> Built<ExprId> {
        self.sequence(tree.find(g::RULE_SEQUENCE).expect(COMPLETE))
    }

    fn sequence(&mut self, tree: Tree<'_>) -> Built<ExprId> {
        let list = tree.all(g::RULE_EXPRESSION).map(|part| self.expression(part)).collect::<Built<Vec<_>>>()?;
        Ok(match list.as_slice() {
            [only] => *only,
            _ => self.syntax.add_expr(ExprKind::Comma(list), tree.span()),
        })
    }

    fn expression(&mut self, tree: Tree<'_>) -> Built<ExprId> {
        let kind = grow(|| self.expression_kind(tree))?;
        Ok(match kind {
            Made::Kind(kind) => self.syntax.add_expr(kind, tree.span()),
            Made::Same(inner) => inner,
        })
    }

    fn expression_kind(&mut self, tree: Tree<'_>) -> Built<Made<'s>> {
        use Child::{Rule as R, Token as T};
        self.watch.look()?;
        let children: Vec<Child<'_>> = tree.children().collect();
        Ok(Made::Kind(match children.as_slice() {
            [T("("), R(inner), T(")")] if inner.rule() == g::RULE_SEQUENCE => {
                return Ok(Made::Same(self.sequence(*inner)?));
            }
            [T("("), R(block), T(")")] => ExprKind::Statements(self.block(*block)?),
            [T("("), R(name), T(")"), R(list)] if list.rule() == g::RULE_BRACED => {
                ExprKind::Compound(Box::new(self.type_name(*name)?), Box::new(self.braced(*list)?))
            }
            [T("__builtin_offsetof"), T(_), R(name), T(_), R(member), T(_)] => {
                ExprKind::Offset(Box::new(self.type_name(*name)?), self.expression(*member)?)
            }
            [T("sizeof"), T(_), R(name), T(_)] => ExprKind::SizeOfType(Box::new(self.type_name(*name)?)),
            [T("("), R(name), T(")"), R(value)] => {
                ExprKind::Cast(Box::new(self.type_name(*name)?), self.expression(*value)?)
            }
            [R(function), T("("), rest @ ..] => {
                let function = self.expression(*function)?;
                let arguments = match rest {
                    [R(list), ..] => list.rules().map(|tree| self.expression(tree)).collect::<Built<_>>()?,
                    _ => vec![],
                };
                ExprKind::Call(function, arguments)
            }
            [R(base), T("["), R(index), T("]")] => ExprKind::Cell(self.expression(*base)?, self.sequence(*index)?),
            [R(base), T(sign @ ("." | "->")), T(_)] => {
                let name = self.text.ident(tree).expect(COMPLETE).text;
                ExprKind::Member(self.expression(*base)?, name, *sign == "->")
            }
            [R(a), T("?"), R(b), T(":"), R(c)] => {
                ExprKind::Conditional(self.expression(*a)?, self.sequence(*b)?, self.expression(*c)?)
            }
            [R(place), R(operator), R(value)] => {
                let sign = operator.tokens().next().expect(COMPLETE);
                let operator = BinaryOperator::of_assignment(sign);
                ExprKind::Assign(self.expression(*place)?, operator, self.expression(*value)?)
            }
            [R(a), T(sign), R(b)] => {
                let (a, b) = (self.expression(*a)?, self.expression(*b)?);
                match *sign {
                    "&&" => ExprKind::And(a, b),
                    "||" => ExprKind::Or(a, b),
                    sign => ExprKind::Binary(BinaryOperator::of(sign).expect("the grammar has no other sign"), a, b),
                }
            }
            [R(place), T(step)] => ExprKind::Step(self.expression(*place)?, BinaryOperator::of_step(step), true),
            [T(step @ ("++" | "--")), R(place)] => {
                ExprKind::Step(self.expression(*place)?, BinaryOperator::of_step(step), false)
            }
            [T("sizeof"), R(value)] => ExprKind::SizeOf(self.expression(*value)?),
            [T("__extension__"), R(value)] => return Ok(Made::Same(self.expression(*value)?)),
            [T(sign), R(a)] => ExprKind::Unary(UnaryOperator::of(sign), self.expression(*a)?),
            _ => self.atom(tree),
        }))
    }

    /// A name, a number, a character or texts in a row.
    fn atom(&self, tree: Tree<'_>) -> ExprKind<'s> {
        let text = self.text.slice(tree.span());
        match text.as_bytes() {
            [b'"', ..] | [b'L', b'"', ..] => ExprKind::Text,
            [b'\'', ..] | [b'L', b'\'', ..] => ExprKind::Character(text),
            [b'0'..=b'9' | b'.', ..] => ExprKind::Number(text),
            _ => ExprKind::Name(text),
        }
    }
}

/// The expression for one of the parse tree: a new one, or just its operand.
enum Made<'s> {
    Kind(ExprKind<'s>),
    Same(ExprId),
}

/// The first attribute among the parts of a rule that changes the declaration.
fn attribute_of(tree: Tree<'_>) -> Option<&'static str> {
    tree.all(g::RULE_ATTRIBUTE).find_map(|tree| attribute::meant(tree))
}

fn is_declarator(tree: Tree<'_>) -> bool {
    matches!(tree.rule(), g::RULE_DECLARATOR | g::RULE_ABSTRACT_DECLARATOR)
}
