//! The files of a program as their author wrote them: the syntax tree that everything after the parser walks over.
//!
//! Expressions and statements lie in arenas and refer to each other by their numbers there, so that a tree of any depth
//! is dropped as two lists. Texts are those of the source.

use redoubt_base::id;

use redoubt_program::text::Span;
pub use redoubt_reading::c_common::Ident;
pub use redoubt_reading::c_common::operator::{BinaryOperator, UnaryOperator};

id!(/// An expression of the tree.
    ExprId);
id!(/// A statement of the tree.
    StmtId);

/// All files of a program.
#[derive(Debug, Default)]
pub struct Syntax<'s> {
    pub files: Vec<Vec<Item<'s>>>,
    pub exprs: Vec<Expr<'s>>,
    pub stmts: Vec<Stmt<'s>>,
    /// Whether an error function without a number is called: then the call is an error, whatever its label.
    pub calls_error: bool,
    /// In Java, the method whose complaint about an invalid input `main` catches.
    pub reaction: Option<&'s str>,
}

#[derive(Debug)]
pub enum Item<'s> {
    Function(Function<'s>),
    Declaration(Declaration<'s>),
}

/// A function, or a prototype if it has no body.
#[derive(Debug)]
pub struct Function<'s> {
    pub specifiers: Vec<Specifier<'s>>,
    pub returns_pointer: bool,
    pub name: Ident<'s>,
    pub parameters: Vec<Parameter<'s>>,
    pub body: Option<Vec<StmtId>>,
}

#[derive(Debug)]
pub struct Parameter<'s> {
    pub specifiers: Vec<Specifier<'s>>,
    pub is_pointer: bool,
    pub is_table: bool,
    pub name: Option<Ident<'s>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Declaration<'s> {
    pub specifiers: Vec<Specifier<'s>>,
    pub declarators: Vec<Declarator<'s>>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Specifier<'s> {
    pub kind: SpecifierKind<'s>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecifierKind<'s> {
    Int,
    Void,
    Const,
    Extern,
    Static,
    /// A type that is not supported.
    Foreign(&'s str),
}

/// The declaration of one name: `**name[3][] = initializer`.
#[derive(Debug)]
pub struct Declarator<'s> {
    pub stars: usize,
    pub name: Ident<'s>,
    /// The sizes of a table, where they are given; none if it is no table.
    pub dimensions: Vec<Option<ExprId>>,
    pub initializer: Option<Initializer>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Initializer {
    Value(ExprId),
    List(Vec<Element>, Span),
}

/// An element of a list in braces.
#[derive(Clone, Copy, Debug)]
pub enum Element {
    Value(ExprId),
    /// Another list. None is ever read, so its elements are left out.
    List(Span),
}

#[derive(Debug)]
pub struct Stmt<'s> {
    pub kind: StmtKind<'s>,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind<'s> {
    /// A `;` alone.
    Empty,
    Block(Vec<StmtId>),
    Declaration(Box<Declaration<'s>>),
    /// A chain `if ... else if ... else ...`, however long, is one statement.
    If {
        branches: Vec<Branch>,
        otherwise: Option<Otherwise>,
    },
    Labelled(Ident<'s>, StmtId),
    While {
        condition: ExprId,
        body: StmtId,
    },
    Return(Option<ExprId>),
    /// `place = value`, or a compound assignment such as `place += value`.
    Assign {
        place: ExprId,
        operator: Option<BinaryOperator>,
        value: ExprId,
    },
    /// `place++` or `place--`: plus one or minus one.
    Step {
        place: ExprId,
        operator: BinaryOperator,
    },
    Expression(ExprId),
    /// Of Java.
    Throw(Thrown<'s>),
}

/// An exception.
#[derive(Clone, Copy, Debug)]
pub enum Thrown<'s> {
    /// It ends the run; the text is the label.
    Label(&'s str),
    /// The input does not fit here, with a text for people.
    Invalid(&'s str),
}

#[derive(Clone, Copy, Debug)]
pub struct Branch {
    pub condition: ExprId,
    pub body: StmtId,
}

/// The last `else`, from that word on.
#[derive(Clone, Copy, Debug)]
pub struct Otherwise {
    pub body: StmtId,
    pub span: Span,
}

/// An expression. Parentheses are no part of the tree, but they are of the span.
#[derive(Debug)]
pub struct Expr<'s> {
    pub kind: ExprKind<'s>,
    pub span: Span,
}

#[derive(Debug)]
pub enum ExprKind<'s> {
    Name(&'s str),
    /// As it is written.
    Number(&'s str),
    /// With its quotes.
    Character(&'s str),
    /// Texts in a row, each with its quotes.
    Text(Box<[&'s str]>),
    /// `true` or `false` of Java.
    Truth(bool),
    // Behind a pointer, since most nodes are names, numbers and operators, and there are millions.
    Call(Box<Call<'s>>),
    /// `base[index]`
    Cell(ExprId, ExprId),
    Unary(UnaryOperator, ExprId),
    Binary(BinaryOperator, ExprId, ExprId),
    Logical(Connective, ExprId, ExprId),
    /// `a.equals(b)` of texts in Java.
    SameText(ExprId, ExprId),
    /// `condition ? then : otherwise`
    Conditional(ExprId, ExprId, ExprId),
}

#[derive(Debug)]
pub struct Call<'s> {
    pub name: &'s str,
    pub arguments: Vec<ExprId>,
}

/// An operator that evaluates its second operand only if the first one leaves the result open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    And,
    Or,
}

impl<'s> Syntax<'s> {
    /// Adds the files of another tree behind those of this one.
    pub fn append(&mut self, mut other: Syntax<'s>) {
        let shift = Shift { exprs: self.exprs.len(), stmts: self.stmts.len() };
        if shift.exprs > 0 || shift.stmts > 0 {
            other.exprs.iter_mut().for_each(|expr| shift.expr(&mut expr.kind));
            other.stmts.iter_mut().for_each(|stmt| shift.stmt(&mut stmt.kind));
            other.files.iter_mut().flatten().for_each(|item| shift.item(item));
        }
        self.exprs.append(&mut other.exprs);
        self.stmts.append(&mut other.stmts);
        self.files.append(&mut other.files);
        self.calls_error |= other.calls_error;
        self.reaction = self.reaction.or(other.reaction);
    }

    pub fn expr(&self, id: ExprId) -> &Expr<'s> {
        &self.exprs[id.index()]
    }

    pub fn stmt(&self, id: StmtId) -> &Stmt<'s> {
        &self.stmts[id.index()]
    }

    pub fn items(&self) -> impl Iterator<Item = &Item<'s>> {
        self.files.iter().flatten()
    }

    /// The declarations outside functions.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration<'s>> {
        self.items().filter_map(Item::declaration)
    }

    pub fn functions(&self) -> impl Iterator<Item = &Function<'s>> {
        self.items().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Declaration(_) => None,
        })
    }
}

/// The offsets of the numbers of expressions and statements when these come behind others.
#[derive(Clone, Copy)]
struct Shift {
    exprs: usize,
    stmts: usize,
}

impl Shift {
    fn e(self, id: &mut ExprId) {
        *id = ExprId::new(id.index() + self.exprs);
    }

    fn s(self, id: &mut StmtId) {
        *id = StmtId::new(id.index() + self.stmts);
    }

    fn expr(self, kind: &mut ExprKind) {
        match kind {
            ExprKind::Name(_)
            | ExprKind::Number(_)
            | ExprKind::Character(_)
            | ExprKind::Text(_)
            | ExprKind::Truth(_) => {}
            ExprKind::Call(call) => call.arguments.iter_mut().for_each(|id| self.e(id)),
            ExprKind::Unary(_, a) => self.e(a),
            ExprKind::Cell(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Logical(_, a, b)
            | ExprKind::SameText(a, b) => {
                [a, b].into_iter().for_each(|id| self.e(id));
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|id| self.e(id)),
        }
    }

    fn stmt(self, kind: &mut StmtKind) {
        match kind {
            StmtKind::Empty | StmtKind::Throw(_) => {}
            StmtKind::Block(list) => list.iter_mut().for_each(|id| self.s(id)),
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::If { branches, otherwise } => {
                for Branch { condition, body } in branches {
                    self.e(condition);
                    self.s(body);
                }
                otherwise.iter_mut().for_each(|otherwise| self.s(&mut otherwise.body));
            }
            StmtKind::Labelled(_, body) => self.s(body),
            StmtKind::While { condition, body } => {
                self.e(condition);
                self.s(body);
            }
            StmtKind::Return(value) => value.iter_mut().for_each(|id| self.e(id)),
            StmtKind::Assign { place, value, .. } => [place, value].into_iter().for_each(|id| self.e(id)),
            StmtKind::Step { place, .. } => self.e(place),
            StmtKind::Expression(value) => self.e(value),
        }
    }

    fn item(self, item: &mut Item) {
        match item {
            Item::Function(function) => function.body.iter_mut().flatten().for_each(|id| self.s(id)),
            Item::Declaration(declaration) => self.declaration(declaration),
        }
    }

    fn declaration(self, declaration: &mut Declaration) {
        for declarator in &mut declaration.declarators {
            declarator.dimensions.iter_mut().flatten().for_each(|id| self.e(id));
            match &mut declarator.initializer {
                None => {}
                Some(Initializer::Value(id)) => self.e(id),
                Some(Initializer::List(elements, _)) => {
                    for element in elements {
                        if let Element::Value(id) = element {
                            self.e(id);
                        }
                    }
                }
            }
        }
    }
}

impl<'s> Item<'s> {
    pub fn declaration(&self) -> Option<&Declaration<'s>> {
        match self {
            Item::Declaration(declaration) => Some(declaration),
            Item::Function(_) => None,
        }
    }
}

impl Declarator<'_> {
    pub fn is_table(&self) -> bool {
        !self.dimensions.is_empty()
    }
}
