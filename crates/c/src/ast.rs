//! A C program as its author wrote it: the syntax tree that everything after the parser walks over.
//!
//! Statements and expressions live in arenas and are named by ids, so that nothing that walks over them depends on how
//! deeply they nest. Types are written down as they stand in the text; what they mean is looked up later, where it is
//! known what names stand for.

use redoubt_base::id;

use redoubt_program::text::Span;
pub use redoubt_reading::c_common::Ident;
pub use redoubt_reading::c_common::operator::{BinaryOperator, UnaryOperator};

id!(/// A statement of a syntax tree.
    StmtId);
id!(/// An expression of a syntax tree.
    ExprId);

/// All files of one program.
#[derive(Debug, Default)]
pub struct Syntax<'s> {
    pub items: Vec<Item<'s>>,
    stmts: Vec<Stmt<'s>>,
    exprs: Vec<Expr<'s>>,
}

#[derive(Debug)]
pub enum Item<'s> {
    Function(Function<'s>),
    Declaration(Declaration<'s>),
}

#[derive(Debug)]
pub struct Function<'s> {
    pub specifiers: Specifiers<'s>,
    pub declarator: Declarator<'s>,
    pub body: StmtId,
}

#[derive(Debug)]
pub struct Declaration<'s> {
    pub specifiers: Specifiers<'s>,
    pub declarators: Vec<(Declarator<'s>, Option<Initializer>)>,
    pub span: Span,
}

/// The specifiers in front of a declarator.
#[derive(Clone, Debug)]
pub struct Specifiers<'s> {
    /// Keywords and names of types, as they are written; attributes and qualifiers are left out.
    pub words: Vec<&'s str>,
    pub compound: Option<Compound<'s>>,
    /// An attribute that changes the declaration.
    pub attribute: Option<&'static str>,
    /// An attribute that changes where members lie.
    pub layout: Option<&'static str>,
    pub span: Span,
}

/// A member of a structure or a union, or bits that only keep others apart.
#[derive(Clone, Debug)]
pub struct Field<'s> {
    pub specifiers: Specifiers<'s>,
    /// Without it, an unnamed structure, or bits without a name.
    pub declarator: Option<Declarator<'s>>,
    /// How many bits it has, if it is a bit-field.
    pub bits: Option<ExprId>,
    pub span: Span,
}

/// A type with a list of its own.
#[derive(Clone, Debug)]
pub enum Compound<'s> {
    /// A structure or a union: its name, its members if they are listed, and an attribute that changes where they lie.
    Record {
        is_union: bool,
        tag: Option<Ident<'s>>,
        fields: Option<Vec<Field<'s>>>,
        attribute: Option<&'static str>,
        span: Span,
    },
    /// Its name, and those that it lists, with the values that are given.
    Enumeration { tag: Option<Ident<'s>>, names: Vec<(Ident<'s>, Option<ExprId>)> },
}

#[derive(Clone, Debug)]
pub struct Declarator<'s> {
    pub name: Option<Ident<'s>>,
    /// The type constructors, from the inside out: `*x[3]` is an array of pointers.
    pub derived: Vec<Derived<'s>>,
    /// An attribute that changes the declaration.
    pub attribute: Option<&'static str>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Derived<'s> {
    Pointer,
    Array(Option<ExprId>),
    Function(Vec<Parameter<'s>>),
}

#[derive(Clone, Debug)]
pub struct Parameter<'s> {
    pub specifiers: Specifiers<'s>,
    pub declarator: Declarator<'s>,
}

#[derive(Debug)]
pub struct TypeName<'s> {
    pub specifiers: Specifiers<'s>,
    pub declarator: Declarator<'s>,
}

#[derive(Debug)]
pub enum Initializer {
    Value(ExprId),
    List { elements: Vec<Element>, span: Span },
}

/// A part of an initial value.
#[derive(Debug)]
pub struct Element {
    /// Where it goes, if that is said.
    pub designators: Vec<Designator>,
    pub initializer: Initializer,
}

#[derive(Clone, Debug)]
pub enum Designator {
    Index(ExprId),
    Member(String),
}

#[derive(Debug)]
pub struct Stmt<'s> {
    pub kind: StmtKind<'s>,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind<'s> {
    Block(Vec<StmtId>),
    Declaration(Box<Declaration<'s>>),
    If {
        branches: Vec<(ExprId, StmtId)>,
        otherwise: Option<StmtId>,
    },
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    For {
        /// A declaration or an expression.
        first: Option<StmtId>,
        condition: Option<ExprId>,
        next: Option<ExprId>,
        body: StmtId,
    },
    Switch(ExprId, StmtId),
    Labelled(Ident<'s>, StmtId),
    Case(ExprId, StmtId),
    Default(StmtId),
    Goto(Ident<'s>),
    Break,
    Continue,
    Return(Option<ExprId>),
    Expression(ExprId),
    Empty,
    Assembler,
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
    Text,
    Call(ExprId, Vec<ExprId>),
    Cell(ExprId, ExprId),
    /// `base.name`, or `base->name`.
    Member(ExprId, &'s str, bool),
    /// A value of a type, written out: `(struct point) { 1, 2 }`
    Compound(Box<TypeName<'s>>, Box<Initializer>),
    /// Where a member lies in a type.
    Offset(Box<TypeName<'s>>, ExprId),
    Unary(UnaryOperator, ExprId),
    Binary(BinaryOperator, ExprId, ExprId),
    And(ExprId, ExprId),
    Or(ExprId, ExprId),
    Conditional(ExprId, ExprId, ExprId),
    /// With the operator of `+=` and its like.
    Assign(ExprId, Option<BinaryOperator>, ExprId),
    /// `++` and `--`: the place, the operator, and whether the value is the one from before.
    Step(ExprId, BinaryOperator, bool),
    Cast(Box<TypeName<'s>>, ExprId),
    SizeOfType(Box<TypeName<'s>>),
    SizeOf(ExprId),
    Comma(Vec<ExprId>),
    /// `({ ... })`
    Statements(StmtId),
}

impl<'s> Syntax<'s> {
    pub fn expr(&self, id: ExprId) -> &Expr<'s> {
        &self.exprs[id.index()]
    }

    pub fn stmt(&self, id: StmtId) -> &Stmt<'s> {
        &self.stmts[id.index()]
    }

    /// All expressions, each after those that it is made of.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr<'s>> {
        self.exprs.iter()
    }

    pub fn stmts(&self) -> impl Iterator<Item = &Stmt<'s>> {
        self.stmts.iter()
    }

    /// All declarations inside functions.
    pub fn local_declarations(&self) -> impl Iterator<Item = &Declaration<'s>> {
        self.stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Declaration(declaration) => Some(&**declaration),
            _ => None,
        })
    }

    pub fn add_expr(&mut self, kind: ExprKind<'s>, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span });
        ExprId::new(self.exprs.len() - 1)
    }

    pub fn add_stmt(&mut self, kind: StmtKind<'s>, span: Span) -> StmtId {
        self.stmts.push(Stmt { kind, span });
        StmtId::new(self.stmts.len() - 1)
    }
}

impl Specifiers<'_> {
    pub fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

impl<'s> Declarator<'s> {
    /// The parameters, if this declares a function.
    pub fn parameters(&self) -> Option<&[Parameter<'s>]> {
        match self.derived.first() {
            Some(Derived::Function(parameters)) => Some(parameters),
            _ => None,
        }
    }
}
